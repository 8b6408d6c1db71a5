# SPDX-FileCopyrightText: The phasebench authors
# SPDX-License-Identifier: Apache-2.0
#
# The tables of docs/start/wiring.md between <!-- electrical --> and its end, recomputed. With --print it prints them. Usage:
# electrical.py [--print] docs/start/wiring.md
#
# Model: a pad is VOL = 0.4 V or VOH = 3.3 V - 0.4 V at 8 mA, so 50 ohm (iCE40 data sheets, LVCMOS33, worst case); the pull-up is at the node's
# end of the series resistor, to 3.3 V; the 10 kohm of a UP5K's pad is at the pad's end. A pin without supply holds at 0.6 V, a diode.
# helps: tests/pictures.py
import math
import sys

# While an FPGA loads, each of its pins has a pull-up of at most 128 uA (iCE40 data sheets). Inputs at 5 V are those of an ATmega: high from
# 0.6 of its supply on, which USB allows to be 5.25 V.
V, V_DIODE, R_PAD, R_PULL_PAD = 3.3, 0.6, 50.0, 10e3
I_LOADING, V_IL = 128e-6, 0.8
HIGH_AVR, SUPPLIES_AVR = 0.6, (5.0, 5.25)
PULLS = (1e3, 2.2e3, 4.7e3, 10e3)
SERIES = (180.0, 220.0, 253.0, 330.0)
LOADS = (20e-12, 50e-12, 100e-12, 200e-12)


def ohm(value):
    return f"{value / 1000:g} kΩ" if value >= 1000 else f"{value:g} Ω"


def low_at_node(series, pull):
    """The line at the node while the core pulls: nodes pad (a) and line (b), two equations."""
    # (V - a)/R_PULL_PAD + (b - a)/series = a/R_PAD;  (V - b)/pull = (b - a)/series
    g = 1 / series
    a11, a12, r1 = 1 / R_PULL_PAD + g + 1 / R_PAD, -g, V / R_PULL_PAD
    a21, a22, r2 = -g, 1 / pull + g, V / pull
    return (a11 * r2 - a21 * r1) / (a11 * a22 - a12 * a21)


def high_at_node(series, down):
    """The line at the node while the core drives it high."""
    return V * down / (down + series + R_PAD)


def spare(volts):
    return f"{volts:.2f} V to spare" if volts > 0 else f"{1000 * -volts:.0f} mV too low"


def table(head, rows):
    return ["| " + " | ".join(head) + " |", "|" + "---|" * len(head)] + ["| " + " | ".join(row) + " |" for row in rows]


def into_bench(links, series, console):
    """Current from a node with supply into a bench without one, mA: of one link, of all of them, of UART0_TX, of all."""
    link = 1000 * (V - V_DIODE) / (2.2e3 + series)
    tx = 1000 * (V - V_DIODE) / console
    return link, links * link, tx, links * link + tx


def into_node():
    """From a bench with supply into a node without one, mA: UART0_RX and the pull-ups in a UP5K's pads."""
    return 1000 * (V - V_DIODE) / 1033, 13 * 1000 * (V - V_DIODE) / R_PULL_PAD


