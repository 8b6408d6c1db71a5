#!/bin/sh
# SPDX-FileCopyrightText: The phasebench authors
# SPDX-License-Identifier: Apache-2.0
#
# Tests what becomes of the core on a board: lint of the tops, pins of each bitstream, the synthesized netlist in simulation.
# What is on paper (constraints, tables, pictures) is compared by tests/pictures.py. Prints TAP. Usage, from the top of the tree, after `make bitstream`: run.sh BITSTREAM-DIR WORK-DIR
#
# evidence: bitstreams of four boards, two of them also with a FIFO, one with a converter
#   placed and routed: 12 links in 4,544 of a UP5K's 5,280 logic cells at 36 MHz, 16 links in 6,344 of an
#   HX8K's 7,680 at 96 MHz, line edges known to half a cycle; four netlists simulated at the pins; a
#   synthesized core runs the scenarios with the same bytes as the Verilog; no board has run one
#   also: make bitstream, make board-check, make netlist-check
# covers: rtl constraints bench/sim/sim_top.v
bits=${1:?usage: run.sh BITSTREAM-DIR WORK-DIR}
work=${2:?usage: run.sh BITSTREAM-DIR WORK-DIR}
mkdir -p "$work" || exit 4
log=$work/log
count=0

# point NAME STATUS
point() {
    count=$((count + 1))
    if [ "$2" -eq 0 ]; then
        echo "ok $count - $1"
    else
        echo "not ok $count - $1"
        [ ! -s "$log" ] || sed 's/^/#   /' "$log" | head -n 20
    fi
    : > "$log"
}

while read -r top parameters; do
    # shellcheck disable=SC2086 # several parameters
    verilator --lint-only -Wall $parameters -Irtl/core -Irtl/proto/gen -Irtl/node -Irtl/board "rtl/board/$top.v" > "$log" 2>&1
    point "$top${parameters:+ $parameters}: lint, with the generic pads" $?
    # The cells are declarations only.
    # shellcheck disable=SC2086
    verilator --lint-only -Wall $parameters +define+SYNTHESIS -Irtl/core -Irtl/proto/gen -Irtl/node -Irtl/board \
        tests/rtl/board/cells.v tests/rtl/board/pll_model.v "rtl/board/$top.v" --top-module "$top" > "$log" 2>&1
    point "$top${parameters:+ $parameters}: lint, with the vendor's cells" $?
done << LIST
icebreaker
icebreaker_fifo
hx8k_evn
hx8k_evn_fifo
hx8k_evn_fifo -GFAULTS=0 -GTDC_TAPS=48
alchitry_cu
icestick
LIST

for name in hx8k-evn-fifo hx8k-evn-tdc; do
    python3 tests/rtl/board/fifo_inputs.py "$bits/$name" hx8k_evn_fifo > "$log" 2>&1
    point "$name: each input of the FIFO passes three delays on its way to a flip-flop of the fabric, and is there in time" $?
done

# Every pin that a bitstream uses is in the constraints with the pull-up it has, and every constrained pin is used. The LED driver
# of a UP5K has pads of its own, in which nextpnr leaves the weak pull-up on: it pulls the same way as the LED.
while read -r name top chip package pll; do
    pcf=constraints/$top.pcf
    iceunpack "$bits/$name/$name.bin" "$work/$name.asc" > "$log" 2>&1 &&
        python3 tests/rtl/board/pins.py "$work/$name.asc" "$chip" "$package" $pll > "$work/$name.used" 2>> "$log" &&
        awk '/^set_io/ {sub(/ *#.*/, ""); r = /-pullup yes/ || / RGB\[/ ? "weak" : "none"; if (match($0, /-pullup_resistor [^ ]*/)) r = tolower(substr($0, RSTART + 17, RLENGTH - 17));
            print $NF, r}' "$pcf" | sort > "$work/$name.wanted" &&
        sort "$work/$name.used" | diff "$work/$name.wanted" - >> "$log"
    point "$name: the bitstream uses the pins of $pcf and no other, with its pull-ups" $?
done << LIST
icebreaker icebreaker 5k sg48
icebreaker-fifo icebreaker_fifo 5k sg48
hx8k-evn hx8k_evn 8k ct256 8k_0
hx8k-evn-fifo hx8k_evn_fifo 8k ct256 8k_0
hx8k-evn-tdc hx8k_evn_fifo 8k ct256 8k_0
alchitry-cu alchitry_cu 8k cb132 8k_1
icestick icestick 1k tq144
LIST
python3 tests/rtl/board/tdc_chain.py "$work/hx8k-evn-tdc.asc" 48 4 96 > "$log" 2>&1
point "hx8k-evn-tdc: the bitstream has 192 carry cells without a break and a flip-flop at every fourth, and they take longer than a tick" $?

