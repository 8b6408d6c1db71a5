#!/bin/sh
# SPDX-FileCopyrightText: The phasebench authors
# SPDX-License-Identifier: Apache-2.0
#
# Files that other people's programs read, judged by these: TAP by prove, JUnit by the schema of each reader, JSON by a validator, VCD by sigrok's reader and
# its UART decoder. Prints TAP.
#
#   tests/cli/readers.sh path/to/phasebench
#
# Expected values: the verdicts of scenarios that tests/cli/run.sh runs alone; what the readers say; the transmissions of the CSV. The
# pins of a recording are compared with those of the core that it was made of.
# covers: host/report/junit.c host/report/tap.c host/report/json* host/rig/waveform* host/rig/pin_dump* host/run/trace* docs/reference/*.schema.json tests/cli/junit

. "$(dirname "$0")/common.sh"

# The message that names # and \ must not become a directive of TAP.
cat >tiny.yaml <<'END'
name: 'tiny # todo \ and "quotes" <&>'
cube: {dims: 1}
nodes: [{address: 1}]
traffic: [{from: 1, to: 0}]
END
sed 's/address: 1/&, defect: flipped_bit/; s/^name: .*/name: bad/' tiny.yaml >bad.yaml
mkdir suite
cp bad.yaml suite/a-bad.yaml
cp tiny.yaml suite/b-good.yaml
printf 'name: board\ncube: {dims: 2}\nnodes: [{address: 1}]\ntraffic: [{from: 0, to: 3}]\n' >board.yaml
sed 's/address: 1/&, kind: contract, defect: late_start/' board.yaml >late.yaml
printf -- '- {case: bad, reason: known, until: 2999-12-31}\n' >known.yaml

# ---------------------------------------------------------------- TAP

# proves NAME CODE POINTS ARGUMENTS: the program's exit code, and prove, which reads what it printed as it is, agrees: it exits with 0
# if and only if the program does, and has counted the points.
proves() {
    name=$1 wanted=$2 points=$3
    shift 3
    run "$@"
    cp out read.tap
    prove --exec cat read.tap >out 2>&1
    judged=$?
    [ "$code" -eq "$wanted" ] && [ $((judged != 0)) -eq $((wanted != 0)) ] && grep -q "Tests=$points," out &&
        ! grep -q 'Parse errors\|No plan' out
    point "prove: $name" $?
}
if command -v prove >/dev/null; then
    proves 'a run that passes' 0 1 run tiny.yaml --tap
    proves 'a run that fails' 1 1 run bad.yaml --tap
    proves 'a suite' 1 2 run suite --tap
    proves 'a suite whose failure is in quarantine' 0 2 run suite --tap --quarantine known.yaml
    "$bin" run tiny.yaml --json >tiny.json 2>err
    proves 'a stored result' 0 1 report tiny.json --tap
    proves 'a regress' 0 2 regress native --dims 3 --only 'own-messages,dimensions' --tap
    proves 'a regress that fails' 1 1 regress contract --dims 3 --defect late_start --only dimensions --tap
    proves 'a validation' 0 1 validate board.yaml --only lines --tap
    proves 'a validation of a node that fails' 1 1 validate late.yaml --only ports --tap
fi

# ---------------------------------------------------------------- JUnit

