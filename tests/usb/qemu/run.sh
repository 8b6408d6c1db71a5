#!/bin/sh
# SPDX-FileCopyrightText: The phasebench authors
# SPDX-License-Identifier: Apache-2.0
#
# Virtual boards behind QEMU's usb-redir, in a guest with Debian's kernel: makes the guest, serves the boards, prints the guest's
# TAP (guest.sh) and adds what only the outside can see. Usage, from the top of the tree: run.sh BUILD-DIR
#
# evidence: virtual chip and driver under a Linux kernel
#   in a virtual machine Debian's kernel and its `ftdi_sio` bind the virtual chip; the driver detaches it,
#   runs with the same result, and re-attaches it
#   also: make qemu-check
# covers: bench/usb
build=$(cd "${1:?usage: run.sh BUILD-DIR}" && pwd) || exit 4
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
limit_s=${QEMU_LIMIT_S:-900}
kernel=$build/qemu/kernel
scenarios=$root/host/scenarios

fail() {
    echo "Bail out! $1"
    echo "qemu-check: $1" >&2
    exit 4
}
for tool in qemu-system-x86_64 busybox cpio lsusb usbreset ftdi_eeprom xz dpkg-deb; do
    command -v $tool > /dev/null || fail "$tool is missing; install the packages of group qemu in packages.list"
done
for file in phasebench redir libphasebench-vusb.so; do
    [ -x "$build/$file" ] || fail "$build/$file is missing; make qemu-check builds it"
done
"$here/kernel.sh" "$kernel" || exit 4

work=$(mktemp -d) || exit 4
pids=
cleanup() { # $pids: those that were not waited for, so no other process has their numbers
    for pid in $pids; do kill "$pid" 2> /dev/null; done
    for pid in $pids; do wait "$pid" 2> /dev/null; done
    rm -rf "$work"
}
trap cleanup EXIT
trap 'exit 130' INT TERM
cd "$work" || exit 4

