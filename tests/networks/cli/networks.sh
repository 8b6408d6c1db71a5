#!/bin/sh
# SPDX-FileCopyrightText: The phasebench authors
# SPDX-License-Identifier: Apache-2.0
#
# Relatives of the cube from the command line: schedules, routes, bounds and machines, against counts by hand; what is refused.
# covers: host/network host/cli host/report host/analysis host/machine
. "$(dirname "$0")/../../cli/common.sh"

# ---- schedules: ring4 by hand; the wires of a superframe, counted
exits 'a ring' 0 schedule --network product:ring4
says '... its size' '^ring4, 4 nodes, 2 ports a node, 4 phases in a superframe$'
says '... round 0' '^ +0 +0 +0 to 1, 2 to 3$'
says '... the wire that closes it' '^ +2 +0 +0 to 3, 1 to 2$'
exits 'a metacube' 0 schedule --network metacube:2,1 --node 0x05
says '... the class and the fields of a node' '^node 0x05: class 0, fields 1,0,1,0$'
says '... a cube edge' '^ +1  cube +0  send   to   0x04, port 0 +nodes with 1 in bit 0 of the field of their class$'
says '... a cross edge' '^ +4  cross +1  send   to   0x25, port 2 +nodes with 0 in bit 1 of their class$'
exits 'the largest metacube' 0 schedule --network metacube:3,3 --json
says '... has a name' '"name": "metacube:3,3"'
says '... and nodes' '"nodes": 134217728'
exits 'the end of a line' 0 schedule --network product:line3 --node 2
says '... is idle in two phases' '^ +0 +0  idle'
exits 'rounds of XOR' 0 schedule --network xor:2
says '... the third' '^ +4 +0 +0 to 3, 1 to 2$'

# ---- routes
exits 'a route by classes' 0 route --network metacube:2,1 0 5
says '... comes back' '^ +4 +1 +5  cross +2  0x25  0x05$'
says '... with the bound' '^latency 12 phases; at most 24 for a lone message ready at the start of a superframe$'
exits 'along a line' 0 route --network product:line8 7 0
says '... in four superframes' '^latency 14 phases; at most 14 for'
exits 'from any phase' 0 route --network product:line8 7 0 --birth 2
says '... in two phases more' '^latency 16 phases; at most 16 for a lone message ready in any phase$'
exits 'the longest route of the largest metacube' 0 route --network metacube:3,3 0 0xFFFFFF
says '... has (m + 1) 2^k hops' '^ 32  '

# ---- bounds: the shift of a ring uses each link once; all to one on a line of three, by hand
exits 'a shift of a ring' 0 bound --network product:ring4 --traffic file:"$root/tests/networks/cli/shift.txt"
says '... has no link wanted twice' '^  holds  no directed link is wanted twice: C = 1'
exits 'two messages over the wires of a line' 0 bound --network product:line8 --traffic file:"$root/tests/networks/cli/line.txt"
says '... alone 4 superframes, and one for the other' '^bound: 5 superframes: of a message those that it takes alone'
exits 'a lone message on a line' 0 bound --network product:line8 --traffic file:"$root/tests/networks/cli/lone.txt"
says '... takes what it takes alone' '^bound: 4 superframes, those of the slowest message alone'

# ---- machines
exits 'traffic in a metacube' 0 machine --network metacube:2,2 --traffic uniform --load 0.3 --superframes 200
says '... with its limit' '^limit +0\.4995'
exits 'traffic on lines' 0 machine --network product:line4,line4 --traffic uniform --load 0.3 --superframes 200 --json
says '... names the network' '"name": "product:line4,line4"'
# The middle link of a line of 4 carries the messages from 2 of 4 values to the 2 others: 4 a digit, times 4 nodes, of 15 others.
exits 'the limit of a line' 0 machine --network product:line4,line4 --traffic uniform --load 0.3 --superframes 200
says '... by hand' '^limit +0\.9375 messages'
exits 'a dead wire of a ring' 0 machine --network product:ring4 --traffic uniform --load 0.2 --superframes 100 --dead 0.1 --json
says '... cuts the paths over it' '"unreachable_pairs": 4'

# ---- what is refused
refuses 'classes of 4 bits' 2 'has classes of 4 bits; give 0\.\.3' route --network metacube:4,1 0 1
refuses 'addresses of 28 bits' 2 'with 0 class bits give 1\.\.27' route --network metacube:0,28 0 1
refuses 'a ring of two' 2 'a ring has at least 3 values' route --network product:ring2 0 1
refuses 'a digit of no kind' 2 "'rang4' is no digit; give full, ring, line or xor" route --network product:rang4 0 1
refuses 'too many hops' 2 'a route has 65 hops; the limit is 64' route --network product:line66 0 1
refuses 'XOR of 7 bits' 2 'give 1\.\.6' route --network xor:7 0 1
refuses 'a batch on too many nodes' 2 'here an address has at most 16 bits' bound --network metacube:2,4 --traffic perm:1
refuses 'a node that is not there' 2 "DESTINATION is '64'; with MC\(2,1\) give an address 0\.\.63" route --network metacube:2,1 0 64
refuses 'firmware in a ring' 2 'the firmware knows cubes and generalised hypercubes, and the network is ring4; take the engine slot' \
    machine --network product:ring4 --traffic uniform --engine firmware
refuses 'a program on a ring' 2 "'scan' runs where any two nodes that differ in one digit are wired, and the network is ring4" \
    machine --network product:ring4 --program scan
refuses 'what a metacube of many nodes loses' 2 'at most 4096 nodes of a network without digits, and this one has 16384' \
    machine --network metacube:2,3 --traffic uniform --dead 0
refuses 'a dead port without a wire' 2 'node 0x0 has no wire 0; give another' machine --network product:line4 --traffic uniform --dead 0.0
finish
