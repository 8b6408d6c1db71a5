#!/bin/sh
# SPDX-FileCopyrightText: The phasebench authors
# SPDX-License-Identifier: Apache-2.0
#
# Text forms of the analysis, values that options refuse, numbers with units, and places that cannot be written, verb by verb. Prints TAP.
#
#   tests/cli/forms.sh path/to/phasebench
#
# Expected values: worked out in the comments, and the ranges in the manual pages.
# covers: host/analysis host/network host/movement host/cli/cmd_b* host/cli/cmd_route.c host/cli/cmd_schedule.c host/report/*_forms.c host/cli/cmd_monitor.c host/cli/cmd_doctor.c host/cli/option*

. "$(dirname "$0")/common.sh"

# ---------------------------------------------------------------- analysis as text

# 100 us of a phase less 10 us of guard are 90 bit times at 1 Mbaud: 9 bytes of 10 bits, 3 of them header and check. Two clocks
# 50 ppm off in opposite directions part by 100 ppm of 2400 us, and of the 9.5 bit times to the middle of the stop bit.
exits 'budget as text' 0 budget --phase-hz 10000 --baud 1000000 --ppm 50
says 'phase' '^phase +100 us$'
says 'slot' '^slot +90 bit times, 9 bytes$'
says 'payload' '^payload +6 bytes, after 2 of header and 1 of check$'
says 'drift' '^phase drift per superframe +0\.24 us$'
says 'shift' '^shift at the stop bit +0\.00095 us$'
# 12 bytes need 120 us and the guard, or 120 bits in 90 us.
exits 'a payload that does not fit' 1 budget --phase-hz 10000 --baud 1000000 --check-bytes 0 --payload-bytes 10
says 'how much' '^10 payload bytes will not fit\. Any one of these would help:$'
says 'a slower clock' '^  --phase-hz at most 7692\.307$'
says 'a faster link' '^  --baud at least 1333334$'
# A byte of 10 ms in a phase of 1 ms.
exits 'one byte that does not fit' 1 budget --phase-hz 1000 --baud 1000
says 'in the singular' '^1 payload byte will not fit\.'
# Header, check and one byte of payload are 40 us of the 100.
exits 'a guard that is too long' 1 budget --phase-hz 10000 --baud 1000000 --guard-us 65
says 'a shorter one' '^  --guard-us at most 60$'
exits 'nothing fits' 1 budget --phase-hz 100000 --baud 300 --guard-us 1000 --payload-bytes 100
says 'no single setting helps' 'No single setting would help; change two at once'

# Seven bytes, three of them header and check, are 70 of 80 us at 12.5 kHz.
exits 'budget of a program' 0 budget --phase-hz 12500 --baud 1000000 --guard-us 5 --program sort
says 'its payload' '^sort +payload of 4 bytes$'
says 'the rest' '^rest of a phase +10 us$'
says 'too little' '^  ag32 +needs [0-9]+ us, [0-9]+ us more than there are; --phase-hz at most [0-9.]+$'
# A phase that is long enough has the frame, and the larger one of guards and need.
slowest() { # slowest PORT US: the rate of a phase of 70 us and as many more
    line=$(awk -v port="$1" '$1 == port' out)
    [ "${line##* }" = "$(awk -v us="$2" 'BEGIN { printf "%.9g", int(1e9 / (70 + us)) / 1e3 }')" ]
    point "... $1: at the rate of 70 and $2 us" $?
}
slowest ag32 "$(sed -n 's/^  ag32 *needs \([0-9]*\) us.*/\1/p' out)"
exits 'guards that take longer than the node' 1 budget --phase-hz 12500 --baud 1000000 --guard-us 40 --program sort
slowest ag32 40
exits 'eight bytes of payload that do not fit' 1 budget --phase-hz 10000 --baud 1000000 --program fft
says 'how much' '^8 payload bytes will not fit\. Any one of these would help the frame:$'
# Eleven bytes are 110 us, and a phase has 83.333333 of them.
exits 'a frame longer than the phase' 1 budget --phase-hz 12000 --baud 1000000 --program fft
says 'what it lacks' '^rest of a phase +-26\.666667 us$'
refuses 'a program that there is not' 2 "budget: --program: 'srot' is no program; give .*did you mean" budget --phase-hz 1000 --baud 1000000 --program srot
exits 'a program that was not measured' 0 budget --phase-hz 1000 --baud 1000000 --program exchange
says 'says so' 'not measured with any port'

