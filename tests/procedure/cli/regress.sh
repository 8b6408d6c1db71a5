#!/bin/sh
# SPDX-FileCopyrightText: The phasebench authors
# SPDX-License-Identifier: Apache-2.0
#
# Tests `phasebench regress`: what a target may be, the cases, sound nodes, broken nodes, and the forms. Prints TAP.
#
#   tests/procedure/cli/regress.sh path/to/phasebench
#
# Expected values: docs/use/regress.md; of a broken node, the finding that docs/node.md lists for the sentence that it violates.
#
# evidence: regression of firmware
#   simulated: the native node passes all cases, the reference node and the templates in Python and C pass
#   what they support; each broken node of a list fails its case
# covers: host/cli/cmd_regress.c host/procedure/regress* host/procedure/target.c host/procedure/suite host/cli/suite* docs/use/regress.md

. "$(dirname "$0")/../../cli/common.sh"

# ---------------------------------------------------------------- targets

refuses 'no target' 2 'no target given'  regress
refuses 'two targets' 2 'operand' regress native ref
refuses 'a file that is not there' 3 "'./nothing' is neither a kind of node nor a readable file: No such file" regress ./nothing
refuses 'a folder' 3 'it is a folder' regress .
echo text >text
refuses 'a text' 3 'neither an ELF or UF2 file nor a script with #!: it is a text \(5 bytes\)' regress ./text
printf '#!/bin/sh\n' >script
refuses 'a script without the right to execute it' 3 'must not be executed: .*; chmod \+x it' regress ./script
: >empty
refuses 'an empty file' 3 '\(0 bytes\)' regress ./empty
# elf FILE CLASS MACHINE: the head of a program, from the ELF specification: class 1 or 2, little endian, ET_EXEC.
elf() {
    # shellcheck disable=SC2059
    printf "$(printf '\\177ELF\\%o\\001\\001\\000\\000\\000\\000\\000\\000\\000\\000\\000\\002\\000\\%o\\%o' "$2" $(($3 % 256)) $(($3 / 256)))" >"$1"
    head -c 100 /dev/zero >>"$1"
}
elf mips 1 8
refuses 'a MIPS image' 3 "'./mips' is a program for MIPS, and the bench has no emulator of it" regress ./mips
elf avr 1 83
refuses 'an AVR image' 3 "a program for AVR, .*give 'exec:build/simavr-node ./avr'" regress ./avr
elf riscv 1 243
refuses 'an empty RISC-V image' 3 'riscv is no firmware image: .*; build it again' regress ./riscv
elf arm 1 40
refuses 'an empty Arm image' 3 'arm is no firmware image: .*; build it again' regress ./arm
elf wide 2 243
refuses 'a RISC-V image of 64 bits' 3 'a program for RISC-V, and the bench has no emulator of it' regress ./wide
elf other 1 9999
refuses 'an image of an unknown machine' 3 'a program for another machine' regress ./other
head -c 30 riscv >short
refuses 'a truncated image' 3 'is cut off: 30 bytes' regress ./short
# A program header that ends behind what is read of a file, and has no size.
head -c 5000 "$bin" >odd
printf '\377\017\000\000' | dd of=odd bs=1 seek=32 conv=notrunc 2>dd.log
printf '\000\000\377\377' | dd of=odd bs=1 seek=54 conv=notrunc 2>dd.log
refuses 'a program header beyond the head of the file' 3 'odd' regress ./odd --only dimensions
refuses 'a kind that does not exist' 3 "'nativ' is neither a kind" regress nativ
refuses 'a kind with an argument that it does not take' 3 'neither a kind' regress native:x
refuses 'a command that does not exist' 3 "cannot start './no-such-node'" regress exec:./no-such-node --only dimensions
printf '#!/bin/sh\nexit 3\n' >ends && chmod +x ends
refuses 'a program that is no node' 3 'did not greet, it exited with code 3' regress ./ends --only dimensions
refuses 'a recording' 2 'a recording holds one run' regress native --rig replay:x
refuses 'a rig that carries one run, several at a time' 2 '--jobs is 2' regress board --rig ftdi: -j 2
refuses 'an address beyond the cube' 2 '--address is 0x8, a cube of 3 dimensions has 0 to 0x7' regress native --dims 3 --address 8
refuses 'a misspelt case' 2 "--only: no case has the name 'full-laod'" regress native --only dimensions,full-laod
refuses 'a misspelt case to skip' 2 "--skip: no case has the name 'x\\*'" regress native --skip 'x*'
refuses 'nothing chosen' 2 'every case was skipped' regress native --only soak
refuses 'a key that link does not have' 3 'unknown key' regress native --link 'bad: 1' --only dimensions

