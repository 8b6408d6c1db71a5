#!/bin/sh
# SPDX-FileCopyrightText: The phasebench authors
# SPDX-License-Identifier: Apache-2.0
#
# Tests the driver of a real board from outside, on virtual boards: the messages to the user, the exit code, when a board is
# missing, ambiguous, foreign, refused, hung, pulled out or in use. Prints TAP.
#
#   tests/usb/cli/boards.sh path/to/phasebench
#
# Expected values: exit codes of the command; the watchdog's 100 ms, and 1 ms for its count (docs/reference/registers.md).
# covers: host/rig/rig_ftdi* host/usb bench/usb

. "$(dirname "$0")/../../cli/common.sh"
scenario=$scenarios/xor-one-bit.yaml
server=

serve() { # BOARDS [OPTIONS]
    rm -f serve.log # an old one would say that it serves
    "$bin" serve "$scenario" --usb ./bus --boards "$1" ${2:+--usb-options "$2"} > serve.log 2>&1 &
    server=$!
    wait_for '^serving' serve.log
    point "boards are served${2:+: $2}" $?
}
stop() {
    kill -TERM $server
    wait $server
    [ $? -eq 0 ] && [ ! -e bus ]
    point 'the server ends well and takes its folder away' $?
}
order() { # LINE: and waits until the server has said that it took it; an unplugged board has a dot in front of its name
    before=$(grep -c . serve.log)
    sent= tries=0
    until [ -n "$sent" ] && [ "$(grep -c . serve.log)" -gt "$before" ]; do
        [ -n "$sent" ] || { { echo "$1" > bus/PB0001/control || echo "$1" > bus/.PB0001/control; } 2>/dev/null && sent=yes; }
        tries=$((tries + 1))
        [ $tries -le 600 ] || return 1
        sleep 0.1
    done
}
start_host() { # a run that would take minutes, and is in its midst
    rm -f host.rec
    "$bin" run "$scenarios/complement.yaml" --superframes 3000 --rig vusb:./bus --record host.rec --out host > host.log 2>&1 &
    host=$!
    in_midst host.rec
}
host_ends() { # NAME CODE REGEX
    wait $host
    code=$? command='run complement.yaml'
    cp host.log err
    [ $code -eq "$2" ] && grep -Eq -- "$3" host.log
    point "$1" $?
}

# ---- none, one, two
mkdir empty
refuses 'no board' 4 'no FTDI chip .* on USB; plug the board in' run "$scenario" --rig vusb:./empty
refuses 'a folder that is not there' 4 "no boards are served in './missing'; start 'phasebench serve" run "$scenario" --rig vusb:./missing
serve 2
refuses 'two boards, and which is not said' 3 '2 boards fit: PB0001 at 200-1, PB0002 at 200-2; name one' run "$scenario" --rig vusb:./bus
refuses 'a third' 4 "no board 'PB0003' on USB; there are PB0001 at 200-1, PB0002 at 200-2" run "$scenario" --rig vusb:./bus/PB0003
exits 'one of two, by its serial number' 0 selftest --rig vusb:./bus/PB0002
says 'it is the whole ladder' '^pass  console '
stop

# ---- what is wrong with it
serve 1
order refuse=1
refuses 'no permission' 4 "no permission to open board .*200-1; 'phasebench doctor'" run "$scenario" --rig vusb:./bus
order refuse=0
order map=other
refuses 'a bitstream with another register map' 4 'register map 0x[0-9a-f]+, this host 0x[0-9a-f]+; load the bitstream' run "$scenario" --rig vusb:./bus
order map=own
order hang=1
refuses 'a chip that does not answer' 4 'the FT2232H at USB port 200-1 is silent: it opens, but does not answer; plug it in again' run "$scenario" --rig vusb:./bus
order hang=0
refuses 'a mode that its memory does not have' 3 'no 245 FIFO: its EEPROM makes it a UART; set it with ftdi_eeprom' run "$scenario" --rig 'vusb:./bus?mode=fifo'
refuses 'a baud that the chip does not make' 2 'rig ftdi: the chip cannot generate 11000000 baud' run "$scenario" --rig 'vusb:./bus?baud=11000000'
refuses 'a baud that the core does not have' 4 'no answer from the core' run "$scenario" --rig 'vusb:./bus?baud=3000000'
order driver=ftdi_sio
exits 'a driver of the kernel that has it' 0 selftest --rig vusb:./bus
order driver=none
stop
serve 1 device=silent
refuses 'a foreign device that is silent' 4 'no answer from the core' run "$scenario" --rig vusb:./bus
stop
serve 1 device=echo
refuses 'a foreign device that echoes' 4 'no answer from the core' run "$scenario" --rig vusb:./bus
stop

