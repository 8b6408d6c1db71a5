#!/bin/sh
# SPDX-FileCopyrightText: The phasebench authors
# SPDX-License-Identifier: Apache-2.0
#
# Tests `phasebench serve`: a rig in another process, what two hosts on it see, and what becomes of it when its host is
# killed. Prints TAP.
#
#   tests/cli/serve.sh path/to/phasebench
#
# Expected values: the watchdog's 100 ms, and 1 ms for its count (docs/reference/registers.md); exit codes of the command.
#
# evidence: safe state
#   simulated: a host in another process is killed with `kill -9` while a line is low, or stopped; the core
#   releases the line within 101 ms
#   also: test_host_death
# covers: host/rig/serve.c host/rig/socket* host/cli/cmd_serve.c

. "$(dirname "$0")/common.sh"

refuses 'no socket' 2 '--socket is missing' serve "$scenarios/xor-one-bit.yaml"
refuses 'no scenario' 2 'needs 1 operand, got 0; give SCENARIO --socket PATH' serve --socket here
refuses 'a folder that is not there' 4 "cannot serve './no/such': No such file" serve "$scenarios/xor-one-bit.yaml" --socket ./no/such
echo text > file
refuses 'a file in the way' 4 'exists and is no socket' serve "$scenarios/xor-one-bit.yaml" --socket file
refuses 'nobody serves' 4 "no rig at './bench.sock'.*start 'phasebench serve" run "$scenarios/xor-one-bit.yaml" --rig sim:./bench.sock

"$bin" serve "$scenarios/complement.yaml" --socket ./bench.sock > serve.log 2>&1 &
server=$!
wait_for '^serving' serve.log
point 'it serves' $?

refuses 'a second server' 4 'is served already' serve "$scenarios/xor-one-bit.yaml" --socket ./bench.sock
exits 'a run on a rig in another process' 0 run "$scenarios/complement.yaml" --rig sim:./bench.sock
says 'it passes' '^PASS'

# A host that is killed in the middle of a run: nothing in its process can release anything.
"$bin" run "$scenarios/complement.yaml" --superframes 1000000 --rig sim:./bench.sock --record host.rec --out host > host.log 2>&1 &
host=$!
wait_for "process $host has the rig" serve.log
point 'the host has the rig' $?
refuses 'a second host' 4 "in use by process $host, and one host at a time is the limit" \
    run "$scenarios/complement.yaml" --rig sim:./bench.sock
says 'the server tells' "was refused: process $host has the rig" serve.log
# Until more than settings and console lines is in the recording: the clock runs.
tries=0
until [ -s host.rec ] && [ "$(wc -c < host.rec)" -gt 60000 ]; do
    tries=$((tries + 1))
    [ $tries -le 600 ] || break
    sleep 0.1
done
kill -9 $host
wait $host 2>/dev/null
sed 's/^/# first host: /' host.log
wait_for 'released all lines and stopped the clock' serve.log
point 'the killed host is noticed and the core makes itself safe' $?
late=$(sed -n 's/^the core released all lines and stopped the clock \([0-9.]*\) ms (simulated) later$/\1/p' serve.log | tail -n 1)
echo "# released after $late ms"
awk -v late="$late" 'BEGIN {exit !(late > 0 && late <= 102)}'
point 'within the time of the watchdog' $?
exits 'the next host finds it working' 0 run "$scenarios/complement.yaml" --rig sim:./bench.sock

# A host that is stopped: the time of the rig goes on, so the watchdog of the core ends what it does; another host learns which process has
# the rig, and the stopped one learns afterwards what has become of its run.
"$bin" run "$scenarios/complement.yaml" --superframes 1000000 --rig sim:./bench.sock --record stopped.rec --out stopped >stopped.out 2>stopped.err &
host=$!
tries=0
until [ -s stopped.rec ] && [ "$(wc -c < stopped.rec)" -gt 60000 ]; do
    tries=$((tries + 1))
    [ $tries -le 600 ] || break
    sleep 0.1
done
kill -STOP $host
wait_for "process $host is silent: the core released all lines" serve.log
point 'a stopped host: the watchdog of the core trips' $?
late=$(sed -n "s/^process $host is silent: .* after \\([0-9.]*\\) ms (simulated)\$/\\1/p" serve.log | tail -n 1)
echo "# released after $late ms"
awk -v late="$late" 'BEGIN {exit !(late > 0 && late <= 102)}'
point '... within its time' $?
refuses '... and a second host is told who has the rig' 4 "in use by process $host, and one host at a time is the limit" \
    run "$scenarios/complement.yaml" --rig sim:./bench.sock
