"""Keeps state wherever Python lets it: attributes, a class, a module, a closure, a default, a counter, a cache."""

import collections
import functools
import itertools
import random
import time

from os_ken.base import app_manager
from os_ken.controller import ofp_event
from os_ken.controller.handler import DEAD_DISPATCHER, MAIN_DISPATCHER, set_ev_cls

SEEN = {}
NUMBERS = itertools.count(1)


def remember(what, log=[]):
    log.append(what)
    del log[:-2]
    return len(log)


def counting():
    total = 0

    def add(number):
        nonlocal total
        total = (total + number) % 5
        return total

    return add


@functools.lru_cache(maxsize=2)
def slow(number):
    return number * 2


class Keeper(app_manager.OSKenApp):
    latest = None
    waiting = set()

    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        self.queue = collections.deque(maxlen=3)
        self.by_port = collections.defaultdict(list)
        self.add = counting()
        self.datapaths = {}

    @set_ev_cls(ofp_event.EventOFPStateChange, [MAIN_DISPATCHER, DEAD_DISPATCHER])
    def change(self, ev):
        if ev.state == MAIN_DISPATCHER:
            self.datapaths[ev.datapath.id] = ev.datapath
        else:
            self.datapaths.pop(ev.datapath.id, None)

    @set_ev_cls(ofp_event.EventOFPPacketIn, MAIN_DISPATCHER)
    def packet_in(self, ev):
        size = len(ev.msg.data)
        datapath = ev.msg.datapath
        datapath.last_size = size
        SEEN[size] = SEEN.get(size, 0) + next(NUMBERS) % 3
        Keeper.latest = slow(size)
        self.waiting ^= {size}
        self.queue.append((remember(size), self.add(size), time.time()))
        self.by_port[ev.msg.match["in_port"]][:] = [random.randint(0, 3)]
        if size % 2:
            for each in self.datapaths.values():
                each.send_msg(each.ofproto_parser.OFPBarrierRequest(each))
        out = datapath.ofproto_parser.OFPActionOutput(1 + SEEN[size] % 4)
        datapath.send_msg(datapath.ofproto_parser.OFPPacketOut(datapath, ev.msg.buffer_id, 1, [out], ev.msg.data))

    @set_ev_cls(ofp_event.EventOFPBarrierReply, MAIN_DISPATCHER)
    def barrier(self, ev):
        self.add(ev.msg.xid)
