# SPDX-FileCopyrightText: The phasebench authors
# SPDX-License-Identifier: Apache-2.0
#
# The tests of the C and of the command, and their coverage.

.PHONY: layers pictures-check pages-check unit-build unit bounds rig-build rig-check cli-build cli-check capture-check fault-matrix fault-matrix-check mutants-fit mutants coverage
layers: all ## who includes whom, against docs/architecture.md, and who calls whom
	@mkdir -p $(B)/tests
	@tests/tap-count $(B)/tests layers tests/layers.sh $(B)

pictures-check: ## wiring pictures of docs/pictures/, against constraints and pins of the nodes
	@mkdir -p $(B)/tests
	@tests/tap-count $(B)/tests pictures python3 tests/pictures.py

pages-check: ## links and headings of the pages, and the table of docs/evidence.md
	@mkdir -p $(B)/tests
	@tests/tap-count $(B)/tests pages python3 tests/pages.py

# Their programs are in one folder, wherever a wing has the sources, as their names differ.
UNIT_NAMES := $(basename $(notdir $(UNIT_SRC)))
UNIT_BIN := $(UNIT_NAMES:%=$(B)/tests/unit/%)
COV_BIN  := $(UNIT_NAMES:%=$(B)/cov/bin/%)
define unit_program
$(B)/tests/unit/$(basename $(notdir $(1))): $(call objects,san,$(1)) $(LIB_san) $(SIM_LIB)
	$$(call link,san,,-lcmocka)
$(B)/cov/bin/$(basename $(notdir $(1))): $(call objects,cov,$(1)) $(LIB_cov) $(SIM_LIB)
	$$(call link,cov,,-lcmocka)
endef
$(foreach program,$(UNIT_SRC),$(eval $(call unit_program,$(program))))

# It reads the limits embedded in the command.
$(B)/tests/unit/test_limits $(B)/cov/bin/test_limits: $(B)/embedded.o
# Its functions wrap those of the allocator.
$(B)/tests/unit/test_memory $(B)/cov/bin/test_memory: LDFLAGS += $(patsubst %,-Wl$(comma)--wrap=%,malloc calloc realloc strdup pb_sim_create pb_sim_host_write)
$(B)/tests/unit/test_mcu_state $(B)/cov/bin/test_mcu_state: LDFLAGS += -Wl,--wrap=malloc -Wl,--wrap=calloc
# Wrappers break a wire of a machine, and put contract nodes in place of native ones.
$(B)/tests/unit/test_machine_engines $(B)/cov/bin/test_machine_engines: LDFLAGS += -Wl,--wrap=message_hand_over
$(B)/tests/unit/test_machine_pins $(B)/cov/bin/test_machine_pins: LDFLAGS += -Wl,--wrap=pb_node_native_create
$(B)/tests/unit/test_run_program $(B)/cov/bin/test_run_program: LDFLAGS += -Wl,--wrap=pb_program_load_line -Wl,--wrap=pb_program_result_answer
# It has a function that is found by its name.
$(B)/tests/unit/test_patience $(B)/cov/bin/test_patience: LDFLAGS += -rdynamic
# Its wrapper inserts bursts of events between the session and the device.
$(B)/tests/unit/test_session $(B)/cov/bin/test_session: LDFLAGS += -Wl,--wrap=pb_device_poll
# Its wrapper shifts receipts between the run and the matrix.
$(B)/tests/unit/test_fault_matrix $(B)/cov/bin/test_fault_matrix: LDFLAGS += -Wl,--wrap=pb_run
# These wrappers inject failures between the self-test and the device.
$(B)/tests/unit/test_before $(B)/cov/bin/test_before: LDFLAGS += -Wl,--wrap=pb_bench_create
$(B)/tests/unit/test_selftest $(B)/cov/bin/test_selftest: LDFLAGS += $(patsubst %,-Wl$(comma)--wrap=pb_device_%,write write_many read read_many play poll info)

UNIT_TESTS := $(UNIT_NAMES:%=unit-%)
unit-build: $(UNIT_BIN)
$(UNIT_TESTS): unit-%: $(B)/tests/unit/%
	@tests/cmocka-count $(B)/tests $<
unit: unit-build ## unit tests under the address and undefined-behaviour sanitizers
	@$(call side_by_side,$(UNIT_TESTS))

# The same test without sanitizers, over its whole grid.
$(B)/tests/bounds: $(call objects,rel,tests/metrology/unit/test_bounds.c tests/bench/unit/tests.c tests/bench/unit/folder.c tests/bench/unit/main.c) $(B)/libphasebench.a $(SIM_LIB)
	$(call link,rel,,-lcmocka)