def lines():
    yield "Low level at the node while the core pulls, at the worst VOL (0.4 V at 8 mA), and the current of two drivers against each other:"
    yield ""
    yield from table(
        ["series resistor", "two drivers, at most"] + [f"pull-up {ohm(pull)}" for pull in PULLS],
        [[ohm(s), f"{1000 * V / s:.1f} mA"] + [f"{low_at_node(s, pull):.2f} V" for pull in PULLS] for s in SERIES])
    yield ""
    yield "Time from a release to 2.0 V at the node, 0.93 R C:"
    yield ""
    yield from table(
        ["pull-up"] + [f"{c * 1e12:g} pF" for c in LOADS],
        [[ohm(r)] + [f"{1e9 * r * c * math.log(V / (V - 2.0)):.0f} ns" for c in LOADS] for r in PULLS])
    yield ""
    yield "Time from a pull to 0.8 V at the node through a pad of 50 Ω and the series resistor, pull-up 2.2 kΩ:"
    yield ""

    def fall(series, load):
        end = low_at_node(series, 2.2e3)
        r = 1 / (1 / (series + R_PAD) + 1 / 2.2e3)
        return 1e9 * r * load * math.log((V - end) / (0.8 - end))

    yield from table(["series resistor"] + [f"{c * 1e12:g} pF" for c in LOADS],
                     [[ohm(s)] + [f"{fall(s, c):.0f} ns" for c in LOADS] for s in SERIES])
    yield ""
    yield "`TDMA_CLK` and `TDMA_SYNC`, driven both ways through their series resistor: time to 2.0 V at the node:"
    yield ""
    yield from table(["series resistor"] + [f"{c * 1e12:g} pF" for c in LOADS],
                     [[ohm(s)] + [f"{1e9 * (s + R_PAD) * c * math.log(V / (V - 2.0)):.1f} ns" for c in LOADS] for s in (180.0, 220.0)])
    yield ""
    yield "Into a node without supply, through its protection diode (0.6 V):"
    yield ""
    yield from table(
        ["pin of the bench", "current"],
        [["`UART0_RX`, idle high, 1 kΩ", f"{1000 * (V - V_DIODE) / 1000:.1f} mA"],
         ["twelve links and `UART0_TX` by the 10 kΩ in a UP5K's pads", f"{13 * 1000 * (V - V_DIODE) / R_PULL_PAD:.1f} mA"],
         ["sixteen links and two `UART0_TX` by the pull-ups in an HX's pads, 128 µA each at most", f"{18 * 0.128:.1f} mA"],
         ["`TDMA_CLK` or `TDMA_SYNC` while driven high, 180 Ω", f"{1000 * (V - V_DIODE) / 180:.0f} mA each"],
         ["an iCEBreaker, all pins, no run", f"{sum(into_node()):.1f} mA"],
         ["`NRST` driven high through 33 Ω, as it was before it became open drain", f"{1000 * (V - V_DIODE) / 33:.0f} mA"]])
    yield ""
    yield "Bench off, node on: into an FPGA without supply, through its protection diodes (0.6 V), by pull-ups of 2.2 kΩ and the idle `UART0_TX`:"
    yield ""
    rows = []
    for board, links, series, console in (("iCEBreaker", 12, 253.0, 1033.0), ("HX8K-EVN, 12 links", 12, 220.0, 1000.0),
                                          ("HX8K-EVN, 16 links with pull-ups", 16, 220.0, 1000.0)):
        link, all_links, tx, all_pins = into_bench(links, series, console)
        rows.append([board, f"{link:.1f} mA", f"{V_DIODE + link * series / 1000:.2f} V", f"{all_links:.1f} mA", f"{tx:.1f} mA",
                     f"{all_pins:.1f} mA"])
    yield from table(["bench", "each link", "a sound link shows", "all links", "`UART0_TX`", "all"], rows)
    yield ""
    yield f"While the FPGA loads, its pull-ups of at most 128 µA per pin against a pull-down; an input takes {V_IL:g} V as low:"
    yield ""
    yield from table([f"pull-down {ohm(r)}" for r in PULLS], [[f"{r * I_LOADING:.2f} V" for r in PULLS]])
    yield ""
    yield ("High level of a driven pin with its pull-down of 4.7 kΩ, at the worst VOH (0.4 V below 3.3 V at 8 mA), and what an ATmega at 5 V "
           "needs:")
    yield ""
    yield from table(
        ["pin", "3.3 V inputs", "at 5 V, high from 3.00 V", "at 5.25 V, high from 3.15 V"],
        [[name, f"{level:.2f} V"] + [spare(level - HIGH_AVR * supply) for supply in SUPPLIES_AVR]
         for name, level in (("`TDMA_CLK`, `TDMA_SYNC`, 180 Ω", high_at_node(180, 4.7e3)), ("the same with 10 kΩ", high_at_node(180, 10e3)))]
        + [["`BOOT0`, 1 kΩ", f"{high_at_node(1000, 4.7e3):.2f} V", "-", "-"]])


def main():
    if sys.argv[1] == "--print":
        print("\n".join(lines()))
        return 0
    text = open(sys.argv[1], encoding="utf-8").read()
    there = text.split("<!-- electrical -->\n")[1].split("\n<!-- end of electrical -->")[0].split("\n")
    wanted = list(lines())
    for number, (a, b) in enumerate(zip(there + [""] * len(wanted), wanted)):
        if a != b:
            print(f"line {number + 1} of the tables is\n  {a}\nand should be\n  {b}")
    return there != wanted


sys.exit(main())
