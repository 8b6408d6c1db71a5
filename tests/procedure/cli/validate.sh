#!/bin/sh
# SPDX-FileCopyrightText: The phasebench authors
# SPDX-License-Identifier: Apache-2.0
#
# The verb validate from outside: exit codes, forms, files, events, what it refuses, how it ends early. Prints TAP.
# Which faults it finds at which step is in validate_faults.sh.
#
#   tests/procedure/cli/validate.sh path/to/phasebench
# covers: host/production/validation host/production/limits host/report/validation* host/cli/validate* host/procedure/validate* host/cli/cmd_validate.c

. "$(dirname "$0")/../../cli/common.sh"

cat > board.yaml <<'YAML'
name: board
cube: {dims: 2}
nodes:
  - {address: 1}
traffic:
  - {from: 0, to: 3}
YAML
cat > late.yaml <<'YAML'
name: late
cube: {dims: 2}
nodes:
  - {address: 1, kind: contract, defect: late_start}
traffic:
  - {from: 0, to: 3}
YAML
cat > two.yaml <<'YAML'
name: two
cube: {dims: 2}
nodes:
  - {address: 0}
  - {address: 1}
traffic:
  - {from: 0, to: 3}
YAML

# ---------------------------------------------------------------- go and no-go

printf 'name: ref\ncube: {dims: 12}\nnodes:\n  - {address: 0xFFF, kind: ref}\ntraffic:\n  - {from: 0, to: 1}\n' > ref.yaml
exits 'the worked paths of nodes without counters' 0 validate ref.yaml --only paths
says '... are passed' '^  pass +paths '
printf 'link: {phase_rate: 5 kHz, baud: 500 kbaud, payload: 4 bytes}\ncube: {dims: 3}\nnodes: [{address: 4}]\ntraffic: [{from: 0, to: 4}]\n' > slow.yaml
exits 'a link that does not carry each rate' 0 validate slow.yaml --only ports,rates --json
says '... says which rate was left out, and why' '"reason": "left out: 10 kHz, as .*4 bytes of payload make a frame of 7 bytes'
exits 'a sound node is a go' 0 validate board.yaml --serial TM-0042 --operator ann --station bench-1 --out go \
    --junit go.xml --csv go.csv --events go.jsonl
says '... in the text' '^GO$'
[ -s go/validation.html ] && [ -s go/validation.json ] && [ -s go.xml ] && [ -s go.csv ]
point '... with all files' $?
[ "$(ls go)" = "$(printf 'validation.html\nvalidation.json')" ]
point '... and nothing of its runs, which all passed' $?
exits 'names that a shell would split' 0 validate --only bench --serial 'TM 42' --operator "Ann 'the' \$(false)" --out 'a go'
sed -n '/^repeat this validation/{n;p}' out > again
# shellcheck disable=SC1090 # what was printed, typed again
(phasebench() { "$bin" "$@"; }; . ./again) > out 2>err && grep -q "^operator  *Ann 'the' \$(false)$" out &&
    grep -q '^unit  *TM 42$' out
point '... are in quotes in the command that repeats it' $?
links '... and links that lead somewhere' go/validation.html docs/reference/measurements.md
columns '... and columns that have their names on a phone' go/validation.html
# glanced FOLDER: every value of validation.json is in the tables at a glance, those of links in the column of theirs.
glanced() {
    python3 - "$1" >out 2>err <<'PY'
import html, json, re, sys
page = open(sys.argv[1] + '/validation.html', encoding='utf-8').read()
def cells(row):
    return [html.unescape(re.sub('<[^>]*>', '', cell)) for cell in re.findall(r'<t[hd][^>]*>(.*?)</t[hd]>', row)]
def tables(table):
    return re.findall(r'<table class="dense of-%s">.*?<thead>(.*?)</thead>.*?<tbody>(.*?)</tbody>' % table, page, re.DOTALL)
def rows(table):
    return [cells(row) for _, body in tables(table) for row in re.findall(r'<tr>(.*?)</tr>', body)]
links = {}
for head, body in tables('links[0-9]+'):
    columns = cells(head)[2:]
    assert len(columns) <= 8, columns # as many as fit: 240 px of names and limits, 84 of each value, on a page of 1120
    for row in re.findall(r'<tr>(.*?)</tr>', body):
        row = cells(row)
        links.update({(row[0].split(',')[0], column): cell for column, cell in zip(columns, row[2:])})
others = {name: row[1] for row in rows('others') for name in row[0].split(', ')}
detail = {row[0]: row[2].split('\u00a0')[0] for row in rows('values')}
values = [value for step in json.load(open(sys.argv[1] + '/validation.json'))['steps'] for value in step['values']]
assert len(values) > 40
for value in values:
    name = value['name']
    shown = links[re.sub('/link[0-9]+', '', name), f"link\u00a0{value['link']}"] if value['link'] is not None else others[name]
    assert shown.split('\u00a0')[0] == detail[name], (name, shown)
    if value['unit'] in ('count', 'phases'):
        assert shown.split('\u00a0')[0] == str(value['value']), (name, shown)
PY
}
glanced go
point '... and each value at a glance' $?
exits 'the example of one board' 0 validate "$root/docs/examples/board.yaml" --only bench,lines,identity --quiet
exits 'the lines of a node with twelve links' 0 validate ref.yaml --only bench,lines --out twelve
glanced twelve
point '... at a glance, as wide as the page' $?
columns '... and on a phone' twelve/validation.html
grep -q 'frames of the node' go/validation.html && grep -q '<svg class="timeline"' go/validation.html
point '... and plots' $?
xmllint --noout go.xml 2>err
point '... JUnit is XML' $?
python3 - >out 2>err <<'PY'
import csv, json
v = json.load(open("go/validation.json"))
events = [json.loads(line) for line in open("go.jsonl")]
values = [x for s in v["steps"] for x in s["values"]]
assert v["unit"] == "TM-0042" and v["operator"] == "ann" and v["station"] == "bench-1", "labels"
assert v["go"] == "go" and not [s for s in v["steps"] if s["state"] not in ("pass", "skipped")], "states"
names = [x["name"] for x in values]
assert len(names) == len(set(names)), "names are unique"
# Every link has its own start, tail, bit time and bit error bound: two of a 2-cube.
for item in ("start", "tail", "bit_time", "send_errors", "line_rise", "line_short"):
    assert sorted(n for n in names if n.split("/")[0] == item) == [item + "/link0", item + "/link1"], item
