# SPDX-FileCopyrightText: The phasebench authors
# SPDX-License-Identifier: Apache-2.0
#
# One libFuzzer program for each input of the program.

FUZZ_BIN   := $(patsubst fuzz_%.c,$(B)/fuzz/%,$(notdir $(SRC_fuzzing)))
FUZZ_RUNS  ?= 3000
SECONDS    ?= 60

$(B)/fuzzing/host/cli/main.o: CPPFLAGS += -Dmain=phasebench_main -Wno-missing-prototypes
define fuzz_program
$(patsubst fuzz_%.c,$(B)/fuzz/%,$(notdir $(1))): $(call objects,fuzzing,$(1)) $(LIB_fuzzing) $(B)/embedded.o $(SIM_LIB)
	$$(call link,fuzzing,,$(CLI_LIBS))
endef
$(foreach program,$(SRC_fuzzing),$(eval $(call fuzz_program,$(program))))
# Runs both images.
$(B)/fuzz/emulated: | $(B)/ag32/node.elf $(B)/rp2040/node.elf

FUZZ_TESTS := $(FUZZ_BIN:$(B)/fuzz/%=fuzz-%)
.PHONY: fuzz-build fuzz fuzz-long $(FUZZ_TESTS)
fuzz-build: $(FUZZ_BIN)
$(FUZZ_TESTS): fuzz-%: $(B)/fuzz/%
	@tests/fuzz.sh $(B) $< $(FUZZ_LIMIT)
FUZZ_LIMIT = runs $(FUZZ_RUNS)
fuzz: fuzz-build ## fuzz every input of the program: corpus, known crashes, and FUZZ_RUNS more each; one: make fuzz-NAME
	@$(call side_by_side,$(FUZZ_TESTS))
fuzz-long: fuzz-build ## the same for SECONDS each, with figures
	@$(call side_by_side,FUZZ_LIMIT='seconds $(SECONDS)' $(FUZZ_TESTS))
