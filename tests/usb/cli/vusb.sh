#!/bin/sh
# SPDX-FileCopyrightText: The phasebench authors
# SPDX-License-Identifier: Apache-2.0
#
# Tests rig vusb: and `serve --usb` from outside: runs through the USB libraries of the system, several boards, faults, and
# what is left of a run that is killed. Prints TAP.
#
#   tests/usb/cli/vusb.sh path/to/phasebench
# covers: bench/usb host/cli/vusb* host/cli/cmd_serve.c host/usb

. "$(dirname "$0")/../../cli/common.sh"

# gone COMMAND...: it fails within a minute.
gone() {
    tries=0
    while "$@" > /dev/null 2>&1; do
        tries=$((tries + 1))
        [ $tries -le 600 ] || return 1
        sleep 0.1
    done
}

short=$scenarios/xor-one-bit.yaml

# ---------------------------------------------------------------- usage
refuses 'both kinds of server' 2 '--socket and --usb exclude each other' serve "$short" --usb boards --socket ./s
refuses 'boards without a USB' 2 'need --usb DIR' serve "$short" --socket ./s --boards 2
refuses 'no board' 2 "'0'" serve "$short" --usb boards --boards 0
refuses 'an unknown option' 2 "unknown option 'mod' of a USB board; did you mean 'mode'" serve "$short" --usb boards --usb-options mod=uart
refuses 'a wrong word' 2 "mode of a USB board is 'spi'; possible are uart, fifo, sync" serve "$short" --usb boards --usb-options mode=spi
refuses 'a number out of range' 2 "short of a USB board is '511'; a whole number from 0 to 510" serve "$short" --usb boards --usb-options short=511
refuses 'an option without a value' 2 "has no value; write free=VALUE" serve "$short" --usb boards --usb-options free
refuses 'a channel that cannot do it' 2 'channel B cannot be a synchronous FIFO' serve "$short" --usb boards --usb-options 'mode=sync&channel=B'
refuses 'too much text' 2 'room for 47' serve "$short" --usb boards --usb-options 'product=0123456789012345678901234567890123456789'
[ ! -e boards ]
point 'a refused server leaves nothing' $?
refuses 'a folder that cannot be made' 4 "cannot make the folder './no/such'" serve "$short" --usb ./no/such
refuses 'no folder' 2 "names no folder of boards" run "$short" --rig vusb:boards
refuses 'nobody serves it' 4 'board' run "$short" --rig vusb:./boards
refuses "an option of neither" 2 "unknown option 'nonsense' of rig ftdi:" run "$short" --rig 'vusb:?nonsense=1'
refuses "a wrong value for the board's server" 4 "short of a USB board is 'x'" run "$short" --rig 'vusb:?short=x'

# ---------------------------------------------------------------- a board of the run's own
exits 'a run on a board of its own' 0 run "$short" --rig vusb:
says 'it passes' '^PASS'
exits 'two runs, one after the other' 0 run "$short" "$scenarios/cube4-ref.yaml" --rig 'vusb:?mode=syncfifo' --quiet
exits 'the self-test on an asynchronous FIFO' 0 selftest --rig 'vusb:?mode=fifo&channel=A'
# A computer with more to do than it has processors: the server gets some hundredths of one, as other tests add to that.
burners=
for loop in $(seq "$(nproc)"); do
    (while :; do :; done) &
    burners="$burners $!"
done
command='nice -n 12 phasebench run --rig vusb: beside a busy loop for each processor'
printf 'name: busy\ncube: {dims: 2}\nnodes:\n  - {address: 1}\ntraffic:\n  - {from: 0, to: 3}\n' >busy.yaml
nice -n 12 "$bin" run busy.yaml --rig 'vusb:' --timeout 3600 --quiet >out 2>err </dev/null
code=$?
# shellcheck disable=SC2086 # a list of processes
kill $burners
[ "$code" -eq 0 ]
point 'a busy computer is no fault of the board' $?
exits 'and on the synchronous one' 0 selftest --rig 'vusb:?mode=syncfifo'
exits '... by its other name' 0 selftest --rig 'vusb:?mode=sync'
refuses 'a core with another map' 4 'register map' run "$short" --rig 'vusb:?map=other'
exits 'a device without a core' 4 run "$short" --rig 'vusb:?device=silent'
exits 'a board that is pulled out' 4 run "$short" --rig 'vusb:?unplug=200'
exits 'a memory that says UART' 3 run "$short" --rig 'vusb:?mode=syncfifo&eeprom=uart'
exits 'a serial number of its own' 0 run "$short" --rig 'vusb:?serial=OTHER' --quiet
exits 'and a channel' 0 run "$short" --rig 'vusb:?serial=OTHER&mode=fifo&channel=A' --quiet
refuses 'a serial number that is too long' 4 'serial of a USB board has 41 characters' run "$short" \
    --rig 'vusb:?serial=01234567890123456789012345678901234567890'
exits 'packets of one byte' 0 run "$short" --rig 'vusb:?short=1' --quiet