# takes NAME CODE ARGUMENTS: JUnit that every reader takes, in file r.xml.
takes() {
    name=$1 wanted=$2
    shift 2
    rm -f r.xml
    run "$@" --junit r.xml
    : >valid.err
    [ "$code" -eq "$wanted" ] && valid r.xml
    code=$?
    cp valid.err err
    point "JUnit: $name" "$code"
}
takes 'a run that passes' 0 run tiny.yaml --quiet
says '... has its properties in the output' '^\[\[PROPERTY\|verdict=pass\]\]$' r.xml
says '... and those of all at the suite' '^ +<property name="environment" value="[^"]*core' r.xml
[ "$(grep -c '<properties>' r.xml)" -eq 1 ] && [ "$(grep -n '<testcase' r.xml | cut -d: -f1)" -gt "$(grep -n '</properties>' r.xml | cut -d: -f1)" ]
point '... which no case has' $?
takes 'a run that fails' 1 run bad.yaml --quiet
takes 'a suite' 1 run suite --quiet
takes 'a suite with a quarantine' 0 run suite --quiet --quarantine known.yaml
takes 'a suite that repeats a failure' 1 run suite --quiet --retry 1
# Two names of which a reader sees the same: a mark of direction, and a separator of lines.
mkdir alike
sed 's/^name: .*/name: "a\\u202eb"/' tiny.yaml >alike/a.yaml
sed 's/^name: .*/name: "a\\u2028b"/' bad.yaml >alike/b.yaml
printf -- '- {case: "a\\u2028b (2)", reason: known, until: 2999-12-31}\n' >alike.yaml
takes 'a suite with names that are shown alike' 1 run alike --quiet
[ "$(grep -c '<testcase .*name="a.*b (2)"' r.xml)" -eq 1 ]
point '... numbers them' $?
takes '... one of them in quarantine' 0 run alike --quiet --quarantine alike.yaml
takes 'a stored result' 0 report tiny.json
takes 'a regress' 1 regress contract --dims 3 --defect late_start --only dimensions,own-messages --quiet
takes 'a validation' 0 validate board.yaml --only lines --quiet
takes 'a validation of a node that fails' 1 validate late.yaml --only ports --quiet

# ---------------------------------------------------------------- JSON

# follows NAME FILE: JSON that the schema of results allows, by another program's validator.
follows() {
    python3 - "$root/docs/reference/result.schema.json" "$2" >out 2>err <<'END'
import json, sys
import jsonschema
schema = json.load(open(sys.argv[1]))
jsonschema.Draft202012Validator.check_schema(schema)
jsonschema.Draft202012Validator(schema).validate(json.load(open(sys.argv[2])))
END
    point "$1" $?
}
if python3 -c 'import jsonschema' 2>/dev/null; then
    follows 'JSON: a run' tiny.json
    "$bin" run suite --shard 1/2 --out part --quiet >/dev/null 2>&1
    "$bin" run suite --out all --quiet --quarantine known.yaml >/dev/null 2>&1
    follows 'JSON: a suite' all/result.json
    follows 'JSON: a part of one' part/result.json
    sed 's/"state": "judged"/"state": "good"/' all/result.json >wrong.json
    ! python3 -m jsonschema -i wrong.json "$root/docs/reference/result.schema.json" >out 2>&1
    point '... and no other state of a case' $?
fi

# ---------------------------------------------------------------- VCD

cat >pins.yaml <<'END'
name: pins
cube: {dims: 3}
superframes: 3
nodes: [{address: 5}]
traffic:
  - {pattern: complement}
  - {from: 5, to: 2, superframe: 1}
END
sed 's/^superframes: 3/&\nclock: {source: external}/; s/pattern: complement/&, superframe: 1/' pins.yaml >outside.yaml

# decodes NAME FILE: on each link sigrok reads the bytes that crossed it in phases 5 of superframe 0 and 0 to 2 of superframe 1.
decodes() {
    good=0
    for link in 0 1 2; do
        awk -F, -v link=$link '$5 == link && (($2 == 0 && $3 == 5) || ($2 == 1 && $3 < 3)) { gsub("\r", ""); print $17 }' pins.csv |
            tr ' ' '\n' >wanted
        sigrok-cli -i "$2" -P "uart:rx=link$link:baudrate=1000000:format=hex" -A uart=rx-data 2>err | sed 's/.*: //' >out
        cmp -s wanted out || good=1
        cat wanted
    done >crossed
    [ $good -eq 0 ] && [ "$(wc -l <crossed)" -ge 18 ]
    point "$1" $?
}

