# SPDX-FileCopyrightText: The phasebench authors
# SPDX-License-Identifier: Apache-2.0
#
# Generated files, tests and proofs of the Verilog.

.PHONY: gen gen-check lint rtl-check proofs proof-check proof-mutants rtl-mutants area
GEN_SRC := rtl/proto/genregs.c rtl/proto/genlayout.c
gen: ## regenerate the files made from rtl/proto/regs.def
	@mkdir -p $(B)
	$(CC) -std=c11 $(WARN) -o $(B)/genregs $(GEN_SRC)
	$(B)/genregs c > rtl/proto/gen/pb_regs.h
	$(B)/genregs vh > rtl/proto/gen/pb_regs.vh
	$(B)/genregs v > rtl/proto/gen/pb_regfile.v
	$(B)/genregs md > docs/reference/registers.md
	$(B)/genregs protocol < docs/reference/protocol.md > $(B)/protocol.md
	cp $(B)/protocol.md docs/reference/protocol.md

gen-check: front-check ## generated files match their source, no layout is typed by hand, the generator refuses bad rows
	@mkdir -p $(B)/gen
	@$(CC) -std=c11 $(WARN) -o $(B)/gen/genregs $(GEN_SRC)
	@set -e; for k in c:rtl/proto/gen/pb_regs.h vh:rtl/proto/gen/pb_regs.vh v:rtl/proto/gen/pb_regfile.v md:docs/reference/registers.md \
	  protocol:docs/reference/protocol.md; do \
	  $(B)/gen/genregs $${k%%:*} < docs/reference/protocol.md > $(B)/gen/out; \
	  cmp -s $(B)/gen/out $${k#*:} || { echo "$${k#*:} does not match rtl/proto/regs.def: run make gen" >&2; exit 1; }; done
	@tests/rtl/proto/run.sh $(B)/gen

lint: ## verilator --lint-only -Wall over every configuration
	@tests/rtl/lint.sh $(VERILATOR)

rtl-check: ## Verilog benches in Icarus, cross-checked against Verilator
	@tests/rtl/run.sh $(B)/tests/rtl
RTL_BENCHES := $(patsubst tests/rtl/%.v,rtl-%,$(wildcard tests/rtl/tb_*.v))
.PHONY: $(RTL_BENCHES)
$(RTL_BENCHES): rtl-%: # one bench
	@ONLY=$* tests/rtl/run.sh $(B)/tests/rtl/$*

proofs: ## every formal proof, one line each; one of them: make proof-NAME (bench/formal/NAME.v)
	$(call install_group,check)
	@bench/formal/run.sh $(B)/proofs

proof-check: ## the proofs that are part of make check-deep
	@GROUP=check bench/formal/run.sh $(B)/tests/proofs

proof-mutants: ## every proof fails on a core with a deliberate defect
	$(call install_group,check)
	@bench/formal/mutants.sh $(B)/proof-mutants

rtl-mutants: ## small mistakes at every place of the Verilog: a bench or a proof must detect each (ONLY=module, SAMPLE=n, JOBS=n)
	$(call install_group,check)
	@python3 tests/rtl/test_mutate.py
	@ONLY='$(ONLY)' SAMPLE='$(SAMPLE)' JOBS='$(if $(filter file,$(origin JOBS)),1,$(JOBS))' python3 tests/rtl/mutants.py $(B)/rtl-mutants

proof-%:
	@bench/formal/run.sh $(B)/proofs $*

area: ## cells of the 12-link core on an iCE40 (yosys), with and without fault units
	$(call install_group,check)
	@mkdir -p $(B)/area
	@for units in 0 2; do cd $(CURDIR)/rtl/core && $(YOSYS) -q -p "read_verilog -I. -I../proto/gen ../proto/gen/pb_regfile.v $(notdir $(wildcard rtl/core/*.v)); \
	  chparam -set FAULTS $$units pb_core; synth_ice40 -dffe_min_ce_use 12 -abc9 -device u -top pb_core; tee -q -o ../../$(B)/area/core12_$$units.txt stat" 2> ../../$(B)/area/core12_$$units.log; \
	  awk -v units=$$units '/SB_LUT4|SB_RAM40|SB_DFF/ {n[substr($$1,1,6)] += $$2} END {printf "12-link core, %d fault units: %d LUT4, %d flip-flops, %d block RAMs; a UP5K has 5280 logic cells and 30 block RAMs, an HX8K 7680 and 32\n", units, n["SB_LUT"], n["SB_DFF"], n["SB_RAM"]}' ../../$(B)/area/core12_$$units.txt; done
