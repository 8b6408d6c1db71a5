#!/bin/sh
# SPDX-FileCopyrightText: The phasebench authors
# SPDX-License-Identifier: Apache-2.0
#
# Tests the phasebench command as a user meets it: verbs, exit codes, streams, files. Prints TAP.
#
#   tests/cli/run.sh path/to/phasebench
#
# Expected numbers: the worked example and the published tables of the theory, worked by hand or
# computed by programs that share nothing with the one under test.
# covers: host/analysis host/base host/check host/cli host/include host/link host/movement host/network host/plan host/report host/result host/rig host/run host/scenario bench/registry docs/man

. "$(dirname "$0")/common.sh"

# ---------------------------------------------------------------- help and usage

verbs='demo run fault monitor report compare route schedule bound machine budget selftest serve doctor devices flash'
for verb in $verbs; do
    exits "$verb --help" 0 "$verb" --help
    says "$verb --help shows usage" "^usage: phasebench $verb"
    says "$verb --help lists options" '^  (-h, --help|--[a-z])'
    says "$verb --help lists exit codes" '^exit codes: 0 '
    cp out help-of-verb
    run help "$verb"
    cmp -s out help-of-verb
    point "help $verb is the same text" $?
    refuses "$verb: unknown option" 2 "$verb: unknown .*--bogus" "$verb" --bogus
    run --help
    says "--help lists $verb" "^  $verb "
    # Every option, by its line of help: "  --name VALUE  text, LOW..HIGH (default)".
    awk '/^$/ {print line; line = ""} /^  -/ {print line; line = $0; next} line != "" {sub(/^ */, " "); line = line $0}' help-of-verb |
        grep '^  --' > options-of-verb
    run complete "$verb" -
    sed 's/^  \(--[a-z-]*\).*/\1/; $a --help' options-of-verb > wanted
    cut -f1 out | cmp -s - wanted
    point "$verb: completion has the options of the help" $?
    while read -r option rest; do
        option=${option%,} # a letter follows
        if grep -q "^  $option [^ ]" options-of-verb; then
            refuses "$verb $option without a value" 2 "option '$option' needs a value" "$verb" "$option"
            refuses "$verb $option before another option" 2 "needs a value, got '--json'" "$verb" "$option" --json
        else
            refuses "$verb $option with a value" 2 "option '$option=1' takes no value" "$verb" "$option=1"
        fi
        refuses "$verb ${option}e" 2 "unknown option '${option}e'; did you mean '$option'" "$verb" "${option}e"
        most=$(echo "$rest" | sed -n 's/.* [0-9]*\.\.\([0-9]*\).*/\1/p')
        [ -z "$most" ] || [ "$option" = --jitter-seed ] || # which the scenario's reader checks
            refuses "$verb $option beyond its range" 2 "$option is '$((most + 1))'; give .*\.\.$most" "$verb" "$option" $((most + 1))
    done < options-of-verb
done

# Every key of a scenario: the list has those of docs/reference/scenario.md, and each is offered for a misspelt one.
exits 'help scenario' 0 help scenario
awk '/^  [a-z]/ {print section, $1} /^[a-z]/ {section = $1}' out | sort -u > keys
sed -n '/^# Scenario/,$ { /^| `[a-z_]*` .*|.*|.*|.*|$/p }' "$root/docs/reference/scenario.md" | sed 's/^| `\([a-z_]*\)`.*/\1/' > told
awk '{print $2}' keys | grep -vxF -f told > lacking
[ "$(wc -l < keys)" -gt 60 ] && [ ! -s lacking ]
point 'docs/reference/scenario.md has every key of help scenario' $?
while read -r section key; do
    case $section in
    at) echo "${key}x: 1" ;;
    nodes | traffic | faults) echo "$section: [{${key}x: 1}]" ;;
    other) echo "faults: [{other: {${key}x: 1}}]" ;;
    *) echo "$section: {${key}x: 1}" ;;
    esac > misspelt.yaml
    refuses "$section: ${key}x" 3 "misspelt.yaml:1: unknown key '${key}x'.*; did you mean '$key'" run misspelt.yaml
done < keys

exits '--help' 0 --help
says '--help lists exit codes' '124 timeout, 130 interrupted'
exits '--version' 0 --version
says '--version has the version and the register map' \
    "^phasebench $(cat "$root/VERSION"), register map $(sed -n 's/^#define PB_MAP_HASH \(0x[0-9a-f]*\)u/\1/p' "$root/rtl/proto/gen/pb_regs.h")\$"
