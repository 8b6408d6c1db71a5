#!/bin/sh
# SPDX-FileCopyrightText: The phasebench authors
# SPDX-License-Identifier: Apache-2.0
#
# Tests nodes of kind elf: firmware images on the emulated MCUs, and `phasebench flash --node`. Prints TAP.
#
#   tests/emulator/cli/image.sh path/to/phasebench path/to/build
#
# The images are those of `make firmware`. Expected values: docs/start/your-firmware.md, docs/node.md.
#
# evidence: firmware images on emulated MCUs (AG32VF303, RP2040)
#   simulated: both images pass every case of regress that they support, broken images fail with the right
#   finding; the cycle tables are not calibrated on silicon
#   also: make mcu-check, test_ag32_node, test_rp2040_image
# covers: bench/emulator firmware host/flash host/cli/cmd_flash.c host/cli/main.c

build=$(cd "$2" && pwd)
. "$(dirname "$0")/../../cli/common.sh"
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

# ---------------------------------------------------------------- images for other cores

# core NAME: other.elf, a loop at the place of a program for this core, by the compiler of the firmware
core() {
    echo 'void _start(void) { for (;;) __asm__ volatile("nop"); }' >loop.c
    arm-none-eabi-gcc -mcpu="$1" -mthumb -nostdlib -Wl,-Ttext=0x10000100 -o other.elf loop.c
}
scenario 'elf:./other.elf'
for pair in cortex-m3:ARMv7 cortex-m4:ARMv7E-M cortex-m23:ARMv8-M.baseline cortex-m33:ARMv8-M.mainline; do
    core "${pair%%:*}"
    refuses "an image for ${pair%%:*}" 3 "other.elf is built for ${pair#*:}, and RP2040 cannot run that; build it" run own.yaml
done
core cortex-m0plus
exits 'one for the core of the part, without a boot loader, is run' 1 run own.yaml

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

# ---------------------------------------------------------------- programs as the manufacturer's SDK makes them

