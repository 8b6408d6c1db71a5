#!/bin/sh
# SPDX-FileCopyrightText: The phasebench authors
# SPDX-License-Identifier: Apache-2.0
#
# The verb machine with real nodes: forms, what they say of sound and broken nodes, the same behind virtual USB, and what is refused. Prints TAP.
#
#   tests/machine/cli/machine_bench.sh PROGRAM
#
# Expected values: the mover (engine slot) with the same traffic; of node 5 of a 4-cube by hand.
# covers: host/machine/bench.c host/machine/held.c host/machine/counters.c host/run/machine_bench.c host/report/machine_bench.c host/cli/machine_bench.c

. "$(dirname "$0")/../../cli/common.sh"

scenario() {
    printf 'cube: {dims: 4}\nlink: {console_baud: 1 Mbaud}\nnodes: [%s]\ntraffic: [{from: 0, to: 1}]\n' "$2" >"$1.yaml"
}
scenario sound '{address: 5}, {address: 12, kind: contract}'
scenario broken '{address: 5, kind: contract, defect: wrong_crc}'

# Everything but the engine and the sentences about the nodes is as without real ones.
"$bin" machine --traffic uniform --dims 4 --load 0.5:1:0.5 --superframes 40 --csv >slot.csv
"$bin" machine --traffic uniform --bench sound.yaml --load 0.5:1:0.5 --superframes 40
exits 'sound nodes at two loads' 0 machine --traffic uniform --bench sound.yaml --load 0.5:1:0.5 --superframes 40 --out sound
cmp -s slot.csv sound/machine.csv
point '... have the figures of the mover' $?
says '... name the nodes, the scenario and the rig' '^bench        0x5 0xC of sound.yaml on sim:' sound/machine.txt
says '... say why they can be played ahead' '^look-ahead   holds: phases ascend' sound/machine.txt
says '... say how often they were' '^reaction     exact in [0-9]* of [0-9]* superframes$' sound/machine.txt
[ "$(grep -c '0 findings$' sound/machine.txt)" = 2 ]
point '... and that nothing was found, of each load' $?
python3 - "$root/docs/reference/machine.schema.json" sound/machine.json <<'END'
import json, jsonschema, sys
document = json.load(open(sys.argv[2]))
jsonschema.validate(document, json.load(open(sys.argv[1])))
assert document['engine'] == 'bench' and document['bench']['nodes'] == [5, 12]
for point in document['points']:
    seen = point['bench']
    assert seen['findings'] == seen['behind'] == 0 and seen['first'] == [] and seen['frames'] > 0
END
point '... and the schema fits the JSON' $?
"$bin" machine --traffic uniform --bench full-load --superframes 20 --warm-up 0 --load 1 --rig vusb: --csv >vusb.csv
"$bin" machine --traffic uniform --superframes 20 --warm-up 0 --load 1 --csv | cmp -s - vusb.csv
point 'behind virtual USB the figures are the same' $?

# complement: node 5 has to send its message for 0xA on dimension 0 first; its bit 0 is 1, so in phase 1.
exits 'a node whose frames no other takes' 1 machine --traffic complement --bench broken.yaml --batch 1 --out broken
says '... is named with the frame' '^  superframe 0, phase 1: node 0x5 has to send message 5 for 0xA, and sends 0A 00 00 00 00 [0-9A-F]* 00 00 [0-9A-F]* to node 0x4$' broken/machine.txt
says '... with what it lost' 'lost [1-9][0-9]* messages; [1-9][0-9]* findings$' broken/machine.txt
python3 - "$root/docs/reference/machine.schema.json" broken/machine.json <<'END'
import json, jsonschema, sys
document = json.load(open(sys.argv[2]))
jsonschema.validate(document, json.load(open(sys.argv[1])))
point = document['points'][0]
assert point['completed'] + point['dropped'] == 16 and point['dropped'] == point['bench']['lost'] > 0
assert all(finding['node'] == 5 for finding in point['bench']['first'])
END
point '... and every message arrives or is lost' $?
says '... the page has it, too' '<td>0</td><td>1</td><td>0x5</td><td>has to send message 5 for 0xA' broken/machine.html