# alike NAME CORE RECORDED TICKS: TDMA_CLK rises, TDMA_SYNC and the links change in both at the same instants, except for what the core's
# input stages take.
alike() {
    python3 - "$2" "$3" "$4" >out 2>err <<'END'
import sys
def edges(path):
    names, seen, now, level = {}, {}, 0, {}
    for line in open(path):
        word = line.split()
        if word[0] == '$var':
            names[word[3]] = word[4]
            seen[word[4]] = []
        elif word[0][0] == '#':
            now = int(word[0][1:])
        elif word[0][0] in '01':
            name = names[word[0][1:]]
            if name in level and (name != 'TDMA_CLK' or word[0][0] == '1'):
                seen[name].append((now, word[0][0]))
            level[name] = word[0][0]
    return seen
core, recorded, limit = edges(sys.argv[1]), edges(sys.argv[2]), float(sys.argv[3]) * 1000 / 48
assert len(recorded) == 5 and sum(map(len, recorded.values())) > 60, recorded
for name, some in recorded.items():
    other = core[name]
    # One at the end of the window may be in one alone.
    while len(some) > len(other) and some[-1][0] > max(t for e in core.values() for t, _ in e) - 200:
        some = some[:-1]
    while len(other) > len(some):
        other = other[:-1] if not some or other[-1][0] - some[-1][0] > limit else other[1:]
    assert len(some) == len(other), (name, some, other)
    for (t, level), (u, other_level) in zip(some, other):
        assert level == other_level and abs(t - u) <= limit, (name, t, u)
END
    point "$1" $?
}
if command -v sigrok-cli >/dev/null; then
    exits 'a window of a run' 0 run pins.yaml --quiet --trace-at 1:1 --vcd --csv pins.csv --out core --record edges.rec
    decodes '... is decoded by sigrok' core/window.vcd
    exits '... of its recording' 0 run --rig replay:edges.rec --quiet --trace-at 1:1 --vcd --out recorded
    decodes '... too' recorded/window.vcd
    alike '... with the edges of the core' core/window.vcd recorded/window.vcd 6
    exits 'a recording of bytes alone' 0 run pins.yaml --quiet --capture bytes --record bytes.rec --out bytes --trace-at 1:1 --vcd
    exits '... has a window' 0 run --rig replay:bytes.rec --quiet --trace-at 1:1 --vcd --out laid
    decodes '... that is decoded, too' laid/window.vcd
    alike '... with edges at the nominal bit times' bytes/window.vcd laid/window.vcd 10
    exits 'behind the clock of another controller' 0 run outside.yaml --quiet --trace-at 1:1 --vcd --out outside --record outside.rec
    exits '... and its recording' 0 run --rig replay:outside.rec --quiet --trace-at 1:1 --vcd --out played
    alike '... the clock is that of the pins' outside/window.vcd played/window.vcd 6
    sed 's/^superframes: 3/&\nfaults: [{kind: missing_edge, superframe: 1, phase: 1}]/' pins.yaml >missing.yaml
    exits 'an edge of the clock is missing' 0 run missing.yaml --quiet --trace-at 1:1 --vcd --out missing --record missing.rec
    exits '... in its recording' 0 run --rig replay:missing.rec --quiet --trace-at 1:1 --vcd --out missed
    alike '... too: the clock is never drawn by the schedule' missing/window.vcd missed/window.vcd 6
    sed 's/address: 5/&, defect: flipped_bit/' pins.yaml >flipped.yaml
    exits 'a recorded failure' 1 run flipped.yaml --quiet --record flipped.rec --out flipped --vcd
    exits '... is shown' 1 run --rig replay:flipped.rec --quiet --vcd --out shown
    [ -s shown/failure.fst ] && alike '... as the core shows it' flipped/failure.vcd shown/failure.vcd 6
fi

finish
