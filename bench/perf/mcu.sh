#!/bin/sh
# SPDX-FileCopyrightText: The phasebench authors
# SPDX-License-Identifier: Apache-2.0
#
# Instructions a second of the emulated RISC-V CPU compared with QEMU, the memory of many nodes of both parts,
# and a machine of 4,096 of them. Usage, from the repository root: bench/perf/mcu.sh BUILD-DIR
# Adds its figures to BUILD-DIR/perf.json.
# covers: bench/perf/mcu_* bench/emulator/cpu host/machine/pins
set -eu
: "${LIBS:?the libraries to link; make gives them}"
build=${1:?usage: bench/perf/mcu.sh BUILD-DIR}
mkdir -p "$build/mcu"
riscv64-unknown-elf-gcc -O2 -march=rv32imafc -mabi=ilp32f -ffreestanding -nostdlib -Wall -Wextra -Werror \
    -Wl,-T,bench/perf/mcu_work.ld,-e,start -o "$build/mcu/work.elf" bench/perf/mcu_work.c
riscv64-unknown-elf-objcopy -O binary "$build/mcu/work.elf" "$build/mcu/work.bin"
${CC:-gcc} -std=c11 -D_POSIX_C_SOURCE=200809L -Wall -Wextra -Werror ${CFLAGS:--O2} -I host/include -I . -o "$build/mcu/mcu_rv32" \
    bench/perf/mcu_rv32.c bench/perf/figures.c bench/emulator/cpu/rv32*.c bench/emulator/cpu/float32.c
"$build/mcu/mcu_rv32" "$build/perf.json" "$build/mcu/work.bin"
# shellcheck disable=SC2086 # CFLAGS and LIBS are several words
${CC:-gcc} -std=c11 -D_POSIX_C_SOURCE=200809L -Wall -Wextra -Werror ${CFLAGS:--O2} -I host/include -I . -o "$build/mcu/mcu_nodes" \
    bench/perf/mcu_nodes.c bench/perf/figures.c "$build/libphasebench.a" "$build/libpbsim.a" $LIBS
# shellcheck disable=SC2086
${CC:-gcc} -std=c11 -D_POSIX_C_SOURCE=200809L -Wall -Wextra -Werror ${CFLAGS:--O2} -I host/include -I . -o "$build/mcu/mcu_machine" \
    bench/perf/mcu_machine.c bench/perf/machine.c bench/perf/figures.c "$build/libphasebench.a" "$build/libpbsim.a" $LIBS
for part in ag32 rp2040; do
    "$build/mcu/mcu_nodes" "$build/perf.json" $part "$build/$part/node.elf"
    "$build/mcu/mcu_machine" "$build/perf.json" $part "$build/$part/node.elf"
done
