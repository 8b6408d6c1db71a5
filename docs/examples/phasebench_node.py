# SPDX-FileCopyrightText: The phasebench authors
# SPDX-License-Identifier: Apache-2.0
"""A process node of phasebench in Python (docs/start/your-firmware.md): the protocol, UARTs at the pins, the slot codec,
phase tracking, console and test modes. A node of your own derives from Node and adds routing and queues; my_node.py is
one. Knows the binary cube and the slot codec. Times are integers, in picoseconds."""
import os
import random
import struct
import sys
from collections import namedtuple

Message = namedtuple("Message", "destination sequence payload")

FD, VERSION = 3, 1
HELLO, ADVANCE, ANSWER, END = 1, 2, 3, 4
ALIGN = 1
NEVER = 2**63 - 1
CLK, SYNC, NRST, RX = 1 << 12, 1 << 13, 1 << 14, 1 << 16  # inputs; bits 0 to 11: the links
TX = 1 << 12  # output; bits 0 to 11 pull a link low
SCHEDULE_MOST = 2000  # changes in one answer; the protocol allows 4096
LINE_MOST = 200  # characters of a console line
COUNTERS = """edges superframes alignment_errors missed_edges extra_edges rx_frames rx_crc_errors rx_length_errors
    rx_mark_errors rx_framing_errors rx_cut rx_bad_destinations delivered forwarded own_messages tx_frames tx_cut late_starts queue_drops
    max_queue max_stored console_lines console_errors""".split()


class Refusal(Exception):
    """The reason why a console line is answered with '-'."""


def crc8(data):
    """Polynomial 0x07, initial value 0, not reflected."""
    crc = 0
    for byte in data:
        crc ^= byte
        for _ in range(8):
            crc = (crc << 1 ^ (7 if crc & 0x80 else 0)) & 0xFF
    return crc


def encode(message):
    head = bytes([message.destination & 0xFF, message.sequence << 4 | message.destination >> 8])
    return head + message.payload + bytes([crc8(head + message.payload)])


def decode(frame):
    """None: the check value is wrong."""
    if crc8(frame):
        return None
    return Message(frame[0] | (frame[1] & 0x0F) << 8, frame[1] >> 4, frame[2:-1])


class Uart:
    """8N1 at a baud that a clock error shifts. Receives what `change` and `run` show of one line."""

    def __init__(self, baud, ppm):
        self.rate = 2 * baud * (1000000 + ppm)  # half bits a second, times 10^6
        self.listen(True)

    def halves(self, count):
        return count * 10**18 // self.rate

    def edges(self, start, data):
        """The levels of a run of bytes, as (time, level); its last entry is the end."""
        bits = [bit for byte in data for bit in (0, *(byte >> i & 1 for i in range(8)), 1)]
        level, edges = 1, []
        for at, bit in enumerate(bits):
            if bit != level:
                edges.append((start + self.halves(2 * at), bit))
            level = bit
        return edges + [(start + self.halves(2 * len(bits)), 1)]

    def listen(self, level):
        self.level, self.start, self.bits = level, None, []

    def end(self):
        """When the byte in progress ends: at the middle of its stop bit."""
        return NEVER if self.start is None else self.start + self.halves(19)

    def run(self, now):
        """Yields (value, stop bit was high) of a byte that ended by now."""
        while self.start is not None and self.start + self.halves(2 * len(self.bits) + 1) <= now:
            self.bits.append(self.level)
            if self.bits[0]:
                self.listen(self.level)  # noise
            elif len(self.bits) == 10:
                value, good = sum(bit << i for i, bit in enumerate(self.bits[1:9])), self.bits[9]
                self.listen(self.level)
                yield value, good

    def change(self, now, level):
        yield from self.run(now - 1)
        if self.start is None and self.level and not level:
            self.start = now
        self.level = level


