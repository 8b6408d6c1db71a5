# SPDX-FileCopyrightText: The phasebench authors
# SPDX-License-Identifier: Apache-2.0
#
# What a capture of slot frames must hold, by result.json and by docs/node.md; and a hostile capture. Used by pcap.sh.
#
#   pcap.py CHECK FIELDS RESULT      exit code 0: the fields that tshark read are those
#   pcap.py hostile FROM TO          writes a hostile capture, its interfaces those of FROM
#
# evidence: slot frames in Wireshark
#   simulated: every field that tshark reads equals the run's result, CRCs an independent computation;
#   hostile captures break nothing; tshark 4.0 only
#   also: test_slot_capture, test_transmissions
# helps: tests/record/cli/pcap.sh
import json
import random
import struct
import sys
from decimal import ROUND_HALF_UP, Decimal

NAMES = """time interface superframe phase link dimension sender receiver by_bench expected correct message source start_ps end_ps
frame finding framing_error cut codec frame_bytes destination sequence payload crc crc_status crc_expected hop hops hops_left
bytes_seen phases comment""".split()
PLACE = ("superframe", "phase", "link")


def read(path):
    rows = []
    for line in open(path):
        rows.append(dict(zip(NAMES, line.rstrip("\n").split("\t"))))
    return rows


def number(text):
    return int(text, 0)


def place(row):
    return tuple(number(row[key]) for key in PLACE)


def hex_of(address):
    return "0x%X" % address


def remainder(data, width, polynomial, initial):
    """Of the division of polynomials: the message times x^width, its first bits XOR the initial value."""
    bits = int.from_bytes(data, "big") << width
    length = 8 * len(data) + width
    bits ^= initial << (length - width)
    for at in range(length - 1, width - 1, -1):
        if bits >> at & 1:
            bits ^= (1 << width | polynomial) << (at - width)
    return bits


assert remainder(b"123456789", 8, 0x07, 0) == 0xF4
assert remainder(b"123456789", 16, 0x1021, 0xFFFF) == 0x29B1


def data_of(row):
    return bytes.fromhex(row["frame"])


def frame_of(row):
    """The frame without what follows it; None: it is not whole."""
    data, due = data_of(row), number(row["frame_bytes"])
    return data[:due] if len(data) >= due else None


def check_of(row):
    frame = frame_of(row)
    if number(row["codec"]) != 1:
        return frame[-1], remainder(frame[:-1], 8, 0x07, 0)
    return int.from_bytes(frame[-2:], "big"), remainder(frame[1:-2], 16, 0x1021, 0xFFFF)


def hops(rows, result):
    """Every hop that was seen, with the time of its phase by the nominal clock, as none of these runs has another."""
    seen = sorted((one for one in result["hops"] if one["seen"]), key=lambda one: tuple(one[key] for key in PLACE))
    assert len(rows) == len(seen) > 0, (len(rows), len(seen))
    got = sorted(rows, key=place)
    for row, one in zip(got, seen):
        for key in ("superframe", "phase", "link", "dimension", "start_ps", "end_ps"):
            assert number(row[key]) == one[key], (key, row, one)
        assert number(row["sender"]) == one["from"] and number(row["receiver"]) == one["to"], (row, one)
        assert row["by_bench"] == ("1" if one["sender"] == "bench" else "0"), (row, one)
        assert row["correct"] == ("1" if one["correct"] else "0"), (row, one)
        assert data_of(row).hex().upper() == one["bytes"] and number(row["bytes_seen"]) == one["byte_count"], (row, one)
        if one["message"] is None:
            assert row["message"] == row["source"] == "", (row, one)
        else:
            assert number(row["message"]) == one["message"] and number(row["source"]) == one["source"], (row, one)
            if one["correct"] and number(row["codec"]) != 2:
                assert number(row["destination"]) == one["destination"], (row, one)
        node = one["from"] if one["sender"] == "node" and row["interface"].find(hex_of(one["from"])) > 0 else one["to"]
        assert row["interface"] == "link %d, node %s dimension %d" % (one["link"], hex_of(node), one["dimension"]), (row, one)
    times(got, seen, result["settings"]["phase_ps"])


def times(rows, seen, phase_ps):
    """To the nanosecond: a phase of these runs is a whole number of ticks."""
    phases = number(rows[0]["phases"])  # of a superframe
    for row, one in zip(rows, seen):
        due_ps = (one["superframe"] * phases + one["phase"]) * phase_ps + one["start_ps"]
        assert Decimal(row["time"]) == (Decimal(due_ps) / 1000).quantize(0, ROUND_HALF_UP) / 10**9, (row, due_ps)


