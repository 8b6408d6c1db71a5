#!/bin/sh
# SPDX-FileCopyrightText: The phasebench authors
# SPDX-License-Identifier: Apache-2.0
#
# The verb machine under traffic from outside. Prints TAP.
#
#   tests/machine/cli/machine_traffic.sh path/to/phasebench
#
# Expected values: published figures of the 12-cube (docs/reference/timing.md), 2(N-1)/N and 1/C; a schema read by another program.
# covers: host/machine bench/nodes/native firmware/app firmware/port/message host/report/machine* host/cli/machine_* host/cli/cmd_machine.c docs/reference/machine.schema.json

. "$(dirname "$0")/../../cli/common.sh"

exits 'bit reversal of the 12-cube as a batch' 0 machine --traffic bitrev --batch 1
says '... takes 32 superframes' '^all crossings within 32 superframes; 4032 messages arrived$'
# 64 of the 4096 addresses are their own reverse.
says '... of which nothing is left to estimate' '^ +0\.03076 +[0-9.]+ +- '
exits '... opportunistic' 0 machine --traffic bitrev --batch 1 --rule opportunistic
says '... takes 3' '^all crossings within 3 superframes'
run machine --traffic uniform --load 0.01 --superframes 20
says 'the limit of uniform traffic' '^limit +1\.99951 messages of a node and superframe'
run machine --traffic transpose --load 0.01 --superframes 20
says 'the limit of transpose' '^limit +0\.03125 '

# Each message leaves on dimension d in phase 2d or 2d + 1: in one superframe, after 35 or 36 phases.
exits 'the complement of 18 dimensions as a batch' 0 machine --traffic complement --dims 18 --batch 1 --json
command='python3 complement' code=-
python3 -c 'import json; p, = json.load(open("out"))["points"]
assert p["crossings"] == 18 << 18 and p["latencies"] == [[35, 1 << 17], [36, 1 << 17]] and p["max_queue"] == 1' 2>err
point '... takes one superframe, and no message waits for another' $?
refuses 'more dimensions than a run has' 2 'give a whole number 1\.\.20' machine --traffic uniform --dims 21
refuses '... as a network' 2 'give 1\.\.20' machine --traffic uniform --network cube:21
refuses '... than the firmware has' 2 'at most 4096 nodes of 12 ports' machine --traffic uniform --dims 17 --engine wire
refuses '... than are analysed' 2 'here a cube has at most 16 dimensions' bound --network cube:17 --traffic uniform:1
refuses '... than a program takes' 2 'runs on at most 65536 nodes' machine --program broadcast --dims 17

exits 'a sweep, with all forms' 0 machine --traffic uniform --dims 6 --load 0.4:2.4:0.4 --superframes 300 --out folder --json
cp out sweep.json
cmp -s sweep.json folder/machine.json
point '... JSON is that of the folder' $?
[ "$(grep -c '^[0-9]' folder/machine.csv)" -eq 6 ] && [ -s folder/machine.html ] && [ -s folder/machine.txt ]
point '... six rows, page, text' $?
says '... the last load is saturated' '^2\.4,.*,1,0$' folder/machine.csv
says '... the first is not' '^0\.4,.*,0,1$' folder/machine.csv
command='python3 sweep' code=-
python3 - "$root/docs/reference/machine.schema.json" sweep.json >out 2>err <<'END'
import json, sys
schema, result = (json.load(open(name)) for name in sys.argv[1:])
try:
    import jsonschema
    jsonschema.validate(result, schema)
except ImportError:
    assert set(result) <= set(schema['properties'])
