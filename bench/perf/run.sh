#!/bin/sh
# SPDX-FileCopyrightText: The phasebench authors
# SPDX-License-Identifier: Apache-2.0
#
# Benchmarks of the simulated bench. Usage, from the repository root after `make all`: bench/perf/run.sh BUILD-DIR
# Prints a table and writes BUILD-DIR/perf.json, one JSON object a line. Fails only when the bench itself fails.
set -eu
: "${LIBS:?the libraries to link; make gives them}"
build=${1:?usage: bench/perf/run.sh BUILD-DIR}
for library in libphasebench.a libpbsim.a; do
    [ -f "$build/$library" ] || { echo "perf: $build/$library is not there; run make all first" >&2; exit 4; }
done
# shellcheck disable=SC2086 # CFLAGS and LIBS are several words
${CC:-gcc} -std=c11 -D_POSIX_C_SOURCE=200809L -Wall -Wextra -Werror ${CFLAGS:--O2} -I host/include -I . -o "$build/perf" \
    bench/perf/perf.c bench/perf/core.c bench/perf/bench.c bench/perf/movement.c "$build/libphasebench.a" "$build/libpbsim.a" $LIBS
"$build/perf" "$build/perf.json" "$build/perf.fst"
