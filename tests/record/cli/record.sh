#!/bin/sh
# SPDX-FileCopyrightText: The phasebench authors
# SPDX-License-Identifier: Apache-2.0
#
# Recordings and the monitor as a user meets them. Prints TAP.
#
#   tests/record/cli/record.sh path/to/phasebench
# covers: host/record host/rig host/run/monitor* host/cli/cmd_monitor.c host/cli/monitor*

. "$(dirname "$0")/../../cli/common.sh"
scenarios=$root/host/scenarios

# ---------------------------------------------------------------- a replay is the same run

for pair in demo:0 cube4-ref:0 opportunistic:0 broken/flipped-bit:1 broken/silent:1; do
    name=${pair%:*} wanted=${pair#*:}
    exits "$name is recorded" "$wanted" run "$scenarios/$name.yaml" --record a.rec --force --json
    cp out live.json
    exits "$name is replayed" "$wanted" run --rig replay:a.rec --json
    cp out again.json
    same "$name: the same result" live.json again.json
done
exits 'a run that loses events is recorded' 5 run "$scenarios/complement.yaml" --rig 'sim:?port=uart' --capture edges --record a.rec --force --json
cp out live.json
exits '... and replayed' 5 run --rig replay:a.rec --json
cp out again.json
same '... with the same losses' live.json again.json

exits 'a run by bytes is recorded' 0 run "$scenarios/ref.yaml" --rig 'sim:?port=uart' --record a.rec --force --json
says '... by bytes' '"capture": "bytes"'
cp out live.json
exits '... and replayed' 0 run --rig replay:a.rec --json
cp out again.json
same '... by bytes as well' live.json again.json
refuses 'what was captured is in the recording' 2 'leave out --capture' run --rig replay:a.rec --capture edges
run run "$scenarios/ref.yaml" --seed 7 --superframes 9 --record b.rec --json
cp out live.json
exits 'seed and superframes are in the recording' 0 run --rig replay:b.rec --json
says 'seed 7' '"seed": "7"'
says '9 superframes' '"superframes": 9'
says 'the line that repeats it needs nothing else' '"command": "phasebench run --rig replay:b.rec"'
cp out again.json
same 'and so is all else' live.json again.json
exits 'the same scenario may be given' 0 run "$scenarios/ref.yaml" --rig replay:b.rec --quiet
exits 'and the same seed' 0 run --rig replay:b.rec --seed 7 --superframes 9 --quiet
refuses 'but no other scenario' 3 'demo\.yaml.* is not what was recorded from .*ref\.yaml' run "$scenarios/demo.yaml" --rig replay:b.rec
refuses 'and no other seed' 2 'has seed 7 and 9 superframes, not 8 and 9' run --rig replay:b.rec --seed 8
refuses 'and no other length' 2 'leave out --seed' run --rig replay:b.rec --superframes 10
exits 'a replay is recorded' 0 run --rig replay:b.rec --record c.rec --json
exits '... and replayed' 0 run --rig replay:c.rec --json
cp out again.json
same '... with the same result' live.json again.json
rm -rf phasebench-out
run run "$scenarios/broken/late-start.yaml" --record late.rec
exits 'a replay of a failure' 1 run --rig replay:late.rec --out again
[ -s again/report.html ] && [ -s again/result.json ] && [ -s again/failure.fst ] && [ ! -e again/failure.gtkw ]
point '... has the waveform of its pins, and the other files' $?

exits 'demo is recorded' 0 demo --quiet --record demo.rec
exits '... and replayed by run' 0 run --rig replay:demo.rec --quiet
exits 'selftest is recorded' 0 selftest --record self.rec
exits '... and replayed' 0 selftest --rig replay:self.rec
[ "$(grep -c '^pass  ' out)" -eq 5 ]
point 'five rungs pass' $?
refuses 'run does not replay a self-test' 3 "recorded by 'phasebench selftest'" run --rig replay:self.rec
refuses 'selftest does not replay a run' 3 "recorded by 'phasebench run'" selftest --rig replay:b.rec

# ---------------------------------------------------------------- usage

refuses 'a recording holds one scenario' 2 'one scenario, 2 are given' run "$scenarios/ref.yaml" "$scenarios/demo.yaml" --record x.rec
[ ! -e x.rec ]
point '... and nothing was made' $?
refuses 'replay of two scenarios' 2 'one scenario' run "$scenarios/ref.yaml" "$scenarios/demo.yaml" --rig replay:b.rec
refuses 'replay: without a file' 2 'names no file' run --rig replay:
refuses '--force without --record' 2 'is for --record' run "$scenarios/ref.yaml" --force
exits '--trace on a replay of a run that passes' 0 run --rig replay:b.rec --trace --json
refuses 'no scenario and no recording' 2 'nothing would be tested' run

# ---------------------------------------------------------------- files that cannot be written

echo precious >precious
refuses 'an existing file is kept' 4 "'precious' exists already.*--force" run "$scenarios/ref.yaml" --record precious
grep -q precious precious
point '... as it was' $?
exits '--force replaces it' 0 run "$scenarios/ref.yaml" --record precious --force --quiet
exits '... by a recording' 0 run --rig replay:precious --quiet
mkdir folder
refuses 'a folder' 4 "cannot record to 'folder'" run "$scenarios/ref.yaml" --record folder --force
refuses 'below a plain file' 4 'Not a directory' run "$scenarios/ref.yaml" --record precious/x
mkfifo fifo
refuses 'a FIFO' 4 "cannot record to 'fifo'" run "$scenarios/ref.yaml" --record fifo --force
refuses 'over the recording being replayed' 2 'rig and --record name one file' run --rig replay:b.rec --record b.rec --force
exits '... which is whole as before' 0 run --rig replay:b.rec --quiet
if [ -c /dev/full ]; then
    refuses 'a full disk' 4 'No space left on device.*free some space' run "$scenarios/ref.yaml" --record /dev/full --force
fi
command='a run whose recording may have 100 KiB'
(
    ulimit -f 200 # in 512 bytes; the whole one has 131 kB, the result 87 kB
    exec "$bin" run "$scenarios/demo.yaml" --record small.rec --json >out 2>err </dev/null
)
code=$?
[ "$code" -eq 4 ] && grep -q '"incomplete": "the run ends in .*cannot write the recording' out && [ "$(wc -l <err)" -eq 1 ] &&
    grep -q 'cannot write the recording' err
point 'a disk that becomes full: one line, exit 4, and what was observed' $?
exits '... and what was written can be replayed' 5 run --rig replay:small.rec --quiet
says '... up to there' 'the recording ends in superframe [0-9]+ of 14, phase '

# ---------------------------------------------------------------- runs that were broken off

# broken_off NAME SIGNAL CODE REGEX: ends a long run with the signal; its replay reports why it ends.
broken_off() {
    rm -f off.rec
    "$bin" run "$scenarios/complement.yaml" --superframes 2000 --json --record off.rec >out 2>err </dev/null &
    pid=$!
    in_midst off.rec
    if [ "$2" = KILL ]; then
        refuses 'two hosts do not write one recording' 4 'another program' run "$scenarios/ref.yaml" --record off.rec --force
        exits 'one that is being written can be replayed' 5 run --rig replay:off.rec --quiet
        says '... as far as it goes' 'still being written'
    fi
    kill "-$2" "$pid"
    wait "$pid" 2>/dev/null
    code=$? command="kill -$2 after $second s"
    [ "$code" -eq "$3" ]
    point "$1" $?
    exits "$1: replayed" 5 run --rig replay:off.rec --quiet
    says "$1: inconclusive" "^inconclusive .*the recording ends in superframe [0-9]+ of 2000, phase .*$4"
}
broken_off 'interrupted' INT 130 'interrupted'
broken_off 'killed' KILL 137 'the file ends '
exits 'timed out' 124 run "$scenarios/complement.yaml" --superframes 2000 --timeout 1 --json --record time.rec
run run --rig replay:time.rec --quiet
[ "$code" -eq 5 ] && { grep -q 'limit of 1 s' out || grep -q 'limit of 1 s' err; }
point 'timed out: replayed' $?

# ---------------------------------------------------------------- damage

size=$(wc -c <demo.rec)
for part in 1 2 3 4 5 6 7 8 9; do
    head -c $((size * part / 10)) demo.rec >cut.rec
    run run --rig replay:cut.rec --quiet
    [ "$code" -eq 5 ]
    point "cut off at $part/10" $?
done
head -c $((size - 1)) demo.rec >cut.rec
exits 'without its last byte' 5 run --rig replay:cut.rec --quiet
head -c 12 demo.rec >cut.rec
refuses 'twelve bytes' 3 'not a recording' run --rig replay:cut.rec
self=$(wc -c <self.rec)
head -c $((self - 1)) self.rec >cut.rec
run selftest --rig replay:cut.rec
[ "$code" -eq 5 ]
point 'a self-test without its last byte' $?
for part in 1 3 5 7 9; do
    at=$((size * part / 10))
    { head -c "$at" demo.rec && printf '\252\125' && tail -c +$((at + 3)) demo.rec; } >bad.rec
    refuses "other bytes at $part/10" 3 "damaged.*copy it anew" run --rig replay:bad.rec
done
refuses 'a scenario is no recording' 3 'not a recording' run --rig "replay:$scenarios/ref.yaml"
: >empty
refuses 'an empty file' 3 'not a recording' run --rig replay:empty
refuses 'a missing file' 3 'No such file' run --rig replay:none
refuses 'a directory' 3 'is a directory' run --rig replay:folder
refuses 'a FIFO to replay' 3 'no regular file' run --rig replay:fifo

# ---------------------------------------------------------------- monitor

exits 'monitor of a scenario' 0 monitor "$scenarios/demo.yaml"
[ "$(grep -c '^superframe ' out)" -eq 14 ]
point 'one line for each superframe' $?
says 'verdict at the end' '^pass: '
says 'the lone message of 0x2A3 comes from the node' '^superframe 0  .*  N 1  B 0  '
says 'complement uses each link once each way' '^superframe 1  .*  N 12  B 12  '
! grep -q "$(printf '\033')" out
point 'no control sequences when stdout is no terminal' $?
cp out shown
exits 'monitor of its recording' 0 monitor demo.rec --speed 0
cp out replayed
command='cmp shown replayed'
cmp -s shown replayed
point 'shows the same' $?
# demo.yaml: one message, then complement (24 frames), then all pairs of 12 links, 11 + 10 + ... + 1, in and out.
[ "$(awk '/^superframe/ {for (i = 1; i < NF; i++) if ($i == "N" || $i == "B") sum += $(i + 1)} END {print sum}' shown)" -eq $((1 + 24 + 2 * 66)) ]
point 'N and B add up to the transmissions' $?
exits 'monitor --json' 1 monitor late.rec --json --speed 0
[ "$(grep -c '^{"superframe": ' out)" -gt 1 ] && tail -n 1 out | grep -q '^{"verdict": "fail".*"exit_code": 1}$'
point 'JSON lines and the verdict' $?
exits 'monitor of exchanged links' 1 monitor "$scenarios/broken/swapped-links.yaml"
says 'what is outside its phase is an alarm' '^superframe .*  alarms [1-9]'
exits 'monitor of a failure' 1 monitor --rig replay:late.rec --speed 0
begun=$(date +%s)
exits 'monitor at a fiftieth of the speed' 0 monitor demo.rec --speed 0.02
[ $(($(date +%s) - begun)) -ge 1 ]
point '33.5 ms take more than a second' $?
exits 'monitor records, too' 0 monitor "$scenarios/ref.yaml" --record m.rec
exits '... what run replays' 0 run --rig replay:m.rec --quiet
head -c $((size / 2)) demo.rec >cut.rec
exits 'monitor of a recording that was cut off' 5 monitor cut.rec --speed 0
says '... says so' '^inconclusive: the recording ends'
refuses 'monitor of nothing' 2 'give a scenario or a recording' monitor
refuses 'monitor of two' 2 "unexpected operand 'late.rec'" monitor demo.rec late.rec
refuses 'monitor --speed of a scenario' 2 'is for recordings' monitor "$scenarios/ref.yaml" --speed 2
refuses 'monitor --speed fast' 2 "speed is 'fast'" monitor demo.rec --speed fast
refuses 'monitor of a damaged recording' 3 'damaged' monitor bad.rec
refuses 'monitor of a missing file' 3 'none' monitor none
command='monitor demo.rec | true'
{
    "$bin" monitor demo.rec 2>err
    echo $? >pipe-code
} | true
code=$(cat pipe-code)
: >out
[ "$code" -eq 141 ] && [ ! -s err ]
point 'closed pipe behind the monitor: an end by SIGPIPE' $?

# terminal NAME COMMAND: runs it on a terminal, leaves what it wrote in out.
if script -qec true /dev/null >/dev/null 2>&1 </dev/null; then
    escape=$(printf '\033')
    command='monitor demo.rec --speed 0.1, on a terminal'
    TERM=xterm script -qec "stty cols 80 rows 24; '$bin' monitor demo.rec --speed 0.1" /dev/null >out 2>err </dev/null
    code=$?
    [ "$code" -eq 0 ] && grep -q "$escape\[?25l" out && tr -d '\r' <out | grep -q '^pass: '
    point 'on a terminal it draws' $?
    [ "$(grep -o "$escape\[?25[lh]" out | tail -n 1)" = "$escape[?25h" ] && [ "$(grep -o "$escape\[?1049[lh]" out | tail -n 1)" = "$escape[?1049l" ]
    point '... and gives it back' $?
    grep -q "$escape\[32m" out
    point '... in colours' $?
    tr -d '\r' <out | sed "s/$escape\[[0-9;?]*[A-Za-z]//g" | awk 'length($0) > 80 && !/^pass/ {bad = 1} END {exit bad}'
    point '... within 80 columns' $?
    grep -q 'lost 0 of' out && ! grep -q 'lost [1-9]' out
    point 'on a terminal: no event is lost, as the run says' $?
    NO_COLOR=1 TERM=xterm script -qec "'$bin' monitor demo.rec --speed 0" /dev/null >out 2>err </dev/null
    code=$?
    [ "$code" -eq 0 ] && ! grep -q "$escape\[3[0-9]m" out
    point 'NO_COLOR' $?
    TERM=xterm script -qec "'$bin' monitor demo.rec --speed 0.001 & for try in \$(seq 600); do grep -q '^SigCgt:.*[4-7c-f]...\$' /proc/\$!/status && break; sleep 0.1; done; sleep 1; kill -TERM \$!; wait \$!" /dev/null >out 2>err </dev/null
    code=$?
    [ "$code" -eq 130 ] && [ "$(grep -o "$escape\[?25[lh]" out | tail -n 1)" = "$escape[?25h" ]
    point 'the cursor comes back after SIGTERM' $?
fi

finish