# The same bench on the Verilog and on the netlist: what leaves the pins is the same, clock by clock.
simulate() { # TOP NAME SOURCES...
    bench=tb_$1 name=$2
    shift 2
    rm -f "$work/$name.dump"
    iverilog -g2005-sv -o "$work/$name.vvp" -I tests/rtl/board -I tests/rtl -I rtl/core -I rtl/proto/gen -s "$bench" "$@" "tests/rtl/board/$bench.v" > "$log" 2>&1 &&
        timeout 900 vvp -n "$work/$name.vvp" "+dump=$work/$name.dump" > "$log" 2>&1 && tail -n 1 "$log" | grep -qx "PASS $bench"
}
simulate icebreaker rtl -y rtl/core -y rtl/board -y rtl/proto/gen
point 'iCEBreaker: a run at the pins of the Verilog' $?
share=$(yosys-config --datdir 2> /dev/null || echo /usr/share/yosys)
# The PLLs there have no model: they are replaced by one.
sed -E '/^module SB_PLL40_(PAD|CORE) /,/^endmodule/d' "$share/ice40/cells_sim.v" > "$work/cells.v"
simulate icebreaker netlist -DNO_ICE40_DEFAULT_ASSIGNMENTS "$work/cells.v" tests/rtl/board/pll_model.v "$bits/icebreaker/icebreaker.netlist.v"
point 'iCEBreaker: the same run at the pins of the netlist' $?
cmp "$work/rtl.dump" "$work/netlist.dump" > "$log" 2>&1 && [ "$(wc -l < "$work/rtl.dump")" -gt 1000 ]
point 'iCEBreaker: Verilog and netlist agree on every pin in every clock' $?

# Ten replies of fifteen bytes.
fifo() { # BOARD TOP NAME [PARAMETERS OF THE BENCH...]
    board=$1 top=$2 label=$3
    shift 3
    simulate "$top" "$board.rtl" "$@" -y rtl/core -y rtl/board -y rtl/proto/gen
    point "$label: commands and replies at the pins of the Verilog" $?
    simulate "$top" "$board.netlist" "$@" -DNETLIST -DNO_ICE40_DEFAULT_ASSIGNMENTS "$work/cells.v" tests/rtl/board/pll_model.v "$bits/$board/$top.netlist.v"
    point "$label: the same at the pins of the netlist" $?
    cmp "$work/$board.rtl.dump" "$work/$board.netlist.dump" > "$log" 2>&1 && [ "$(wc -l < "$work/$board.rtl.dump")" -ge 150 ]
    point "$label: Verilog and netlist give the same bytes" $?
}
fifo hx8k-evn-fifo hx8k_evn_fifo 'HX8K-EVN with a FIFO'
fifo icebreaker-fifo icebreaker_fifo 'iCEBreaker with its FIFO'
tdc="-Ptb_hx8k_evn_fifo.FAULTS=0 -Ptb_hx8k_evn_fifo.TDC_TAPS=48"
# shellcheck disable=SC2086 # two arguments
fifo hx8k-evn-tdc hx8k_evn_fifo 'HX8K-EVN with a converter' $tdc
# The netlist once more with the vendor's delays of carry cells and LUTs, without which the oscillator would be a loop without delay. The
# delays of some other cells are beyond Icarus.
awk '/^module / {name = $2} /^[ \t]*specify/ {off = name != "SB_CARRY" && name != "SB_LUT4"} !off {print} /endspecify/ {off = 0}' "$work/cells.v" > "$work/cells_delay.v"
# shellcheck disable=SC2086
simulate hx8k_evn_fifo hx8k-evn-tdc.delays $tdc -gspecify -DICE40_HX -DDELAYS -DNETLIST -DNO_ICE40_DEFAULT_ASSIGNMENTS "$work/cells_delay.v" \
    tests/rtl/board/pll_model.v "$bits/hx8k-evn-tdc/hx8k_evn_fifo.netlist.v"
point "HX8K-EVN with a converter: on the netlist with delays, codes give the instants of edges to a tap, and those of the oscillator" $?

echo "1..$count"
