#!/bin/sh
# SPDX-FileCopyrightText: The phasebench authors
# SPDX-License-Identifier: Apache-2.0
#
# What is tested inside the guest, where Linux has virtual boards before phasebench does: UART, SLOW (460,800 baud), QUICK
# (2.5 Mbaud), FIFO and SYNC have a core behind them, ECHO sends back what comes at any rate. Only UART is plugged in at the
# beginning. Prints TAP.
#
# Expected values: descriptors and defaults from FTDI's data sheet, as lsusb and sysfs show them; results from the same runs on
# vusb: outside (/expected); what comes back from ECHO is what was sent.
# helps: tests/usb/qemu/run.sh

count=0 failures=0

# point NAME STATUS: one test point; what the program said follows a failure.
point() {
    count=$((count + 1))
    if [ "$2" -eq 0 ]; then
        echo "ok $count - $1"
    else
        failures=$((failures + 1))
        echo "not ok $count - $1"
        echo "#   command: $command, exit code: $code"
        sed 's/^/#   stdout: /' out | head -n 15
        sed 's/^/#   stderr: /' err | head -n 5
    fi
}
# run COMMAND...: leaves $code and the files out and err.
run() {
    command=$*
    timeout 300 "$@" > out 2> err < /dev/null
    code=$?
}
exits() { # NAME CODE COMMAND...
    name=$1 wanted=$2
    shift 2
    run "$@"
    [ "$code" -eq "$wanted" ]
    point "$name" $?
}
says() { # NAME REGEX [FILE]
    grep -Eq -- "$2" "${3:-out}"
    point "$1" $?
}
wait_for() { # COMMAND...: until it succeeds, up to a minute
    tries=0
    until "$@" > /dev/null 2>&1; do
        tries=$((tries + 1))
        [ $tries -le 600 ] || return 1
        sleep 0.1
    done
}
order() { # BOARD LINE: to the server of the board
    echo "$1 $2" > /dev/ttyS2
}

