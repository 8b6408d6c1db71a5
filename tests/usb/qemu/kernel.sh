#!/bin/sh
# SPDX-FileCopyrightText: The phasebench authors
# SPDX-License-Identifier: Apache-2.0
#
# Debian's present kernel, downloaded but not installed: DIR/vmlinux, DIR/release, and the modules of tests/usb/qemu/modules with
# that list in DIR/modules. Does nothing when they are there. Usage: kernel.sh DIR
# helps: tests/usb/qemu/run.sh
dir=${1:?usage: kernel.sh DIR}
here=$(cd "$(dirname "$0")" && pwd)
fail() {
    echo "qemu-check: $1" >&2
    exit 4
}
[ ! -s "$dir/release" ] || ! cmp -s "$here/modules" "$dir/modules/order" || exit 0

package=$(apt-cache depends linux-image-amd64 2> /dev/null | awk '$1 == "Depends:" && $2 ~ /^linux-image-[0-9]/ {print $2; exit}')
[ -n "$package" ] || fail "apt-cache knows no package linux-image-amd64; run apt-get update, on Debian 12"
rm -rf "$dir"
mkdir -p "$dir/deb" || exit 4
# Root's apt-get would rather be another user, who may not write here, and says so.
(cd "$dir/deb" && timeout 600 apt-get download -q -o APT::Sandbox::User=root "$package") > "$dir/log" 2>&1 &&
    dpkg-deb -x "$dir"/deb/*.deb "$dir/deb/root" >> "$dir/log" 2>&1 ||
    fail "cannot download $package, see $dir/log; run apt-get update"

# The kernel itself, as it lies compressed in the file that a boot loader takes (Documentation/arch/x86/boot.rst): QEMU starts
# it at once, where the loader's way takes as long again to unpack it.
image=$(echo "$dir"/deb/root/boot/vmlinuz-*)
number() { # OFFSET BYTES
    od -An -t "u$2" -j "$1" -N "$2" "$image" | tr -d ' '
}
start=$((($(number 497 1) + 1) * 512 + $(number 584 4)))
length=$(($(number 588 4) - 4)) # what follows is its unpacked size
tail -c +$((start + 1)) "$image" | head -c "$length" | xz -dc > "$dir/vmlinux" 2>> "$dir/log" ||
    fail "the kernel of $package is not packed with xz"

mkdir "$dir/modules"
for module in $(grep -v '^#' "$here/modules"); do
    found=$(find "$dir/deb/root/lib/modules" -name "$module.ko")
    [ -n "$found" ] || fail "$package has no module $module"
    cp "$found" "$dir/modules/" || exit 4
done
cp "$here/modules" "$dir/modules/order"
rm -rf "$dir/deb"
echo "${image##*/vmlinuz-}" > "$dir/release"
