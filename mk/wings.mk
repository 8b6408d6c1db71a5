# SPDX-FileCopyrightText: The phasebench authors
# SPDX-License-Identifier: Apache-2.0
#
# The tests of each wing alone (docs/architecture.md, Wings). The two rings of checks run them all.

unit_of = $(filter $(addprefix unit-test_,$(1)),$(UNIT_TESTS))

WING_emulator   := $(call unit_of,ag32 ag32_node ag32_uart armv6m% coverage float32 gdb image image_uf2 mcu_state rp2040% rv32%) \
                   cli-debug cli-image $(MCU_TESTS)
WING_usb        := $(call unit_of,ft2232h ftdi_url record_usb) $(RIG_TESTS) cli-usb cli-vusb capture-check
WING_metrology  := $(call unit_of,bounds calibration jitter% stability stamps statistics tdc% uncertainty) \
                   $(addprefix cli-,cal jitter stamps tdc)
WING_production := $(call unit_of,gauge history% limits map station% validation%) \
                   $(addprefix cli-,grr history history_server rigs station validate validate_faults)

WING_procedure  := $(call unit_of,contract_table selftest) $(addprefix cli-,procedure regress validate validate_faults)

WINGS := emulator usb metrology production procedure
.PHONY: $(WINGS:%=check-%)
check-emulator: ## the tests of the emulated MCUs alone
check-usb: ## the tests of virtual boards on USB alone
check-metrology: ## the tests of jitter, calibration and converter alone
check-production: ## the tests of validation, history, limits, hardware map, station and gauge studies alone
check-procedure: ## the tests of self-test, validation and regression cases alone
$(WINGS:%=check-%): check-%:
	$(call install_group,demo check)
	@mkdir -p $(B)/tests && find $(B)/tests -name '*.count' -delete
	@$(MAKE) --no-print-directory -j$(JOBS) all cli-build
	@$(call side_by_side,$(WING_$*)); tests/summary $(B)/tests $$?

.PHONY: size
size: ## lines of each wing with its tests and pages, and of the bench, which is the rest
	@tests/size.py $(foreach w,$(WINGS),"$w=$(WING_$w)")
