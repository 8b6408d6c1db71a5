#!/bin/sh
# SPDX-FileCopyrightText: The phasebench authors
# SPDX-License-Identifier: Apache-2.0
#
# The verb shmoo from outside. Prints TAP.
#
#   tests/procedure/cli/shmoo.sh path/to/phasebench
#
# Expected values: a frame of N bytes fits when N <= (1/F - G) B / 10 (docs/reference/timing.md); a node of late starts passes up to the
# limit that the scenario sets.
#
# evidence: maps of two parameters
#   simulated: the boundary of baud rate and phase rate is where the frame fits; the search gives the map of
#   all points
# covers: host/procedure/shmoo.c host/result/shmoo.c host/report/shmoo* host/include/phasebench/shmoo.h host/cli/cmd_shmoo.c

. "$(dirname "$0")/../../cli/common.sh"

cp "$root/docs/examples/two.yaml" .

# fits CSV: whether each refused point, and no other, has a frame of 6 bytes that is too long.
fits() {
    awk -F, 'NR > 1 {fit = (1 / ($2 * 1e3) - 10e-6) * $1 * 1e3 / 10 >= 6; bad += ($3 == "refused") == fit; bad += fit && $3 != "pass"; n++}
        END {exit !(n == 81 && !bad)}' "$1"
}

exits 'baud rate and phase rate' 0 shmoo two.yaml --x 'link.baud=250..2000 kbaud' --y 'link.phase_rate=4..18 kHz' --steps 8 -j 2 \
    --csv map.csv --out folder
fits map.csv
point '... passes where the frame fits, and is refused elsewhere' $?
says '... the picture' '^ +4 kHz  [+.]+$'
says '... the operating point' '^operates at  1000 kbaud, 10 kHz: pass$'
says '... its margin' '^margin +link\.baud: [0-9.]+ kbaud downwards, more than 1000 kbaud upwards$'
[ "$(grep -c ',0,' map.csv)" -gt 10 ] && [ "$(grep -c ',1,' map.csv)" -gt 10 ]
point '... of which some do not run' $?
[ -s folder/shmoo.html ] && [ -s folder/shmoo.json ]
point '... page and JSON' $?
exits 'every point' 0 shmoo two.yaml --x 'link.baud=250..2000 kbaud' --y 'link.phase_rate=4..18 kHz' --steps 8 --full -j 2 --csv full.csv
[ "$(cut -d, -f1-3 map.csv)" = "$(cut -d, -f1-3 full.csv)" ] && ! grep -q ',0,' full.csv
point '... gives the same map' $?
# drawn CSV: points next to one with another state have all run.
drawn() {
    awk -F, 'NR > 1 {i = NR - 2; state[i] = $3; ran[i] = $4} END {
        for (i = 0; i < 81; i++) {
            if (i % 9 < 8 && state[i] != state[i + 1]) {bad += !ran[i] + !ran[i + 1]; n++}
            if (i < 72 && state[i] != state[i + 9]) {bad += !ran[i] + !ran[i + 9]; n++}
        }
        exit !(n > 8 && !bad)}' "$1"
}
# signs CSV: each sign of the picture is that of a point that ran, or of one between points that agree.
signs() {
    sed -n 's/^ *[0-9.]* kHz  \([^ ]*\)$/\1/p' out | tac | tr -d '\n' > signs
    awk -F, 'NR > 1 {printf "%s", $3 == "pass" ? ($4 ? "+" : ".") : ($4 ? "-" : "_")}' "$1" > wanted-signs
    [ "$(wc -c < signs)" -eq 81 ] && awk '{getline other < "signs"; for (i = 1; i <= 81; i++) {s = substr(other, i, 1); bad += s != "@" && s != substr($0, i, 1)}} END {exit bad > 0}' wanted-signs
}
drawn map.csv
point '... and its boundary lies between points that ran' $?
# Only the far corner of the coarse grid is refused: long frames in short phases.
run shmoo two.yaml --x 'link.payload=1..9 bytes' --y 'link.phase_rate=4..10 kHz' --steps 8 -j 2 --csv map.csv
run shmoo two.yaml --x 'link.payload=1..9 bytes' --y 'link.phase_rate=4..10 kHz' --steps 8 -j 2 --csv full.csv --full
[ "$(grep -c refused full.csv)" -gt 4 ] && [ "$(cut -d, -f1-3 map.csv)" = "$(cut -d, -f1-3 full.csv)" ]
point 'a boundary at one corner is found' $?

sed 's/{address: 1}/{address: 1, defect: late_start, defect_amount: 500 ns}/' two.yaml > late.yaml
exits 'a node that starts late' 0 shmoo late.yaml --x 'nodes[0].defect_amount=100..1700 ns' --y 'limits.start_late=200..1800 ns' \
    --steps 4 --full --csv late.csv --json
# The start is 100 ns inside the limit, or beyond it, on this grid.
awk -F, 'NR > 1 {bad += $3 != ($1 < $2 ? "pass" : "fail")} END {exit !(NR == 26 && !bad)}' late.csv
point '... fails beyond the limit' $?
says '... as JSON' '"state": "fail"'
sed 's/500 ns}/9 us, clock_error: 0 ppm}/' late.yaml > later.yaml
echo 'limits: {start_late: 2 us}' >> later.yaml
exits 'an operating point that fails' 1 shmoo later.yaml --x 'nodes[0].defect_amount=1..9 us' --y 'nodes[0].clock_error=-50..50 ppm' --steps 2

