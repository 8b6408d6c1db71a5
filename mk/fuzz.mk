# SPDX-FileCopyrightText: The phasebench authors
# SPDX-License-Identifier: Apache-2.0
#
# One libFuzzer program for each input of the program.

FUZZ_BIN   := $(patsubst tests/fuzz/fuzz_%.c,$(B)/fuzz/%,$(SRC_fuzzing))
FUZZ_RUNS  ?= 3000
SECONDS    ?= 60

$(B)/fuzzing/host/cli/main.o: CPPFLAGS += -Dmain=phasebench_main -Wno-missing-prototypes
$(FUZZ_BIN): $(B)/fuzz/%: $(B)/fuzzing/tests/fuzz/fuzz_%.o $(LIB_fuzzing) $(B)/embedded.o $(SIM_LIB)
	$(call link,fuzzing,,$(STATION_LIBS))
# Runs both images.
$(B)/fuzz/emulated: | $(B)/ag32/node.elf $(B)/rp2040/node.elf

FUZZ_TESTS := $(SRC_fuzzing:tests/fuzz/fuzz_%.c=fuzz-%)
.PHONY: fuzz-build fuzz fuzz-long $(FUZZ_TESTS)
fuzz-build: $(FUZZ_BIN)
$(FUZZ_TESTS): fuzz-%: $(B)/fuzz/%
	@tests/fuzz/run.sh $(B) $< $(FUZZ_LIMIT)
FUZZ_LIMIT = runs $(FUZZ_RUNS)
fuzz: fuzz-build ## fuzz every input of the program: corpus, known crashes, and FUZZ_RUNS more each; one: make fuzz-NAME
	@$(call side_by_side,$(FUZZ_TESTS))
fuzz-long: fuzz-build ## the same for SECONDS each, with figures
	@$(call side_by_side,FUZZ_LIMIT='seconds $(SECONDS)' $(FUZZ_TESTS))