# ---------------------------------------------------------------- the same run, on every rig that simulates
broken=$scenarios/broken/flipped-bit.yaml
findings() { # FILE: without what comes before and after
    sed -n '/^  "findings": /,/^  \]/p' "$1"
}
"$bin" serve "$broken" --socket ./broken.sock > broken.log 2>&1 &
server=$!
wait_for '^serving' broken.log
for rig in sim: 'sim:?port=uart' sim:./broken.sock vusb: 'vusb:?mode=syncfifo'; do
    exits "a broken node on $rig" 1 run "$broken" --rig "$rig" --capture bytes --out same --json
    findings same/result.json > this
    [ -e first ] || cp this first
    cmp -s this first && [ "$(grep -c wrong_bytes this)" -gt 0 ]
    point "$rig: findings and their times are those of sim:" $?
    grep -q '"simulated_ps": [1-9]' same/result.json
    point "$rig: has simulated time" $?
    [ -s same/failure.fst ] && grep -q '"trace_path": "same/failure.fst"' same/result.json
    point "$rig: has a trace" $?
done
kill $server
wait $server

# ---------------------------------------------------------------- boards that are served
"$bin" serve "$short" --usb boards --boards 2 > serve.log 2>&1 &
server=$!
wait_for '^serving' serve.log
point 'two boards are served' $?
refuses 'a second server' 4 "board 'boards/PB0001' is served already" serve "$short" --usb boards
exits 'a run on the second board' 0 run "$short" --rig vusb:./boards/PB0002 --quiet
exits 'which of the two must be said' 3 run "$short" --rig vusb:./boards --quiet
echo unplug > boards/PB0001/control
wait_for '^PB0001: unplugged' serve.log
point 'a board is pulled out' $?
exits 'the other one is the only one' 0 run "$short" --rig vusb:./boards --quiet
echo plug > boards/.PB0001/control
wait_for '^PB0001: plugged in.*' serve.log && gone test ! -d boards/PB0001
point 'and is there again' $?
echo mode=fifo > boards/PB0001/control
wait_for '^PB0001: mode of a USB board is fixed' serve.log
point 'what cannot change is refused' $?

# A server that a signal has stopped. No point compares a time; a run that hangs is killed after minutes, with another code.
stopped='is stopped; .kill -CONT'
kill -STOP $server
exits 'a stopped server: the run ends by its limit' 124 run "$short" --rig vusb:./boards/PB0001 --timeout 2 --quiet
says '... and tells why' "$stopped" err
"$bin" run "$short" --rig vusb:./boards/PB0001 --quiet > out 2> err < /dev/null &
host=$!
sleep 2.5 # longer than each limit that libusb counts in real time
kill -CONT $server
wait $host
point 'a server that goes on in time: the run passes' $?
for pause in 0 0.5; do # in the middle of its start, and of the run
    opened=$(grep -c 'has opened it' serve.log)
    timeout -s KILL 300 "$bin" run "$short" --superframes 1000000 --rig vusb:./boards/PB0001 --timeout 5 --quiet > out 2> err < /dev/null &
    host=$!
    tries=0
    while [ "$(grep -c 'has opened it' serve.log)" -le "$opened" ] && [ $tries -le 600 ]; do
        tries=$((tries + 1))
        sleep 0.1
    done
    sleep $pause
    kill -STOP $server
    wait $host
    code=$?
    kill -CONT $server
    [ $code -eq 124 ] && [ "$(wc -l < err)" -eq 1 ]
    point "stopped $pause s after the board was opened: the limit holds, in one line" $?
done
exits 'and the next run passes' 0 run "$short" --rig vusb:./boards/PB0001 --quiet

kill -TERM $server
wait $server
[ $? -eq 0 ] && [ ! -e boards ]
point 'a signal ends it and takes the folder away' $?

# ---------------------------------------------------------------- nothing is left
"$bin" run "$scenarios/complement.yaml" --superframes 2000 --rig vusb: > out 2> err &
host=$!
tries=0
until own=$(tr '\0' '\n' < /proc/$host/environ 2>/dev/null | sed -n 's/^PHASEBENCH_VUSB=//p') && [ -d "$own/PB0001" ] || [ $tries -gt 600 ]; do
    tries=$((tries + 1))
    sleep 0.1
done
[ -d "$own/PB0001" ]
point 'a run has its own board' $?
kill -9 $host
wait $host 2>/dev/null
gone test -e "$(dirname "$own")"
point 'and its board goes with it when it is killed' $?
timeout -s KILL 300 "$bin" run "$short" --superframes 1000000 --rig vusb: --timeout 5 --quiet > out 2> err < /dev/null &
host=$!
tries=0
until run=$(cat /proc/$host/task/$host/children) && own=$(tr '\0' '\n' < "/proc/${run% }/environ" | sed -n 's/^PHASEBENCH_VUSB=//p') &&
    [ -d "$own/PB0001" ] || [ $tries -gt 600 ]; do
    tries=$((tries + 1))
    sleep 0.1
done 2> /dev/null
server=$(cat "/proc/${run% }/task/${run% }/children")
kill -STOP $server
wait $host
[ $? -eq 124 ] && gone kill -0 $server && [ ! -e "$own" ]
point 'a board of its own that is stopped ends with the run' $?
finish
