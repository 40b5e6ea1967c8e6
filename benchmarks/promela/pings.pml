/*
 * NICE, figure 1: host A - (0) s1 (1) - (0) s2 (1) - host B. A sends N pings, B answers each, and a
 * central controller learns MAC addresses. Compile with -DN=1 to -DN=8.
 *
 * Each action is one d_step, so "states, stored" is the number of reachable states of the system and
 * nothing else. SPIN counts the initial state as a transition too: "transitions" is one too many.
 *
 * -DSPLIT   one process per group of dependent actions, with the claims that SPIN's partial-order
 *           reduction needs. Without it all actions are options of one process: the same states and
 *           transitions in a smaller vector.
 * -DVISIBLE scratch variables are no hidden ones, which pan does not support on several cores.
 * -DNO_END  a quiescent state is not a valid end state, so that `pan -c0` counts each as an error.
 */
#if N < 1 || N > 8
#error "N is 1 to 8: a message packs its buffer identifier in three bits"
#endif

/* Packets: ping i is i, and all replies are equal. Hosts: A is 0, B is 1. */
#define REPLY          15
#define SRC(packet)    ((packet) == REPLY)
#define DST(packet)    ((packet) != REPLY)

/* A buffered packet, never 0. Both messages to and from the controller carry a buffer identifier. */
#define STORED(packet, port)                ((packet) << 1 | (port))
#define PACKET_IN(buffer_id, packet, port)  ((buffer_id) << 5 | STORED(packet, port))
#define FLOOD(buffer_id)                    ((buffer_id) << 4)
#define FLOW(buffer_id, entry)              ((buffer_id) << 4 | (entry))

/* A flow table is a set of entries (src, dst, in_port, out_port), one bit each. With two hosts and two
   ports, and no entry that sends a packet back, src gives dst and in_port gives out_port. */
#define ENTRY(src, port)  (1 << (2 * (src) + (port)))

/* A MAC table has two bits for each host: 0 when unknown, otherwise its port + 1. */
#define LOCATION(mac, host)        (((mac) >> (2 * (host))) & 3)
#define LEARN(mac, host, port)     (((mac) & ~(3 << (2 * (host)))) | (((port) + 1) << (2 * (host))))

/* At most N packets exist at any time, a reply only after its ping: no queue holds more than N. */
chan a_in = [N] of { byte };
chan b_in = [N] of { byte };
chan s1_port0 = [N] of { byte };
chan s1_port1 = [N] of { byte };
chan s2_port0 = [N] of { byte };
chan s2_port1 = [N] of { byte };
chan s1_up = [N] of { byte };
chan s2_up = [N] of { byte };
chan s1_of = [N] of { byte };
chan s2_of = [N] of { byte };

/* `local` lets the reduction ignore a variable. It is true of all but b_pending, which two processes share:
   recv adds an identifier and reply removes another one, so these commute and neither disables the other. */
local byte a_sent, a_received;
local byte b_received;
local byte b_pending;            /* bit i: reply i + 1; the order of reception is the order of bits */
local byte s1_table, s2_table;
local byte s1_buffer[N], s2_buffer[N];
local byte s1_mac, s2_mac;

/* Scratch, zero between steps. The reduction takes a hidden variable for a shared one, hence the two forms. */
#if defined(SPLIT)
local byte packet, id, msg, to;
#elif defined(VISIBLE)
byte packet, id, msg, to;
#else
hidden byte packet, id, msg, to;
#endif
#define CLEAR  packet = 0; id = 0; msg = 0; to = 0

#define SEND(queue, message)  assert(nfull(queue)); queue!message

#define A_SEND \
  :: d_step { a_sent < N -> a_sent++; SEND(s1_port0, a_sent) }

#define A_RECV \
  :: d_step { a_in?packet -> a_received++; CLEAR }

#define B_RECV \
  :: d_step { b_in?packet -> \
       if \
       :: DST(packet) == 1 -> b_pending = b_pending | (1 << b_received); b_received++ \
       :: else \
       fi; \
       CLEAR }

#define B_REPLY(i) \
  :: d_step { b_pending & (1 << i) -> b_pending = b_pending & ~(1 << i); SEND(s2_port1, REPLY) }