run
[ "$code" -eq 2 ] && [ ! -s out ] && grep -q '^usage: phasebench' err
point 'no arguments: usage on stderr, exit 2' $?
refuses 'unknown verb names the nearest' 2 "did you mean 'route'" rout
refuses 'unknown verb in help' 2 "did you mean 'bound'" help bund
refuses 'line break and escape in an argument' 2 "'x y�z'" demo "$(printf 'x\ny\033z')"
refuses 'line break in a pattern' 2 "'xor 3'" bound --traffic "$(printf 'xor\n3')"
refuses 'option before the verb' 2 'the verb comes first' --json route

printf 'clock: {source: external}\nnodes:\n  - {address: 0x2A3}\ntraffic:\n  - {from: 0x2A3, to: 0x91C}\n' > early.yaml
refuses 'own message before an external clock is found' 3 'release the nodes. own messages in superframe 1' run early.yaml
refuses 'run without a scenario' 2 'nothing would be tested' run
refuses 'run --seed without value' 2 'needs a value' run x.yaml --seed
refuses 'run --seed not a number' 2 "--seed is 'x'" run x.yaml --seed x
refuses 'run --timeout 0' 2 '1\.\.10000000' run x.yaml --timeout 0
refuses 'run --timeout -1' 2 '1\.\.10000000' run x.yaml --timeout -1
refuses 'run --superframes 0' 2 '1\.\.4294967295' run x.yaml --superframes 0
for span in 0s 90 5x h -3s 1.5s 0.01m 5us 46d 3888001s; do
    refuses "run --for $span" 2 "--for is '$span'; give whole seconds 1s\.\.45d with s, m, h or d" run x.yaml --for $span
done
refuses 'run --for with --superframes' 2 'exclude each other' run "$scenarios/demo.yaml" --for 1s --superframes 9
refuses 'run --for, more than there can be' 2 'at most 1620833332 superframes' run "$scenarios/demo.yaml" --superframes 4000000000
printf 'link: {phase_rate: 10 Hz}\nnodes: [{address: 1}]\ntraffic: [{from: 1, to: 2, repeat: forever}]\n' >forever.yaml
sed 's/repeat: forever/superframe: 2/' forever.yaml >later.yaml
refuses 'traffic without end, run without' 3 'superframes: is missing.*--superframes or --for' run forever.yaml
exits '--for: whole superframes, at least one' 0 run forever.yaml --for 2s --json
says '... one of 2.4 s' '"superframes": 1,'
exits '--for: whole superframes' 0 run forever.yaml --for 7s --json
says '... two of 2.4 s in 7 s' '"superframes": 2,'
refuses 'run --for, fewer than the traffic needs' 2 '--for is 2 superframes; .* give at least 3' \
    run later.yaml --for 7s
refuses 'run --json --tap' 2 'one of them' run x.yaml --json --tap
refuses 'run with an unknown rig' 2 "unknown rig 'usb:1'" run "$scenarios/ref.yaml" --rig usb:1
refuses 'selftest with an unknown port' 2 "port of rig sim: is 'bogus'; stream and uart" selftest --rig 'sim:?port=bogus'
refuses 'unknown rig option names the nearest' 2 "did you mean 'baud'" run "$scenarios/ref.yaml" --rig 'sim:?bauds=1'
refuses 'a rate that is no rate' 2 'from 0 to 0\.25' run "$scenarios/ref.yaml" --rig 'sim:?noise=2'
refuses 'a baud that this core cannot make' 2 'give that' run "$scenarios/ref.yaml" --rig 'sim:?port=uart&baud=7000000' --quiet
refuses 'a clock that no core has' 2 "clock of rig sim: is '36MHz'; 12MHz, 24MHz and 48MHz are possible" run "$scenarios/ref.yaml" --rig 'sim:?clock=36MHz'
refuses 'a clock too fast for the core of two nodes' 3 'clock of rig sim: is 48 MHz; the core for 2 nodes .* up to 24 MHz; lower clock' run "$scenarios/two-boards.yaml" --rig 'sim:?clock=48MHz'
printf 'link: {baud: 2 Mbaud}\nnodes: [{address: 0x2A3}]\ntraffic: [{from: 0x2A3, to: 0x91C}]\n' > fast.yaml
refuses 'a clock too slow for the links' 3 'clock of rig sim: is 12 MHz, and link.baud is 2000000; .*1500000 baud are the limit; raise clock' run fast.yaml --rig 'sim:?clock=12MHz'
refuses 'demo with an operand' 2 "unexpected operand 'x'" demo x
refuses 'report without a file' 2 'needs 1 operand, got 0; give RESULT.json' report
refuses 'route with one address' 2 'needs 2 operands, got 1; give SOURCE DESTINATION' route 1
refuses 'route outside the cube' 2 '0\.\.7 \(0x7\)' route 0 8 --dims 3

# ---------------------------------------------------------------- analysis