# ---------------------------------------------------------------- the guest
guest=$work/guest
with_libraries() { # PROGRAM: into the guest, at /bin
    cp "$1" "$guest/bin/" || exit 4
    ldd "$1" | awk '$2 == "=>" {print $3} $1 ~ /^\// {print $1}' | while read -r library; do
        mkdir -p "$guest$(dirname "$library")"
        cp -L "$library" "$guest$library" || exit 4
    done
}
outside() { # FILE SCENARIO RIG [OPTION]...: what the same run says here
    file=$1 scenario=$2 rig=$3
    shift 3
    timeout 300 "$build/phasebench" run "$scenarios/$scenario.yaml" --rig "$rig" "$@" 2>&1 |
        sed -Ef "$here/strip" > "$guest/expected/$file"
    [ -s "$guest/expected/$file" ] || fail "no result of '$scenario' on $rig"
}
for folder in bin dev proc sys tmp run modules expected share/phasebench; do mkdir -p "$guest/$folder" || exit 4; done
for program in "$build/phasebench" lsusb usbreset ftdi_eeprom; do with_libraries "$(command -v "$program")"; done
cp "$(command -v busybox)" "$guest/bin/"
cp "$kernel"/modules/* "$guest/modules/"
cp "$here/init" "$here/guest.sh" "$guest/" && chmod +x "$guest/init"
cp "$here/lsusb.expected" "$guest/expected/lsusb"
cp -r "$scenarios" "$guest/share/phasebench/"
cp "$here/strip" "$guest/"
outside uart.json xor-one-bit vusb: --json
outside fifo.json broken/flipped-bit 'vusb:?mode=fifo' --json
outside sync.json xor-one-bit 'vusb:?mode=syncfifo' --json
outside unplugged xor-one-bit 'vusb:?serial=UART&unplug=2000' --superframes 100000 --quiet
(cd "$guest" && find . | cpio -o -H newc -R 0:0 --quiet) > initramfs || fail 'cannot pack the guest'

# ---------------------------------------------------------------- the boards
wait_for() { # REGEX FILE: up to half a minute
    tries=0
    until grep -Eq -- "$1" "$2" 2> /dev/null; do
        tries=$((tries + 1))
        [ $tries -le 300 ] || return 1
        sleep 0.1
    done
}
serve() { # BOARD SCENARIO OPTIONS
    "$build/phasebench" serve "$2" --usb boards --usb-options "serial=$1${3:+&$3}" > "$1.log" 2>&1 &
    pids="$pids $!"
    "$build/redir" boards "$1" "$1.redir" > "$1.redir.log" 2>&1 &
    pids="$pids $!"
    wait_for '^serving' "$1.log" && wait_for 'waiting for a guest' "$1.redir.log" ||
        fail "board $1 is not served: $(tail -qn 1 "$1.log" "$1.redir.log" | tr '\n' ' ')"
}
mkdir boards || exit 4
serve UART "$scenarios/xor-one-bit.yaml"
serve SLOW "$scenarios/xor-one-bit.yaml" baud=460800
serve QUICK "$scenarios/xor-one-bit.yaml" baud=2500000
serve ECHO "$scenarios/xor-one-bit.yaml" device=echo
serve FIFO "$scenarios/broken/flipped-bit.yaml" mode=fifo
serve SYNC "$scenarios/xor-one-bit.yaml" mode=sync
for board in SLOW QUICK ECHO FIFO SYNC; do
    echo unplug > boards/$board/control
    wait_for 'unplugged' $board.log || fail "board $board stays plugged in"
done
boards='UART SLOW QUICK ECHO FIFO SYNC' servers=$pids
# Lines "BOARD LINE" of the guest go to the board's control pipe.
mkfifo orders
while read -r board line; do
    for folder in boards/$board boards/.$board; do
        [ ! -p "$folder/control" ] || echo "$line" > "$folder/control"
    done
done < orders & # ends with QEMU
relay=$!
pids="$servers $relay"

# ---------------------------------------------------------------- the run
# Nothing that the chip says of itself is to be changed on the way; usb-redir would take out that it can wake the host.
set --
for board in $boards; do
    [ $board = UART ] && bus=ehci || bus=xhci
    set -- "$@" -chardev "socket,id=$board,path=$board.redir" -device "usb-redir,chardev=$board,bus=$bus.0,suppress-remote-wake=off"
done
timeout -k 10 "$limit_s" qemu-system-x86_64 -accel tcg -M pc -m 512 -smp 2 -nodefaults -display none -no-reboot \
    -kernel "$kernel/vmlinux" -initrd initramfs -append 'console=ttyS0 quiet loglevel=4 panic=-1' \
    -chardev file,id=console,path=console -serial chardev:console -chardev file,id=tap,path=tap -serial chardev:tap \
    -chardev file,id=orders,path=orders -serial chardev:orders \
    -device usb-ehci,id=ehci -device qemu-xhci,id=xhci,p2=8 "$@" > qemu.log 2>&1 &
qemu=$!
pids="$servers $relay $qemu"
wait $qemu
status=$?
pids="$servers $relay"
mkdir -p "$build/qemu" && cp console tap ./*.log "$build/qemu/"
echo "# kernel $(cat "$kernel/release"), $(qemu-system-x86_64 --version | head -n 1)"
grep -v '^1\.\.' tap
count=$(grep -Ec '^(not )?ok ' tap)
bad=$(grep -c '^not ok ' tap)

# ---------------------------------------------------------------- what only the outside can see
point() { # NAME STATUS
    count=$((count + 1))
    if [ "$2" -eq 0 ]; then
        echo "ok $count - $1"
    else
        bad=$((bad + 1))
        echo "not ok $count - $1"
    fi
}
[ $status -eq 0 ] && grep -qx "1..$count" tap
point "the guest came to its end (console and logs: $build/qemu)" $?
! grep -E 'Oops|BUG:|Call Trace|WARNING:' console
point 'no oops in it' $?
for board in $boards; do
    ! grep -Ev "^$board: (waiting for|guest: qemu|connected to|disconnected from|another device after|the guest has gone)" "$board.redir.log"
    point "$board: usb-redir without a complaint" $?
done
kill $servers
unwell=0
for pid in $servers; do
    wait "$pid" || { unwell=$((unwell + 1)); echo "# process $pid of $servers ended with $?"; }
done
pids=$relay
[ $unwell -eq 0 ] && [ -z "$(ls -A boards)" ] && [ -z "$(ls -- *.redir 2> /dev/null)" ]
point 'servers end well and leave nothing' $?
echo "1..$count"
[ "$bad" -eq 0 ]