# device BOARD: its folder in sysfs
device() {
    grep -lx "$1" /sys/bus/usb/devices/*/serial 2> /dev/null | sed 's,/serial$,,;q'
}
driver() { # BOARD INTERFACE: the driver that has it, if any
    basename "$(readlink "$(device "$1")":1."$2"/driver)"
}
bound() { # BOARD INTERFACE
    has_driver "$1" "$2" ftdi_sio && [ -c "/dev/$(tty_of "$1" "$2")" ]
}
tty_of() { # BOARD INTERFACE: ttyUSBn
    cd "$(device "$1"):1.$2" && ls -d ttyUSB*
}
has_driver() { # BOARD INTERFACE NAME
    [ "$(driver "$1" "$2")" = "$3" ]
}
gone() { # BOARD
    [ -z "$(device "$1")" ]
}
both_bound() {
    bound "$1" 0 && bound "$1" 1
}
has() { # BOARD NAME VALUE: an attribute in sysfs
    [ "$(cat "$(device "$1")/$2")" = "$3" ]
}
attribute() { # BOARD NAME VALUE
    has "$@" || cat "$(device "$1")/$2" > out
    has "$@"
    point "$1: $2 is $3" $?
}
# same NAME EXPECTED: the JSON on stdout is that of the run outside. /strip takes out where and when each ran.
same() {
    sed -Ef /strip out > now
    diff "/expected/$2" now > out && [ -s now ]
    point "$1" $?
}

# ---------------------------------------------------------------- the kernel takes the board
: > out > err
command=boot code=0
wait_for both_bound UART
point 'ftdi_sio binds to both interfaces when the board is plugged in' $?
attribute UART idVendor 0403
attribute UART idProduct 6010
attribute UART bcdDevice 0700
attribute UART speed 480
attribute UART bNumInterfaces ' 2'
attribute UART manufacturer phasebench
attribute UART product 'virtual FT2232H'
dmesg > out
says 'it knows the type by the release number' 'Detected FT2232H'
latency=/sys/bus/usb-serial/devices/$(tty_of UART 1)/latency_timer
[ "$(cat "$latency")" = 16 ] && echo 2 > "$latency" && [ "$(cat "$latency")" = 2 ] && echo 16 > "$latency"
point 'latency timer: 16 ms, and another one' $?

run lsusb -v -d 0403:6010
sed '1,/^Device Descriptor/d; s/ *$//' out > now
grep -v '^#' /expected/lsusb | diff - now > out
point 'lsusb decodes every descriptor as a high-speed FT2232H has it' $?

# ---------------------------------------------------------------- phasebench takes it and gives it back
gave_back() { # BOARD WHEN
    wait_for both_bound "$1"
    point "ftdi_sio has both interfaces of $1 after $2" $?
}
exits 'devices' 0 phasebench devices
says 'it is found' '^ftdi:UART FT2232H \(0403:6010\) at USB port [0-9-]+, serial UART, "virtual FT2232H"'
exits 'doctor' 0 phasebench doctor
says 'it can be opened' '^ok +usb +FT2232H \(0403:6010\) UART at port .* can be opened'
says "the kernel's driver has channel A" "the kernel's ftdi_sio has channel A"
says 'and B' "the kernel's ftdi_sio has channel B"
gave_back UART 'a look'
exits 'self-test' 0 phasebench selftest --rig ftdi:
says 'it is the whole ladder' '^pass  console '
gave_back UART 'the self-test'
exits 'a run over the UART' 0 phasebench run xor-one-bit --rig ftdi: --json
same 'it has the result of the run on vusb:' uart.json
gave_back UART 'a run'

# ---------------------------------------------------------------- Linux's own use
plug() { # BOARD
    order "$1" plug
    wait_for both_bound "$1"
    point "$1 is plugged in" $?
}
# talk BOARD BAUD SENT WANTED: what comes back on the serial port of channel B, byte for byte. The port stays open throughout:
# its settings end with the last user.
talk() {
    tty=/dev/$(tty_of "$1" 1)
    exec 3<> "$tty"
    stty -F "$tty" raw -echo "$2" && stty -F "$tty" > out 2> err
    command=$(head -n 1 out)
    timeout "${limit_s:-120}" head -c "$(wc -c < "$4")" <&3 > back &
    cat "$3" >&3
    wait $! 2> /dev/null
    code=$?
    exec 3>&-
    grep -q "^speed $2 baud" out && cmp back "$4" > out 2> err
}
plug ECHO
head -c 3000 /dev/urandom > bytes
for baud in 1200 9600 115200 921600 3000000; do
    talk ECHO $baud bytes bytes
    point "3000 bytes come back at $baud baud" $?
done
head -c 300000 /dev/urandom > bytes
talk ECHO 3000000 bytes bytes
point 'and more than the chip can hold' $?
# A reading of the register ID and its reply, as in docs/reference/protocol.md: the core's own clock decides whether the kernel's divisor
# makes the rate. 2.5 Mbaud are made of 12 MHz / 4.75.
printf '\176\001\011\004\000\000\001\000\036\002\176' > ask
printf '\176\201\011\010\000\000\000\001\061\103\102\120\326\147\176' > reply
for board in SLOW QUICK; do
    [ $board = SLOW ] && baud=460800 || baud=2500000
    plug $board
    talk $board $baud ask reply
    point "a core at $baud baud answers the serial port" $?
    limit_s=3 talk $board 230400 ask reply
    [ $code -ne 0 ] && [ ! -s back ]
    point 'and none at another rate' $?
    order $board unplug
    wait_for gone $board
done

# ---------------------------------------------------------------- its memory, by another tool
plug SLOW
cat > memory.conf << END
vendor_id=0x0403
product_id=0x6010
manufacturer="phasebench"
product="rewritten"
serial="SLOW"
use_serial=true
self_powered=false
remote_wakeup=true
max_power=100
eeprom_type=0x56
cha_type=FIFO
chb_type=UART
filename="memory.bin"
END
exits 'ftdi_eeprom reads the memory' 0 ftdi_eeprom --device s:0x0403:0x6010:SLOW --verbose --read-eeprom memory.conf
says 'its product' '^Product: +virtual FT2232H$'
says 'its serial number' '^Serial: +SLOW$'
says 'its power' '^Bus Powered: 500 mA *$'
says 'its channels' '^Channel A has Mode UART *$'
# It resets the board in the end.
exits 'and writes it' 0 ftdi_eeprom --device s:0x0403:0x6010:SLOW --flash-eeprom memory.conf
wait_for has SLOW product rewritten && wait_for both_bound SLOW
point 'Linux finds another device after that' $?
attribute SLOW bMaxPower 100mA
attribute SLOW bmAttributes a0
run phasebench doctor
says 'with a FIFO in channel A' 'SLOW: channel A is 245 FIFO, B UART'
talk SLOW 460800 ask reply
point 'and the core behind channel B' $?
run usbreset "$(printf '%03d/%03d' "$(cat "$(device SLOW)/busnum")" "$(cat "$(device SLOW)/devnum")")"
gave_back SLOW 'a reset of the bus'
order SLOW unplug
wait_for gone SLOW

# ---------------------------------------------------------------- several boards, FIFO modes
plug FIFO
plug SYNC
exits 'several boards, and which is not said' 3 phasebench run xor-one-bit --rig ftdi:
says 'it names them' '4 boards fit: .*ECHO.*FIFO.*' err
run phasebench doctor
says 'doctor knows from the memory which channel of FIFO is one' 'FIFO: channel A is UART, B 245 FIFO'
says 'and which of SYNC' 'SYNC: channel A is 245 FIFO, B UART'
exits 'a model is refused on a board' 3 phasebench run broken/flipped-bit --rig 'ftdi:FIFO?mode=fifo' --json
sed 's/, defect: flipped_bit//' /share/phasebench/scenarios/broken/flipped-bit.yaml > flipped-bit.yaml
exits 'a broken node over the asynchronous FIFO' 1 phasebench run flipped-bit.yaml --rig 'ftdi:FIFO?mode=fifo' --json
same 'it has the result of the run on vusb:' fifo.json
gave_back FIFO 'a run'
exits 'a run over the synchronous FIFO' 0 phasebench run xor-one-bit --rig 'ftdi:SYNC?mode=syncfifo' --json
same 'it has the result of the run on vusb:' sync.json
gave_back SYNC 'a run'

phasebench run xor-one-bit --rig 'ftdi:SYNC?mode=syncfifo' --out both --quiet > other 2>&1 &
host=$!
exits 'two runs at once' 0 phasebench run xor-one-bit --rig ftdi:UART --quiet
wait $host
point 'each on its board' $?

# ---------------------------------------------------------------- a port in use, a run that is killed
tty=$(tty_of UART 1)
exec 3< "/dev/$tty"
cat <&3 > /dev/null 2>&1 &
cat=$!
exec 3<&-
exits 'a run while a terminal has the port' 0 phasebench run xor-one-bit --rig ftdi:UART --quiet
wait $cat
gave_back UART 'the terminal was hung up'
is_long() { # FILE
    [ "$(wc -c < "$1")" -gt 20000 ]
}
begin() { # a long run on UART, in the background, until it is well in progress
    rm -f run.rec
    phasebench run xor-one-bit --superframes 100000 --rig ftdi:UART --quiet --record run.rec > out 2> err &
    host=$!
    wait_for is_long run.rec
}
command='a long run' code=0
begin
has_driver UART 1 usbfs && has_driver UART 0 ftdi_sio
point 'a run has its channel only' $?
kill -9 $host
wait $host 2> /dev/null
exits 'a run after one that was killed' 0 phasebench run xor-one-bit --rig ftdi:UART --quiet
gave_back UART 'a run after one that was killed'

# ---------------------------------------------------------------- pulled out
command='a long run, pulled out'
begin
order UART unplug
wait $host
code=$?
rm run.rec
[ $code -eq 4 ] && sed -Ef /strip err | diff /expected/unplugged - > out
point 'a run ends as on vusb: when the board is pulled out' $?
wait_for test ! -e "/dev/$tty"
point 'its serial ports have gone' $?
# Nothing here reports a new board to libusb: there is no udevd.
phasebench selftest --rig 'ftdi:UART?wait=300' > out 2> err &
host=$!
sleep 1
order UART plug
wait $host
code=$?
[ $code -eq 0 ]
point 'a self-test that waits for the board' $?
gave_back UART 'it was plugged in again'

# ---------------------------------------------------------------- what the kernel thinks of it all
complaints() { # [REGEX]: lines of its log, except those
    command=dmesg code=0
    dmesg | grep -Ei 'usb|ftdi|xhci|ehci|tty' |
        grep -Ei 'error|fail|unable|cannot|time.?d? ?out|not accept|stopp|invalid|warn|bug|bogus|reset' |
        grep -Ev -- ": reset high-speed USB device number [0-9]+ using${1:+|$1}" > out
}
! complaints
point 'no complaint in the log of the kernel' $?
[ "$(dmesg | grep -c ': reset high-speed USB device')" -eq 2 ]
point 'no reset but those that were asked for' $?
exec 3< "/dev/$(tty_of ECHO 1)"
cat <&3 > out 2> err &
cat=$!
exec 3<&-
order ECHO unplug
wait_for gone ECHO && wait $cat
point 'a terminal ends when its board is pulled out' $?
# ftdi_sio reports to the chip that the port is closed, and may come too late.
! complaints 'error from flowcontrol urb'
point 'still none' $?

echo "1..$count"