exits 'the list of the cases' 0 regress --list
sed 's/^\([a-z-]*\) *\(.*\)$/| `\1` | \2 |/' out >listed
sed -n '/^## The cases/,/^What varies/p' "$root/docs/use/regress.md" | grep '^| `' >documented
cmp -s listed documented && [ "$(wc -l <listed)" -ge 40 ]
point '... is that of docs/use/regress.md' $?

# ---------------------------------------------------------------- sound nodes

quick='own-messages,dimensions,forwarding,queue-order,clock-missing-edge,sync-extra,frame-framing,codec-starc,rule-other,drive-push-pull'
exits 'the firmware of this repository' 0 regress native --dims 3 --only "$quick" --out native --junit native.xml
says '... all cases' '^10 scenarios: 10 pass, 0 marginal, 0 fail, 0 inconclusive, 0 not judged(; not checked: .*)?$'
[ -s native/index.html ] && [ -s native/forwarding/report.html ] && grep -q 'tests="10" failures="0" errors="0" skipped="0"' native.xml
point '... its reports' $?
exits 'a case repeated from its file' 0 run native/clock-missing-edge.yaml --json
cp out alone.json
exits '... alone' 0 regress native --dims 3 --only clock-missing-edge --out again --json
[ "$(grep '"transmissions"' alone.json)" = "$(grep '"transmissions"' out)" ]
point '... has the same result' $?
exits 'the reference node: what it does not know is skipped' 0 regress ref --dims 3 --only "$quick" --out ref --json
figures '... two cases' pass 8 skipped 2 not_judged 0
exits '... as TAP' 0 regress ref --dims 3 --only 'dimensions,codec-starc' --out ref --tap
says '... with SKIP' '^ok 2 - codec-starc # SKIP'
says '... and what was not checked' 'not_checked:|- what: "node 0x[0-9A-F]+: its counters [(]console command T[)]'
grep -q 'not_checked' ref/result.json && grep -q 'Not checked</b>: .*its counters (console command T) in 1' ref/index.html
point '... in the index, too' $?
exits 'a node without counters' 0 regress ref --dims 3 --only dimensions --out ref --junit ref.xml
says '... does not look whole' '^1 scenario: 1 pass, .*; not checked: .*its counters [(]console command T[)] in 1.* of 1 scenarios$'
grep -q 'PROPERTY|not checked=node 0x[0-9A-F]*: its counters (console command T)' ref.xml
point '... in JUnit, too' $?
exits 'a case that nothing is left of' 2 regress ref --only codec-starc --out none
if command -v python3 >/dev/null; then
    cp "$root"/docs/examples/*.py .
    exits 'a process in the present folder' 0 regress 'exec:python3 my_node.py' --dims 3 --only "$quick" --out mine --junit mine.xml
    says '... what it refuses is skipped' '^10 scenarios: 8 pass, 0 marginal, 0 fail, 0 inconclusive, 0 not judged, 2 skipped(; not checked: .*)?$'
    grep -q 'skipped="2"' mine.xml && grep -q '<skipped message=".*did not greet, .*the slot codec' mine.xml
    point '... with its own words' $?
    chmod +x my_node.py && mkdir -p elsewhere && mv my_node.py phasebench_node.py elsewhere
    exits 'a script by its path' 0 regress elsewhere/my_node.py --dims 3 --only dimensions --out by-path
    exits '... and its scenario from anywhere' 0 run by-path/dimensions.yaml --json
    sed 's/self.queue.append(message)/self.queue.insert(0, message)/' elsewhere/my_node.py >elsewhere/lifo.py && chmod +x elsewhere/lifo.py
    exits 'a script with a queue the wrong way round' 1 regress elsewhere/lifo.py --dims 4 --only dimensions,queue-order --out lifo
    says '... fails where messages wait' '^fail *lifo/queue-order.yaml'
fi
if command -v "${CC:-cc}" >/dev/null; then
    for template in my_firmware my_pins; do
        "${CC:-cc}" -shared -fPIC -I"$root/host/include" -I"$root/docs/examples" -o $template.so "$root/docs/examples/$template.c"
    done
    exits 'a library' 0 regress ./my_firmware.so --dims 3 --only "$quick" --out library
    says '... what it refuses is skipped' '^10 scenarios: 8 pass, 0 marginal, 0 fail, 0 inconclusive, 0 not judged, 2 skipped(; not checked: .*)?$'
    exits 'a library without console' 0 regress ./my_pins.so --dims 3 --only "$quick" --no-console --out pins
    says '... has no case with own messages' '^10 scenarios: 6 pass, 0 marginal, 0 fail, 0 inconclusive, 0 not judged, 4 skipped(; not checked: .*)?$'
    printf 'int nothing;' | "${CC:-cc}" -c -x c -o object.o -
    refuses 'an object file' 3 'object' regress ./object.o --only dimensions
fi
exits 'two seeds' 0 regress native --dims 3 --only clock-extra-edge-sending --seeds 2 --seed 7 --out seeds --quiet
seed() { sed -n 's/^seed: //p' "seeds/clock-extra-edge-sending$1.yaml"; }
[ "$(seed -2)" -eq $(($(seed '') + 1)) ] # each case has seeds of its own
point '... are two cases' $?
# The lowest bit of the seed of a scenario says what clears the counters of a fault after the run.
exits 'a node whose Z leaves the counters of a fault, with an even seed' 1 regress contract --defect clears_but_faults --dims 3 --only clock-missing-edge --seed 8 --seeds 2 --out cleared
says '... fails in the first repetition, in which Z must clear them' '^clock-missing-edge +fail '
says '... and passes in the second, in which a reset must' '^clock-missing-edge-2 +pass '
exits 'the whole suite' 0 regress native --dims 3 --overflow --quiet --out whole
[ "$(sed -n 's/.*extra_sync.* phase: \([0-9]*\)}$/\1/p' whole/sync-extra.yaml | sort -u | tr -d '\n')" = 12345 ]
point '... TDMA_SYNC out of turn in each phase' $?
grep -q 'the fullest node holds 32; 0x1 on the rig 32 of 40"' whole/queue-depth/result.json &&
    grep -q 'the fullest node holds 40; 0x1 on the rig 40 of 40; 8 dropped"' whole/queue-overflow/result.json
point '... fills the node to 32 messages, and to its room' $?
# Two dimensions have one message alone that distinguishes the rules: that of the node.
for rule in ecube opportunistic; do
    exits "a node of 2 dimensions that routes by another rule than $rule" 1 regress contract --dims 2 --rule $rule --defect keeps_rule --seeds 2 --only rule-other --out rule
    says '... fails with each seed' '2 fail'
done
exits 'another room' 1 regress 'exec:python3 elsewhere/my_node.py' --dims 4 --node 'room: 64' --overflow --only queue-overflow --out room
grep -q '0x3 on the rig 64 of 64; 8 dropped"' room/queue-overflow/result.json
point '... is what the case exceeds' $?
refuses 'a room below that of the contract' 3 'room' regress 'exec:python3 elsewhere/my_node.py' --node 'room: 31' --only queue-depth
refuses 'a room of a kind that has one' 3 "kind 'native' does not take it" regress native --node 'room: 64' --only queue-depth
exits '... of one dimension' 0 regress native --dims 1 --quiet --out one --skip 'clock-*,frame-*,line-*'
says '... where a node forwards nothing' '5 skipped'
exits 'soak' 0 regress native --dims 3 --soak 600 --only soak --out soak --json
[ "$(sed -n 's/.*"settings": .*"superframes": \([0-9]*\),.*/\1/p' out)" -ge 200 ]
point '... is as long as ordered' $?
exits 'keys of the command line' 0 regress native --dims 3 --link 'baud: 500 kbaud, phase_rate: 5 kHz' --node 'irq_latency: 3 us' --only dimensions,link-fast --out keys
grep -q '^link: {baud: 2 Mbaud, phase_rate: 20 kHz, guard: 10 us}$' keys/link-fast.yaml && grep -q 'irq_latency: 3 us' keys/dimensions.yaml
point '... are in each case, but for those that it has itself' $?

