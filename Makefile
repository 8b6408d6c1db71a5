# SPDX-FileCopyrightText: The phasebench authors
# SPDX-License-Identifier: Apache-2.0
#
# The only entry point. Bare `make` prints help. Output is in build/, except that of gen and front. The parts are in mk/.

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
# For each of thousands of prerequisites make would otherwise try its own rules without success, which takes a second of processor.
MAKEFLAGS += --no-builtin-rules
.DELETE_ON_ERROR:
.SECONDARY:

comma := ,

# make V=1 shows whole commands
Q := $(if $(V),,@)
say = @printf '  %-8s %s\n' "$(1)" "$(2)"

# $(call side_by_side,TARGETS): each uses at most one processor; the output of each is in one piece. A failure does not end the others.
# One more at a time than there are processors: some tests wait for time to pass.
JOBS ?= $(shell nproc)
side_by_side = $(MAKE) --no-print-directory -k -Otarget -j$$(($(JOBS) + 1)) JOBS=1 $(1)

# The first parts define variables that the others use.
PARTS := packages compile sim firmware sdk host train tests verdicts fuzz rtl boards mcu wings perf dev
include $(PARTS:%=mk/%.mk)

.PHONY: help all demo check check-deep check-all clean
help: ## this text
	@echo "phasebench: hardware-in-the-loop bench for TDMA-scheduled microcontroller networks"; echo
	@awk -F':.*## ' '/^[a-z-]+:.*## / {printf "  make %-18s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

all: $(B)/phasebench $(SHIM) $(MPI) ## build the command and its library into build/

demo: ## install what is missing, build, and prove a node against the 24-phase bound
	$(call install_group,demo)
	@$(MAKE) --no-print-directory -j$$(nproc) all
	@$(B)/phasebench demo

# Two rings. The first has what finds most mistakes in a short time. The second has most tests of more than a quarter of a minute, fuzzing,
# emulated MCUs and mutants. A long test that begins last keeps one processor busy while the others wait, so the longest begin first.
TESTS := lint gen-check $(UNIT_TESTS) $(RIG_TESTS) rtl-check $(CLI_TESTS) $(MCU_TESTS) capture-check install-check proof-check \
         verdicts-kept verdicts-sample changed-test $(FUZZ_TESTS) mutants-fit mutants
LONG  := mutants mcu-images mcu-avr proof-check verdicts-sample install-check \
         $(addprefix cli-,validate_faults memory machine machine_checkpoint idle regress fault pcap suite adjacency run vusb validate process shmoo procedure cal history \
           shards history_server rigs boards ahead record ends serve library debug readers forms out_everywhere station image stamps tdc) changed-test \
         $(addprefix unit-test_,before epilogue machine_checkpoint run memory jitter_tdc line_rise record idle own_messages check check_bits run_odd_frames \
           capture contract_defects core_clock link_loss reacts run_broken run_contract run_loss run_network run_program reach run_watch process_node \
           report_json slow_link evidence check_stream mcu_state jitter host_death measurements limit_sweep scenario_files tdc fault_matrix waveform) rig-test_usb_events
DEEP  := $(LONG) $(filter-out $(LONG),$(MCU_TESTS) $(FUZZ_TESTS) capture-check mutants-fit)
FIRST := $(filter verdicts-kept rtl-check,$(TESTS)) $(filter-out $(DEEP) verdicts-kept rtl-check,$(TESTS))

# The longest of the second ring take turns: a commit draws every TURNS-th of them, TURN=all takes all. In each row the sums of
# their times are alike in all columns. It draws 40 mutants, too, so that a repetition for the same commit repeats a failure.
TURNS := 4
COMMIT_NUMBER := $(shell echo $$((0x$$(git rev-parse --short=7 HEAD 2>/dev/null || echo 0))))
TURN  ?= $(shell echo $$(($(COMMIT_NUMBER) % $(TURNS))))
ROTATING := cli-validate_faults cli-idle             cli-vusb       cli-fault \
            cli-suite           mcu-images           cli-ahead      mcu-avr \
            unit-test_core_clock unit-test_memory    cli-shmoo      cli-adjacency \
            cli-shards          cli-procedure        fuzz           cli-memory \
            proof-check         cli-history_server   verdicts-sample cli-history \
            cli-process         cli-record           cli-pcap         unit-test_run_program
DRAWN = $(shell echo $(ROTATING) | tr ' ' '\n' | awk -v turn=$(TURN) 'turn == "all" || (NR - 1) % $(TURNS) == turn')
TURNED = $(subst fuzz,$(FUZZ_TESTS),$(filter fuzz,$(DRAWN))) $(filter-out fuzz,$(DRAWN))
SECOND = $(filter-out $(filter-out $(TURNED),$(ROTATING) $(FUZZ_TESTS)),$(DEEP))

check: ## the first ring of tests, in minutes: install what is missing, build, run what finds most mistakes
	$(call install_group,demo check)
	@mkdir -p $(B)/tests && find $(B)/tests -name '*.count' -delete
	@$(MAKE) --no-print-directory -j$(JOBS) all cli-build rig-build $(patsubst unit-%,$(B)/tests/unit/%,$(filter unit-%,$(FIRST))) $(B)/verdicts/verdicts
	@$(MAKE) --no-print-directory layers pictures-check pages-check format-check
	@$(call side_by_side,$(FIRST)); tests/summary $(B)/tests $$?

check-deep: ## the second ring: the longer tests that need no board, browser or virtual machine; of the longest a quarter, drawn by the commit (TURN=0..3 or all)
	$(if $(filter 0 1 2 3 all,$(TURN)),,$(error TURN=$(TURN): 0 to 3 or all))
	$(call install_group,demo check)
	@mkdir -p $(B)/tests && for test in $(DEEP); do rm -f $(B)/tests/$${test#unit-}.count; done
	@$(MAKE) --no-print-directory -j$(JOBS) all unit-build rig-build cli-build mcu-build $(if $(filter $(FUZZ_TESTS),$(SECOND)),fuzz-build) install-build $(B)/verdicts/verdicts $(URB_LOG)
	@echo "  TURN     $(TURN) of $(TURNS): $(TURNED)"
	@$(call side_by_side,DRAW=40 DRAW_SEED=$(COMMIT_NUMBER) WORKERS=2 RING=1 $(SECOND)); tests/summary $(B)/tests $$?

check-all: ## every check there is, in hours, a piece at a time; it can be stopped and goes on where it was (ONLY=piece, AGAIN=1)
	@ONLY='$(ONLY)' AGAIN='$(AGAIN)' tests/check-all.sh $(B)

clean: ## remove build/
	rm -rf $(B)

-include $(foreach v,$(VARIANTS),$(patsubst %.c,$(B)/$(v)/%.d,$(LIB_SRC) $(VUSB_SRC) $(STATION_SRC) $(CLI_SRC) $(SRC_$(v))))
