#!/bin/sh
# SPDX-FileCopyrightText: The phasebench authors
# SPDX-License-Identifier: Apache-2.0
#
# Tests what an engineer sees of a firmware image: coverage, the instructions around a failure, gdb. Prints TAP.
#
#   tests/emulator/cli/debug.sh path/to/phasebench [path/to/build]
#
# The images are those of `make firmware`. Second tools: lcov and genhtml read the coverage, objdump and nm say which lines and functions
# there are, gdb counts the calls of a function and steps.
#
# evidence: coverage, trace of instructions and gdb for firmware images
#   simulated: lines as objdump's, counts as gdb's and added as lcov does, instructions as objdump's, the
#   result the same to the picosecond with each; gdb 13 halts, steps and ends both images
#   also: test_coverage, test_gdb
# covers: bench/emulator/watch bench/emulator/image host/cli/gdb* host/cli/coverage*

build=$(cd "${2:-$(dirname "$1")}" && pwd)
. "$(dirname "$0")/../../cli/common.sh"
cp "$build/ag32/node.elf" ag32.elf
cp "$build/rp2040/node.elf" rp2040.elf
port=$((20000 + $$ % 10000))

# scenario KIND [KEYS]: own.yaml, with this node at address 5 of 8
scenario() {
    cat >own.yaml <<END
cube: {dims: 3}
nodes:
  - {address: 5, kind: "$1"$2}
traffic:
  - {from: 5, to: 2, superframe: 0}
  - {pattern: complement, superframe: 1}
  - {pattern: pairs:5, superframe: 2}
END
}

# count FUNCTION FILE: its calls, by a tracefile
count() { sed -n "s/^FNDA:\([0-9]*\),$1\$/\1/p" "$2"; }

# lines FILE TRACEFILE: the lines of a source that have a count
lines() { awk -F '[:,]' -v file="/$1\$" '/^SF:/ {on = $2 ~ file} /^DA:/ && on {print $2}' "$2" | sort -u; }

# same_results LEFT RIGHT: all but when, where and how fast
same_results() {
    for folder in "$1" "$2"; do
        sed '/"wall_ns"/d;/"started_utc"/d;/^  "command"/d;/^  "rig"/d' "$folder/result.json" >"$folder/bare"
    done
    cmp -s "$1/bare" "$2/bare" && [ -s "$1/bare" ]
}

# ---------------------------------------------------------------- coverage

for part in ag32 rp2040; do
    [ $part = ag32 ] && tools=riscv64-unknown-elf- edge=port_interrupt || { tools=arm-none-eabi- edge=pio0_irq_0; }
    scenario "elf:./$part.elf"
    exits "$part: a run" 0 run own.yaml --out plain
    exits '... with coverage' 0 run own.yaml --out covered --coverage "$part.info"
    says '... which it says' "^coverage $part.info: [0-9]+ of [0-9]+ lines, [0-9]+ of [0-9]+ functions"
    said=$(sed -n 's/^coverage .*: \([0-9]*\) of \([0-9]*\) lines, \([0-9]*\) of \([0-9]*\) functions/\1 \2 \3 \4/p' out)
    succeeds '... has the same result to the picosecond' same_results plain covered
    lcov --summary "$part.info" >summary 2>&1
    succeeds '... as lcov counts' [ "$(sed -n 's/.*(\([0-9]*\) of \([0-9]*\) [lf].*/\1 \2/p' summary | tr '\n' ' ')" = "$said " ]
    succeeds '... and genhtml renders' sh -c 'genhtml --quiet -o html "$0" >genhtml.log 2>&1' "$part.info"
    "${tools}objdump" --dwarf=decodedline "$part.elf" | awk '$1 == "route.c" && $2 ~ /^[0-9]+$/ && $NF == "x" {print $2}' |
        sort -u >objdump.lines
    lines route.c "$part.info" >lines
    succeeds '... has the lines of objdump' cmp -s lines objdump.lines
    succeeds '... of some file' [ -s lines ]
    succeeds '... the main program ran' [ "$(count main "$part.info")" -ge 1 ]
    succeeds '... what the StarC codec alone calls did not' [ "$(count generalised_turn "$part.info")" -eq 0 ]
    "${tools}nm" "$part.elf" | awk '$2 ~ /[tTwW]/ {sub(/\..*/, "", $3); print $3}' | sort -u >symbols
    sed -n 's/^FNDA:[0-9]*,//p' "$part.info" | sort -u >functions
    succeeds '... has functions that nm has, too' [ -s functions -a -z "$(comm -23 functions symbols)" ]

    # gdb counts the calls on its own.
    port=$((port + 1))
    cat >calls.gdb <<END
