#!/bin/sh
# SPDX-FileCopyrightText: The phasebench authors
# SPDX-License-Identifier: Apache-2.0
#
# The time that a firmware image needs for a program, in simulated time: the shortest time of a phase in addition to its frame, in whole us from 10 on
# (both guards, of which the head guard is 5), with which a run of the program passes at node 0xFFF of the 12-cube. Each has to be what
# `phasebench budget --program` says.
# Usage, from the repository root after `make all firmware`: bench/perf/programs.sh BUILD-DIR
# covers: bench/perf
set -eu
build=${1:?usage: bench/perf/programs.sh BUILD-DIR}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
top=$(pwd)

# passes IMAGE PROGRAM PAYLOAD-BYTES US: a phase that is as long as a frame and this
passes() {
    {
        awk -v bytes="$3" -v us="$4" 'BEGIN {
            printf "link: {phase_rate: %.3f Hz, payload: %d byte%s}\n", 1e6 / (10 * (bytes + 3) + us), bytes, bytes == 1 ? "" : "s" }'
        echo "nodes: [{address: 0xFFF, kind: 'elf:$top/$build/$1/node.elf'}]"
        echo "traffic: [{program: $2}]"
    } >"$work/run.yaml"
    "$build/phasebench" run "$work/run.yaml" --out "$work/out" >/dev/null 2>&1
}

wrong=0
for image in ag32 rp2040; do
    while read -r bytes program; do
        low=9 high=200 # fails, passes
        passes $image "$program" "$bytes" $high || { echo "$image $program: fails with $high us" >&2; exit 1; }
        while [ $((high - low)) -gt 1 ]; do
            middle=$(((low + high) / 2))
            if passes $image "$program" "$bytes" $middle; then high=$middle; else low=$middle; fi
        done
        says=$("$build/phasebench" budget --phase-hz 1000 --baud 1000000 --program "${program%%,*}" | sed -n "s/^  $image  *needs \([0-9]*\) us.*/\1/p")
        printf '%-8s%-24s%4d us\n' $image "$program" $high
        [ "$says" = $high ] || { echo "$image $program: budget --program says $says us" >&2; wrong=1; }
    done <<'END'
4 broadcast, argument: 0
4 allreduce
4 scan
1 barrier, argument: 3
4 sort
8 fft
1 life, argument: 3
2 filter
4 transpose
4 permute
END
done
exit $wrong