exits 'route 0x2A3 0x91C' 0 route 0x2A3 0x91C --json
[ "$(numbers phase)" = '1 3 4 6 8 11 15 16 19 22 ' ]
point 'worked example: ten hops in phases 1 3 4 6 8 11 15 16 19 22' $?
[ "$(numbers to)" = "$(for node in 2A2 2A0 2A4 2AC 2BC 29C 21C 31C 11C 91C; do printf '%d ' 0x$node; done)" ]
point 'worked example: nodes on the way' $?
figures 'worked example: last hop ends phase 23 of at most 24' latency_phases 23 bound_phases 24
run route 0x800 0x001 --birth 1 --json
figures 'worst lone message: 47 phases, which is the bound' latency_phases 47 bound_phases 47
run route 0x2A3 0x91C --phase-hz 10000
says 'route in time' '^at 10000 Hz: 2300 us, at most 2400 us$'

exits 'schedule' 0 schedule --node 0x2A3 --json
[ "$(grep -c '"action": "send"' out)" -eq 12 ] && [ "$(grep -c '"action": "listen"' out)" -eq 12 ]
point 'a node sends in 12 phases and listens in 12' $?

# ---- networks by their text form
for verb in 'schedule' 'route 5 2' 'bound --traffic bitrev' 'budget --phase-hz 10000 --baud 1000000'; do
    run $verb --dims 4 --json
    cp out by-dims
    run $verb --network cube:4 --json
    cmp -s out by-dims
    point "$verb: --network cube:4 is --dims 4" $?
done
# 4x4x3 by hand: 3 + 3 rounds of radix 4 and 3 of radix 3, two phases each. Node 7 has digits 3,1,0: 8 ports, idle in the
# round of radix 3 that pairs 1 and 2. From 0 to 47 the digits 0 become 3, 3 and 2: phases 0, 6 and 12 + 2 * 2.
exits 'schedule of 4x4x3' 0 schedule --network generalised:4,4,3 --node 7 --json
figures 'schedule of 4x4x3' nodes 48 ports 8 phases 18
[ "$(grep -c '"action": "send"' out) $(grep -c '"action": "listen"' out) $(grep -c '"action": "idle"' out)" = '8 8 2' ]
point 'a node of 4x4x3 sends in 8 phases, listens in 8, is idle in 2' $?
run schedule --network generalised:4,4,3 --node 7
says 'schedule of 4x4x3 by digits' '^node 0x07: digits 3,1,0$'
says 'schedule of 4x4x3: who sends to whom' '^    1      0  send   to   0x04, port 0   2 to 1, 3 to 0$'
exits 'route in 4x4x3' 0 route 0 47 --network generalised:4,4,3 --json
[ "$(numbers phase)" = '0 6 16 ' ] && [ "$(numbers to)" = '3 15 47 ' ]
point 'route in 4x4x3: phases 0 6 16, digit by digit' $?
figures 'route in 4x4x3' latency_phases 17 bound_phases 18
run route 47 0 --network generalised:4,4,3 --birth 2 --json
figures 'route in 4x4x3 from any phase' bound_phases 35
exits 'permutation in 4x4x3' 0 bound --traffic perm:1 --network generalised:4,4,3 --json
figures 'permutation in 4x4x3' nodes 48 messages 48
run bound --traffic perm:1 --network generalised:4,4,3
says 'bound in 4x4x3' '^perm:1, radix 4,4,3, 48 nodes$'
run budget --phase-hz 10000 --baud 1000000 --network generalised:4,4,3
says 'superframe of 4x4x3' '^superframe  *1800 us \(18 phases\)$'
refuses 'two networks' 2 '--dims and --network exclude each other; give one of them' route 0 1 --dims 3 --network cube:3
refuses 'a family that is not known' 2 "'torus:4' is of no known family; give cube:N, generalised" schedule --network torus:4
refuses 'radix 1' 2 'radix 1 of digit 1; a digit has at least 2 values' schedule --network generalised:4,1
refuses 'radix 0' 2 'radix 0 of digit 0' schedule --network generalised:0
refuses 'too many nodes' 2 'the limit of 65536' schedule --network generalised:16,16,16,17
refuses 'too many ports' 2 '65 ports; the limit is 64' schedule --network generalised:66
refuses 'bits without a power of two' 2 '48 nodes, no power of two' bound --traffic bitrev --network generalised:4,4,3
refuses 'address beyond the network' 2 'with radix 4,4,3 give an address 0\.\.47' route 0 48 --network generalised:4,4,3

table='complement 1 1 1 1 2 4094 0 0 1
shuffle 1 1 1 1 3 4077 4072 0 1
bitrev 32 32 32 17 17 3968 3968 3648 3
transpose 32 32 48 17 17 3968 3968 3648 4
perm:1 5 5 9 4 6 3288 2920 1775 3
uniform:1 6 6 11 4 6 3317 2958 2007 4
hotspot:0 2048 2048 2048 1025 1025 4083 4083 4083 467'
echo "$table" >table
while read -r pattern load fifo bound queue occupancy single latch registers opportunistic; do
    run bound --traffic "$pattern" --json
    figures "bound --traffic $pattern" max_link_load "$load" fifo_superframes "$fifo" bound_superframes "$bound" \
        max_queue "$queue" max_occupancy "$occupancy" lost_single_register "$single" \
        lost_register_and_latch "$latch" lost_register_per_dimension "$registers" \
        opportunistic_superframes "$opportunistic"
