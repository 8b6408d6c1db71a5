#!/bin/sh
# SPDX-FileCopyrightText: The phasebench authors
# SPDX-License-Identifier: Apache-2.0
#
# The verb tdc from outside: a table, its renewal, what it refuses. Prints TAP.
#
#   tests/cli/tdc.sh path/to/phasebench
#
# Expected values: the vendor's delays, in docs/tdc.md; 10 mV less make the chain 1.7 % slower.

. "$(dirname "$0")/common.sh"

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
refuses 'a chain shorter than a tick' 3 'reach the last of 352 taps' tdc --hits 10000 --rig 'sim:?clock=24MHz'
refuses 'a renewal of nothing' 2 'give --table FILE' tdc --renew
refuses 'no table' 4 'missing.json: cannot be opened' tdc --renew --table missing.json
refuses 'a file that cannot be' 4 'no-such/file: cannot be written' tdc --hits 10000 --table no-such/file
refuses 'too few hits' 2 '10000' tdc --hits 9999

finish
