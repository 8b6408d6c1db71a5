#!/bin/sh
# SPDX-FileCopyrightText: The phasebench authors
# SPDX-License-Identifier: Apache-2.0
#
# Nodes in processes of their own: the same result as of the same node in the bench, and everything that a process can do
# wrong. Prints TAP.
#
#   tests/cli/process.sh path/to/phasebench [path/to/native_node]
#
# Expected values: the native node in the bench; docs/start/your-firmware.md, and for superframe and phase of the Kth edge of
# TDMA_CLK that a superframe of this cube has 24 phases, so that the 30th edge is superframe 1, phase 5.
# covers: bench/nodes docs/examples docs/start/your-firmware.md tests/bench/nodes

node=${2:-$(dirname "$1")/tests/native_node}
node=$(cd "$(dirname "$node")" && pwd)/$(basename "$node")
. "$(dirname "$0")/common.sh"

# scenario FILE KIND [KEYS]: the main job with another kind of node.
scenario() {
    sed "s|{address: 0x2A3}|{address: 0x2A3, kind: \"$2\"$3}|" "$scenarios/demo.yaml" >"$1"
}

# judged FILE: the JSON of a run, without its names and times.
judged() {
    run run "$1" --json
    sed '/^  "scenario_path"/d;/^  "command"/d;/"wall_ns"/d;/"started_utc"/d' out
}

# ---------------------------------------------------------------- a sound node

scenario native.yaml native
pins=$(dirname "$node")/pins_node
for form in "$node" "$node simple" "$node print" "$pins"; do
    scenario own.yaml "exec:$form"
    judged native.yaml >native.json
    judged own.yaml >own.json
    [ "$code" -eq 0 ] && [ -s own.json ] && cmp -s native.json own.json
    point "exec:$(basename "$form"): the result is that of the node in the bench, to the picosecond" $?
done
sed "s|\(address: [0-9A-Fx]*\)|\1, kind: \"exec:$node\", clock_error: 900 ppm, irq_jitter: 1 us|" "$scenarios/pairs.yaml" |
    sed 's/kind: native, //' >own.yaml
sed "s|exec:$node|native|" own.yaml >native.yaml
judged native.yaml >native.json
judged own.yaml >own.json
[ -s own.json ] && cmp -s native.json own.json
point '... also with a clock error and jitter' $?
# With own messages after the start the bench grants a process the time of a board, so its clock starts at another tick.
for kind in native "exec:$node"; do
    sed "s|^\(  - {address: [0-9A-Fx]*\)[^}]*}|\1, kind: \"$kind\"}|" "$scenarios/two-boards.yaml" >two.yaml
    judged two.yaml | sed '/^  "environment"/d;/"simulated_ps"/d;/"clock_start_ps"/d' >"two-${kind%%:*}.json"
done
[ "$code" -eq 0 ] && [ "$(grep -c "exec:" two.yaml)" -eq 2 ] && cmp -s two-native.json two-exec.json
point '... and for every node of a rig' $?
mkdir -p "a folder" && cp own.yaml "a folder/own.yaml" && ln -sf "$node" "a folder/my node"
scenario "a folder/own.yaml" "exec:./my\\\\\\\\ node"
exits 'a command is meant from the folder of the scenario' 0 run "a folder/own.yaml" --json
sleep 60 &
[ "$(left '^sleep 60')" -eq 1 ]
point 'a process that stays is counted' $?
kill $!
scenario own.yaml "exec:$node stay"
exits 'a process that ignores END is stopped' 0 run own.yaml --json
[ "$(left "^$node.*stay")" -eq 0 ]
point '... and is gone' $?

# ---------------------------------------------------------------- a bad start

echo 'printf "no greeting" >&3; sleep 9' >talk.sh
while IFS='|' read -r kind wanted; do
    scenario bad.yaml "$kind" ', answer_limit: 300 ms'
    refuses "no start: $kind" 3 "nodes\[0\].*$wanted" run bad.yaml --json
done <<END
exec:|no word after the colon
exec:'x|open quote
exec:./missing-node|cannot start './missing-node'.*No such file
exec:/|cannot start '/'.*(Permission denied|directory)
exec:$node version|version 2 of the protocol; this bench speaks version 1
exec:$node name|byte 0x0a in its name
exec:$node mute|did not answer within 0.300 s
exec:$node leave|exited with code 5
exec:$pins refuse|exited with code 1
exec:sh -c 'echo no core'|exited with code 0; it wrote: no core
exec:sh -c 'seq 100; echo no core'|it wrote: [.][.][.] [0-9]+[|].*[|]99[|]100[|]no core; see docs
exec:sh -c 'seq -s x 100; echo no core'|it wrote: [.][.][.] no core; see docs
exec:cat|exited with code 0
exec:sh talk.sh|a message of type 0x74656572
exec|'exec' names no COMMAND; write exec:COMMAND
exe:x|'exe:x' is unknown; did you mean 'exec'
END
sed 's/address: 0x2A3/&, answer_limit: 1 s/' "$scenarios/demo.yaml" >bad.yaml
refuses 'answer_limit is of a process alone' 3 "kind 'native' does not take it; remove the key or use kind exec" run bad.yaml --json
scenario bad.yaml "exec:$node"
refuses 'a board refuses a process' 3 "'exec' is of a model" run bad.yaml --rig tty:/dev/null --json