done <table
refuses 'bound with a missing traffic file' 3 "cannot open 'no/such'" bound --traffic file:no/such

exits 'budget of the default slot' 0 budget --phase-hz 10000 --baud 1000000 --json
figures '9 bytes, 6 of them payload' slot_bytes 9 payload_bytes 6
for guard in 0 10 20; do
    run budget --phase-hz 10000 --baud 1000000 --check-bytes 0 --guard-us "$guard" --json
    figures "payload beside a 2-byte header at $guard us guard" payload_bytes $((8 - guard / 10))
done
exits '10 + 2 bytes do not fit' 1 budget --phase-hz 10000 --baud 1000000 --check-bytes 0 --payload-bytes 10 --json
figures '... but at 1.333334 Mbaud or 7692.307 Hz' baud_at_least 1333334 phase_hz_at_most 7692.307

# ---------------------------------------------------------------- scenarios that cannot be run

printf 'name: x\nlink: {bauds: 1 Mbaud}\n' >unknown-key.yaml
refuses 'unknown key: line and nearest key' 3 "unknown-key\.yaml:2: .*did you mean 'baud'" run unknown-key.yaml
printf 'name: x\nnodes:\n  - {address: 5000}\ntraffic:\n  - {from: 1, to: 2}\n' >bad-address.yaml
refuses 'address outside the cube: line' 3 'bad-address\.yaml:3: ' run bad-address.yaml
printf 'link: {bauds: 1 Mbaud}\nnodes:\n  - {address: 5000}\n  - {address: 1, kind: nativ}\ntraffic:\n  - {from: 1, to: here}\n' >errors.yaml
for verb in run monitor fault serve; do
    case $verb in fault) run fault glitch errors.yaml ;; serve) run serve errors.yaml --socket ./errors.sock ;; *) run $verb errors.yaml ;; esac
    [ "$code" -eq 3 ] && [ ! -s out ] && [ "$(sed 's/^phasebench: errors.yaml:\([0-9]*\): .*/\1/' err | tr '\n' ' ')" = '1 4 6 ' ]
    point "$verb: all errors of a scenario, each in a line" $?
done
printf 'name: x\n\tnodes: [\n' >not-yaml.yaml
refuses 'not YAML: line' 3 'not-yaml\.yaml:[0-9]+: ' run not-yaml.yaml
printf 'name: x\000\001\002\377\n' >binary.yaml
refuses 'binary file' 3 'binary\.yaml' run binary.yaml
: >empty.yaml
refuses 'empty file' 3 'empty\.yaml' run empty.yaml
refuses 'missing file' 3 'no-such\.yaml' run no-such.yaml
refuses 'one bad file of two: nothing is run' 3 'no-such\.yaml' run "$scenarios/ref.yaml" no-such.yaml
refuses 'fewer superframes than the traffic needs' 2 'give at least' run "$scenarios/demo.yaml" --superframes 2

echo plain >plain
refuses 'folder for the files below a plain file' 4 "output folder 'plain" run "$scenarios/ref.yaml" --out plain/below
refuses 'JUnit file below a plain file' 4 "cannot write 'plain/junit.xml'" run "$scenarios/ref.yaml" --quiet --junit plain/junit.xml
refuses 'demo into a folder below a plain file' 4 "output folder 'plain" demo --out plain/below

# ---------------------------------------------------------------- runs

rm -rf phasebench-out
exits 'a run that passes' 0 run "$scenarios/ref.yaml"
says 'summary has the verdict' '^PASS '
says 'summary names the report' '^report phasebench-out/report.html$'
[ ! -s err ]
point 'nothing on stderr when it is no terminal' $?
! grep -q "$(printf '\033')" out
point 'no colours when stdout is no terminal' $?
[ -s phasebench-out/report.html ] && [ -s phasebench-out/result.json ] && [ ! -e phasebench-out/failure.fst ]
point 'report.html and result.json, and no waveform' $?

exits 'a shipped scenario by its bare name' 0 run ref --json
says 'and where it is' '"scenario_path": *"/.*/host/scenarios/ref\.yaml"'
refuses 'a bare name that no scenario has' 3 'nosuch: cannot be opened' run nosuch
refuses 'a file that is missing is not looked for elsewhere' 3 'ref\.yaml: cannot be opened' run ref.yaml