cp "$build"/sdk/*.elf .
scenario 'elf:./node.elf'
sed 's/^nodes:/link: {guard: 20 us}\n&/' own.yaml >sdk.yaml
exits 'a node that waits in sleep_us, from flash' 0 run sdk.yaml --json --out sdk
says '... says who it is' '"identity": "\+I node=sdk addr=5 dims=3'
sed 's/node.elf"/node.elf", flash_miss: 48/' sdk.yaml >miss.yaml
exits '... the cost of a miss, as the SSI is set up for' 0 run miss.yaml --json
[ "$(numbers mean <out)" = "$(numbers mean <sdk/result.json)" ]
point '... is the same' $?
scenario 'elf:./blink.elf'
exits 'a program that is no node' 1 run own.yaml --json
says '... does not answer' '"id": "console_error"'
! grep -q '"id": "n[a-z]*_trapped"\|"id": "not_modelled"' out
point '... and its model lacks nothing' $?
scenario 'elf:./gap.elf'
exits 'a device that the model lacks' 5 run own.yaml --json
says '... is named' '"id": "not_modelled",.*docs/reference/rp2040.md.*main.*gap.c:13.*ADC, address 0x4004c000'
says '... and inconclusive' '"verdict": "inconclusive"'
exits '... recorded' 5 run own.yaml --record gap.rec --json
cp out recorded
exits '... and replayed' 5 run --rig replay:gap.rec --json
grep '"not_modelled"' recorded >wanted && grep '"not_modelled"' out | cmp -s - wanted
point '... with the same finding' $?
exits '... in regress' 5 regress ./gap.elf --dims 3 --only forwarding --out rg
exits '... and in validate' 5 validate --node ./gap.elf own.yaml --only bench,lines,identity --out v
says '... is incomplete' '^INCOMPLETE'
sed '/^traffic:/i\  - {address: 4, kind: native}' own.yaml >two.yaml
exits '... and in adjacency' 5 adjacency two.yaml
says '... is no fault of the wiring' '^INCONCLUSIVE the model of node 0x5'

# ---------------------------------------------------------------- no images

scenario 'elf:./nothing.elf'
refuses 'no file' 3 "nodes\[0\]: kind: .*nothing.elf: No such file" run own.yaml
head -c 3000 ag32.elf >cut.elf
scenario 'elf:./cut.elf'
refuses 'a file that is cut off' 3 'cut.elf is no firmware image: .*cut off' run own.yaml
cp "$bin" pc.elf
scenario 'elf:./pc.elf'
refuses 'a program for this computer' 3 'pc.elf is no firmware image: it is not for a 32-bit' run own.yaml

# ---------------------------------------------------------------- other formats, and images without symbols

cp "$build/rp2040/node.uf2" "$build/rp2040/node.bin" .
scenario 'elf:./node.uf2'
exits 'a UF2 file' 0 run own.yaml
exits '... with the settings of the scenario' 0 run own.yaml --json --out uf2
says '... says who it is' '"identity": "\+I node=rp2040 addr=5 dims=3'
scenario 'elf:./rp2040.elf'
exits '... and its ELF file' 0 run own.yaml --json --out elf
[ "$(numbers mean <uf2/result.json)" = "$(numbers mean <elf/result.json)" ]
point '... give the same numbers' $?
cp node.uf2 renamed.elf
exits 'a UF2 file by its content, in regress' 0 regress ./renamed.elf --dims 3 --only own-messages --out rg
says '... passes' '^1 scenario: 1 pass'
head -c 10240 node.uf2 >cut.uf2
scenario 'elf:./cut.uf2'
refuses 'half a UF2 file' 3 'cut.uf2 is no usable UF2 file: it has 20 of its [0-9]+ blocks: its end is missing' run own.yaml
arm-none-eabi-objcopy -O ihex rp2040.elf node.hex
scenario 'elf:./node.hex'
refuses 'Intel HEX' 3 'node.hex is no firmware image: it is an Intel HEX file; give the ELF file' run own.yaml
scenario 'elf:./node.bin'
refuses 'raw bytes' 3 'node.bin is no firmware image: it is raw bytes \(BIN\), without addresses; give' run own.yaml
arm-none-eabi-strip -o rp2040-stripped.elf rp2040.elf
riscv64-unknown-elf-strip -o ag32-stripped.elf ag32.elf
arm-none-eabi-objcopy --strip-symbol=node_settings rp2040.elf rp2040-unnamed.elf
riscv64-unknown-elf-objcopy --strip-symbol=node_settings ag32.elf ag32-unnamed.elf
for part in ag32 rp2040; do
    scenario "elf:./$part-stripped.elf"
    refuses "$part: stripped" 3 "$part-stripped.elf has no symbol table, so the bench cannot find node_settings" run own.yaml
    refuses '... in regress' 3 "has no symbol table" regress "./$part-stripped.elf" --dims 3 --out rg
done
scenario 'elf:./rp2040-unnamed.elf'
refuses 'rp2040: without its symbol' 3 'rp2040-unnamed.elf has a settings block, but not its symbol' run own.yaml
scenario 'elf:./ag32-unnamed.elf' # whose block is erased
refuses 'ag32: without its symbol' 3 'refuses its settings: it has its own, as the image has no node_settings' run own.yaml

# ---------------------------------------------------------------- flashing

sed 's/"elf:.*"/"elf:.\/ag32.elf"/' own.yaml >flash.yaml
exits 'firmware into a node' 0 flash --node ag32.elf flash.yaml --rig 'sim:?clock=12MHz' --quiet
says '... which then says who it is' '^node port 0: written, verified, started: \+I node=ag32 addr=5 dims=3'
refuses 'another part' 3 'another machine .*takes its UF2 file over USB' flash --node rp2040.elf flash.yaml --rig sim:
refuses 'a UF2 file' 3 'node.uf2 is a UF2 file for an RP2040: copy it to its drive' flash --node node.uf2 flash.yaml --rig sim:
refuses 'a stripped image' 3 'ag32-stripped.elf has no symbol table' flash --node ag32-stripped.elf flash.yaml --rig sim:
refuses 'no image' 3 'own.yaml is no firmware image' flash --node own.yaml flash.yaml --rig sim:
refuses 'no such image' 4 'No such file' flash --node ./none flash.yaml --rig sim:
refuses 'no such port' 2 "'1' is no node port of the scenario; give 0 to 0" flash --node ag32.elf flash.yaml --rig sim: --port 1
refuses 'a port without an image' 2 '--port chooses a node' flash icebreaker --port 1
sed 's/"elf:.*"/native/' own.yaml >native.yaml
refuses 'a node without a boot loader' 1 'node port 0: no boot loader answered' flash --node ag32.elf native.yaml --rig sim: --quiet

finish
