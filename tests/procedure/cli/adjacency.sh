#!/bin/sh
# SPDX-FileCopyrightText: The phasebench authors
# SPDX-License-Identifier: Apache-2.0
#
# The machine of 16 nodes, as firmware of this repository and as images of two MCUs, and the test of its wiring. Prints TAP.
#
#   tests/procedure/cli/adjacency.sh path/to/phasebench path/to/build
# covers: host/run/adjacency.c host/check/adjacency* host/cli/cmd_adjacency.c host/scenarios/machine-16.yaml

build=$(cd "${2:?give the folder of the images}" && pwd) || exit 4
. "$(dirname "$0")/../../cli/common.sh"

# machine KIND FILE [WIRING]: the shipped machine with nodes of this kind.
machine() {
    sed "s|{address: \(0x.\)}|{address: \1, kind: \"$1\"}|" "$scenarios/machine-16.yaml" >"$2"
    [ -z "${3:-}" ] || sed -i "s|^traffic:|wiring:\n$3\ntraffic:|" "$2"
}

# board LINE...: a small machine in board.yaml, with these additional lines.
board() {
    printf '%s\n' 'cube: {dims: 3}' 'capture: bytes' 'link: {phase_rate: 2 kHz, baud: 500 kbaud, guard: 50 us, payload: 3 bytes}' \
        'nodes: [{address: 0}, {address: 1}, {address: 2}, {address: 3}, {address: 4}, {address: 5}, {address: 6}, {address: 7}]' \
        'traffic: [{from: 0, to: 1}]' "$@" >board.yaml
}

# ---------------------------------------------------------------- the machine

for kind in native "elf:$build/ag32/node.elf" "elf:$build/rp2040/node.elf"; do
    name=${kind##"elf:$build/"} name=${name%/node.elf}
    machine "$kind" machine.yaml
    exits "16 nodes of $name at full load" 0 run machine.yaml --json --out "$name"
    says '... all 64 directed links in each of 4 superframes' '"messages_through_rig": 64, "delivered": 64, .* "transmissions": 512,'
    exits "... are wired as the network asks" 0 adjacency machine.yaml
    says '... in one step' '^sent +all nodes at once$'
done

# ---------------------------------------------------------------- faults of the wiring

machine "elf:$build/ag32/node.elf" swapped.yaml '  - {kind: swapped, node: 0, other_node: 1}'
exits 'two sheets of image nodes exchanged' 1 adjacency swapped.yaml --csv map.csv
says '... are named' '^fault +nodes 0x0 and 0x1 are exchanged \(sheets swapped\): exchange their addresses, or the sheets$'
says '... and shown' '^0x0 +0x0 +0 +4\* +5\* +6\*$'
[ "$(wc -l <map.csv)" -eq 65 ] && grep -q '^0x1,1,4,1,1$' map.csv
point '... as CSV, a row for each port' $?
exits '... fails a run, too' 1 run swapped.yaml --json --out swapped

while IFS='|' read -r wiring fault; do
    board "wiring: [$wiring]"
    exits "$wiring" 1 adjacency board.yaml
    says "... $fault" "^fault +.*$fault"
    [ "$(grep -c '^fault' out)" -eq 1 ]
    point '... is the only fault' $?
done <<'FAULTS'
{kind: swapped, node: 3, dimension: 2, other_dimension: 1}|node 0x3 dimension 1 is on the net of dimension 2, and dimension 2 on that of 1
{kind: swapped, node: 0, dimension: 0, other_node: 5, other_dimension: 2}|links 0 .* are crossed between nodes 0x0 dimension 0 and 0x5 dimension 2
{kind: open, nets: [4]}|net 4 \(0x1 - 0x5 on dimension 2\): no node answers: open
{kind: open, node: 6, dimension: 1}|node 0x6 dimension 1 reaches no net: open
{kind: shorted, nets: [3, 7]}|nets 3 .* and 7 .* are shorted
{kind: missing, node: 5}|node 0x5 does not answer
FAULTS

board 'wiring: [{kind: missing, node: 5}, {kind: open, nets: [0]}]'
exits 'two faults as JSON' 1 adjacency board.yaml --json
[ "$(grep -c '"kind":' out)" -eq 2 ] && grep -q '"kind": "no_answer"' out && grep -q '"kind": "net_open"' out
point '... have two entries' $?
figures '... of one' expected_net 0
board 'wiring: [{kind: shorted, nets: [3, 7]}]'
exits 'a run on shorted nets' 1 run board.yaml --json --out short

board 'wiring: [{kind: swapped, node: 2, other_node: 6}]'
exits 'the same on a virtual board' 1 adjacency board.yaml --rig vusb:
says '... is named' '^fault +nodes 0x2 and 0x6 are exchanged'

sed 's/{address: \([0-7]\)}/{address: \1, kind: ref}/g;/^wiring/d' board.yaml >ref.yaml
exits 'nodes that know no test mode send messages' 0 adjacency ref.yaml

# ---------------------------------------------------------------- what is refused

{
    printf 'name: sixteen\ncube: {dims: 4}\nnodes:\n'
    for address in 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15; do
        echo "  - {address: $address}"
    done
    printf 'traffic:\n  - {from: 0, to: 1}\n'
} > sixteen.yaml
refuses 'more events than a UART carries' 4 'were lost, 3 times; lower link.phase_rate' adjacency sixteen.yaml --rig 'sim:?port=uart'
exits '... which a FIFO does' 0 adjacency sixteen.yaml

refuses 'no scenario' 2 'adjacency' adjacency
refuses 'a recording' 2 'a recording holds no test of the wiring' adjacency board.yaml --rig replay:none
refuses 'a wiring on a real board' 3 'wiring: rig tty:.* has a real board' adjacency board.yaml --rig tty:/dev/null
board 'clock: {source: external}'
sed -i 's/to: 1}/to: 1, superframe: 1}/' board.yaml
refuses 'an external clock' 3 'clock.source is external' adjacency board.yaml
board 'wiring: [{node: 0, nets: [0, 1, 2]}]'
refuses 'a netlist without the other nodes' 3 'board.yaml:6: wiring: has rows for 1 of 8 nodes' adjacency board.yaml
finish