exits 'route under the other rule' 0 route 0x800 1 --birth 1 --rule opportunistic
says 'says which rule and when' '^0x800 to 0x001: 12 dimensions, opportunistic, ready in phase 1$'
# Dimension 11 is left in phase 23, dimension 0 in the next superframe's phase 0: 1..24 are 24 phases.
says 'latency' '^latency 24 phases; at most 24 for a lone message ready in any phase$'
exits 'route as text' 0 route 0 3 --dims 2 --phase-hz 3
says 'bound of one superframe' '^latency 3 phases; at most 4 for a lone message ready at the start of a superframe$'
says 'a time that needs decimals' '^at 3 Hz: 1000000 us, at most 1333333\.333333 us$'
exits 'schedule of a node' 0 schedule --dims 2 --node 1
says 'listens in phase 0' '^ +0 +0 +0 to 1 .* listen from 0x0$'
says 'sends in phase 2' '^ +2 +1 +0 to 1 .* send +to +0x3$'
exits 'schedule as text' 0 schedule --dims 2
says 'a phase' '^ +3 +1 +1 to 0 +nodes with bit +1 = 1$'

printf '1 1\n' >self
exits 'a message to itself' 0 bound --dims 2 --traffic file:self
says 'needs no superframe' '^bound: 0 superframes, every message is at its destination$'
exits 'two messages on one link' 0 bound --dims 2 --traffic hotspot:0
says 'a hypothesis fails' '^  FAILS  no directed link is wanted twice: C = 2, limit 1$'
exits 'a permutation without conflicts' 0 bound --dims 2 --traffic complement
says 'one superframe' '^bound: 1 superframe, as no directed link is wanted twice$'
printf '# nothing\n' >none
refuses 'a traffic file without a message' 3 "'none' holds no message" bound --traffic file:none
refuses 'a folder of traffic' 3 'cannot read .*: Is a directory' bound --traffic "file:$work"
truncate -s 65M large
refuses 'a traffic file beyond the limit' 3 'larger than the limit of 64 MiB' bound --traffic file:large
printf '0 1\n' >"$(printf 'caf\351')"
exits 'a file name that is not UTF-8' 0 bound --dims 2 --traffic "$(printf 'file:caf\351')" --json
says '... in JSON' '"traffic": "file:caf�"'

# ---------------------------------------------------------------- values that are refused

while read -r option value wanted; do
    for verb in $wanted; do
        refuses "$verb $option $value" 2 "$option is '$value'; give " "$verb" "$option" "$value"
    done
done <<'END'
--dims 17 budget bound route schedule
--dims 21 machine
--dims 0 budget bound machine route schedule
--phase-hz 1.2345 budget route
--phase-hz 0 budget route
--phase-hz 100001 budget route
--baud 299 budget
--baud fast budget
--guard-us -1 budget
--header-bytes 70000 budget
--check-bytes x budget
--payload-bytes 0 budget
--ppm 1e3 budget
--rule shortest route
--argument 4294967296 machine
--seed 18446744073709551616 run machine monitor fault
--superframes 4294967296 run monitor
--timeout 10000001 run monitor fault
--speed 1.2345 monitor
--speed 1000001 monitor
END
refuses '--birth beyond the superframe' 2 "--birth is '6'; give a whole number 0\.\.5" route 1 2 --dims 3 --birth 6
refuses 'a source outside the cube' 2 "SOURCE is '4096'" route 4096 0
refuses 'a node outside the cube' 2 "--node is '8'" schedule --dims 3 --node 8
refuses 'budget without a clock' 2 'no phase rate given; add --phase-hz F' budget --baud 1000000
refuses 'budget without a link' 2 'no baud rate given; add --baud B' budget --phase-hz 10000
refuses 'bound without traffic' 2 'no traffic given' bound
refuses 'report in two forms on stdout' 2 '--text and --tap exclude each other; give one of them' report x --text --tap
refuses 'run in two forms on stdout, the other way round' 2 'one of them' run x.yaml --tap --json
refuses 'monitor: unknown rig' 2 "--rig: unknown rig 'usb:'" monitor x.yaml --rig usb:
refuses 'an option that takes no value' 2 "option '--json=yes' takes no value" run x.yaml --json=yes
refuses '--help with a value' 2 "option '--help=3' takes no value" run --help=3
refuses 'an ambiguous option names what begins so' 2 "'--rec' is ambiguous; give one of --record, --record-usb\$" run --rec
refuses 'an unknown option names the nearest' 2 "unknown option '--chekc'; did you mean '--check'" run --chekc
refuses '... unless it is farther than two letters' 2 "unknown option '--cheque'\. Try 'phasebench help run'" run --cheque
cp "$scenarios/ref.yaml" ./-ref.yaml
exits 'a scenario whose name begins with -' 0 run --out dash -- -ref.yaml
says '... the command that repeats it' '^phasebench run \./-ref\.yaml --seed'
{ "$bin" run "$scenarios/ref.yaml" --json --out piped 2>err; echo $? >code; } | head -c 1 >out
command="run ref.yaml --json | head -c 1" code=$(cat code)
[ "$code" -eq 141 ] && [ ! -s err ]
point 'a reader that ends: an end by SIGPIPE, without a word' $?
[ -s piped/result.json ] && [ -s piped/report.html ]
point '... and all files' $?
refuses '--list and --check' 2 '--list and --check exclude each other' run --list --check
refuses 'an unknown letter' 2 "unknown option '-q'" run x.yaml -q
for verb in budget bound machine devices doctor selftest schedule; do
    refuses "$verb with an operand" 2 "$verb: unexpected operand 'x'" "$verb" x
