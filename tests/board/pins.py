# SPDX-FileCopyrightText: The phasebench authors
# SPDX-License-Identifier: Apache-2.0
#
# Prints the package pins whose pads a bitstream uses. Usage: pins.py FILE.asc CHIP PACKAGE [PLL] (1k tq144, 5k sg48, 8k ct256).
# A PLL that does not get its clock from the pad at its place takes the input of that pad, whose pin then does not count: PLL names it
# as icebox does (8k_0, 8k_1).
import sys

sys.path.insert(0, "/usr/share/fpga-icestorm/python")
import icebox  # noqa: E402

path, chip, package = sys.argv[1:4]
layout = icebox.iceconfig()
layout.read_file(path)
name_of = {(x, y, z): pin for pin, x, y, z in icebox.pinloc_db[f"{chip}-{package}"]}
taken = {tuple(icebox.pllinfo_db[name]["PLLOUT_A"]) for name in sys.argv[4:]}
for (x, y), rows in sorted(layout.io_tiles.items()):
    bits = {}
    for entry in layout.tile_db(x, y):
        if entry[1].startswith("IOB_") and len(entry) > 2 and entry[2].startswith("PINTYPE_"):
            (bit,) = entry[0]
            where = bit.lstrip("!")[1:].split("[")
            row, column = int(where[0]), int(where[1].rstrip("]"))
            set_ = (rows[row][column] == "1") != bit.startswith("!")
            z = int(entry[1][4])
            bits[z] = bits.get(z, 0) | set_ << int(entry[2][8:])
    for z, pintype in bits.items():
        if pintype and (x, y, z) in name_of and (x, y, z) not in taken:
            print(name_of[(x, y, z)])
