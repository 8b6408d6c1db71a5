#!/bin/sh
# SPDX-FileCopyrightText: The phasebench authors
# SPDX-License-Identifier: Apache-2.0
#
# The engines of the verb machine where a node of the firmware loses frames (lossy_node.c). Prints TAP.
#
#   tests/machine/cli/machine_engines.sh PROGRAM-WITH-lossy_node.c
#
# Expected values: complement in 4 dimensions by hand. In superframe s node n sends message 16 s + n; node 5 sends on port 1 that of node 4.
# covers: host/machine host/cli/machine_traffic.c host/cli/machine_program.c firmware/port/message tests/machine/cli/lossy_node.c

. "$(dirname "$0")/../../cli/common.sh"

where='superframe 3, phase 2, on the wire of port 1 from node 0x5 to node 0x7'
refuses 'both engines with a broken node' 1 "^phasebench: machine: the engines differ: $where: slot moves message 52 from 0x4 to 0xB; firmware moves nothing\$" \
    machine --traffic complement --dims 4 --load 1 --engine all --out folder
[ ! -e folder/machine.json ]
point '... give no result' $?
refuses 'the broken firmware alone' 4 'after superframe 3 64 messages were released, 63 delivered.*that is not conserved' \
    machine --traffic complement --dims 4 --load 1 --engine firmware
exits 'both engines where it sends nothing there' 0 machine --traffic complement --dims 1 --load 1 --engine all
# A barrier: node 7 misses the frame of superframe 3, phase 2, so in phase 3 it is silent.
where='superframe 3, phase 3: the firmware of node 0x7 sends nothing, the plain player 00; mend the firmware'
refuses 'a program with a broken node' 1 "^phasebench: machine: program 'barrier': $where\$" machine --program barrier --argument 8 --dims 4 --out folder
[ ! -e folder/machine.json ]
point '... gives no result' $?
exits 'the player alone, without a node' 0 machine --program barrier --argument 8 --dims 4 --engine slot
exits 'messages alone, without a node' 0 machine --traffic complement --dims 4 --load 1 --superframes 20

finish