# ---------------------------------------------------------------- trouble in superframe 1, phase 5

# in_trouble NAME ID SEEN [PHASE]
in_trouble() {
    name=$1 id=$2 seen=$3 phase=${4:-5}
    scenario bad.yaml "exec:$node $name=30" ', answer_limit: 300 ms'
    exits "$name: the run fails" 1 run bad.yaml --json
    tr -d '\n' <out | sed 's/  */ /g' >flat
    grep -Eq "\"id\": \"$id\",[^}]*\"superframe\": 1, \"phase\": $phase,[^}]*\"expected\": \"the process 'native' of node 0x2A3 [^}]*\"seen\": \"it $seen" flat &&
        grep -Eq "\"reason\": \"the process of a node [a-z ]*: superframe 1, phase $phase" flat
    point "... as $id, where it happened" $?
    grep -Eq '"superframes": 14,' out && ! grep -Eq '"incomplete": "[^"]' out &&
        ! grep -Eq '"id": "(babble|line_stuck|stimulus_error)"' out
    point '... to its end, with all lines released' $?
    [ "$(left "^$node.*$name")" -eq 0 ]
    point '... and no process stays' $?
    exits '... recorded' 1 run bad.yaml --record bad.rec --force --json
    cp out before.json
    exits '... and replayed' 1 run --rig replay:bad.rec --json
    same '... with the same result' before.json out
}
in_trouble exit node_died 'exited with code 3'
in_trouble crash node_died 'was ended by signal 11'
in_trouble close node_died 'closed file descriptor 3'
in_trouble sleep node_hung 'did not answer within 0.300 s'
in_trouble loop node_hung 'did not answer within 0.300 s'
in_trouble half node_hung 'did not answer within 0.300 s'
in_trouble mutter node_hung 'did not answer within 0.300 s; it wrote: .*and on and on'
in_trouble flood node_protocol 'sent a message of type 0x55555555; type 3 is due'
in_trouble twice node_protocol 'sent serial'
in_trouble type node_protocol 'sent a message of type 0x9; type 3 is due'
in_trouble long node_protocol 'sent a body of 65584 bytes; 32 to 65568 are possible'
in_trouble past node_protocol 'sent 0 ps as its next time'
in_trouble eager node_protocol 'sent more than 200000 next times within a millisecond'

scenario bad.yaml "exec:sh -c '(sleep 9) 3<\&3 \& exec $node exit=30'" ', answer_limit: 300 ms'
exits 'a process that ended while its child keeps file descriptor 3: the run fails' 1 run bad.yaml --json
says '... as that of an ended process' '"seen": "it exited with code 3'
scenario own.yaml "exec:sh -c '$node; exit 9'"
exits 'an exit code after END means nothing' 0 run own.yaml --json
# The 338th edge comes after the 14 superframes of 24 phases.
scenario bad.yaml "exec:$node exit=338"
exits 'a process that ends after the run: the run fails' 1 run bad.yaml --json
says '... and that is said' '"reason": "the process of a node ended: after the run, superframe 14, phase 1'

# ---------------------------------------------------------------- a run that must end while a process does not answer

# halted NAME CODE REGEX ARGUMENTS: SIGINT after 2 s; the command ends with this code in less than 2 s from then.
halted() {
    name=$1 wanted=$2 regex=$3
    shift 3
    command="$*, then SIGINT"
    "$bin" "$@" >out 2>err </dev/null &
    pid=$!
    heeds "$pid"
    sleep 2
    begun=$(date +%s%N)
    kill -INT "$pid"
    wait "$pid"
    code=$?
    [ "$code" -eq "$wanted" ] && [ $(($(date +%s%N) - begun)) -lt 2000000000 ] &&
        { [ -z "$regex" ] || grep -Eq -- "$regex" err; } && [ "$(left "^$node")" -eq 0 ]
    point "$name" $?
}
scenario hung.yaml "exec:$node sleep=30" ', answer_limit: 60 s'
scenario mute.yaml "exec:$node mute" ', answer_limit: 60 s'
cp hung.yaml other.yaml
halted 'SIGINT ends the wait for an answer' 130 'interrupted while the process of nodes\[0\] had not answered' run hung.yaml --out halted
grep -Eq '"incomplete": "the run ends in superframe 1 of 14, phase 4; interrupted' halted/result.json &&
    grep -q '"verdict": "inconclusive"' halted/result.json
