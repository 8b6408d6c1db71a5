#!/bin/sh
# SPDX-FileCopyrightText: The phasebench authors
# SPDX-License-Identifier: Apache-2.0
#
# Captures of USB transfers (--record-usb): a run on a virtual board is recorded above and below libftdi1, and either replays
# with the same result. Prints TAP.
#
#   tests/usb/cli/capture.sh path/to/phasebench path/to/urb_log.so
#
# What the capture must hold is said by others: tshark, which takes the stream apart with its own dissector of FTDI chips, is
# compared with the recording made above libftdi1; a library between libusb and usbfs writes down every URB.
#
# evidence: captures of USB transfers
#   on virtual boards: each URB from libusb to the kernel is in them; tshark extracts the same bytes as
#   recorded above libftdi1; replayed bit for bit; on no real board yet
# covers: host/record host/usb bench/usb tests/usb/cli/urb_log.c

log_library=$(cd "$(dirname "$2")" && pwd)/$(basename "$2")
. "$(dirname "$0")/../../cli/common.sh"
for tool in tshark editcap perl; do
    command -v $tool > /dev/null || { echo "Bail out! $tool is not installed"; exit 4; }
done
build=$(dirname "$bin")
short=$scenarios/xor-one-bit.yaml
server=

# fields FILTER FIELD...: what tshark reads in a.pcapng, one line a packet.
fields() {
    filter=$1
    shift
    for field in "$@"; do set -- "$@" -e "$field"; shift; done
    tshark -r a.pcapng -Y "$filter" -T fields "$@" 2> tshark.err
}

# stream WRITE|READ: the bytes of a.rec
stream() { perl "$root/tests/cli/stream.pl" "$1" < a.rec; }

# ---------------------------------------------------------------- either replays, and tshark reads the same bytes

# identical NAME LEFT RIGHT: as same, overruns of the chip included.
identical() {
    same "$@"
    command="overruns of $2 and $3"
    grep -o '[0-9]* chip overruns' "$2" > left.overruns
    grep -o '[0-9]* chip overruns' "$3" | diff left.overruns - > out 2> err && [ -s left.overruns ]
    point "$1, overruns too" $?
}

# both NAME CODE RIG SCENARIO [OPTION...]: records above and below, replays both, and asks tshark.
both() {
    case=$1 wanted=$2 rig=$3
    shift 3
    exits "$case: recorded above and below" "$wanted" run "$@" --rig "$rig" --record a.rec --record-usb a.pcapng --force --json
    cp out live.json
    exits "$case: replayed from the transfers" "$wanted" run --rig replay:a.pcapng --json
    cp out below.json
    identical "$case: the same result" live.json below.json
    exits "$case: replayed from the stream" "$wanted" run --rig replay:a.rec --json
    cp out above.json
    same "$case: the same result again" live.json above.json
    compare_with_tshark "$case"
}

