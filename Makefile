# SPDX-FileCopyrightText: The phasebench authors
# SPDX-License-Identifier: Apache-2.0
#
# The only entry point. Bare `make` prints help. Everything made lands in build/. The parts are in mk/.

CC          ?= gcc
SIM_CXX     ?= clang++
VERILATOR   ?= verilator
IVERILOG    ?= iverilog
YOSYS       ?= yosys
B           := build

ifeq ($(origin CC),default)
CC := gcc
endif
CCACHE := $(shell command -v ccache 2>/dev/null)

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.SECONDARY:

comma := ,

# make V=1 shows whole commands
Q := $(if $(V),,@)
say = @printf '  %-8s %s\n' "$(1)" "$(2)"

# Those that name what the others use come first.
PARTS := packages compile sim firmware host tests verdicts fuzz rtl boards mcu perf dev
include $(PARTS:%=mk/%.mk)

.PHONY: help all demo check clean
help: ## this text
	@echo "phasebench: hardware-in-the-loop bench for TDMA-scheduled microcontroller networks"; echo
	@awk -F':.*## ' '/^[a-z-]+:.*## / {printf "  make %-18s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

all: $(B)/phasebench $(SHIM) ## build the command and its library into build/

demo: ## install what is missing, build, and prove a node against the 24-phase bound
	$(call install_group,demo)
	@$(MAKE) --no-print-directory -j$$(nproc) all
	@$(B)/phasebench demo

check: ## install what is missing, build, and run every test
	$(call install_group,demo check)
	@$(MAKE) --no-print-directory lint layers pictures-check format-check
	@$(MAKE) --no-print-directory -j$$(nproc) all $(B)/phasebench-san unit-build rig-build fuzz-build install-build $(B)/verdicts/verdicts firmware
	@$(MAKE) --no-print-directory gen-check unit rig-check rtl-check cli-check mcu-check capture-check install-check proof-check verdicts-check fuzz
	@$(MAKE) --no-print-directory mutants SAMPLE=5
	@tests/summary $(B)/tests

clean: ## remove build/
	rm -rf $(B)

-include $(foreach v,$(VARIANTS),$(patsubst %.c,$(B)/$(v)/%.d,$(LIB_SRC) $(VUSB_SRC) $(CLI_SRC) $(SRC_$(v))))