# ---------------------------------------------------------------- two builds

exits 'a target against itself' 0 regress contract --dims 2 --only dimensions --out new --compare contract
says '... nothing became worse' '^compared .* 0 for the worse'
exits 'a later start against the folder of the old result' 1 regress contract --dims 2 --only dimensions --out late --defect late_start --compare new
says '... is worse' '^! verdict    pass, now fail'
says '... by 4 us, the amount of the defect' '^\* node_start/link0 +mean +5\.0[0-9]+ +9\.0[0-9]+ +\+[34]\.[09][0-9]+ '
refuses 'an old target that is none' 3 "neither a kind of node" regress native --dims 2 --only dimensions --out new --compare ./nothing
refuses 'a comparison as JSON' 2 'compare prints a table' regress native --compare native --json
exits 'the results of both' 1 compare new/result.json late/result.json

# ---------------------------------------------------------------- broken nodes

exits 'a defect by the option' 1 regress contract --dims 3 --defect late_start --only dimensions --out late --quiet
says '... fails the case' '^fail *late/dimensions.yaml: '

# Each with the case that asks for the sentence, and one of the findings that docs/node.md names for it.
while read -r defect case finding; do
    sed "s/kind: \"native\"/kind: contract, defect: $defect/" "whole/$case.yaml" >broken.yaml
    run run broken.yaml --json
    [ "$code" -eq 1 ] && grep -Eq "\"id\": \"($finding)\"" out
    point "$defect fails $case" $?
