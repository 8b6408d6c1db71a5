#!/bin/sh
# SPDX-FileCopyrightText: The phasebench authors
# SPDX-License-Identifier: Apache-2.0
#
# Tests that `flash` refuses a bitstream whose pins the chip of the board drives, too. The chip is virtual, and its
# configuration memory has port B as a UART, as a 245 FIFO, or is erased. Prints TAP.
#
#   tests/cli/flash.sh path/to/phasebench    in its directory: libphasebench-vusb.so
#
# Expected values: docs/start/boards.md, nets of the board in tests/rtl/board/labels/icebreaker.txt (J10 joins BCBUS1, which is TXE# of a FIFO, to
# the FPGA pin that constraints/icebreaker.pcf gives to UART0_RX).
# covers: host/flash/bitstream* host/cli/cmd_flash.c host/usb bench/usb tests/rtl/board/labels constraints

. "$(dirname "$0")/common.sh"
scenario=$scenarios/xor-one-bit.yaml
printf '\377\000made\000\377\176\252\231\176' > small.bin
mkdir tools
printf '#!/bin/sh\necho "$@" > %s/called\n' "$work" > tools/iceprog
chmod +x tools/iceprog
cat > wired << SCRIPT
#!/bin/sh
PATH=$work/tools:\$PATH LD_PRELOAD=$(dirname "$bin")/libphasebench-vusb.so PHASEBENCH_VUSB=./bus PHASEBENCH_VUSB_ONLY=1 PHASEBENCH_LOCK_DIR=. \
    ASAN_OPTIONS=verify_asan_link_order=0 exec $bin "\$@"
SCRIPT
chmod +x wired

serve() { # MEMORY
    rm -f serve.log
    "$bin" serve "$scenario" --usb ./bus --usb-options "eeprom=$1" > serve.log 2>&1 &
    server=$!
    wait_for '^serving' serve.log
    point "a board is served: eeprom=$1" $?
    whole=$bin bin=$work/wired
}
stop() {
    bin=$whole
    kill -TERM $server
    wait $server
}

[ "$(sed -n 's/^FTDI BCBUS1 by J10; //p' "$root/tests/rtl/board/labels/icebreaker.txt")" = \
    "$(sed -n 's/^set_io UART0_RX *\([0-9]*\) .*/\1/p' "$root/constraints/icebreaker.pcf")" ]
point 'jumper J10 joins TXE# to the pin of UART0_RX' $?

serve fifo
refuses 'icebreaker, with port B a FIFO' 4 'port B is a 245 FIFO in its EEPROM.* J3 to J13; open them with the power off, set port B to UART' \
    flash icebreaker small.bin
refuses '... with --dry-run, too' 4 'port B is a 245 FIFO' flash icebreaker small.bin --dry-run
[ ! -e called ]
point '... and no programmer was started' $?
exits 'icebreaker-fifo, with port B a FIFO' 0 flash icebreaker-fifo small.bin
says 'names the order of what is next' '^icebreaker-fifo written; next set port B .* 245 FIFO, then close J3 to J13 with the power off, then try'
exits 'a board without such jumpers' 0 flash hx8k-evn small.bin
stop
for memory in uart blank; do
    serve $memory
    exits "icebreaker, with memory $memory" 0 flash icebreaker small.bin
    exits "icebreaker-fifo before its EEPROM is set, with memory $memory" 0 flash icebreaker-fifo small.bin
    stop
done
finish
