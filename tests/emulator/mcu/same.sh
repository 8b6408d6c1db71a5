#!/bin/sh
# SPDX-FileCopyrightText: The phasebench authors
# SPDX-License-Identifier: Apache-2.0
#
# The portable firmware on five machines under one stimulus: compiled for this computer, that in a process of its own, on the emulated
# AG32VF303 and RP2040, and on libsimavr's ATmega1284P. What the bench saw on the lines must be the same for every message: its
# superframes, phases, dimensions and bytes, and the sums of the payloads. Prints TAP.
# Usage, from the top of the tree: same.sh path/to/phasebench BUILD-DIR
#
# evidence: one stimulus, five machines
#   the portable firmware natively, in a process, on AG32VF303, RP2040 and AVR: same phase and same bytes of
#   every message
# covers: firmware bench/emulator bench/nodes/native
set -u
. tests/tap.sh
said() { tail -n 12 log; }
bin=$(cd "$(dirname "$1")" && pwd)/$(basename "$1")
build=$(cd "$2" && pwd)
work=$(mktemp -d) || exit 4
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM
cd "$work" || exit 4

# Own messages, messages to the node, and messages through it between every pair of links, then a crowd for one link.
scenario() { # KIND
    cat <<END
cube: {dims: 4}
link: {baud: 40 kbaud, phase_rate: 400 Hz, guard: 250 us, payload: 6 bytes, console_baud: 38400 baud}
seed: 77
nodes:
  - {address: 5, kind: "$1"}
traffic:
  - {from: 5, to: 10, superframe: 0}
  - {from: 5, to: 4, superframe: 2}
  - {from: 10, to: 5, superframe: 0}
  - {from: 13, to: 5, superframe: 3}
  - {pattern: pairs:5, superframe: 1}
  - {pattern: complement, superframe: 6}
  - {pattern: perm:3, superframe: 8}
  - {from: 4, to: 13, superframe: 12, repeat: 3}
  - {from: 7, to: 13, superframe: 12, repeat: 3}
END
}

# lines CSV: every transmission of the node, and every one to it, as the bench saw it; then number, and sum of the payload bytes
lines() {
    awk -F, '
        function hex(digits) { return 16 * (index("0123456789ABCDEF", substr(digits, 1, 1)) - 1) + index("0123456789ABCDEF", substr(digits, 2, 1)) - 1 }
        { sub(/\r$/, "") }
        NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
        $at["from"] != "0x5" && $at["to"] != "0x5" { next }
        {
            print $at["superframe"], $at["phase"], $at["dimension"], $at["from"], $at["to"], $at["source"], $at["destination"], $at["seen"], $at["correct"], $at["bytes"]
            frames[$at["sender"]]++
            many = split($at["bytes"], byte, " ")
            for (i = 3; i < many; i++) sum[$at["sender"]] += hex(byte[i])
        }
        END { for (sender in frames) print "sum", sender, frames[sender], sum[sender] }' "$1"
}

run() { # NAME KIND
    scenario "$2" >"$1.yaml"
    "$bin" run "$1.yaml" --csv "$1.csv" --out "$1" >log 2>&1
    point "$1: passes" $?
    lines "$1.csv" >"$1.lines" 2>>log
    [ "$1" = native ] && return
    diff native.lines "$1.lines" >log
    point "$1: each message in the same phase with the same bytes" $?
}

run native native
awk '$1 == "sum" && $2 == "node" && $3 >= 20 && $4 > 0 { found = 1 } END { exit !found }' native.lines
point 'the node sent 20 frames or more' $?
run process "exec:$build/tests/native_node"
run ag32 "elf:$build/ag32/node.elf"
run rp2040 "elf:$build/rp2040/node.elf"
run avr "exec:$build/simavr-node $build/avr/node.elf"
finish
