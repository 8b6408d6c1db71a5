#!/bin/sh
# SPDX-FileCopyrightText: The phasebench authors
# SPDX-License-Identifier: Apache-2.0
#
# Tests nodes of kind elf: firmware images on the emulated MCUs, and `phasebench flash --node`. Prints TAP.
#
#   tests/cli/image.sh path/to/phasebench path/to/build
#
# The images are those of `make firmware`. Expected values: docs/your-firmware.md, docs/node.md.

build=$(cd "$2" && pwd)
. "$(dirname "$0")/common.sh"
cp "$build/ag32/node.elf" ag32.elf
cp "$build/rp2040/node.elf" rp2040.elf

# scenario KIND: own.yaml, with this node at address 5 of 8
scenario() {
    cat >own.yaml <<END
cube: {dims: 3}
nodes:
  - {address: 5, kind: "$1"}
traffic:
  - {from: 5, to: 2, superframe: 0}
  - {pattern: complement, superframe: 1}
  - {pattern: pairs:5, superframe: 2}
END
}

# ---------------------------------------------------------------- sound images

for part in ag32 rp2040; do
    scenario "elf:./$part.elf"
    exits "$part: the image of this repository" 0 run own.yaml --json --out "$part"
    says '... says who it is' "\"identity\": \"\\+I node=$part addr=5 dims=3"
    for figure in node_load node_stack node_interrupt node_instructions; do
        says "... has $figure" "\"id\": \"$figure/node0\""
    done
    says '... names its timing model' "\"processor\": \".*${part}_timing.def, not calibrated\""
    exits '... and as text' 0 run own.yaml
    says '... its processor' '^processor +node 0: awake [0-9.]+ %, stack [0-9]+ bytes, longest handler [0-9.]+ us,'
    exits '... the same again' 0 run own.yaml --json
    [ "$(numbers mean <out)" = "$(numbers mean <"$part/result.json")" ]
    point '... is the same' $?
    exits "$part: regress" 0 regress "./$part.elf" --dims 3 --only own-messages,forwarding,sync-extra,codec-starc --out rg
    says '... all pass' '^4 scenarios: 4 pass'
done
scenario 'elf:./rp2040.elf'
sed 's/^nodes:/link: {baud: 2 Mbaud, phase_rate: 20 kHz}\n&/' own.yaml >fast.yaml
refuses 'settings that the firmware refuses' 3 "refuses its settings: baud, 300 to 1000000" run fast.yaml
exits '... skip the case in regress' 0 regress ./rp2040.elf --dims 3 --only link-fast,forwarding --out rg
says '... with its words' '1 skipped$'
cat >pair.yaml <<END
cube: {dims: 1}
nodes:
  - {address: 0, kind: "elf:./ag32.elf"}
  - {address: 1, kind: "elf:./rp2040.elf"}
traffic:
  - {from: 0, to: 1, superframe: 0}
  - {from: 1, to: 0, superframe: 4}
END
exits 'two parts on one wire' 0 run pair.yaml

# ---------------------------------------------------------------- no images

scenario 'elf:./nothing.elf'
refuses 'no file' 3 "nodes\[0\]: kind: .*nothing.elf: No such file" run own.yaml
head -c 3000 ag32.elf >cut.elf
scenario 'elf:./cut.elf'
refuses 'a file that is cut off' 3 'cut.elf is no firmware image: .*cut off' run own.yaml
cp "$bin" pc.elf
scenario 'elf:./pc.elf'
refuses 'a program for this computer' 3 'pc.elf is no firmware image: it is not for a 32-bit' run own.yaml

# ---------------------------------------------------------------- flashing

sed 's/"elf:.*"/"elf:.\/ag32.elf"/' own.yaml >flash.yaml
exits 'firmware into a node' 0 flash --node ag32.elf flash.yaml --rig 'sim:?clock=12MHz' --quiet
says '... which then says who it is' '^node port 0: written, verified, started: \+I node=ag32 addr=5 dims=3'
refuses 'another part' 3 'another machine .*takes its UF2 file over USB' flash --node rp2040.elf flash.yaml --rig sim:
refuses 'no image' 3 'own.yaml is no firmware image' flash --node own.yaml flash.yaml --rig sim:
refuses 'no such image' 4 'No such file' flash --node ./none flash.yaml --rig sim:
refuses 'no such port' 2 "'1' is no node port of the scenario; give 0 to 0" flash --node ag32.elf flash.yaml --rig sim: --port 1
refuses 'a port without an image' 2 '--port chooses a node' flash icebreaker --port 1
sed 's/"elf:.*"/native/' own.yaml >native.yaml
refuses 'a node without a boot loader' 1 'node port 0: no boot loader answered' flash --node ag32.elf native.yaml --rig sim: --quiet

finish
