# SPDX-FileCopyrightText: The phasebench authors
# SPDX-License-Identifier: Apache-2.0
#
# Test points for scripts, in TAP. A script reads this file and defines `said`, which prints what explains a failure.
# FAIL_FAST=1 ends it at its first failure.
# helps: tests/cli/*.sh tests/*/cli/*.sh tests/emulator/mcu/*.sh tests/emulator/target/run.sh

count=0 failures=0

# point NAME STATUS [FILE]: one test point.
point() {
    count=$((count + 1))
    if [ "$2" -eq 0 ]; then
        echo "ok $count - $1"
    else
        failures=$((failures + 1))
        echo "not ok $count - $1"
        said "${3:-}" | sed 's/^/#   /'
        [ -z "${FAIL_FAST:-}" ] || exit 1
    fi
}

# finish: the plan; fails when a point failed or there was none.
finish() {
    echo "1..$count"
    [ "$count" -gt 0 ] && [ "$failures" -eq 0 ]
}
