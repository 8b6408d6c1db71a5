#!/bin/sh
# SPDX-FileCopyrightText: The phasebench authors
# SPDX-License-Identifier: Apache-2.0
#
# Tests `phasebench cal`, and the use of its file by run, jitter and regress. Prints TAP.
#
#   tests/metrology/cli/cal.sh path/to/phasebench
#
# Expected values: the error that the URL gives the simulated core; the rate of the shipped outside-clock, 20 ppm.
# covers: host/metrology/cal host/run/cal.c host/cli/cmd_cal.c host/cli/cal_file* docs/use/cal.md

. "$(dirname "$0")/../../cli/common.sh"

# value KEY: the number of that member of the JSON on stdout
value() {
    sed -n "s/.*\"$1\": \\(-*[0-9][0-9.e+-]*\\),*\$/\\1/p" out | head -n 1
}

# within VALUE TARGET LIMIT
within() {
    awk -v value="$1" -v target="$2" -v limit="$3" 'BEGIN { d = value - target; exit !(value != "" && d <= limit && -d <= limit) }'
}

# ---------------------------------------------------------------- what is refused

refuses 'the clock of the host on simulated time' 2 "cal: rig 'sim:' runs on simulated time" cal
refuses '... also behind a virtual USB' 2 'runs on simulated time' cal --rig vusb:
refuses 'a recording' 2 'a recording has no clock to measure' cal --rig replay:x
refuses 'a link without a signal' 2 'no node of the simulated rig makes the signal of link 1' cal --reference pps --link 1
refuses 'a signal without a link' 2 '--link is missing' cal --reference pps
refuses 'a link of another reference' 2 '--link is of --reference pps' cal --reference clock --link 1
refuses 'a rate of the host' 2 '--hz is of a signal' cal --rig tty:/dev/null --hz 10
refuses 'an unknown reference' 2 "--reference is 'gps'" cal --reference gps
refuses 'a rate of 0' 2 "--hz is '0'" cal --reference clock --hz 0
refuses 'a core error beyond what a rig takes' 2 "clock_ppb of rig sim: is '1000001'; a whole number from -1000000 to 1000000" \
    cal --reference clock --rig 'sim:?clock_ppb=1000001'
refuses 'a core error that is no number' 2 "clock_ppb of rig sim: is '1.5'" cal --reference clock --rig 'sim:?clock_ppb=1.5'
refuses 'a file that cannot be written' 4 "cannot write 'no/such/file'" cal --reference clock --for 1s --file no/such/file
exits 'a board that is not there' 4 cal --rig ftdi:NONE --for 1s
refuses 'a scenario that is not there' 3 'none\.yaml: cannot be opened' cal --reference clock none.yaml
printf 'cube: {dims: 1}\nnodes: [{address: 1}]\ntraffic: [{from: 1, to: 0}]\n' >still.yaml
refuses 'a reference that stands still' 5 'cal: the reference made 0 edges; 8 are the least' cal --reference clock --for 1s still.yaml
printf 'cube: {dims: 1}\nlink: {phase_rate: 7 kHz}\nclock: {source: external}\nnodes: [{address: 1}]\ntraffic: [{from: 1, to: 0}]\n' >seven.yaml
refuses 'a reference of another rate' 5 'not of 10000 Hz: .* and most are 7000\.[0-9]* Hz apart; give its rate with --hz' \
    cal --reference clock --for 1s seven.yaml
exits 'a time limit' 124 cal --reference clock --for 1000s --timeout 1

# ---------------------------------------------------------------- the offset that was put in

exits 'a core that is 12.345 ppm fast' 0 cal --rig 'sim:?clock_ppb=12345' --reference clock --for 1s --file cal.json --note '23 C' --json
offset=$(value offset_ppb) u95=$(value u95_ppb)
within "$u95" 2 0.4 # 1.96 sqrt(12) 28.9 ns / (1 s sqrt(10001)) is 1.96 ppb
point '... the uncertainty is that of its jitter' $?
within "$offset" 12345 "$(awk -v u="$u95" 'BEGIN { print 2 * u }')"
point '... is found' $?
grep -q '"board": "sim"' cal.json && grep -q '"reference": "TDMA_CLK, 10000 Hz"' cal.json && grep -q '"note": "23 C"' cal.json
point '... its file' $?
# Each seed has its own jitter of the reference. Of 40, 95 % are 38; fewer than 34 come once in 200 times (binomial).
inside=0
for seed in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31 32 33 34 35 36 37 38 39 40; do
    ppb=$((seed * 7919 % 400000 - 200000))
    run cal --rig "sim:?clock_ppb=$ppb" --reference clock --for 1s --seed $seed --file many.json --json
    within "$(value offset_ppb)" $ppb "$(value u95_ppb)" && inside=$((inside + 1))
