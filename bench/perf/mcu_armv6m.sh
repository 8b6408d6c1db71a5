#!/bin/sh
# SPDX-FileCopyrightText: The phasebench authors
# SPDX-License-Identifier: Apache-2.0
#
# Benchmark of the emulated Armv6-M core against QEMU. Usage, from the repository root: bench/perf/mcu_armv6m.sh BUILD-DIR
# ROUNDS: of the program (60000). Appends to BUILD-DIR/perf.json, one JSON object per line.
# covers: bench/perf/mcu_armv6m* bench/emulator/cpu
set -eu
build=${1:?usage: bench/perf/mcu_armv6m.sh BUILD-DIR}
qemu=${QEMU_ARM:-qemu-system-arm}
for tool in arm-none-eabi-gcc arm-none-eabi-objcopy "$qemu"; do
    command -v "$tool" >/dev/null || { echo "perf: $tool is missing; install the packages of group mcu in packages.list" >&2; exit 4; }
done
mkdir -p "$build"
arm-none-eabi-gcc -O2 -mcpu=cortex-m0plus -mthumb -ffreestanding -nostdlib -Wall -Wextra -Werror "-DROUNDS=${ROUNDS:-60000}" \
    -T bench/perf/mcu_armv6m.ld -o "$build/mcu_armv6m.elf" bench/perf/mcu_armv6m_loop.c
arm-none-eabi-objcopy -O binary -j .text "$build/mcu_armv6m.elf" "$build/mcu_armv6m.bin"
# shellcheck disable=SC2086 # CFLAGS is several words
${CC:-gcc} -std=c11 -D_POSIX_C_SOURCE=200809L -Wall -Wextra -Werror ${CFLAGS:--O2} -fPIC -I host/include -I . -o "$build/mcu_armv6m" \
    bench/perf/mcu_armv6m.c bench/perf/figures.c bench/emulator/cpu/armv6m*.c
"$build/mcu_armv6m" "$build/perf.json" "$build/mcu_armv6m.bin" "$qemu"
