#!/bin/sh
# SPDX-FileCopyrightText: The phasebench authors
# SPDX-License-Identifier: Apache-2.0
#
# A million slots without faults: each finding, alarm or lost event is a false positive. Usage: soak.sh BUILD-DIR
# covers: bench/perf/soak.yaml host/check
build=${1:?usage: soak.sh BUILD-DIR}
"$build/phasebench" run bench/perf/soak.yaml --timeout 7200 --json --out "$build/soak" > "$build/soak.json" || exit 1
number() { sed -n "s/.*\"$1\": \([0-9]*\),.*/\1/p; s/.*\"$1\": \([0-9]*\)}.*/\1/p" "$build/soak.json" | head -n 1; }
echo "$(number slots_checked) slots, $(number alarms) alarms, $(number findings_total) findings, $(number events_lost) events lost, $(number events) events"
[ "$(number slots_checked)" -ge 1000000 ] && [ "$(number alarms)" -eq 0 ] && [ "$(number findings_total)" -eq 0 ]
