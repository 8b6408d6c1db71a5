# SPDX-FileCopyrightText: The phasebench authors
# SPDX-License-Identifier: Apache-2.0
#
# The profile of the plain model of one node board: a copy of the model that counts which ways it takes runs a node at full load, and the
# model of all programs is compiled with these counts. They are made anew when the Verilog changes, not when the host does.
# TRAIN=no compiles without them.

TRAIN   ?= yes
PROFILE := $(B)/v/Vsim12/core.profdata
COUNTED := $(B)/v/Vsim12/counted

ifneq ($(and $(filter yes,$(TRAIN)),$(findstring clang,$(SIM_CXX)),$(if $(NETLIST),,yes)),)
$(B)/v/Vsim12/Vsim12__ALL.o: $(PROFILE)
PROFILE_Vsim12 := -fprofile-use=$(notdir $(PROFILE))
endif

# The library of the run is looked at only where new counts are due, so that a test under sanitizers needs no object without them.
# A core that fails this run (wrong Verilog) gets an empty profile: what is wrong with it is the matter of the tests.
TRAIN_SRC := bench/perf/train.c bench/perf/bench.c bench/perf/figures.c
SRC_rel += $(TRAIN_SRC)
COUNTS_OF := $(CORE_V) $(NODE_V) bench/sim/sim_top.v mk/sim.mk mk/train.mk $(TRAIN_SRC)
TRAIN_OBJ := $(call objects,rel,$(TRAIN_SRC)) $(filter-out %/Vsim12__ALL.o,$(PUBLIC))
DUE       := $(if $(wildcard $(PROFILE)),$(shell find $(COUNTS_OF) -newer $(PROFILE)),yes)
$(PROFILE): $(B)/v/Vsim12/Vsim12.mk mk/train.mk $(TRAIN_SRC) | $(if $(DUE),$(TRAIN_OBJ))
	$(call say,TRAIN,$@)
	@command -v $$($(SIM_CXX) -print-prog-name=llvm-profdata) >/dev/null || \
	  { echo "phasebench: llvm-profdata is missing: apt-get install llvm, or make TRAIN=no" >&2; exit 4; }
	$(Q)$(call compile_model,Vsim12,-fprofile-generate,counted.o)
	$(Q)rm -rf $(COUNTED).profraw && $(SIM_CXX) -fprofile-generate $(LDFLAGS) -o $(COUNTED) $(COUNTED).o $(TRAIN_OBJ) $(LIBS) $(CXXLIBS) || \
	  { echo "phasebench: this needs the run-time library of clang: apt-get install libclang-rt-14-dev, or make TRAIN=no" >&2; exit 4; }
	$(Q)LLVM_PROFILE_FILE=$(COUNTED).profraw timeout 300 $(COUNTED) || { rm -f $(COUNTED).profraw; echo ':ir' > $(COUNTED).profraw; }
	$(Q)$$($(SIM_CXX) -print-prog-name=llvm-profdata) merge -o $@ $(COUNTED).profraw
	$(Q)rm -f $(COUNTED) $(COUNTED).o $(COUNTED).profraw
