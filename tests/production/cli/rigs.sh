#!/bin/sh
# SPDX-FileCopyrightText: The phasebench authors
# SPDX-License-Identifier: Apache-2.0
#
# Several boards: hardware maps by `phasebench devices --map`, and `regress` on the boards of a map at once. Prints TAP.
#
#   tests/production/cli/rigs.sh path/to/phasebench
#
# Expected values: docs/use/map.md; the map hash is that of docs/reference/registers.md; numbers of cases are those chosen here.
#
# evidence: several boards at once (hardware map), retry and quarantine
#   simulated: three rigs of which one is gone, two virtual boards of which one is unplugged in the middle;
#   a node that fails once is flaky, known failures do not count; on no hardware yet
#   also: suite.sh, test_map
# covers: host/production/map host/cli/rigs* host/cli/cmd_devices.c host/procedure/suite

. "$(dirname "$0")/../../cli/common.sh"

hash=$(sed -n 's/^#define PB_MAP_HASH 0x\([0-9a-f]*\)u$/\1/p' "$root/rtl/proto/gen/pb_regs.h" | tr a-f A-F)
[ -n "$hash" ]
point 'the map hash of this tree' $?

# ---------------------------------------------------------------- devices --map

exits 'a map of a computer without boards' 0 devices --map none.yaml
says '... is made' '^0 boards in none\.yaml$'
grep -q '^boards: \[\]$' none.yaml
point '... and empty' $?
cat >map.yaml <<'END'
# our station
boards:
  - serial: A1          # left
    rig: 'sim:'
    enabled: yes
    note: "the left one"
  - {serial: B2, rig: 'sim:?port=uart', station: hall}   # right
  - rig: 'sim:./gone.sock'
END
sed "s/^    rig: 'sim:'\$/&\n    map_hash: 0x$hash/; s/port=uart'/&, map_hash: 0x$hash/" map.yaml >wanted.yaml
exits 'the boards of a map are asked' 0 devices --map map.yaml
says '... one answers' "^updated +sim:: map hash 0x$hash\$"
says '... one does not' "^unchanged +sim:\./gone\.sock: not reached: no rig at './gone\.sock'"
cmp -s map.yaml wanted.yaml
point '... their map hash is written, and all else is as it was' $?
ln map.yaml same.yaml
exits '... again, as JSON' 0 devices --map map.yaml --json
[ map.yaml -ef same.yaml ] && [ "$(grep -c '"change": "unchanged"' out)" -eq 3 ] && [ "$(grep -c "\"map_hash\": \"0x$hash\"" out)" -eq 2 ] &&
    [ "$(grep -c '"reached": false' out)" -eq 1 ]
point '... nothing has changed, and nothing is written' $?
[ -z "$(find . -name 'map.yaml.*')" ]
point '... and nothing else is left' $?
printf 'boards:\n  - serail: A\n' >bad.yaml
refuses 'a map with a wrong key' 3 "bad\.yaml:2: unknown key 'serail' in a board; did you mean 'serial'" devices --map bad.yaml
refuses 'a map below a folder that is not there' 4 "cannot write 'no/such\.yaml'" devices --map no/such.yaml
[ "$(id -u)" -ne 0 ] && mkdir -m 555 closed && {
    refuses 'a map in a folder that may not be written' 4 'Permission denied' devices --map closed/m.yaml
}

# ---------------------------------------------------------------- regress on a map

quick='own-messages,dimensions,forwarding,queue-order'
exits 'cases on three rigs, of which one is gone' 0 regress native --dims 3 --only "$quick" --rig map:map.yaml --out o --junit o.xml
says '... all pass on the others' '^4 scenarios: 4 pass, 0 marginal, 0 fail, 0 inconclusive, 0 not judged(; not checked: .*)?$'
says '... the summary names it' "^rig +sim:\./gone\.sock: 0 cases; taken out: no rig at './gone\.sock'"
says '... and the others' '^rig +sim:, board A1: [0-4] cases?$'
says '... at once' '^took .* 3 at a time$'
[ "$(grep -c 'is taken out: .*its case runs again on another$' err)" -eq 1 ]
point '... a line says so at once' $?
columns '... an index whose columns have their names on a phone' o/index.html
grep -q '<h2>Rigs</h2>' o/index.html && grep -q 'no rig at' o/index.html && grep -q '<small>on sim:' o/index.html
point '... the index has them' $?
[ "$(grep -c '"rig": "sim:[?port=uart]*"' o/result.json)" -ge 4 ] && grep -q '"url": "sim:./gone.sock", "serial": null, "cases": 0, "lost": "no rig at' o/result.json
point '... and the JSON' $?
printf "boards:\n  - rig: 'sim:'\n  - rig: 'sim:'\n  - {serial: B2, rig: 'sim:?port=uart'}\n" >three.yaml
for shard in 1 2; do
    run regress native --dims 3 --only "$quick" --rig map:three.yaml --shard $shard/2 --out "o-$shard" --quiet
done
exits 'shards on the same rigs, merged' 0 report merge o-1 o-2 --json
[ "$(grep -c '"url": ' out)" -eq 3 ] && [ "$(grep -c '"url": "sim:", "serial": null' out)" -eq 2 ] &&
    [ "$(sed -n 's/.*"url".*"cases": \([0-9]*\),.*/\1/p' out | awk '{sum += $1} END {print sum}')" -eq 4 ]
