#!/bin/sh
# SPDX-FileCopyrightText: The phasebench authors
# SPDX-License-Identifier: Apache-2.0
#
# Receive rate from a board through libusb and libftdi1 (usb.c), on a virtual board whose synchronous FIFO sends at its full rate.
# Usage, from the repository root after `make all`: bench/perf/usb.sh BUILD-DIR [BYTES [ROUNDS]]
# covers: bench/perf/usb.c bench/usb
set -eu
: "${LIBS:?the libraries to link; make gives them}"
build=${1:?usage: bench/perf/usb.sh BUILD-DIR}
bytes=${2:-100000000} rounds=${3:-3}
# shellcheck disable=SC2086 # CFLAGS and LIBS are several words
${CC:-gcc} -std=c11 -D_POSIX_C_SOURCE=200809L -Wall -Wextra -Werror ${CFLAGS:--O2} -I host/include -I . -o "$build/perf-usb" \
    bench/perf/usb.c "$build/libphasebench.a" "$build/libpbsim.a" $LIBS
folder=$(mktemp -d)
"$build/phasebench" serve host/scenarios/xor-one-bit.yaml --usb "$folder/bus" --usb-options 'mode=sync&device=source' > "$folder/log" 2>&1 &
server=$!
trap 'kill $server; wait $server || true; rm -rf "$folder"' EXIT
until grep -q '^serving' "$folder/log"; do
    kill -0 $server 2>/dev/null || { cat "$folder/log" >&2; exit 4; }
    sleep 0.1
done
LD_PRELOAD=$(cd "$build" && pwd)/libphasebench-vusb.so PHASEBENCH_VUSB=$folder/bus PHASEBENCH_VUSB_ONLY=1 PHASEBENCH_LOCK_DIR=$folder \
    "$build/perf-usb" "$bytes" "$rounds"