set pagination off
target remote 127.0.0.1:$port
break *$edge
ignore 1 1000000
continue
info breakpoints
END
    rm -f err # an old one would say that it waits
    "$bin" run own.yaml --gdb "$port" --out gdb >out 2>err </dev/null &
    wait_for 'waits up to' err
    timeout 120 gdb-multiarch -nx -batch -x calls.gdb "$part.elf" >gdb.log 2>&1
    wait $!
    succeeds "... gdb counts as many calls of $edge" \
        [ "$(sed -n 's/.*already hit \([0-9]*\) times.*/\1/p' gdb.log)" = "$(count $edge "$part.info")" ]
    succeeds '... under gdb the result is the same' same_results plain gdb
done

exits 'regress: coverage of two cases' 0 regress ./ag32.elf --dims 3 --only own-messages,codec-starc,forwarding --coverage sum.info --out rg
says '... which it says' '^coverage sum.info: '
succeeds '... each case has its own' [ "$(ls rg/*/coverage.info | wc -l)" -eq "$(grep -c pass out)" -o "$(ls rg/*/coverage.info | wc -l)" -ge 2 ]
total=0
for file in rg/*/coverage.info; do total=$((total + $(count main "$file"))); done
succeeds '... the counts are added' [ "$total" -gt 0 -a "$(count main sum.info)" -eq "$total" ]
lcov --quiet $(for file in rg/*/coverage.info; do echo "-a $file"; done) -o lcov.info >lcov.log 2>&1
for file in sum.info lcov.info; do grep '^DA:' $file | sort >$file.lines; done
succeeds '... as lcov adds them' cmp -s sum.info.lines lcov.info.lines
scenario native
refuses 'coverage without an image' 2 'own.yaml has none; give an image .*compile the program with --coverage' run own.yaml --coverage x.info
refuses 'the same of regress' 2 'native has none; give an image' regress native --coverage x.info
scenario 'elf:./ag32.elf'
refuses 'coverage of a board' 2 'use --rig sim:' run own.yaml --coverage x.info --rig ftdi:
refuses 'coverage into no folder' 4 "cannot write './none/x.info'" run own.yaml --coverage ./none/x.info
cp ag32.elf bare.elf
riscv64-unknown-elf-strip --strip-debug bare.elf
scenario 'elf:./bare.elf'
run run own.yaml --coverage x.info --out bare
[ "$code" -eq 3 ] && grep -q 'no line table; compile it with -g' err
point 'coverage of an image without lines' $?

# ---------------------------------------------------------------- instructions around a failure

