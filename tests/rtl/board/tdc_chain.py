# SPDX-FileCopyrightText: The phasebench authors
# SPDX-License-Identifier: Apache-2.0
#
# The chain of the time-to-digital converter in the bits of a bitstream (rtl/board/pb_tdc_chain.v), read without yosys and nextpnr: one
# cell that the edge enters, then TAPS * STEP carry cells one above the other in a column, each of which only passes the carry on, without
# a break between tiles. Every STEP-th has a LUT that passes the carry, and a flip-flop of one global clock without enable and reset, whose
# output is used. The chain up to its last tap must be longer than a tick with the fastest delays that are known. Prints what is wrong; exit
# code 1 then. Usage: tdc_chain.py FILE.asc TAPS STEP CLOCK-MHZ, FILE.asc from iceunpack.
# helps: tests/rtl/board/run.sh
import sys

sys.path.insert(0, "/usr/share/fpga-icestorm/python")
import icebox  # noqa: E402

CELLS = 8                   # logic cells of a tile
PASS_CARRY = ["0"] * 8 + ["1"] * 8
# Delays in ps. Of the board that was measured: a carry cell, tiles included. Of the vendor's table for 25 C and 1.20 V: the faster
# direction, a cell and the way into the next tile; the vendor's formula makes it 0 C and 1.26 V.
MEASURED, VENDOR_CELL, VENDOR_TILE = 69.3, 93.5, 155.8


def slowness(celsius, volts):
    return (1.722e-4 * celsius + 0.996) / (-0.135 * volts * volts + 2.013 * volts - 1.223)


path, taps, step, clock_mhz = sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), float(sys.argv[4])
layout = icebox.iceconfig()
layout.read_file(path)
wrong = []


def cell_bits(cell):
    x, y, z = cell
    return icebox.get_lutff_bits(layout.tile(x, y), z)


def lut(cell):
    x, y, z = cell
    return icebox.get_lutff_lut_bits(layout.tile(x, y), z)


def has_flip_flop(cell):
    return cell_bits(cell)[9] == "1"


def is_set(tile, bit):
    row, column = (int(text) for text in bit.lstrip("!B").rstrip("]").split("["))
    return (layout.tile(*tile)[row][column] == "1") != bit.startswith("!")


def sources(tile, sink):
    """The nets of the tile that are switched onto this input."""
    return [entry[2] for entry in layout.tile_db(*tile) if entry[1] == "buffer" and entry[3] == sink and all(is_set(tile, bit) for bit in entry[0])]


def longest_run():
    runs, run = [], []
    for x in range(layout.max_x + 1):
        for y in range(layout.max_y + 1):
            for z in range(CELLS):
                if (x, y) in layout.logic_tiles and cell_bits((x, y, z))[8] == "1" and (not run or run[-1][0] == x):
                    run.append((x, y, z))
                elif run:
                    runs.append(run)
                    run = []
    return sorted(runs + [run], key=len)[-1]


chain = longest_run()
wanted = 1 + taps * step
# A carry that leaves the chain takes one cell more.
if len(chain) not in (wanted, wanted + 1):
    print(f"the longest run of carry cells in a column has {len(chain)}; 1 + {taps} * {step} = {wanted} are expected, and one more at most")
    sys.exit(1)
segments = list(layout.group_segments(set(layout.logic_tiles) | set(layout.io_tiles) | set(layout.ramb_tiles) | set(layout.ramt_tiles)))
net_of = {place: number for number, segment in enumerate(segments) for place in segment}


def net(cell, pin):
    return net_of.get((cell[0], cell[1], f"lutff_{cell[2]}/{pin}"))


def drivers(number):
    return [(x, y, int(name[6])) for x, y, name in segments[number] if name.startswith("lutff_") and name.endswith("/out")]