# On a terminal: `script` gives one, of 100 columns.
on_terminal() { # NAME-OF-VARIABLE=VALUE... -- ARGUMENTS
    settings=
    while [ "$1" != -- ]; do settings="$settings $1"; shift; done
    shift
    command="on a terminal: $*"
    env $settings script -qec "stty columns 100; '$bin' $*" /dev/null >out 2>err </dev/null
    code=$?
}
on_terminal TERM=xterm -- run "$scenarios/demo.yaml"
[ "$code" -eq 0 ] && grep -q "$(printf '\033\\[')" out
point 'colours on a terminal' $?
grep -q 'superframes, .* left' out
point 'progress on a terminal' $?
on_terminal TERM=xterm NO_COLOR=1 -- run "$scenarios/ref.yaml" --quiet
[ "$code" -eq 0 ] && ! grep -q "$(printf '\033\\[[0-9]*m')" out
point 'no colours with NO_COLOR' $?
on_terminal TERM=dumb -- doctor
[ "$code" -eq 0 ] && ! grep -q "$(printf '\033')" out
point 'no colours on a dumb terminal' $?
on_terminal TERM=xterm -- doctor
[ "$code" -eq 0 ] && grep -q "$(printf '\033\\[32m')" out
point 'doctor in colours' $?

exits 'the stored result is read back' 0 report phasebench-out/result.json --html r.html --junit r.xml --tap
says 'as TAP' '^ok 1 - '
says 'as HTML' '<html' r.html
says 'as JUnit' '<testsuite' r.xml
exits 'as text' 0 report phasebench-out/result.json
says 'with the verdict' '^PASS '
refuses 'report of something else' 3 'not JSON' report "$scenarios/ref.yaml"
refuses 'report of a missing file' 3 'cannot open' report no-such.json

rm -rf phasebench-out
exits 'run --json' 0 run "$scenarios/ref.yaml" --json --seed 7
says 'verdict pass' '"verdict": *"pass"'
says 'the seed given' '"seed": *"7"'
missing=''
for key in $(sed -n '/"required"/{s/.*\[//;s/\].*//;s/[",]/ /g;p;q;}' "$root/docs/reference/result.schema.json"); do
    grep -q "\"$key\":" out || missing="$missing $key"
done
[ -z "$missing" ]
point "every required member of the schema is there$missing" $?
[ ! -e phasebench-out ]
point 'no files unless asked for' $?
cp out first.json
exits 'what --json printed is a result' 0 report first.json --tap
run run "$scenarios/ref.yaml" --json --seed 7
sed '/"wall_ns"/d;/"started_utc"/d' first.json >first
sed '/"wall_ns"/d;/"started_utc"/d' out >second
cmp -s first second
point 'the same seed gives the same result, but for date and wall time' $?
run run "$scenarios/ref.yaml" --json --seed 8
sed '/"wall_ns"/d;/"started_utc"/d;/"seed"/d;/"command"/d' first.json >first
sed '/"wall_ns"/d;/"started_utc"/d;/"seed"/d;/"command"/d' out >second
! cmp -s first second
point 'another seed gives other payloads' $?

# A report shows one line of printable characters: the file of that name is another one, and fails.
odd=$(printf 'odd\nname\t\377')
cp "$scenarios/ref.yaml" "$odd.yaml"
cp "$scenarios/broken/flipped-bit.yaml" "$(printf 'odd name \357\277\275').yaml"
run run "$odd.yaml" --json
line=$(python3 -c 'import json; print(json.load(open("out"))["command"])')
if command -v bash >/dev/null; then
    phasebench="$bin" bash -c 'phasebench() { command "$phasebench" "$@"; }; '"$line --quiet" >out 2>err
    [ $? -eq 0 ] && grep -q '^pass' out
    point 'the line that repeats a run names its own file' $?
fi

