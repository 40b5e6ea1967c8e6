"""An app that does to its process what apps out there do: servers, threads, signals, commands, random numbers."""

import atexit
import gc
import http.server
import logging
import multiprocessing
import os
import random
import secrets
import signal
import socket
import subprocess
import sys
import threading
import time
import uuid
import warnings
from concurrent.futures import ThreadPoolExecutor

import numpy
from os_ken.base import app_manager
from os_ken.controller import ofp_event
from os_ken.controller.handler import MAIN_DISPATCHER, set_ev_cls
from os_ken.lib import hub

hub.patch()
logging.basicConfig(level=logging.DEBUG)
logging.getLogger().setLevel(logging.ERROR)
logging.disable(logging.DEBUG)
warnings.simplefilter("error")
sys.setrecursionlimit(4321)
sys.path.append("/nowhere")
sys.stdin = None
os.environ["WILD"] = "1"
os.umask(0)
os.chdir("/")
os.nice(5)
gc.disable()
signal.signal(signal.SIGTERM, lambda number, frame: print("asked to end"))
signal.signal(signal.SIGINT, signal.SIG_IGN)
atexit.register(print, "the end")
print("loaded in", os.getcwd(), "by", os.getpid())


class Wild(app_manager.OSKenApp):
    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        self.seen = []
        self.web = http.server.ThreadingHTTPServer(("", 8080), http.server.BaseHTTPRequestHandler)
        self.thread = threading.Thread(target=self.web.serve_forever, daemon=True)
        self.thread.name = "web"
        self.thread.start()
        self.udp = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.udp.bind(("0.0.0.0", 514))
        hub.spawn(self.listen)
        hub.spawn(hub.StreamServer(("127.0.0.1", 6654), print).serve_forever)

    def listen(self):
        threading.current_thread().name = "listener"
        while True:
            self.seen.append(self.udp.recvfrom(100))

    @set_ev_cls(ofp_event.EventOFPPacketIn, MAIN_DISPATCHER)
    def packet_in(self, ev):
        size = len(ev.msg.data)
        print("packet of", size)
        self.logger.info("at %s", time.time())
        act = getattr(self, f"do_{size}", None)
        if act is not None:
            act()

    def do_61(self):
        self.seen = [random.random(), numpy.random.rand(), str(uuid.uuid4()), secrets.token_hex(4), os.urandom(4)]
        self.seen.append(numpy.random.default_rng().random())

    def do_62(self):
        for act in (
            lambda: socket.create_connection(("10.0.0.1", 80)),
            lambda: socket.gethostbyname("example.org"),
            lambda: subprocess.run(["ip", "link"], check=True),
            lambda: multiprocessing.Process(target=print).start(),
            lambda: os.kill(4711, signal.SIGTERM),
            os.fork,
        ):
            try:
                act()
            except OSError as error:
                self.seen.append(str(error))
        self.seen += [os.system("true"), os.popen("date").read(), subprocess.getoutput("date")]

    def do_63(self):
        with ThreadPoolExecutor(2) as pool:
            self.seen = list(pool.map(lambda number: number + 1, [1, 2]))

    def do_64(self):
        os.kill(os.getpid(), signal.SIGTERM)
        self.seen.append("went on")

    def do_65(self):
        try:
            os.kill(os.getpid(), signal.SIGKILL)
        except BaseException:
            while True:
                pass
        finally:
            print("never reached")

    def do_66(self):
        exit(3)

    def do_67(self):
        signal.signal(signal.SIGUSR1, print)

    def do_68(self):
        os._exit(1)