#define REPLIES_1  B_REPLY(0)
#define REPLIES_2  REPLIES_1 B_REPLY(1)
#define REPLIES_3  REPLIES_2 B_REPLY(2)
#define REPLIES_4  REPLIES_3 B_REPLY(3)
#define REPLIES_5  REPLIES_4 B_REPLY(4)
#define REPLIES_6  REPLIES_5 B_REPLY(5)
#define REPLIES_7  REPLIES_6 B_REPLY(6)
#define REPLIES_8  REPLIES_7 B_REPLY(7)
#define PASTE(prefix, n)    prefix##n
#define REPLIES_UP_TO(n)    PASTE(REPLIES_, n)
#define B_REPLY_ANY         REPLIES_UP_TO(N)

/* The head of one port: forwarded, or stored in the lowest free buffer and shown to the controller. */
#define TAKE(queue, port, out, table, buffer, up) \
       if \
       :: nempty(queue) -> \
          queue?packet; \
          if \
          :: table & ENTRY(SRC(packet), port) -> SEND(out, packet) \
          :: else -> \
             id = 0; \
             do \
             :: buffer[id] -> id++ \
             :: else -> break \
             od; \
             buffer[id] = STORED(packet, port); \
             SEND(up, PACKET_IN(id, packet, port)) \
          fi \
       :: empty(queue) \
       fi

#define PROCESS_PKT(port0, port1, out0, out1, table, buffer, up) \
  :: d_step { nempty(port0) || nempty(port1) -> \
       TAKE(port0, 0, out1, table, buffer, up); \
       TAKE(port1, 1, out0, table, buffer, up); \
       CLEAR }

/* A flood and a new entry both send the packet out of the port it did not come from. */
#define PROCESS_OF(of, out0, out1, table, buffer) \
  :: d_step { of?msg -> \
       id = msg >> 4; \
       packet = buffer[id]; \
       assert(packet); \
       buffer[id] = 0; \
       table = table | (msg & 15); \
       if \
       :: packet & 1 -> SEND(out0, packet >> 1) \
       :: else -> SEND(out1, packet >> 1) \
       fi; \
       CLEAR }

#define HANDLE(up, of, mac) \
  :: d_step { up?msg -> \
       id = msg >> 5; \
       packet = (msg >> 1) & 15; \
       mac = LEARN(mac, SRC(packet), msg & 1); \
       to = LOCATION(mac, DST(packet)); \
       if \
       :: to && to != (msg & 1) + 1 -> SEND(of, FLOW(id, ENTRY(SRC(packet), msg & 1))) \
       :: else -> SEND(of, FLOOD(id)) \
       fi; \
       CLEAR }

#define S1_ACTIONS \
  PROCESS_PKT(s1_port0, s1_port1, a_in, s2_port0, s1_table, s1_buffer, s1_up) \
  PROCESS_OF(s1_of, a_in, s2_port0, s1_table, s1_buffer)
#define S2_ACTIONS \
  PROCESS_PKT(s2_port0, s2_port1, s1_port1, b_in, s2_table, s2_buffer, s2_up) \
  PROCESS_OF(s2_of, s1_port1, b_in, s2_table, s2_buffer)

#ifdef NO_END
#define LOOP(actions)  do actions od
#else
#define LOOP(actions)  end: do actions od
#endif

#ifdef SPLIT
/* No claims on the ports of a switch: process_pkt sees whether a port is empty, so a send to it does not
   commute with process_pkt. */
active proctype a_send()  { LOOP(A_SEND) }
active proctype a_recv()  { xr a_in; LOOP(A_RECV) }
active proctype b_recv()  { xr b_in; LOOP(B_RECV) }
active proctype b_reply() { LOOP(B_REPLY_ANY) }
active proctype s1()      { xs a_in; xr s1_of; xs s1_up; LOOP(S1_ACTIONS) }
active proctype s2()      { xs b_in; xr s2_of; xs s2_up; LOOP(S2_ACTIONS) }
active proctype handle1() { xr s1_up; xs s1_of; LOOP(HANDLE(s1_up, s1_of, s1_mac)) }
active proctype handle2() { xr s2_up; xs s2_of; LOOP(HANDLE(s2_up, s2_of, s2_mac)) }
#else
active proctype network() {
  LOOP(A_SEND A_RECV B_RECV B_REPLY_ANY S1_ACTIONS S2_ACTIONS
       HANDLE(s1_up, s1_of, s1_mac) HANDLE(s2_up, s2_of, s2_mac))
}
#endif