done
refuses 'a file without a name' 2 '^phasebench: --junit is empty; name a file' run pairs --junit ''
refuses 'help of two verbs' 2 'explains one verb, got 2' help run bound

# ---------------------------------------------------------------- numbers with units

# Every option whose help names units, with a wrong one: the value, and those that are taken.
for verb in $("$bin" --help | sed -n 's/^  \([a-z]*\)  *[a-z].*/\1/p'); do
    "$bin" help "$verb" | awk '/^$/ {print line; line = ""} /^  -/ {print line; line = $0; next} line != "" {sub(/^ */, " "); line = line $0}' |
        sed -n "s/^  \(--[a-z-]*\) .* or a number with \([^)]*[A-Za-z]\)\( (.*\)*\$/$verb \1 \2/p"
done >with-units
[ "$(wc -l <with-units)" -ge 20 ] && [ "$(cut -d' ' -f2 with-units | sort -u | tr '\n' ' ')" = \
    '--baud --check-bytes --guard-us --header-bytes --hz --jitter-us --latency-us --max-age --payload-bytes --period-us --phase-hz --ppm --reference-ppb --resolution-ns --timeout ' ]
point 'help names the units of every quantity' $?
while read -r verb option units; do
    refuses "$verb $option with a wrong unit" 2 "$option is '7 parsec'; give .* or a number with $units\$" "$verb" "$option" '7 parsec'
done <with-units
# The largest value of each in a unit other than its own is taken, the next one is not; of days, whole ones alone.
while read -r verb option most more; do
    run "$verb" "$option" "$most" no-such-operand
    [ "$code" -ne 0 ] && ! grep -q -e "$option is" err
    point "$verb $option $most" $?
    refuses "$verb $option $more" 2 "$option is '$more'; give " "$verb" "$option" "$more" no-such-operand
done <<'END'
budget --phase-hz 100kHz 100.001kHz
budget --phase-hz 0.1MHz 100000s
budget --baud 12Mbaud 12000001baud
budget --baud 0.3kbaud 299baud
budget --guard-us 1s 1000000.000001us
budget --guard-us 1000ms 1000kHz
budget --guard-us 1ps 0.1ps
budget --header-bytes 65535bytes 65536bytes
budget --check-bytes 1byte 1.5bytes
budget --payload-bytes 65535bytes 0bytes
budget --ppm 100000ppm 100001ppm
cal --hz 0.1MHz 0.100001MHz
cal --reference-ppb 10000ppm 10000.001ppm
jitter --resolution-ns 1s 1.1s
jitter --period-us 1000s 1000000.1ms
run --timeout 115d 116d
run --timeout 166666m 1e3s
run --max-age 876000h 876001h
run --max-age 36500d 36501d
route --phase-hz 1Hz 0.1Hz
END
# 20 us of guard leave 80 us, 8 bytes; 3 and 1 of them are no payload.
run budget --phase-hz 10000 --baud 1000000 --guard-us 20 --header-bytes 3 --ppm 50 --json
cp out plain.json
for guard in 20us '20 us' 20µs 0.02ms '20000 ns'; do
    exits "the same, in units: a guard of $guard" 0 budget --phase-hz '10 kHz' --baud 1Mbaud --guard-us "$guard" --header-bytes '3 bytes' --ppm 50ppm --json
    cmp -s out plain.json && grep -q '"payload_bytes": 4,' out
    point '... is the same' $?