def is_one(number, visited=()):
    """Driven by one cell without flip-flop, whose LUT gives 1 whatever its inputs are. An input that is not connected is 0; one may be a 1
    that this cell, as a part of its wire, passes on."""
    found = drivers(number)
    if len(found) != 1 or has_flip_flop(found[0]) or number in visited:
        return False
    x, y, z = found[0]
    zeros = [pin for pin in range(4) if not sources((x, y), f"lutff_{z}/in_{pin}")]
    ones = [pin for pin in range(4) if pin not in zeros and is_one(net(found[0], f"in_{pin}"), (*visited, number))]
    values = [value for value in range(16) if not any(value >> pin & 1 for pin in zeros) and all(value >> pin & 1 for pin in ones)]
    return all(lut(found[0])[value] == "1" for value in values)


def passes_carry(cell):
    """One of its two inputs is 1 and the other 0: the carry out is the carry in."""
    inputs = [net(cell, f"in_{pin}") for pin in (1, 2) if sources(cell[:2], f"lutff_{cell[2]}/in_{pin}")]
    return len(inputs) == 1 and is_one(inputs[0])


clocks = set()
entry, cells = chain[0], chain[1:wanted]
if entry[2] != 0:
    wrong.append(f"the chain begins in cell {entry[2]} of its tile, not in the first")
level = {net(entry, "in_1"), net(entry, "in_2")}
if len(level) != 1 or None in level or len(drivers(level.pop())) != 1:
    wrong.append("both inputs of the first cell are not the observed level")
for place, cell in enumerate(cells):
    tile, z = cell[:2], cell[2]
    if not passes_carry(cell):
        wrong.append(f"cell {place} at {cell} does not only pass the carry on")
    if z == 0 and (sources(tile, "carry_in_mux") != ["carry_in"] or icebox.get_carry_bit(layout.tile(*tile)) == "1"):
        wrong.append(f"cell {place} at {cell} does not get its carry from the tile below")
    if place % step:
        if has_flip_flop(cell):
            wrong.append(f"cell {place} at {cell} has a flip-flop, and is no tap")
        continue
    carry = "carry_in_mux" if z == 0 else f"lutff_{z - 1}/cout"
    if lut(cell) != PASS_CARRY or sources(tile, f"lutff_{z}/in_3") != [carry]:
        wrong.append(f"tap {place // step} at {cell} has no LUT that passes the carry")
    if not has_flip_flop(cell) or "1" in cell_bits(cell)[18:20]:
        wrong.append(f"tap {place // step} at {cell} has no plain flip-flop")
    if sources(tile, "lutff_global/cen") or icebox.get_negclk_bit(layout.tile(*tile)) == "1":
        wrong.append(f"tap {place // step} at {cell} has a clock enable or the falling edge")
    clocks |= set(sources(tile, "lutff_global/clk"))
    used = [name for _, _, name in segments[net(cell, "out")] if "/in_" in name]
    if not used:
        wrong.append(f"tap {place // step} at {cell} is used by nothing")
if len(clocks) != 1 or not list(clocks)[0].startswith("glb_netwk_"):
    wrong.append(f"the taps have the clocks {sorted(clocks)}, not one global clock")

# To the last tap: an edge must be captured before it has passed that one.
last = (taps - 1) * step
tiles = cells[last - 1][1] - entry[1]
scale = slowness(0, 1.26) / slowness(25, 1.20)
tick = 1e6 / clock_mhz
for name, length in (("measured", last * MEASURED), ("vendor, 0 C and 1.26 V", scale * (last * VENDOR_CELL + tiles * VENDOR_TILE))):
    print(f"# {name}: {length / 1000:.2f} ns to the last tap, a tick is {tick / 1000:.2f} ns")
    if length <= tick:
        wrong.append(f"{name}: {length:.0f} ps to the last tap, a tick is {tick:.0f} ps")
print(f"# {len(cells)} cells from {cells[0]} to {cells[-1]}")
print("\n".join(wrong), end="\n" if wrong else "")
sys.exit(bool(wrong))
