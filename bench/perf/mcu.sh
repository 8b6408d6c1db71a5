#!/bin/sh
# SPDX-FileCopyrightText: The phasebench authors
# SPDX-License-Identifier: Apache-2.0
#
# Instructions a second of the emulated CPUs beside QEMU. Usage, from the repository root: bench/perf/mcu.sh BUILD-DIR
# Adds its figures to BUILD-DIR/perf.json.
set -eu
build=${1:?usage: bench/perf/mcu.sh BUILD-DIR}
mkdir -p "$build/mcu"
riscv64-unknown-elf-gcc -O2 -march=rv32imafc -mabi=ilp32f -ffreestanding -nostdlib -Wall -Wextra -Werror \
    -Wl,-T,bench/perf/mcu_work.ld,-e,start -o "$build/mcu/work.elf" bench/perf/mcu_work.c
riscv64-unknown-elf-objcopy -O binary "$build/mcu/work.elf" "$build/mcu/work.bin"
${CC:-gcc} -std=c11 -D_POSIX_C_SOURCE=200809L -Wall -Wextra -Werror ${CFLAGS:--O2} -I host/include -I . -o "$build/mcu/mcu_rv32" \
    bench/perf/mcu_rv32.c bench/perf/figures.c bench/mcu/cpu/rv32*.c bench/mcu/cpu/float32.c
"$build/mcu/mcu_rv32" "$build/perf.json" "$build/mcu/work.bin"
