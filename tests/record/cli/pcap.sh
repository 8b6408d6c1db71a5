#!/bin/sh
# SPDX-FileCopyrightText: The phasebench authors
# SPDX-License-Identifier: Apache-2.0
#
# Slot frames as pcapng (run --pcap) and their dissector: what tshark reads is compared with result.json, CRCs with a division of
# polynomials (tests/record/cli/pcap.py), and a hostile capture must not break the dissector. Prints TAP.
#
#   tests/record/cli/pcap.sh path/to/phasebench
# covers: host/record/slot_capture.c host/record/pcapng* host/wireshark

. "$(dirname "$0")/../../cli/common.sh"
for tool in tshark capinfos python3; do
    command -v $tool > /dev/null || { echo "Bail out! $tool is not installed"; exit 4; }
done
lua=$root/host/wireshark/phasebench.lua
py=$root/tests/record/cli/pcap.py

# read_fields FILE FIELD...: one line a packet, tabs between.
read_fields() {
    file=$1
    shift
    for field in "$@"; do set -- "$@" -e "$field"; shift; done
    tshark -X "lua_script:$lua" -r "$file" -T fields -E occurrence=f "$@" 2> tshark.err
}
FIELDS='frame.time_epoch frame.interface_name phasebench.superframe phasebench.phase phasebench.link phasebench.dimension
    phasebench.sender phasebench.receiver phasebench.by_bench phasebench.expected phasebench.correct phasebench.message
    phasebench.source phasebench.start_ps phasebench.end_ps phasebench.frame phasebench.finding phasebench.framing_error
    phasebench.cut phasebench.codec phasebench.frame_bytes phasebench.destination phasebench.sequence phasebench.payload
    phasebench.crc phasebench.crc_status phasebench.crc_expected phasebench.hop phasebench.hops phasebench.hops_left
    phasebench.bytes_seen phasebench.phases frame.comment'

# agrees NAME CHECK...: a.pcapng, as tshark reads it, passes these checks of pcap.py against out.json.
agrees() {
    case=$1
    shift
    # shellcheck disable=SC2086 # a list
    read_fields a.pcapng $FIELDS > fields
    cp tshark.err err
    for check in "$@"; do
        command="pcap.py $check"
        code=0
        python3 "$py" "$check" fields out.json > out 2>> err || code=$?
        [ "$code" -eq 0 ]
        point "$case: $check" $?
    done
}
# whole NAME CODE SCENARIO OPTION...: runs and compares.
whole() {
    case=$1 wanted=$2
    shift 2
    exits "$case: run" "$wanted" run "$@" --pcap a.pcapng --json
    cp out out.json
    capinfos -Mo a.pcapng > out 2> err
    grep -q 'Strict time order: *True' out
    point "$case: in order of time" $?
    tshark -X "lua_script:$lua" -r a.pcapng -V > out 2> err
    [ $? -eq 0 ] && [ -s out ] && ! grep -q 'Lua Error' out && ! grep -qv 'Running as user' err
    point "$case: no error of Lua" $?
}

# ---------------------------------------------------------------- what the file holds

whole 'slot frames' 0 "$scenarios/demo.yaml"
agrees 'slot frames' hops crc route findings
whole 'StarC frames' 0 "$scenarios/starc.yaml"
agrees 'StarC frames' hops crc route findings
printf 'cube: {dims: 3}\nlink: {codec: bare}\nnodes: [{address: 5}]\ntraffic: [{program: sort}]\n' >bare.yaml
whole 'bare frames' 0 bare.yaml
agrees 'bare frames' hops crc findings
whole 'opportunistic routing' 0 "$scenarios/opportunistic.yaml"
agrees 'opportunistic routing' hops crc findings
whole 'a network of mixed radix' 0 "$scenarios/generalised.yaml"
agrees 'a network of mixed radix' hops crc findings
whole 'bytes, no edges' 0 "$scenarios/demo.yaml" --capture bytes
agrees 'bytes, no edges' hops crc
whole 'two nodes on the rig' 0 "$scenarios/pairs.yaml"
agrees 'two nodes on the rig' hops crc route
whole 'a flipped bit' 1 "$scenarios/broken/flipped-bit.yaml"
agrees 'a flipped bit' hops crc findings some_wrong_crc
whole 'injected bytes and stop bits' 0 "$scenarios/faults/bad-frames.yaml"
agrees 'injected bytes and stop bits' hops crc findings some_framing some_wrong_crc
tshark -X "lua_script:$lua" -r a.pcapng -Y 'phasebench.framing' -V > out 2> err
grep -q 'Expert Info (Error/Malformed): no valid stop bit in byte' out
point '... and expert info tells of a framing error' $?
whole 'frames of wrong length' 0 "$scenarios/faults/odd-frames.yaml"
agrees 'frames of wrong length' hops crc findings
tshark -X "lua_script:$lua" -r a.pcapng -Y 'phasebench.bad_length' -T fields -e phasebench.superframe > out 2> err
[ "$(sort -u out | tr '\n' ' ')" = '2 4 6 ' ]
point '... and expert info names the short, the long and the mislabelled frame' $?
cat > cut.yaml << END
name: cut
nodes:
  - {address: 0x2A3}
superframes: 7
traffic:
  - {pattern: complement, superframe: 1, repeat: 5}
faults:
  - {kind: early_edge, superframe: 2, phase: 4, amount: 45 us}
  - {kind: extra_edge, superframe: 4, phase: 3}
END
whole 'frames that an edge cuts' 0 cut.yaml
# The early edge ends phase 3 in superframe 2, and what follows up to the end of the superframe is one phase off.
agrees 'frames that an edge cuts' crc findings some_cut

