#!/bin/sh
# SPDX-FileCopyrightText: The phasebench authors
# SPDX-License-Identifier: Apache-2.0
#
# Sound and broken firmware images through `phasebench regress`. A broken one is an edit of the firmware's sources, built like the
# sound one (images.list); its case must fail with the finding that the contract (docs/node.md) has for the mistake, or be inconclusive
# with `not_modelled`, where the model lacks what it uses. Prints TAP.
# Usage, from the top of the tree: images.sh path/to/phasebench [NAME...]
#
# A record of the list: `image NAME PART`, `file PATH`, `from TEXT` and `to TEXT` (literally; TEXT occurs once in the file), `case CASE
# FINDING`, which ends it. # starts a comment line.
#
# evidence: firmware/port/ag32, firmware/port/rp2040
#   run on the emulated parts; on no chip yet
#   also: make firmware
# covers: firmware/app firmware/port/ag32 firmware/port/rp2040 bench/emulator tests/emulator/mcu/images.list
set -u
bin=$(cd "$(dirname "$1")" && pwd)/$(basename "$1")
shift
only=$*
root=$(cd "$(dirname "$0")/../../.." && pwd)
. "$root/tests/tap.sh"
said() { tail -n 12 log; }
work=$(mktemp -d) || exit 4
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM

cp -r "$root/Makefile" "$root/mk" "$root/VERSION" "$root/packages.list" "$root/firmware" "$work"
cd "$work" || exit 4

build() { # PART: b/PART/node.elf
    make --no-print-directory B=b WARN=-w "firmware-$1" >log 2>&1
}

regress() { # PART OPTIONS
    part=$1
    shift
    rm -rf out
    "$bin" regress "b/$part/node.elf" --dims 4 --out out "$@" >log 2>&1
}

if [ -z "$only" ]; then
    for part in ag32 rp2040; do
        build $part && regress $part && grep -Eq '^49 scenarios: 4[0-9] pass, 0 marginal, 0 fail, 0 inconclusive' log
        point "$part: the sound image" $?
    done
fi

# replace FILE: $from by $to, literally, once
replace() {
    from=$from to=$to awk '
        { text = text $0 "\n" }
        END {
            from = ENVIRON["from"]
            at = index(text, from)
            rest = substr(text, at + length(from))
            if (!at || index(rest, from)) exit 1
            printf "%s%s%s", substr(text, 1, at - 1), ENVIRON["to"], rest
        }' "$1" >edited || { echo "not once in $1: $from" >log; return 1; }
    cp "$1" sound && cp edited "$1"
}

while read -r word value; do
    case $word in
    image) name=${value% *} part=${value#* } ;;
    file) file=$value ;;
    from) from=$value ;;
    to) to=$value ;;
    case)
        case " $only " in "  " | *" $name "*) ;; *) continue ;; esac
        exit=1
        [ "${value#* }" != not_modelled ] || exit=5
        replace "$file" && build "$part" && { regress "$part" --overflow --only "${value% *}"; [ $? -eq $exit ]; } &&
            grep -q "\"id\": \"${value#* }\"" out/*/result.json
        point "$part: $name" $?
        cp sound "$file"
        ;;
    esac
done <"$root/tests/emulator/mcu/images.list"

finish
