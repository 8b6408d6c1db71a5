# SPDX-FileCopyrightText: The phasebench authors
# SPDX-License-Identifier: Apache-2.0
#
# The tests of each wing alone (docs/architecture.md, Wings). The rings of checks run them all.

# $(call tests_of,WING): its unit tests and scripts, which are those of its folder of tests/.
tests_of = $(patsubst %.c,unit-%,$(notdir $(filter tests/$(1)/%,$(UNIT_SRC)))) $(patsubst %.sh,cli-%,$(notdir $(filter tests/$(1)/%,$(CLI_SCRIPTS))))

WING_emulator   := $(call tests_of,emulator) $(MCU_TESTS)
WING_usb        := $(call tests_of,usb) $(RIG_TESTS) capture-check
WING_metrology  := $(call tests_of,metrology)
WING_production := $(call tests_of,production)
WING_procedure  := $(call tests_of,procedure)
WING_machine    := $(call tests_of,machine)
WING_record     := $(call tests_of,record)
WING_networks   := $(call tests_of,networks)
WING_formal     := proof-check
WING_verdicts   := verdicts-kept verdicts-sample

WINGS := emulator usb record metrology production procedure machine networks formal verdicts
.PHONY: $(WINGS:%=check-%)
check-emulator: ## the tests of the emulated MCUs alone
check-usb: ## the tests of virtual boards on USB alone
check-metrology: ## the tests of jitter, calibration and converter alone
check-production: ## the tests of validation, history, limits, hardware map, station and gauge studies alone
check-procedure: ## the tests of self-test, validation, suites and regression alone
check-machine: ## the tests of traffic and programs of all nodes alone
check-networks: ## the tests of networks other than the cube alone
check-record: ## the tests of recordings and captures of slot frames alone
check-formal: ## the proofs of the second ring alone
check-verdicts: ## the kept cases and a sample of generated ones alone
$(WINGS:%=check-%): check-%:
	$(call install_group,demo check)
	@mkdir -p $(B)/tests && find $(B)/tests -name '*.count' -delete
	@$(MAKE) --no-print-directory -j$(JOBS) all cli-build
	@$(call side_by_side,$(WING_$*)); tests/summary $(B)/tests $$?

.PHONY: size
size: ## lines of each wing with its tests and pages, and of the bench, which is the rest
	@tests/size.py $(WINGS)
