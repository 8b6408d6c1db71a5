#!/bin/sh
# SPDX-FileCopyrightText: The phasebench authors
# SPDX-License-Identifier: Apache-2.0
#
# Puts what was built into a prefix, or takes it away again. Usage, from the top of the tree:
#   install.sh install|uninstall BUILD-DIR PREFIX [DESTDIR]
# DESTDIR goes before every path, for packages: the installed files know only PREFIX.
set -eu
action=$1 build=$2 prefix=$3 destdir=${4:-}
case $prefix in /*) ;; *) echo "install.sh: PREFIX is '$prefix'; give an absolute path" >&2; exit 2 ;; esac
version=$(cat VERSION)
soname=libphasebench.so.${version%%.*}

# Own folders, which uninstall removes once they are empty, innermost first.
folders='include/phasebench share/doc/phasebench/examples share/doc/phasebench/pictures share/doc/phasebench/start share/doc/phasebench/use share/doc/phasebench/reference share/doc/phasebench/design share/doc/phasebench share/phasebench/scenarios/broken share/phasebench/scenarios/faults share/phasebench/scenarios share/phasebench/limits share/phasebench lib/phasebench'

# MODE SOURCE TARGET of every file; the target is below the prefix.
files() {
    echo "755 $build/phasebench bin/phasebench"
    echo "644 $build/install/libphasebench.a lib/libphasebench.a"
    echo "755 $build/install/libphasebench.so lib/libphasebench.so.$version"
    echo "755 $build/libphasebench-vusb.so lib/phasebench/libphasebench-vusb.so"
    [ ! -f "$build/libphasebench-mpi.so" ] || echo "755 $build/libphasebench-mpi.so lib/phasebench/libphasebench-mpi.so"
    echo "644 $build/install/phasebench.pc lib/pkgconfig/phasebench.pc"
    for header in host/include/phasebench/*.h rtl/proto/gen/pb_regs.h; do
        echo "644 $build/install/include/$(basename "$header") include/phasebench/$(basename "$header")"
    done
    for scenario in host/scenarios/*.yaml host/scenarios/*/*.yaml; do
        echo "644 $scenario share/phasebench/${scenario#host/}"
    done
    echo "644 host/production/limits/default.yaml share/phasebench/limits/default.yaml"
    for page in docs/man/*.[1-9]; do
        echo "644 $build/install/$(basename "$page") share/man/man${page##*.}/$(basename "$page")"
    done
    for example in docs/examples/*; do
        echo "644 $example share/doc/phasebench/examples/$(basename "$example")"
    done
    for page in docs/*.md docs/*/*.md docs/*/*.json; do # links between pages stay
        echo "644 $page share/doc/phasebench/${page#docs/}"
    done
    for picture in docs/*/*.svg docs/pictures/*.png; do
        echo "644 $picture share/doc/phasebench/${picture#docs/}"
    done
    echo "644 host/wireshark/phasebench.lua share/phasebench/phasebench.lua"
    echo "644 host/usb/70-phasebench.rules lib/udev/rules.d/70-phasebench.rules"
    echo "644 host/completion/phasebench.bash share/bash-completion/completions/phasebench"
    echo "644 host/completion/phasebench.zsh share/zsh/site-functions/_phasebench"
    echo "644 host/completion/phasebench.fish share/fish/vendor_completions.d/phasebench.fish"
}

# What is made for the prefix: headers include the registers by their path in the tree; installed headers have
# them in the same directory.
prepare() {
    mkdir -p "$build/install/include"
    for header in host/include/phasebench/*.h rtl/proto/gen/pb_regs.h; do
        sed 's|#include "rtl/proto/gen/pb_regs.h"|#include "phasebench/pb_regs.h"|' "$header" \
            > "$build/install/include/$(basename "$header")"
    done
    for page in docs/man/*.[1-9]; do
        "$build/phasebench" describe < "$page" > "$build/install/$(basename "$page")"
    done
    # What Libs.private names is needed with the archive alone: pkg-config --static.
    cat > "$build/install/phasebench.pc" << END
prefix=$prefix
includedir=\${prefix}/include
libdir=\${prefix}/lib

Name: phasebench
Description: hardware-in-the-loop bench for TDMA-scheduled microcontroller networks
Version: $version
Cflags: "-I\${includedir}"
Libs: "-L\${libdir}" -lphasebench
Libs.private: $LIBS
END
}

case $action in
install)
    prepare
    files | while read -r mode source target; do
        install -D -m "$mode" "$source" "$destdir$prefix/$target"
    done
    ln -sf "libphasebench.so.$version" "$destdir$prefix/lib/$soname"
    ln -sf "$soname" "$destdir$prefix/lib/libphasebench.so"
    ;;
uninstall)
    files | while read -r mode source target; do
        rm -f "$destdir$prefix/$target"
    done
    rm -f "$destdir$prefix/lib/$soname" "$destdir$prefix/lib/libphasebench.so"
    for folder in $folders; do
        [ ! -d "$destdir$prefix/$folder" ] || rmdir --ignore-fail-on-non-empty "$destdir$prefix/$folder"
    done
    ;;
*)
    echo "install.sh: unknown action '$action'; give install or uninstall" >&2
    exit 2
    ;;
esac
