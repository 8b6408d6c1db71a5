# SPDX-FileCopyrightText: The phasebench authors
# SPDX-License-Identifier: Apache-2.0
#
# Benchmarks.

.PHONY: soak perf perf-paired perf-usb perf-mcu perf-programs
soak: all ## a million clean slots: no finding, no alarm, no lost event (minutes)
	@bench/perf/soak.sh $(B)

perf: all $(NATIVE_NODE) $(PINS_NODE).so ## benchmarks: core clocks per second, slow-down against real time; a run of SUPERFRAMES (30000) against a stub core
	@LIBS='$(LIBS) $(CXXLIBS)' bench/perf/run.sh $(B)

perf-paired: all ## benchmark: speed of the simulated bench against that of another commit (COMMIT=HEAD~1), both in turn
	@LIBS='$(LIBS) $(CXXLIBS)' MAKE='$(MAKE)' bench/perf/paired.sh $(B) $(or $(COMMIT),HEAD~1)

perf-usb: all ## benchmark: bytes a second from a virtual board, compared with a plain loop on libftdi1
	@LIBS='$(LIBS) $(CXXLIBS)' bench/perf/usb.sh $(B)

perf-mcu: all firmware ## benchmark: instructions a second of the emulated CPUs, compared with QEMU; memory of a node
	$(call install_group,check)
	@LIBS='$(LIBS) $(CXXLIBS)' bench/perf/mcu.sh $(B)
	@QEMU_ARM='$(QEMU_ARM)' bench/perf/mcu_armv6m.sh $(B)

perf-programs: all firmware ## benchmark: the time that the firmware images need for each program, in simulated time
	@bench/perf/programs.sh $(B)
