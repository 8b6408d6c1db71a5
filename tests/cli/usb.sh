#!/bin/sh
# SPDX-FileCopyrightText: The phasebench authors
# SPDX-License-Identifier: Apache-2.0
#
# Tests what `phasebench devices` and `phasebench doctor` say of chips on USB. Prints TAP.
#
#   tests/cli/usb.sh path/to/phasebench-with-usb_bus.c
#
# Expected values: the bus in tests/cli/usb_bus.c.

. "$(dirname "$0")/common.sh"

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
exits 'doctor with chips' 0 doctor
says 'one that can be opened' '^ok    usb +FT2232H \(0403:6010\) FT\?1 at port 1-2\.3 can be opened$'
says 'a driver that has it' '^ok    driver +FT\?1: .*channel A'
says 'a memory that cannot be read' '^warn  eeprom +FT\?1: cannot be read'
says 'the rule for one that cannot' '^warn  usb +FT232H .*ATTR\{idVendor\}=="0403", ATTR\{idProduct\}=="6014", TAG\+="uaccess"'

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
