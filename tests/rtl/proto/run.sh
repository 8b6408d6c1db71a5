#!/bin/sh
# SPDX-FileCopyrightText: The phasebench authors
# SPDX-License-Identifier: Apache-2.0
#
# The generator of the register map, rtl/proto/genregs.c: what it refuses, in one line with file, line, cause and limit; and that no layout
# of the map is typed by hand in C or Verilog (typed.awk, typed.txt). Usage, from the top of the tree: run.sh WORK-DIR
# covers: rtl/proto docs/reference/registers.md docs/reference/protocol.md docs/reference/scenario.md host/scenario/*.def Makefile mk
dir=${1:?usage: run.sh WORK-DIR}
mkdir -p "$dir/proto" || exit 1
failed=0
fail() { printf 'FAIL  %s\n' "$*" >&2 && failed=1; }

# build SED-SCRIPT: the generator of a map changed so; false when the script changes nothing
cp rtl/proto/genregs.[ch] rtl/proto/genlayout.c "$dir/proto/"
build() {
    sed "$1" rtl/proto/regs.def > "$dir/proto/regs.def"
    if cmp -s rtl/proto/regs.def "$dir/proto/regs.def"; then
        fail "the map is as it was after: $1"
        return 1
    fi
    ${CC:-cc} -std=c11 -o "$dir/proto/genregs" "$dir/proto/genregs.c" "$dir/proto/genlayout.c" || { fail "no generator after: $1"; return 1; }
}

# refused SED-SCRIPT MESSAGE: a map changed so gives this line alone, behind its number, and nothing else
refused() {
    build "$1" || return
    if "$dir/proto/genregs" c > "$dir/proto/out" 2> "$dir/proto/err"; then
        fail "accepted: $1"
    elif [ -s "$dir/proto/out" ] || [ "$(wc -l < "$dir/proto/err")" -ne 1 ] ||
        ! sed 's/^regs\.def:[1-9][0-9]*: //' "$dir/proto/err" | grep -qxF "$2"; then
        fail "$1: '$2' expected, but: $(cat "$dir/proto/err")"
    fi
}
row() { printf 's/^%s(%s, [^,]*, [^,]*,/%s(%s, %s,/' "$1" "$2" "$1" "$2" "$3"; } # other place and width

# One row is wrong: a neighbour overlaps or a gap opens, inside and at either end, in a layout and in a register.
refused "$(row PART 'EVENT, LINK' '53, 6')" 'EVENT: LINK overlaps the row before it (lsb 53); at least 54'
refused "$(row PART 'EVENT, LINK' '55, 5')" 'EVENT: a gap before LINK (bits 54..54); name it with a SPARE'
refused "$(row PART 'EVENT_FAULT, KIND' '0, 4')" 'EVENT_FAULT: a gap before WHAT (bits 4..4); name it with a SPARE'
refused "$(row PART 'EVENT_FAULT, KIND' '0, 6')" 'EVENT_FAULT: WHAT overlaps the row before it (lsb 5); at least 6'
refused "$(row PART 'EVENT_FAULT, NUMBER' '7, 14')" 'EVENT_FAULT: a gap at the end (bits 21..21); name it with a SPARE'
refused "$(row PART 'EVENT_FAULT, NUMBER' '7, 16')" 'EVENT_FAULT: NUMBER ends beyond the word (lsb 7, width 16); limit 22 bits'
refused "$(row PART 'EVENT_FAULT, NUMBER' '4294967295, 15')" 'EVENT_FAULT: NUMBER ends beyond the word (lsb 4294967295, width 15); limit 22 bits'
refused "$(row PART 'EVENT, STAMP' '0, 0')" 'EVENT: STAMP has a width of 0 bits; limit 1..32'
refused "$(row PART 'EVENT, STAMP' '0, 33')" 'EVENT: STAMP has a width of 33 bits; limit 1..32'
refused '/^SPARE(PLAY_RECORD, 25/d' 'PLAY_RECORD: a gap before MARK (bits 28..25); name it with a SPARE'
refused "$(row FIELD 'LINK, PARTNER' '8, 9')" 'LINK: SPARE overlaps the row before it (lsb 14); at least 17'
refused '/^SPARE(LINK, 2/d' 'LINK: a gap before PARTNER (bits 7..2); name it with a SPARE'
refused "$(row FIELD 'SHAPE, FEEDBACK' '29, 4')" 'SHAPE: FEEDBACK ends beyond the word (lsb 29, width 4); limit 32 bits'
refused 's/^PART(EVENT_EDGE, HALF,/PART(EVENT_EDGE, LEVEL,/' "EVENT_EDGE: LEVEL used twice, first in line $(grep -n '^PART(EVENT_EDGE, LEVEL,' rtl/proto/regs.def | cut -d: -f1); each name once"
refused 's/^PART(EVENT_EDGE, HALF,/PART(EVENT_EGDE, HALF,/' 'EVENT_EGDE: neither a register nor a layout; a row belongs to one of either'
refused 's/^LAYOUT(FAULT_DRIFT, 32,/LAYOUT(FAULT_JITTER, 32,/' 'FAULT_DRIFT: neither a register nor a layout; a row belongs to one of either'
refused 's/^LAYOUT(PACKET, 24,/LAYOUT(PACKET, 1025,/' 'PACKET: a layout of 1025 bits; limit 1..1024'
refused '/^PART(PACKET_PLAY,/d' 'PACKET_PLAY: no field; at least one'
# Each layout of events has a kind.
refused 's/^LAYOUT(EVENT_CLOCK, 22,/LAYOUT(EVENT_CLOCK, 23,/;s/^SPARE(EVENT_CLOCK, 1, 21)/SPARE(EVENT_CLOCK, 1, 22)/' \
    'EVENT_CLOCK: a layout of 23 bits; limit 22, as the value, or 64, as the event'
