#!/bin/sh
# SPDX-FileCopyrightText: The phasebench authors
# SPDX-License-Identifier: Apache-2.0
#
# Makes the bitstream of one board, and build/bitstream/BOARD/report.txt with its resources and its clock rate. Usage, from the top of
# the tree: bitstream.sh BOARD OUT-DIR. Keeps the fastest layout of the seeds in SEEDS. It must be MARGIN % faster than each of its
# clocks, or there is no bitstream. Without SEEDS: 1 to 3, then 4 to 16 until a layout is fast enough. LIMIT: seconds for each run of a tool.
board=${1:?usage: bitstream.sh BOARD OUT-DIR}
dir=${2:?usage: bitstream.sh BOARD OUT-DIR}
given=${SEEDS:+yes} SEEDS=${SEEDS:-1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16} MARGIN=${MARGIN:-5} LIMIT=${LIMIT:-900}
node= fifo_mhz= parameters= loops=
# Top, device of yosys, device and package of nextpnr, clock in MHz, clock of a synchronous FIFO (the net ft_clk); parameters of the top that
# differ from its defaults. loops: the oscillator of the converter is a loop on purpose (rtl/board/pb_tdc_chain.v).
case $board in
icebreaker)  top=icebreaker  family=u  device=--up5k package=sg48  mhz=36 ;;
icebreaker-fifo) top=icebreaker_fifo family=u device=--up5k package=sg48 mhz=36 ;;
hx8k-evn)    top=hx8k_evn    family=hx device=--hx8k package=ct256 mhz=96 ;;
hx8k-evn-fifo) top=hx8k_evn_fifo family=hx device=--hx8k package=ct256 mhz=96 fifo_mhz=60 ;;
hx8k-evn-tdc) top=hx8k_evn_fifo family=hx device=--hx8k package=ct256 mhz=96 fifo_mhz=60
    parameters="-set FAULTS 0 -set TDC_TAPS 48" loops=--ignore-loops ;;
alchitry-cu) top=alchitry_cu family=hx device=--hx8k package=cb132 mhz=96.25 ;;
icestick)    top=icestick    family=hx device=--hx1k package=tq144 mhz=12 node=yes ;;
*)
    echo "phasebench: no board $board; use" $(sed -n 's/^\([a-z0-9-]*\)) *top=.*/\1/p' "$0") >&2
    exit 2
    ;;
esac
mkdir -p "$dir" || exit 4
rm -f "$dir"/*.bin "$dir/report.txt"

sources="rtl/proto/gen/pb_regfile.v $(echo rtl/core/*.v) rtl/board/pb_*.v"
[ -z "$node" ] || sources="$(echo rtl/node/*.v) rtl/board/pb_pad.v"
# The mapper's longer script makes the smallest netlist. On an HX FPGA its third round fails an assertion, and yosys continues with the
# result of the second one. So the script for HX has two rounds. On the HX8K a wire between two cells takes about 1 ns. The mapper assumes
# 250 ps and would then prefer a long chain of cells to an adder. Its wire delay for the UP5K is correct.
round='&unmap;&if,{C},{W},{D},{R},-v;&save;&load'
script='-copy abc9.script.flow abc9.script' wire=
[ $family = u ] || script="-set abc9.script \"+&scorr;&sweep;&dch,-C,500;$round;&mfs;&st;&dsdb;$round\""
[ $device != --hx8k ] || wire='scratchpad -set synth_ice40.abc9.W 1000;'
# Flip-flops with different clock enables cannot share a tile, so small groups get none.
if ! timeout "$LIMIT" yosys -q -l "$dir/yosys.log" -p "read_verilog -Irtl/core -Irtl/proto/gen $sources rtl/board/$top.v;
    ${parameters:+chparam $parameters $top;}
    scratchpad $script; $wire
    synth_ice40 -dffe_min_ce_use 6 -abc9 -device $family -top $top -json $dir/$top.json;
    write_verilog -noattr $dir/$top.netlist.v" > "$dir/yosys.out" 2>&1; then
    echo "phasebench: $board: synthesis failed: $(grep -m 1 ERROR "$dir/yosys.out"), see $dir/yosys.log" >&2
    exit 1
fi
grep -m 1 Warning "$dir/yosys.out" # a pass of the synthesis was not executed as configured

# Clock domains that are not the core's: of the FIFO, and those inside the converter.
others="ft_clk\|g_tdc\|tdc_set"
# fmax LOG: rate of the core clock after routing, MHz; fifo_fmax LOG: of the FIFO clock
fmax() {
    sed -n "/$others/d; s/^.*Max frequency for clock.*: \([0-9.]*\) MHz.*/\1/p" "$1" | tail -n 1
}
fifo_fmax() {
    sed -n "s/^.*Max frequency for clock *'ft_clk.*: \([0-9.]*\) MHz.*/\1/p" "$1" | tail -n 1
}
# enough REACHED REQUIRED: true if REACHED is at least MARGIN % faster
enough() {
    awk "BEGIN {exit !($1 >= $2 * (1 + $MARGIN / 100))}"
}
# A placement denser than the default (0.9) has shorter wires and gains some percent of the clock rate. So does a higher weight of the
# critical path than the default (10): other nets then pull its cells apart less.
density="--placer-heap-beta 0.95" weight="--placer-heap-timingweight 20" constraints=
if [ -n "$fifo_mhz" ]; then
    echo "ctx.addClock('ft_clk', $fifo_mhz)" > "$dir/clocks.py"
    constraints="--pre-pack $dir/clocks.py"
