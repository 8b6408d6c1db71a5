# SPDX-FileCopyrightText: The phasebench authors
# SPDX-License-Identifier: Apache-2.0
#
# The tests of the C and of the command, and what of it they reach.

.PHONY: layers unit-build unit rig-build rig-check cli-check capture-check fault-matrix fault-matrix-check mutants coverage
layers: ## who includes whom, against docs/architecture.md
	@mkdir -p $(B)/tests
	@tests/tap-count $(B)/tests layers tests/layers.sh

UNIT_SRC := $(wildcard tests/unit/test_*.c)
UNIT_BIN := $(UNIT_SRC:%.c=$(B)/%)
COV_BIN  := $(UNIT_SRC:tests/unit/%.c=$(B)/cov/bin/%)
$(B)/tests/unit/%: $(B)/san/tests/unit/%.o $(LIB_san) $(SIM_LIB)
	$(call link,san,,-lcmocka)
$(B)/cov/bin/%: $(B)/cov/tests/unit/%.o $(LIB_cov) $(SIM_LIB)
	$(call link,cov,,-lcmocka)

# Its functions stand before the allocator's.
$(B)/tests/unit/test_memory $(B)/cov/bin/test_memory: LDFLAGS += $(patsubst %,-Wl$(comma)--wrap=%,malloc calloc realloc strdup pb_sim_create pb_sim_host_write)
$(B)/tests/unit/test_mcu_state $(B)/cov/bin/test_mcu_state: LDFLAGS += -Wl,--wrap=malloc -Wl,--wrap=calloc
# Its bursts of events come between the session and the device.
$(B)/tests/unit/test_session $(B)/cov/bin/test_session: LDFLAGS += -Wl,--wrap=pb_device_poll
# Its harm stands between the self-test and the device.
$(B)/tests/unit/test_before $(B)/cov/bin/test_before: LDFLAGS += -Wl,--wrap=pb_bench_create
$(B)/tests/unit/test_selftest $(B)/cov/bin/test_selftest: LDFLAGS += $(patsubst %,-Wl$(comma)--wrap=pb_device_%,write write_many read read_many play poll info)

unit-build: $(UNIT_BIN)
unit: $(UNIT_BIN) ## unit tests under the address and undefined-behaviour sanitizers
	@tests/unit/run.sh $(B)/tests $(UNIT_BIN)

# Hosts with the system's libusb and libftdi1, on boards that phasebench-san serves.
RIG_SRC := $(wildcard tests/rig/test_*.c)
RIG_BIN := $(RIG_SRC:%.c=$(B)/%)
$(B)/tests/rig/%: $(B)/san/tests/rig/%.o $(call objects,san,$(filter-out $(RIG_SRC),$(wildcard tests/rig/*.c))) $(LIB_san) $(SIM_LIB)
	$(call link,san,,-lcmocka)

rig-build: $(RIG_BIN) $(SHIM) $(B)/phasebench-san
rig-check: rig-build ## virtual boards on USB: libusb and libftdi1 as they are, against the served chip and core
	@tests/unit/run.sh $(B)/tests/rig-results $(RIG_BIN)

# A witness of what libusb hands to the kernel.
URB_LOG := $(B)/tests/urb_log.so
$(URB_LOG): $(B)/rel/tests/cli/urb_log.o
	@mkdir -p $(@D)
	$(call say,LINK,$@)
	$(Q)$(LINK_rel) -shared -Wl,-z,defs -o $@ $^ -ldl

# Process nodes of the tests: one that can also misbehave, one behind node_pins.h, also as a library, and the template with handlers
# without look-ahead.
NATIVE_NODE   := $(B)/tests/native_node
PINS_NODE     := $(B)/tests/pins_node
FIRMWARE_NODE := $(B)/tests/firmware_node
$(NATIVE_NODE) $(PINS_NODE) $(FIRMWARE_NODE): $(B)/tests/%: $(B)/rel/tests/nodes/%.o $(LIB_rel) $(SIM_LIB)
	$(call link,rel)
$(PINS_NODE).so: $(B)/rel/tests/nodes/pins_node.o $(LIB_rel) $(SIM_LIB)
	$(call say,LINK,$@)
	$(Q)$(LINK_rel) -shared -o $@ $^ $(LIBS) $(CXXLIBS)

cli-check: firmware $(SHIM) $(NATIVE_NODE) $(PINS_NODE) $(PINS_NODE).so $(FIRMWARE_NODE) $(B)/phasebench-san $(B)/phasebench-oom $(B)/phasebench-usb ## the command from outside: exit codes, messages, scripted interfaces
	@tests/tap-count $(B)/tests command tests/cli/run.sh $(B)/phasebench-san
	@tests/tap-count $(B)/tests forms tests/cli/forms.sh $(B)/phasebench-san
	@tests/tap-count $(B)/tests compare tests/cli/compare.sh $(B)/phasebench-san
	@tests/tap-count $(B)/tests grr tests/cli/grr.sh $(B)/phasebench-san
	@tests/tap-count $(B)/tests shmoo tests/cli/shmoo.sh $(B)/phasebench-san
	@tests/tap-count $(B)/tests jitter tests/cli/jitter.sh $(B)/phasebench-san
	@tests/tap-count $(B)/tests tdc tests/cli/tdc.sh $(B)/phasebench-san
	@tests/tap-count $(B)/tests pcap tests/cli/pcap.sh $(B)/phasebench-san
	@tests/tap-count $(B)/tests history tests/cli/history.sh $(B)/phasebench-san
	@tests/tap-count $(B)/tests suite tests/cli/suite.sh $(B)/phasebench-san
	@tests/tap-count $(B)/tests recordings tests/cli/record.sh $(B)/phasebench-san
	@tests/tap-count $(B)/tests idle tests/cli/idle.sh $(B)/phasebench-san
	@tests/tap-count $(B)/tests ends tests/cli/ends.sh $(B)/phasebench-san
	@tests/tap-count $(B)/tests process tests/cli/process.sh $(B)/phasebench-san $(NATIVE_NODE)
	@tests/tap-count $(B)/tests library tests/cli/library.sh $(B)/phasebench-san
	@tests/tap-count $(B)/tests ahead tests/cli/ahead.sh $(B)/phasebench $(B)
	@tests/tap-count $(B)/tests regress tests/cli/regress.sh $(B)/phasebench-san
	@tests/tap-count $(B)/tests image tests/cli/image.sh $(B)/phasebench-san $(B)
	@tests/tap-count $(B)/tests adjacency tests/cli/adjacency.sh $(B)/phasebench-san $(B)
	@tests/tap-count $(B)/tests debug tests/cli/debug.sh $(B)/phasebench-san $(B)
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

mutants: unit-build $(B)/phasebench-san ## break the code on purpose: each mutant must be caught (ONLY=name, SAMPLE=n)
	@ONLY='$(ONLY)' SAMPLE='$(SAMPLE)' tests/mutants/run.sh $(B)

coverage: ## lines and branches of host/ and firmware/app that unit and command tests reach
	$(call install_group,demo check coverage)
	@$(MAKE) --no-print-directory -j$$(nproc) $(COV_BIN) $(RIG_BIN) $(SHIM) $(B)/phasebench-cov $(B)/phasebench-cov-oom $(B)/phasebench-cov-usb
	@tests/coverage.sh $(B)
