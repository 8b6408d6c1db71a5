#!/bin/sh
# SPDX-FileCopyrightText: The phasebench authors
# SPDX-License-Identifier: Apache-2.0
#
# Validation of sound and of faulted node boards: each fault must give no-go at its step, with the
# line that it is on. Prints TAP.
#
#   tests/procedure/cli/validate_faults.sh path/to/phasebench [GOLDEN]
#
# GOLDEN: how often the sound nodes are validated (1). Each fault is one defect of the contract node (docs/node.md
# names its sentence) or one fault of the wiring; step and line follow from that alone.
#
# evidence: validation of a node board
#   simulated: three sound nodes are a go, each faulted one of a list a no-go at the step that it belongs to,
#   with its link; names, bounds, margins and events by a second computation; on no board yet
#   also: validate.sh
# covers: host/production/validation host/cli/validate* host/procedure/validate* bench/nodes

. "$(dirname "$0")/../../cli/common.sh"
golden=${2:-1}

# board NAME NODE-KEYS [MORE]: address 4 of a 3-cube: in phase 2d + b it sends on dimension d when bit d is b.
board() {
    printf 'name: %s\ncube: {dims: 3}\n%s\nnodes:\n  - {address: 0x4, kind: %s}\ntraffic:\n  - {from: 0, to: 1}\n' \
        "$1" "$3" "$2" > "$1.yaml"
}

verdict() {
    "$bin" validate "$1.yaml" ${2:+--only "$2"} --json --quiet > "$1.json" 2> "$1.err"
    echo $? > "$1.exit"
}

# All steps up to that of a fault: the later ones decide nothing. =STEP: that step alone.
up_to() {
    case $1 in
    =*) echo "${1#=}" ;;
    *) "$bin" validate --list | sed "/^$1 /q" | cut -d ' ' -f 1 | paste -s -d , ;;
    esac
}

jobs=0
start() { # NAME [STEPS], two at a time
    verdict "$@" &
    jobs=$((jobs + 1))
    [ $((jobs % 2)) -eq 0 ] && wait
    return 0
}

# NAME | node keys | more of the scenario | step | link of a failed value; - for none
cat > faults <<'TABLE'
line-stuck-in-reset | contract, defect: reset_pull |  | lines | 0
line-shorted | native | wiring: [{kind: shorted, nets: [0, 2]}] | lines | 0
line-slow-rise | native | link: {simulated_rise: 600 ns} | lines | 0
node-absent | native | wiring: [{kind: missing, node: 4}] | identity | -
node-dead | contract, defect: silent |  | identity | -
wrong-address | contract, defect: wrong_address |  | identity | -
console-baud | contract, defect: console_baud |  | identity | -
ignores-reset | contract, defect: reset_uart |  | identity | -
no-clock | contract, defect: joins_late |  | clock | -
wire-open | native | wiring: [{kind: open, node: 4, dimension: 1}] | ports | 1
lines-swapped | native | wiring: [{kind: swapped, node: 4, dimension: 1, other_dimension: 2}] | ports | 1
baud-off | contract, defect: baud_off |  | ports | 0
late-start | contract, defect: late_start |  | ports | 0
early-start | contract, defect: early_start |  | ports | 0
flipped-bit | contract, defect: flipped_bit |  | ports | 0
tail-pulse | contract, defect: tail_pulse |  | ports | 0
deaf | contract, defect: deaf |  | ports | 0
late-rise | contract, defect: late_rise |  | ports | 0
drops-frames | contract, defect: drops_frame |  | ports | 1
wrong-dimension | contract, defect: wrong_dimension |  | ports | 1
rare-bit-error | contract, defect: flipped_bit, defect_every: 40 |  | ports | 0
slow-forward | contract, defect: slow_forward |  | ports | 1
keeps-mode | contract, defect: keeps_mode |  | contract | -
newest-first | contract, defect: last_first |  | contract | -
newest-first-queued | contract, defect: last_first |  | =queues | 2
drops-oldest | contract, defect: drops_oldest |  | queues | 2
stuck-queue | contract, defect: stuck_full |  | queues | 2
forgets-queue | contract, defect: forgets |  | contract | -
forgets-disturbed | contract, defect: forgets |  | =disturbed | 2
clears-but-faults | contract, defect: clears_but_faults | seed: 2 | =disturbed | -
drives-high | contract, defect: drives_frame |  | disturbed | -
misses-sync | contract, defect: counts_on |  | contract | -
misses-sync-disturbed | contract, defect: counts_on |  | =disturbed | -
takes-bad-check | contract, defect: takes_bad_crc |  | contract | -
compares-most-of-check | contract, defect: crc_but_highest |  | disturbed | -
takes-short | contract, defect: takes_short |  | contract | -
counts-no-length | contract, defect: length_uncounted |  | disturbed | -
takes-outside | contract, defect: outside_highest |  | disturbed | -
late-release | contract, defect: late_release |  | disturbed | -
TABLE

