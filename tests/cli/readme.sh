#!/bin/sh
# SPDX-FileCopyrightText: The phasebench authors
# SPDX-License-Identifier: Apache-2.0
#
# What README.md and docs/use/faults.md say that the program prints: every line of such a block is a line of its output, in that order; "…" represents
# lines that are left out. A block begins with "$ build/phasebench ARGUMENTS", or follows "<!-- prints: ARGUMENTS -->". Usage:
# readme.sh PROGRAM
# covers: README.md docs/use/faults.md
. "$(dirname "$0")/common.sh"

ln -s "$root/host" host # the README's paths begin at the top of the tree
blocks=$work/blocks
mkdir "$blocks"
awk -v into="$blocks" '
    /^<!-- prints: .* -->$/ { arguments = $0; sub(/^<!-- prints: /, "", arguments); sub(/ -->$/, "", arguments); next }
    /^```/ && !inside { inside = 1; file = ""; if (arguments != "") { file = sprintf("%s/%02d", into, ++count); print arguments > file }
        arguments = ""; next }
    /^```/ { inside = 0; if (file != "") close(file); next }
    inside && file == "" && /^\$ build\/phasebench / { file = sprintf("%s/%02d", into, ++count); sub(/^\$ build\/phasebench /, "")
        print > file; next }
    inside && file != "" { print > file }' "$root/README.md" "$root/docs/use/faults.md"

for block in "$blocks"/*; do
    arguments=$(head -n 1 "$block")
    # shellcheck disable=SC2086
    run $arguments
    awk 'NR == FNR { if (FNR > 1 && $0 != "…" && $0 != "") wanted[++lines] = $0; next }
         { sub(/ +$/, "") } at < lines && $0 == wanted[at + 1] { at++ }
         END { if (at < lines) { print "not printed, or not in this order: " wanted[at + 1] > "/dev/stderr"; exit 1 } }' \
        "$block" out 2>missing
    matched=$?
    cat missing >>err
    point "page: $arguments" $matched
done
[ "$(ls "$blocks" | wc -l)" -ge 4 ]
point 'the pages have their four blocks' $?
finish
