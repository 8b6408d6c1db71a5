#!/bin/sh
# SPDX-FileCopyrightText: The phasebench authors
# SPDX-License-Identifier: Apache-2.0
#
# Nodes as shared libraries: the templates of the documentation, and everything that a library can do wrong. Prints TAP.
#
#   tests/cli/library.sh path/to/phasebench
#
# Expected values: docs/start/your-firmware.md; for superframe and phase of the Kth edge of TDMA_CLK that a superframe of the 3-cube
# has 6 phases, so that the 8th edge is superframe 1, phase 1.
# covers: bench/nodes docs/examples docs/start/your-firmware.md

. "$(dirname "$0")/common.sh"
: >out
: >err

cp "$root"/docs/examples/my_* "$root/docs/examples/phasebench_node.h" .

# make NAME [FLAGS]: NAME.so of NAME.c
make() {
    library=$1
    shift
    ${CC:-cc} -std=c11 -Wall -Wextra -Werror -I "$root/host/include" "$@" -shared -fPIC -o "$library.so" "$library.c"
}

# on NAME SCENARIO: own.yaml, a shipped scenario with this library for every node
on() {
    sed 's|^\(  - {address: [0-9A-Fx]*\)\(, kind: [a-z]*\)*|\1, kind: "so:./'"$1"'.so"|' "$scenarios/$2.yaml" >own.yaml
}

# ---------------------------------------------------------------- the templates

for name in my_firmware my_pins; do
    [ "$(wc -l <$name.c)" -lt 60 ] && make $name
    point "$name.c has less than 60 lines and compiles without a warning" $?
    exits '... and passes its scenario' 0 run $name.yaml --json
done
for name in demo pairs opportunistic outside-clock two-boards full-load faults/bad-frames faults/late-clock; do
    on my_firmware $name
    exits "my_firmware passes $name" 0 run own.yaml --json
done
on my_pins pairs
exits 'my_pins passes pairs, which types nothing' 0 run own.yaml --json
sed 's/so"}/so", clock_error: 900 ppm, irq_latency: 2 us, irq_jitter: 2 us}/' my_firmware.yaml >own.yaml
exits 'my_firmware passes with a clock error and jitter' 0 run own.yaml --json
sed 's/so"}/so", clock_error: -900 ppm}/' my_pins.yaml >own.yaml
exits 'my_pins passes with a clock error' 0 run own.yaml --json
exits 'it is greeted by --check' 0 run my_firmware.yaml --check
mkdir -p 'a folder' && cp my_firmware.so 'a folder/my node.so' && sed 's|./my_firmware|my node|' my_firmware.yaml >'a folder/own.yaml'
exits 'a file is meant from the folder of the scenario, and blanks are part of its name' 0 run 'a folder/own.yaml' --json
exits 'on a virtual board' 0 run my_firmware.yaml --rig vusb: --json
while IFS='|' read -r name change id; do
    sed "$change" $name.c >broken.c
    make broken && sed "s/$name/broken/" $name.yaml >own.yaml
    exits "$name fails with $change" 1 run own.yaml --json
    says "... as $id" "\"id\": \"$id\""
done <<END
my_firmware|s/differing & -differing/differing \& ~(differing >> 1)/|unexpected_activity
my_firmware|s/== (unsigned)phase % 2;/!= (unsigned)phase % 2;/|outside_phase
my_firmware|s/head_guard_ticks,/head_guard_ticks + 96,/|late_start
my_pins|s/== (unsigned)phase % 2;/!= (unsigned)phase % 2;/|missing_frame
my_pins|s/config.head_guard_ps/0/|early_start
END

# ---------------------------------------------------------------- trouble in superframe 1, phase 1

