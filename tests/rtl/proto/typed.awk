# SPDX-FileCopyrightText: The phasebench authors
# SPDX-License-Identifier: Apache-2.0
#
# Finds masks, shifts and slices of the layouts in regs.def that are typed by hand. First file: the patterns, one a line: language
# (c or v), extended regular expression, a line that it must find, separated by " ~ ". Then sources. Prints FILE:LINE: text, and fails
# when it found one, or when a pattern does not find its own line. \< and \> match the ends of a word, which not every awk knows.
# helps: tests/rtl/proto/run.sh
FNR == NR {
    if (/^#/ || !NF)
        next
    n = split($0, piece, " ~ ")
    if (n != 3) {
        printf "%s:%d: not three pieces (%d); language ~ pattern ~ example\n", FILENAME, FNR, n
        bad = 1
        next
    }
    gsub(/\\</, "(^|[^A-Za-z0-9_])", piece[2])
    gsub(/\\>/, "([^A-Za-z0-9_]|$)", piece[2])
    if (piece[3] !~ piece[2]) {
        printf "%s:%d: the pattern does not find its own example: %s\n", FILENAME, FNR, piece[3]
        bad = 1
    }
    language[++patterns] = piece[1]
    pattern[patterns] = piece[2]
    next
}
{
    kind = FILENAME ~ /\.vh?$/ ? "v" : "c"
    line = $0
    if (kind == "v")
        sub(/\/\/.*/, "", line)
    for (i = 1; i <= patterns; i++)
        if (language[i] == kind && line ~ pattern[i]) {
            printf "%s:%d: a layout typed by hand; take its name of rtl/proto/regs.def: %s\n", FILENAME, FNR, $0
            bad = 1
            break
        }
    seen++
}
END {
    if (patterns == 0 || seen == 0) {
        print "typed.awk: nothing to look at; patterns and sources"
        bad = 1
    }
    exit bad
}
