#!/bin/sh
# SPDX-FileCopyrightText: The phasebench authors
# SPDX-License-Identifier: Apache-2.0
#
# Memory that runs out in the command: the first allocation fails, then the second, and so on until none does. Each time it must
# end with exit code 4 and one line, unless it can do without. Prints TAP. Usage: memory.sh PROGRAM-WITH-fail_alloc.c
# FAIL_FAST=1 ends it at its first failure.
# covers: host/base host/cli host/machine host/run host/report tests/cli/fail_alloc.c
bin=$(cd "$(dirname "$1")" && pwd)/$(basename "$1")
[ -x "$bin" ] || { echo "Bail out! no program $1"; exit 4; }
work=$(mktemp -d) || exit 4
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM
cd "$work" || exit 4
count=0

# timeless FILE: without what differs from one run of the same to the next.
timeless() {
    sed '/"wall_ns"/d; /"started_utc"/d; s/time="[0-9.]*"//; s/ [0-9]*\.[0-9]* s / /; s/[0-9.]* s of wall time//' "$1"
}

# sweep ARGUMENTS...: from allocation $first on, each $step-th.
first=1 step=1 lines=1
sweep() {
    count=$((count + 1))
    n=$first
    "$bin" "$@" > out
    wanted_code=$?
    timeless out > wanted
    while :; do
        FAIL_ALLOC=$n "$bin" "$@" > out 2> err < /dev/null
        code=$?
        grep -q '^none failed$' err && [ $code -eq $wanted_code ] && break
        if [ $code -eq $wanted_code ] && [ ! -s err ] && timeless out | cmp -s - wanted; then
            n=$((n + step)) # it found another way
            continue
        fi
        if [ $code -eq 4 ] && [ ! -s err ] && grep -q '"detail": ".*memory' out; then
            n=$((n + step)) # a step of the self-test reports so
            continue
        fi
        if [ $code -ne 4 ] || [ "$(wc -l < err)" -lt 1 ] || [ "$(wc -l < err)" -gt $lines ] || ! grep -q '^phasebench: .*memory' err; then
            echo "not ok $count - $*"
            echo "#   allocation $n: exit code $code"
            sed 's/^/#   /' err | head -n 12
            [ -z "$FAIL_FAST" ] || exit 1
            return
        fi
        n=$((n + step))
    done
    allocations=$((n - step))
    echo "ok $count - $*: $allocations allocations"
}

printf '0 3\n1 2\n' > list
sweep route 0 7 --dims 3 --json
sweep schedule --dims 2 --node 1 --json
sweep bound --traffic complement --dims 2 --json
sweep bound --traffic file:list --dims 2
sweep machine --program fft --dims 2 --json
sweep machine --traffic complement --dims 2 --batch 1 --engine all --json
sweep machine --program life --dims 4 --argument 2 --gif life.gif
sweep machine --traffic uniform --dims 2 --load 0.5 --superframes 3 --jobs 1 --dead 3,0.0
# Each of several threads may be the one that has none.
sweep machine --traffic uniform --network generalised:3,2 --window 2 --superframes 4 --threads 3 --room 3
# Each run has no checkpoint before it; then each goes on from the last one.
program=$bin bin=./without
printf '#!/bin/sh\nrm -f kept\nexec "%s" "$@"\n' "$program" > without && chmod +x without
sweep machine --traffic uniform --dims 2 --load 0.5:1:0.5 --superframes 12 --jobs 1 --checkpoint kept --checkpoint-every 4
bin=$program
sweep machine --traffic uniform --dims 2 --load 0.5:1:0.5 --superframes 12 --jobs 1 --checkpoint kept --resume
sweep budget --phase-hz 10000 --baud 1000000 --json
sweep devices --json
step=7
sweep fault --list --json
step=1

# Replays run the code of a run, except the rig, in a hundredth of the time.
cat > tiny.yaml << 'END'
cube: {dims: 1}
nodes: [{address: 1}]
traffic: [{from: 1, to: 0}]
END
sed 's/address: 1/&, defect: flipped_bit/' tiny.yaml > broken.yaml
"$bin" run tiny.yaml --record tiny.rec --json > tiny.json || echo 'Bail out! no recording'
"$bin" run broken.yaml --record broken.rec --json > broken.json
[ $? -eq 1 ] || echo 'Bail out! no recording of a failure'
"$bin" run tiny.yaml --rig 'vusb:?mode=fifo' --record-usb tiny.pcapng > out || echo 'Bail out! no capture'
"$bin" selftest --record self.rec > out || echo 'Bail out! no recording of a self-test'
step=3
sweep run --rig replay:tiny.rec --tap --record again.rec --force --junit out.xml
step=17
sweep run --rig replay:tiny.rec --quiet
sweep run --rig replay:broken.rec --tap # no files: its waveform, and an error of it, is no part of the verdict
sweep run --rig replay:broken.rec --json
sweep run --rig replay:tiny.pcapng --quiet
sweep run --list tiny.yaml --json
sweep run --check tiny.yaml --json
step=19 # a run of the simulated rig each, in a process that fails at the same allocation
lines=2 # the allocation of each process fails
mkdir one && cp broken.yaml one
sweep run one --tap
lines=1
step=3
sweep selftest --rig replay:self.rec --json
sweep monitor tiny.rec --speed 0
sweep monitor tiny.rec --speed 0 --json
step=1
sweep report tiny.json --html out.html --junit out.xml
step=17
sweep report merge tiny.json broken.json --out merged --junit merged.xml
step=1
sweep report broken.json --text
sweep report broken.json --tap
step=3
sweep compare tiny.json broken.json
sweep compare tiny.json broken.json --json
step=11 # a run of the simulated rig each
sweep fault glitch tiny.yaml --superframe 0
first=$allocations step=50 # the run is the same, and then each member of the document asks for more
sweep fault glitch tiny.yaml --superframe 0 --json
echo "1..$count"
