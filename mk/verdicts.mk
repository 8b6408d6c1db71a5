# SPDX-FileCopyrightText: The phasebench authors
# SPDX-License-Identifier: Apache-2.0
#
# Generated cases: does the bench tell the truth?

# The generator shares no code with the program: it is linked with nothing of it.
$(B)/verdicts/verdicts: $(call objects,rel,$(wildcard tests/verdicts/*.c))
	@mkdir -p $(@D)
	$(call say,LINK,$@)
	$(Q)$(LINK_rel) -o $@ $^ -ljansson -lm
.PHONY: verdicts verdicts-kept verdicts-check
N     ?= 10000
SEED  ?= 1
CLASS ?=
verdicts: all $(B)/verdicts/verdicts ## N generated cases from SEED on: does the bench tell the truth? (CLASS=silent, sound, ...)
	@$(B)/verdicts/verdicts $(B)/phasebench $(B)/verdicts/run -n $(N) -s $(SEED) -j $(or $(JOBS),$(shell nproc)) $(if $(CLASS),-c $(CLASS))
verdicts-kept: all $(B)/verdicts/verdicts # the cases of which a verdict was wrong once
	@tests/tap-count $(B)/tests verdicts-kept $(B)/verdicts/verdicts $(B)/phasebench $(B)/verdicts/check -K tests/verdicts/kept
verdicts-check: verdicts-kept ## the kept cases, and a sample of generated ones
	@tests/tap-count $(B)/tests verdicts $(B)/verdicts/verdicts $(B)/phasebench $(B)/verdicts/check -n 80 -j $(shell nproc) -x 0 -t
