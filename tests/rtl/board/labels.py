# SPDX-FileCopyrightText: The phasebench authors
# SPDX-License-Identifier: Apache-2.0
#
# Compares constraints with a table of the board that was typed from another source (tests/rtl/board/labels/), and with the rules of
# docs/start/wiring.md: each label is that of its FPGA pin, none is a supply, no input is on a net that something on the board loads, no pin can
# carry more than 20 mA, links and UART0_TX have a pull-up in the pad, NRST is never driven high, and what a node must see low while the
# FPGA loads is low against the pull-up that each pin then has. Prints what is wrong, one line each; exit code 1 then.
# Usage: labels.py FILE.pcf LABELS bench|node     node: the reference node, whose resistors are at the bench
# helps: tests/pictures.py
import re
import sys

VOLTS, MOST_MA = 3.3, 20.0     # iCE40 HX data sheet, absolute maximum: DC output current per pin
LOADING_MA, V_IL = 0.128, 0.8  # the same: pull-up of a pin before and during configuration, at most; and what an input takes as low
LOW = ("TDMA_CLK", "TDMA_SYNC", "BOOT0")
FTDI = "tests/rtl/board/labels/ftdi_fifo.txt"


def rows(path):
    for line in open(path, encoding="utf-8"):
        if not line.startswith("#"):
            yield [field.strip() for field in line.split(";")]


def ohms(text):
    """"33 on board + 180", "1k": the sum in ohms."""
    return sum(float(value) * (1000 if kilo else 1) for value, kilo in re.findall(r"([0-9.]+)(k?)", text))


path, table, role = sys.argv[1:4]
pins, loads = {}, {}
for label, pin, *load in rows(table):
    pins.setdefault(label, set()).add(pin)
    if load:
        loads[label] = load[0]
ftdi = dict(rows(FTDI))
used_pins, used_labels, count, wrong = {}, {}, 0, []
for number, line in enumerate(open(path, encoding="utf-8"), 1):
    if not line.startswith("set_io"):
        continue
    order, comment = line.split("#", 1)
    *options, signal, pin = order.split()[1:]
    fields = [field.strip() for field in comment.split(";")]
    if len(fields) != 5:
        wrong.append(f"{number}: five fields after #, not {len(fields)}")
        continue
    where, direction, pull, _, series = fields
    label = re.split(r",| and | to ", where)[0]
    name = signal.split("[")[0]
    count += 1

    def complain(text):
        wrong.append(f"{number}: {signal}: {text}")

    if label not in pins:
        complain(f"the board has no pin {label}")
    elif "supply" in pins[label]:
        complain(f"{label} is a supply of {loads[label]}")
    elif pin not in pins[label]:
        complain(f"{label} is FPGA pin {' or '.join(sorted(pins[label]))}, not {pin}")
    elif label in loads and not direction.startswith(("out", "sink")) and name != "CLK":
        complain(f"{label} is an input of the FPGA here, but the board has {loads[label]} on it")
    for key, known in ((pin, used_pins), (label if len(pins.get(label, ())) == 1 else signal, used_labels)):
        if key in known:
            complain(f"{key} is that of {known[key]}, too")
        known[key] = signal
    chip = re.search(r"\b([AB][CD]BUS[0-9])\b", where)
    if name.startswith("FIFO") and (not chip or ftdi.get(chip[1]) != signal):
        complain(f"{where}: that pin of the FTDI chip is {ftdi.get(chip[1], 'unknown') if chip else 'not named'}")

    in_pad = "yes" in options and "-pullup" in options
    strength = options[options.index("-pullup_resistor") + 1].lower() if "-pullup_resistor" in options else "weak"
    if in_pad != ("in the pad" in pull) or (in_pad and f"up {strength} in the pad" not in pull):
        complain(f"the options give {'a pull-up ' + strength if in_pad else 'no pull-up'} in the pad, the comment says {pull}")
    down = re.search(r"\bdown ([0-9.]+k?)", pull)
    if name in LOW and (not down or LOADING_MA / 1000 * ohms(down[1]) > V_IL):
        complain(f"pull {pull}: while the FPGA loads, its pull-up of {1000 * LOADING_MA:g} uA must leave the pin below {V_IL:g} V")
    if role == "bench":
        if (name == "LINK" or name == "UART0_TX") and not in_pad:
            complain("no pull-up in the pad: the pin of a bare board floats")
        if name == "NRST" and direction != "open drain":
            complain("is driven high: that feeds a node without supply")
        if name in ("LINK", "TDMA_CLK", "TDMA_SYNC", "NRST", "BOOT0", "UART0_RX", "UART0_TX"):
            if not ohms(series) or 1000 * VOLTS / ohms(series) > MOST_MA:
                complain(f"series resistor {series}: two drivers meet with more than {MOST_MA:g} mA")
        if name in ("UART0_RX", "UART0_TX", "BOOT0") and ohms(series) < 1000:
            complain(f"series resistor {series}: 1k limits what one side without supply gets from the other")
    elif name == "NRST" and not in_pad:
        complain("no pull-up: the bench does not drive NRST high")
print("\n".join(f"{path}:{text}" for text in wrong), end="\n" if wrong else "")
sys.exit(1 if wrong or not count else 0)
