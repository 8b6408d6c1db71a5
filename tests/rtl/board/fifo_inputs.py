# SPDX-FileCopyrightText: The phasebench authors
# SPDX-License-Identifier: Apache-2.0
#
# The inputs of a synchronous FIFO in a synthesized top: each goes from its pad, without a register there, through three cells that only
# delay to one flip-flop of the FIFO's clock (rtl/board/pb_fifo_pads.v). Both corners: the shortest path that such cells can have is longer
# than the hold time of the data sheet (hold), and by the layout's delays all are there in time (setup). Prints what is wrong; exit code 1
# then. Usage: fifo_inputs.py DIR TOP, DIR with TOP.json, report.txt and nextpnr.SEED.log.
# helps: tests/rtl/board/run.sh
import json
import re
import sys

PERIOD, CHIP, OUTSIDE = 1000 / 60, 9.0, 1.0    # ns: CLKOUT; data after it at most; wires and input buffer
# ns, iCE40 HX8K at its slow corner. Hold time of an input register behind a global clock: data sheet, external switching characteristics.
# Pad, LUT and shortest net, for a falling edge, the faster one: icestorm, timings_hx8k.txt (PRE_IO, LogicCell40, LocalMux and InMux). At
# another corner all four shrink alike. LEAST: what has to be left.
HOLD, PAD, LUT, NET, LEAST = 2.38, 0.463, 0.386, 0.308 + 0.217, 1.0
DELAYS = 3
folder, top = sys.argv[1:3]
module = json.load(open(f"{folder}/{top}.json", encoding="utf-8"))["modules"][top]
sinks, clock, wrong = {}, None, []
for name, cell in module["cells"].items():
    for port, bits in cell["connections"].items():
        if cell["port_directions"][port] == "input" or port == "PACKAGE_PIN":
            for bit in bits:
                sinks.setdefault(bit, []).append((cell, port))
    if cell["type"] == "SB_GB_IO":
        clock = cell["connections"]["GLOBAL_BUFFER_OUTPUT"][0]


def only_sink(label, bit, kinds, port):
    found = [(cell, at) for cell, at in sinks.get(bit, []) if at != "PACKAGE_PIN"]
    if len(found) != 1 or not found[0][0]["type"].startswith(kinds) or found[0][1] != port:
        wrong.append(f"{label}: feeds {', '.join(cell['type'] + '.' + at for cell, at in found) or 'nothing'}, not one {kinds}.{port}")
        return None
    return found[0][0]


inputs = {f"FIFO_D[{i}]": bit for i, bit in enumerate(module["ports"]["FIFO_D"]["bits"])}
inputs |= {name: module["ports"][name]["bits"][0] for name in ("FIFO_RXF_N", "FIFO_TXE_N")}
for label, bit in inputs.items():
    pad = [cell for cell, port in sinks.get(bit, []) if port == "PACKAGE_PIN"]
    if pad:
        if not pad[0]["parameters"]["PIN_TYPE"].endswith("01"):
            wrong.append(f"{label}: a register in the pad")
        bit = pad[0]["connections"]["D_IN_0"][0]
    for kind, port, out in [("SB_LUT4", "I0", "O")] * DELAYS + [("SB_DFF", "D", "Q")]:
        cell = only_sink(label, bit, kind, port)
        if not cell:
            break
        if kind == "SB_DFF" and cell["connections"]["C"][0] != clock:
            wrong.append(f"{label}: its flip-flop has another clock than the FIFO's")
        bit = cell["connections"][out][0]
left = PAD + DELAYS * LUT + (DELAYS + 1) * NET - HOLD
if left < LEAST:
    wrong.append(f"hold: {left:.2f} ns are left with {DELAYS} delay cells; {LEAST:.1f} ns at least")
seed = re.search(r"^seed +(\d+)", open(f"{folder}/report.txt", encoding="utf-8").read(), re.M)[1]
log = open(f"{folder}/nextpnr.{seed}.log", encoding="utf-8").read()
delays = re.findall(r"Max delay <async> *-> posedge ft_clk[^:]*: ([0-9.]+) ns", log)
if not delays or float(delays[-1]) > PERIOD - CHIP - OUTSIDE:
    wrong.append(f"pads to flip-flops take {delays[-1:] or 'an unknown time'} ns; {PERIOD - CHIP - OUTSIDE:.1f} ns at most")
print("\n".join(wrong), end="\n" if wrong else "")
sys.exit(bool(wrong))