def crc(rows, _):
    checked = 0
    for row in rows:
        if frame_of(row) is None:
            assert row["crc_status"] == "", row
            continue
        checked += 1
        seen, due = check_of(row)
        assert number(row["crc"]) == seen, row
        assert row["crc_status"] == ("1" if seen == due else "0"), (row, seen, due)
        assert row["crc_expected"] == ("" if seen == due else row["crc_expected"]), row
        assert seen == due or number(row["crc_expected"]) == due, (row, due)
        frame = frame_of(row)
        if number(row["codec"]) == 2:
            assert (row["destination"], row["sequence"]) == ("", ""), row
            assert bytes.fromhex(row["payload"]) == frame[:-1], row
            continue
        if number(row["codec"]) == 0:
            destination, sequence, payload = frame[0] | (frame[1] & 15) << 8, frame[1] >> 4, frame[2:-1]
        else:
            destination, sequence, payload = frame[3] | frame[4] << 8, frame[1] & 15, frame[5:-2]
        assert (number(row["destination"]), number(row["sequence"])) == (destination, sequence), row
        assert bytes.fromhex(row["payload"]) == payload, row
    assert checked


def route(rows, _):
    """Walks the route of each message from its source, bit by bit from the lowest."""
    for row in rows:
        assert row["crc_status"] == "1"
        at, to, step = number(row["source"]), number(row["destination"]), 0
        path = []
        for dimension in range(16):
            if (at ^ to) >> dimension & 1:
                path.append((at, dimension))
                at ^= 1 << dimension
        step = path.index((number(row["sender"]), number(row["dimension"]))) + 1
        assert (number(row["hop"]), number(row["hops"]), number(row["hops_left"])) == (step, len(path), len(path) - step), row


def findings(rows, result):
    """Exactly the transmissions that a finding names by superframe, phase and link are marked, with its id as a comment."""
    named = {}
    for one in result["findings"]:
        if one["link"] is not None:
            named.setdefault((one["superframe"], one["phase"], one["link"]), []).append(one)
    for row in rows:
        of_row = named.get(place(row), [])
        assert row["finding"] == ("1" if of_row else "0"), (row, of_row)
        if of_row:
            assert any(row["comment"].startswith(one["id"]) for one in of_row), (row, of_row)
            assert any(one["seen"] in row["comment"] for one in of_row), (row, of_row)
        else:
            assert row["comment"] == "", row


def some_wrong_crc(rows, result):
    at = [row for row in rows if row["crc_status"] == "0"]
    assert at and all(row["finding"] == "1" and row["correct"] == "0" for row in at), at


def some_framing(rows, result):
    at = {place(row) for row in rows if row["framing_error"] == "1"}
    due = {(one["superframe"], one["phase"], one["link"]) for one in result["findings"] if one["id"] == "framing_error"}
    assert due and at == due, (at, due)


def some_cut(rows, _):
    at = [row for row in rows if row["cut"] == "1"]
    assert {number(row["superframe"]) for row in at} == {2, 4}, at
    assert all(len(data_of(row)) < number(row["frame_bytes"]) for row in at), at


def every(path, result):
    """Under full load each node of the rig sends in each of its phases, and is sent to in each other one."""
    rows = [tuple(int(text) for text in line.split("\t")) for line in open(path)]
    assert len(rows) == len(set(rows)) > len(result["hops"]) >= 5000, (len(rows), len(result["hops"]))
    words = result["reason"].split()
    assert int(words[words.index("transmissions") - 1]) == len(rows), (result["reason"], len(rows))


def block(kind, body):
    body += bytes(-len(body) % 4)
    return struct.pack("<II", kind, 12 + len(body)) + body + struct.pack("<I", 12 + len(body))


def hostile(source, target):
    """Heads cut anywhere, each byte of the head and of the frame at its extremes, and noise."""
    data, at, out, sample = open(source, "rb").read(), 0, b"", []
    while at < len(data):
        kind, length = struct.unpack_from("<II", data, at)
        if kind != 6 and kind != 5:
            out += data[at : at + length]
        if kind == 6:
            sample.append(data[at + 28 : at + 28 + struct.unpack_from("<I", data, at + 20)[0]])
        at += length
    draw, packets = random.Random(1), []
    good = sample[0]
    packets += [good[:count] for count in range(len(good))]
    for at in range(len(good)):
        packets += [good[:at] + bytes([value]) + good[at + 1 :] for value in (0, 1, 2, 0x7F, 0x80, 0xFF)]
    for _ in range(600):
        packets.append(bytes([1, 64]) + bytes(draw.choice((0, 1, 2, 0xFF, draw.randrange(256))) for _ in range(draw.randrange(220))))
    for frame_bytes in (0, 1, 2, 6, 7, 97, 255, 65535):
        for count in range(12):
            for codec in (0, 1):
                head = bytearray(good[:64])
                head[2] = codec
                head[18:20] = struct.pack("<H", frame_bytes)
                packets.append(bytes(head) + bytes([0xAA, 1, 255] * 4)[:count])
                head[56:60] = b"\xff\xff\xff\xff"
                packets.append(bytes(head) + bytes([0xAA, 1, 255] * 4)[:count])
    for time, packet in enumerate(packets):
        out += block(6, struct.pack("<IIIII", time % 12, 0, time, len(packet), len(packet) + time % 3 * 70000) + packet + bytes(-len(packet) % 4))
    open(target, "wb").write(out)


if sys.argv[1] == "hostile":
    hostile(sys.argv[2], sys.argv[3])
elif sys.argv[1] == "every":
    every(sys.argv[2], json.load(open(sys.argv[3])))
else:
    globals()[sys.argv[1]](read(sys.argv[2]), json.load(open(sys.argv[3])))