# The limit of a 4-cube is a load of 1.875; of 3 the queues of a node grow to its room.
mkdir own && cp "$root/docs/examples/my_node.py" "$root/docs/examples/phasebench_node.py" own
scenario own/full '{address: 5, kind: "exec:python3 my_node.py"}'
exits 'a full node of which no room is known' 5 machine --traffic uniform --bench own/full.yaml --load 3 --superframes 60 --warm-up 0
says '... is judged no longer, and the remedy is said' '^  1 of them .*, or held 32 messages, and have no key room in the scenario$'
scenario own/full '{address: 5, kind: "exec:python3 my_node.py", room: 40}'
exits '... and with a room' 0 machine --traffic uniform --bench own/full.yaml --load 3 --superframes 60 --warm-up 0
[ "$(grep -c 'not judged' out)" -eq 0 ] && grep -q ' 0 findings$' out
point '... it is judged to the end' $?

refuses 'another network' 2 'the network is given as 5 dimensions, and sound.yaml has 4 dimensions; leave it out' \
    machine --traffic uniform --bench sound.yaml --dims 5
exits 'the same network once more' 0 machine --traffic uniform --bench sound.yaml --dims 4 --superframes 2 --warm-up 0
refuses 'another rule' 2 'the rule is given as opportunistic, and the nodes of sound.yaml have ecube' \
    machine --traffic uniform --bench sound.yaml --rule opportunistic
refuses 'another engine' 2 'leave out --engine' machine --traffic uniform --bench sound.yaml --engine wire
refuses 'releases in any phase' 2 '--birth any' machine --traffic uniform --bench sound.yaml --birth any
refuses 'a recording' 2 'a recording holds no other traffic' machine --traffic uniform --bench sound.yaml --rig replay:sound.rec
refuses 'a rig without nodes' 2 '--rig has no meaning without --bench' machine --traffic uniform --rig sim:
refuses 'no such scenario' 3 'nosuch.yaml: cannot be opened' machine --traffic uniform --bench nosuch.yaml
refuses 'a checkpoint' 2 'engine bench: a run of it cannot be kept' machine --traffic uniform --bench sound.yaml --checkpoint kept
refuses 'a rig that is not there' 4 'no FTDI chip' machine --traffic uniform --bench full-load --rig ftdi:PB9999
scenario outside '{address: 5}'
echo 'clock: {source: external}' >>outside.yaml
refuses 'an external clock' 3 'clock.source is external' machine --traffic uniform --bench outside.yaml

# A node of one's own that ends in the middle of the run.
cat >ends.py <<'END'
import sys
sys.exit(0)
END
scenario ends "{address: 5, kind: 'exec:python3 ends.py'}"
refuses 'a process that is no node' 3 'did not greet' machine --traffic uniform --bench ends.yaml

cp "$root/docs/examples/phasebench_node.py" .
sed 's/^    def turn(self, phase):/    turns = 0\n\n&\n        self.turns += 1\n        if self.turns == 200:\n            raise SystemExit(3)/' \
    "$root/docs/examples/my_node.py" >dies.py
scenario dies "{address: 5, kind: 'exec:python3 dies.py'}"
exits 'a node whose process ends in the middle of a run' 1 machine --traffic uniform --bench dies.yaml --superframes 3000 --warm-up 0 --load 1
says '... is said with its node' 'node 0x5 exited with code 3, and answers nothing'

# One answer of 10,000 digits, where docs/node.md allows 2,000: it must not garble that of the next node.
sed 's/^if __name__/class Talker(MyNode):\n    lines = 0\n\n    def _command_S(self, *words):\n        self.lines += 1\n        answer = super()._command_S(*words)\n        return "+S " + "0" * 10000 + answer[3:] if self.lines == 3 else answer\n\n\n&/; s/MyNode()\.run/Talker().run/' \
    "$root/docs/examples/my_node.py" >talks.py
scenario talks "{address: 5, kind: 'exec:python3 talks.py'}, {address: 4}, {address: 2}"
exits 'a node whose answer does not end' 1 machine --traffic uniform --bench talks.yaml --superframes 12 --warm-up 0 --load 1
says '... is named' 'node 0x5 sends on its console without end'
grep -q 'node 0x[24] ' out
[ $? = 1 ]
point '... and not its neighbours' $?

"$bin" machine --traffic uniform --bench full-load --superframes 100000 --out long >long.txt 2>long.err &
run=$!
until [ -d long ]; do sleep 0.1; done
sleep 1 # the handler of signals comes before the rig is opened
kill -INT "$run"
wait "$run"
[ $? = 130 ] && grep -q '^phasebench: interrupted; all lines are released and the clock is stopped$' long.err
point 'Ctrl-C ends it, with the lines released' $?

finish
