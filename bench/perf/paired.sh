#!/bin/sh
# SPDX-FileCopyrightText: The phasebench authors
# SPDX-License-Identifier: Apache-2.0
#
# Speed of the simulated bench against that of another commit: both run in turn, so that the load of the machine affects both alike.
# Usage, from the repository root after `make all`: bench/perf/paired.sh BUILD-DIR COMMIT [ROUNDS [SUPERFRAMES]]
# covers: bench/sim
set -eu
: "${LIBS:?the libraries to link; make gives them}"
build=${1:?usage: bench/perf/paired.sh BUILD-DIR COMMIT [ROUNDS [SUPERFRAMES]]}
commit=${2:?usage: bench/perf/paired.sh BUILD-DIR COMMIT [ROUNDS [SUPERFRAMES]]}
rounds=${3:-7} superframes=${4:-40}
other=$build/paired
rm -rf "$other" && mkdir -p "$other/tree"
git archive "$commit" | tar -x -C "$other/tree"
${MAKE:-make} -s -C "$other/tree" build/libphasebench.a build/libpbsim.a
# PROGRAM TREE BUILD-DIR: this program, with the rest of that tree
compile() {
    # shellcheck disable=SC2086 # CFLAGS and LIBS are several words
    ${CC:-gcc} -std=c11 -D_POSIX_C_SOURCE=200809L -Wall -Wextra -Werror ${CFLAGS:--O2} -I "$2/host/include" -I "$2" -o "$other/$1" bench/perf/paired.c \
        "$2/bench/perf/bench.c" "$2/bench/perf/figures.c" "$3/libphasebench.a" "$3/libpbsim.a" $LIBS
}
compile then "$other/tree" "$other/tree/build"
compile now . "$build"
round=0
while [ $round -lt "$rounds" ]; do
    echo "$("$other/then" "$superframes") $("$other/now" "$superframes")"
    round=$((round + 1))
done | awk '{ print $2 / $1, $1, $2 }' | sort -n | awk -v commit="$commit" '{ ratio[NR] = $1; before[NR] = $2; now[NR] = $3 } END {
    m = int((NR + 1) / 2)
    printf "superframes a second: %.1f, at %s %.1f; ratio %.2f (median of %d, from %.2f to %.2f)\n", now[m], commit, before[m], ratio[m], NR, ratio[1], ratio[NR]
}'
