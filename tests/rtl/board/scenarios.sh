#!/bin/sh
# SPDX-FileCopyrightText: The phasebench authors
# SPDX-License-Identifier: Apache-2.0
#
# Runs the scenarios of the tree on the core as it comes out of synthesis, iCE40 cells in place of the Verilog: every byte that the core
# sends, and so every event, must be that of the Verilog, and the result, too. Prints TAP. Usage, from the top of the tree:
#   scenarios.sh PHASEBENCH PHASEBENCH-WITH-NETLIST WORK-DIR [SCENARIO...]
# Scenarios with more than 12 links run on a larger core, which is not synthesized.
# covers: rtl/core bench/sim/sim_top.v host/scenarios
verilog=$1 netlist=$2 work=$3
shift 3
[ $# -gt 0 ] || set -- host/scenarios/*.yaml host/scenarios/faults/*.yaml host/scenarios/broken/*.yaml
mkdir -p "$work" || exit 4
. tests/tap.sh
said() { head -n 10 "$work/log"; }
play() { # NAME PROGRAM: leaves NAME.json, and NAME.hex: the core's bytes
    "$2" run "$scenario" --json --record "$work/$1.rec" --force > "$work/$1.all" 2> "$work/log"
    code=$?
    sed '/"wall_ns"/d;/"started_utc"/d' "$work/$1.all" > "$work/$1.json"
    perl tests/cli/stream.pl READ < "$work/$1.rec" > "$work/$1.hex" 2>> "$work/log"
}
for scenario in "$@"; do
    play verilog "$verilog"
    grep -q '"core": "12 links' "$work/verilog.json" || continue
    wanted=$code
    play netlist "$netlist"
    [ $code -eq $wanted ] && [ "$(wc -c < "$work/netlist.hex")" -gt 10000 ] && cmp "$work/verilog.hex" "$work/netlist.hex" >> "$work/log" 2>&1 &&
        diff "$work/verilog.json" "$work/netlist.json" >> "$work/log"
    point "$scenario: $(($(wc -c < "$work/verilog.hex") / 2)) bytes from the core, exit code $wanted" $?
done
finish
