#!/bin/sh
# SPDX-FileCopyrightText: The phasebench authors
# SPDX-License-Identifier: Apache-2.0
#
# Tests what `phasebench devices` and `phasebench doctor` say of chips on USB. Prints TAP.
#
#   tests/usb/cli/usb.sh path/to/phasebench-with-usb_bus.c
#
# Expected values: the bus in tests/usb/cli/usb_bus.c.
# covers: host/usb host/rig/board_health* host/rig/found_forms* host/cli/cmd_devices.c host/cli/cmd_doctor.c tests/usb/cli/usb_bus.c

. "$(dirname "$0")/../../cli/common.sh"

export USB_BUS=chips PHASEBENCH_LOCK_DIR=.
exits 'devices with chips' 0 devices
says 'one that can be opened: where, serial and name' '^ftdi:1-2\.3 FT2232H \(0403:6010\) at USB port 1-2\.3, serial FT\?1, "Dual RS232"$'
says 'one that cannot' '^ftdi:2-7 FT232H \(0403:6014\) at USB port 2-7$'
says '... and why' "^        no permission to open it; 'phasebench doctor'"
says 'one without a serial, whose name cannot be read' '^ftdi:3  FT4232H \(0403:6011\) at USB port 3$'
[ "$(grep -c '^ftdi:' out)" -eq 3 ]
point 'other products, other vendors and one that is unplugged are left out' $?
exits 'devices --json with chips' 0 devices --json
[ "$(grep -c '"kind": "ftdi"' out)" -eq 3 ] && [ "$(grep -c '"usable": true' out)" -eq 3 ] && ! grep -q usb_problem out
point 'three, two of them and the simulated one can be used' $?
says 'the port of one' '"port": "1-2\.3"'
# The chips are fake: none can be opened, and one takes its process with it.
exits 'devices --map with chips' 0 devices --map found.yaml
[ "$(grep -c '^added .*: not reached: ' out)" -eq 3 ] && [ "$(grep -c '^    enabled: no$' found.yaml)" -eq 3 ] && grep -q '^  - serial: "FT?1"$' found.yaml &&
    grep -q '^    rig: "ftdi:1-2.3"$' found.yaml && grep -q "^    note: \"no permission to open board 2-7" found.yaml
point '... adds those that do not answer, disabled and with the reason' $?
cp found.yaml before.yaml
exits '... once' 0 devices --map found.yaml
[ "$(grep -c '^unchanged ' out)" -eq 3 ] && cmp -s found.yaml before.yaml
point '... and leaves the file as it is then' $?
exits 'doctor with chips' 0 doctor
says 'one that can be opened' '^ok    usb +FT2232H \(0403:6010\) FT\?1 at port 1-2\.3 can be opened$'
says 'a driver that has it' '^ok    driver +FT\?1: .*channel A'
says 'a memory that cannot be read' '^warn  eeprom +FT\?1: cannot be read'
says 'the rule for one that cannot' '^warn  usb +FT232H .*ATTR\{idVendor\}=="0403", ATTR\{idProduct\}=="6014", TAG\+="uaccess"'

# ---- chips that do not open
scenario=$scenarios/xor-one-bit.yaml
USB_BUS=denied
exits 'doctor where nothing may be opened' 0 doctor
sed -n 's/^warn  usb .* put \(SUBSYSTEM.*uaccess"\) into .*/\1/p' out | sort > told
grep '^SUBSYSTEM' "$root/host/usb/70-phasebench.rules" | sort | diff - told > out && [ -s told ]
point 'it tells the rules that are installed, one for each kind of chip' $?
refuses 'a run on one of them' 4 "no permission to open board 1-2 at USB port 1-2; 'phasebench doctor'" run "$scenario" --rig ftdi:1-2
refuses 'a search among them' 3 '3 boards fit: .* at 1-1 \(no permission\), ' run "$scenario" --rig ftdi:
USB_BUS=broken
exits 'devices with one that is broken' 0 devices
says 'says so' '^        it does not open; plug it in again$'
exits '... and so does doctor' 0 doctor
says 'as a warning' '^warn  usb +FT2232H \(0403:6010\) at port 1-1 does not open; plug it in again$'
refuses 'a run on it' 4 'board 1-1 at USB port 1-1 does not open; plug it in again' run "$scenario" --rig ftdi:

# ---- two of one serial number, and one that does not answer
USB_BUS=twins
exits 'devices with two of one serial number' 0 devices
says 'the first, by its port' '^ftdi:1-1 FT2232H .* serial SAME,'
says 'the second, by its own' '^ftdi:1-2\.1 FT2232H .* serial SAME,'
[ "$(grep -c '^        another chip has its serial number, so the URL names the port$' out)" -eq 2 ]
point 'both with the reason' $?
says 'the other by its serial number' '^ftdi:OTHER '
says 'one that does not answer, by its port' '^ftdi:1-3 '
says '... and that it is silent' '^        silent: it does not report its serial number; plug it in again$'
exits 'devices --json with them' 0 devices --json
[ "$(grep -c '"usable": true' out)" -eq 4 ]
point 'one that is silent cannot be used' $?
refuses 'a run by that serial number' 3 '2 boards fit: SAME at 1-1, SAME at 1-2\.1; name one by its port, as in ftdi:1-1$' run "$scenario" --rig ftdi:SAME
refuses 'a run on a board that is not seen' 4 "no board 'FT1' on USB; there are .* FT2232H at 1-3 \(silent: it does not answer\), .*; plug in again what is silent" \
    run "$scenario" --rig ftdi:FT1