for part in ag32 rp2040; do
    [ $part = ag32 ] && tools=riscv64-unknown-elf- || tools=arm-none-eabi-
    scenario "elf:./$part.elf" ', clock_error: 30000 ppm'
    exits "$part: a node that fails" 1 run own.yaml --out fails
    says '... its instructions' '^  steps +fails/failure.trace$'
    says '... end where they should' '^# end$' fails/failure.trace
    says '... phases' '==== superframe 0, phase 1$' fails/failure.trace
    says '... interrupts' '---> interrupt, 0x' fails/failure.trace
    says '... and their ends' '<--- end of interrupt, 0x' fails/failure.trace
    # Each instruction as objdump has it at its address: the half-words in their order in memory.
    "${tools}objdump" -d "$part.elf" | awk -F '\t' '$1 ~ /^ *[0-9a-f]+:$/ {
        split($1, a, ":"); gsub(/ /, "", a[1]); code = $2; gsub(/ +$/, "", code)
        if (split(code, h, " ") == 2) code = h[2] h[1]
        printf "0x%08s %s\n", a[1], code}' | sed 's/0x *\([0-9a-f]*\)/0x\1/' | sort -u >objdump.code
    awk '!/^#/ && !/====/ && !/--->/ && !/<---/ {print $2, $5}' fails/failure.trace | sort -u >trace.code
    succeeds '... are those of objdump' [ -s trace.code -a -z "$(comm -23 trace.code objdump.code)" ]
    # addr2line names function and line.
    awk '!/^#/ && !/====/ && !/--->/ && !/<---/ {print $2, $4}' fails/failure.trace | sort -u | sed -n '1~40p' >places
    while read -r address place; do
        [ "$("${tools}addr2line" -e "$part.elf" "$address" | sed 's/.*\///;s/ .*//')" = "$place" ] || echo "$address $place"
    done <places >wrong
    succeeds '... their lines those of addr2line' [ ! -s wrong -a -s places ]
    succeeds '... their times ascend' sh -c "awk '!/^#/ {print \$1}' fails/failure.trace | sort -c -n"
done
scenario "elf:./rp2040.elf" ', clock_error: 30000 ppm'
exits 'as VCD, too: the waveform has the pins of the node' 1 run own.yaml --out fails --vcd
for pin in TDMA_CLK TDMA_SYNC link0 link0_bench_pulls node0_UART0_RX node0_UART0_TX node0_NRST; do grep -q " $pin" fails/failure.vcd || echo $pin; done >missing
succeeds '... all of them' [ ! -s missing ]

# ---------------------------------------------------------------- gdb

for part in ag32 rp2040; do
    scenario "elf:./$part.elf"
    port=$((port + 1))
    cat >steps.gdb <<END
set pagination off
set confirm off
target remote 127.0.0.1:$port
break route
continue
printf "address=%d\n", node_settings.address
printf "messages=%d\n", frame->destination
set \$before = \$pc
stepi
printf "step=%d\n", \$pc - \$before
set \$old = *(unsigned *)\$sp
set var *(unsigned *)\$sp = 0x12345678
printf "memory=%x\n", *(unsigned *)\$sp
set var *(unsigned *)\$sp = \$old
monitor time
watch -l node->next_sequence
delete 1
continue
set var *(unsigned *)&node_settings = 1
END
    rm -f err # an old one would say that it waits
    "$bin" run own.yaml --gdb "$port" --out gdb >out 2>err </dev/null &
    wait_for 'waits up to' err
    timeout 120 gdb-multiarch -nx -batch -x steps.gdb "$part.elf" >gdb.log 2>&1
    says "$part: gdb halts at a function" '^Breakpoint 1.*route \(' gdb.log
    says '... reads a variable in flash' '^address=5' gdb.log
    says '... and an argument' '^messages=2' gdb.log
    says '... steps one instruction' '^step=(2|4)$' gdb.log
    says '... writes RAM' '^memory=12345678' gdb.log
    says '... but no flash' 'Cannot access memory' gdb.log
    wait $!
    code=$?
    command="run under gdb"
    says '... halts at a write' '^Hardware watchpoint 2: -location node->next_sequence' gdb.log
    says '... of another value' '^New value = 1 ' gdb.log
    says '... tells the time' '^[0-9]+\.[0-9]{6} us from power-up, before the first phase' gdb.log
    [ $code -eq 0 ] && grep -q '^PASS' out
    point '... at the end of gdb the run goes on' $?