fi
best=0 seed_of_best=none tried=
for seed in $SEEDS; do
    if [ -z "$given" ] && [ "$seed" -gt 3 ] && enough "$best" $mhz; then
        break
    fi
    tried="$tried${tried:+ }$seed"
    log=$dir/nextpnr.$seed.log
    timeout "$LIMIT" nextpnr-ice40 $device --package $package --json "$dir/$top.json" --pcf "constraints/$top.pcf" \
        $constraints $density $weight --freq $mhz --seed "$seed" --timing-allow-fail $loops --asc "$dir/$top.$seed.asc" > "$log" 2>&1
    code=$?
    if [ $code -ne 0 ]; then
        echo "  seed $seed: $([ $code -eq 124 ] && echo "no layout in $LIMIT s" || grep -m 1 ERROR "$log")"
        continue
    fi
    f=$(fmax "$log")
    echo "  seed $seed: $f MHz${fifo_mhz:+, FIFO $(fifo_fmax "$log") MHz}"
    if [ -n "$fifo_mhz" ] && ! enough "$(fifo_fmax "$log")" $fifo_mhz; then
        continue
    fi
    if awk "BEGIN {exit !($f > $best)}"; then
        best=$f seed_of_best=$seed
    fi
done
if ! enough "$best" $mhz; then
    echo "phasebench: $board: the best of seeds $tried reaches $best MHz, the clock is $mhz MHz and needs $MARGIN % more${fifo_mhz:+, as does the FIFO with $fifo_mhz MHz}: give other SEEDS" >&2
    exit 1
fi
log=$dir/nextpnr.$seed_of_best.log
cp "$dir/$top.$seed_of_best.asc" "$dir/$top.asc"
icepack "$dir/$top.asc" "$dir/$board.bin" || exit 1

# used NAME: "used of all" from the device utilisation of the chosen run
used() {
    sed -n "s|.*[[:space:]]$1: *\([0-9]*\)/ *\([0-9]*\).*|\1 \2|p" "$log" | tail -n 1
}
path() { # cells at both ends of the critical path inside the clock domain
    sed "/Critical path report for.*\($others\)/s/for clock//" "$log" | awk '/Critical path report for clock/ {n = NR; first = last = ""}
        /Critical path report/ && !/for clock/ {n = 0}
        n && $4 == "Source" && first == "" {first = $5}
        n && $2 == "Sink" {last = $3} n && $4 == "Setup" {last = $5}
        END {print first, last}' | sed -E 's/_SB_[A-Za-z0-9_$]*(\[[0-9]+\])?//g; s/_(LC|DFF[A-Z]*|RAM)\././g'
}
{
    set -- $(used ICESTORM_LC); lc=$1 lcs=$2
    set -- $(used ICESTORM_RAM); ram=$1 rams=$2
    set -- $(used ICESTORM_SPRAM); spram=${1:-0} sprams=${2:-0}
    set -- $(path)
    awk -v b="$board" -v lc="$lc" -v lcs="$lcs" -v ram="$ram" -v rams="$rams" -v sp="$spram" -v sps="$sprams" -v f="$best" \
        -v mhz="$mhz" -v fifo="$fifo_mhz" -v fifo_f="${fifo_mhz:+$(fifo_fmax "$log")}" -v from="$1" -v to="$2" -v seed="$seed_of_best" -v seeds="$tried" 'BEGIN {
        printf "board          %s\n", b
        printf "logic cells    %d of %d, %.1f %% free\n", lc, lcs, 100 * (1 - lc / lcs)
        printf "block RAM      %d of %d\n", ram, rams
        printf "single-port    %d of %d\n", sp, sps
        printf "clock          %g MHz; reached %.2f MHz, %.1f %% more, slack %.2f ns\n", mhz, f, 100 * (f / mhz - 1), 1000 / mhz - 1000 / f
        if (fifo) printf "FIFO clock     %d MHz; reached %.2f MHz, %.1f %% more\n", fifo, fifo_f, 100 * (fifo_f / fifo - 1)
        printf "seed           %s of %s\n", seed, seeds
        printf "critical path  from %s\n               to   %s\n", from, to}'
} > "$dir/report.txt"
cat "$dir/report.txt"