# A digit with more ports than the one before has own messages on the rest: they must suffice for the bound of bit errors, too.
printf 'name: digits\nnetwork: {family: generalised, radix: [2, 7]}\nnodes:\n  - {address: 7, kind: contract}\ntraffic:\n  - {from: 0, to: 1}\n' > digits.yaml
start digits
i=0
while [ $i -lt "$golden" ]; do
    i=$((i + 1))
    for kind in native contract; do
        board "golden-$kind-$i" "$kind" "seed: $i"
        start "golden-$kind-$i"
    done
done
while IFS='|' read -r name keys more step link; do
    name=$(echo $name)
    board "$name" "$(echo $keys)" "$(echo $more)"
    start "$name" "$(up_to $step)"
done < faults
wait

# judged NAME WANTED: "go", or "no-go STEP LINK".
judged() {
    command="validate $1.yaml" code=$(cat "$1.exit")
    cp "$1.err" err
    python3 - "$1.json" "$2" > out <<'PY'
import json, sys
v = json.load(open(sys.argv[1]))
wanted = sys.argv[2].split()
bad = [s for s in v["steps"] if s["state"] in ("fail", "error", "marginal")]
first = bad[0] if bad else {"id": None, "state": None, "values": [], "reason": ""}
links = {x["link"] for x in first["values"] if x["judgement"] == "fail"}
print("go:", v["go"], "first:", first["id"], first["state"], "links:", links, first["reason"])
good = v["go"] == wanted[0]
if wanted[0] != "go":
    good = good and first["id"] == wanted[1] and first["state"] == "fail" and \
        (wanted[2] == "-" or int(wanted[2]) in links)
sys.exit(not good)
PY
}

judged digits go && [ "$code" -eq 0 ]
point 'a sound node whose digits differ in size is a go' $?
i=0
while [ $i -lt "$golden" ]; do
    i=$((i + 1))
    for kind in native contract; do
        judged "golden-$kind-$i" go && [ "$code" -eq 0 ]
        point "a sound $kind node is a go, seed $i" $?
    done
done
while IFS='|' read -r name keys more step link; do
    name=$(echo $name)
    judged "$name" "no-go $(echo $step | tr -d =) $link" && [ "$code" -eq 1 ]
    point "$name: no-go at step$step, link$link" $?
done < faults

# Alone, a step does not rest on one that found the fault.
board alone 'contract, defect: keeps_sequence' ''
exits 'a contract step whose run has a finding' 1 validate alone.yaml --only contract --quiet --out alone
printf 'name: rare\nnodes:\n  - {address: 0x2A3, kind: contract, defect: flipped_bit, defect_after: mode}\ntraffic:\n  - {from: 0, to: 1}\n' > rare.yaml
exits 'a defect after an event that the step does not have' 0 validate rare.yaml --only paths --quiet --out rare
printf 'cube: {dims: 3}\nnodes:\n  - {address: 4, kind: contract, defect: clears_but_faults}\ntraffic:\n  - {from: 0, to: 1}\n' > counts.yaml
exits 'a Z that leaves the counters of a fault, with an even seed' 1 validate counts.yaml --only disturbed --seed 8 --quiet --out counts
finish
