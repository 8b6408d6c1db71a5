#!/bin/sh
# SPDX-FileCopyrightText: The phasebench authors
# SPDX-License-Identifier: Apache-2.0
#
# Runs a fuzz target (libFuzzer), and prints one line. Usage, from the top of the tree: fuzz.sh BUILD-DIR TARGET runs|seconds N
#   runs     what is in fuzz/corpus/TARGET and fuzz/regress/TARGET of its wing, then N more inputs, the same ones each time
#   seconds  the same, then new inputs for N seconds; they gather in BUILD-DIR/fuzz/found/TARGET
# A crash leaves its input in BUILD-DIR/fuzz/crash/TARGET and fails. Writes "passed failed skipped" to BUILD-DIR/tests/fuzz-TARGET.count.
# covers: tests/*/fuzz
build=$1 target=$2 how=$3 amount=$4
name=$(basename "$target")
log=$build/fuzz/log/$name
found=$build/fuzz/found/$name crash=$build/fuzz/crash/$name
mkdir -p "$build/tests" "$build/fuzz/log" "$found" "$crash"
set -- "$(pwd)"/tests/*/fuzz/*/"$name" # a target may go to another folder
begin=$(date +%s)
: > "$log.begin"
case $how in
runs) found=$(mktemp -d) limit="-runs=$((amount + $(find "$@" -type f | wc -l))) -seed=1" ;;
*) found=$(pwd)/$found limit="-max_total_time=$amount -print_final_stats=1" ;;
esac
# shellcheck disable=SC2086 # two options
"$target" $limit -close_fd_mask=3 -timeout=20 -rss_limit_mb=2048 -max_len=8192 -verbosity=1 \
    "-artifact_prefix=$(pwd)/$crash/" "$found" "$@" > "$log" 2>&1
status=$?
[ "$how" = seconds ] || rm -rf "$found"
last=$(sed -n 's/^#\([0-9]*\)\t.* cov: \([0-9]*\) ft: \([0-9]*\) corp: \([0-9]*\)\/.*/\1 executions, \2 edges, \3 features, \4 inputs kept/p' "$log" | tail -n 1)
if [ $status -eq 0 ]; then
    echo 1 0 0 > "$build/tests/fuzz-$name.count"
    printf 'ok    fuzz %-12s %s, %s s\n' "$name" "$last" $(($(date +%s) - begin))
else
    echo 0 1 0 > "$build/tests/fuzz-$name.count"
    # The message of a violated property went to the closed standard error: the input says them again.
    for input in "$crash"/crash-*; do
        [ ! "$input" -nt "$log.begin" ] || timeout 60 "$target" "$input" 2>&1 | grep 'not so:' >> "$log"
    done
    printf 'FAIL  fuzz %-12s exit %s, %s\n%s\n' "$name" "$status" "$log" \
        "$(grep -E 'ERROR|SUMMARY|not so:|runtime error|Test unit written' "$log" | head -n 6)"
    exit 1
fi