done
exits 'a number without a unit may be hexadecimal' 0 budget --phase-hz 10000 --baud 1000000 --guard-us 20 --header-bytes 0x3 --ppm 50 --json
cmp -s out plain.json
point '... is the same' $?

# ---------------------------------------------------------------- places that cannot be written

cat >tiny.yaml <<'END'
cube: {dims: 1}
nodes: [{address: 1}]
traffic: [{from: 1, to: 0}]
END
exits 'a small run is recorded' 0 run tiny.yaml --record tiny.rec --json
cp out tiny.json
replay='run --rig replay:tiny.rec'

# shellcheck disable=SC2086
{
    refuses '--out that is empty' 2 '--out is empty' $replay --out ''
    long=$(printf '%04096d' 0)
    refuses '--out that is too long' 4 'at most 4095 are possible' $replay --out "$long"
    # 2044 times this folder
    refuses '--out whose files would be too long' 4 'at most 4095 are possible' $replay --out "$(printf '%2044s' | sed 's, ,./,g')"
    refuses '--out where nothing can be made' 4 "cannot write to the output folder '/proc/self'" $replay --out /proc/self
    mkdir -p taken/report.html
    refuses 'a folder where the report belongs' 4 "cannot replace 'taken/report.html': Is a directory" $replay --out taken
    refuses '--out that is empty, of two scenarios' 2 '--out is empty' run tiny.yaml tiny.yaml --out ''
    exits '--out with slashes at its end' 0 $replay --out slash//
    says '... which are not repeated' '^report slash/report.html$'
    exits '--json with --out' 0 $replay --json --out both
    [ -s both/result.json ] && [ "$(head -c 1 out)" = '{' ]
    point '... does both' $?
    mkfifo fifo
    cat fifo >read &
    reader=$! command='run tiny.yaml --junit fifo'
    timeout 20 "$bin" run tiny.yaml --quiet --junit fifo --out fifo-run >out 2>err </dev/null
    code=$?
    [ "$code" -eq 0 ] && wait "$reader" && grep -q '</testsuites>' read
    point 'a named pipe is opened once, so its reader gets the file' $?
    kill "$reader" 2>/dev/null
    "$bin" run complement --json --out big-run >big.json 2>err </dev/null
    for moment in 01 02 03 04 05 06 07 08 09 10 11 12 13 14 15 16 17 18 19 20; do
        "$bin" report big.json --html cut.html >out 2>err </dev/null &
        writer=$!
        sleep "0.$moment"
        kill -TERM "$writer"
        wait "$writer"
    done 2>/dev/null
    command='report big.json --html cut.html, and SIGTERM' code=-
    [ -z "$(ls cut.html.* 2>/dev/null)" ]
    point 'a signal leaves no temporary file' $?
    if [ -c /dev/full ]; then
        refuses 'JUnit on a full disk' 4 "cannot write '/dev/full': No space left" report tiny.json --junit /dev/full
        refuses 'HTML on a full disk' 4 "cannot write '/dev/full': No space left" report tiny.json --html /dev/full
        for arguments in 'report tiny.json' 'report tiny.json --tap' "$replay --tap" "$replay --json" "$replay --quiet" "$replay" \
            'monitor tiny.rec --speed 0' 'doctor' 'devices --json' 'fault --list' 'selftest --rig replay:self.rec' 'demo' \
            'fault glitch tiny.yaml --superframe 0' 'fault --matrix tiny.yaml' 'bound --traffic complement --dims 2' \
            'route 0 1' 'budget --phase-hz 10000 --baud 1000000' '--version' '--help' 'help run'; do
            [ "$arguments" != 'selftest --rig replay:self.rec' ] || "$bin" selftest --record self.rec >/dev/null
            command="$arguments >/dev/full"
            "$bin" $arguments >/dev/full 2>err </dev/null
            code=$?
            : >out
            [ "$code" -eq 4 ] && [ "$(wc -l <err)" -eq 1 ] && grep -q 'No space left' err
            point "full disk behind $arguments" $?
        done
    fi
}
refuses 'HTML below a plain file' 4 "cannot write 'tiny.json/x'" report tiny.json --html tiny.json/x
refuses 'demo to a recording that is there' 4 "'tiny.rec' exists already" demo --record tiny.rec --out demo.d
refuses 'monitor to a recording that is there' 4 "'tiny.rec' exists already" monitor tiny.yaml --record tiny.rec
refuses 'fault below a plain file' 4 "output folder 'tiny.json" fault glitch tiny.yaml --superframe 0 --out tiny.json/x
exits 'doctor of a folder that is not there' 0 doctor --out no/such
says '... which is made' "^ok    disk +[0-9]+ MiB free in 'no/such'"
refuses 'doctor of one that nobody can write to' 4 "cannot write to the output folder '/proc'" doctor --out /proc
command='cd /proc; doctor'
(cd /proc && exec "$bin" doctor) >out 2>err </dev/null
says 'doctor in such a one warns' '^warn  disk +'