for point in result['points']:
    count = sum(n for _, n in point['latencies'])
    assert count == point['completed'], 'histogram'
    assert abs(sum(p * n for p, n in point['latencies']) / count - point['latency']['mean']) < 1e-6, 'mean'
    rank, below = -(-99 * count // 100), 0
    for phases, n in point['latencies']:
        below += n
        if below >= rank:
            break
    assert phases == point['latency_p99'], 'p99'
END
point '... keeps its schema; mean and 99 % are those of its histogram' $?
exits 'the same seed, one load after the other' 0 machine --traffic uniform --dims 6 --load 0.4:2.4:0.4 --superframes 300 --json --jobs 1
cmp -s out sweep.json
point '... gives the same result' $?

exits 'saturation of bit reversal in 6 dimensions' 0 machine --traffic bitrev --dims 6 --saturation --json
command='python3 saturation' code=-
python3 -c 'import json; found = json.load(open("out")); assert found["limit"] == 0.25 and abs(found["saturation"]["load"] / 0.25 - 1) < 0.01' 2>err
point '... is within 1 % of 1 / C' $?
exits 'a closed loop' 0 machine --traffic uniform --dims 4 --window 1:3:1 --csv --superframes 50
[ "$(cut -d, -f2 out | tr '\n' ' ')" = 'window 1 2 3 ' ]
point '... has a row for each window' $?
exits 'rooms' 0 machine --traffic uniform --dims 6 --load 1.8 --room 4 --superframes 50
says '... and what they lose' '^dropped [1-9]'
exits 'dead nodes and links' 0 machine --traffic complement --dims 4 --dead 5 --batch 1
says '... and the pairs that are lost' '^unreachable  [1-9][0-9]* of 240 pairs'
says '... and the messages' '^dropped 0, unreachable 4, '
printf '0 3\n1 0 # meets the other one\n' >trace
exits 'a trace' 0 machine --traffic file:trace --dims 2
says '... is measured whole' '^ +[0-9.]+ +[0-9.]+ +- '
says '... arrives' '2 messages arrived$'

exits 'bit reversal of the 12-cube by the firmware' 0 machine --traffic bitrev --batch 1 --engine firmware
says '... takes 32 superframes' '^all crossings within 32 superframes; 4032 messages arrived$'
says '... and is said to be so' '^engine +firmware: the firmware in each node, with room for 40 messages$'
exits 'both engines' 0 machine --traffic bitrev --dims 8 --batch 1 --rule opportunistic --engine all --out both --json
says '... agree' '; slot, firmware and wire agree on 1024 crossings$' both/machine.txt
says '... as the page names' 'engine all</h1>' both/machine.html
command='python3 both' code=-
python3 - "$root/docs/reference/machine.schema.json" out >said 2>err <<'END'
import json, sys
schema, result = (json.load(open(name)) for name in sys.argv[1:])
try:
    import jsonschema
    jsonschema.validate(result, schema)
except ImportError:
    assert set(result) <= set(schema['properties'])
assert result['engine'] == 'all' and result['points'][0]['compared'] == 1024 == result['points'][0]['crossings']
END
point '... and JSON, which keeps its schema' $?
exits 'an overload of both' 0 machine --traffic uniform --dims 5 --load 3 --room 40 --superframes 100 --engine all
says '... drops at full nodes' '^dropped [1-9]'
exits 'dead parts of both' 0 machine --traffic complement --dims 4 --dead 5,3.2 --batch 1 --engine all

refuses 'no traffic' 2 'add --traffic' machine
refuses 'an unknown pattern' 2 "did you mean 'uniform'" machine --traffic unifrm
refuses 'a load that is no number' 2 "--load is 'much'; give a number" machine --traffic uniform --load much
refuses 'a load beyond the ports' 2 'give 0\.000001\.\.12$' machine --traffic uniform --load 12.1
refuses 'a load of 0' 2 'give 0\.000001\.\.' machine --traffic uniform --load 0
refuses 'a range without a step' 2 'A:B:STEP' machine --traffic uniform --load 1:2
refuses 'a range downwards' 2 'has A at most B' machine --traffic uniform --load 2:1:0.1
refuses 'a range of too many loads' 2 'larger step' machine --traffic uniform --load 0.001:2:0.001
refuses 'a window too large' 2 'give 1\.\.10000$' machine --traffic uniform --window 10001
refuses 'half a window' 2 'whole numbers' machine --traffic uniform --window 1.5
refuses '... as a step' 2 'whole numbers' machine --traffic uniform --window 1:4:0.5
refuses 'load and window' 2 'exclude each other' machine --traffic uniform --window 1 --load 1
refuses 'a room of 0' 2 '--room' machine --traffic uniform --room 0
refuses 'a dead node that is none' 2 "--dead is '99'.*0\.\.15 \(0xF\), or a larger --dims" machine --traffic uniform --dims 4 --dead 99
refuses 'a dead port that is none' 2 '--dead, port' machine --traffic uniform --dims 4 --dead 3.4
refuses 'dead parts without paths' 2 'leave out --dead' machine --traffic uniform --dead 3 --rule opportunistic
refuses 'a dead hot node' 2 'is dead' machine --traffic hotspot:3 --dead 3
refuses 'a barrier without an end' 2 'give a batch' machine --traffic uniform --valiant barrier
refuses 'total exchange without an end' 2 'as a batch' machine --traffic total --dims 4
refuses 'saturation of rooms' 2 'unbounded rooms' machine --traffic uniform --saturation --room 3
refuses 'saturation without queues of links' 2 'take ecube' machine --traffic uniform --saturation --rule opportunistic
refuses 'saturation of the firmware' 2 'take --engine slot' machine --traffic uniform --saturation --engine firmware
refuses 'another room of the firmware' 2 'room for 4 messages; a node of the firmware has room for 40; leave the room out' \
    machine --traffic uniform --room 4 --engine firmware
refuses 'a room of its ports' 2 'share one room of 40; leave it out' machine --traffic uniform --port-room 4 --engine all
refuses 'a cube beyond the firmware' 2 'engine firmware: 8192 nodes of 13 ports; .*; give a smaller network' \
    machine --traffic uniform --dims 13 --engine firmware
refuses 'an engine that is none' 2 "--engine" machine --traffic uniform --engine bits
refuses 'a run that needs too much memory' 4 'may need [0-9]+ MB of memory, and 10 MB are given' machine --traffic uniform --load 3 \
    --superframes 1000000 --memory 10
refuses 'a trace that is missing' 3 'nowhere' machine --traffic file:nowhere
printf '0 1\n2 99\n' >bad
refuses 'a bad line of a trace' 3 "bad:2: destination '99'" machine --traffic file:bad --dims 4
printf '0 1 x\n' >bad
refuses 'a bad superframe' 3 "bad:1: superframe 'x'" machine --traffic file:bad --dims 4
printf '3 1\n' >bad
refuses 'a dead source of a trace' 3 'message 1 of the trace' machine --traffic file:bad --dims 4 --dead 3
: >bad
refuses 'an empty trace' 3 'holds no message' machine --traffic file:bad --dims 4

exits 'nodes at their pins' 0 machine --traffic uniform --dims 3 --load 1 --superframes 30 --engine all --ppm 500 --jitter-us 0.5 --latency-us 2
says '... agree with the others' '^engine +all: .*; slot, firmware and wire agree on [1-9][0-9]* crossings$'
exits 'the same alone' 0 machine --traffic uniform --dims 3 --load 1 --superframes 30 --engine wire --json
sed '/^  "line": {/,/^  },/d' out >wire.json
exits '... and messages alone' 0 machine --traffic uniform --dims 3 --load 1 --superframes 30 --room 40 --json
sed 's/"engine": "wire"/"engine": "slot"/' wire.json | cmp -s - out
point '... give the same result' $?
refuses 'clocks that err by 4 %' 4 'lower latency and error of the clocks' machine --traffic uniform --dims 3 --load 1 --engine wire --ppm 40000
refuses '... are found among all engines, too' 4 'lower latency and error of the clocks' machine --traffic uniform --dims 3 --load 1 --engine all --ppm 40000
refuses 'a frame that fits no phase' 2 'at 900000 baud a frame of 9 bytes takes 100.000 us, and a phase has 95.000 us for it; raise the baud or lower the phase rate' machine --traffic uniform --dims 3 --engine wire --baud 900000
refuses '... or not both guards of an image' 2 'at 990000 baud a frame of 9 bytes takes 90.909 us, and a phase has 90.000 us' machine --traffic uniform --dims 3 --engine image --image x --baud 990000
refuses 'a phase rate of messages alone' 2 'phase rate, baud and ppm are of --engine wire' machine --traffic uniform --dims 3 --phase-hz 5000
exits 'slow links in long phases' 0 machine --traffic uniform --dims 3 --load 1 --superframes 30 --engine wire --phase-hz 1000 --baud 100000
refuses 'clocks of messages alone' 2 'ppm are of --engine wire' machine --traffic uniform --dims 3 --ppm 100
refuses 'the jitter of an image' 2 'jitter of wire or all' machine --traffic uniform --dims 3 --engine image --image x --jitter-us 1
refuses 'the results of 100 loads without memory' 4 'may need [0-9]* MB' machine --traffic uniform --dims 14 --load 0.001:0.1:0.001 --superframes 1 --warm-up 0 --memory 40
refuses 'the engine image without one' 2 'name an ELF or UF2 file by --image' machine --traffic uniform --dims 3 --engine image
refuses '... with a file that is not there' 3 'engine image: nosuch: No such file' machine --traffic uniform --dims 3 --engine image --image nosuch
refuses '... with a text' 3 'is no firmware image: it is a text' machine --traffic uniform --dims 3 --engine image --image "$root/README.md"
refuses 'an image of another engine' 2 'is of --engine image or all' machine --traffic uniform --dims 3 --engine wire --image nosuch

finish
