#!/bin/sh
# SPDX-FileCopyrightText: The phasebench authors
# SPDX-License-Identifier: Apache-2.0
#
# Benchmarks of the simulated bench. Usage, from the repository root after `make all`: bench/perf/run.sh BUILD-DIR
# Prints a table and writes BUILD-DIR/perf.json, one JSON object per line. SUPERFRAMES: of the long run (30000). Fails only if the bench itself fails.
# covers: bench/perf
set -eu
: "${LIBS:?the libraries to link; make gives them}"
build=${1:?usage: bench/perf/run.sh BUILD-DIR}
for library in libphasebench.a libpbsim.a; do
    [ -f "$build/$library" ] || { echo "perf: $build/$library is not there; run make all first" >&2; exit 4; }
done
# PROGRAM SOURCE...
compile() {
    program=$build/$1
    shift
    # shellcheck disable=SC2086 # CFLAGS and LIBS are several words
    ${CC:-gcc} -std=c11 -D_POSIX_C_SOURCE=200809L -Wall -Wextra -Werror ${CFLAGS:--O2} -I host/include -I . -o "$program" \
        "$@" "$build/libphasebench.a" "$build/libpbsim.a" $LIBS
}
compile perf bench/perf/perf.c bench/perf/figures.c bench/perf/core.c bench/perf/bench.c bench/perf/movement.c bench/perf/machine.c
${CC:-gcc} -shared -fPIC -O2 -I host/include -o "$build/my_firmware.so" docs/examples/my_firmware.c
PHASEBENCH=$PWD/$build/phasebench "$build/perf" "$build/perf.json" "$build/perf.fst" "so:$PWD/$build/tests/pins_node.so" \
    "so:$PWD/$build/my_firmware.so" "exec:$PWD/$build/tests/native_node" "exec:$PWD/$build/tests/native_node simple" \
    "exec:python3 $PWD/docs/examples/my_node.py"
compile check_rate bench/perf/check_rate.c bench/perf/figures.c tests/bench/unit/sound_stream.c tests/bench/unit/pin_events.c
"$build/check_rate" "$build/perf.json" 100000000
compile long_run bench/perf/long_run.c bench/perf/figures.c tests/bench/unit/stub_core.c tests/bench/unit/pin_events.c
"$build/long_run" "$build/perf.json" "${SUPERFRAMES:-30000}"
"$build/long_run" "$build/perf.json" 1000 lie

# regress ID WHAT TARGET: wall time of all cases, one for each processor at a time.
regress() {
    begun=$(date +%s%N)
    "$build/phasebench" regress "$3" --quiet --out "$build/perf-regress" >"$build/perf-regress.out" || { cat "$build/perf-regress.out" >&2; exit 4; }
    awk -v id="regress.$1" -v what="$2" -v ns="$(($(date +%s%N) - begun))" -v json="$build/perf.json" 'BEGIN {
        printf "  %-58s %10.1f s\n", what, ns / 1e9
        printf "{\"id\": \"%s\", \"value\": %.6g, \"unit\": \"s\"}\n", id, ns / 1e9 >> json
    }'
}
printf '\nAll cases of regress, wall time (at most 60 s on two processors is wanted)\n'
regress native 'native' native
regress process 'the native node in a process' "$build/tests/native_node"
regress library 'the template my_firmware.c as a shared library' "$build/my_firmware.so"
regress python 'the template my_node.py' 'exec:python3 docs/examples/my_node.py'
