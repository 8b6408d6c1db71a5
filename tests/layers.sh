#!/bin/sh
# SPDX-FileCopyrightText: The phasebench authors
# SPDX-License-Identifier: Apache-2.0
#
# Who includes whom, against the table "Who may know whom" of docs/architecture.md: each row is exact. TAP.
# Folders and headers must make no circle except the two that the page names, nor must the calls between folders in the
# object files: a public header says nothing of who is behind it. The paragraph "Needs" of a wing's page names each folder that the wing
# includes or calls, and no other. Usage, after `make all`: layers.sh BUILD-DIR
# covers: host bench firmware rtl/proto docs/architecture.md mk Makefile
set -u
build=${1:?usage: layers.sh BUILD-DIR}
cd "$(dirname "$0")/.." || exit 1
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
page=docs/architecture.md
tests=0
failed=0

result() { # text, file with what is wrong
    tests=$((tests + 1))
    if [ -s "$2" ]; then
        failed=$((failed + 1))
        echo "not ok $tests - $1"
        sed 's/^/# /' "$2"
    else
        echo "ok $tests - $1"
    fi
}

# FILE INCLUDED, both from the top of the tree; "phasebench/" is host/include, a bare name is in the directory of the file.
find host bench firmware rtl/proto -name '*.[ch]' -o -name '*.cpp' -o -name '*.def' | LC_ALL=C sort |
    xargs grep -H '^#include "' | sed -E 's/^([^:]*):#include "([^"]*)".*/\1 \2/' |
    awk '{
        folder = $1; sub(/\/[^\/]*$/, "", folder)
        if ($2 ~ /^phasebench\//) $2 = "host/include/" $2
        else if ($2 !~ /^(host|bench|firmware|rtl)\//) $2 = folder "/" $2
        print
    }' >"$work/includes"

# FOLDER FOLDER of two levels, of three in a wing
folder='function folder(path, part) {
    split(path, part, "/")
    return part[1] "/" part[2] (path ~ /^(host\/(machine|metrology|production)|bench\/(usb|emulator|nodes))\/[^\/]*\// ? "/" part[3] : "")
}'
awk "$folder"'
{
    from = folder($1); to = folder($2)
    if (from != to) print from, to
}' "$work/includes" | LC_ALL=C sort -u >"$work/real"

sed -n '/^## Who may know whom/,/^## Simulated/p' "$page" | grep '^| `' | awk -F'|' '{
    gsub(/[` ]/, "", $2); gsub(/[` ]/, "", $3)
    count = split($3, to, ",")
    for (i = 1; i <= count; i++) if (to[i] != "" && to[i] != "-") print $2, to[i]
}' | LC_ALL=C sort -u >"$work/drawn"

LC_ALL=C comm -23 "$work/real" "$work/drawn" | sed "s|\(.*\) \(.*\)|\1 includes \2, and $page does not say so|" >"$work/new"
result 'every include across folders is in the table' "$work/new"
LC_ALL=C comm -13 "$work/real" "$work/drawn" | sed "s|\(.*\) \(.*\)|$page says that \1 includes \2, and it does not|" >"$work/gone"
result 'the table names no include that is not there' "$work/gone"

grep -v -e '^bench/nodes bench/sim$' "$work/real" | tsort 2>&1 >"$work/order" | sed 's/^tsort: //' >"$work/circle"
result 'folders know each other one way' "$work/circle"
grep -E '^[^ ]*\.h ' "$work/includes" | tsort 2>&1 >"$work/order" | sed 's/^tsort: //' >"$work/circle"
result 'headers include one another without a circle' "$work/circle"
sed -nE 's/\.[ch] / /; s/^(host\/check\/[^ ]*) (host\/check\/[^ ]*)\.h$/\1 \2/p' "$work/includes" | tsort 2>&1 >"$work/order" |
    sed 's/^tsort: //' >"$work/circle"
result 'the stages of host/check know each other one way' "$work/circle"
grep -v '^host/cli ' "$work/real" | grep ' host/cli$' >"$work/up"
result 'nothing includes host/cli' "$work/up"

# The objects of sources that are there. bench/usb/preload defines functions of libc, which are no calls to it.
find host bench firmware rtl/proto -name '*.c' ! -path 'bench/usb/preload/*' | sed "s|\(.*\)c\$|$build/rel/\1o|" |
    while read -r object; do [ ! -e "$object" ] || echo "$object"; done >"$work/objects"
[ -s "$work/objects" ] || echo "no objects in $build/rel: make all comes first" >"$work/none"
touch "$work/none"
result 'the object files are built' "$work/none"
xargs nm -A -P <"$work/objects" | sed "s|^$build/rel/||; s|: | |" | awk "$folder"'
    $3 == "U" { needs[folder($1) " " $2] }
    $3 ~ /^[TDBRV]$/ { home[$2] = folder($1) }
    END {
        for (need in needs) {
            split(need, part, " ")
            if (part[2] in home && home[part[2]] != part[1]) print part[1], home[part[2]]
        }
    }' | LC_ALL=C sort -u >"$work/calls"
# The firmware calls its port, and the port the firmware.
grep -v '^firmware/app bench/nodes/native$' "$work/calls" |
    tsort 2>&1 >"$work/order" | sed 's/^tsort: //' >"$work/circle"
result 'folders call each other one way' "$work/circle"

# The paragraph "Needs" of a wing's page against what the wing includes and calls; a folder also represents the folders in it.
for wing in host/*/README.md bench/*/README.md; do
    wing=${wing%/README.md}
    awk -v wing="$wing" '
        function within(path, place) { return path == place || index(path, place "/") == 1 }
        FILENAME != page { if (within($1, wing) && !within($2, wing) && $2 != "host/include") taken[$2]; next }
        /^\*\*Needs\.\*\*/ { inside = 1 }
        /^$/ { inside = 0 }
        inside { while (match($0, /`(host|bench|firmware|rtl)\/[a-z\/]*`/)) {
            named[substr($0, RSTART + 1, RLENGTH - 2)]; $0 = substr($0, RSTART + RLENGTH)
        } }
        END {
            if (!length(taken)) exit
            for (to in taken) { found = 0; for (name in named) found += within(to, name); if (!found) print page ": Needs lacks " to }
            for (name in named) { found = 0; for (to in taken) found += within(to, name); if (!found) print page ": Needs names " name ", which the wing neither includes nor calls" }
        }' page="$wing/README.md" "$work/real" "$work/calls" "$wing/README.md"
done >"$work/needs"
result 'the page of a wing names what it includes and calls' "$work/needs"
echo "1..$tests"
[ "$failed" = 0 ]