point '... and the run is judged up to there' $?
halted '... for a greeting' 130 'had not greeted when the run was interrupted' run mute.yaml
halted '... for a greeting to --check' 130 'had not greeted' run mute.yaml --check
halted '... in a suite' 130 'interrupted' run hung.yaml other.yaml -j 2 --out halted
halted '... on a virtual board' 130 'interrupted' run hung.yaml --rig vusb: --out halted
halted '... before the virtual board is ready' 130 'interrupted' run mute.yaml --rig vusb:
halted '... of a server' 0 '' serve mute.yaml --socket ./socket
for rig in sim: vusb:; do
    begun=$(date +%s)
    exits "--timeout on rig $rig ends the wait" 124 run hung.yaml --timeout 5 --rig $rig --out late
    [ $(($(date +%s) - begun)) -lt 30 ] && grep -Eq '"incomplete": "the run ends in superframe 1 of 14, phase [0-9]+; the run .*limit' late/result.json
    point '... and the run is judged up to there' $?
    exits '... for a greeting' 124 run mute.yaml --timeout 1 --rig $rig --json
    says '... and that is said' 'had not greeted when the run was out of time$' err
done
scenario own.yaml "exec:$node leave"
refuses 'no start on a virtual board' 3 'exited with code 5' run own.yaml --rig vusb: --json

# ---------------------------------------------------------------- the template of the documentation

if command -v python3 >/dev/null; then
    cp "$root"/docs/examples/my_node.* "$root/docs/examples/phasebench_node.py" .
    [ "$(wc -l <my_node.py)" -lt 60 ]
    point 'the template has less than 60 lines' $?
    exits '... and passes its scenario' 0 run my_node.yaml --json
    for name in demo pairs opportunistic outside-clock two-boards faults/bad-frames faults/late-clock; do
        sed 's|^\(  - {address: [0-9A-Fx]*\)\(, kind: [a-z]*\)*|\1, kind: "exec:python3 my_node.py"|' "$scenarios/$name.yaml" >own.yaml
        exits "... and $name" 0 run own.yaml --json
    done
    while IFS='|' read -r change id; do
        sed "$change" my_node.py >broken.py
        sed 's/my_node.py/broken.py/' my_node.yaml >own.yaml
        exits "... and fails with $change" 1 run own.yaml --json
        says "... as $id" "\"id\": \"$id\""
    done <<END
s/differing & -differing/1 << differing.bit_length() - 1/|unexpected_activity
s/== bit/!= bit/|outside_phase
s/self.queue.append(message)/pass/|missing_frame
s/self.queue = \[\]/1 \/ 0/|node_died
END

    # The bit time of the console is measured by answers to Z, and at 115200 baud a poll can see a part of one.
    cat >ends.py <<'END'
import my_node


class Node(my_node.MyNode):
    cleared = 0

    def _command(self, line):
        self.cleared += line == "Z"
        return super()._command(line) + "\r" * (self.cleared > 5)


Node().run()
END
    cat >ends.yaml <<'END'
cube: {dims: 1}
link: {console_baud: 115200 baud}
nodes: [{address: 0, kind: "exec:python3 ends.py"}]
traffic: [{from: 0, to: 1}]
END
    exits 'a node may end its first answers with a line feed, and those after them with two characters' 0 run ends.yaml
fi

# ---------------------------------------------------------------- recordings

# A recording from another author may name any command. The run fails, which on sim: would be repeated for its waveform.
scenario own.yaml "exec:sh -c 'echo started >>starts; exec $node exit=30'"
exits 'a failing run is recorded' 1 run own.yaml --record own.pbr --out recorded
[ "$(wc -l <starts)" -eq 2 ] && [ -e recorded/failure.fst ]
point '... and was repeated for its waveform' $?
rm starts
exits 'its replay fails, too' 1 run --rig replay:own.pbr --out replayed
exits '... also beside its scenario' 1 run own.yaml --rig replay:own.pbr --out replayed
exits '... also in the monitor' 1 monitor own.pbr --json --speed 0
[ ! -e starts ]
point '... and no replay starts a process' $?
[ -e replayed/failure.fst ]
point '... but draws the waveform of its events' $?

# ---------------------------------------------------------------- suites

scenario own.yaml "exec:$node"
mkdir suite && cp own.yaml suite/a.yaml && cp own.yaml suite/b.yaml && cp bad.yaml suite/c.yaml
exits 'a suite runs them side by side' 1 run suite -j 2 --out o
says '... each with its verdict' '^3 scenarios: 2 pass, 0 marginal, 1 fail, 0 inconclusive, 0 not judged(; not checked: .*)?$'

finish
