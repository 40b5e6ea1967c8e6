#!/usr/bin/perl
# PySwitch of learning.py as a controller in Perl, with its three defects: an OpenFlow 1.0 controller of its own that
# knows nothing of sdnloom. A counterexample of the model can be confirmed on it:
#
#     sdnloom check examples/mac_learning/bug1.toml --trace-dir traces
#     sdnloom confirm traces/bug1.NoBlackHolesMobile.sdnloom-trace.json \
#         --controller-command "perl examples/mac_learning/learning.pl {port}"
use strict;
use warnings;
use IO::Select;
use IO::Socket::INET;
use Socket qw(IPPROTO_TCP TCP_NODELAY);

my ($HELLO, $ECHO_REQUEST, $ECHO_REPLY, $FEATURES_REQUEST) = (0, 2, 3, 5);
my ($PACKET_IN, $PACKET_OUT, $FLOW_MOD) = (10, 13, 14);
my ($FLOOD, $NO_PORT, $NO_BUFFER, $ANY_LENGTH, $IDLE_TIMEOUT) = (0xfffb, 0xffff, 0xffffffff, 0xffff, 5);
my $ALL_BUT_PORT_ADDRESSES_AND_TYPE = 0x3fffff & ~(0x01 | 0x04 | 0x08 | 0x10);    # the fields that a match ignores

$SIG{PIPE} = "IGNORE";    # a switch may close its connection at any time
my $port = shift // die "usage: learning.pl PORT\n";
my $server = IO::Socket::INET->new(LocalAddr => "127.0.0.1", LocalPort => $port, Listen => 20, ReuseAddr => 1)
    or die "127.0.0.1:$port: $@\n";
my $waiting = IO::Select->new($server);
my (%unread, %ports);    # of each connection: bytes of a message that is not whole; address -> port

while (my @ready = $waiting->can_read) {
    for my $socket (@ready) {
        if ($socket == $server) {
            my $switch = $server->accept or next;
            setsockopt $switch, IPPROTO_TCP, TCP_NODELAY, 1;    # short messages are sent at once
            $waiting->add($switch);
            ($unread{$switch}, $ports{$switch}) = ("", {});
            send_message($switch, $HELLO, 0, "");
        } elsif (sysread($socket, $unread{$socket}, 65536, length $unread{$socket})) {
            receive($socket);
        } else {
            $waiting->remove($socket);
            delete $unread{$socket};
            delete $ports{$socket};
            close $socket;
        }
    }
}

# Takes the whole messages of what was read.
sub receive {
    my ($switch) = @_;
    while (length $unread{$switch} >= 8) {
        my ($version, $type, $size, $xid) = unpack "CCnN", $unread{$switch};
        return if $size < 8 || length $unread{$switch} < $size;
        my $body = substr substr($unread{$switch}, 0, $size, ""), 8;
        if    ($type == $HELLO)        { send_message($switch, $FEATURES_REQUEST, 1, "") }
        elsif ($type == $ECHO_REQUEST) { send_message($switch, $ECHO_REPLY, $xid, $body) }
        elsif ($type == $PACKET_IN)    { packet_in($switch, $body) }
    }
}

# Learns the port of the sender. A packet to a known port gets an entry, any other one is flooded.
sub packet_in {
    my ($switch, $body) = @_;
    my ($buffer, $total, $in_port, $reason, $frame) = unpack "NnnCxa*", $body;
    return if length $frame < 14;
    my ($destination, $source, $kind) = unpack "a6a6n", $frame;
    $ports{$switch}{$source} = $in_port unless is_group($source);
    my $out = $ports{$switch}{$destination};
    if (is_group($destination) || !defined $out || $out == $in_port) {
        packet_out($switch, $buffer, $in_port, $FLOOD, $frame);
        return;
    }
    my $match = pack "Nna6a6x4nx4x8x4", $ALL_BUT_PORT_ADDRESSES_AND_TYPE, $in_port, $source, $destination, $kind;
    my $change = pack "x8nnnnNnn", 0, $IDLE_TIMEOUT, 0, 0x8000, $buffer, $NO_PORT, 0;    # no cookie; an addition
    send_message($switch, $FLOW_MOD, 0, $match . $change . output($out));
    packet_out($switch, $buffer, $in_port, $out, $frame) if $buffer == $NO_BUFFER;
}

# Sends a packet: the buffered one or, if the switch buffered none, its bytes.
sub packet_out {
    my ($switch, $buffer, $in_port, $out, $frame) = @_;
    my $head = pack "Nnn", $buffer, $in_port, 8;
    send_message($switch, $PACKET_OUT, 0, $head . output($out) . ($buffer == $NO_BUFFER ? $frame : ""));
}

sub output { return pack "nnnn", 0, 8, $_[0], $ANY_LENGTH }

sub is_group { return ord($_[0]) & 1 }

sub send_message {
    my ($switch, $type, $xid, $body) = @_;
    my $message = pack("CCnN", 1, $type, 8 + length $body, $xid) . $body;
    while (length $message) {
        my $sent = syswrite $switch, $message or return;
        substr $message, 0, $sent, "";
    }
}
