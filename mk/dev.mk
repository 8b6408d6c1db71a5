# SPDX-FileCopyrightText: The phasebench authors
# SPDX-License-Identifier: Apache-2.0
#
# For the inner loop: a check that detects most mistakes within a minute, and the layout of the sources.

# Tests that run no bench, or a short one.
QUICK := $(patsubst %,$(B)/tests/unit/test_%,budget check cube device flow kinds layout network packet plan report_json \
         scenario traffic)

.PHONY: quick format format-check
quick: ## in the inner loop: build, layers, layout, some unit tests, every shipped scenario read, some run (CONTRIBUTING.md)
	@$(MAKE) --no-print-directory -j$(JOBS) all $(QUICK)
	@$(MAKE) --no-print-directory layers format-check
	@$(call side_by_side,$(QUICK:$(B)/tests/unit/%=unit-%))
	@$(B)/phasebench run --check host/scenarios >/dev/null
	@for wanted in 0:demo 0:faults/babble 1:broken/flipped-bit; do \
	  $(B)/phasebench run host/scenarios/$${wanted#*:}.yaml --quiet --out $(B)/quick >/dev/null; \
	  [ $$? -eq $${wanted%%:*} ] || { echo "quick: $${wanted#*:} does not end with exit code $${wanted%%:*}" >&2; exit 1; }; done
	@echo "ok    quick"

format: ## remove blanks at line ends, break long lines of C (needs clang-format); changes no other layout
	@tests/format.sh mend

format-check: ## columns of C, headers of Verilog, blanks, tabs; words that comments and pages do not use
	@mkdir -p $(B)/tests
	@tests/tap-count $(B)/tests format tests/format.sh check
	@tests/tap-count $(B)/tests words python3 tests/words.py
	@tests/tap-count $(B)/tests lines python3 tests/changed.py lines

# What depends on the files that changed. Only its objects show what a unit test is linked of, so only the tests that are picked are linked.
.PHONY: check-changed changed-test unit-objects
unit-objects: $(call objects,san,$(LIB_SRC) $(VUSB_SRC) $(STATION_SRC) $(FIXTURES) $(UNIT_SRC) $(wildcard tests/usb/rig/*.c)) $(SIM_LIB)
check-changed: ## what depends on the files that changed, in about two minutes (SINCE=commit, MINUTES=n)
	$(call install_group,demo check)
	@mkdir -p $(B)/tests && find $(B)/tests -name '*.count' -delete
	@! SINCE='$(SINCE)' tests/changed.py objects || $(MAKE) --no-print-directory -j$(JOBS) unit-objects
	@set -e; export JOBS='$(JOBS)' SINCE='$(SINCE)' MINUTES='$(MINUTES)' LONG='$(LONG)'; picked=$$(tests/changed.py pick $(B)); \
	  [ -n "$$picked" ] || exit 0; export FILES="$$(tests/changed.py files)"; status=0; \
	  $(call side_by_side,$$picked) || status=$$?; tests/summary $(B)/tests $$status
changed-test: unit-objects $(B)/tests/unit/test_history $(B)/tests/unit/test_packet # tests/changed.py picks what it should
	@tests/tap-count $(B)/tests $@ python3 tests/test_changed.py $(B)