# A second superframe is needed for a message that is released in it: the range is not the scenario's own number.
sed 's/{pattern: complement}/{pattern: complement, superframe: 2}/; s/superframes: 2/superframes: 4/' two.yaml > later.yaml
exits 'the number of superframes' 0 shmoo later.yaml --x superframes=1..5 --y 'nodes[0].clock_error=-50..50 ppm' --steps 4 --full --csv length.csv
awk -F, 'NR > 1 {bad += ($3 == "refused") != ($1 < 3)} END {exit !(NR == 26 && !bad)}' length.csv
point '... is that of the range' $?

# Without a payload: 6 bytes fit at 1 Mbaud, 10 kHz and a guard of 10 us, so the frame has 9 bytes at every point.
sed '/^link:/d' two.yaml > defaults.yaml
exits 'a payload that is left to what fits' 0 shmoo defaults.yaml --x 'link.baud=250..2000 kbaud' --y 'link.phase_rate=4..18 kHz' --steps 8 \
    -j 2 --csv held.csv --out held
awk -F, 'NR > 1 {fit = (1 / ($2 * 1e3) - 10e-6) * $1 * 1e3 / 10 >= 9; bad += ($3 == "refused") == fit; bad += $6 != 6; n++} END {exit !(n == 81 && !bad)}' held.csv
point '... is held at every point' $?
says '... the text says so' '^payload +6 bytes at every point: what fits at the operating point$'
grep -q 'Payload at every point</dt><dd>6 bytes, ' held/shmoo.html && grep -q '"payload_held_bytes": 6' held/shmoo.json
point '... page and JSON, too' $?
says '... the defaults are the operating point' '^operates at  1000 kbaud, 10 kHz: pass$'
says '... in the units of the range' '^margin +link\.baud: 93.75 kbaud downwards, more than 1000 kbaud upwards$'
signs held.csv
point '... points that did not run have signs of their own' $?
grep -o '</title></rect><text x="[^"]*" y="[^"]*">.</text>' held/shmoo.html | sed 's,</text>$,,; s,.*>,,' | tr -d '\n' > page-signs
cmp -s page-signs wanted-signs
point '... on the page, too, the operating point framed' $?
[ "$(grep -o '<rect class="op"' held/shmoo.html | wc -l)" -eq 2 ] && grep -q '@media screen and (prefers-color-scheme:dark)' held/shmoo.html
point '... which has the scheme of all pages' $?
[ "$(sed -n 's,.*<li><svg.*>\(.\)</text></g></svg>\([a-z]*\)</li>$,\1 \2,p' held/shmoo.html | tr '\n' ' ')" = \
    '+ pass m marginal X fail ? inconclusive - refused . pass : marginal x fail ~ inconclusive _ refused ' ]
point '... and names each sign' $?
exits 'a payload that is varied' 0 shmoo defaults.yaml --x 'link.payload=1..9 bytes' --y 'link.phase_rate=4..10 kHz' --steps 8 -j 2 --json
says '... is not held' '"payload_held_bytes": null'

refuses 'no scenario' 2 'needs 1 operand, got 0; give SCENARIO;' shmoo
refuses 'a missing scenario' 3 'missing.yaml: cannot be opened' shmoo missing.yaml
refuses 'no range' 2 "^phasebench: --x: 'link.baud' is no range of a key; write it as" shmoo two.yaml --x link.baud
# Stopped while its first points run: the grid has 4,225.
"$bin" shmoo two.yaml --steps 64 --full --json >out 2>err &
stopped=$!
tries=0
until [ -n "$(cat /proc/$stopped/task/$stopped/children 2>/dev/null)" ] || [ $((tries += 1)) -gt 600 ]; do sleep 0.1; done
kill -INT $stopped
wait $stopped
code=$?
[ "$code" -eq 130 ] && grep -q '"complete": false' out
point 'a search that is stopped' $?
! grep -q '"margin_below' out
point '... gives no margin, as points next to the operating point may be unknown' $?
refuses 'a range that goes down' 2 'of which the first is less' shmoo two.yaml --x 'link.baud=9..3 kbaud'
refuses 'a range of words' 2 'has no two numbers' shmoo two.yaml --y 'link.baud=a..b'
refuses 'one key twice' 2 'both vary link.baud; name two keys' shmoo two.yaml --x 'link.baud=1..2 Mbaud' --y 'link.baud=1..2 Mbaud'
refuses 'a key that is none' 3 "^phasebench: --y: .*unknown key 'bauds' in link; did you mean 'baud'" shmoo two.yaml --y 'link.bauds=1..2 Mbaud'
refuses 'an item that is not there' 3 "nothing at 'nodes\[3\].clock_error'; the list has no such item" shmoo two.yaml \
    --y 'nodes[3].clock_error=1..2 ppm'
refuses 'a whole section' 3 "'link' is a list or a mapping; name one value in it" shmoo two.yaml --y 'link=1..2'
refuses 'a place that is none' 3 "'link..baud' is no place" shmoo two.yaml --y 'link..baud=1..2'
refuses 'an external clock where there is none' 3 "^phasebench: --x: the scenario takes no value of the range: .*: clock\.jitter: is a key of an external clock" \
    shmoo two.yaml --x 'clock.jitter=0..800 ns'
refuses 'another unit' 3 'the scenario takes no value of the range' shmoo two.yaml --x 'link.baud=1..2 apples'
refuses 'a recording' 2 'a recording has a run of its own' shmoo two.yaml --rig replay:tape
refuses 'several jobs on one board' 2 'rig that is there once' shmoo two.yaml --rig ftdi: -j 2

finish
