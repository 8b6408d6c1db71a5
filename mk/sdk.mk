# SPDX-FileCopyrightText: The phasebench authors
# SPDX-License-Identifier: Apache-2.0
#
# Programs for the RP2040 as the manufacturer's SDK makes them: boot2 in quad mode, start-up in flash, code from flash.

SDK_OUT      := $(B)/sdk
SDK_PROGRAMS := blink hello cores pio_dma gap node
SDK_ELF      := $(SDK_PROGRAMS:%=$(SDK_OUT)/%.elf)
# Addresses below a page are those of the boot ROM.
SDK_FLAGS    := -mcpu=cortex-m0plus -mthumb -g -O2 -std=c11 $(WARN) -ffunction-sections -fdata-sections -ffreestanding \
  -fno-tree-loop-distribute-patterns --param=min-pagesize=0 -I .
SDK_NODE     := $(wildcard firmware/app/*.c) firmware/port/settings.c firmware/port/rp2040/links.c firmware/port/rp2040/uart.c
.PHONY: sdk-programs
sdk-programs: $(SDK_ELF)
$(SDK_OUT)/firmware/%.o: firmware/%.c $(FIRMWARE_H) mk/sdk.mk | $(RP2040_OUT)/toolchain
	@mkdir -p $(@D)
	$(call say,CC,$<)
	$(Q)$(RP2040_CC) $(SDK_FLAGS) -finline-limit=400 -c $< -o $@
$(SDK_OUT)/node.elf: $(SDK_NODE:%.c=$(SDK_OUT)/%.o)
$(SDK_ELF): $(SDK_OUT)/%.elf: tests/emulator/mcu/sdk/%.c $(wildcard tests/emulator/mcu/sdk/sdk.*) tests/emulator/mcu/sdk/boot2.S mk/sdk.mk $(RP2040_OUT)/pack | $(RP2040_OUT)/toolchain
	@mkdir -p $(@D)
	$(call say,SDK,$@)
	$(Q)$(RP2040_CC) $(SDK_FLAGS) -nostartfiles -nostdlib -T tests/emulator/mcu/sdk/sdk.ld -Wl,--gc-sections,--no-warn-rwx-segments -o $@.linked \
	  $(filter tests/emulator/mcu/sdk/%.c tests/emulator/mcu/sdk/%.S %.o,$^) -lc -lgcc
	$(Q)$(RP2040_OUT)/pack $@.linked $(@:.elf=.bin) $(@:.elf=.uf2)
	$(Q)mv $@.linked $@

# Tests that run them.
$(B)/tests/unit/test_rp2040_sdk $(B)/cov/bin/test_rp2040_sdk: | $(SDK_ELF)
