"""Does with its state what a packet says: each two bytes are an operation and its argument."""

from collections import defaultdict

from os_ken.base import app_manager
from os_ken.controller import ofp_event
from os_ken.controller.handler import CONFIG_DISPATCHER, MAIN_DISPATCHER, set_ev_cls
from os_ken.ofproto import ofproto_v1_0

SHARED = {}


class Box:
    def __init__(self):
        self.content = 0


class Toucher(app_manager.OSKenApp):
    OFP_VERSIONS = [ofproto_v1_0.OFP_VERSION]

    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        self.table = {0: 0}
        self.nested = {1: {0: 0}, 2: {}}
        self.lists = defaultdict(list)
        self.boxes = {0: Box(), 1: Box()}
        self.datapaths = {}
        self.count = 0
        self.other = None

    @set_ev_cls(ofp_event.EventOFPSwitchFeatures, CONFIG_DISPATCHER)
    def joined(self, ev):
        self.datapaths[ev.msg.datapath.id] = ev.msg.datapath

    @set_ev_cls(ofp_event.EventOFPPacketIn, MAIN_DISPATCHER)
    def packet_in(self, ev):
        datapath, data = ev.msg.datapath, ev.msg.data
        for operation, argument in zip(data[::2], data[1::2], strict=True):
            OPERATIONS[operation % len(OPERATIONS)](self, datapath, argument)

    def say(self, datapath, number):
        out = datapath.ofproto_parser.OFPActionOutput(number)
        datapath.send_msg(
            datapath.ofproto_parser.OFPPacketOut(datapath, datapath.ofproto.OFP_NO_BUFFER, 1, [out], b"data")
        )


def tell(me, datapath, key):
    me.say(datapath, me.table.get(key, 77))


def write(me, datapath, key):
    me.table[key] = 1


def delete(me, datapath, key):
    me.table.pop(key, None)


def count(me, datapath, key):
    me.say(datapath, len(me.table))


def step(me, datapath, key):
    me.count = (me.count + 1) % 4


def tell_count(me, datapath, key):
    me.say(datapath, me.count)


def learn(me, datapath, key):
    me.nested.setdefault(datapath.id, {})[key] = 1


def tell_learned(me, datapath, key):
    me.say(datapath, len(me.nested.get(key, ())))


def append(me, datapath, key):
    me.lists[key].append(1)


def tell_appended(me, datapath, key):
    me.say(datapath, len(me.lists[key]))


def fill(me, datapath, key):
    me.boxes.get(key, me.boxes[0]).content += 1


def share(me, datapath, key):
    me.boxes[key] = me.boxes[0]


def empty(me, datapath, key):
    if key in me.boxes and me.boxes[key].content > 1:
        me.say(datapath, me.boxes[key].content)
        me.boxes[key].content = 0


def alias(me, datapath, key):
    me.other = [me.table] if key % 2 else None


def write_alias(me, datapath, key):
    if me.other is not None:
        me.other[0][key] = 2


def tell_alias(me, datapath, key):
    me.say(datapath, 90 if me.other is None else me.other[0].get(key, 91))


def write_shared(me, datapath, key):
    SHARED[key] = 1


def ask(me, datapath, key):
    datapath.send_msg(datapath.ofproto_parser.OFPBarrierRequest(datapath))


def tell_ids(me, datapath, key):
    other = me.datapaths.get(key)
    me.say(datapath, other.xid if other is not None else 99)


def send_other(me, datapath, key):
    if key in me.datapaths:
        me.say(me.datapaths[key], 5)


def replace(me, datapath, key):
    me.table = dict.fromkeys(me.table, key)


def is_same(me, datapath, key):
    me.say(datapath, 1 + (me.boxes.get(key) is me.boxes[0]))


OPERATIONS = (
    *(tell, write, delete, count, step, tell_count, learn, tell_learned, append, tell_appended, fill, share, empty),
    *(alias, write_alias, tell_alias, write_shared, ask, tell_ids, send_other, replace, is_same),
)