class Node:
    """Derive from it and define reset, stored, queued, store, next_for and turn."""

    name = "python"

    def reset(self):
        """NRST has risen: nothing is queued."""
        raise NotImplementedError

    def turn(self, phase):
        """The port of a phase, and whether this node sends on it."""
        raise NotImplementedError

    def store(self, message):
        """Queues a message for another node. False: there is no room."""
        raise NotImplementedError

    def next_for(self, port):
        """Removes and returns the message that leaves now on this port, or None."""
        raise NotImplementedError

    def stored(self):
        """The number of messages queued."""
        raise NotImplementedError

    def queued(self, port):
        """The number of those that may leave on this port."""
        raise NotImplementedError

    # ---- phases

    def _edge(self, now, sync):
        """The handler of TDMA_CLK, `latency` after the edge."""
        count = self.count
        count["tx_cut"] += now < self.sending_to
        self.link_plan, self.pull = [], 0
        self._receive(self.link.run(now))
        count["rx_cut"] += self.port is not None and 0 < len(self.frame) < self.frame_bytes
        self.port = None
        self._judge_interval()
        due = 0 if self.phase in (None, self.phases - 1) else self.phase + 1
        count["edges"] += 1
        count["alignment_errors"] += self.phase is not None and sync != (due == 0)
        self.phase = 0 if sync else due or None
        count["superframes"] += self.phase == 0
        if self.phase is None:
            return
        port, sends = self.turn(self.phase)
        if sends:
            self._send(now, port)
        else:
            self.port, self.frame, self.done = port, b"", False
            self.link.listen(self.pins >> port & 1)

    def _judge_interval(self):
        elapsed = None if self.reference is None else self.edge_at - self.reference
        if elapsed is not None and elapsed <= self.period // 2:
            self.count["extra_edges"] += 1
            return
        if elapsed is not None:
            self.count["missed_edges"] += (elapsed - self.period // 2) // self.period
        self.reference = self.edge_at

    def _send(self, now, port):
        if self.mode == 2:
            message = Message(self.address ^ 1 << port, self.prbs_sequence, self._prbs())
            self.prbs_sequence = (self.prbs_sequence + 1) % 16
        else:
            message = self.echo[port].pop(0) if self.echo[port] else self.next_for(port)
        if message is None:
            return
        start = self.edge_at + self.head_guard
        self.count["late_starts"] += start < now
        self.count["tx_frames"] += 1
        edges = self.link.edges(max(start, now), encode(message))
        self.link_plan = [(at, 0 if level else 1 << port) for at, level in edges]
        self.sending_to = edges[-1][0]

    def _prbs(self):
        data = []
        for _ in range(self.payload_bytes):
            byte = 0
            for i in range(8):
                bit = (self.prbs >> 6 ^ self.prbs >> 5) & 1
                self.prbs = (self.prbs << 1 | bit) & 0x7F
                byte |= bit << i
            data.append(byte)
        return bytes(data)

    def _receive(self, got):
        for value, good in got:
            if self.port is None:
                continue
            if not good or self.done:
                self.count["rx_length_errors" if good else "rx_framing_errors"] += 1
                self.port = None
                continue
            self.frame += bytes([value])
            if len(self.frame) == self.frame_bytes:
                self.done = True
                self._take(decode(self.frame))

    def _take(self, message):
        count = self.count
        if message is None:
            count["rx_crc_errors"] += 1
            self.port = None
            return
        count["rx_frames"] += 1
        if self.mode == 1:
            self.echo[self.port].append(message)
            count["forwarded"] += 1
            self._measure_queues()
        elif message.destination >> self.digits:
            count["rx_bad_destinations"] += 1
        elif message.destination == self.address:
            count["delivered"] += 1
        else:
            count["forwarded"] += self._keep(message)

    def _keep(self, message):
        kept = self.store(message)
        self.count["queue_drops"] += not kept
        self._measure_queues()
        return kept

    def _measure_queues(self):
        echoes = [len(queue) for queue in self.echo]
        longest = max(self.queued(port) + echoes[port] for port in range(self.digits))
        self.count["max_queue"] = max(self.count["max_queue"], longest)
        self.count["max_stored"] = max(self.count["max_stored"], self.stored() + sum(echoes))

    # ---- console

    def _console_byte(self, now, value, good):
        if good and value == 10:
            line, self.line = self.line.removesuffix("\r"), ""
            self.count["console_lines"] += 1
            try:
                answer = self._command(line)
            except Refusal as refusal:
                self.count["console_errors"] += 1
                answer = f"-{refusal}"
            edges = self.console.edges(max(now, self.console_to), f"{answer}\n".encode())
            self.console_plan += edges[:-1]
            self.console_to = edges[-1][0]
        else:
            self.line += chr(value) if good else "\0"

    def _command(self, line):
        if len(line) > LINE_MOST:
            raise Refusal("long")
        if any(not " " <= c <= "~" for c in line):
            raise Refusal("character")
        words = line.split()
        if not words:
            raise Refusal("empty")
        commands = {"I": (0, 0), "S": (1, 2), "T": (0, 0), "Z": (0, 0), "M": (1, 1), "A": (1, 1)}
        least, most = commands.get(words[0], (1, 0))
        if least > most:
            raise Refusal("unknown")
        if not least <= len(words) - 1 <= most:
            raise Refusal("syntax")
        return getattr(self, "_command_" + words[0])(*words[1:])

    @staticmethod
    def _number(word, past):
        if any(c not in "0123456789abcdefABCDEF" for c in word):
            raise Refusal("syntax")
        if int(word, 16) >= past:
            raise Refusal("range")
        return int(word, 16)

    def _command_I(self):
        return f"+I node={self.name} addr={self.address:X} dims={self.digits:X} fw=1"

    def _command_S(self, destination, payload=""):
        if any(c not in "0123456789abcdefABCDEF" for c in destination + payload) or len(payload) % 2:
            raise Refusal("syntax")
        if len(payload) > 2 * self.payload_bytes:
            raise Refusal("length")
        data = bytes.fromhex(payload).ljust(self.payload_bytes, b"\0")
        message = Message(self._number(destination, 1 << self.digits), self.sequence, data)
        if message.destination == self.address:
            self.count["delivered"] += 1
        elif not self._keep(message):
            raise Refusal("full")
        self.count["own_messages"] += 1
        self.sequence = (self.sequence + 1) % 16
        return f"+S {message.sequence:X}"

    def _command_T(self):
        return "+T " + " ".join(f"{key}={value % 2**32:X}" for key, value in self.count.items())

    def _command_Z(self):
        self.count = dict.fromkeys(COUNTERS, 0)
        return "+Z"

    def _command_M(self, mode):
        self.mode = self._number(mode, 3)
        self.prbs, self.prbs_sequence = 0x7F, 0
        return f"+M {self.mode:X}"

    def _command_A(self, address):
        value = self._number(address, 1 << self.digits)
        if self.stored():
            raise Refusal("busy")
        self.address = value
        return f"+A {value:X}"

    # ---- pins

    def _boot(self):
        self.running = True
        self.address, self.sequence, self.mode, self.phase = self.strapped, 0, 0, None
        self.count = dict.fromkeys(COUNTERS, 0)
        self.echo = [[] for _ in range(12)]
        self.prbs, self.prbs_sequence = 0x7F, 0
        self.reference = self.handler_at = self.port = None
        self.frame, self.done, self.line, self.sending_to, self.console_to = b"", False, "", 0, 0
        self.console.listen(self.pins & RX != 0)
        self.reset()

    def _release(self):
        self.link_plan, self.console_plan, self.pull, self.tx = [], [], 0, TX

    def _next_timer(self):
        handler = NEVER if self.handler_at is None else self.handler_at
        return min(handler, self.console.end()) if self.running else NEVER

    def _run(self, now):
        while self._next_timer() <= now:
            at = self._next_timer()
            for value, good in self.console.run(at):
                self._console_byte(at, value, good)
            if self.handler_at == at:
                self.handler_at = None
                self._edge(at, self.pins & SYNC != 0)

    def _change(self, now, pins):
        self._run(now - 1)
        before, self.pins = self.pins, pins
        if not pins & NRST:
            self.running = False
            self._release()
            return
        if not self.running:
            self._boot()
        for value, good in self.console.change(now, pins & RX != 0):
            self._console_byte(now, value, good)
        if self.port is not None:
            self._receive(self.link.change(now, pins >> self.port & 1))
        if pins & ~before & CLK and self.handler_at is None:
            self.edge_at = now
            self.handler_at = now + self.latency + self.random.randint(0, self.jitter)
        self._run(now)

    def _plan(self, now):
        """The outputs now, and their changes from now on."""
        while self.link_plan and self.link_plan[0][0] <= now:
            self.pull = self.link_plan.pop(0)[1]
        while self.console_plan and self.console_plan[0][0] <= now:
            self.tx = TX * self.console_plan.pop(0)[1]
        pull, tx, changes = self.pull, self.tx, {}
        plan = [(at, False, pull) for at, pull in self.link_plan] + [(at, True, TX * level) for at, level in self.console_plan]
        for at, is_console, value in sorted(plan)[:SCHEDULE_MOST]:
            pull, tx = (pull, value) if is_console else (value, tx)
            changes[at] = pull | tx
        return changes

    # ---- protocol

    def _greet(self, body):
        (version, self.strapped, self.digits, *radix, rule, codec, push_pull, self.payload_bytes, rate, baud, console_baud, ppm,
         _, head, _, self.latency, self.jitter, seed) = struct.unpack("<IIB12BBBBIIIIiIqqqqQ", body)
        if version != VERSION or codec or push_pull or set(radix[:self.digits]) != {2}:
            sys.exit("this node knows version 1, the slot codec, the binary cube and open drain only")
        self.ecube, self.phases, self.frame_bytes = rule == 0, 2 * self.digits, self.payload_bytes + 3
        self.link, self.console = Uart(baud, ppm), Uart(console_baud, ppm)
        self.period, self.head_guard = 10**21 // (rate * (1000000 + ppm)), head * 1000000 // (1000000 + ppm)
        self.random = random.Random(seed)
        self.pins, self.running, self.edge_at, self.handler_at = CLK | RX, False, 0, None
        self._release()
        return struct.pack("<I", VERSION) + self.name.encode()

    def _advance(self, body):
        now, serial, _, pins, count, _ = struct.unpack_from("<qIIIIQ", body)
        for i in range(count):
            self._change(*struct.unpack_from("<qI", body, 32 + 16 * i))
        self._change(now, pins)
        changes = self._plan(now)
        last = max(changes) if len(self.link_plan) + len(self.console_plan) > SCHEDULE_MOST else NEVER
        idle = self.console.start is None
        answer = struct.pack("<qIIIIII", min(self._next_timer(), last), serial, NRST | CLK, NRST | (RX if idle else 0),
                             self.pull | self.tx, len(changes), 0)
        return answer + b"".join(struct.pack("<qII", at, pins, 0) for at, pins in changes.items())

    def run(self):
        """Serves the bench until END."""
        with os.fdopen(FD, "r+b", buffering=0) as raw:
            while True:
                size, kind = struct.unpack("<II", self._read(raw, 8))
                body = self._read(raw, size)
                if kind == END:
                    return
                answer = self._greet(body) if kind == HELLO else self._advance(body)
                raw.write(struct.pack("<II", len(answer), HELLO if kind == HELLO else ANSWER) + answer)

    @staticmethod
    def _read(raw, size):
        data = b""
        while len(data) < size:
            part = raw.read(size - len(data))
            if not part:
                sys.exit("the bench has gone")
            data += part
        return data
