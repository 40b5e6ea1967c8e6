"""Ryu's simple_switch_13 with its entries in table 1: table 0 belongs to rest_qos, as the Ryu book has it."""

from ryu.app import simple_switch_13


class QosSwitch13(simple_switch_13.SimpleSwitch13):
    def add_flow(self, datapath, priority, match, actions, buffer_id=None):
        ofproto, parser = datapath.ofproto, datapath.ofproto_parser
        datapath.send_msg(
            parser.OFPFlowMod(
                datapath,
                table_id=1,
                priority=priority,
                match=match,
                buffer_id=ofproto.OFP_NO_BUFFER if buffer_id is None else buffer_id,
                instructions=[parser.OFPInstructionActions(ofproto.OFPIT_APPLY_ACTIONS, actions)],
            )
        )