done
echo "# $inside of 40 inside U95"
[ $inside -ge 34 ]
point 'of 40 seeds at least 34 are inside U95' $?
exits 'as text' 0 cal --rig 'sim:?clock_ppb=-5000&clock=12MHz' --reference clock --for 1s --reference-ppb 30 --file slow.json
says '... the offset' '^offset +-[45][0-9]{3}\.[0-9]+ ppb, U95 3[0-9]\.[0-9]+ ppb, a fast core above 0$'
says '... the reference' '^  reference  30\.000 ppb; as given$'
exits 'a board on a virtual USB' 0 cal --rig vusb: --reference clock --for 1s --file usb.json
command='XDG_STATE_HOME=state cal'
XDG_STATE_HOME=$work/state "$bin" cal --reference clock --for 1s >out 2>err
code=$?
[ "$code" -eq 0 ] && [ "$(find state/phasebench -name 'cal-sim-*.json' | wc -l)" -eq 1 ]
point 'without --file it is in the state folder of the user' $?

# Each line of the example in docs/use/cal.md is printed by its commands, but for the date of the calibration.
sed -n '/^    \$ /,/^[^ ]/s/^    //p' "$root/docs/use/cal.md" >page
sed -n 's/^\$ phasebench //p' page >commands
mkdir example
while read -r command; do
    (cd example && eval "\"\$bin\" $command" </dev/null)
done <commands >out 2>err
code=-
sed '/^\$/d; /^…$/d; s/, [-0-9]*T[0-9:]*Z$//' page >shown
sed 's/, [-0-9]*T[0-9:]*Z$//' out >printed
grep -vxFf printed shown >err
[ "$(wc -l <commands)" -eq 2 ] && [ "$(wc -l <shown)" -ge 9 ] && [ ! -s err ]
point 'the example of the page is what its commands print' $?

# A node that pulls its link down ten times a second, with 300 ns of jitter.
if command -v "${CC:-cc}" >/dev/null; then
    cat >pps.c <<'END'
#include "phasebench/node_library.h"
static uint64_t draws = 12345;
static int64_t due_ps = 1000000000, begin_ps = 1000000000;
static int low;
static void *create(const struct pb_process_hello *hello)
{
    (void)hello;
    return &draws;
}
static uint32_t advance(void *state, int64_t now_ps, uint32_t inputs, int64_t *next_ps)
{
    (void)state, (void)inputs;
    while (now_ps >= due_ps) {
        low = !low;
        if (low) {
            due_ps += 1000000000;
        } else {
            begin_ps += 100000000000;
            draws = draws * 6364136223846793005u + 1442695040888963407u;
            due_ps = begin_ps + (int64_t)(draws >> 33) % 300000;
        }
    }
    *next_ps = due_ps;
    return PB_PROCESS_UART0_TX | (low ? 1u : 0);
}
static const struct pb_pins_node node = {"pps", create, advance, 0, PB_PROCESS_LINES};
PB_NODE_LIBRARY(&node, NULL)
END
    if "${CC:-cc}" -shared -fPIC -I"$root/host/include" -o pps.so pps.c 2>err; then
        printf 'cube: {dims: 1}\nnodes: [{address: 1, kind: "so:./pps.so"}]\ntraffic: [{from: 1, to: 0}]\n' >pps.yaml
        exits 'pulses on a link' 0 cal --rig 'sim:?clock_ppb=-40000' --reference pps --link 0 --hz 10 --for 5s --file pps.json --json pps.yaml
        within "$(value offset_ppb)" -40000 "$(awk -v u="$(value u95_ppb)" 'BEGIN { print 1.5 * u }')"
        point '... find the offset' $?
        [ "$(value samples)" -ge 50 ] && [ "$(value samples)" -le 52 ]
        point '... by one edge of each' $?
        refuses 'a link that is silent' 5 'made 0 edges' cal --reference pps --link 1 --hz 10 --for 2s pps.yaml
        refuses 'a link that the core does not have' 2 '--link is 40; the core has links 0 to 11' cal --reference pps --link 40 pps.yaml
    else
        point 'the node with pulses compiles' 1
    fi
fi

# The clock of the host against a served core behind a serial port: it runs as fast as this computer simulates it, which is
# no oscillator, or close to real time.
if command -v python3 >/dev/null; then
    cat >bridge.py <<'END'
import os, pty, select, socket, sys, tty
near, far = pty.openpty()
tty.setraw(far)
link = socket.socket(socket.AF_UNIX)
link.connect(sys.argv[1])
print(os.ttyname(far), flush=True)
while True:
    ready = select.select([near, link], [], [])[0]
    if near in ready:
        link.sendall(os.read(near, 4096))
    if link in ready:
        data = link.recv(4096)
        if not data:
            break
        os.write(near, data)
