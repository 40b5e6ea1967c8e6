"""Counts when asked, and says when it starts anew."""

from os_ken.base import app_manager
from os_ken.controller import event
from os_ken.controller.handler import set_ev_cls


class CountRequest(event.EventRequestBase):
    def __init__(self, size):
        super().__init__()
        self.dst = "Counter"
        self.size = size


class CountReply(event.EventReplyBase):
    def __init__(self, dst, count):
        super().__init__(dst)
        self.count = count


class Reset(event.EventBase):
    pass


class WasReset(event.EventBase):
    pass


class Counter(app_manager.OSKenApp):
    _EVENTS = [WasReset]

    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        self.count = 0

    @set_ev_cls(CountRequest)
    def asked(self, request):
        self.count += request.size
        self.reply_to_request(request, CountReply(request.src, self.count))

    @set_ev_cls(Reset)
    def reset(self, ev):
        self.count = 0
        self.send_event_to_observers(WasReset())
