#!/bin/sh
# SPDX-FileCopyrightText: The phasebench authors
# SPDX-License-Identifier: Apache-2.0
#
# Lints every Verilog top in the configurations that are built, and at the ends of the parameter ranges. Usage: lint.sh [VERILATOR]
verilator=${1:-verilator}
failed=0
lint() {
    "$verilator" --lint-only -Wall -Irtl/core -Irtl/proto/gen -Irtl/node "$@" || failed=1
}
lint -GLINKS=12 -GLANES=3 -GNODES=1 bench/sim/sim_top.v
lint -GLINKS=64 -GLANES=9 -GNODES=16 bench/sim/sim_top.v
lint -GLINKS=1 -GLANES=2 -GNODES=1 bench/sim/sim_top.v
lint rtl/node/ref_node.v
lint -GDIMS=1 -GPAYLOAD_MAX=1 rtl/node/ref_node.v
lint -GDIMS=4 -GPAYLOAD_MAX=6 rtl/node/ref_node.v
[ $failed -eq 0 ] && echo "ok    verilator --lint-only -Wall"
exit $failed
