# SPDX-FileCopyrightText: The phasebench authors
# SPDX-License-Identifier: Apache-2.0
#
# Bitstreams and their tests; virtual boards under a kernel of their own.

.PHONY: bitstream board-check netlist-check qemu-check
BOARDS := icebreaker icebreaker-fifo hx8k-evn hx8k-evn-fifo hx8k-evn-tdc alchitry-cu icestick
bitstream: ## bitstreams of the boards into build/bitstream/ (BOARD=name for one, SEEDS="1 2 3"); docs/start/boards.md
	$(call install_group,board)
	@set -e; for board in $(or $(BOARD),$(BOARDS)); do rtl/board/bitstream.sh $$board $(B)/bitstream/$$board; echo; done

board-check: ## lint of the tops, pins of the bitstreams, runs on the netlists of the iCEBreaker and of the boards with FIFOs
	$(call install_group,board check)
	@for board in $(BOARDS); do test -s $(B)/bitstream/$$board/$$board.bin || rtl/board/bitstream.sh $$board $(B)/bitstream/$$board || exit 1; done
	@tests/tap-count $(B)/tests board tests/rtl/board/run.sh $(B)/bitstream $(B)/board-check

netlist-check: ## the scenarios of the tree on the synthesized 12-link core, against the Verilog (SCENARIOS="..." for some)
	$(call install_group,demo check board)
	@$(MAKE) --no-print-directory -j$$(nproc) all
	@$(MAKE) --no-print-directory -j$$(nproc) B=$(B)/netlist NETLIST=1 $(B)/netlist/phasebench
	@tests/tap-count $(B)/tests netlist tests/rtl/board/scenarios.sh $(B)/phasebench $(B)/netlist/phasebench $(B)/netlist/runs $(SCENARIOS)

qemu-check: ## virtual boards in QEMU, under Debian's kernel and its ftdi_sio (downloads both once); docs/use/vusb.md
	$(call install_group,demo qemu)
	@$(MAKE) --no-print-directory -j$$(nproc) all $(B)/redir
	@tests/tap-count $(B)/tests qemu tests/usb/qemu/run.sh $(B)
