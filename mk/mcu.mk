# SPDX-FileCopyrightText: The phasebench authors
# SPDX-License-Identifier: Apache-2.0
#
# The emulated MCUs: their CPUs against QEMU, and sound and broken images through the bench.

QEMU_ARM    ?= qemu-system-arm
PROGRAMS    ?= 30
SEED        ?= 1
RV32_WITNESS := $(B)/mcu/rv32_lockstep
ARM_WITNESS  := $(B)/mcu/armv6m_qemu
$(RV32_WITNESS): $(call objects,rel,$(wildcard tests/mcu/rv32_*.c bench/mcu/cpu/rv32*.c) bench/mcu/cpu/float32.c)
$(ARM_WITNESS): $(call objects,rel,tests/mcu/armv6m_qemu.c $(wildcard bench/mcu/cpu/armv6m*.c))
$(RV32_WITNESS) $(ARM_WITNESS):
	@mkdir -p $(@D)
	$(call say,LINK,$@)
	$(Q)$(LINK_rel) -o $@ $^

.PHONY: mcu-check
mcu-check: $(RV32_WITNESS) $(ARM_WITNESS) $(B)/phasebench firmware ## CPUs in lock-step with QEMU: PROGRAMS (30) random ones from SEED (1) on; broken firmware images
	$(call install_group,check)
	@tests/tap-count $(B)/tests rv32-lockstep $(RV32_WITNESS) $(PROGRAMS) $(SEED)
	@tests/tap-count $(B)/tests armv6m-lockstep $(ARM_WITNESS) $(QEMU_ARM) $(dir $(ARM_WITNESS)) $(PROGRAMS) $(SEED)
	@tests/tap-count $(B)/tests images tests/mcu/images.sh $(B)/phasebench

# A witness that nobody here wrote: the image of the RP2040 in rp2040js, of the npm registry. No part of `make check`, which downloads
# nothing.
RP2040_TRACE   := $(B)/mcu/rp2040_trace
STEPWISE       := -Wl,--wrap=pb_armv6m_run
$(RP2040_TRACE): $(B)/rel/tests/mcu/rp2040_trace.o $(LIB_rel) $(SIM_LIB)
	@mkdir -p $(@D)
	$(call link,rel,$(STEPWISE))
.PHONY: rp2040js-check
rp2040js-check: $(RP2040_TRACE) firmware ## optional: the RP2040 image beside rp2040js (npm install in build/)
	@tests/mcu/rp2040js.sh $(B) $(RP2040_TRACE)
