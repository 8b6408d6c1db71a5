#!/bin/sh
# SPDX-FileCopyrightText: The phasebench authors
# SPDX-License-Identifier: Apache-2.0
#
# The verb tdc from outside: a table, its renewal, what it refuses. Prints TAP.
#
#   tests/metrology/cli/tdc.sh path/to/phasebench
#
# Expected values: the vendor's delays, in docs/use/tdc.md; 10 mV less make the chain 1.7 % slower.
# covers: host/metrology/tdc host/run/tdc.c host/cli/cmd_tdc.c

. "$(dirname "$0")/../../cli/common.sh"

exits 'a calibration' 0 tdc --hits 10000 --table bench.json
grep -q '^chain  *352 taps, tick 20833 ps' out
point '... of the chain in TDC_SHAPE' $?
# 112.2 + 174.5 / 8 and 93.5 + 155.8 / 8, of an edge that is known to 104 ps in 156 bins
awk '/^rises/ {r = $11} /^falls/ {f = $11} END {exit !(r > 131 && r < 136 && f > 111 && f < 115)}' out
point '... with the bins of the vendor' $?
exits 'the same board' 0 tdc --table bench.json --renew
grep -q '^renewed  *delays are \(1\.000\|0\.999\)' out
point '... is as it was' $?
exits 'ten millivolts less' 0 tdc --table bench.json --renew --rig 'sim:?tdc_mv=-10'
grep -q '^renewed  *delays are 1\.01[67]' out
point '... make it slower' $?

refuses 'another device' 3 'calibrate again' tdc --table bench.json --renew --rig 'sim:?tdc=max'
sed 's/"taps": 352/"taps": 351/; s/352"/351"/' bench.json > other.json
refuses 'a table of other taps' 3 'other.json' tdc --table other.json --renew
sed 's/"bitstream": "0x/"bitstream": "1x/' bench.json > other.json
refuses 'a table of another bitstream' 3 'is of bitstream 1x' tdc --table other.json --renew
sed 's/"board": "sim:"/"board": "ftdi:FT1"/' bench.json > other.json
refuses 'a table of another board' 3 'is of board ftdi:FT1' tdc --table other.json --renew
for clock_hz in 96000000 47999999; do
    sed "s/\"clock_hz\": 48000000/\"clock_hz\": $clock_hz/" bench.json > other.json
    refuses "a table of $clock_hz Hz" 3 "is of 352 taps and a clock of $clock_hz Hz; the core has 352 and 48000000 Hz" tdc --table other.json --renew
    refuses '... for jitter' 3 "a clock of $clock_hz Hz" jitter outside-clock --superframes 10 --tdc other.json
done
sed 's/"taps": 352,*/"taps": 352, "clock_hz": 96000000,/' bench.json > other.json
refuses 'a table with a key twice' 3 'other\.json: [0-9]*: a key that the table has twice; calibrate again' tdc --table other.json --renew
sed "s/\"made_s\": [0-9]*/\"made_s\": $(($(date +%s) + 90000))/" bench.json > other.json
refuses 'a table from the future' 3 'other\.json: is from the future .made_s [0-9]*.; set the clock of this computer' tdc --table other.json --renew
sed "s/\"made_s\": [0-9]*/\"made_s\": $(($(date +%s) + 80000))/" bench.json > other.json
exits 'a table of a computer whose clock is less than a day ahead' 0 tdc --table other.json --renew
says '... is 0 h old' 'which is 0 h old$'
refuses 'a chain shorter than a tick' 3 'reach the last of 352 taps' tdc --hits 10000 --rig 'sim:?clock=24MHz'
refuses 'a renewal of nothing' 2 'give --table FILE' tdc --renew
refuses 'no table' 4 'missing.json: cannot be opened' tdc --renew --table missing.json
refuses 'a file that cannot be' 4 'no-such/file: cannot be written' tdc --hits 10000 --table no-such/file
# A link to a pipe, as /dev/stdout is one, is written through, and stays.
ln -s /proc/self/fd/1 through
command='tdc --table through | cat'
"$bin" tdc --hits 10000 --table through 2> err < /dev/null | cat > out
[ -L through ] && grep -q '"bitstream"' out
point 'a table into a link to a pipe' $?
(ulimit -f 4 && exec "$bin" tdc --hits 10000 --table full.json) > out 2> err < /dev/null
code=$? command='ulimit -f 4; tdc --table full.json'
[ "$code" -eq 4 ] && grep -q '^phasebench: full\.json: cannot be written: File too large; name another file$' err && [ -z "$(ls full.json* 2> /dev/null)" ]
point 'a full disk leaves no part of a table' $?
echo old > full.json
(ulimit -f 4 && exec "$bin" tdc --hits 10000 --table full.json) > out 2> err < /dev/null
[ "$(cat full.json)" = old ]
point '... and the old one' $?
refuses 'too few hits' 2 '10000' tdc --hits 9999

# ---------------------------------------------------------------- jitter by the converter

cat > outside.yaml <<'YAML'
name: outside
cube: {dims: 3}
superframes: 100
clock: {source: external, error: 20 ppm, jitter: 7.2 ns}
nodes:
  - {address: 1}
traffic:
  - {from: 0, to: 3, repeat: forever}
YAML
exits 'jitter by the converter' 0 jitter outside.yaml --superframes 100 --tdc bench.json --out fine --record tape
says '... says so' '^converter +rises of TDMA_CLK: 600 edges, 0 without a place; single shot 5[0-9] ps'
says '... in its budget' '^ +bins of the converter +normal +0\.05[0-9] ns'
# 7.2 ns / sqrt(12) = 2.078 ns, of 600 values to 1.8 %
awk '$1 == "tie" && $2 == 600 {d = $5} END {exit !(d > 1.96 && d < 2.20)}' out
point '... has the jitter that the scenario orders' $?
grep -q '"single_shot_rms_ps"' fine/jitter.json && grep -q 'Time-to-digital converter, in place of stamps' fine/jitter.html
point '... in JSON and on the page' $?
exits 'a recording' 0 jitter --rig replay:tape --tdc bench.json
says '... gives the same' '^converter +rises of TDMA_CLK: 600 edges'
exits 'jitter of a link' 0 jitter outside.yaml --superframes 100 --tdc bench.json --tdc-link 1
says '... by its falls' '^converter +falls of link 1: 100 edges'
refuses 'a link without frames' 4 'none of the 0 edges that were stamped at its pin' \
    jitter outside.yaml --superframes 10 --tdc bench.json --tdc-link 2
refuses 'another temperature and voltage' 3 'as at another temperature or core voltage; 0.98 to 1.02' \
    jitter outside.yaml --superframes 10 --tdc bench.json --rig 'sim:?tdc=max'
refuses 'another clock of the core' 3 'is of bitstream 0x' \
    jitter outside.yaml --superframes 10 --tdc bench.json --rig 'sim:?clock=24MHz'
sed 's/- {address: 1}/- {address: 1}\n  - {address: 2}/' outside.yaml > two.yaml
refuses 'a core without taps' 4 'no time-to-digital converter .0 taps.' jitter two.yaml --tdc bench.json
refuses 'jitter without a table' 4 'missing.json: cannot be opened' jitter outside.yaml --tdc missing.json
refuses 'a link without a table' 2 'give --tdc FILE' jitter outside.yaml --tdc-link 1
refuses 'a link that no core has' 2 '62' jitter outside.yaml --tdc bench.json --tdc-link 63

finish