# A bound without an error: 1 - 0.05^(1/n), in 1e-9.
for x in values:
    if x["item"] == "send_errors":
        assert abs(x["value"] - (1 - 0.05 ** (1 / x["n"])) * 1e9) <= 1, x
# The margin is the distance to the nearer limit, and decides.
for x in values:
    sides = [m for m in (x["upper"] is not None and x["upper"] - x["value"],
                         x["lower"] is not None and x["value"] - x["lower"]) if m is not False]
    assert x["margin"] == (min(sides) if sides else None), x
assert events[0]["event"] == "begin" and events[-1]["event"] == "end" and events[-1]["go"] == "go", "events"
assert events[0]["serial"] == "TM-0042" and len(events[0]["steps"]) == len(v["steps"]), "plan"
ended = [e["state"] for e in events if e["event"] == "step" and e["state"] != "running"]
assert ended == [s["state"] for s in v["steps"]], "states of the events"
assert [e["name"] for e in events if e["event"] == "value"] == names, "values of the events"
shares = [e["share"] for e in events if e["event"] == "progress"]
assert shares == sorted(shares) and all(0 <= s <= 1 for s in shares), "progress goes on"
rows = list(csv.DictReader(open("go.csv")))
assert len(rows) == len(values), "rows"
PY
point '... JSON, CSV and events agree, bounds and margins by a second computation' $?

