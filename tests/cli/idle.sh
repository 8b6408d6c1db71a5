#!/bin/sh
# SPDX-FileCopyrightText: The phasebench authors
# SPDX-License-Identifier: Apache-2.0
#
# Every shipped scenario with and without the clocks in which nothing can happen: each byte between host and core at the same
# simulated time, the same exit code and the same result. Prints TAP.
#
#   tests/cli/idle.sh path/to/phasebench
# covers: bench/sim rtl/core/pb_sim_skip.vh rtl/core/pb_clocks.vh host/scenarios

. "$(dirname "$0")/common.sh"

# both NAME SCENARIO [OPTION OF THE RIG]...
both() {
    name=$1 file=$2 options=${3:+&$3}
    for idle in run skip; do
        run run "$file" --rig "sim:?idle=$idle$options" --record a.rec --force --json
        cp out "$idle.json"
        perl "$root/tests/cli/stream.pl" NOTES <a.rec >"$idle.notes"
        echo "$code" >>"$idle.notes"
    done
    command="cmp run.notes skip.notes" code=-
    cmp run.notes skip.notes >out 2>err && [ "$(wc -c <run.notes)" -gt 10000 ]
    point "$name: the same bytes at the same time" $?
    same "$name: the same result" run.json skip.json
}

for file in "$scenarios"/*.yaml "$scenarios"/broken/*.yaml "$scenarios"/faults/*.yaml; do
    name=${file#"$scenarios"/}
    case $name in
    complement.yaml | cube4-ref.yaml | outside-clock.yaml | push-pull.yaml | ref.yaml) both "${name%.yaml}" "$file" ;;
    *) both "${name%.yaml} at 12 MHz" "$file" 'clock=12MHz' ;; # a quarter of the clocks
    esac
done
both 'ref by a UART' "$scenarios/ref.yaml" 'port=uart'
both 'ref by a noisy link' "$scenarios/ref.yaml" 'noise_out=1e-3'
both 'ref at 12 MHz' "$scenarios/ref.yaml" 'clock=12MHz'
for name in external-jitter rate-of-an-outside-clock-that-jitters late-rise-of-a-fast-clock console-baud; do
    both "$name" "$root/tests/verdicts/kept/$name.yaml"
done

refuses 'a way to idle that there is not' 2 "idle of rig sim: is 'walk'; skip and run are possible" run demo --rig 'sim:?idle=walk'
finish