# ---- pulled out
serve 1 replug=1
for transfer in 1 2 5 20 45 60 100 200 400 800; do
    order "unplug=$transfer"
    run run "$scenarios/complement.yaml" --superframes 3000 --rig vusb:./bus
    order unplug=1000000000
    [ "$code" -eq 4 ] && [ "$(wc -l <err)" -eq 1 ] && grep -Eq '(was unplugged|refuses|cannot open|does not open|no FTDI chip|fail)' err && { [ ! -s out ] || grep -q '^incomplete ' out; }
    point "pulled out at transfer $transfer" $?
done
exits 'after ten times the board works' 0 selftest --rig vusb:./bus
stop

# ---- bytes that get lost in the chip
serve 1
order lose=300
exits 'bytes lost in the chip while it is opened' 0 selftest --rig vusb:./bus

exits 'lost in a run' 0 run "$scenario" --rig 'vusb:?lose=5' --json
says 'the result tells of it' '"link": ".*, [1-9][0-9]* chip overruns"'

# ---- two hosts, and a host that is killed while a line is low
start_host
refuses 'a second host' 4 "board 200-1 is in use by process $host, and one host at a time" run "$scenario" --rig vusb:./bus
mv bus/.lock/phasebench-*.lock .
refuses 'a second host that does not see the lock' 4 'channel B of board .* is in use by another program' run "$scenario" --rig vusb:./bus
kill -9 $host
wait $host 2>/dev/null
wait_for 'released all lines and stopped the clock' serve.log
point 'the killed host is noticed and the core makes itself safe' $?
late=$(sed -n 's/.*the core released all lines and stopped the clock \([0-9.]*\) ms (simulated) later$/\1/p' serve.log | tail -n 1)
echo "# released after $late ms"
awk -v late="$late" 'BEGIN {exit !(late > 0 && late <= 102)}'
point 'within the time of the watchdog' $?
exits 'the next host finds it working' 0 selftest --rig vusb:./bus
stop

# ---- what can happen in the midst of a run
serve 1
start_host
kill -INT $host
host_ends 'an interrupted host' 130 'interrupted; all lines are released and the clock is stopped'
for endpoint in 83 04; do
    start_host
    order "stall=$endpoint"
    host_ends "endpoint $endpoint stalls" 4 'USB transfers with board .* fail: the endpoint stalls; plug it in again'
    exits 'the next host finds it working' 0 selftest --rig vusb:./bus
done
start_host
order hang=1
host_ends 'the chip hangs' 4 'USB transfers with board .* fail: the chip (has not answered for 5|took no byte for 1) s'
order hang=0
start_host
order unplug
host_ends 'it is unplugged' 4 'board .* was unplugged; plug it in and start again'
for verb in "run $scenario" selftest; do
    "$bin" $verb --rig 'vusb:./bus?wait=600' > host.log 2>&1 &
    host=$!
    heeds $host
    sleep 1 # most likely it waits by now; whenever the signal comes it must be heeded
    kill -INT $host
    host_ends "interrupted while it waits for a board: ${verb%% *}" 130 'interrupted while waiting for a board'
done
"$bin" run "$scenario" --rig 'vusb:./bus?wait=600' > host.log 2>&1 &
host=$!
heeds $host
sleep 1 # should it look for the board later than that, the test is a weaker one
echo plug > bus/.PB0001/control
host_ends 'a host that waits for a board goes on when it comes' 0 'PASS'
stop

# ---- recordings of a board
exits 'a run on a board of its own, recorded' 0 run "$scenarios/ref.yaml" --rig 'vusb:?mode=fifo' --record board.rec --json
cp out live.json
says 'the result names the rig that it was' '"rig": "vusb:\?mode=fifo"'
exits 'played again' 0 run --rig replay:board.rec --json
cp out again.json
same 'the same result' live.json again.json
finish