# ---------------------------------------------------------------- long runs, suites, replays

exits 'more transmissions than a result keeps' 0 run "$scenarios/full-load.yaml" --superframes 300 --pcap a.pcapng --out long --quiet
read_fields a.pcapng phasebench.superframe phasebench.phase phasebench.link > fields
python3 "$py" every fields long/result.json > out 2> err
point '... are all in the file, once' $?
exits 'a suite' 1 run "$scenarios/xor-one-bit.yaml" "$scenarios/broken/flipped-bit.yaml" -j 2 --pcap suite.pcapng --json
cp out suite.json
command='the sections of a suite'
read_fields suite.pcapng frame.section_number > out
for path in xor-one-bit broken/flipped-bit; do
    "$bin" run "$scenarios/$path.yaml" --pcap one.pcapng --json > /dev/null 2> err
    cat one.pcapng
done > both.pcapng
cmp suite.pcapng both.pcapng 2> err
point '... has the captures of its scenarios, one after the other' $?
[ "$(sort out | uniq -c | tr -s ' ' | tr '\n' ';')" = ' 24 1; 49 2;' ]
point '... as sections that tshark tells apart' $?
exits 'a run that is recorded' 1 run "$scenarios/broken/flipped-bit.yaml" --record r.rec --pcap one.pcapng --json
exits '... and replayed' 1 run --rig replay:r.rec --pcap again.pcapng --json
tshark -r one.pcapng -x > one.text 2> err
tshark -r again.pcapng -x 2> err | cmp -s one.text - && [ -s one.text ]
point '... has the same packets' $?
strings one.pcapng > out
grep -q '^scenario .*seed 1, ' out && grep -q '^fail: the frame on the line is not the expected one' out && grep -q '^phasebench [0-9]' out
point 'the file says what was run, by what, and its verdict' $?

# ---------------------------------------------------------------- preferences

tshark -X "lua_script:$lua" -o phasebench.codec:'StarC frame' -r one.pcapng -c 1 -V > out 2> err
grep -q 'a StarC frame begins with 0xAA' out
point 'the codec can be forced' $?
tshark -X "lua_script:$lua" -o phasebench.dims:4 -r one.pcapng -V > out 2> err
grep -q 'Hop: 1$' out
[ $? -eq 1 ]
point 'and so can the dimensions: these addresses are outside of a 4-cube' $?

# ---------------------------------------------------------------- hostile captures

python3 "$py" hostile one.pcapng hostile.pcapng
for codec in 'as the capture says' 'StarC frame' 'slot frame' 'bare frame'; do
    tshark -X "lua_script:$lua" -o "phasebench.codec:$codec" -r hostile.pcapng -V > out 2> err
    code=$?
    command="a hostile capture, $codec"
    [ $code -eq 0 ] && ! grep -qv 'Running as user' err && ! grep -q 'Lua Error\|Dissector bug' out &&
        [ "$(grep -c '^Frame [0-9]*:' out)" -gt 1400 ] && grep -q 'the head has 64' out && grep -q 'unknown version\|this dissector reads version 1' out
    point "a hostile capture breaks nothing: $codec" $?
done

# ---------------------------------------------------------------- places that cannot be written

short=$scenarios/xor-one-bit.yaml
mkdir folder
refuses 'a folder' 4 "cannot write 'folder': Is a directory" run "$short" --pcap folder
refuses 'a folder that is missing' 4 "cannot write 'none/a.pcapng': No such file" run "$short" --pcap none/a.pcapng
refuses 'no run' 2 '--check runs nothing; leave out .*--pcap' run "$short" --check --pcap x.pcapng
if [ -c /dev/full ]; then
    run run "$short" --pcap /dev/full --out kept
    [ "$code" -eq 4 ] && [ "$(wc -l < err)" -eq 1 ] && grep -q "cannot write '/dev/full': No space left on device" err && grep -q '"verdict": "pass"' kept/result.json
    point 'a full disk: one line, and the result is complete' $?
    run run "$short" "$short" --pcap /dev/full --out kept
    [ "$code" -eq 4 ] && [ "$(wc -l < err)" -eq 1 ] && grep -q "cannot write '/dev/full': No space left on device" err
    point 'a full disk, of a suite' $?
fi
echo before > limited.pcapng
command='a run whose capture may have 8 KiB'
(
    ulimit -f 16
    trap '' XFSZ
    exec "$bin" run "$scenarios/demo.yaml" --pcap limited.pcapng --json > /dev/null 2> err < /dev/null
)
code=$?
[ "$code" -eq 4 ] && [ "$(wc -l < err)" -eq 1 ] && grep -q "cannot write 'limited.pcapng': File too large" err
point 'a file that becomes too large: one line' $?
[ "$(cat limited.pcapng)" = before ] && [ "$(ls | grep -c '^limited')" -eq 1 ]
point '... and the file before it is kept, nothing else' $?
"$bin" run "$scenarios/complement.yaml" --superframes endless --pcap stopped.pcapng --json > out 2> err < /dev/null &
pid=$! tries=0
until [ "$(cat stopped.pcapng.* 2> /dev/null | wc -c)" -gt 4000 ] || [ $tries -ge 600 ]; do
    tries=$((tries + 1))
    sleep 0.1
done
kill -INT $pid
wait $pid 2> /dev/null
code=$? command='kill -INT'
[ "$code" -eq 130 ] && strings stopped.pcapng | grep -q '^incomplete: ' && ! ls | grep -q '^stopped.pcapng\.'
point 'a run that is interrupted: its capture is whole up to there and says so' $?
capinfos -Mo stopped.pcapng > out 2>&1
grep -q 'Strict time order: *True' out
point '... and readable' $?
finish
