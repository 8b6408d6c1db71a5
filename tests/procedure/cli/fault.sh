#!/bin/sh
# SPDX-FileCopyrightText: The phasebench authors
# SPDX-License-Identifier: Apache-2.0
#
# Tests `phasebench fault` and scenarios with faults as a user meets them. Prints TAP.
#
#   tests/procedure/cli/fault.sh path/to/phasebench
#
# Expected values: docs/use/faults.md and docs/reference/scenario.md; the kinds and the findings that name them are counted off the
# lists in the headers.
#
# evidence: faults, receipts, detection
#   simulated: each of 24 kinds is injected, has its receipt at the scheduled tick, and is found by its name
#   within a superframe; a million clean slots without an alarm
#   also: make fault-matrix, make soak
# covers: host/check/applied.c host/check/injected.c host/cli/cmd_fault.c host/procedure/fault_matrix.c host/report/fault_matrix.c host/report/fault_forms.c docs/use/faults.md host/scenarios/faults

. "$(dirname "$0")/../../cli/common.sh"

kinds=$(sed -n 's/^    X([A-Z_]*, "\([a-z_]*\)", [A-Z]*, [A-Z]*, [A-Z_]*).*/\1/p' "$root/host/include/phasebench/fault.h")

# ---------------------------------------------------------------- the list

exits 'fault --list' 0 fault --list
listed=0
for kind in $kinds; do
    grep -Eq "^$kind +(line|clock|frame) +(any|through) +[a-z_]+ +[A-Za-z]" out && listed=$((listed + 1))
done
[ "$listed" -eq 24 ]
point 'a row for each of the 24 kinds' $?
says 'open needs the line to pass through the bench' '^open +line +through +line_open '
says 'second_driver is named contention' '^second_driver +line +any +contention '
cp out list
exits 'fault --list --json' 0 fault --list --json
[ "$(grep -c '"kind":' out)" -eq 24 ] && [ "$(grep -c '"wiring": "through"' out)" -eq 2 ]
point '24 kinds, 2 of which need the line through the bench' $?

# ---------------------------------------------------------------- usage

refuses 'no kind' 2 'no kind given' fault
refuses 'unknown kind: the nearest' 2 "unknown kind 'late_edg'; did you mean 'late_edge'" fault late_edg
refuses 'an operand too many' 2 "unexpected operand 'x'" fault late_edge "$scenarios/ref.yaml" x
refuses 'operand of --list' 2 "unexpected operand 'late_edge'" fault --list late_edge
refuses 'missing scenario' 3 'no-such\.yaml' fault late_edge no-such.yaml
refuses 'unknown rig' 2 '--rig: ' fault late_edge --rig usb:
refuses 'option that the kind does not take' 2 "--ppm: means nothing to 'jitter'" fault jitter --ppm 3
refuses '... the seed of the jitter has its own name' 2 'It takes .*--jitter-seed' fault jitter --ppm 3
refuses 'value without a unit' 2 "fault: --at: '10' has no unit" fault glitch --at 10
refuses 'value out of range' 2 "fault: --length: '3us' is out of range; give 1 ps to 999.999 ns" fault glitch --length 3us
refuses 'place outside the run' 2 'fault: --superframe: 14 is out of range; give 0 to 13' fault glitch --superframe 14
refuses 'place outside the cube' 2 'fault: --dimension: 12 is out of range' fault glitch --dimension 12
refuses 'node that is not there' 2 'fault: --node: 0x5 is not on the bench; give one of 0x2A3' fault glitch --node 5
refuses 'slot without a frame: the nearest' 3 'the nearest frame is in superframe' \
    fault framing --superframe 0 --dimension 5 --phase 10
refuses 'nothing to aim at' 2 'needs a slot in which the bench sends' fault framing --superframe 0
refuses 'frame that leaves no room' 2 'a frame of 9 bytes leaves no room.*, 9 fit; lower link.payload by 1' fault long_frame
refuses 'frame without a length field' 2 "codec slot has no length field; give link.codec starc" fault wrong_length
refuses 'cube in which each address is inside' 2 'no address outside a network of 4096 nodes; give a network of 2048 nodes or less' \
    fault outside_address
refuses 'more bytes than a payload has' 2 'fault: --bytes: 7 is out of range; give 1 to 6' fault short_frame --bytes 7
refuses 'matrix of a scenario with faults' 3 'has faults of its own' fault --matrix "$scenarios/faults/babble.yaml"