done <<'CASES'
wrong_order full-load missing_frame
phase_off own-messages missing_frame
late_start own-messages late_start
no_release clock-extra-edge-sending unexpected_activity
tail_pulse own-messages glitch|guard_violation
takes_bad_crc frame-wrong-bytes unexpected_activity|counter_error
crc_uncounted frame-wrong-bytes counter_error
crc_lowest_bit frame-wrong-bytes unexpected_activity|counter_error
crc_low_bits frame-wrong-bytes unexpected_activity|counter_error
crc_but_highest frame-wrong-bytes unexpected_activity|counter_error
crc_but_link frame-wrong-bytes unexpected_activity|counter_error
crc_but_own frame-wrong-bytes counter_error
crc_but_outside frame-wrong-bytes unexpected_activity|counter_error
takes_bad_stop frame-framing unexpected_activity|counter_error
stop_last_only frame-framing counter_error
stop_but_last frame-framing unexpected_activity|counter_error
takes_short frame-short unexpected_activity|counter_error
takes_bare frame-short unexpected_activity|counter_error
length_uncounted frame-long counter_error
counts_on sync-missing missing_frame|outside_phase|unexpected_activity
step_ignored clock-missing-edge missing_frame|unexpected_activity|outside_phase
starts_known start-late-sync outside_phase|unexpected_activity
joins_late start-late-sync missing_frame|outside_phase|unexpected_activity
timer_phase clock-late-edge missing_frame|outside_phase|unexpected_activity|counter_error
debounces clock-extra-edge-sending missing_frame|unexpected_activity
drives_frame line-second-driver line_held_high
small_room queue-depth missing_frame|counter_error
drops_oldest queue-overflow missing_frame|wrong_bytes
stuck_full queue-overflow missing_frame
full_uncounted queue-overflow counter_error
forgets sync-missing-queue missing_frame|wrong_bytes
step_forgets sync-extra-queue missing_frame|wrong_bytes
step_forgets_own sync-extra-queue missing_frame|wrong_bytes
edge_forgets_own clock-extra-edge-queue missing_frame|wrong_bytes
edge_forgets clock-extra-edge-queue missing_frame|wrong_bytes
gap_forgets_own clock-missing-edge-queue missing_frame|wrong_bytes
gap_forgets clock-missing-edge-queue missing_frame|wrong_bytes
last_first queue-order wrong_bytes
drops_frame forwarding missing_frame
takes_outside frame-outside unexpected_activity|counter_error
outside_highest frame-outside unexpected_activity|counter_error
keeps_rule rule-other unexpected_activity|missing_frame|wrong_bytes
keeps_rule own-messages unexpected_activity|missing_frame|wrong_bytes
own_first queue-order wrong_bytes
alters_payload forwarding wrong_bytes
repeats_sequence own-messages wrong_bytes|console_error
echo_elsewhere dimensions missing_frame|wrong_bytes|unexpected_activity
echo_altered queue-order wrong_bytes
echo_routes own-messages missing_frame|wrong_bytes|unexpected_activity
echo_stays forwarding missing_frame|wrong_bytes|unexpected_activity
keeps_sequence own-messages wrong_bytes|console_error
slow_forward full-load missing_frame
swapped_links dimensions outside_phase|line_short|missing_frame
baud_off own-messages baud_error
CASES
finish
