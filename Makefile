# SPDX-FileCopyrightText: The phasebench authors
# SPDX-License-Identifier: Apache-2.0
#
# The only entry point. Bare `make` prints help. Everything made lands in build/.

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

WARN     := -Wall -Wextra -Werror
CPPFLAGS += -I host/include -I . -D_POSIX_C_SOURCE=200809L -DPB_VERSION='"$(shell cat VERSION)"' -DPB_CC='"$(CC)"'
CSTD     := -std=c11 $(WARN) -MMD -MP
CFLAGS   ?= -O2 -g
SAN      := -O1 -g -fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer
LIBS     := -lftdi1 -lusb-1.0 -lyaml -ljansson -lz -lm
CXXLIBS  := -lstdc++ -lpthread -latomic

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.SECONDARY:

comma := ,

# make V=1 shows whole commands
Q := $(if $(V),,@)
say = @printf '  %-8s %s\n' "$(1)" "$(2)"

## ---------------------------------------------------------------- packages
# Installs what a group of packages.list lacks; silent and without a package manager when all is there.
define install_group
@missing=""; for p in $$(awk '/^[^#]/ && "$(1)" ~ $$1 {print $$2}' packages.list); do \
  dpkg-query -W -f='$${Status}' $$p 2>/dev/null | grep -q 'ok installed' || missing="$$missing $$p"; done; \
if [ -n "$$missing" ]; then \
  sudo=""; if [ $$(id -u) -ne 0 ]; then sudo=sudo; \
    command -v sudo >/dev/null || { echo "phasebench: these packages are missing:$$missing; sudo is not there to install them: run as root: apt-get install$$missing" >&2; exit 4; }; fi; \
  echo "phasebench: installing with apt-get:$$missing"; \
  $$sudo apt-get update -qq && $$sudo env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends $$missing >/dev/null; fi
endef