exits 'a late node is a no-go' 1 validate late.yaml --only lines,ports,forwarding --out no --json
says '... at step ports' '"id": "ports"'
says '... and what rests on it is skipped' '"reason": "it rests on ports, which did not pass"'
[ -s no/send/report.html ] && [ -s no/send/result.json ]
point '... with the report of the run' $?
links '... to which the page leads' no/validation.html no/send/report.html no/send/failure.fst no/send/frames.pcapng
links '... as that leads to the manual' no/send/report.html docs/reference/measurements.md
[ "$(head -c 4 no/send/frames.pcapng | od -An -tx1 | tr -d ' ')" = 0a0d0d0a ]
point '... with frames as pcapng' $?
python3 - >out 2>err <<'PY'
import json
v = json.load(open("no/validation.json"))
assert v["runs"] == [{"run": "send", "files": ["report.html", "failure.fst", "frames.pcapng"]}], v["runs"]
failed = [x for s in v["steps"] for x in s["values"] if x["judgement"] == "fail"]
assert failed and all(x["run"] == "send" for x in failed), failed
assert all(x["run"] == "" for s in v["steps"] if s["id"] == "lines" for x in s["values"]), "lines have no run"
page = open("no/validation.html").read()
assert page.count('href="send/report.html"') == len(failed) + 1, "a link from each, and from the top"
PY
point '... from each value that failed' $?
mkdir full && touch full/send
exits 'files that cannot be written' 4 validate late.yaml --only ports --out full
[ "$(grep -c "cannot replace 'full/send/report.html'" err)" -eq 1 ] && [ "$(wc -l <err)" -eq 1 ]
point '... are told once' $?
says '... and the validation goes on' '^NO-GO$'
says '... to its last value' '^  value +findings/send'
says '... with the reason of the node' '^FAILED +ports: start/link0'
grep -q 'Run send: nothing was kept of it' full/validation.html
point '... and a page that says so' $?
# A run that passed, of a value that a file of limits refuses: no waveform, but a report and the frames.
printf 'title: x\nversion: 1\ndecision: simple\nlimits:\n  latency: {unit: phases, max: 0}\n' > hasty.yaml
exits 'a value beyond a limit, of a run that passed' 1 validate board.yaml --only load --limits hasty.yaml --out hasty
says '... with its report in the text' '^  report +load/report.html$'
links '... and on the page' hasty/validation.html hasty/load/report.html hasty/load/frames.pcapng
[ ! -e hasty/load/failure.fst ]
point '... without a waveform' $?
exits 'a run whose name has a blank' 1 validate board.yaml --only rates --limits hasty.yaml --out blank
links '... is linked' blank/validation.html blank/1-kHz/report.html blank/10-kHz/frames.pcapng
printf 'name: dumb\ncube: {dims: 2}\nnodes: [{address: 1, kind: contract, defect: silent}]\ntraffic: [{from: 0, to: 3}]\n' > dumb.yaml
exits 'a node that does not answer' 1 validate dumb.yaml --only identity --out dumb
links '... has the run that shows it' dumb/validation.html dumb/identity/report.html
exits '... again as TAP' 1 validate late.yaml --only ports --tap
says '... whose step is not ok' '^not ok 1 - ports'
exits 'the demo node without a scenario' 0 validate --only identity --node contract --quiet
says '... is of that kind' 'node=contract addr=2A3'
exits 'another address' 0 validate --only identity --address 0x123
says '... is taken' 'addr=123'

# ---------------------------------------------------------------- other boards

sed 's/^nodes:/clock: {source: external, error: 20 ppm, jitter: 100 ns}\nnodes:/' board.yaml > outside.yaml
exits 'a board under the clock of another controller' 0 validate outside.yaml --only bench,lines,identity,clock,ports,idle,disturbed
says '... with what needs a clock of the bench left out' '^SKIPPED +disturbed: the phase clock is that of another controller'
sed 's/{address: 1}/{address: 1, kind: ref}/' board.yaml > ref.yaml
exits 'a node without counters' 0 validate ref.yaml --only clock,ports --json
! grep -q '"name": "receive_errors"' out && grep -q '"name": "send_errors/link1"' out
point '... has no receive errors' $?
sed 's/{address: 1}/{address: 1, kind: ref, clock_error: 30000 ppm}/' board.yaml > fast.yaml
exits 'a node without counters that fails' 1 validate fast.yaml --only ports --json
! grep -q '"name": "lost' out && grep -q 'receive-link1' out
point '... is not shown to have received each frame' $?
printf 'name: one\ncube: {dims: 1}\nnodes: [{address: 1}]\ntraffic: [{from: 0, to: 1}]\n' > one.yaml
exits 'a node that forwards nothing' 0 validate one.yaml --only forwarding,load
says '... is tried at full load' '^result +1 step passed; 1 skipped'
printf 'name: x\nnetwork: {family: generalised, radix: [3, 2]}\nnodes: [{address: 1}]\ntraffic: [{from: 0, to: 1}]\n' > mixed.yaml
exits 'a node of a network of mixed radix' 0 validate mixed.yaml --only lines,ports,forwarding,load
# Events come late over USB.
exits 'a board on a virtual USB' 0 validate board.yaml --rig vusb: --only bench,lines,identity
sed 's/^nodes:/link: {console_baud: 300 baud}\nnodes:/' board.yaml > mute.yaml
exits 'a scenario in which a step cannot run' 5 validate mute.yaml --only load
says '... is incomplete, not a go' '^INCOMPLETE$'

# ---------------------------------------------------------------- limits

cat > tight.yaml <<'YAML'
title: tight
version: 7
decision: guarded
limits:
  tail: {unit: us, min: 5, rationale: none has so much}
YAML
exits 'limits of a file' 1 validate board.yaml --only ports --limits tight.yaml --json
says '... decide' '"name": "tail/link0"'
says '... and are named' '"version": "7"'
printf 'title: x\nversion: 1\ndecision: simple\nlimits:\n  tails: {unit: us, min: 5}\n' > wrong.yaml
printf 'title: x\nversion: 1\ndecision: simple\nlimits: {}\n' > none.yaml
refuses 'a file without a limit' 3 'none.yaml:4: limits has no row, so no value would be judged; write one' validate board.yaml --limits none.yaml
exits 'no limit for what was measured' 5 validate board.yaml --only lines --limits tight.yaml
says '... is incomplete, not a go' '^INCOMPLETE$'
says '... and says why' "no item that was measured has a row in the limits 'tight', so$"
refuses 'an unknown item' 3 'wrong.yaml:5: .*tails.*tail' validate board.yaml --limits wrong.yaml
refuses 'no such limits' 3 'nowhere.yaml' validate board.yaml --limits nowhere.yaml