exits 'doctor' 0 doctor
says 'it names the silent one' '^warn  usb +FT2232H \(0403:6010\) at port 1-3 is silent: it opens, but does not answer; plug it in again$'
exits 'devices --map with them' 0 devices --map twins.yaml
[ "$(grep -c '^  - rig: "ftdi:1-[12.]*"$' twins.yaml)" -eq 2 ] && [ "$(grep -c 'serial: OTHER$' twins.yaml)" -eq 1 ] && ! grep -q 'serial: SAME' twins.yaml
point '... keeps both, by their ports' $?
cp twins.yaml before.yaml
exits '... once' 0 devices --map twins.yaml
[ "$(grep -c '^unchanged ' out)" -eq 4 ] && cmp -s twins.yaml before.yaml
point '... and leaves the file as it is then' $?
printf 'boards:\n  - {rig: "ftdi:1-4", node: {unit: BY-PORT}}\n' > port.yaml
exits 'devices --map with a board that the file names by its port' 0 devices --map port.yaml
! grep -q OTHER port.yaml
point '... adds it no second time' $?

# ---- a programmer, which is another program
USB_BUS=chips
printf '\377\000made\000\377\176\252\231\176' > small.bin
mkdir tools
programmer() { # BODY
    printf '#!/bin/sh\n%s\n' "$1" > tools/iceprog
    chmod +x tools/iceprog
}
# The command sees the programs in tools and no other.
printf '#!/bin/sh\nPATH=%s exec %s "$@"\n' "$work/tools" "$bin" > bare
chmod +x bare
whole=$bin bin=$work/bare
programmer 'echo "$@" > called'
exits 'flash' 0 flash icebreaker small.bin --rig ftdi:1-2.3
says 'what to do next' "^icebreaker written; try 'phasebench selftest --rig ftdi:"
says 'the programmer was told which chip and file' '^-d d:001/004 small\.bin$' called
exits 'flash of the bitstream with a FIFO' 0 flash icebreaker-fifo small.bin --rig ftdi:1-2.3
says 'what to do next, with the mode' '^icebreaker-fifo written; next set port B .*, then try .phasebench selftest --rig "ftdi:.*\?mode=fifo"'
exits 'flash of a bitstream with its host port on a module' 0 flash hx8k-evn-tdc small.bin --rig ftdi:1-2.3
says 'what to do next, with the module' '^hx8k-evn-tdc written; try .phasebench selftest --rig "ftdi:SERIAL\?mode=syncfifo".* FIFO module'
rm called
exits 'flash --dry-run' 0 flash icebreaker small.bin --rig ftdi:1-2.3 --dry-run
says 'prints the command' '^iceprog -d d:001/004 small\.bin$'
[ ! -e called ]
point 'and does not run it' $?
programmer 'exit 3'
refuses 'a programmer that fails' 4 'iceprog failed with exit code 3' flash icebreaker small.bin --rig ftdi:1-2.3
programmer 'kill -9 $$'
refuses 'one that is killed' 4 'iceprog was ended by signal 9; the flash may be half written' flash icebreaker small.bin --rig ftdi:1-2.3
printf '#!/nonexistent\n' > tools/iceprog
refuses 'one that does not start' 4 'cannot run iceprog: ' flash icebreaker small.bin --rig ftdi:1-2.3
mv tools/iceprog tools/openFPGALoader
exits 'the other programmer' 0 flash hx8k-evn small.bin --rig ftdi:1-2.3 --dry-run
says 'has a command of its own' '^openFPGALoader -b ice40_generic --busdev-num 1:4 -f small\.bin$'
rm tools/openFPGALoader
refuses 'none' 4 'neither iceprog nor openFPGALoader is in PATH' flash icebreaker small.bin --rig ftdi:1-2.3
bin=$whole

USB_BUS=full
exits 'devices with a hundred chips' 0 devices --json
[ "$(grep -c '"kind": "ftdi"' out)" -eq "$(sed -n 's/^#define PB_CHIPS_MAX \([0-9]*\).*/\1/p' "$root/host/usb/chips.h")" ]
point 'so many are listed as there is room for' $?

USB_BUS=none
exits 'devices without a chip' 0 devices
says 'says so' '^usb     no FTDI chip found$'
exits 'doctor without a chip' 0 doctor
says 'is content' '^ok    usb +searched; no FTDI chip'

for pair in 'dead:libusb cannot start: .+' 'blind:libusb cannot list devices: .+'; do
    USB_BUS=${pair%%:*}
    exits "devices where USB is $USB_BUS" 0 devices
    says '... says what is wrong' "^usb     not searched: ${pair#*:}"
    exits '... in JSON, too' 0 devices --json
    says '... as a member' "\"usb_problem\": \"${pair#*:}\""
    exits '... and so does doctor' 0 doctor
    says '... as a warning' "^warn  usb +${pair#*:}; only needed for boards"
done

finish