END
    "$bin" serve still.yaml --socket ./bench.sock >serve.log 2>&1 &
    server=$!
    wait_for '^serving' serve.log
    python3 bridge.py ./bench.sock >port 2>bridge.log &
    bridge=$!
    wait_for '^/dev/' port
    run cal --rig "tty:$(cat port)" --for 3s --file host.json
    if [ "$code" -eq 0 ]; then
        grep -Eq '^reference    clock of the host, (not )?disciplined' out && grep -q '^  path ' out && grep -Eq '"board": "tty-_?.*pts' host.json
    else
        [ "$code" -eq 5 ] && grep -Eq "differs from the host's clock by -?[0-9]+ ppm; 10000 ppm are the limit|no constant rate fits" err && [ ! -e host.json ]
    fi
    point 'the clock of the host, by reads of the counter' $?
    kill $bridge $server
fi

# ---------------------------------------------------------------- its use

rate() {
    sed -n 's/^rate *\([-+][0-9.]*\) ppm.*/\1/p' out
}
exits 'jitter of a core with an error' 0 jitter outside-clock --superframes 200 --rig 'sim:?clock_ppb=12345'
within "$(rate)" 7.655 0.1 # (1 + 20e-6) / (1 + 12.345e-6) - 1
point '... has the error in its rate' $?
! grep -q '^calibrated' out
point '... and says nothing of a calibration' $?
exits '... with the calibration' 0 jitter outside-clock --superframes 200 --rig 'sim:?clock_ppb=12345' --cal cal.json --out j
within "$(rate)" 20 0.1
point '... has it no more' $?
says '... and says so' '^calibrated +core \+1234[0-9]\.[0-9]+ ppb, U95 [12]\.[0-9]+ ppb, 20[0-9-]+T[0-9:]+Z$'
grep -q 'corrected by a calibration' j/jitter.html && grep -q '"calibration": "core ' j/jitter.json && grep -q '"calibration": "core ' j/result.json
point '... in every form' $?
exits 'jitter of the own clock' 0 jitter still.yaml --superframes 200 --rig 'sim:?clock_ppb=12345' --cal cal.json
within "$(rate)" 12.345 0.01
point '... has the rate that it really has' $?
mean() {
    sed -n 's/.*"id": "clock_rate".*"mean": \(-*[0-9]*\),.*/\1/p' out
}
run run outside-clock --rig 'sim:?clock_ppb=12345' --json
plain=$(mean)
exits 'the rate of a run' 0 run outside-clock --rig 'sim:?clock_ppb=12345' --cal cal.json --json
within "$(mean)" $((plain + 12345)) 5
point '... is corrected by the offset' $?
grep -q '"calibration": "core +1234' out
point '... and says so' $?
# file SED: the calibration with a change
file() {
    sed "$1" cal.json >other.json
}
file 's/"board": "sim"/"board": "FT1"/'
refuses 'a file of another board' 3 'other\.json is of board FT1, the rig is sim' run still.yaml --cal other.json
file 's/"map_hash": "0x[0-9A-F]*"/"map_hash": "0x12345678"/'
refuses 'a file of another core' 3 'other\.json is of a core with map hash 0x12345678' run still.yaml --cal other.json
file 's/"date_utc": "[0-9]*/"date_utc": "2020/'
refuses 'a stale file' 3 'other\.json is [0-9]* days old \(2020-.*, 365 are the limit; calibrate again, or give --max-age' jitter still.yaml --cal other.json
exits '... that may be so old' 0 run still.yaml --cal other.json --max-age 36500 --quiet
file 's/"date_utc": "[0-9]*/"date_utc": "2999/'
refuses 'a file from the future' 3 'other\.json is from the future' run still.yaml --cal other.json
file 's/offset_ppb/offset/'
refuses 'a damaged file' 3 'other\.json: offset_ppb is missing or wrong' run still.yaml --cal other.json
refuses 'no file' 3 'nowhere: cannot be opened' run still.yaml --cal nowhere
refuses 'a file for a suite is refused before its first run' 3 'nowhere: cannot be opened' run still.yaml still.yaml --cal nowhere
refuses '... and for a regress' 3 'nowhere: cannot be opened' regress native --cal nowhere
exits 'none at all' 0 run still.yaml --cal none --quiet
printf "boards:\n  - {rig: 'sim:'}\n" >map.yaml
refuses 'one file for a map' 2 '--cal is of one board' regress native --rig map:map.yaml --cal cal.json
finish
