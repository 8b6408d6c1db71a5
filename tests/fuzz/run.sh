#!/bin/sh
# SPDX-FileCopyrightText: The phasebench authors
# SPDX-License-Identifier: Apache-2.0
#
# Runs fuzz targets (libFuzzer), one line each. Usage, from the top of the tree: run.sh BUILD-DIR runs|seconds N TARGET...
#   runs     what is in tests/fuzz/corpus/TARGET and tests/fuzz/regress/TARGET, then N more inputs, the same ones each time
#   seconds  the same, then new inputs for N seconds; they gather in BUILD-DIR/fuzz/found/TARGET
# A crash leaves its input in BUILD-DIR/fuzz/crash/TARGET and fails. Writes "passed failed skipped" to BUILD-DIR/tests/fuzz.count.
build=$1 how=$2 amount=$3
shift 3
passed=0 failed=0
mkdir -p "$build/tests" "$build/fuzz/log"
for target in "$@"; do
    name=$(basename "$target")
    log=$build/fuzz/log/$name
    found=$build/fuzz/found/$name crash=$build/fuzz/crash/$name
    mkdir -p "$found" "$crash"
    set -- "tests/fuzz/corpus/$name"
    [ ! -d "tests/fuzz/regress/$name" ] || set -- "$@" "tests/fuzz/regress/$name"
    files=$(find "$@" -type f | wc -l)
    folders=
    for folder in "$@"; do folders="$folders $(pwd)/$folder"; done # a target may go to another folder
    case $how in
    runs) scratch=$(mktemp -d) limit="-runs=$((amount + files)) -seed=1" ;;
    *) scratch=$(pwd)/$found limit="-max_total_time=$amount -print_final_stats=1" ;;
    esac
    "$target" $limit -close_fd_mask=3 -timeout=20 -rss_limit_mb=2048 -max_len=8192 -verbosity=1 \
        "-artifact_prefix=$(pwd)/$crash/" "$scratch" $folders > "$log" 2>&1
    status=$?
    [ "$how" = seconds ] || rm -rf "$scratch"
    last=$(sed -n 's/^#\([0-9]*\)\t.* cov: \([0-9]*\) ft: \([0-9]*\) corp: \([0-9]*\)\/.*/\1 executions, \2 edges, \3 features, \4 inputs kept/p' "$log" | tail -n 1)
    if [ $status -eq 0 ]; then
        passed=$((passed + 1))
        printf 'ok    fuzz %-12s %s\n' "$name" "$last"
    else
        failed=$((failed + 1))
        printf 'FAIL  fuzz %-12s exit %s, %s\n' "$name" "$status" "$log"
        grep -E 'ERROR|SUMMARY|not so:|runtime error|Test unit written' "$log" | head -n 6
    fi
done
echo "$passed $failed 0" > "$build/tests/fuzz.count"
[ "$failed" -eq 0 ] && [ "$passed" -gt 0 ]