# ---------------------------------------------------------------- what is refused

refuses 'two nodes' 3 'two.yaml: 2 nodes; .*one node board' validate two.yaml
refuses 'a recording' 2 'a recording has one run' validate board.yaml --rig replay:x
refuses 'an unknown step' 2 "no step has the name 'port'" validate board.yaml --only port
refuses 'an unknown profile' 2 'quick' validate board.yaml --profile slow
refuses 'a node that is none' 3 'neither a kind of node nor a readable file' validate --node nothing
refuses 'a folder that cannot be' 4 '' validate board.yaml --out /dev/null/x
refuses 'events that cannot be written' 2 -- '--events: ' validate board.yaml --events /dev/null/x
refuses 'an empty serial number' 2 '--serial' validate board.yaml --serial ''
exits 'the list of steps' 0 validate --list
says '... has the lines' '^lines +quick '
says '... and the soak' '^soak +full '

# ---------------------------------------------------------------- several boards

cat > station.yaml <<'YAML'
boards:
  - {serial: A1, rig: 'sim:', node: {kind: native, unit: TM-1}, station: hall-1}
  - {serial: A2, rig: 'sim:', node: {kind: contract, unit: TM-2, address: 3}}
  - {serial: A3, rig: 'tty:/dev/nothing', node: {unit: TM-3}}
  - {serial: A4, rig: 'sim:', enabled: no}
YAML
exits 'all boards of a map, one of them absent' 4 validate board.yaml --rig map:station.yaml --only bench,lines,identity \
    --out hall --json
python3 - >err 2>&1 <<'PY'
import json
v = json.load(open("out"))
by = {x["unit"]: x for x in v["validations"]}
assert v["boards"] == 3 and v["go"] == 2 and sorted(by) == ["TM-1", "TM-2", "TM-3"], by
assert by["TM-1"]["go"] == by["TM-2"]["go"] == "go" and by["TM-3"]["go"] == "bench not ready", by
assert json.load(open("hall/TM-1/validation.json"))["station"] == "hall-1"
assert "addr=3" in json.load(open("hall/TM-2/validation.json"))["nodes"]
PY
point '... each with its unit, station, node and report' $?
printf "boards:\n  - {rig: 'sim:', node: {unit: U-7}}\n  - {serial: B, rig: 'sim:', node: {unit: U-7}}\n" >twins.yaml
refuses 'two boards of one unit' 2 "twins\.yaml:3: unit 'U-7' has the folder of unit 'U-7' in line 2; give each board a node\.unit" \
    validate --rig map:twins.yaml --only bench --out twins
printf "boards:\n  - {rig: 'sim:', node: {unit: a/7}}\n  - {rig: 'sim:', node: {unit: a_7}}\n" >alike.yaml
refuses '... or of one folder' 2 "alike\.yaml:3: unit 'a_7' has the folder of unit 'a/7' in line 2" validate --rig map:alike.yaml --only bench --out twins
[ ! -e twins ]
point '... before any of them is tried' $?
refuses 'one serial number for all' 2 'the map names the units' validate --rig map:station.yaml --serial X

# ---------------------------------------------------------------- early ends

exits 'a full disk for the events' 4 validate board.yaml --only identity --events /dev/full
says '... is still a go' '^GO$'
"$bin" validate board.yaml --profile full --only soak,trips --events live.jsonl --out cut >out 2>err </dev/null &
pid=$!
tries=0
until grep -q '"progress"' live.jsonl 2>/dev/null || [ $tries -gt 300 ]; do
    tries=$((tries + 1))
    sleep 0.1
done
kill -INT $pid
wait $pid
code=$? command='validate, interrupted'
[ $code -eq 130 ] && grep -q '"incomplete": "interrupted in step ' cut/validation.json && [ -s cut/validation.html ]
point 'Ctrl-C leaves what was measured, marked incomplete' $?
tail -n 1 live.jsonl | grep -q '"go":"incomplete"'
point '... also in the events' $?

# ---------------------------------------------------------------- history

exits 'a validation goes to the history' 1 validate late.yaml --only ports --serial TM-1 --history line.db --quiet
exits '... and its retest' 0 validate board.yaml --only ports --serial TM-1 --history line.db --quiet
exits '... both are there' 0 history line.db --unit TM-1
[ "$(grep -c 'validate/part' out)" -eq 2 ]
point '... as a part, which is no first pass of a profile' $?
exits '... with a figure' 0 history line.db --figure start/link0
finish
