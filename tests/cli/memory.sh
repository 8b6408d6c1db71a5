#!/bin/sh
# SPDX-FileCopyrightText: The phasebench authors
# SPDX-License-Identifier: Apache-2.0
#
# Memory that runs out in the command: the first allocation fails, then the second, and so on until none does. Each time it must
# end with exit code 4 and one line, unless it can do without. Prints TAP. Usage: memory.sh PROGRAM-WITH-fail_alloc.c
bin=$(cd "$(dirname "$1")" && pwd)/$(basename "$1")
[ -x "$bin" ] || { echo "Bail out! no program $1"; exit 4; }
work=$(mktemp -d) || exit 4
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 4
count=0

# sweep ARGUMENTS...
sweep() {
    count=$((count + 1))
    n=1
    "$bin" "$@" > wanted
    while :; do
        FAIL_ALLOC=$n "$bin" "$@" > out 2> err < /dev/null
        code=$?
        grep -q '^none failed$' err && [ $code -eq 0 ] && break
        if [ $code -eq 0 ] && cmp -s out wanted; then
            n=$((n + 1)) # it found another way
            continue
        fi
        if [ $code -ne 4 ] || [ "$(wc -l < err)" -ne 1 ] || ! grep -q '^phasebench: .*memory' err; then
            echo "not ok $count - $*"
            echo "#   allocation $n: exit code $code"
            sed 's/^/#   /' err | head -n 12
            return
        fi
        n=$((n + 1))
    done
    echo "ok $count - $*: $((n - 1)) allocations"
}

printf '0 3\n1 2\n' > list
sweep route 0 7 --dims 3 --json
sweep schedule --dims 2 --node 1 --json
sweep bound --traffic complement --dims 2 --json
sweep bound --traffic file:list --dims 2
sweep budget --phase-hz 10000 --baud 1000000 --json
echo "1..$count"