compare_with_tshark() { # NAME [IN OUT]: tests of the digits that went while the board was opened, as the host asks a core on a UART
    command='tshark -r a.pcapng'
    tshark -r a.pcapng -Y _ws.malformed > out 2> err
    [ $? -eq 0 ] && [ ! -s out ] && ! grep -v 'Running as user' err > /dev/null
    point "$1: tshark finds nothing malformed" $?
    fields "usb.transfer_type == 3 && usb.urb_type == 'C'" ftdi-ft.if_a_rx_payload ftdi-ft.if_b_rx_payload | tr -d '\t\n,' > in.tshark
    fields "usb.transfer_type == 3 && usb.urb_type == 'S'" ftdi-ft.if_a_tx_payload ftdi-ft.if_b_tx_payload | tr -d '\t\n,' > out.tshark
    stream READ > in.rec
    stream WRITE > out.rec
    cp tshark.err err
    echo "$(wc -c < in.tshark) digits in, $(wc -c < in.rec) of the recording; $(wc -c < out.tshark) out, $(wc -c < out.rec)" > out
    # What went while the board was opened is not of the stream.
    [ -s in.rec ] && tail -c "$(wc -c < in.rec)" in.tshark | cmp -s in.rec - && [ $(($(wc -c < in.tshark) - $(wc -c < in.rec))) ${2:-${asked_in:--eq 0}} ]
    point "$1: the bytes from the core are those of the stream" $?
    [ -s out.rec ] && tail -c "$(wc -c < out.rec)" out.tshark | cmp -s out.rec - && [ $(($(wc -c < out.tshark) - $(wc -c < out.rec))) ${3:-${asked_out:--eq 0}} ]
    point "$1: and those to the core" $?
    told=$(sed -n 's/.*, \([0-9]*\) chip overruns.*/\1/p' live.json)
    [ "$(fields 'ftdi-ft.line_status.b1 == 1' ftdi-ft.line_status.b1 | tr ',' '\n' | grep -c '^1')" -eq "$told" ]
    point "$1: tshark counts $told overruns, too" $?
}
both 'asynchronous FIFO' 0 'vusb:?mode=fifo' "$scenarios/ref.yaml" --seed 7 --superframes 9
both 'synchronous FIFO, a broken node' 1 'vusb:?mode=syncfifo' "$scenarios/broken/flipped-bit.yaml"
# One question of 11 bytes, and its answer of 15.
asked_in='-eq 30' asked_out='-eq 22'
both 'UART' 0 vusb: "$short"
asked_in='' asked_out=''
both 'packets with one byte each' 0 'vusb:?mode=fifo&short=1' "$short"

# ---------------------------------------------------------------- every URB, as libusb hands it to the kernel

rm -f serve.log
"$bin" serve "$short" --usb ./bus --usb-options baud=3000000 > serve.log 2>&1 &
server=$!
wait_for '^serving' serve.log
point 'a board is served' $?
# on_bus ARGUMENTS: as run, on the board that is served, with the library that writes down.
on_bus() {
    command="$* on a served board"
    rm -f urbs
    URB_LOG=$work/urbs LD_PRELOAD="$log_library $build/libphasebench-vusb.so" PHASEBENCH_VUSB=./bus PHASEBENCH_VUSB_ONLY=1 \
        PHASEBENCH_LOCK_DIR=. ASAN_OPTIONS=verify_asan_link_order=0 "$bin" "$@" > out 2> err < /dev/null
    code=$?
}
# every_urb NAME: a.pcapng holds the last URBs of the log, all from the first with descriptors on; before are strings.
every_urb() {
    tshark -r a.pcapng -T fields -e usb.urb_type -e usb.transfer_type -e usb.endpoint_address -e usb.urb_len -e usb.urb_status \
        2> tshark.err | tr -d "'" | awk '{sub(/0x0*/, "", $2); print $1, $2, $3, $4 ($1 == "C" ? " " $5 : "")}' > urbs.tshark
    # libusb returns from a control transfer after it has reaped what came next, so its end may be recorded behind that.
    tail -n "$(wc -l < urbs.tshark)" urbs > urbs.log
    for part in '-v' '-e'; do
        grep "$part" '^C 2 ' urbs.log > urbs.part
        grep "$part" '^C 2 ' urbs.tshark | diff urbs.part - || echo 'these differ'
    done > out 2> err
    [ ! -s out ] && [ -s urbs.tshark ]
    point "$1: every URB is in the capture, in order" $?
    head -n -"$(wc -l < urbs.tshark)" urbs | grep -Evq '^[SC] 2 0x80 '
    [ $? -eq 1 ] && grep -q '^S 2 0x00 ' urbs.tshark && grep -q '^S 3 0x04 ' urbs.tshark
    point "$1: none was before but requests for descriptors" $?
}
on_bus run "$short" --rig ftdi: --record a.rec --record-usb a.pcapng --force --json
wanted=$code
cp out live.json
grep -q '"verdict"' live.json
point 'a served board, whose baud is asked for' $?
every_urb 'a served board'
compare_with_tshark 'a served board' '-gt 0' '-gt 0'
exits 'a served board: replayed' "$wanted" run --rig replay:a.pcapng --json
cp out again.json
identical 'a served board: the same result' live.json again.json
on_bus selftest --rig ftdi: --record-usb a.pcapng --force
[ "$code" -eq 0 ]
point 'a self-test' $?
every_urb 'a self-test'
exits 'a self-test: replayed' 0 selftest --rig replay:a.pcapng
[ "$(grep -c '^pass  ' out)" -eq 5 ]
point 'a self-test: five rungs pass' $?
echo lose=300 > bus/PB0001/control
wait_for lose serve.log
on_bus run "$short" --rig 'ftdi:?baud=3000000' --record a.rec --record-usb a.pcapng --force --json
wanted=$code
cp out live.json
every_urb 'bytes lost in the chip'
compare_with_tshark 'bytes lost in the chip' '-eq 0' '-eq 22'
[ "$told" -gt 0 ]
point 'bytes lost in the chip: it said so' $?
exits 'bytes lost in the chip: replayed' "$wanted" run --rig replay:a.pcapng --json
cp out again.json
identical 'bytes lost in the chip: the same result' live.json again.json
[ "$(grep -c ^S urbs)" -gt 100 ]
point '... with more than a hundred transfers' $?
echo unplug=100 > bus/PB0001/control
on_bus run "$short" --rig 'ftdi:?baud=3000000' --record-usb a.pcapng --force
[ "$code" -eq 4 ] && grep -q 'was unplugged' err
point 'a board that is pulled out' $?
cp err live.err
every_urb 'a board that is pulled out'
exits 'a board that is pulled out: replayed' 4 run --rig replay:a.pcapng
diff live.err err > out
point 'a board that is pulled out: the same error' $?
kill -TERM $server
wait $server

