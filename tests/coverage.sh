#!/bin/sh
# SPDX-FileCopyrightText: The phasebench authors
# SPDX-License-Identifier: Apache-2.0
#
# Runs unit and command tests built for coverage, and prints lines and branches reached per folder of host/, firmware/app and
# bench/usb/server, and all together, of which at least $least % of the branches must be.
# Usage, from the top of the tree: coverage.sh BUILD-DIR. HTML with every line: BUILD-DIR/cov/html/index.html
# covers: host firmware/app bench/usb/server
build=${1:?usage: coverage.sh BUILD-DIR}
find "$build/cov" -name '*.gcda' -delete
mkdir -p "$build/cov/html"
least=90
failed=0
cmocka() { printf '%s\n' "$@" | xargs -P "$(nproc)" -n 1 tests/cmocka-count "$build/cov/log"; }
cmocka "$build"/cov/bin/test_* || failed=1
tests/tap-count "$build/cov/log" command tests/cli/run.sh "$build/phasebench-cov" || failed=1
tests/tap-count "$build/cov/log" forms tests/cli/forms.sh "$build/phasebench-cov" || failed=1
tests/tap-count "$build/cov/log" recordings tests/record/cli/record.sh "$build/phasebench-cov" || failed=1
tests/tap-count "$build/cov/log" history-server tests/production/cli/history_server.sh "$build/phasebench-cov" || failed=1
tests/tap-count "$build/cov/log" fault tests/procedure/cli/fault.sh "$build/phasebench-cov" || failed=1
tests/tap-count "$build/cov/log" serve tests/cli/serve.sh "$build/phasebench-cov" || failed=1
tests/tap-count "$build/cov/log" memory tests/cli/memory.sh "$build/phasebench-cov-oom" || failed=1
tests/tap-count "$build/cov/log" usb tests/usb/cli/usb.sh "$build/phasebench-cov-usb" || failed=1
tests/tap-count "$build/cov/log" vusb tests/usb/cli/vusb.sh "$build/phasebench-cov" || failed=1
RIG_PROGRAM=phasebench-cov cmocka "$build"/tests/usb/rig/test_* || failed=1
tests/tap-count "$build/cov/log" boards tests/usb/cli/boards.sh "$build/phasebench-cov" || failed=1
gcovr -j "$(nproc)" --root . --filter host/ --filter firmware/app/ --filter bench/usb/server/ --json "$build/cov/data.json" \
    --html-details "$build/cov/html/index.html" --csv "$build/cov/files.csv" "$build/cov" > "$build/cov/gcovr.log" 2>&1 ||
    { cat "$build/cov/gcovr.log"; exit 1; }
awk -F, 'NR > 1 {
        folder = $1; sub(/\/[^\/]*$/, "", folder)
        if (folder == "host/include/phasebench") next
        lines[folder] += $2; hit[folder] += $3; branches[folder] += $5; taken[folder] += $6
        lines["together"] += $2; hit["together"] += $3; branches["together"] += $5; taken["together"] += $6
    }
    END {
        for (folder in lines)
            printf "%-18s %5d lines %6.1f %%   %5d branches %6.1f %%\n", folder, lines[folder],
                   100 * hit[folder] / lines[folder], branches[folder], branches[folder] ? 100 * taken[folder] / branches[folder] : 100
    }' "$build/cov/files.csv" | sort | tee "$build/cov/summary.txt"
awk -v least=$least '/^together/ {reached = $(NF - 1)} END {exit !(reached >= least)}' "$build/cov/summary.txt" ||
    { echo "coverage: together fewer than $least % of the branches are reached; $build/cov/html/index.html shows which" >&2; exit 1; }
exit $failed
