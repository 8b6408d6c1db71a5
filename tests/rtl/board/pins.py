# SPDX-FileCopyrightText: The phasebench authors
# SPDX-License-Identifier: Apache-2.0
#
# Prints each package pin whose pad a bitstream uses, and the pull-up in that pad: none, weak, 3p3k, 6p8k or 10k.
# Usage: pins.py FILE.asc CHIP PACKAGE [PLL] (1k tq144, 5k sg48, 8k ct256).
# A PLL that does not get its clock from the pad at its place takes the input of that pad, whose pin then does not count: PLL names it
# as icebox does (8k_0, 8k_1).
# helps: tests/rtl/board/run.sh
import sys

sys.path.insert(0, "/usr/share/fpga-icestorm/python")
import icebox  # noqa: E402

path, chip, package = sys.argv[1:4]
layout = icebox.iceconfig()
layout.read_file(path)
name_of = {(x, y, z): pin for pin, x, y, z in icebox.pinloc_db[f"{chip}-{package}"]}
taken = {tuple(icebox.pllinfo_db[name]["PLLOUT_A"]) for name in sys.argv[4:]}
# The bits of a pull-up are in the tile and at the number that icebox names, which may be those of another pad.
pull_of = {tuple(entry[0:3]): tuple(entry[3:6]) for entry in icebox.ieren_db[chip]}


def bit_set(tile, bit):
    """A bit of the tile at (x, y): "B3[7]", with ! in front when it counts inverted."""
    row, column = (int(text) for text in bit.lstrip("!B").rstrip("]").split("["))
    return (layout.tile(*tile)[row][column] == "1") != bit.startswith("!")


def pull_up(place):
    """Its enable bit counts inverted, by icebox's number; its strength, where there is a choice, is one of four bits by the pad's."""
    x, y, z = pull_of.get(place, place)
    bit = {entry[2]: entry[0][0] for entry in layout.tile_db(x, y) if entry[1] == "IoCtrl"}
    if bit_set((x, y), bit[f"REN_{z}"]):
        return "none"
    for strength, first in (("3p3k", 32), ("6p8k", 33), ("10k", 34)):
        name = f"cf_bit_{first + 4 * place[2]}"
        if name in bit and bit_set((x, y), bit[name]):
            return strength
    return "weak"


used = set()
for (x, y), rows in layout.io_tiles.items():
    kinds = {}
    for entry in layout.tile_db(x, y):
        if entry[1].startswith("IOB_") and len(entry) > 2 and entry[2].startswith("PINTYPE_"):
            z = int(entry[1][4])
            kinds[z] = kinds.get(z, 0) | bit_set((x, y), entry[0][0]) << int(entry[2][8:])
    used |= {(x, y, z) for z, kind in kinds.items() if kind}
# The driver of an RGB light takes its pads as they are.
for (kind, _), cell in icebox.extra_cells_db.get(chip, {}).items():
    if kind == "RGBA_DRV":
        x, y, name = cell["RGBA_DRV_EN"]
        if any(entry[-1] == name and bit_set((x, y), entry[0][0]) for entry in layout.tile_db(x, y)):
            used |= {cell[f"RGB{i}"] for i in range(3)}
for place in used - taken:
    if place in name_of:
        print(name_of[place], pull_up(place))
