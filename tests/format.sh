#!/bin/sh
# SPDX-FileCopyrightText: The phasebench authors
# SPDX-License-Identifier: Apache-2.0
#
# Columns and blanks of the files that git knows. Usage, from the top of the tree: format.sh check|mend
#   C and C++      as many columns as .editorconfig says, except programs that print code
#   Verilog        a header of at most 12 lines of at most 100 columns, after the lines of the licence
#   all texts      no blank at the end of a line, no tab but in makefiles, a line break at the end
#   CHANGELOG.md   each release has its date, the newest is that of VERSION, an entry has at most two lines
# check prints TAP. mend takes blanks away, and has clang-format break the long lines of C, and these alone: whole files it would
# change in comments, tables and lists that are laid out by hand.
# covers: host bench firmware rtl tests docs
set -u
mode=${1:?usage: format.sh check|mend}
columns=$(sed -n 's/^max_line_length = //p' .editorconfig)
work=$(mktemp -d) || exit 4
trap 'rm -rf "$work"' EXIT
git ls-files | grep -v -e '^tests/[a-z]*/fuzz/corpus/' -e '^tests/[a-z]*/fuzz/regress/' > "$work/files"
grep -E '\.(c|h|cpp)$' "$work/files" | grep -v -e '^rtl/proto/gen' -e '^bench/formal/regtable.c' > "$work/c"
# A mutant may put nothing in place of a text.
grep -v -e '\.list$' -e '\.svg$' -e '\.png$' -e '\.gif$' "$work/files" > "$work/texts"

# FILE:LINE: what; awk counts bytes, so those that continue a character go first
wide() { xargs awk -v most="$columns" '{gsub(/[\200-\277]/, "")} length > most {print FILENAME ":" FNR ": " length " columns"}' < "$work/c"; }
blanks() {
    xargs grep -nI '[[:blank:]]$' < "$work/texts" | sed 's/^\([^:]*:[0-9]*\):.*/\1: blanks at the end/'
    grep -v -e '^Makefile$' -e '\.mk$' "$work/texts" | xargs grep -nIP '\t' | sed 's/^\([^:]*:[0-9]*\):.*/\1: tab/'
}
headers() {
    grep -E '^rtl/.*\.vh?$' "$work/files" | grep -v '^rtl/proto/gen/' | xargs awk '
        FNR == 1 {header = 1; lines = 0}
        !/^\/\// {header = 0}
        header && FNR > 3 {
            gsub(/[\200-\277]/, "")
            if (++lines == 13) print FILENAME ":" FNR ": header of more than 12 lines"
            if (length > 100) print FILENAME ":" FNR ": " length " columns in a header"
        }'
}
releases() {
    awk -v version="$(cat VERSION)" '
        function ended() { if (lines > 2) print "CHANGELOG.md:" from ": an entry of " lines " lines"; lines = 0 }
        /^$/ || /^- / || /^#/ {ended()}
        /^- / {from = FNR}
        lines || /^- / {lines++}
        /^## / && $2 != "Unreleased" {
            if (!/^## [0-9]+[.][0-9]+[.][0-9]+, 20[0-9][0-9]-[01][0-9]-[0-3][0-9]$/) print "CHANGELOG.md:" FNR ": not a release and its date"
            if (newest == "") newest = substr($2, 1, length($2) - 1)
        }
        END {
            ended()
            if (newest != version) print "CHANGELOG.md: the newest release is '\''" newest "'\'', VERSION says '\''" version "'\''"
        }' CHANGELOG.md
}

count=0 failed=0
point() { # NAME FILE: the file is empty
    count=$((count + 1))
    if [ ! -s "$2" ]; then
        echo "ok $count - $1"
    else
        failed=1
        echo "not ok $count - $1"
        sed 's/^/# /' "$2"
    fi
}

export LC_ALL=C
wide > "$work/wide"
blanks > "$work/blanks"
case $mode in
check)
    headers > "$work/headers"
    releases > "$work/releases"
    xargs tail -qc 1 < "$work/texts" | tr -d '\n' > "$work/ends"
    point "no line of C has more than $columns columns" "$work/wide"
    point 'no line ends with a blank or has a tab' "$work/blanks"
    point 'headers of Verilog have at most 12 lines of 100 columns' "$work/headers"
    point 'every file ends with a line break' "$work/ends"
    point 'the newest release of CHANGELOG.md is VERSION, with a date; entries have two lines at most' "$work/releases"
    echo "1..$count"
    ;;
mend)
    cut -d: -f1 "$work/wide" | uniq | while read -r file; do
        # shellcheck disable=SC2046 # one option for each line
        clang-format -i $(awk -F: -v file="$file" '$1 == file {print "--lines=" $2 ":" $2}' "$work/wide") "$file"
    done
    grep 'blanks at the end$' "$work/blanks" | cut -d: -f1 | uniq | xargs -r sed -i 's/[[:blank:]]*$//'
    ;;
*)
    echo "format.sh: unknown mode '$mode'; give check or mend" >&2
    exit 2
    ;;
esac
exit $failed