refused 's/^EVENT(TDMA, 11,/EVENT(TDMB, 11,/' 'TDMB: no layout EVENT_TDMB; each kind of event has one'
refused "$(row PART 'EVENT_OVERFLOW, STAMP' '0, 31');$(row PART 'EVENT_OVERFLOW, COUNT' '31, 29')" 'EVENT_OVERFLOW: STAMP is not where EVENT has it; bits 31..0'
# Numbers.
refused 's/^EVENT(TDMA, 11,/EVENT(TDMA, 16,/' 'TDMA: value wider than its field (0x10); limit 4 bits'
refused 's/^EVENT(TDMA, 11,/EVENT(TDMA, 10,/' "TDMA: value used twice in the set EVENT (0xa), first in line $(grep -n '^EVENT(ALARM,' rtl/proto/regs.def | cut -d: -f1); each value once"
refused 's/^NUMBER(LINK_MODE, JOINED, 2, 2/NUMBER(LINK_MODE, LISTEN, 2, 2/' "LISTEN: name used twice in the set LINK_MODE, first in line $(grep -n '^NUMBER(LINK_MODE, LISTEN,' rtl/proto/regs.def | cut -d: -f1); each name once"
refused 's/^NUMBER(LINK_PHASE, ANY, 6,/NUMBER(LINK_PHASE, ANY, 33,/' 'ANY: a number of 33 bits; limit 1..32'
# Registers.
refused 's/^REG(SCRATCH, 0x002,/REG(SCRATCH, 0x001,/' "SCRATCH: address used twice (0x001), first by MAP_HASH in line $(grep -n '^REG(MAP_HASH,' rtl/proto/regs.def | cut -d: -f1); each word has its own"
refused 's/^REG(WATCHDOG, 0x015, RW, 100,/REG(WATCHDOG, 0x015, RW, 4096,/' 'WATCHDOG: reset value wider than the register (0x1000); limit 12 bits'

# What a row says is under the hash: place, width and name of a part, and a number.
hash_of() { sed -n 's/^#define PB_MAP_HASH //p'; }
sound=$(hash_of < rtl/proto/gen/pb_regs.h)
[ -n "$sound" ] || fail "no hash in rtl/proto/gen/pb_regs.h"
for change in "$(row PART 'EVENT_FAULT, KIND' '0, 4');$(row PART 'EVENT_FAULT, WHAT' '4, 3')" 's/^PART(EVENT_FAULT, NUMBER,/PART(EVENT_FAULT, RECORD,/' \
    's/^PART(EVENT_FAULT, WHAT, 5, 2,/PART(EVENT_FAULT, NUMBER, 5, 2,/;s/^PART(EVENT_FAULT, NUMBER, 7, 15/PART(EVENT_FAULT, WHAT, 7, 15/' \
    's/^NUMBER(LINK_PHASE, ANY, 6, 63/NUMBER(LINK_PHASE, ANY, 6, 62/' 's/^LAYOUT(FAULT_TICKS,/LAYOUT(FAULT_TIME,/;s/(FAULT_TICKS, /(FAULT_TIME, /'; do
    build "$change" || continue
    "$dir/proto/genregs" c > "$dir/proto/out" || fail "refused: $change"
    [ "$(hash_of < "$dir/proto/out")" != "$sound" ] || fail "not under the hash: $change"
done

# Pages that quote the hash of a session.
grep -rnEi '(register )?map 0x[0-9a-f]{8}|= MAP_HASH|`map_hash` \|.*0x' docs/*.md docs/*/*.md | grep -v '^docs/reference/registers.md' | grep -vi "$(echo "$sound" | tr -d u)" >&2 && fail "another hash in docs than $sound"

# A page whose tables cannot be made.
page() { # text, message
    printf '%b' "$1" | "$dir/genregs" protocol > "$dir/proto/out" 2> "$dir/proto/err" && fail "a page was taken: $1"
    grep -qxF "$2" "$dir/proto/err" || fail "$1: '$2' expected, but: $(cat "$dir/proto/err")"
}
page 'a\n<!-- regs.def: EVENTS -->\n<!-- end -->\n' 'page:2: EVENTS: no such layout; a table of a layout or KINDS, with an end of its own'
page '<!-- regs.def: EVENT -->\n<!-- regs.def: LINK -->\n' 'page:2: LINK: the table before has no end; a table of a layout or KINDS, with an end of its own'
page '<!-- regs.def: EVENT -->\nb\n' 'page:2: EVENT: the last table has no end; <!-- end --> on a line of its own'

# By hand on purpose: what holds the layouts against words and bytes from docs/reference/protocol.md. Verilog benches in tests/rtl and tests/rtl/board
# are such, too.
find host bench tests rtl/core rtl/board \( -name '*.[ch]' -o -name '*.cpp' -o -name '*.v' -o -name '*.vh' \) \
    ! -path 'tests/rtl/*' ! -path 'tests/rtl/board/*' ! -path 'bench/usb/redirect/*' ! -path 'bench/usb/chip/*' ! -path 'bench/usb/preload/*' \
    ! -path tests/bench/unit/test_layout.c ! -path tests/bench/unit/test_plan.c ! -path tests/bench/unit/test_plan_faults.c |
    LC_ALL=C sort > "$dir/proto/sources"
xargs awk -f tests/rtl/proto/typed.awk tests/rtl/proto/typed.txt < "$dir/proto/sources" >&2 || failed=1
[ $failed -eq 0 ] && echo "ok    register map: refusals, hash, no layout typed by hand"
exit $failed
