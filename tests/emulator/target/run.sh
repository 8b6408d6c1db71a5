#!/bin/sh
# SPDX-FileCopyrightText: The phasebench authors
# SPDX-License-Identifier: Apache-2.0
#
# The unit tests of the portable firmware on four machines: this computer, RV32 and Armv6-M in QEMU, AVR on libsimavr. Each must pass, and
# print the same text, values included. Prints TAP. Usage, from the top of the tree: run.sh FOLDER, with native, rv32.elf, armv6m.elf, avr.elf and avr_run
#
# evidence: portable firmware by instruction set
#   the same unit tests with the same values natively, on RV32 and Armv6-M in QEMU, on AVR
#   also: make target-check
# covers: firmware/app tests/emulator/target
folder=${1:?usage: run.sh FOLDER}
. tests/tap.sh
said() { grep -v '^ok' "$1"; } # FILE of the point

machine() { # NAME COMMAND...
    name=$1
    shift
    timeout 60 "$@" >"$folder/$name.tap" 2>"$folder/$name.err" </dev/null && [ "$(grep -c '^ok ' "$folder/$name.tap")" -eq 10 ] &&
        [ "$(grep -vc '^ok ' "$folder/$name.tap")" -eq 1 ]
    point "$name: all tests pass" $? "$folder/$name.tap"
    [ "$name" = native ] && return
    diff "$folder/native.tap" "$folder/$name.tap" >"$folder/$name.diff"
    point "$name: the same values as native" $? "$folder/$name.diff"
}

machine native "$folder/native"
machine rv32 qemu-system-riscv32 -M virt -bios none -display none -monitor none -serial stdio -kernel "$folder/rv32.elf"
machine armv6m qemu-system-arm -M microbit -display none -monitor none -serial none -chardev stdio,id=out \
    -semihosting-config enable=on,target=native,chardev=out -kernel "$folder/armv6m.elf"
machine avr "$folder/avr_run" "$folder/avr.elf"
finish