# ---------------------------------------------------------------- what can be asked for

exits 'a run for what follows' 0 run "$short" --rig 'vusb:?mode=fifo' --record-usb run.pcapng --json
cp out live.json
exits 'monitor of a capture' 0 monitor run.pcapng --speed 0
says '... shows the verdict' '^pass: '
exits 'monitor records transfers' 0 monitor "$short" --rig 'vusb:?mode=fifo' --record-usb monitor.pcapng
exits '... which run replays' 0 run --rig replay:monitor.pcapng --quiet
exits 'a replay of a capture is recorded' 0 run --rig replay:run.pcapng --record again.rec --quiet
exits '... and replayed' 0 run --rig replay:again.rec --quiet
exits 'the same scenario may be given' 0 run "$short" --rig replay:run.pcapng --quiet
refuses 'but no other' 3 'is not what was recorded from' run "$scenarios/demo.yaml" --rig replay:run.pcapng
refuses 'a rig without USB' 2 'rig sim: has no USB transfers: --record-usb is for ftdi: and vusb:' run "$short" --record-usb x.pcapng
refuses 'a replay' 2 'rig replay:run.pcapng has no USB transfers' run --rig replay:run.pcapng --record-usb x.pcapng
refuses 'two scenarios' 2 'one scenario, 2 are given' run "$short" "$scenarios/ref.yaml" --rig vusb: --record-usb x.pcapng
[ ! -e x.pcapng ]
point '... and nothing was made' $?
refuses 'a file that is there' 4 "'run.pcapng' exists already.*--force" run "$short" --rig vusb: --record new.rec --record-usb run.pcapng
[ ! -e new.rec ]
point '... and no other is made' $?
refuses 'one file for both' 2 'name one file, .one.; choose another name for --record-usb' run "$short" --rig vusb: --record one --record-usb one --force
mkdir folder
refuses 'a folder' 4 "cannot record to 'folder'" run "$short" --rig vusb: --record-usb folder --force
if [ -c /dev/full ]; then
    refuses 'a full disk' 4 'No space left on device.*free some space' run "$short" --rig vusb: --record-usb /dev/full --force
