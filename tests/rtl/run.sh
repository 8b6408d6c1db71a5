#!/bin/sh
# SPDX-FileCopyrightText: The phasebench authors
# SPDX-License-Identifier: Apache-2.0
#
# Runs every Verilog bench in Icarus, one line each, and those of the whole core and of its synchronous FIFO in Verilator too: what
# they write down must be the same byte for byte. Benches of modules in which Verilator skips what is idle (rtl/core/pb_sim_skip.vh) run
# once more in Icarus, skipping the same. Usage, from the top of the tree: run.sh RESULT-DIR
# RTL names another directory than rtl (for deliberately broken copies), ONLY a single bench.
# Writes "passed failed skipped" to RESULT-DIR/rtl.count. Fails when a bench failed or none ran.
# covers: rtl
dir=${1:?usage: run.sh RESULT-DIR}
rtl=${RTL:-rtl}
mkdir -p "$dir" || exit 1
passed=0 failed=0

report() { # name, 0 when passed, log
    if [ "$2" -eq 0 ]; then
        passed=$((passed + 1))
        printf 'ok    %s\n' "$1"
    else
        failed=$((failed + 1))
        printf 'FAIL  %s, %s\n' "$1" "$3"
        tail -n 6 "$3"
    fi
}

# A bench has passed when it says so in its last line; simulators may add a remark of their own about $finish.
verdict() { # name, log
    grep -v '^- .*\$finish' "$2" | tail -n 1 | grep -qx "PASS $1"
}

icarus() { # name, argument of the simulation, of the compiler, what to call it
    log=$dir/$1${3:+.idle}.log
    iverilog ${3:+"$3"} -g2005 -Wall -Wno-timescale -y "$rtl/node" -y "$rtl/core" -y "$rtl/board" -y "$rtl/proto/gen" \
        -I "$rtl/core" -I "$rtl/proto/gen" -I tests/rtl -s "$1" -o "$dir/$1.vvp" "tests/rtl/$1.v" > "$log" 2>&1 &&
        ! grep -q . "$log" &&
        timeout 600 vvp -n "$dir/$1.vvp" $2 > "$log" 2>&1
    verdict "$1" "$log"
    report "${4:-$1}" $? "$log"
}

for bench in ${ONLY:-tests/rtl/tb_*.v}; do
    name=$(basename "$bench" .v)
    rm -f "$dir/$name.icarus"
    icarus "$name" "+dump=$dir/$name.icarus"
    if cat "$rtl/core/${name#tb_}"*.v 2> /dev/null | grep -q PB_SIM_ACTIVE; then
        icarus "$name" "" -DVERILATOR "$name: the same when what is idle is skipped"
    fi
done

cross_check() {
    rm -f "$dir/$1.verilator"
    OBJCACHE=${OBJCACHE-$(command -v ccache)} timeout 600 verilator --binary --timing -Wno-lint -Wno-style -Wno-TIMESCALEMOD \
        -MAKEFLAGS "OPT_FAST=-O0 OPT_GLOBAL=-O0" \
        "-I$rtl/core" "-I$rtl/proto/gen" -Itests/rtl --Mdir "$dir/v_$1" -o "$1" "tests/rtl/$1.v" &&
        timeout 600 "$dir/v_$1/$1" "+dump=$dir/$1.verilator" > "$dir/$1.run" 2>&1 &&
        verdict "$1" "$dir/$1.run" && test -s "$dir/$1.icarus" && cmp "$dir/$1.icarus" "$dir/$1.verilator"
}
# The pads once more, with the vendor's model of the input cells in place of ours.
vendor_cells() {
    log=$dir/vendor_cells.log
    cells=$(yosys-config --datdir 2> /dev/null || echo /usr/share/yosys)/ice40/cells_sim.v
    iverilog -g2005-sv -DSYNTHESIS -DNO_ICE40_DEFAULT_ASSIGNMENTS -y "$rtl/core" -y "$rtl/board" -y "$rtl/proto/gen" -I "$rtl/core" -I "$rtl/proto/gen" \
        -I tests/rtl -s tb_pb_pad -o "$dir/vendor_cells.vvp" "$cells" tests/rtl/tb_pb_pad.v > "$log" 2>&1 &&
        timeout 600 vvp -n "$dir/vendor_cells.vvp" > "$log" 2>&1
    verdict tb_pb_pad "$log"
    report "tb_pb_pad: the same with the vendor's cells" $? "$log"
}
if [ -z "$ONLY" ] || [ "$name" = tb_pb_pad ]; then
    vendor_cells
fi
for both in tb_pb_core tb_pb_host_fifo_sync; do
    if [ -z "$ONLY" ] || [ "$name" = $both ]; then
        cross_check $both > "$dir/cross_check_$both.log" 2>&1
        report "$both: Icarus and Verilator agree" $? "$dir/cross_check_$both.log"
    fi
done

echo "$passed $failed 0" > "$dir/rtl.count"
[ "$failed" -eq 0 ] && [ "$passed" -gt 0 ]
