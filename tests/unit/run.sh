#!/bin/sh
# SPDX-FileCopyrightText: The phasebench authors
# SPDX-License-Identifier: Apache-2.0
#
# Runs cmocka programs, one line each. Usage: run.sh RESULT-DIR PROGRAM...
# Writes "passed failed skipped" to RESULT-DIR/unit.count. Fails when a test failed, a program crashed, or none ran.
dir=$1
shift
mkdir -p "$dir"
passed=0 failed=0 skipped=0
for program in "$@"; do
    name=$(basename "$program")
    log=$dir/$name.log
    timeout 300 "$program" > "$log" 2>&1
    status=$?
    p=$(sed -n 's/^\[  PASSED  \] \([0-9]*\) test.*/\1/p' "$log" | head -n 1)
    f=$(sed -n 's/^\[  FAILED  \] \([0-9]*\) test.*/\1/p' "$log" | head -n 1)
    s=$(sed -n 's/^\[  SKIPPED \] \([0-9]*\) test.*/\1/p' "$log" | head -n 1)
    p=${p:-0} f=${f:-0} s=${s:-0}
    # A program that dies (sanitizer, time limit) has one failure more than it could report.
    if [ "$status" -ne 0 ] && [ "$f" -eq 0 ]; then f=1; fi
    passed=$((passed + p)) failed=$((failed + f)) skipped=$((skipped + s))
    if [ "$f" -eq 0 ]; then
        printf 'ok    %-26s %s\n' "$name" "$p"
    else
        printf 'FAIL  %-26s exit %s, %s\n' "$name" "$status" "$log"
        tail -n 30 "$log"
    fi
done
echo "$passed $failed $skipped" > "$dir/unit.count"
[ "$failed" -eq 0 ] && [ "$passed" -gt 0 ]
