#!/bin/sh
# SPDX-FileCopyrightText: The phasebench authors
# SPDX-License-Identifier: Apache-2.0
#
# Runs cmocka programs, as many at a time as there are processors, one line each. Usage: run.sh RESULT-DIR PROGRAM...
# Writes "passed failed skipped" to RESULT-DIR/unit.count. Fails when a test failed, a program crashed, or none ran.
dir=$1
shift
mkdir -p "$dir"
for program in "$@"; do
    rm -f "$dir/$(basename "$program").status"
done
# The time limit ends what hangs, on the slowest machine; it is no measure of speed.
printf '%s\n' "$@" | xargs -P "$(nproc)" -I{} sh -c '
    name=$(basename "$2")
    timeout 3000 "$2" > "$1/$name.log" 2>&1
    echo $? > "$1/$name.status"
    [ "$(cat "$1/$name.status")" -eq 0 ] && printf "ok    %-26s %s\n" "$name" \
        "$(sed -n "s/^\[  PASSED  \] \([0-9]*\) test.*/\1/p" "$1/$name.log")"' sh "$dir" {}

passed=0 failed=0 skipped=0
for program in "$@"; do
    name=$(basename "$program")
    log=$dir/$name.log
    status=$(cat "$dir/$name.status" 2>/dev/null || echo 255)
    p=$(sed -n 's/^\[  PASSED  \] \([0-9]*\) test.*/\1/p' "$log" | head -n 1)
    f=$(sed -n 's/^\[  FAILED  \] \([0-9]*\) test.*/\1/p' "$log" | head -n 1)
    s=$(sed -n 's/^\[  SKIPPED \] \([0-9]*\) test.*/\1/p' "$log" | head -n 1)
    p=${p:-0} f=${f:-0} s=${s:-0}
    # A program that dies (sanitizer, time limit) has one failure more than it could report.
    if [ "$status" -ne 0 ] && [ "$f" -eq 0 ]; then f=1; fi
    passed=$((passed + p)) failed=$((failed + f)) skipped=$((skipped + s))
    if [ "$f" -ne 0 ]; then
        printf 'FAIL  %-26s exit %s, %s\n' "$name" "$status" "$log"
        tail -n 30 "$log"
    fi
done
echo "$passed $failed $skipped" > "$dir/unit.count"
[ "$failed" -eq 0 ] && [ "$passed" -gt 0 ]
