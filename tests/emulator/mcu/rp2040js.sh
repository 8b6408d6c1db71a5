#!/bin/sh
# SPDX-FileCopyrightText: The phasebench authors
# SPDX-License-Identifier: Apache-2.0
#
# The image of the RP2040 compared with rp2040js. Usage: rp2040js.sh BUILD-DIR RP2040_TRACE
# rp2040js comes from the npm registry, once, into BUILD-DIR/rp2040js. Without Node.js or the registry it says so and ends with 1.
#
# evidence: RP2040 image beside rp2040js, an emulator by others
#   simulated: registers, device accesses, console and PIO pins of one run are the same; differences
#   explained
#   also: make rp2040js-check
# covers: firmware/port/rp2040 bench/emulator/cpu bench/emulator/soc

build=${1:?usage: rp2040js.sh BUILD-DIR RP2040_TRACE} trace=${2:?usage: rp2040js.sh BUILD-DIR RP2040_TRACE}
version=1.4.1
folder=$build/rp2040js
package=$folder/node_modules/rp2040js
here=$(dirname "$0")

stop() {
    echo "rp2040js-check: $1" >&2
    exit 1
}
command -v node >/dev/null || stop 'node is not there; install Node.js 18 or later'
if [ "$(sed -n 's/^  "version": "\(.*\)",*$/\1/p' "$package/package.json" 2>/dev/null)" != "$version" ]; then
    command -v npm >/dev/null || stop "npm is not there; install it, or put rp2040js $version into $package"
    mkdir -p "$folder"
    npm install --prefix "$folder" --no-audit --no-fund --no-save --ignore-scripts "rp2040js@$version" >"$folder/npm.log" 2>&1 ||
        stop "npm cannot install rp2040js $version (log: $folder/npm.log); connect to the npm registry, or put it into $package"
fi
"$trace" "$build/rp2040/node.elf" >"$folder/trace.txt" || stop 'the image does not run'
exec "$here/../tap-count" "$build/tests" rp2040js node "$here/rp2040js.mjs" "$package" "$folder/trace.txt"