# ---------------------------------------------------------------- files, quotes, several scenarios

mkdir a b "it's here"
cp tiny.yaml a/same.yaml
cp tiny.yaml b/same.yaml
cp tiny.yaml "it's here/t.yaml"
exits 'two scenarios of one name' 0 run a/same.yaml b/same.yaml --out same.d
[ -s same.d/same/report.html ] && [ -s same.d/same-2/report.html ]
point '... have a folder each' $?
says '... which is named' '^reports in same\.d/index\.html$'
exits 'a path that a shell would split' 0 run "it's here/t.yaml" --json --rig 'sim:?port=uart&baud=3000000'
says '... is quoted in the line that repeats the run' \
    "\"command\": \"phasebench run 'it'.*''s here/t.yaml' --seed 1 --rig 'sim:\?port=uart&baud=3000000'\""
exits 'fault: the same' 0 fault glitch 'it'\''s here/t.yaml' --superframe 0 --seed 3 --rig 'sim:?port=uart' --json
says '... with the seed given' '--seed 3 --rig '
{ cat tiny.yaml && echo 'superframes: 100000'; } >long.yaml
# What only the plan for the core shows: the node has a message before its clock is found.
{ cat tiny.yaml && echo 'clock: {source: external}'; } >early.yaml
exits 'one of two scenarios cannot be run' 3 run tiny.yaml early.yaml --tap
says '... the plan is for both' '^1\.\.2$'
says '... the one fails' '^not ok 2 - '
says '... and TAP says why' '^  incomplete: "node 0x1 would send its message before'
exits 'the same as text' 3 run tiny.yaml early.yaml
says '... counts them' '^2 scenarios: 1 pass, .* 1 not judged(; not checked: .*)?$'

sed 's/dims: 1/dims: 2/; s/address: 1}/&, {address: 2}/' tiny.yaml >two.yaml
exits 'fault: the node may be chosen; idle, it proves nothing' 5 fault glitch two.yaml --superframe 0 --node 2
says '... and the verdict names it' '^inconclusive node 0x2 sent and forwarded no frame'
says '... and is named' '^ +superframe 0, phase [0-3], node 0x2, dimension [01]$'
for option in superframe phase dimension node; do
    refuses "fault --$option that is no number" 2 "fault: --$option: " fault glitch two.yaml "--$option" x
done
refuses 'fault: a dimension that is out of range' 2 \
    'fault: --dimension: 2 is out of range' fault glitch two.yaml --superframe 0 --dimension 2
refuses 'fault: a phase that is out of range' 2 'fault: --phase: 4 is out of range' fault glitch two.yaml --superframe 0 --phase 4

# A program that ignores SIGHUP, as under nohup, continues.
command='run, kill -HUP, with SIGHUP ignored'
(
    trap '' HUP
    exec "$bin" run long.yaml --timeout 2 --json >out 2>err </dev/null
) &
pid=$!
heeds "$pid"
kill -HUP "$pid"
wait "$pid"
code=$?
[ "$code" -eq 124 ]
point 'SIGHUP is left ignored' $?

# ---------------------------------------------------------------- a matrix that is not right

cat >broken.yaml <<'END'
cube: {dims: 3}
superframes: 4
nodes: [{address: 5, defect: flipped_bit}]
traffic:
  - {from: 5, to: 2}
  - {pattern: complement, superframe: 1}
  - {from: 5, to: 2, superframe: 2}
END
exits 'the matrix of a broken node is inconclusive' 5 fault --matrix broken.yaml
[ "$(grep -c ' fail  <- not right$' out)" -eq 23 ]
point '... each row says so' $?
for kind in long_frame wrong_length; do
    says "... but that of $kind, for which this link has no frames" "^$kind .* not with these frames$"
done
says '... and the total' '^22 fault kinds and one control run: 0 as expected, 23 not$'

finish
