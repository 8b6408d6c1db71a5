#!/bin/sh
# SPDX-FileCopyrightText: The phasebench authors
# SPDX-License-Identifier: Apache-2.0
#
# Tests the driver of a real board from outside, on virtual boards: what a user is told, with which exit code, when a board is
# missing, ambiguous, foreign, refused, hung, pulled out or in use. Prints TAP.
#
#   tests/cli/boards.sh path/to/phasebench
#
# Expected values: exit codes of the command; the watchdog's 100 ms, and 1 ms for its count (docs/registers.md).

. "$(dirname "$0")/common.sh"
scenario=$scenarios/xor-one-bit.yaml
server=

wait_for() { # REGEX FILE: up to a minute
    tries=0
    until grep -Eq -- "$1" "$2" 2>/dev/null; do
        tries=$((tries + 1))
        [ $tries -le 600 ] || return 1
        sleep 0.1
    done
}
serve() { # BOARDS [OPTIONS]
    rm -f serve.log # an old one would say that it serves
    "$bin" serve "$scenario" --usb ./bus --boards "$1" ${2:+--usb-options "$2"} > serve.log 2>&1 &
    server=$!
    trap 'kill $server 2>/dev/null; rm -rf "$work"' EXIT
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
    tries=0
    until { echo "$1" > bus/PB0001/control || echo "$1" > bus/.PB0001/control; } 2>/dev/null && [ "$(grep -c . serve.log)" -gt "$before" ]; do
        tries=$((tries + 1))
        [ $tries -le 600 ] || return 1
        sleep 0.1
    done
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
refuses 'a chip that does not answer' 4 'cannot open channel B of board .*; plug it in again' run "$scenario" --rig vusb:./bus
order hang=0
refuses 'a mode that its memory does not have' 3 'no 245 FIFO: its EEPROM is set to another type' run "$scenario" --rig 'vusb:./bus?mode=fifo'
refuses 'a baud that the chip does not make' 2 'baud of rig ftdi: is 11000000, which the chip cannot make' run "$scenario" --rig 'vusb:./bus?baud=11000000'
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
    refuses "pulled out at transfer $transfer" 4 '(unplugged|refuses|cannot open|no permission|no FTDI chip|no board|fail).*' \
        run "$scenario" --rig vusb:./bus
    order unplug=1000000000
done
exits 'after ten times the board works' 0 selftest --rig vusb:./bus
stop

# ---- bytes that get lost in the chip
serve 1
order lose=300
exits 'bytes lost in the chip while it is opened' 0 selftest --rig vusb:./bus

# ---- two hosts, and a host that is killed while a line is low
"$bin" run "$scenarios/complement.yaml" --superframes 3000 --rig vusb:./bus --record host.rec > host.log 2>&1 &
host=$!
tries=0
until [ -s host.rec ] && [ "$(wc -c < host.rec)" -gt 60000 ]; do
    tries=$((tries + 1))
    [ $tries -le 600 ] || break
    sleep 0.1
done
refuses 'a second host' 4 "board 200-1 is in use by process $host, and one host at a time" run "$scenario" --rig vusb:./bus
kill -9 $host
wait $host 2>/dev/null
wait_for 'released all lines and stopped the clock|all lines were released' serve.log
point 'the killed host is noticed and the core makes itself safe' $?
late=$(sed -n 's/.*the core released all lines and stopped the clock \([0-9.]*\) ms (simulated) later$/\1/p' serve.log | tail -n 1)
echo "# released after $late ms"
awk -v late="$late" 'BEGIN {exit !(late > 0 && late <= 102)}'
point 'within the time of the watchdog' $?
exits 'the next host finds it working' 0 selftest --rig vusb:./bus
stop

# ---- recordings of a board
exits 'a run on a board of its own, recorded' 0 run "$scenarios/ref.yaml" --rig 'vusb:?mode=fifo' --record board.rec --json --out one
exits 'played again' 0 run --rig replay:board.rec --json --out two
for key in verdict findings_total slots_checked bytes_checked edges_checked start_mean_ps; do
    [ "$(sed -n "s/.*\"$key\": //p" one/result.json)" = "$(sed -n "s/.*\"$key\": //p" two/result.json)" ] || break
done
point 'the same verdict and statistics' $?
finish
