# SPDX-FileCopyrightText: The phasebench authors
# SPDX-License-Identifier: Apache-2.0
#
# The firmware of real MCUs: build/PORT/node.elf and node.bin.

.PHONY: firmware firmware-ag32
FIRMWARE := $(B)/ag32/node.elf $(B)/rp2040/node.uf2 $(B)/avr/node.elf $(B)/template/node.elf
firmware: firmware-ag32 firmware-rp2040 firmware-avr firmware-template ## firmware of every MCU that has a port

FIRMWARE_SRC := $(wildcard firmware/app/*.c firmware/port/*.c)
FIRMWARE_H   := $(wildcard firmware/app/*.h firmware/port/*.h)
PROGRAM_C    := $(addprefix %/,console_program.c program.c program_cube.c program_torus.c program_reduce.c)
FIRMWARE_C   := -ffreestanding -nostdlib -std=c11 $(WARN) -O2 -g -I . -ffile-prefix-map=$(CURDIR)/=

AG32_CC   := riscv64-unknown-elf-gcc
AG32_SIZE := riscv64-unknown-elf-size
AG32_SRC  := $(wildcard firmware/port/ag32/*.c)
# Inlining shortens the handlers: without it a frame that ends late in its phase makes the next one late.
# CSR instructions are part of the base set of 2.2, and only its names match the multilib of libgcc. A loop in string.c
# must not become a call of the function that it is in.
# The flash before the fabric's image has 24 KB, and these need not be as fast.
AG32_SMALL := %/settings.c $(PROGRAM_C)
AG32_C    := -march=rv32imafc -mabi=ilp32f -misa-spec=2.2 $(FIRMWARE_C) -flto -finline-limit=400 -I firmware/port/ag32/include
firmware-ag32: $(B)/ag32/node.elf ## firmware for the AG32VF303 into build/ag32/, with its size
	@$(AG32_SIZE) -A $< | awk '/^\./ && $$1 ~ /^.(text|data|bss|settings)$$/ {s[$$1] = $$2} \
	  END {printf "ag32: %d bytes of flash (text %d, data %d), %d of SRAM besides the stack; settings %d\n", \
	  s[".text"] + s[".data"], s[".text"], s[".data"], s[".data"] + s[".bss"], s[".settings"]}'
$(B)/ag32/%.o: %.c mk/firmware.mk $(FIRMWARE_H) $(wildcard firmware/port/ag32/*.h firmware/port/ag32/include/*.h)
	@command -v $(AG32_CC) >/dev/null || { echo "phasebench: $(AG32_CC) is missing: apt-get install gcc-riscv64-unknown-elf" >&2; exit 4; }
	@mkdir -p $(@D)
	$(call say,AG32,$<)
	$(Q)$(AG32_CC) $(AG32_C) $(if $(filter $(AG32_SMALL),$<),-Os) $(if $(filter %/string.c,$<),-fno-lto -fno-tree-loop-distribute-patterns) -c $< -o $@
$(B)/ag32/node.elf: $(patsubst %.c,$(B)/ag32/%.o,$(FIRMWARE_SRC) $(AG32_SRC)) firmware/port/ag32/start.S firmware/port/ag32/ag32.ld
	$(call say,AG32,$@)
	$(Q)$(AG32_CC) $(AG32_C) -Wl,--gc-sections,--no-warn-rwx-segments -Wl,-T,firmware/port/ag32/ag32.ld -o $@ \
	  $(filter %.o %.S,$^) -lgcc
	$(Q)riscv64-unknown-elf-objcopy -O binary $@ $(@:.elf=.bin)

# Tests that run an image.
IMAGE_TESTS := $(patsubst %,$(B)/tests/unit/test_%,machine_pins program_pins run_program) \
  $(patsubst %,$(B)/cov/bin/test_%,machine_pins program_pins run_program)
$(patsubst %,$(B)/tests/unit/test_%,ag32_node mcu_state) $(patsubst %,$(B)/cov/bin/test_%,ag32_node mcu_state) $(IMAGE_TESTS): | $(B)/ag32/node.elf
$(IMAGE_TESTS): | $(B)/rp2040/node.elf

# ---- the RP2040 (Raspberry Pi Pico): image, flash file and UF2. NODE_ADDRESS=0x2A3: also node-0x2A3.uf2, for the node with this
# address.

RP2040_CC   := arm-none-eabi-gcc
RP2040_SIZE := arm-none-eabi-size
RP2040_DIR  := firmware/port/rp2040
RP2040_OUT  := $(B)/rp2040
RP2040_C    := $(wildcard firmware/app/*.c) firmware/port/settings.c $(filter-out %/start.c %/pack.c,$(wildcard $(RP2040_DIR)/*.c))
RP2040_OBJ  := $(RP2040_C:%.c=$(RP2040_OUT)/%.o) $(RP2040_OUT)/$(RP2040_DIR)/start.o $(RP2040_OUT)/$(RP2040_DIR)/boot2.o
RP2040_FLAGS := -mcpu=cortex-m0plus -mthumb -g -std=c11 $(WARN) -ffunction-sections -fdata-sections -I . -MMD -MP

.PHONY: firmware firmware-rp2040
firmware-rp2040: $(RP2040_OUT)/node.uf2 ## the node firmware for a Raspberry Pi Pico: build/rp2040/node.elf, .bin, .uf2
	@$(RP2040_SIZE) $(RP2040_OUT)/node.elf
	$(if $(NODE_ADDRESS),$(Q)$(RP2040_OUT)/pack $(RP2040_OUT)/node.elf $(RP2040_OUT)/node-$(NODE_ADDRESS).bin $(RP2040_OUT)/node-$(NODE_ADDRESS).uf2 $(NODE_ADDRESS))

$(RP2040_OUT)/toolchain:
	@command -v $(RP2040_CC) >/dev/null || { echo "phasebench: $(RP2040_CC) is missing; install it: apt-get install gcc-arm-none-eabi libnewlib-arm-none-eabi" >&2; exit 4; }
	@mkdir -p $(@D) && touch $@

# The time from the end of a frame to the start of the next one is short: LTO takes a third off it, and inlining a cycle in eight.
# Neither for the console and the settings, nor LTO for what runs before the program is copied.
RP2040_FAST := -O2 -finline-limit=400
RP2040_SMALL := %/console.c %/uart.c %/settings.c %/start.c $(PROGRAM_C)
$(RP2040_OUT)/%.o: %.c mk/firmware.mk | $(RP2040_OUT)/toolchain
	@mkdir -p $(@D)
	$(call say,CC,$<)
	$(Q)$(RP2040_CC) $(RP2040_FLAGS) $(if $(filter $(RP2040_SMALL),$<),-Os,$(RP2040_FAST)) $(if $(filter %/start.c,$<),-fno-tree-loop-distribute-patterns,-flto) -c $< -o $@
$(RP2040_OUT)/%.o: %.S mk/firmware.mk | $(RP2040_OUT)/toolchain
	@mkdir -p $(@D)
	$(call say,AS,$<)
	$(Q)$(RP2040_CC) $(RP2040_FLAGS) -c $< -o $@

$(RP2040_OUT)/pack: $(RP2040_DIR)/pack.c
	@mkdir -p $(@D)
	$(call say,CC,$<)
	$(Q)$(CC) -O1 -std=c11 $(WARN) $< -o $@

$(RP2040_OUT)/linked.elf: $(RP2040_OBJ) $(RP2040_DIR)/rp2040.ld
	$(call say,LINK,$@)
	$(Q)$(RP2040_CC) $(RP2040_FLAGS) $(RP2040_FAST) -flto -nostartfiles -nostdlib -T $(RP2040_DIR)/rp2040.ld -Wl,--gc-sections -Wl,-Map,$(@:.elf=.map) \
	  -o $@ $(RP2040_OBJ) -lc -lgcc

$(RP2040_OUT)/node.elf: $(RP2040_OUT)/linked.elf $(RP2040_OUT)/pack
	$(call say,PACK,$@)
	$(Q)cp $< $@.new && $(RP2040_OUT)/pack $@.new $(RP2040_OUT)/node.bin $(RP2040_OUT)/node.uf2 && mv $@.new $@
$(RP2040_OUT)/node.uf2: $(RP2040_OUT)/node.elf ;

# These tests run the image.
$(foreach t,rp2040_image rp2040_soc mcu_state,$(B)/tests/unit/test_$(t) $(B)/cov/bin/test_$(t)): $(RP2040_OUT)/node.elf

-include $(RP2040_OBJ:.o=.d)

# ---- the ATmega1284P at 20 MHz. The settings fill a page of flash (256 bytes) below 64 KB.

AVR_CC   := avr-gcc
AVR_OBJ  := $(patsubst %.c,$(B)/avr/%.o,$(FIRMWARE_SRC) $(wildcard firmware/port/avr/*.c))
AVR_FLAGS := -mmcu=atmega1284p -DF_CPU=20000000UL -std=c11 $(WARN) -O2 -gdwarf-2 -I . -MMD -MP
AVR_LINK := -Wl,--section-start=.settings=0xff00

.PHONY: firmware-avr firmware-template
firmware-avr: $(B)/avr/node.elf ## firmware for the ATmega1284P into build/avr/, with its size
	@avr-size -A $< | awk '$$1 ~ /^.(text|data|bss|noinit|settings)$$/ {s[$$1] = $$2} \
	  END {printf "avr: %d bytes of flash (text %d, data %d), %d of SRAM besides the stack; settings %d\n", \
	  s[".text"] + s[".data"], s[".text"], s[".data"], s[".data"] + s[".bss"] + s[".noinit"], s[".settings"]}'
$(B)/avr/%.o: %.c mk/firmware.mk
	@command -v $(AVR_CC) >/dev/null || { echo "phasebench: $(AVR_CC) is missing; install it: apt-get install gcc-avr avr-libc" >&2; exit 4; }
	@mkdir -p $(@D)
	$(call say,AVR,$<)
	$(Q)$(AVR_CC) $(AVR_FLAGS) -c $< -o $@
$(B)/avr/node.elf: $(AVR_OBJ)
	$(call say,AVR,$@)
	$(Q)$(AVR_CC) $(AVR_FLAGS) $(AVR_LINK) -o $@ $(filter %.o,$^)
	$(Q)avr-objcopy -O ihex $@ $(@:.elf=.hex)

-include $(AVR_OBJ:.o=.d)

# ---- the port to copy: an imaginary part, so it is compiled and linked only

TEMPLATE_FLAGS := -mcpu=cortex-m0 -mthumb -std=c11 $(WARN) -O2 -g -I .
firmware-template: $(B)/template/node.elf ## the port to copy, compiled and linked
$(B)/template/node.elf: $(FIRMWARE_SRC) $(wildcard firmware/port/template/*.[ch]) $(FIRMWARE_H) mk/firmware.mk | $(RP2040_OUT)/toolchain
	@mkdir -p $(@D)
	$(call say,LINK,$@)
	$(Q)$(RP2040_CC) $(TEMPLATE_FLAGS) -nostartfiles -Wl,-e,main,-Ttext=0x10000,-Tdata=0x20000000 -o $@ $(filter %.c,$^) -lc -lgcc