done
port=$((port + 1))
scenario 'elf:./ag32.elf'
printf 'target remote 127.0.0.1:%s\nkill\n' $port >kill.gdb
rm -f err # an old one would say that it waits
"$bin" run own.yaml --gdb $port --out gdb >out 2>err </dev/null &
wait_for 'waits up to' err
timeout 60 gdb-multiarch -nx -batch -x kill.gdb ag32.elf >gdb.log 2>&1
wait $!
code=$?
[ $code -eq 130 ] && grep -q 'gdb ended the run' err
point 'gdb kills the run' $?
port=$((port + 1))
printf 'target remote 127.0.0.1:%s\nbreak node_send\ncontinue\nprint node->config.address\ndetach\n' $port >detach.gdb
rm -f err # an old one would say that it waits
"$bin" regress ./ag32.elf --dims 3 --only forwarding --gdb $port --out gdb >out 2>err </dev/null &
wait_for 'waits up to' err
timeout 60 gdb-multiarch -nx -batch -x detach.gdb ag32.elf >gdb.log 2>&1
wait $!
code=$?
[ $code -eq 0 ] && grep -q '^1 scenario: 1 pass' out && grep -q 'detached' gdb.log
point 'a case of regress: after detach it goes on' $?
refuses 'gdb for more than one case' 2 'controls the node of one case, [0-9]+ are chosen' regress ./ag32.elf --dims 3 --gdb $port
refuses 'gdb for two scenarios' 2 'a node of one scenario, 2 are given' run own.yaml own.yaml --gdb $port
refuses 'gdb for a node that is not there' 2 'has no nodes\[1\]; give 0 to 0' run own.yaml --gdb $port:1
refuses 'no port' 2 'give a whole number 1\.\.65535' run own.yaml --gdb 0
refuses 'gdb on a board' 2 'use --rig sim:' run own.yaml --gdb $port --rig ftdi:
scenario native
refuses 'gdb for a model' 2 'nodes\[0\] of own.yaml is of kind native; give a node of kind elf' run own.yaml --gdb $port
scenario 'exec:true'
refuses 'gdb for a process' 2 'attach with gdb -p' run own.yaml --gdb $port

# Clients by hand: what a gdb never does.
scenario 'elf:./ag32.elf'
python3 - "$bin" "$port" >clients 2>&1 <<'END'
import socket, subprocess, sys, time
program, port = sys.argv[1], int(sys.argv[2])

def start(number, *more):
    run = subprocess.Popen([program, 'run', 'own.yaml', '--gdb', str(number), '--out', 'hand', *more], stdin=subprocess.DEVNULL,
                           stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    for _ in range(600):
        try:
            return run, socket.create_connection(('127.0.0.1', number))
        except OSError:
            time.sleep(0.05)

def packet(text):
    return b'$' + text + b'#%02x' % (sum(text) & 255)

def end(name, run):
    out, err = run.communicate(timeout=60)
    print(name, run.returncode, err.splitlines()[-1])

run, gone = start(port + 1)
gone.sendall(packet(b'?'))
gone.recv(100)
gone.close()
end('gone', run)
run, garbage = start(port + 2)
try:
    for _ in range(200):
        garbage.sendall(b'$c#00')
except OSError:
    pass
end('garbage', run)
run, waits = start(port + 3)
waits.sendall(packet(b'c'))
time.sleep(0.2)
waits.sendall(b'\x03')
answer = b''
while not answer.endswith(b'#d4'):
    answer += waits.recv(100)
print('interrupt', answer)
waits.sendall(packet(b'D'))
end('detached', run)
run, slow = start(port + 4, '--timeout', '15')
slow.sendall(packet(b'?'))
time.sleep(17)
slow.sendall(packet(b'D'))
end('slow', run)
END
says 'a client that goes away ends the run' '^gone 4 .*gdb went away' clients
says 'one that sends garbage, too' '^garbage 4 .*100 damaged packets' clients
says 'Ctrl-C halts' "^interrupt b'\+\\\$T02thread:1;#d4'" clients
says '... and after detach the run goes on' '^detached 0 ' clients
says 'the time limit does not count while the node is halted' '^slow 0 ' clients
python3 -c 'import socket, sys, time; s = socket.socket(); s.bind(("127.0.0.1", int(sys.argv[1]))); s.listen(); print(1, flush=True); time.sleep(5)' \
    $((port + 9)) >busy &
wait_for 1 busy
run run own.yaml --gdb $((port + 9)) --out gdb
[ "$code" -eq 4 ] && grep -q 'in use; choose another port' err
point 'a port in use' $?
wait

finish