# in_trouble NAME STATEMENT ID SEEN: the statement is in the handler of the 8th edge; the finding is SEEN. Only a node that hangs may be
# out of time, as another that is slow on a busy computer would be called hung.
in_trouble() {
    name=$1 statement=$2 id=$3 seen=$4 limit='10 s'
    [ "$id" != node_hung ] || limit='500 ms'
    sed 's/^static void edge(int64_t edge_ticks, bool sync)/static unsigned edges; static int deep(int n)\
        { volatile char room[4096]; room[n % 4096] = 1; return n < 1 << 30 ? deep(n + 1) + room[n % 4096] : 0; }\
        static void bad(void) { (void)deep; '"$statement"'; }\n&/
        s/^    frame.count = frame.over = 0;/&\n    if (++edges == 8) bad();/' my_firmware.c >bad.c
    make bad -D_GNU_SOURCE -Wno-infinite-recursion && sed 's/my_firmware.so"/bad.so", answer_limit: '"$limit/" my_firmware.yaml >bad.yaml
    begun=$(date +%s)
    exits "$name: the run fails" 1 run bad.yaml --json
    [ $(($(date +%s) - begun)) -lt 20 ]
    point '... in bounded time' $?
    tr -d '\n' <out | sed 's/  */ /g' >flat
    grep -Eq "\"id\": \"$id\",[^}]*\"superframe\": 1, \"phase\": 1,[^}]*\"expected\": \"the process 'myfirmware' of node 0x5 [^}]*\"seen\": \"it $seen" flat
    point "... as $id, where it happened" $?
    grep -Eq '"superframes": 5,' out && ! grep -Eq '"incomplete": "[^"]' out && ! grep -Eq '"id": "(babble|line_stuck)"' out
    point '... to its end, with all lines released' $?
    [ "$(left '[n]ode-host ./')" -eq 0 ]
    point '... and no process stays' $?
}
in_trouble loop 'for (volatile int i = 0;; i++) { }' node_hung 'did not answer within 0.500 s'
in_trouble abort 'abort()' node_died 'was ended by signal 6'
in_trouble exit 'exit(0)' node_died 'exited with code 0'
# The sanitizers end a process themselves.
in_trouble overflow 'volatile int depth = deep(0); (void)depth' node_died '(was ended by signal 11|exited with code 1)'
in_trouble port 'bench->link_listen(bench, 3)' node_died 'exited with code 2; it wrote: link_listen: the port is 3; give 0 to 2'
in_trouble length 'bench->link_send(bench, 0, 0, queue.frame[0], 257)' node_died 'exited with code 2; it wrote: link_send: the length is 257; give 1 to 256'
in_trouble descriptor 'while (write(3, "and on and on and on", 20) > 0) { }' node_protocol 'sent a message of type 0x'
# A function of its pins gets what it receives late, but still in its phase: node 5 of the 3-cube listens in phase 3 (P6, P7), in
# which the frame from 7 to 5 comes.
for deferred in PB_PROCESS_LINES 0; do
    sed "s/NULL, PB_PROCESS_LINES}/NULL, $deferred}/;s/^    if (byte >= 0/    if (byte >= 0 \&\& phase == 3) abort();\n&/" my_pins.c >bad.c
    make bad && sed '/^traffic:/,$d;s/my_pins/bad/' my_pins.yaml >own.yaml
    printf 'traffic:\n  - {from: 7, to: 5, superframe: 1}\n  - {from: 7, to: 5, superframe: 2}\n' >>own.yaml
    exits "a crash while it receives, links $deferred deferred: the run fails" 1 run own.yaml --json
    tr -d '\n' <out | sed 's/  */ /g' >flat
    grep -Eq '"id": "node_died",[^}]*"superframe": 1, "phase": 3,[^}]*"seen": "it was ended by signal 6' flat
    point '... where it happened' $?
done
sed 's/, PB_PROCESS_LINES}/, 1 << 17}/' my_pins.c >bad.c
make bad && sed 's/my_pins/bad/' my_pins.yaml >own.yaml
refuses 'inputs that there are not' 3 "its deferred is 0x20000; only bits of 0x1FFFF exist" run own.yaml --json
sed 's/^    phase = node_phase/    printf("an edge\\n"); fflush(stdout);\n&/' my_firmware.c >bad.c
make bad && sed 's/my_firmware/bad/' my_firmware.yaml >own.yaml
exits 'what it prints on stdout does no harm' 0 run own.yaml --json
sed 's/^static void reset(void)/__attribute__((constructor)) static void begin(void) { pause(); }\n&/' my_firmware.c >bad.c
make bad -D_GNU_SOURCE && sed 's/my_firmware.so"/bad.so", answer_limit: 300 ms/' my_firmware.yaml >own.yaml
refuses 'a constructor that never ends' 3 "the library './bad.so' did not greet, it did not answer within 0.300 s" run own.yaml --json

# ---------------------------------------------------------------- what does not load

# bad EDIT: bad.so of my_firmware.c with this edit
bad() {
    sed "$1" my_firmware.c >bad.c
    make bad -Wno-unused -Wno-implicit-function-declaration
}
sed 's/my_firmware/bad/' my_firmware.yaml >bad.yaml