## ---------------------------------------------------------------- sources
HOST_SRC := $(filter-out $(wildcard host/cli/*.c),$(wildcard host/*/*.c)) rtl/proto/packet.c
FW_SRC   := $(wildcard firmware/app/*.c firmware/port/native/*.c)
NODE_SRC := $(wildcard bench/nodes/*.c)
USBFS_SRC := $(wildcard bench/vusb/usbfs_*.c)
CHIP_SRC := $(filter-out $(USBFS_SRC),$(wildcard bench/vusb/*.c))
LIB_SRC  := $(HOST_SRC) $(FW_SRC) $(NODE_SRC) $(CHIP_SRC) $(wildcard bench/sim/*.c)
CLI_SRC  := $(wildcard host/cli/*.c)
CORE_V   := $(wildcard rtl/core/*.v) $(wildcard rtl/core/*.vh) rtl/proto/gen/pb_regfile.v rtl/proto/gen/pb_regs.vh
NODE_V   := $(wildcard rtl/node/*.v)

REL_LIB := $(LIB_SRC:%.c=$(B)/rel/%.o)
SAN_LIB := $(LIB_SRC:%.c=$(B)/san/%.o)

$(B)/rel/%.o: %.c
	@mkdir -p $(@D)
	$(call say,CC,$<)
	$(Q)$(CCACHE) $(CC) $(CPPFLAGS) $(CSTD) $(CFLAGS) -c $< -o $@
$(B)/san/%.o: %.c
	@mkdir -p $(@D)
	$(call say,CC,$<)
	$(Q)$(CCACHE) $(CC) $(CPPFLAGS) $(CSTD) $(SAN) -c $< -o $@

## ---------------------------------------------------------------- Verilated models
# A plain model, which owes nothing to tracing nor to FIFOs, and one that has both, for a window of a repeated run and for the
# pins of a FIFO; `make perf` compares them.
VERILATE := $(VERILATOR) --cc -Wall -O3 --x-assign fast --x-initial fast --noassert -Irtl/core -Irtl/proto/gen -Irtl/node
SHAPE12  := -GLINKS=12 -GLANES=3 -GNODES=1 -GFAULTS=2 -GCLK_HZ=48000000
SHAPE64  := -GLINKS=64 -GLANES=9 -GNODES=16 -GFAULTS=4 -GEVENT_DEPTH_LOG2=12 -GCLK_HZ=24000000
MODELS   := Vsim12 Vsim12t Vsim64 Vsim64t Vref_node
VFLAGS_Vsim12    := $(SHAPE12) -DPB_ANY_RATE -DPB_LEAP
VFLAGS_Vsim12t   := $(SHAPE12) -DPB_ANY_RATE -GFIFOS=1 --trace-fst
VFLAGS_Vsim64    := $(SHAPE64) -DPB_ANY_RATE -DPB_LEAP
VFLAGS_Vsim64t   := $(SHAPE64) -DPB_ANY_RATE -GFIFOS=1 --trace-fst
SOURCE_Vref_node := rtl/node/ref_node.v
# With NETLIST=1 the small core is what synthesis makes of it, in iCE40 cells (make netlist-check).
ifdef NETLIST
NETLIST_V        := $(B)/v/netlist.v
SOURCE_Vsim12    := $(NETLIST_V) $(or $(shell yosys-config --datdir 2>/dev/null),/usr/share/yosys)/ice40/cells_sim.v
VFLAGS_Vsim12    := -DNO_ICE40_DEFAULT_ASSIGNMENTS -Wno-lint -Wno-style -Wno-TIMESCALEMOD --top-module sim_top
$(NETLIST_V): $(CORE_V) bench/sim/sim_top.v
	@mkdir -p $(@D)
	$(call say,SYNTH,$@)
	$(Q)$(YOSYS) -q -p "read_verilog -Irtl/core -Irtl/proto/gen $(filter %.v,$^); chparam $(patsubst -G%,-set %,$(subst =, ,$(SHAPE12))) sim_top; \
	  synth_ice40 -abc9 -device hx -top sim_top; splitnets; opt_clean; write_verilog -noattr $@"
$(B)/v/Vsim12/Vsim12.mk: $(NETLIST_V)
endif
# Asked for once, and only when something is compiled with it: Verilator may not be installed yet.
VROOT = $(eval VROOT := $(shell $(VERILATOR) --getenv VERILATOR_ROOT 2>/dev/null)/include)$(VROOT)
VDEFS    := -DVM_COVERAGE=0 -DVM_SC=0 -DVM_TRACE=1 -DVM_TRACE_FST=1
SIMFLAGS = -std=c++17 -I . -isystem $(VROOT) -isystem $(VROOT)/vltstd $(foreach m,$(MODELS),-isystem $(B)/v/$(m)) $(VDEFS)

define model_rules
$(B)/v/$(1)/$(1).mk: Makefile $(CORE_V) $(NODE_V) bench/sim/sim_top.v
	@rm -rf $$(@D) && mkdir -p $$(@D)
	$$(call say,VERILATE,$(1))
	$$(Q)$(VERILATE) --prefix $(1) --Mdir $$(@D) $(VFLAGS_$(1)) $(or $(SOURCE_$(1)),bench/sim/sim_top.v)
$(B)/v/$(1)/$(1)__ALL.o: $(B)/v/$(1)/$(1).mk
	$$(call say,CXX,$(1))
	$$(Q)cd $$(@D) && printf '#include "%s"\n' *.cpp > all.cc && \
	  $(CCACHE) $(SIM_CXX) -std=c++17 -O3 -w -I . -I $$(VROOT) -I $$(VROOT)/vltstd $(VDEFS) -c all.cc -o $(1)__ALL.o
endef
$(foreach m,$(MODELS),$(eval $(call model_rules,$(m))))

$(B)/v/%.o: bench/sim/%.cpp bench/sim/pb_sim.h $(foreach m,$(MODELS),$(B)/v/$(m)/$(m).mk)
	$(call say,CXX,$@)
	$(Q)$(CCACHE) $(SIM_CXX) $(SIMFLAGS) -Wall -Wextra -Werror -O2 -c $< -o $@
VERILATED := verilated verilated_fst_c verilated_threads
$(B)/v/rt/%.o:
	@mkdir -p $(@D)
	$(call say,CXX,$@)
	$(Q)$(CCACHE) $(SIM_CXX) $(SIMFLAGS) -O3 -w -c $(VROOT)/$*.cpp -o $@
SIM_OBJ := $(patsubst bench/sim/%.cpp,$(B)/v/%.o,$(wildcard bench/sim/*.cpp)) \
           $(foreach m,$(MODELS),$(B)/v/$(m)/$(m)__ALL.o) $(VERILATED:%=$(B)/v/rt/%.o)
SIM_LIB := $(B)/libpbsim.a
$(SIM_LIB): $(SIM_OBJ)
	$(call say,AR,$@)
	$(Q)rm -f $@ && ar rcs $@ $^

## ---------------------------------------------------------------- command
$(B)/libphasebench.a: $(REL_LIB)
	$(call say,AR,$@)
	$(Q)rm -f $@ && ar rcs $@ $^
$(B)/demo.o: host/scenarios/demo.yaml
	@mkdir -p $(@D)
	$(Q)ld -r -b binary -z noexecstack -o $@ $<
$(B)/phasebench: $(CLI_SRC:%.c=$(B)/rel/%.o) $(B)/demo.o $(B)/libphasebench.a $(SIM_LIB)
	$(call say,LINK,$@)
	$(Q)$(CC) $(CFLAGS) -o $@ $^ $(LIBS) $(CXXLIBS)
$(B)/phasebench-san: $(CLI_SRC:%.c=$(B)/san/%.o) $(B)/demo.o $(SAN_LIB) $(SIM_LIB)
	$(call say,LINK,$@)
	$(Q)$(CC) $(SAN) -o $@ $^ $(LIBS) $(CXXLIBS)

# The library that is preloaded so that libusb finds virtual boards.
SHIM := $(B)/libphasebench-vusb.so
$(B)/shim/%.o: %.c
	@mkdir -p $(@D)
	$(call say,CC,$<)
	$(Q)$(CCACHE) $(CC) $(CPPFLAGS) $(CSTD) $(CFLAGS) -fPIC -fvisibility=hidden -c $< -o $@
$(SHIM): $(USBFS_SRC:%.c=$(B)/shim/%.o)
	$(call say,LINK,$@)
	$(Q)$(CC) $(CFLAGS) -shared -Wl,-z,defs -o $@ $^ -ldl -lpthread

# Gives virtual boards to QEMU; a program of the tests.
REDIR_SRC := $(wildcard bench/redir/*.c)
$(B)/redir: $(REDIR_SRC:%.c=$(B)/rel/%.o) $(SHIM)
	$(call say,LINK,$@)
	$(Q)$(CC) $(CFLAGS) -o $@ $(filter %.o,$^) -L $(B) -lphasebench-vusb -Wl,-rpath,'$$ORIGIN' -lusbredirparser

## ---------------------------------------------------------------- installation
# One archive for users: the library and the simulated rig that it can run on.
PREFIX  ?= /usr/local
DESTDIR ?=
$(B)/install/libphasebench.a: $(REL_LIB) $(SIM_OBJ)
	@mkdir -p $(@D)
	$(call say,AR,$@)
	$(Q)rm -f $@ && ar rcs $@ $^

## ---------------------------------------------------------------- targets
.PHONY: help rig-build rig-check unit-build all install install-build install-check uninstall demo check gen gen-check front front-check lint layers unit rtl-check \
  board-check bitstream netlist-check cli-check capture-check qemu-check \
  fault-matrix fault-matrix-check verdicts verdicts-kept verdicts-check proofs proof-check proof-mutants mutants fuzz fuzz-build fuzz-long coverage soak perf perf-usb area clean
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
	@$(MAKE) --no-print-directory lint layers
	@$(MAKE) --no-print-directory -j$$(nproc) all $(B)/phasebench-san unit-build rig-build fuzz-build install-build $(B)/verdicts/verdicts
	@$(MAKE) --no-print-directory gen-check unit rig-check rtl-check cli-check capture-check install-check proof-check verdicts-check fuzz
	@$(MAKE) --no-print-directory mutants SAMPLE=5
	@tests/summary $(B)/tests

GEN_SRC := rtl/proto/genregs.c rtl/proto/genlayout.c
gen: ## regenerate what comes from rtl/proto/regs.def
	@mkdir -p $(B)
	$(CC) -std=c11 $(WARN) -o $(B)/genregs $(GEN_SRC)
	$(B)/genregs c > rtl/proto/gen/pb_regs.h
	$(B)/genregs vh > rtl/proto/gen/pb_regs.vh
	$(B)/genregs v > rtl/proto/gen/pb_regfile.v
	$(B)/genregs md > docs/registers.md
	$(B)/genregs protocol < docs/protocol.md > $(B)/protocol.md
	cp $(B)/protocol.md docs/protocol.md

gen-check: front-check ## what is generated matches its source, no layout is typed by hand, the generator refuses bad rows
	@mkdir -p $(B)/gen
	@$(CC) -std=c11 $(WARN) -o $(B)/gen/genregs $(GEN_SRC)
	@set -e; for k in c:rtl/proto/gen/pb_regs.h vh:rtl/proto/gen/pb_regs.vh v:rtl/proto/gen/pb_regfile.v md:docs/registers.md \
	  protocol:docs/protocol.md; do \
	  $(B)/gen/genregs $${k%%:*} < docs/protocol.md > $(B)/gen/out; \
	  cmp -s $(B)/gen/out $${k#*:} || { echo "$${k#*:} does not match rtl/proto/regs.def: run make gen" >&2; exit 1; }; done
	@tests/proto/run.sh $(B)/gen

# What the program says of itself, between two comments in each (host/cli/describe.c).
FRONT := docs/scenario.md
front: $(B)/phasebench ## regenerate the tables of docs/scenario.md from the keys that the program knows
	@set -e; for f in $(FRONT); do $< describe < $$f > $(B)/front.out; cp $(B)/front.out $$f; done
front-check: $(B)/phasebench
	@set -e; for f in $(FRONT); do $< describe < $$f | cmp -s - $$f || { echo "$$f does not match the program: run make front" >&2; exit 1; }; done

layers: ## who includes whom, against docs/architecture.md
	@mkdir -p $(B)/tests
	@tests/tap-count $(B)/tests layers tests/layers.sh

lint: ## verilator --lint-only -Wall over every configuration
	@tests/rtl/lint.sh $(VERILATOR)

TEST_SRC := $(wildcard tests/unit/test_*.c)
TEST_BIN := $(TEST_SRC:%.c=$(B)/%)
TEST_LIB := $(B)/libphasebench-san.a
FIXTURES := $(patsubst %.c,$(B)/san/%.o,$(filter-out $(TEST_SRC),$(wildcard tests/unit/*.c)))
$(TEST_LIB): $(SAN_LIB) $(FIXTURES)
	$(call say,AR,$@)
	$(Q)rm -f $@ && ar rcs $@ $^
$(B)/tests/unit/%: $(B)/san/tests/unit/%.o $(TEST_LIB) $(SIM_LIB)
	@mkdir -p $(@D)
	$(call say,LINK,$@)
	$(Q)$(CC) $(SAN) $(LDFLAGS) -o $@ $^ -lcmocka $(LIBS) $(CXXLIBS)

# Its functions stand before the allocator's.
$(B)/tests/unit/test_memory $(B)/cov/bin/test_memory: LDFLAGS += $(patsubst %,-Wl$(comma)--wrap=%,malloc calloc realloc strdup pb_sim_create pb_sim_host_write)
# Its harm stands between the self-test and the device.
$(B)/tests/unit/test_before $(B)/cov/bin/test_before: LDFLAGS += -Wl,--wrap=pb_bench_create
$(B)/tests/unit/test_selftest $(B)/cov/bin/test_selftest: LDFLAGS += $(patsubst %,-Wl$(comma)--wrap=pb_device_%,write write_many read read_many play poll info)

unit-build: $(TEST_BIN)
unit: $(TEST_BIN) ## unit tests under the address and undefined-behaviour sanitizers
	@tests/unit/run.sh $(B)/tests $(TEST_BIN)

# Hosts with the system's libusb and libftdi1, on boards that phasebench-san serves.
RIG_SRC := $(wildcard tests/rig/test_*.c)
RIG_BIN := $(RIG_SRC:%.c=$(B)/%)
RIG_FIXTURES := $(patsubst %.c,$(B)/san/%.o,$(filter-out $(RIG_SRC),$(wildcard tests/rig/*.c)))
$(B)/tests/rig/%: $(B)/san/tests/rig/%.o $(RIG_FIXTURES) $(TEST_LIB) $(SIM_LIB)
	@mkdir -p $(@D)
	$(call say,LINK,$@)
	$(Q)$(CC) $(SAN) -o $@ $^ -lcmocka $(LIBS) $(CXXLIBS)

rig-build: $(RIG_BIN) $(SHIM) $(B)/phasebench-san
rig-check: rig-build ## virtual boards on USB: libusb and libftdi1 as they are, against the served chip and core
	@tests/unit/run.sh $(B)/tests/rig-results $(RIG_BIN)

rtl-check: ## Verilog benches in Icarus, cross-checked against Verilator
	@tests/rtl/run.sh $(B)/tests/rtl

# A command whose nth allocation fails.
FAIL_ALLOC := $(patsubst %,-Wl$(comma)--wrap=%,malloc calloc realloc strdup json_loadb pb_sim_create)
$(B)/phasebench-oom: $(B)/san/tests/cli/fail_alloc.o $(CLI_SRC:%.c=$(B)/san/%.o) $(B)/demo.o $(SAN_LIB) $(SIM_LIB)
	$(call say,LINK,$@)
	$(Q)$(CC) $(SAN) $(FAIL_ALLOC) -o $@ $^ $(LIBS) $(CXXLIBS)

# A command on a USB bus that is made up.
USB_BUS := $(patsubst %,-Wl$(comma)--wrap=libusb_%,init exit open close get_device_list free_device_list get_device_descriptor \
  get_bus_number get_device_address get_port_numbers get_string_descriptor_ascii ref_device unref_device kernel_driver_active) \
  $(patsubst %,-Wl$(comma)--wrap=ftdi_%,set_usbdev read_eeprom)
$(B)/phasebench-usb: $(B)/san/tests/cli/usb_bus.o $(CLI_SRC:%.c=$(B)/san/%.o) $(B)/demo.o $(SAN_LIB) $(SIM_LIB)
	$(call say,LINK,$@)
	$(Q)$(CC) $(SAN) $(USB_BUS) -o $@ $^ $(LIBS) $(CXXLIBS)

# A witness of what libusb hands to the kernel.
URB_LOG := $(B)/tests/urb_log.so
$(URB_LOG): $(B)/shim/tests/cli/urb_log.o
	@mkdir -p $(@D)
	$(call say,LINK,$@)
	$(Q)$(CC) $(CFLAGS) -shared -Wl,-z,defs -o $@ $^ -ldl

cli-check: $(SHIM) $(B)/phasebench-san $(B)/phasebench-oom $(B)/phasebench-usb ## the command from outside: exit codes, messages, scripted interfaces
	@tests/tap-count $(B)/tests command tests/cli/run.sh $(B)/phasebench-san
	@tests/tap-count $(B)/tests forms tests/cli/forms.sh $(B)/phasebench-san
	@tests/tap-count $(B)/tests compare tests/cli/compare.sh $(B)/phasebench-san
	@tests/tap-count $(B)/tests suite tests/cli/suite.sh $(B)/phasebench-san
	@tests/tap-count $(B)/tests recordings tests/cli/record.sh $(B)/phasebench-san
	@tests/tap-count $(B)/tests idle tests/cli/idle.sh $(B)/phasebench-san
	@tests/tap-count $(B)/tests ends tests/cli/ends.sh $(B)/phasebench-san
	@tests/tap-count $(B)/tests fault tests/cli/fault.sh $(B)/phasebench-san
	@tests/tap-count $(B)/tests serve tests/cli/serve.sh $(B)/phasebench-san
	@tests/tap-count $(B)/tests vusb tests/cli/vusb.sh $(B)/phasebench-san
	@tests/tap-count $(B)/tests memory tests/cli/memory.sh $(B)/phasebench-oom
	@tests/tap-count $(B)/tests usb tests/cli/usb.sh $(B)/phasebench-usb
	@tests/tap-count $(B)/tests boards tests/cli/boards.sh $(B)/phasebench-san
	@tests/tap-count $(B)/tests readme tests/cli/readme.sh $(B)/phasebench-san

capture-check: $(SHIM) $(URB_LOG) $(B)/phasebench-san ## captures of USB transfers against tshark and a log of every URB
	@tests/tap-count $(B)/tests captures tests/cli/capture.sh $(B)/phasebench-san $(URB_LOG)

fault-matrix: all ## every kind of fault on a clean run: made, found, named
	@$(B)/phasebench fault --matrix

# The table in docs/faults.md stands between two comments.
fault-matrix-check: $(B)/phasebench ## the matrix in docs/faults.md is the one the bench prints
	@mkdir -p $(B)
	@$(B)/phasebench fault --matrix --markdown > $(B)/fault-matrix.md
	@awk '/<!-- end of the matrix -->/ {on = 0} on {print} /<!-- matrix -->/ {on = 1}' docs/faults.md > $(B)/fault-matrix.doc
	@cmp -s $(B)/fault-matrix.md $(B)/fault-matrix.doc || { diff $(B)/fault-matrix.doc $(B)/fault-matrix.md; \
	  echo "docs/faults.md does not hold the matrix: put in what build/phasebench fault --matrix --markdown prints" >&2; exit 1; }

proofs: ## every formal proof, one line each; one of them: make proof-NAME (bench/formal/NAME.v)
	$(call install_group,check)
	@bench/formal/run.sh $(B)/proofs

proof-check: ## the proofs that are part of make check
	@GROUP=check bench/formal/run.sh $(B)/tests/proofs

proof-mutants: ## every proof fails on a core that was spoilt on purpose
	$(call install_group,check)
	@bench/formal/mutants.sh $(B)/proof-mutants

proof-%:
	@bench/formal/run.sh $(B)/proofs $*

install-build: all $(B)/install/libphasebench.a
install: install-build ## install into PREFIX (/usr/local); DESTDIR goes before it, for packages
	@LIBS='$(LIBS) $(CXXLIBS)' host/install.sh install $(B) '$(PREFIX)' '$(DESTDIR)'
uninstall: ## remove what install put there
	@host/install.sh uninstall $(B) '$(PREFIX)' '$(DESTDIR)'
install-check: install-build ## a staged install: program, library, pkg-config, manual pages, completions, uninstall
	@LIBS='$(LIBS) $(CXXLIBS)' tests/tap-count $(B)/tests install tests/install/run.sh $(B)

mutants: unit-build $(B)/phasebench-san ## break the code on purpose: each mutant must be caught (ONLY=name, SAMPLE=n)
	@ONLY='$(ONLY)' SAMPLE='$(SAMPLE)' tests/mutants/run.sh $(B)

## ---------------------------------------------------------------- verdicts
# The generator shares no code with the program: it is linked with nothing of it.
VERDICTS_SRC := $(wildcard tests/verdicts/*.c)
$(B)/verdicts/verdicts: $(VERDICTS_SRC:%.c=$(B)/rel/%.o)
	@mkdir -p $(@D)
	$(call say,LINK,$@)
	$(Q)$(CC) $(CFLAGS) -o $@ $^ -ljansson -lm
N     ?= 10000
SEED  ?= 1
CLASS ?=
verdicts: all $(B)/verdicts/verdicts ## N generated cases from SEED on: does the bench tell the truth? (CLASS=silent, sound, ...)
	@$(B)/verdicts/verdicts $(B)/phasebench $(B)/verdicts/run -n $(N) -s $(SEED) -j $(or $(JOBS),$(shell nproc)) $(if $(CLASS),-c $(CLASS))
verdicts-kept: all $(B)/verdicts/verdicts # the cases of which a verdict was wrong once
	@tests/tap-count $(B)/tests verdicts-kept $(B)/verdicts/verdicts $(B)/phasebench $(B)/verdicts/check -K tests/verdicts/kept
verdicts-check: verdicts-kept ## the kept cases, and a sample of generated ones
	@tests/tap-count $(B)/tests verdicts $(B)/verdicts/verdicts $(B)/phasebench $(B)/verdicts/check -n 80 -j $(shell nproc) -x 0 -t

## ---------------------------------------------------------------- fuzzing
FUZZ_CC    := clang
FUZZ_FLAGS := -O1 -g -fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer
FUZZ_SRC   := $(wildcard tests/fuzz/fuzz_*.c)
FUZZ_BIN   := $(FUZZ_SRC:tests/fuzz/fuzz_%.c=$(B)/fuzz/%)
FUZZ_LIB   := $(B)/fuzz/libphasebench.a
FUZZ_RUNS  ?= 3000
SECONDS    ?= 60

$(B)/fuzz/obj/%.o: %.c
	@mkdir -p $(@D)
	$(call say,CC,$<)
	$(Q)$(CCACHE) $(FUZZ_CC) $(CPPFLAGS) $(CSTD) $(FUZZ_FLAGS) -fsanitize=fuzzer-no-link -c $< -o $@
$(B)/fuzz/obj/host/cli/main.o: CPPFLAGS += -Dmain=phasebench_main -Wno-missing-prototypes
$(FUZZ_LIB): $(LIB_SRC:%.c=$(B)/fuzz/obj/%.o) $(CLI_SRC:%.c=$(B)/fuzz/obj/%.o)
	$(call say,AR,$@)
	$(Q)rm -f $@ && ar rcs $@ $^
$(FUZZ_BIN): $(B)/fuzz/%: $(B)/fuzz/obj/tests/fuzz/fuzz_%.o $(FUZZ_LIB) $(B)/demo.o $(SIM_LIB)
	$(call say,LINK,$@)
	$(Q)$(FUZZ_CC) $(FUZZ_FLAGS) -fsanitize=fuzzer -o $@ $^ $(LIBS) $(CXXLIBS)

fuzz-build: $(FUZZ_BIN)
fuzz: $(FUZZ_BIN) ## fuzz every input of the program: corpus, known crashes, and FUZZ_RUNS more each
	@tests/fuzz/run.sh $(B) runs $(FUZZ_RUNS) $(FUZZ_BIN)
fuzz-long: $(FUZZ_BIN) ## the same for SECONDS each, with figures
	@tests/fuzz/run.sh $(B) seconds $(SECONDS) $(FUZZ_BIN)

## ---------------------------------------------------------------- coverage
COV_LIB := $(B)/cov/libphasebench.a
COV_BIN := $(TEST_SRC:tests/unit/%.c=$(B)/cov/bin/%)
$(B)/cov/%.o: %.c
	@mkdir -p $(@D)
	$(call say,CC,$<)
	$(Q)$(CCACHE) $(CC) $(CPPFLAGS) $(CSTD) -O0 -g --coverage -c $< -o $@
$(COV_LIB): $(LIB_SRC:%.c=$(B)/cov/%.o) $(FIXTURES:$(B)/san/%=$(B)/cov/%)
	$(call say,AR,$@)
	$(Q)rm -f $@ && ar rcs $@ $^
$(COV_BIN): $(B)/cov/bin/%: $(B)/cov/tests/unit/%.o $(COV_LIB) $(SIM_LIB)
	@mkdir -p $(@D)
	$(call say,LINK,$@)
	$(Q)$(CC) --coverage $(LDFLAGS) -o $@ $^ -lcmocka $(LIBS) $(CXXLIBS)
$(B)/phasebench-cov: $(CLI_SRC:%.c=$(B)/cov/%.o) $(B)/demo.o $(COV_LIB) $(SIM_LIB)
	$(call say,LINK,$@)
	$(Q)$(CC) --coverage -o $@ $^ $(LIBS) $(CXXLIBS)

$(B)/phasebench-cov-oom: $(B)/cov/tests/cli/fail_alloc.o $(CLI_SRC:%.c=$(B)/cov/%.o) $(B)/demo.o $(COV_LIB) $(SIM_LIB)
	$(call say,LINK,$@)
	$(Q)$(CC) --coverage $(FAIL_ALLOC) -o $@ $^ $(LIBS) $(CXXLIBS)
$(B)/phasebench-cov-usb: $(B)/cov/tests/cli/usb_bus.o $(CLI_SRC:%.c=$(B)/cov/%.o) $(B)/demo.o $(COV_LIB) $(SIM_LIB)
	$(call say,LINK,$@)
	$(Q)$(CC) --coverage $(USB_BUS) -o $@ $^ $(LIBS) $(CXXLIBS)

coverage: ## lines and branches of host/ and firmware/app that unit and command tests reach
	$(call install_group,demo check coverage)
	@$(MAKE) --no-print-directory -j$$(nproc) $(COV_BIN) $(RIG_BIN) $(SHIM) $(B)/phasebench-cov $(B)/phasebench-cov-oom $(B)/phasebench-cov-usb
	@tests/coverage.sh $(B)

soak: all ## a million clean slots: no finding, no alarm, no lost event (minutes)
	@bench/perf/soak.sh $(B)

perf: all ## benchmarks: core clocks per second, slow-down against real time
	@LIBS='$(LIBS) $(CXXLIBS)' bench/perf/run.sh $(B)

perf-usb: all ## benchmark: bytes a second from a virtual board, beside a plain loop on libftdi1
	@LIBS='$(LIBS) $(CXXLIBS)' bench/perf/usb.sh $(B)

area: ## cells of the 12-link core on an iCE40 (yosys), with and without fault units
	$(call install_group,check)
	@mkdir -p $(B)/area
	@for units in 0 2; do cd $(CURDIR)/rtl/core && $(YOSYS) -q -p "read_verilog -I. -I../proto/gen ../proto/gen/pb_regfile.v $(notdir $(wildcard rtl/core/*.v)); \
	  chparam -set FAULTS $$units pb_core; synth_ice40 -dffe_min_ce_use 12 -abc9 -device u -top pb_core; tee -q -o ../../$(B)/area/core12_$$units.txt stat" 2> ../../$(B)/area/core12_$$units.log; \
	  awk -v units=$$units '/SB_LUT4|SB_RAM40|SB_DFF/ {n[substr($$1,1,6)] += $$2} END {printf "12-link core, %d fault units: %d LUT4, %d flip-flops, %d block RAMs; a UP5K has 5280 logic cells and 30 block RAMs, an HX8K 7680 and 32\n", units, n["SB_LUT"], n["SB_DFF"], n["SB_RAM"]}' ../../$(B)/area/core12_$$units.txt; done

# ---------------------------------------------------------------- boards
BOARDS := icebreaker icebreaker-fifo hx8k-evn hx8k-evn-fifo alchitry-cu icestick
bitstream: ## bitstreams of the boards into build/bitstream/ (BOARD=name for one, SEEDS="1 2 3"); docs/boards.md
	$(call install_group,board)
	@set -e; for board in $(or $(BOARD),$(BOARDS)); do rtl/board/bitstream.sh $$board $(B)/bitstream/$$board; echo; done

board-check: ## lint of the tops, pins of the bitstreams, runs on the netlists of the iCEBreaker and of both FIFOs
	$(call install_group,board check)
	@for board in $(BOARDS); do test -s $(B)/bitstream/$$board/$$board.bin || rtl/board/bitstream.sh $$board $(B)/bitstream/$$board || exit 1; done
	@tests/tap-count $(B)/tests board tests/board/run.sh $(B)/bitstream $(B)/board-check

netlist-check: ## the scenarios of the tree on the synthesized 12-link core, against the Verilog (SCENARIOS="..." for some)
	$(call install_group,demo check board)
	@$(MAKE) --no-print-directory -j$$(nproc) all
	@$(MAKE) --no-print-directory -j$$(nproc) B=$(B)/netlist NETLIST=1 $(B)/netlist/phasebench
	@tests/tap-count $(B)/tests netlist tests/board/scenarios.sh $(B)/phasebench $(B)/netlist/phasebench $(B)/netlist/runs $(SCENARIOS)

# ---------------------------------------------------------------- a kernel in between
qemu-check: ## virtual boards in QEMU, under Debian's kernel and its ftdi_sio (downloads both once); docs/vusb.md
	$(call install_group,demo qemu)
	@$(MAKE) --no-print-directory -j$$(nproc) all $(B)/redir
	@tests/tap-count $(B)/tests qemu tests/qemu/run.sh $(B)

clean: ## remove build/
	rm -rf $(B)


-include $(patsubst %.c,$(B)/cov/%.d,$(LIB_SRC) $(CLI_SRC) $(wildcard tests/unit/*.c))
-include $(patsubst %.c,$(B)/fuzz/obj/%.d,$(LIB_SRC) $(CLI_SRC) $(FUZZ_SRC))
-include $(patsubst %.c,$(B)/shim/%.d,$(USBFS_SRC) tests/cli/urb_log.c)
-include $(patsubst %.c,$(B)/rel/%.d,$(LIB_SRC) $(CLI_SRC) $(REDIR_SRC)) $(patsubst %.c,$(B)/san/%.d,$(LIB_SRC) $(CLI_SRC) $(wildcard tests/unit/*.c tests/rig/*.c)) $(VERDICTS_SRC:%.c=$(B)/rel/%.d)
