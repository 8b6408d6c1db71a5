# SPDX-FileCopyrightText: The phasebench authors
# SPDX-License-Identifier: Apache-2.0
#
# One libFuzzer program for each input of the program.

FUZZ_BIN   := $(patsubst tests/fuzz/fuzz_%.c,$(B)/fuzz/%,$(SRC_fuzzing))
FUZZ_RUNS  ?= 3000
SECONDS    ?= 60

$(B)/fuzzing/host/cli/main.o: CPPFLAGS += -Dmain=phasebench_main -Wno-missing-prototypes
$(FUZZ_BIN): $(B)/fuzz/%: $(B)/fuzzing/tests/fuzz/fuzz_%.o $(LIB_fuzzing) $(B)/embedded.o $(SIM_LIB)
	$(call link,fuzzing)
# Runs both images.
$(B)/fuzz/emulated: | $(B)/ag32/node.elf $(B)/rp2040/node.elf

.PHONY: fuzz-build fuzz fuzz-long
fuzz-build: $(FUZZ_BIN)
fuzz: $(FUZZ_BIN) ## fuzz every input of the program: corpus, known crashes, and FUZZ_RUNS more each
	@tests/fuzz/run.sh $(B) runs $(FUZZ_RUNS) $(FUZZ_BIN)
fuzz-long: $(FUZZ_BIN) ## the same for SECONDS each, with figures
	@tests/fuzz/run.sh $(B) seconds $(SECONDS) $(FUZZ_BIN)
