# SPDX-FileCopyrightText: The phasebench authors
# SPDX-License-Identifier: Apache-2.0
#
# The emulated MCUs: their CPUs against QEMU, and sound and broken images through the bench.

QEMU_ARM    ?= qemu-system-arm
PROGRAMS    ?= 30
SEED        ?= 1
RV32_WITNESS := $(B)/mcu/rv32_lockstep
ARM_WITNESS  := $(B)/mcu/armv6m_qemu
$(RV32_WITNESS): $(call objects,rel,$(wildcard tests/emulator/mcu/rv32_*.c bench/emulator/cpu/rv32*.c) bench/emulator/cpu/float32.c host/base/random.c)
$(ARM_WITNESS): $(call objects,rel,tests/emulator/mcu/armv6m_qemu.c $(wildcard bench/emulator/cpu/armv6m*.c) host/base/random.c)
$(RV32_WITNESS) $(ARM_WITNESS):
	@mkdir -p $(@D)
	$(call say,LINK,$@)
	$(Q)$(LINK_rel) -o $@ $^

# The ATmega1284P on libsimavr: programs of their own, which are under the GPL (bench/emulator/simavr/mcu.c). No other links libsimavr.
SIMAVR_NODE := $(B)/simavr-node
TARGET_RUN  := $(B)/target/avr_run
$(SIMAVR_NODE): $(call objects,rel,$(wildcard bench/emulator/simavr/*.c)) $(LIB_rel) $(SIM_LIB)
	$(call link,rel,,-lsimavr)
$(TARGET_RUN): $(call objects,rel,tests/emulator/target/avr_run.c)
	$(call say,LINK,$@)
	$(Q)$(LINK_rel) -o $@ $^ -lsimavr -lelf

# The unit tests of the portable firmware, one program for each instruction set.
TARGET_SRC  := tests/emulator/target/core.c $(wildcard firmware/app/*.c)
TARGET_H    := tests/emulator/target/target.h $(FIRMWARE_H)
$(B)/target/native: $(TARGET_SRC) tests/emulator/target/native.c
$(B)/target/rv32.elf: $(TARGET_SRC) tests/emulator/target/rv32.c firmware/port/ag32/string.c
$(B)/target/armv6m.elf: $(TARGET_SRC) tests/emulator/target/armv6m.c
$(B)/target/avr.elf: $(TARGET_SRC) tests/emulator/target/avr.c
TARGET_C_native = $(CC) $(SAN)
TARGET_C_rv32.elf = $(AG32_CC) -march=rv32imafc -mabi=ilp32f -misa-spec=2.2 -ffreestanding -nostdlib -fno-tree-loop-distribute-patterns \
  -O2 -I firmware/port/ag32/include -Wl,--no-warn-rwx-segments -Wl,-T,tests/emulator/target/rv32.ld
TARGET_C_armv6m.elf = $(RP2040_CC) -mcpu=cortex-m0 -mthumb -O2 -nostartfiles -Wl,-T,tests/emulator/target/armv6m.ld
TARGET_C_avr.elf = $(AVR_CC) -mmcu=atmega1284p -O2
TARGET_PROGRAMS := $(patsubst %,$(B)/target/%,native rv32.elf armv6m.elf avr.elf)
$(TARGET_PROGRAMS): $(TARGET_H) mk/mcu.mk $(wildcard tests/emulator/target/*.ld)
	@mkdir -p $(@D)
	$(call say,TARGET,$@)
	$(Q)$(TARGET_C_$(@F)) -std=c11 $(WARN) -I . -o $@ $(filter %.c,$^) $(if $(filter %.elf,$@),-lgcc)

MCU_TESTS := mcu-images mcu-avr mcu-same mcu-rv32 mcu-armv6m mcu-target
.PHONY: mcu-build mcu-check target-check avr-check $(MCU_TESTS)
mcu-target: $(TARGET_PROGRAMS) $(TARGET_RUN)
	@tests/tap-count $(B)/tests $@ tests/emulator/target/run.sh $(B)/target
mcu-avr mcu-same: mcu-%: $(SIMAVR_NODE) $(B)/phasebench $(NATIVE_NODE) $(FIRMWARE)
	@tests/tap-count $(B)/tests $@ tests/emulator/mcu/$*.sh $(B)/phasebench $(B)
mcu-rv32: $(RV32_WITNESS)
	@tests/tap-count $(B)/tests $@ $(RV32_WITNESS) $(PROGRAMS) $(SEED)
mcu-armv6m: $(ARM_WITNESS)
	@tests/tap-count $(B)/tests $@ $(ARM_WITNESS) $(QEMU_ARM) $(dir $(ARM_WITNESS)) $(PROGRAMS) $(SEED)
mcu-images: $(B)/phasebench
	@tests/tap-count $(B)/tests $@ tests/emulator/mcu/images.sh $(B)/phasebench
mcu-build: $(TARGET_PROGRAMS) $(TARGET_RUN) $(SIMAVR_NODE) $(RV32_WITNESS) $(ARM_WITNESS) $(B)/phasebench $(NATIVE_NODE) $(FIRMWARE)

target-check: mcu-target ## unit tests of the portable firmware on this computer, RV32, Armv6-M and AVR
avr-check: mcu-avr mcu-same ## the ATmega1284P on libsimavr; the same messages on five machines
mcu-check: ## CPUs in lock-step with QEMU: PROGRAMS (30) random ones from SEED (1) on; broken firmware images
	$(call install_group,check)
	@$(MAKE) --no-print-directory -j$(JOBS) mcu-build
	@$(call side_by_side,$(MCU_TESTS))

# An independent check by other authors: the image of the RP2040 in rp2040js, of the npm registry. In neither ring of
# checks: these download nothing.
RP2040_TRACE   := $(B)/mcu/rp2040_trace
STEPWISE       := -Wl,--wrap=pb_armv6m_run
$(RP2040_TRACE): $(B)/rel/tests/emulator/mcu/rp2040_trace.o $(LIB_rel) $(SIM_LIB)
	@mkdir -p $(@D)
	$(call link,rel,$(STEPWISE))
.PHONY: rp2040js-check
rp2040js-check: $(RP2040_TRACE) firmware ## optional: the RP2040 image compared with rp2040js (npm install in build/)
	@tests/emulator/mcu/rp2040js.sh $(B) $(RP2040_TRACE)