printf 'nodes: [{address: 0x2A3}]\ntraffic: [{pattern: complement}]\nfaults:\n  - {kind: stuck_low, node: 0x2A3}\n' >bad.yaml
refuses 'fault without a place: line' 3 'bad\.yaml:4: faults\[0\]\.superframe: is missing' run bad.yaml
printf 'nodes: [{address: 0x2A3}]\ntraffic: [{pattern: complement}]\nfaults:\n  - {knd: stuck_low}\n' >bad.yaml
refuses 'unknown key of a fault: line and nearest' 3 "bad\.yaml:4: unknown key 'knd' in faults\[0\]; did you mean 'kind'" \
    run bad.yaml
printf 'nodes: [{address: 0x2A3}]\ntraffic: [{pattern: complement}]\nfaults:\n' >bad.yaml
for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16; do
    echo "  - {kind: stuck_low, node: 0x2A3, dimension: 3, superframe: 0, phase: 2, at: $i us}" >>bad.yaml
done
refuses 'more faults at a time than fault units' 3 'act at the same time in superframe 0, phase 2' run bad.yaml

# ---------------------------------------------------------------- one fault

for kind in stuck_low missing_edge wrong_bytes short_frame; do
    finding=$(awk -v kind="$kind" '$1 == kind {print $4}' list)
    exits "fault $kind" 0 fault "$kind" "$scenarios/ref.yaml"
    says "$kind: what and where" "^fault +$kind: "
    says "$kind: its receipt" '^receipt +began [0-9.]+ us after the first phase edge, lasted [0-9.]+ us$'
    says "$kind: found by its name" "^found +as $finding, [0-9.-]+ phases after it began"
    says "$kind: verdict" '^pass '
done
# Clock faults on other nodes than the matrix has: one that leaves a frame in the middle when the clock rises there, and a
# whole cube in which a message leaves a superframe early.
for kind in $(awk '$2 == "clock" {print $1}' list); do
    exits "fault $kind on the reference node blames nobody" 0 fault "$kind" "$scenarios/ref.yaml" --quiet
done
for kind in missing_edge extra_edge; do
    exits "fault $kind on a whole cube blames nobody" 0 fault "$kind" "$scenarios/cube4-ref.yaml" --quiet
done
exits 'fault with its place and amounts' 0 fault late_edge "$scenarios/ref.yaml" --superframe 2 --phase 5 --amount 3us
says '... there' 'superframe 2, phase 5, at the phase clock'
says '... of that length' '^receipt .* lasted 3\.000 us$'
exits 'jitter without end' 0 fault jitter "$scenarios/ref.yaml" --superframe 3
says '... lasts as long as the run' '^receipt .*(to the end of the run|lasted)'
exits 'fault --json is a result' 0 fault glitch "$scenarios/ref.yaml" --json
cp out fault.json
says '... with the line that repeats it' '"command": "phasebench fault glitch .*/ref\.yaml --seed 1"'
exits '... that can be read back' 0 report fault.json
exits 'fault --out' 0 fault framing "$scenarios/ref.yaml" --out there
[ -s there/report.html ] && [ -s there/result.json ] && grep -q 'there/report.html' out
point '... leaves report and result' $?

# Half waves below, at and above half a bit, next to frames of either.
for amount in 250ns 500ns 750ns; do
    for phase in 0 1; do
        exits "second_driver of $amount in phase $phase" 0 fault second_driver "$scenarios/ref.yaml" --superframe 1 \
            --dimension 0 --phase $phase --amount $amount --quiet
        says '... is named' '^found +as contention,'
    done
done

# A cut in a phase in which only the node sends, for the whole of it and for a part of its frame.
for where in '--at 0us --length 100us' '--at 50us --length 20us'; do
    exits "open where the node sends ($where)" 0 fault open "$scenarios/ref.yaml" --superframe 1 --dimension 0 --phase 1 $where --quiet
    says '... is named' '^found +as line_open,'
done

# ---------------------------------------------------------------- several at once