for pair in silent:missing_frame late-start:late_start flipped-bit:wrong_bytes \
    'phase-off:unexpected_activity|missing_frame' 'swapped-links:unexpected_activity|missing_frame' \
    'wrong-order:unexpected_activity|missing_frame|wrong_bytes'; do
    node=${pair%%:*} id=${pair#*:}
    exits "broken node $node fails" 1 run "$scenarios/broken/$node.yaml" --json --trace
    says "broken node $node: $id" "\"id\": *\"($id)\""
    says "broken node $node: verdict" '"verdict": *"fail"'
    [ -s phasebench-out/failure.fst ] && grep -q '"trace_path": *"phasebench-out/failure.fst"' out
    point "broken node $node: waveform" $?
    cp out broken.json
    exits "broken node $node: stdout is one JSON document" 0 report broken.json --tap
done

exits 'a passing and a failing scenario' 1 run "$scenarios/ref.yaml" "$scenarios/broken/silent.yaml" --out two --junit two.xml
says 'one line for the passing one' '^pass .*ref\.yaml: '
says 'one line for the failing one' '^fail .*silent\.yaml: '
says 'and a total' '^2 scenarios: 1 pass, 0 marginal, 1 fail'
[ -s two/ref/report.html ] && [ -s two/silent/report.html ] && [ -s two/silent/failure.fst ]
point 'a folder for each' $?
links 'the page of a failure leads to its waveform' two/silent/report.html silent/failure.fst
exits 'a page of it elsewhere' 0 report two/silent/result.json --html elsewhere.html
links '... too' elsewhere.html silent/failure.fst
rm two/silent/failure.fst
exits 'a page without the waveform' 0 report two/silent/result.json --html elsewhere.html
links '... has no link to it' elsewhere.html
says '... and names it' '<code>two/silent/failure.fst</code></p>' elsewhere.html
says 'JUnit holds both' 'tests="2".*failures="1"' two.xml
exits 'the same as TAP' 1 run "$scenarios/ref.yaml" "$scenarios/broken/silent.yaml" --tap
says 'plan' '^1\.\.2$'
says 'passed' '^ok 1 - '
says 'failed' '^not ok 2 - '
exits 'a failing scenario first' 1 run "$scenarios/broken/silent.yaml" "$scenarios/ref.yaml" --json
exits 'a passing run over an old failure' 0 run "$scenarios/ref.yaml" --out two/silent --quiet
[ "$(wc -l <out)" -eq 1 ] && [ ! -e two/silent/failure.fst ]
point '--quiet is one line, and the old waveform is gone' $?

# ---------------------------------------------------------------- end of time, interruption, broken streams

long="run $scenarios/demo.yaml --superframes 100000 --json"
# shellcheck disable=SC2086
exits '--timeout' 124 $long --timeout 1
grep -q 'limit of 1 s' err && [ "$(wc -l <err)" -eq 1 ] && grep -q '"verdict": "inconclusive"' out
point '... says why, and what was observed before' $?

# interrupt NAME SIGNAL: stops a long run; 130 within 5 seconds, one line on stderr, and what was observed before. Also where this suite was started with SIGHUP
# ignored.
interrupt() {
    command="$long, then kill -$2"
    rm -f midst.rec
    # shellcheck disable=SC2086
    env --default-signal=HUP "$bin" $long --record midst.rec >out 2>err </dev/null &
    pid=$!
    in_midst midst.rec
    begun=$(date +%s)
    kill "-$2" "$pid" 2>/dev/null
    (sleep 10 && kill -KILL "$pid") >/dev/null 2>&1 &
    watchdog=$!
    wait "$pid"
    code=$?
    took=$(($(date +%s) - begun))
    kill "$watchdog" 2>/dev/null
    [ "$code" -eq 130 ] && [ "$took" -le 5 ] && [ "$(wc -l <err)" -eq 1 ] && grep -q '"incomplete": ".*interrupted' out
    point "$1" $?
}
interrupt 'Ctrl-C in the middle of a run' INT
interrupt 'SIGTERM in the middle of a run' TERM
interrupt 'SIGHUP in the middle of a run' HUP
interrupt 'SIGQUIT in the middle of a run' QUIT

# A link so bad that the program waits for an answer, for half a second of simulated time, each clock of which is done: the first
# signal has to wait with it, the second does not.
command="run over a dead link, then kill -INT and kill -QUIT"
"$bin" run "$scenarios/ref.yaml" --rig 'sim:?noise=0.25&idle=run' --quiet >out 2>err </dev/null &
pid=$!
heeds "$pid"
sleep 1
kill -INT "$pid" 2>/dev/null
sleep 0.3
kill -0 "$pid" 2>/dev/null
alive=$?
begun=$(date +%s)
kill -QUIT "$pid" 2>/dev/null
(sleep 10 && kill -KILL "$pid") >/dev/null 2>&1 &
watchdog=$!
wait "$pid"
code=$?
took=$(($(date +%s) - begun))
kill "$watchdog" 2>/dev/null
[ "$alive" -eq 0 ] && [ "$code" -eq 130 ] && [ "$took" -le 2 ] && [ ! -s out ]
point 'a second signal does not wait' $?

if [ -c /dev/full ]; then
    command='schedule >/dev/full'
    "$bin" schedule >/dev/full 2>err
    code=$?
    : >out
    [ "$code" -eq 4 ] && [ "$(wc -l <err)" -eq 1 ]
    point 'full disk behind stdout' $?
fi
# closed_pipe: descriptor 3 is a pipe whose reader has gone.
closed_pipe() {
    rm -f gone
    mkfifo gone
    : <gone & # its reader
    exec 3>gone
    wait $!
}
command='schedule | true'
closed_pipe
"$bin" schedule >&3 2>err
code=$?
exec 3>&-
: >out
[ "$code" -eq 141 ] && [ ! -s err ]
point 'closed pipe behind stdout: an end by SIGPIPE' $?
command='run --json | true'
closed_pipe
"$bin" run "$scenarios/ref.yaml" --json >&3 2>err
code=$?
exec 3>&-
[ "$code" -eq 141 ] && [ ! -s err ]
point 'closed pipe behind the result of a run: the same' $?
command='schedule >&-'
"$bin" schedule >&- 2>err
code=$?
[ "$code" -eq 4 ] && [ "$(wc -l <err)" -eq 1 ]
point 'closed stdout' $?

# ---------------------------------------------------------------- demo, self-test, machine

exits 'demo' 0 demo
says 'demo explains itself' '^The machine: 4096 nodes'
says 'demo passes' '^PASS '
[ -s phasebench-demo/report.html ] && grep -q 'phasebench-demo/report.html' out
point 'demo writes and names its report' $?
links 'every link of it leads to a file' phasebench-demo/report.html docs/reference/measurements.md
columns '... and its columns have their names on a phone' phasebench-demo/report.html
mkdir build
run demo --quiet
[ "$code" -eq 0 ] && [ -s build/demo/result.json ]
point 'demo uses build/ when it is there' $?

exits 'demo on a UART' 0 demo --rig 'sim:?port=uart' --quiet --out uart
says 'it passes by bytes' '^PASS .*no byte and no alarm'
says 'and says why' '^capture +bytes: every edge of this traffic takes up to [0-9.]+ MB/s, the'
says 'and what the link carries' 'link carries 1\.20; lower phase_rate'
says 'and what was not checked' '^not checked +pulses shorter than a bit'
grep -q 'every edge of this traffic' uart/result.json && grep -q 'not_checked' uart/result.json && grep -q 'Not checked' uart/report.html
point 'so do result.json and the page' $?
exits 'a busy cube, left the choice' 0 run "$scenarios/cube4-ref.yaml" --capture auto
says 'by bytes' '^capture +bytes: every edge of this traffic takes up to [0-9.]+ MB/s, the'
says 'with the consoles that no reset after it listens to' 'node 0x2: its UART0_TX in the resets after the run'
says 'the core itself is the limit' 'link carries 12\.00; lower phase_rate'
exits 'a broken node on a UART' 1 run "$scenarios/broken/flipped-bit.yaml" --rig 'sim:?port=uart' --quiet
exits 'every edge on a UART, by order' 5 run "$scenarios/complement.yaml" --rig 'sim:?port=uart' --capture edges --json
says 'is told to be too much' 'every edge of this traffic .*: events may be lost; lower phase_rate, set capture bytes'
says 'the line that repeats it has the order' 'complement.yaml --seed 1 --capture edges --rig'
refuses 'a capture that is none' 2 "capture is 'all'; give auto, edges or bytes" run "$scenarios/ref.yaml" --capture all
printf 'capture: all\nnodes: [{address: 0x2A3}]\ntraffic: [{from: 0x2A3, to: 0x91C}]\n' > capture.yaml
refuses 'a capture that is none, in a scenario' 3 "capture: 'all' is unknown\. Known: auto, edges, bytes" run capture.yaml
refuses 'demo of a recording' 2 "play it with 'phasebench run" demo --rig replay:a.rec

for clock in 12 48; do
    exits "demo at $clock MHz" 0 demo --rig "sim:?clock=${clock}MHz" --out slow
    says "it names $clock MHz" "^core +$clock MHz; edges to "
    grep -q "\"core_clock_hz\": ${clock}000000" slow/result.json && grep -q "core clock $clock MHz" slow/report.html
    point "so do result.json and the page at $clock MHz" $?
done
exits 'a broken node at 12 MHz' 1 run "$scenarios/broken/flipped-bit.yaml" --rig 'sim:?clock=12MHz' --out slow --record slow.rec
[ -s slow/failure.fst ]
point 'has its waveform' $?
exits 'and is replayed' 1 run --rig replay:slow.rec --json
says 'with its clock' '"core_clock_hz": 12000000'
says 'its kind and its defect' '0x2A3 native \(flipped_bit\)'

for rig in sim: 'sim:?port=uart' 'sim:?clock=12MHz'; do
    exits "selftest --rig $rig" 0 selftest --rig "$rig"
    [ "$(grep -c '^pass  ' out)" -eq 5 ]
    point "five rungs pass on $rig" $?
done
run selftest --json
[ "$code" -eq 0 ] && [ "$(grep -c '"status": "pass"' out)" -eq 5 ] && grep -q '"verdict": "pass"' out
point 'selftest --json' $?

exits 'doctor' 0 doctor
says 'doctor tries the simulated rig' '^ok    rig sim:'
! grep -q '^FAIL' out
point 'doctor finds nothing broken' $?
for kind in $(sed -n 's/^\(NO_\)*MODEL(\([a-z]*\),.*/\2/p' "$root/bench/registry/kinds.def"); do
    exits "doctor, for kind $kind" 0 doctor
    says "doctor lists kind $kind" "^ok    kind       $kind: "
    exits "run --help, for kind $kind" 0 run --help
    says "run --help lists kind $kind" "^  $kind: "
    printf 'nodes: [{address: 1, kind: %sx}]\ntraffic: [{from: 1, to: 2}]\n' "$kind" > kind.yaml
    refuses "a misspelt $kind" 3 "did you mean '$kind'" run kind.yaml
    grep -q "^\.Cm $kind" "$root/docs/man/phasebench-scenario.5"
    point "the manual names kind $kind" $?
done
exits 'devices' 0 devices
says 'devices lists the simulated rig' '^sim: '
exits 'devices --json' 0 devices --json
says 'devices --json lists the simulated rig' '"url": "sim:"'
refuses 'flash without a board' 2 'needs 1 operand, got 0; give BOARD;' flash
refuses 'flash of an unknown board' 2 "did you mean 'icebreaker'" flash icebraker
for board in $(sed -n 's/^BOARDS := //p' "$root/mk/boards.mk"); do
    refuses "flash $board, which make builds" 4 "make bitstream BOARD=$board'" flash "$board" missing.bin
    refuses "flash of an unknown board names $board" 2 "Known are .*\b$board\b" flash none
    grep -q "^$board)" "$root/rtl/board/bitstream.sh"
    point "$board: has a line in bitstream.sh" $?
done
refuses 'flash on a simulated rig' 2 'no board on USB' flash icebreaker --rig sim:
refuses 'flash without a bitstream' 4 'make bitstream BOARD=icebreaker' flash icebreaker missing.bin
refuses 'flash of something else' 3 'no iCE40 bitstream' flash icebreaker "$root/README.md"
printf '\377\000made\000\377\176\252\231\176' > small.bin
refuses 'flash without that board on USB' 4 'USB' flash icebreaker small.bin --rig ftdi:NONE
refuses 'a run without that board on USB' 4 'USB' run "$scenarios/complement.yaml" --rig ftdi:NONE

# ---------------------------------------------------------------- models and boards
printf 'nodes: [{address: 0x2A3, kind: board}]\ntraffic: [{from: 0x2A3, to: 0x91C}]\n' > board.yaml
refuses 'a board on a rig that makes models' 3 "nodes\[0\]\.kind: 'board' has no model, so rig sim: cannot make it; use " run board.yaml
refuses 'a board, to be served' 3 "nodes\[0\]\.kind: 'board' has no model" serve board.yaml --socket ./board.sock
refuses 'a run of a board without any on USB' 4 'USB' run board.yaml --rig ftdi:NONE
for key in 'defect: silent' 'clock_error: 50 ppm' 'irq_latency: 1 us' 'irq_jitter: 1 us' 'kind: native' 'kind: ref'; do
    printf 'nodes: [{address: 0x2A3, %s}]\ntraffic: [{from: 0x2A3, to: 0x91C}]\n' "$key" > model.yaml
    refuses "$key on a board" 3 "nodes\[0\]\.${key%%:*}: .* is of a model, and rig ftdi:NONE tests the node .*; remove the key" \
        run model.yaml --rig ftdi:NONE
    printf 'nodes: [{address: 0x2A3, kind: board, %s}]\ntraffic: [{from: 0x2A3, to: 0x91C}]\n' "$key" > model.yaml
    [ "${key%%:*}" = kind ] ||
        refuses "$key of a board" 3 "nodes\[0\]\.${key%%:*}: kind 'board' does not take it; remove the key" run model.yaml
done
printf 'link: {simulated_rise: 50 ns}\nnodes: [{address: 0x2A3}]\ntraffic: [{from: 0x2A3, to: 0x91C}]\n' > rise.yaml
refuses 'simulated lines on a board' 3 'link\.simulated_rise: rig ftdi:NONE has real lines, .*; remove the key' run rise.yaml --rig ftdi:NONE
exits 'and on a simulated rig' 0 run rise.yaml --quiet
for scenario in demo two-boards complement pairs starc xor-one-bit; do # what can be played on boards names no model
    refuses "$scenario may be played on a board" 4 'USB' run "$scenarios/$scenario.yaml" --rig ftdi:NONE
done

# Two lines of a node are exchanged: what is missing on one came on the other.
printf 'name: swapped\ncube: {dims: 3}\nnodes: [{address: 4}]\nwiring: [{kind: swapped, node: 4, dimension: 1, other_dimension: 2}]\ntraffic: [{from: 4, to: 6}]\n' > swapped.yaml
exits 'exchanged lines' 1 run swapped.yaml
says '... are hinted at in the first finding' '^  seen +line high through the whole phase; these bytes came on link 2$'

finish
