#!/bin/sh
# SPDX-FileCopyrightText: The phasebench authors
# SPDX-License-Identifier: Apache-2.0
#
# Look-ahead of nodes in libraries and processes: every shipped scenario with the same firmware, which gets changes early and late. Prints TAP.
#
#   tests/cli/ahead.sh path/to/phasebench BUILD-DIR
#
# Expected values: the native node in the bench; the template my_firmware.c in a process that gets every change at once.
# covers: bench/nodes host/scenarios docs/examples/my_firmware.c docs/examples/phasebench_node.h tests/bench/nodes

build=$(cd "${2:?usage: ahead.sh PROGRAM BUILD-DIR}" && pwd)
. "$(dirname "$0")/common.sh"
: >out
: >err
cp "$root/docs/examples/my_firmware.c" "$root/docs/examples/phasebench_node.h" "$root/docs/examples/my_pins.c" .
sed 's/NULL, PB_PROCESS_LINES}/NULL, 0}/' my_pins.c >at_once.c
for name in my_firmware my_pins at_once; do
    ${CC:-cc} -std=c11 -Wall -Wextra -Werror -O1 -I "$root/host/include" -shared -fPIC -o $name.so $name.c
    point "$name compiles" $?
done

# with KIND FILE: own.yaml, a scenario whose firmware nodes are of another kind
with() {
    sed "s|^\(  - {address: [0-9A-Fx]*\)\(, kind: native\)*\([,}]\)|\1, kind: \"$1\"\3|" "$2" >own.yaml
}

# judged NAME: the result without what differs by the kind of node: its words, and when a process starts
judged() {
    run run own.yaml --json
    grep -Ev '"(scenario_path|command|wall_ns|started_utc|simulated_ps|clock_start_ps|environment|kind|name)"' out >"$1.json"
    echo "exit code $code" >>"$1.json"
}

# alike NAME KIND KIND FILE
alike() {
    with "$2" "$4" && judged first
    with "$3" "$4" && judged second
    grep -q "kind: \"$3\"" own.yaml && [ "$(wc -l <first.json)" -gt 50 ] && diff first.json second.json >out 2>err
    point "$1" $?
}

for file in "$scenarios"/*.yaml "$scenarios"/faults/*.yaml; do
    name=${file#"$scenarios"/}
    grep -q 'kind: *\(ref\|contract\)' "$file" && continue
    alike "${name%.yaml}: a library of the native firmware as the native node" native "so:$build/tests/pins_node.so" "$file"
    grep -Eq 'codec: *starc|push|generalised|opportunistic' "$file" ||
        alike "${name%.yaml}: my_firmware told late as told at once" "exec:$build/tests/firmware_node" "so:./my_firmware.so" "$file"
done
! cmp -s my_pins.c at_once.c
alike 'pairs: my_pins told late as told at once' "so:./my_pins.so" "so:./at_once.so" "$scenarios/pairs.yaml"
finish
