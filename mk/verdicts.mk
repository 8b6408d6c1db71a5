# SPDX-FileCopyrightText: The phasebench authors
# SPDX-License-Identifier: Apache-2.0
#
# Generated cases with known verdicts, against the verdicts of the bench.

# The generator shares no code with the program, and is not linked with it.
$(B)/verdicts/verdicts: $(call objects,rel,$(wildcard tests/verdicts/*.c))
	@mkdir -p $(@D)
	$(call say,LINK,$@)
	$(Q)$(LINK_rel) -o $@ $^ -ljansson -lm
.PHONY: verdicts verdicts-kept verdicts-sample verdicts-check sentences
N     ?= 10000
SEED  ?= 1
CLASS ?=
verdicts: all $(B)/verdicts/verdicts ## N generated cases from SEED on: is each verdict of the bench correct? (CLASS=silent, sound, ...)
	@$(B)/verdicts/verdicts $(B)/phasebench $(B)/verdicts/run -n $(N) -s $(SEED) -j $(JOBS) $(if $(CLASS),-c $(CLASS))
verdicts-kept: all $(B)/verdicts/verdicts # the cases that once had an incorrect verdict
	@tests/tap-count $(B)/tests $@ $(B)/verdicts/verdicts $(B)/phasebench $(B)/verdicts/kept -K tests/verdicts/kept
verdicts-sample: all $(B)/verdicts/verdicts
	@tests/tap-count $(B)/tests $@ $(B)/verdicts/verdicts $(B)/phasebench $(B)/verdicts/sample -n 80 -j $(JOBS) -x 0 -t
verdicts-check: all $(B)/verdicts/verdicts ## the kept cases, and a sample of generated ones
	@$(call side_by_side,verdicts-kept verdicts-sample)
VERB ?= regress
sentences: all ## each defect of docs/node.md through the cases that it names (VERB=validate, ONLY="F2 late_edge", KEYS=once, SAMPLE=n)
	@ONLY="$(ONLY)" KEYS="$(KEYS)" SAMPLE="$(SAMPLE)" python3 tests/verdicts/sentences.py $(B)/phasebench $(B)/verdicts/sentences $(VERB)