bounds: $(B)/tests/bounds ## coverage of intervals and bounds of jitter over the whole grid: 400 runs a cell (PB_BOUNDS=show: each figure)
	@PB_BOUNDS=$${PB_BOUNDS:-all} $<

# Hosts with the system's libusb and libftdi1, on boards that phasebench-san serves.
RIG_SRC := $(wildcard tests/usb/rig/test_*.c)
RIG_BIN := $(RIG_SRC:tests/usb/%.c=$(B)/tests/%)
$(RIG_BIN): $(B)/tests/rig/%: $(B)/san/tests/usb/rig/%.o $(call objects,san,$(filter-out $(RIG_SRC),$(wildcard tests/usb/rig/*.c))) $(LIB_san) $(SIM_LIB)
	$(call link,san,,-lcmocka)

RIG_TESTS := $(RIG_SRC:tests/usb/rig/%.c=rig-%)
rig-build: $(RIG_BIN) $(SHIM) $(B)/phasebench-san
$(RIG_TESTS): rig-%: $(B)/tests/rig/% rig-build
	@tests/cmocka-count $(B)/tests $<
rig-check: rig-build ## virtual boards on USB: libusb and libftdi1 as they are, against the served chip and core
	@$(call side_by_side,$(RIG_TESTS))

# An independent log of the URBs that libusb passes to the kernel.
URB_LOG := $(B)/tests/urb_log.so
$(URB_LOG): $(B)/rel/tests/usb/cli/urb_log.o
	@mkdir -p $(@D)
	$(call say,LINK,$@)
	$(Q)$(LINK_rel) -shared -Wl,-z,defs -o $@ $^ -ldl

# Process nodes of the tests: one that can also misbehave, one behind node_pins.h, also as a library, and the template with handlers
# without look-ahead.
NATIVE_NODE   := $(B)/tests/native_node
PINS_NODE     := $(B)/tests/pins_node
FIRMWARE_NODE := $(B)/tests/firmware_node
$(NATIVE_NODE) $(PINS_NODE) $(FIRMWARE_NODE): $(B)/tests/%: $(B)/rel/tests/bench/nodes/%.o $(LIB_rel) $(SIM_LIB)
	$(call link,rel)
$(PINS_NODE).so: $(B)/rel/tests/bench/nodes/pins_node.o $(LIB_rel) $(SIM_LIB)
	$(call say,LINK,$@)
	$(Q)$(LINK_rel) -shared -o $@ $^ $(LIBS) $(CXXLIBS)

# A program that runs the procedures of the bench by the public headers alone.
PROCEDURES := $(B)/tests/procedure
$(PROCEDURES): $(B)/rel/tests/procedure/cli/procedure.o $(LIB_rel) $(SIM_LIB)
	$(call link,rel)

# Each script is a target of its own, whatever wing has it: make cli-record. PROGRAM_name and BESIDES_name: its program, and what else it needs.
CLI_SCRIPTS := $(filter-out %/common.sh %/capture.sh,$(wildcard tests/cli/*.sh tests/*/cli/*.sh))
CLI_TESTS := $(patsubst %.sh,cli-%,$(notdir $(CLI_SCRIPTS)))
PROGRAM_ahead := phasebench
PROGRAM_idle := phasebench
PROGRAM_machine_checkpoint := phasebench
PROGRAM_machine_engines := phasebench-lossy
PROGRAM_memory := phasebench-oom
PROGRAM_validate_faults := phasebench
PROGRAM_usb := phasebench-usb
PROGRAM_procedure := phasebench
BESIDES_process := $(NATIVE_NODE)
BESIDES_procedure := $(PROCEDURES)
BESIDES_ahead := $(B)
BESIDES_image := $(B)
BESIDES_adjacency := $(B)
BESIDES_debug := $(B)
cli-build: all $(FIRMWARE) $(SDK_ELF) $(SHIM) $(NATIVE_NODE) $(PINS_NODE) $(PINS_NODE).so $(FIRMWARE_NODE) $(PROCEDURES) $(addprefix $(B)/phasebench,-san -oom -usb -lossy)
$(CLI_TESTS): cli-%: cli-build
	@tests/tap-count $(B)/tests $@ $(filter %/$*.sh,$(CLI_SCRIPTS)) $(B)/$(or $(PROGRAM_$*),phasebench-san) $(BESIDES_$*)
# For tests/mutants.sh: what one script needs, the script, and what it is given.
NEEDS_process := $(NATIVE_NODE) $(PINS_NODE)
NEEDS_procedure := $(PROCEDURES)
NEEDS_ahead   := $(SHIM) $(PINS_NODE).so $(FIRMWARE_NODE)
NEEDS_machine_ranks := $(B)/libphasebench-mpi.so
CLI_NEEDS := $(CLI_TESTS:cli-%=cli-needs-%)
$(foreach script,$(CLI_TESTS:cli-%=%),$(eval cli-needs-$(script): $(SHIM) $(B)/$(or $(PROGRAM_$(script)),phasebench-san) $(NEEDS_$(script))))
$(CLI_NEEDS): cli-needs-%:
	@echo $(filter %/$*.sh,$(CLI_SCRIPTS)) $(B)/$(or $(PROGRAM_$*),phasebench-san) $(BESIDES_$*)
.PHONY: $(UNIT_TESTS) $(RIG_TESTS) $(CLI_TESTS) $(CLI_NEEDS)
cli-check: cli-build ## the command from outside: exit codes, messages, scripted interfaces; one script: make cli-NAME (NAME.sh)
	@$(call side_by_side,$(CLI_TESTS))

capture-check: $(SHIM) $(URB_LOG) $(B)/phasebench-san ## captures of USB transfers against tshark and a log of every URB
	@tests/tap-count $(B)/tests cli-capture tests/usb/cli/capture.sh $(B)/phasebench-san $(URB_LOG)

# Chromium is large, so in neither ring of checks.
.PHONY: browser-check
browser-check: ## the page of the station in Chromium: scans, go, no-go, stop, login; pictures in build/station-page; the report of a go on paper; the texts of drawings on a phone; the timeline of reports, zoomed and read
	$(call install_group,demo browser)
	@$(MAKE) --no-print-directory -j$$(nproc) $(B)/phasebench
	@rm -rf $(B)/station-page && mkdir -p $(B)/tests
	@tests/tap-count $(B)/tests browser python3 tests/cli/station_page.py $(B)/phasebench $(CURDIR)/tests/production/cli/stand_in.py $(CURDIR)/$(B)/station-page
	@$(MAKE) --no-print-directory timeline-page
	@tests/tap-count $(B)/tests printed python3 tests/cli/print_page.py $(B)/phasebench $(B)/printed-page
	@tests/tap-count $(B)/tests texts python3 tests/cli/text_page.py $(B)/phasebench $(B)/text-page

.PHONY: timeline-page
timeline-page: $(B)/phasebench ## the timeline of reports in Chromium; pictures in build/timeline-page
	@rm -rf $(B)/timeline-page && mkdir -p $(B)/tests
	@tests/tap-count $(B)/tests timeline python3 tests/cli/timeline_page.py $(B)/phasebench $(B)/timeline-page

fault-matrix: all ## every kind of fault on a clean run: injected, detected, named
	@$(B)/phasebench fault --matrix

# The table in docs/use/faults.md is between two comments.
fault-matrix-check: $(B)/phasebench ## the matrix in docs/use/faults.md is the one the bench prints
	@mkdir -p $(B)
	@$(B)/phasebench fault --matrix --markdown > $(B)/fault-matrix.md
	@awk '/<!-- end of the matrix -->/ {on = 0} on {print} /<!-- matrix -->/ {on = 1}' docs/use/faults.md > $(B)/fault-matrix.doc
	@cmp -s $(B)/fault-matrix.md $(B)/fault-matrix.doc || { diff $(B)/fault-matrix.doc $(B)/fault-matrix.md; \
	  echo "docs/use/faults.md does not hold the matrix: put in what build/phasebench fault --matrix --markdown prints" >&2; exit 1; }

mutants-fit: ## every mutant still fits the tree and compiles
	@mkdir -p $(B)/tests
	@tests/tap-count $(B)/tests mutants-fit python3 tests/mutants_fit.py $(CC) $(CPPFLAGS) -I "$$(pg_config --includedir)" $(filter-out -MMD -MP,$(CSTD))

mutants: unit-objects $(B)/phasebench-san ## deliberate mistakes in the code: a test must catch each mutant (ONLY=name, SAMPLE=n, DRAW=n SINCE=commit SEED=n)
	@ONLY='$(ONLY)' SAMPLE='$(SAMPLE)' DRAW='$(DRAW)' SINCE='$(SINCE)' SEED='$(if $(filter file,$(origin SEED)),$(DRAW_SEED),$(SEED))' RING='$(RING)' JOBS='$(or $(WORKERS),$(JOBS))' tests/mutants.sh $(B)

coverage: ## lines and branches of host/ and firmware/app that unit and command tests reach
	$(call install_group,demo check coverage)
	@$(MAKE) --no-print-directory -j$$(nproc) $(COV_BIN) $(RIG_BIN) $(SHIM) $(B)/phasebench-cov $(B)/phasebench-cov-oom $(B)/phasebench-cov-usb
	@tests/coverage.sh $(B)