fi
command='a run whose capture may have 250 KiB'
(
    ulimit -f 500
    exec "$bin" run "$scenarios/demo.yaml" --rig vusb: --record-usb small.pcapng --json > out 2> err < /dev/null
)
code=$?
[ "$code" -eq 4 ] && grep -q '"incomplete": ".*cannot write the recording' out && [ "$(wc -l < err)" -eq 1 ] && grep -q 'cannot write the recording' err
point 'a disk that becomes full: one line, exit 4, the result up to there' $?
exits '... and what was written can be replayed' 5 run --rig replay:small.pcapng --quiet
says '... up to there' 'the recording ends in superframe [0-9]+ of 14, phase '

# broken_off NAME SIGNAL CODE REGEX: ends a long run with the signal; its replay reports why it ends.
broken_off() {
    rm -f off.pcapng
    "$bin" run "$scenarios/complement.yaml" --superframes 2000 --rig 'vusb:?mode=fifo' --json --record-usb off.pcapng > out 2> err < /dev/null &
    pid=$! tries=0
    until [ -s off.pcapng ] && [ "$(wc -c < off.pcapng)" -gt 400000 ] || [ $tries -ge 600 ]; do
        tries=$((tries + 1))
        sleep 0.1
    done
    kill "-$2" $pid
    wait $pid 2> /dev/null
    code=$? command="kill -$2"
    [ "$code" -eq "$3" ]
    point "$1" $?
    exits "$1: replayed" 5 run --rig replay:off.pcapng --quiet
    says "$1: inconclusive" "^inconclusive .*the recording ends in superframe [0-9]+ of 2000, phase .*$4"
}
broken_off 'interrupted' INT 130 'interrupted'
broken_off 'killed' KILL 137 'the file ends '

# ---------------------------------------------------------------- damage, and captures of others

size=$(wc -c < run.pcapng)
for part in 1 3 5 7 9; do
    head -c $((size * part / 10)) run.pcapng > cut.pcapng
    exits "cut off at $part/10" 5 run --rig replay:cut.pcapng --quiet
done
# bad NAME OFFSET REGEX: two bytes in there are others.
bad() {
    { head -c "$2" run.pcapng && printf '\252\125' && tail -c +$(($2 + 3)) run.pcapng; } > bad.pcapng
    refuses "$1" 3 "$3" run --rig replay:bad.pcapng
}
bad 'another byte order' 8 'has no byte order'
bad 'another version' 12 'pcapng version 21930, this program reads 1'
bad 'a block without an end' 4 'impossible length|cut off|another length'
offset=$(grep -abo 'PBR' run.pcapng | sed -n '1s/:.*//p')
bad 'another scenario' $((offset + 400)) 'damaged.*wrong CRC'
# A long bulk transfer from the core that is complete: its 20th byte.
offset=$(perl -e '
    local $/; binmode STDIN; my $file = <STDIN>; my $seen = 0;
    for (my $at = 0; $at < length $file; $at += $length) {
        ($type, $length) = unpack "V2", substr $file, $at, 8;
        next if $type != 6;
        my ($event, $transfer) = unpack "CC", substr $file, $at + 36, 2;
        next if chr $event ne "C" || $transfer != 3 || $length < 200 || ++$seen < 5;
        print $at + 28 + 64 + 20;
        last;
    }' < run.pcapng)
bad 'another byte from the core' "$offset" 'speaks of other bytes than were transferred'
tshark -r run.pcapng -w foreign.pcapng > /dev/null 2>&1
refuses 'a capture that another program wrote' 3 'is not of phasebench: it holds neither the scenario' run --rig replay:foreign.pcapng
refuses '... with a scenario' 3 'is not of phasebench' run "$short" --rig replay:foreign.pcapng
editcap -F pcap run.pcapng old.pcap > /dev/null 2>&1
refuses 'the old pcap format' 3 'old pcap format, which has no place for the scenario' run --rig replay:old.pcap
editcap -T ether run.pcapng ether.pcapng > /dev/null 2>&1
refuses 'another link type' 3 'link type 1, USB transfers have 220' run --rig replay:ether.pcapng
refuses 'no scenario but a capture to monitor' 3 'is not of phasebench' monitor foreign.pcapng
finish
