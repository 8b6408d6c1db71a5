#!/bin/sh
# SPDX-FileCopyrightText: The phasebench authors
# SPDX-License-Identifier: Apache-2.0
#
# The firmware for the ATmega1284P, whose processor is libsimavr's, through the bench. Prints TAP. FAIL_FAST=1 ends at the first failure.
# Usage, from the top of the tree: avr.sh path/to/phasebench BUILD-DIR
#
# evidence: firmware/port/avr (ATmega1284P, bit-banged at up to 40 kbaud)
#   run on libsimavr, an emulator of another project: every case of `regress` that it does not refuse; on no
#   chip yet
#   also: make avr-check
# covers: firmware/app firmware/port/avr bench/emulator/simavr
set -u
. tests/tap.sh
said() { tail -n 12 log; }
bin=$(cd "$(dirname "$1")" && pwd)/$(basename "$1")
build=$(cd "$2" && pwd)
work=$(mktemp -d) || exit 4
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM
cd "$work" || exit 4
link='baud: 40 kbaud, phase_rate: 400 Hz, guard: 250 us, console_baud: 38400 baud'
# Short names: a message of the bench has room for the last 160 bytes that a process wrote.
ln -s "$build/simavr-node" . && ln -s "$build/avr/node.elf" avr.elf && ln -s "$build/rp2040/node.elf" rp2040.elf || exit 4
node='exec:./simavr-node avr.elf'

regress() { # LINK OPTIONS
    keys=$1
    shift
    "$bin" regress "$node" --out out --link "$keys" "$@" >log 2>&1
}

refused() { # WORDS LINK
    ! regress "$2" --dims 4 --only full-load && tr '\n' ' ' <log | grep -q "$1"
    point "refused: $1" $?
}

# The block of settings that the image brings, by Python's CRC.
avr-objcopy -O binary -j .settings avr.elf block >log 2>&1 &&
    python3 -c 'import binascii; b = open("block", "rb").read(); assert len(b) == 40 and binascii.crc_hqx(b[:38], 0xFFFF) == b[38] | b[39] << 8' >>log 2>&1
point 'the settings of the image are valid' $?

refused 'refuses its settings: baud, 1000 to 40000' 'baud: 41 kbaud, phase_rate: 400 Hz, guard: 250 us, console_baud: 38400 baud'
refused 'refuses its settings: console_baud' 'baud: 40 kbaud, phase_rate: 400 Hz, guard: 250 us'
refused 'refuses its settings: head_guard, 120 us to 1500 us' 'baud: 40 kbaud, phase_rate: 400 Hz, guard: 200 us, console_baud: 38400 baud'
refused 'the ports of the part drive open drain only' "$link, drive: push_pull"
node='exec:./simavr-node rp2040.elf' refused 'it is no program for an AVR' "$link"
node='exec:./simavr-node none' refused 'none: No such file' "$link"

# The remedy of the message is a command that works.
"$bin" regress ./avr.elf >log 2>&1
[ $? -eq 3 ] && grep -q "make build/simavr-node.*give 'exec:build/simavr-node ./avr.elf' --link '$link'" log
point 'the file alone: an error that names the command' $?

regress "$link" --dims 12 --only full-load,permutation,rule-other
point '12 dimensions' $?
regress "codec: starc, payload: 6 bytes, baud: 40 kbaud, phase_rate: 280 Hz, guard: 250 us, console_baud: 38400 baud" --dims 4 \
    --only 'full-load,frame-wrong-bytes,frame-short,own-messages'
point 'the StarC codec' $?
cat >generalised.yaml <<END
network: {family: generalised, radix: [4, 4, 3]}
link: {$link}
nodes:
  - {address: 22, kind: "$node"}
traffic:
  - {from: 22, to: 41, superframe: 0}
  - {from: 5, to: 22, superframe: 0}
  - {pattern: perm:1, superframe: 2}
  - {pattern: uniform:2, superframe: 8}
END
"$bin" run generalised.yaml --out generalised >log 2>&1
point 'a network of radix 4, 4, 3' $?

regress "$link" --dims 4 --overflow --seed "${SEED:-1}"
[ $? -eq 0 ] && grep -q '^50 scenarios: 45 pass, 0 marginal, 0 fail, 0 inconclusive, 0 not judged, 5 skipped' log &&
    [ "$(awk '$2 == "skipped" { printf "%s ", $1 }' log)" = 'codec-starc frame-wrong-length link-slow link-fast drive-push-pull ' ]
point 'every case of regress that the part can do' $?
finish
