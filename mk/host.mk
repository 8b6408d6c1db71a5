# SPDX-FileCopyrightText: The phasebench authors
# SPDX-License-Identifier: Apache-2.0
#
# The library and the command in each variant, the preloaded library, and the installation.

# The libraries of the tests also have the virtual USB, the station and the fixtures of the unit tests; that of the fuzzers has the command.
UNIT_SRC := $(wildcard tests/*/unit/test_*.c)
FIXTURES := $(filter-out $(UNIT_SRC),$(wildcard tests/*/unit/*.c))
# The script of the pages with a timeline, and its source in a content security policy, as a string of C.
SCRIPT := $(B)/script/script.o
$(SCRIPT): host/report/timeline.js mk/host.mk
	@mkdir -p $(@D)
	$(Q)cp $< $(@D)
	$(Q){ printf "'sha256-"; sha256sum < $< | cut -c 1-64 | tr a-f A-F | basenc --decode --base16 | base64 | tr -d '\n'; \
	  printf "'\\000"; } > $(@D)/timeline_source
	$(Q)cd $(@D) && ld -r -b binary -z noexecstack -o $(@F) timeline.js timeline_source

LIB_rel := $(B)/libphasebench.a
VUSB_rel := $(B)/libpbvusb.a
LIB_san := $(B)/libphasebench-san.a
LIB_fuzzing := $(B)/fuzzing/libphasebench.a
LIB_cov := $(B)/cov/libphasebench.a
$(LIB_rel): $(call objects,rel,$(LIB_SRC)) $(SCRIPT)
	$(archive)
$(VUSB_rel): $(call objects,rel,$(VUSB_SRC))
	$(archive)
STATION_rel := $(B)/libpbstation.a
$(STATION_rel): $(call objects,rel,$(STATION_SRC))
	$(archive)
$(LIB_san): $(call objects,san,$(LIB_SRC) $(VUSB_SRC) $(STATION_SRC) $(FIXTURES)) $(SCRIPT)
	$(thin_archive)
$(LIB_fuzzing): $(call objects,fuzzing,$(LIB_SRC) $(VUSB_SRC) $(STATION_SRC) $(CLI_SRC)) $(SCRIPT)
	$(archive)
$(LIB_cov): $(call objects,cov,$(LIB_SRC) $(VUSB_SRC) $(STATION_SRC) $(FIXTURES)) $(SCRIPT)
	$(archive)

# Files embedded in the command. The names of their symbols are made of these paths.
EMBEDDED := host/scenarios/demo.yaml host/production/limits/default.yaml $(wildcard host/production/station/page/*)
$(B)/embedded.o: $(EMBEDDED)
	@mkdir -p $(@D)
	$(Q)ld -r -b binary -z noexecstack -o $@ $(EMBEDDED)

# $(call command,NAME,VARIANT,further SOURCES,VARIABLE with flags)
define command
$(B)/$(1): $(call objects,$(2),$(3) $(CLI_SRC)) $(B)/embedded.o $(VUSB_$(2)) $(STATION_$(2)) $(LIB_$(2)) $(SIM_LIB)
	$$(call link,$(2),$$($(4)),$(CLI_LIBS))
endef
# Variants for tests: a command whose nth allocation fails, one on a mock USB bus, and one with a node that loses frames.
FAIL_ALLOC := $(patsubst %,-Wl$(comma)--wrap=%,malloc calloc realloc strdup json_loadb pb_sim_create)
USB_BUS := $(patsubst %,-Wl$(comma)--wrap=libusb_%,init exit open close get_device_list free_device_list get_device_descriptor \
  get_bus_number get_device_address get_port_numbers get_string_descriptor_ascii ref_device unref_device kernel_driver_active) \
  $(patsubst %,-Wl$(comma)--wrap=ftdi_%,set_usbdev read_eeprom)
LOSSY_NODE := -Wl,--wrap=message_hand_over -Wl,--wrap=message_program_hand_over
$(eval $(call command,phasebench,rel))
$(eval $(call command,phasebench-san,san))
$(eval $(call command,phasebench-oom,san,tests/cli/fail_alloc.c,FAIL_ALLOC))
$(eval $(call command,phasebench-usb,san,tests/usb/cli/usb_bus.c,USB_BUS))
$(eval $(call command,phasebench-lossy,san,tests/machine/cli/lossy_node.c,LOSSY_NODE))
$(eval $(call command,phasebench-cov,cov))
$(eval $(call command,phasebench-cov-oom,cov,tests/cli/fail_alloc.c,FAIL_ALLOC))
$(eval $(call command,phasebench-cov-usb,cov,tests/usb/cli/usb_bus.c,USB_BUS))

# The library that is preloaded so that libusb finds virtual boards.
SHIM := $(B)/libphasebench-vusb.so
$(SHIM): $(call objects,rel,$(USBFS_SRC))
	$(call say,LINK,$@)
	$(Q)$(LINK_rel) -shared -Wl,-z,defs -o $@ $^ -ldl -lpthread

# What several processes of mpirun need, where MPI is installed: loaded by the command that mpirun starts.
MPI := $(if $(shell pkg-config --exists ompi-c && echo yes),$(B)/libphasebench-mpi.so)
MPI_LINK := $(shell pkg-config --libs ompi-c 2>/dev/null)
$(B)/rel/host/machine/mpi/mpi.o: CPPFLAGS += $(subst -I,-isystem ,$(shell pkg-config --cflags ompi-c 2>/dev/null))
$(B)/libphasebench-mpi.so: $(B)/rel/host/machine/mpi/mpi.o
	$(call say,LINK,$@)
	$(Q)$(LINK_rel) -shared -Wl,-z,defs -o $@ $^ $(MPI_LINK)

# Gives virtual boards to QEMU; a program of the tests.
$(B)/redir: $(call objects,rel,$(REDIR_SRC)) $(SHIM)
	$(call say,LINK,$@)
	$(Q)$(LINK_rel) -o $@ $(filter %.o,$^) -L $(B) -lphasebench-vusb -Wl,-rpath,'$$ORIGIN' -lusbredirparser

# For users: the library and the simulated rig that it can run on, shared and as an archive of one object. Both show the functions of
# the public headers only (host/include/phasebench/api.h), not the others that the objects share.
PREFIX  ?= /usr/local
DESTDIR ?=
VERSION := $(shell cat VERSION)
SONAME  := libphasebench.so.$(firstword $(subst ., ,$(VERSION)))
INSTALL := $(B)/install
PUBLIC  := $(call objects,rel,$(LIB_SRC)) $(SCRIPT) $(SIM_OBJ)
$(INSTALL)/libphasebench.so: $(PUBLIC) host/libphasebench.map
	@mkdir -p $(@D)
	$(call say,LINK,$@)
	$(Q)$(LINK_rel) -shared -Wl,-soname,$(SONAME) -Wl,--version-script=host/libphasebench.map -Wl,-z,defs -o $@ $(PUBLIC) $(LIBS) $(CXXLIBS)
$(INSTALL)/libphasebench.o: $(PUBLIC)
	@mkdir -p $(@D)
	$(call say,LD,$@)
	$(Q)ld -r --force-group-allocation -o $@ $^
	$(Q)objcopy --localize-hidden -w --keep-global-symbol='pb_*' $@
$(INSTALL)/libphasebench.a: $(INSTALL)/libphasebench.o
	$(archive)

.PHONY: install-build install uninstall install-check
install-build: all $(INSTALL)/libphasebench.a $(INSTALL)/libphasebench.so
install: install-build ## install into PREFIX (/usr/local); DESTDIR goes before it, for packages
	@LIBS='$(LIBS) $(CXXLIBS)' host/install.sh install $(B) '$(PREFIX)' '$(DESTDIR)'
uninstall: ## remove what install put there
	@host/install.sh uninstall $(B) '$(PREFIX)' '$(DESTDIR)'
install-check: install-build ## a staged install: program, library, pkg-config, manual pages, completions, uninstall
	@LIBS='$(LIBS) $(CXXLIBS)' tests/tap-count $(B)/tests install tests/install/run.sh $(B)

# Pages with blocks generated by the program, each between two comments (host/cli/describe.c).
FRONT := docs/reference/scenario.md
.PHONY: front front-check
front: $(B)/phasebench ## regenerate the tables of docs/reference/scenario.md from the keys that the program knows, and docs/evidence.md
	@set -e; for f in $(FRONT); do $< describe < $$f > $(B)/front.out; cp $(B)/front.out $$f; done
	@python3 tests/evidence.py --write
front-check: $(B)/phasebench
	@set -e; for f in $(FRONT); do $< describe < $$f | cmp -s - $$f || { echo "$$f does not match the program: run make front" >&2; exit 1; }; done