point '... have each rig once, with all of its cases' $?
printf "boards:\n  - rig: 'sim:./gone.sock'\n  - rig: 'sim:./lost.sock'\n" >gone.yaml
exits 'no rig is left' 4 regress native --dims 3 --only "$quick" --rig map:gone.yaml --out gone --json
[ "$(grep -c '"lost": "no rig at' out)" -eq 2 ] && [ "$(grep -c 'not run: no rig is left' out)" -eq 3 ] && grep -q '^  "not_judged": 4,$' out
point '... the rest is not run' $?
[ "$(grep -c 'no rig is left$' err)" -eq 1 ]
point '... and a line says so' $?
refuses '--jobs on a map' 2 '--jobs is 2, and each board of a map' regress native --rig map:map.yaml -j 2
refuses 'no map' 3 'nowhere\.yaml: cannot be opened' regress native --rig map:nowhere.yaml
refuses 'a map without boards' 2 'none\.yaml: no board takes part: 0 listed' regress native --rig map:none.yaml
printf "boards:\n  - {rig: 'sim:', enabled: no}\n" >off.yaml
refuses 'a map whose boards are off' 2 "off\.yaml: no board takes part: 1 listed, none enabled" regress native --rig map:off.yaml
printf "boards:\n  - {rig: 'sim:', node: {kind: ref}}\n" >kind.yaml
refuses 'a board with another node' 2 'kind\.yaml:2: the node of sim: is of kind ref, the target is native' regress native --rig map:kind.yaml
printf "boards:\n  - {rig: 'sim:', node: {address: 5}}\n" >address.yaml
refuses 'a board with another address' 2 'address\.yaml:2: the node of sim: has address 0x5, the cases are of 0x1; give --address 0x5' \
    regress native --dims 3 --rig map:address.yaml
printf "boards:\n  - {serial: X, rig: 'vusb:'}\n" >own.yaml
refuses 'a virtual board of a run' 2 'own\.yaml:2: rig vusb: is a board of one run alone' regress native --rig map:own.yaml
mkdir left right
printf "boards:\n  - {rig: 'vusb:./left/P'}\n  - {rig: 'vusb:./right/P'}\n" >two.yaml
refuses 'virtual boards of two folders' 2 'two\.yaml:3: virtual boards of another folder' regress native --rig map:two.yaml
printf "boards:\n  - {rig: 'vusb:./left/P'}\n  - {rig: ftdi:X}\n" >mixed.yaml
refuses 'virtual and real boards' 2 'mixed\.yaml:3: a real board together with virtual ones' regress native --rig map:mixed.yaml
refuses 'a map for a single run' 2 'unknown rig' run demo --rig map:map.yaml
printf -- '- {case: dimensions, reason: x, until: 2999-01-01}\n- {case: clock-jitter, reason: x, until: 2999-01-01}\n' >known.yaml
exits 'a quarantine may name cases that are not chosen, and stands for each seed' 0 \
    regress contract --defect late_start --dims 2 --only dimensions --seeds 2 --quarantine known.yaml --out known --quiet
says '... both' '0 fail, .* 2 quarantined$'

# ---------------------------------------------------------------- boards on a virtual USB

"$bin" serve o/dimensions.yaml --usb boards --boards 2 >serve.log 2>&1 &
server=$!
wait_for '^serving' serve.log
cat >usb.yaml <<'END'
boards:
  - {serial: PB0001, rig: 'vusb:./boards/PB0001', node: {kind: native, address: 1, unit: N-1}, station: left}
END
exits 'a board that the map lacks' 0 devices --map usb.yaml
says '... is added' "^added +vusb:\./boards/PB0002: map hash 0x$hash\$"
grep -q "PB0001', map_hash: 0x$hash, node: {kind" usb.yaml && sed -n '/serial: PB0002/,$p' usb.yaml >tail &&
    grep -q '^    rig: "vusb:./boards/PB0002"$' tail && grep -q '^    station: .' tail && grep -q '^    enabled: yes$' tail
point '... with URL, station and map hash' $?
exits 'cases on both' 0 regress native --dims 3 --only dimensions,forwarding --seeds 2 --rig map:usb.yaml --out both --history h.db
says '... each has some' '^rig +vusb:\./boards/PB0002, board PB0002: [1-3] cases?$'
exits '... with station and unit of the map' 0 history h.db
grep -q ' left  *N-1 ' out
point '... in the history' $?
"$bin" regress native --dims 3 --only soak,dimensions --soak 1500 --seeds 2 --rig map:usb.yaml --out pulled >out 2>err </dev/null &
host=$!
sleep 4
echo unplug >boards/PB0001/control
command='regress, then unplug PB0001'
wait $host
code=$?
[ "$code" -eq 0 ]
point 'a board that is unplugged in the middle' $?
says '... all cases pass on the other' '^4 scenarios: 4 pass, '
says '... the summary names it' "^rig +vusb:\./boards/PB0001, board PB0001: [0-9]+ cases?; taken out: no board 'PB0001' on USB"
grep -q 'its case runs again on another$' err
point '... its case has run again' $?
[ -s pulled/soak/result.json ] && ! grep -q '"incomplete": "[^"]' pulled/*/result.json
point '... and every result is whole' $?
kill $server
wait $server
finish
