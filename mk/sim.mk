# SPDX-FileCopyrightText: The phasebench authors
# SPDX-License-Identifier: Apache-2.0
#
# The Verilated models and the glue around them.

# A plain model, which owes nothing to tracing nor to FIFOs, and one that has both, for a window of a repeated run and for the
# pins of a FIFO; `make perf` compares them.
VERILATE := $(VERILATOR) --cc -Wall -O3 --x-assign fast --x-initial fast --noassert -Irtl/core -Irtl/proto/gen -Irtl/node
SHAPE12  := -GLINKS=12 -GLANES=3 -GNODES=1 -GFAULTS=2 -GTDC_TAPS=352 -GCLK_HZ=48000000
SHAPE64  := -GLINKS=64 -GLANES=9 -GNODES=16 -GFAULTS=4 -GEVENT_DEPTH_LOG2=12 -GCLK_HZ=24000000
MODELS   := Vsim12 Vsim12t Vsim64 Vsim64t Vref_node Vag32_fabric
VFLAGS_Vsim12    := $(SHAPE12) -DPB_ANY_RATE -DPB_LEAP
VFLAGS_Vsim12t   := $(SHAPE12) -DPB_ANY_RATE -DPB_LEAP -GFIFOS=1 --trace-fst
VFLAGS_Vsim64    := $(SHAPE64) -DPB_ANY_RATE -DPB_LEAP
VFLAGS_Vsim64t   := $(SHAPE64) -DPB_ANY_RATE -DPB_LEAP -GFIFOS=1 --trace-fst
VFLAGS_Vag32_fabric := --savable
SOURCE_Vref_node := rtl/node/ref_node.v
SOURCE_Vag32_fabric := rtl/node/ag32_fabric.v
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
SIMFLAGS = -std=c++17 $(PIC) -I . -isystem $(VROOT) -isystem $(VROOT)/vltstd $(foreach m,$(MODELS),-isystem $(B)/v/$(m)) $(VDEFS)

# What runs once for a model would take a quarter of the compiler's time if it were optimised.
RARE := __Slow

# $(call compile_model,MODEL,FLAGS,OBJECT): all of a model at once, so that functions can be put into one another.
compile_model = cd $(B)/v/$(1) && { ls *.cpp | grep -v $(RARE); echo '\#pragma clang optimize off'; ls *.cpp | grep $(RARE); } | \
	  sed 's/^[^\#].*/\#include "&"/' > $(3:.o=.cc) && \
	  $(CCACHE) $(SIM_CXX) -std=c++17 -O3 -w $(2) $(PIC) -I . -I $(VROOT) -I $(VROOT)/vltstd $(VDEFS) -c $(3:.o=.cc) -o $(3)

define model_rules
$(B)/v/$(1)/$(1).mk: mk/sim.mk $(CORE_V) $(NODE_V) bench/sim/sim_top.v
	@rm -rf $$(@D) && mkdir -p $$(@D)
	$$(call say,VERILATE,$(1))
	$$(Q)$(VERILATE) --prefix $(1) --Mdir $$(@D) $(VFLAGS_$(1)) $(or $(SOURCE_$(1)),bench/sim/sim_top.v)
$(B)/v/$(1)/$(1)__ALL.o: $(B)/v/$(1)/$(1).mk
	$$(call say,CXX,$(1))
	$$(Q)$$(call compile_model,$(1),$$(PROFILE_$(1)),$$(@F))
endef
$(foreach m,$(MODELS),$(eval $(call model_rules,$(m))))

$(B)/v/%.o: bench/sim/%.cpp $(wildcard bench/sim/*.h) $(foreach m,$(MODELS),$(B)/v/$(m)/$(m).mk)
	$(call say,CXX,$@)
	$(Q)$(CCACHE) $(SIM_CXX) $(SIMFLAGS) -Wall -Wextra -Werror -O2 -c $< -o $@
VERILATED := verilated verilated_fst_c verilated_save verilated_threads
$(B)/v/rt/%.o: mk/sim.mk
	@mkdir -p $(@D)
	$(call say,CXX,$@)
	$(Q)$(CCACHE) $(SIM_CXX) $(SIMFLAGS) -O3 -w -c $(VROOT)/$*.cpp -o $@
SIM_OBJ := $(patsubst bench/sim/%.cpp,$(B)/v/%.o,$(wildcard bench/sim/*.cpp)) \
           $(foreach m,$(MODELS),$(B)/v/$(m)/$(m)__ALL.o) $(VERILATED:%=$(B)/v/rt/%.o)
SIM_LIB := $(B)/libpbsim.a
$(SIM_LIB): $(SIM_OBJ)
	$(archive)