kill -CONT $host
wait $host
code=$? command='a run whose process was stopped for a while'
cp stopped.out out
cp stopped.err err
[ "$code" -eq 4 ] && grep -q '^INCONCLUSIVE' out && grep -q '^incomplete ' out
point '... and it learns what has become of its run' $?
exits 'the host after that finds it working' 0 run "$scenarios/complement.yaml" --rig sim:./bench.sock

# A socket of another program, of another kind.
if command -v python3 >/dev/null; then
    python3 -c '
import socket, sys
s = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
s.bind("other.sock")
print("bound", flush=True)
s.settimeout(60)
sys.exit(s.recv(9) != b"end")' >other.log &
    other=$!
    wait_for bound other.log
    refuses 'a datagram socket of another program' 4 "'./other.sock' is the socket of another program" \
        serve "$scenarios/xor-one-bit.yaml" --socket ./other.sock
    python3 -c 'import socket; socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM).sendto(b"end", "other.sock")'
    wait $other
    point '... still receives' $?

    # No process accepts, and the queue is full: connect would wait for ever.
    python3 -c '
import socket, time
s = socket.socket(socket.AF_UNIX)
s.bind("full.sock")
s.listen(0)
c = [socket.socket(socket.AF_UNIX) for _ in range(9)]
for x in c:
    x.setblocking(False)
    try: x.connect("full.sock")
    except BlockingIOError: pass
print("full", flush=True)
time.sleep(60)' >full.log &
    full=$!
    wait_for full full.log
    begun=$(date +%s)
    refuses 'a server that accepts nobody' 4 'took no connection within 2000 ms' run "$scenarios/ref.yaml" --rig sim:./full.sock
    refuses '... is a server' 4 'is served already' serve "$scenarios/xor-one-bit.yaml" --socket ./full.sock
    [ $(($(date +%s) - begun)) -le 15 ]
    point '... and holds nobody' $?
    kill $full

    # 79 bytes, each half a second after the one before.
    python3 -c '
import socket, time
s = socket.socket(socket.AF_UNIX)
s.bind("drip.sock")
s.listen(1)
print("drips", flush=True)
c, _ = s.accept()
try:
    for _ in range(79):
        c.send(b"p")
        time.sleep(0.5)
except OSError: pass' >drip.log &
    drip=$!
    wait_for drips drip.log
    begun=$(date +%s)
    refuses 'a server that drips its greeting' 4 'did not say who it is within 2000 ms' \
        run "$scenarios/ref.yaml" --rig sim:./drip.sock --timeout 5
    [ $(($(date +%s) - begun)) -le 8 ]
    point '... holds nobody beyond 2 s' $?
    wait $drip
fi

# By now another process has the name.
mv bench.sock moved.sock
echo mine >bench.sock
kill -TERM $server
wait $server
[ $? -eq 0 ] && [ "$(cat bench.sock)" = mine ]
point 'what has taken the name of the socket is left alone' $?
rm -f bench.sock moved.sock
"$bin" serve "$scenarios/complement.yaml" --socket ./bench.sock > again.log 2>&1 &
server=$!
wait_for '^serving' again.log

kill -TERM $server
wait $server
[ $? -eq 0 ] && [ ! -e bench.sock ]
point 'a signal ends it and takes the socket away' $?

# A rig whose clock pins an external controller drives: the self-test finds that out by itself; a host that drives against
# the controller ends it.
"$bin" serve "$scenarios/outside-clock.yaml" --socket ./clock.sock > clock.log 2>&1 &
server=$!
wait_for '^serving' clock.log
exits 'a self-test beside an external clock' 0 selftest --rig sim:./clock.sock
says 'it knows of the clock' 'external clock, not driven by the core'
exits 'a run beside it that follows' 0 run "$scenarios/outside-clock.yaml" --rig sim:./clock.sock
exits 'a run that does not' 4 run "$scenarios/complement.yaml" --rig sim:./clock.sock
wait_for 'drives TDMA_CLK and TDMA_SYNC against an external controller' clock.log
point 'two drivers on the clock pins are an error' $?
finish
