"""A controller without a framework that does what each message tells it: fast to start, and able to do harm.

A message of type 10 has an order as its first byte and a number as its second. Messages to the switch are barrier
requests (type 20) whose transaction id says why they were sent.
"""

import json
import os
import queue
import socket
import struct
import subprocess
import sys
import threading
import time

HEADER = struct.Struct("!BBHI")
REPORTS = int(os.environ.get("SDNLOOM_REPORT", "1"))


def report(**line):
    os.write(REPORTS, json.dumps(line).encode() + b"\n")


def message(kind, xid, body=b""):
    return HEADER.pack(1, kind, HEADER.size + len(body), xid) + body


def work(seconds):
    end = time.thread_time() + seconds
    while time.thread_time() < end:
        pass


class Connection(threading.Thread):
    def __init__(self, accepted):
        super().__init__(daemon=True)
        self.accepted, self.echo = accepted, None

    def run(self):
        self.send(0, 1)
        stream = self.accepted.makefile("rb")
        while header := stream.read(HEADER.size):
            _, kind, size, xid = HEADER.unpack(header)
            body = stream.read(size - HEADER.size)
            if kind == 0:
                self.send(5, 2)
            elif kind == 2:
                self.send(3, xid, body)
            elif kind == 3:
                self.send(20, 8)
            elif kind == 10:
                ORDERS[body[0]](self, body[1])
        self.accepted.close()

    def send(self, kind, xid, body=b""):
        self.accepted.sendall(message(kind, xid, body))

    def answer(self, number):
        self.send(20, number)

    def report_error(self, number):
        report(raised={"text": f"KeyError: {number}", "file": "/a/b.py", "line": 3, "lines": [["/a/b.py", 3]]})

    def hang_up(self, number):
        self.send(20, number)
        self.accepted.shutdown(socket.SHUT_RDWR)

    def end(self, number):
        sys.stderr.write("the last words\n")
        os._exit(number)

    def spin(self, number):
        threading.Thread(target=work, args=(1e9,), name="spinner", daemon=True).start()

    def stop_reading(self, number):
        time.sleep(number / 10)
        self.send(20, 5)

    def burst(self, number):
        for each in range(number):
            self.send(20, each, bytes(60_000))

    def start_daemon(self, number):
        subprocess.Popen(
            ["/bin/sh", "-c", "setsid sleep 600 & echo $!"], stdout=subprocess.PIPE, start_new_session=True
        ).communicate()

    def ask_echo(self, number):
        self.send(2, 77, b"are you there")

    def relay(self, number):
        """Pass something on through threads and pipes, with some work at each, and answer at the end."""
        queues = [queue.Queue() for _ in range(number + 1)]

        def pass_on(place):
            queues[place].get()
            work(0.0003 * (place % 3))
            queues[place + 1].put(None)

        for place in range(number):
            threading.Thread(target=pass_on, args=(place,), daemon=True).start()

        def finish():
            queues[number].get()
            self.send(20, 9)

        threading.Thread(target=finish, daemon=True).start()
        queues[0].put(None)

    def later(self, number):
        threading.Timer(number / 10, self.send, (20, 10)).start()

    def ask_child(self, number):
        """Let another process work, and answer when it has."""

        def ask():
            subprocess.run([sys.executable, "-S", "-c", "sum(range(10**6))"], check=True)
            self.send(20, 11)

        threading.Thread(target=ask, daemon=True).start()

    def wake_often(self, number):
        def wake():
            while True:
                time.sleep(number / 1000)
                work(0.0001)

        threading.Thread(target=wake, daemon=True).start()

    def talk_nonsense(self, number):
        os.write(REPORTS, b"nonsense\n")


ORDERS = [
    *(Connection.answer, Connection.report_error, Connection.hang_up, Connection.end, Connection.spin),
    *(Connection.stop_reading, Connection.burst, Connection.start_daemon, Connection.ask_echo, Connection.relay),
    *(Connection.later, Connection.ask_child, Connection.wake_often, Connection.talk_nonsense),
]
(ANSWER, RAISE, HANG_UP, END, SPIN, STOP, BURST, DAEMON, ECHO, RELAY, LATER, CHILD, WAKE, NONSENSE) = range(len(ORDERS))


def main():
    with socket.create_server(("127.0.0.1", 0)) as server:
        report(listening=server.getsockname()[1], web=None)
        threading.Thread(target=read_lines, daemon=True).start()
        while True:
            Connection(server.accept()[0]).start()


def read_lines():
    for line in sys.stdin:
        request = json.loads(line)
        if request.get("call") == "fail":
            report(raised={"text": "ValueError: fail", "file": "/a/b.py", "line": 5})
        elif "call" in request:
            report(answered={"name": request["call"], "status": 200, "body": repr(request["arguments"])})
        report(done=True)


if __name__ == "__main__":
    main()
