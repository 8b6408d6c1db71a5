#!/bin/sh
# SPDX-FileCopyrightText: The phasebench authors
# SPDX-License-Identifier: Apache-2.0
#
# Lints every Verilog top in the configurations that are built, and at the ends of the parameter ranges. Usage: lint.sh [VERILATOR]
# covers: rtl bench/sim/sim_top.v
verilator=${1:-verilator}
failed=0
lint() {
    "$verilator" --lint-only -Wall -Irtl/core -Irtl/proto/gen -Irtl/node "$@" || failed=1
}
lint -GLINKS=12 -GLANES=3 -GNODES=1 bench/sim/sim_top.v
lint -DPB_ANY_RATE -DPB_LEAP -GLINKS=12 -GLANES=3 -GNODES=1 bench/sim/sim_top.v
lint -DPB_ANY_RATE -DPB_LEAP -GLINKS=64 -GLANES=9 -GNODES=16 -GCLK_HZ=24000000 bench/sim/sim_top.v
lint -DPB_ANY_RATE -GLINKS=12 -GLANES=3 -GNODES=1 -GFIFOS=1 bench/sim/sim_top.v
lint -GLINKS=64 -GLANES=9 -GNODES=16 bench/sim/sim_top.v
lint -GLINKS=12 -GLANES=3 -GNODES=1 -GFIFOS=1 bench/sim/sim_top.v
lint -GLINKS=1 -GLANES=2 -GNODES=1 bench/sim/sim_top.v
lint -GLINKS=12 -GLANES=2 -GFAULTS=0 -GRECEIVERS=2 -GJOIN=0 rtl/core/pb_core.v
lint -GLINKS=2 -GLANES=2 -GFAULTS=0 -GRECEIVERS=1 -GJOIN=0 rtl/core/pb_core.v
lint -GFAULTS=1 rtl/core/pb_command.v
lint -GFAULTS=15 -GLANES=32 rtl/core/pb_command.v
for units in 0 1 4; do
    lint -GLINKS=12 -GUNITS=$units rtl/core/pb_fault_lines.v
done
lint -GLINKS=1 -GUNITS=1 rtl/core/pb_fault_lines.v
lint -GLINKS=16 -GUNITS=1 -GFEEDBACK=0 rtl/core/pb_fault_lines.v
lint -GLINKS=64 -GUNITS=15 rtl/core/pb_fault_lines.v
lint rtl/core/pb_fault_unit.v
lint rtl/core/pb_sync_age.v
lint -GWIDTH=1 -GDEPTH_LOG2=2 -GMARGIN=1 rtl/core/pb_fifo_dual.v
lint -GWIDTH=16 -GDEPTH_LOG2=14 rtl/core/pb_fifo_dual.v
lint -GCLK_HZ=12000000 rtl/core/pb_host_fifo_async.v
lint -GCLK_HZ=100000000 rtl/core/pb_host_fifo_async.v
lint rtl/core/pb_host_fifo_sync.v
lint -GDEPTH_LOG2=4 -GTURN_LOG2=2 -GSEND_CLOCKS=2 rtl/core/pb_host_fifo_sync.v
lint -GBEAT_LOG2=1 -GSTILL_LOG2=3 rtl/core/pb_clock_stopped.v
lint rtl/core/pb_clock_pins.v
lint rtl/core/pb_clock_monitor.v
lint -GLINKS=1 rtl/core/pb_line_watch.v
lint -GLINKS=12 rtl/core/pb_line_watch.v
lint -GLINKS=64 rtl/core/pb_line_watch.v
for taps in 2 40 352 480; do
    lint -GTAPS=$taps rtl/core/pb_tdc.v
done
lint -GLINKS=12 -GLANES=3 -GNODES=1 -GTDC_TAPS=352 bench/sim/sim_top.v
lint rtl/board/pb_tdc_chain.v
lint -GLINKS=12 rtl/board/pb_tdc_chain.v
lint -GCLK_HZ=2000 rtl/core/pb_watchdog.v
lint -GCLK_HZ=48000000 rtl/core/pb_watchdog.v
lint rtl/node/ag32_fabric.v
lint rtl/node/ref_node.v
lint -GDIMS=1 -GPAYLOAD_MAX=1 rtl/node/ref_node.v
lint -GDIMS=4 -GPAYLOAD_MAX=6 rtl/node/ref_node.v
[ $failed -eq 0 ] && echo "ok    verilator --lint-only -Wall"
exit $failed
