# SPDX-FileCopyrightText: The phasebench authors
# SPDX-License-Identifier: Apache-2.0
#
# What is compiled, and the one rule that compiles C: build/VARIANT/PATH.o from PATH.c, for each variant.

# The library; the boards on a virtual USB, the operator's station and animated pictures, which the command alone knows; and what is preloaded so that libusb finds them.
LIB_SRC   := $(filter-out host/cli/% host/machine/mpi/% host/machine/picture/% host/production/station/%,$(wildcard host/*/*.c host/*/*/*.c)) rtl/proto/packet.c $(wildcard firmware/app/*.c \
             bench/registry/*.c bench/nodes/*.c bench/nodes/native/*.c bench/sim/*.c bench/emulator/*.c) \
             $(filter-out bench/emulator/simavr/%,$(wildcard bench/emulator/*/*.c)) $(wildcard firmware/port/*.c firmware/port/message/*.c)
VUSB_SRC  := $(wildcard bench/usb/chip/*.c bench/usb/server/*.c)
USBFS_SRC := $(wildcard bench/usb/preload/*.c)
CLI_SRC   := $(wildcard host/cli/*.c)
STATION_SRC := $(wildcard host/production/station/*.c host/machine/picture/*.c)
REDIR_SRC := $(wildcard bench/usb/redirect/*.c)
CORE_V    := $(wildcard rtl/core/*.v) $(wildcard rtl/core/*.vh) rtl/proto/gen/pb_regfile.v rtl/proto/gen/pb_regs.vh
NODE_V    := $(wildcard rtl/node/*.v)

WARN     := -Wall -Wextra -Werror
CPPFLAGS += -I host/include -I . -D_POSIX_C_SOURCE=200809L -DPB_VERSION='"$(shell cat VERSION)"' -DPB_CC='"$(CC)"'
CSTD     := -std=c11 $(WARN) -MMD -MP
CFLAGS   ?= -O2 -g
# The tests run as fast as under -O1, which takes two thirds more time to compile. Of debug information a sanitizer's report needs lines.
SAN      := -Og -g1 -fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer
FUZZ_CC  := clang
PIC      := -fPIC -fvisibility=hidden
LIBS     := -lftdi1 -lusb-1.0 -lyaml -ljansson -lsqlite3 -lpq -lcsv -lzip -lz -ldw -lelf -lm
# Of the command alone.
CLI_LIBS := -lmicrohttpd -lgif
CXXLIBS  := -lstdc++ -lpthread -latomic

VARIANTS := rel san fuzzing cov
# Objects name no directory of this computer: nothing that is installed shows one, and ccache finds those of another clone.
SAME_ANYWHERE := -ffile-prefix-map=$(CURDIR)=.
COMPILE_rel = $(CC) $(CFLAGS) $(PIC) $(SAME_ANYWHERE)
COMPILE_san = $(CC) $(SAN) $(SAME_ANYWHERE)
COMPILE_fuzzing = $(FUZZ_CC) $(SAN) -fsanitize=fuzzer-no-link $(SAME_ANYWHERE)
COMPILE_cov = $(CC) -O0 -g --coverage
# What a variant has in addition to the library, the virtual USB and the command:
TESTS_SRC := $(wildcard tests/*/unit/*.c tests/usb/rig/*.c tests/cli/*.c tests/*/cli/*.c)
SRC_rel := host/machine/mpi/mpi.c $(USBFS_SRC) $(REDIR_SRC) $(wildcard tests/verdicts/*.c tests/bench/nodes/*.c tests/emulator/mcu/*.c bench/emulator/simavr/*.c) tests/emulator/target/avr_run.c tests/usb/cli/urb_log.c
SRC_san := $(TESTS_SRC)
SRC_fuzzing := $(wildcard tests/*/fuzz/*.c)
SRC_cov := $(TESTS_SRC)

define compile
$(B)/$(1)/%.o: %.c mk/compile.mk VERSION
	@mkdir -p $$(@D)
	$$(call say,CC,$$<)
	$$(Q)$$(CCACHE) $$(COMPILE_$(1)) $$(CPPFLAGS) $$(CSTD) -c $$< -o $$@
endef
$(foreach v,$(VARIANTS),$(eval $(call compile,$(v))))

# Asked only where it is needed: the package may be installed by the same make.
$(foreach v,$(VARIANTS),$(B)/$(v)/host/production/history/postgres.o): CPPFLAGS += -I $(shell pg_config --includedir)

objects = $(patsubst %.c,$(B)/$(1)/%.o,$(2))

LINK_rel = $(CC) $(CFLAGS)
LINK_san = $(CC) $(SAN)
LINK_fuzzing = $(FUZZ_CC) $(SAN) -fsanitize=fuzzer
LINK_cov = $(CC) --coverage
# It links a test in a third of the time. But where a function is to be wrapped, it also wraps calls from the object that defines it.
LLD := $(if $(shell command -v ld.lld 2>/dev/null),-fuse-ld=lld)
LINKER_san = $(if $(filter -Wl$(comma)--wrap=%,$(LDFLAGS) $(2)),,$(LLD))
# $(call link,VARIANT,FLAGS,LIBRARIES): the rest of a rule that makes a program of its prerequisites.
define link
	@mkdir -p $(@D)
	$(call say,LINK,$@)
	$(Q)$(LINK_$(1)) $(LINKER_$(1)) $(LDFLAGS) $(2) -o $@ $(filter %.o %.a,$^) $(3) $(LIBS) $(CXXLIBS)
endef
define archive
	$(call say,AR,$@)
	$(Q)rm -f $@ && ar rcs $@ $^
endef
# An archive that names its objects in place of copies: for those that are made anew with each mutant, and go nowhere else.
define thin_archive
	$(call say,AR,$@)
	$(Q)rm -f $@ && ar rcs --thin $@ $^
endef