# Node 0x2A3 has bit 3 clear and bit 5 set: complement traffic comes in on dimension 3 in phase 7, leaves on 5 in phase 11.
for place in 'phase: 7, dimension: 3, superframe: 1' 'phase: 11, dimension: 5, superframe: 1' 'phase: 4, dimension: 3, superframe: 1'; do
    printf 'nodes: [{address: 0x2A3, kind: ref}]\ntraffic: [{pattern: complement, repeat: 3}]\nfaults:\n' >glitches.yaml
    for i in 1 3 4 6; do # in the stop bits of bytes 1, 3, 4 and 6: 5 us, and 10 us a byte
        echo "  - {kind: glitch, node: 0x2A3, $place, at: ${i}4.3 us, length: 200 ns}" >>glitches.yaml
    done
    exits "four glitches in one phase ($place)" 0 run glitches.yaml --json
    [ "$(grep -c '"detected": true' out)" -eq 4 ] && [ "$(grep -c '"explains": 1' out)" -eq 4 ]
    point '... each found by its own pulse' $?
done

# ---------------------------------------------------------------- scenarios and the matrix

for file in "$scenarios"/faults/*.yaml; do
    exits "$(basename "$file") passes" 0 run "$file" --quiet --out faults
done

exits 'the matrix is right' 0 fault --matrix --markdown
[ "$(grep -c '^| `[a-z_]*` | [-a-z]* | [-0-9]* | [-a-z_]* | [-0-9.]* | pass |$' out)" -eq 25 ]
point '24 kinds and a run without a fault' $?
grep -q '^| `none` | - | - | - | - | pass |$' out
point 'nothing is found without a fault' $?
named=0
for kind in $kinds; do
    finding=$(awk -v kind="$kind" '$1 == kind {print $4}' list)
    grep -q "^| \`$kind\` | yes | 0 | $finding | " out && named=$((named + 1))
done
[ "$named" -eq 24 ]
point 'each at its tick and found by its name' $?
awk '/<!-- end of the matrix -->/ {on = 0} on {print} /<!-- matrix -->/ {on = 1}' "$root/docs/use/faults.md" | cmp -s - out
point 'it is the one in docs/use/faults.md' $?

# By bytes alone all but a glitch are found, on a small cube.
cat >cube3.yaml <<'END'
cube: {dims: 3}
link: {payload: 5 bytes}
superframes: 6
nodes: [{address: 5, kind: ref}]
traffic:
  - {from: 5, to: 2}
  - {pattern: complement, superframe: 1}
  - {from: 5, to: 2, superframe: 2}
  - {pattern: complement, superframe: 4}
END
# Cores as boards have them: what one lacks is left out and named, and refused by name when it is asked for.
exits 'the matrix of a core without fault units' 0 fault --matrix cube3.yaml --rig 'vusb:?mode=fifo&faults=none'
[ "$(grep -c ' not on this core$' out)" -eq 14 ] && [ "$(grep -c ' pass$' out)" -eq 10 ]
point '... has nine of slot frames and the run without' $?
says '... but not the one that a frame without a length field cannot have' '^wrong_length .* not with these frames$'
says '... and says so' '^this core has no fault units: only faults of slot frames$'
refuses 'a fault that needs a unit' 3 "'stuck_low' needs a fault unit, this core has 0" fault stuck_low --rig 'vusb:?mode=fifo&faults=none'
refuses 'a fault that one unit lacks' 3 "'slow_rise' needs fault units that follow the level of a line" \
    fault slow_rise --rig 'vusb:?mode=fifo&faults=one'
exits 'doctor asks a core' 0 doctor --rig 'vusb:?faults=one'
says '... and says what it can do' '^ok +core +12 links, 1 node port, [0-9]+ Hz; 1 fault unit: all kinds but short and slow_rise$'
exits 'doctor asks one that does not answer' 0 doctor --rig 'vusb:?device=silent'
says '... and warns' '^warn +core '
refuses 'doctor of no rig' 2 'unknown rig' doctor --rig nonsense:

exits 'the matrix by bytes is right' 0 fault --matrix cube3.yaml --capture bytes
says 'a glitch is not sought' '^glitch +yes +0 +not sought +- +pass$'
says '... and the end says why' '^1 not sought: only edges show it'
named=0
for kind in $kinds; do
    finding=$(awk -v kind="$kind" '$1 == kind {print $4}' list)
    grep -Eq "^$kind +yes +0 +$finding +[0-9.]+ +pass\$" out && named=$((named + 1))
done
[ "$named" -eq 22 ]
point 'the 22 others are found by their names' $?
exits 'a glitch on a link without edges' 0 fault glitch cube3.yaml --capture bytes
says '... is not claimed to be found' '^found +not sought'
says '... not by the verdict either' 'except 1 that leaves nothing to see'

finish