# not_loaded NAME REGEX: bad.so
not_loaded() {
    refuses "no start: $1" 3 "nodes\[0\]: kind: cannot use the library './bad.so': $2" run bad.yaml --json
    exits '... nor --check' 3 run bad.yaml --check
    says '... which says the same' "$2" err
}
rm -f bad.so
not_loaded 'no file' 'No such file or directory; give the path'
mkdir bad.so
not_loaded 'a folder' 'it is no file; give the path'
rmdir bad.so
echo 'int main(void) { return 0; }' >bad.so
not_loaded 'a text file' 'it is no shared library; build it with cc -shared -fPIC'
: >bad.so
not_loaded 'an empty file' 'it is no shared library'
head -c 40 my_firmware.so >bad.so
not_loaded 'half a header' 'it is cut off after 40 bytes; build it again'
head -c 6000 my_firmware.so >bad.so
not_loaded 'half a library' 'it is cut off after 6000 bytes; build it again'
cp my_firmware.so bad.so
printf '\363\000' | dd of=bad.so bs=1 seek=18 conv=notrunc 2>/dev/null # e_machine: RISC-V
not_loaded 'of another machine' 'it is for another machine \(ELF class 2, machine 243; .*; build it with the compiler of this computer'
cp my_firmware.so bad.so
printf '\001' | dd of=bad.so bs=1 seek=4 conv=notrunc 2>/dev/null # EI_CLASS: 32 bits
not_loaded 'of 32 bits' 'it is for another machine \(ELF class 1,'
${CC:-cc} -std=c11 -I "$root/host/include" -fPIC -c -o bad.so my_firmware.c
not_loaded 'an object file' 'it is an ELF file of type 1, no shared library'
bad 's/PB_NODE_LIBRARY(NULL, &node)/const void *keep = \&node;/'
not_loaded 'no symbol' 'it has no symbol pb_node_library; write PB_NODE_LIBRARY'
bad 's/PB_NODE_LIBRARY(NULL, &node)/const struct pb_node_library pb_node_library = {7, 16, NULL, \&node};/'
not_loaded 'another version' 'it has version 7 of phasebench/node_library.h, this program has 2; build it with the headers'
bad 's/PB_NODE_LIBRARY(NULL, &node)/const struct pb_node_library pb_node_library = {2, 16, NULL, \&node};/'
not_loaded 'another size' 'its pb_node_library has 16 bytes, 24 are due'
bad 's/PB_NODE_LIBRARY(NULL, &node)/const void *keep = \&node; PB_NODE_LIBRARY(NULL, NULL)/'
not_loaded 'no node' 'it has neither pins nor callbacks'
bad 's/create, *reset, edge/create, reset, NULL/'
not_loaded 'no handler of edges' 'its create, reset or edge is NULL'
bad 's/^    config = hello, .*/&\n    extern void missing_function(void); missing_function();/'
not_loaded 'a symbol that nobody has' 'undefined symbol: missing_function; link it with all that it calls'
sed 's|^cube: {dims: 3}|&\nlink: {codec: starc}|' my_firmware.yaml >own.yaml
refuses 'a configuration that it refuses' 3 "did not greet, it exited with code 1; it wrote: this node knows the slot codec" run own.yaml --json
sed 's|so:./my_firmware.so|so:|' my_firmware.yaml >own.yaml
refuses 'no file named' 3 "'so:' names no FILE after the colon; write so:FILE" run own.yaml --json
sed 's|so:./my_firmware.so|so|' my_firmware.yaml >own.yaml
refuses 'no colon' 3 "'so' names no FILE; write so:FILE" run own.yaml --json
refuses 'a board refuses a library' 3 "'so' is of a model" run my_firmware.yaml --rig tty:/dev/null --json
refuses 'node-host is no verb for users' 2 'name the library in a scenario, as kind so:FILE' node-host ./my_firmware.so

# ---------------------------------------------------------------- recordings

sed 's/^static void reset(void)/__attribute__((constructor)) static void begin(void) { FILE *f = fopen("loaded", "w"); if (f) fclose(f); }\n&/' \
    my_firmware.c >bad.c
make bad
exits 'a run is recorded' 0 run bad.yaml --record own.pbr --out recorded
[ -e loaded ] && rm loaded
point '... and loads the library' $?
exits 'its replay passes, too' 0 run --rig replay:own.pbr --out replayed
[ ! -e loaded ]
point '... and does not load it' $?

finish
