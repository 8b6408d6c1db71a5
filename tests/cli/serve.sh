#!/bin/sh
# SPDX-FileCopyrightText: The phasebench authors
# SPDX-License-Identifier: Apache-2.0
#
# Tests `phasebench serve`: a rig in another process, what two hosts on it see, and what becomes of it when its host is
# killed. Prints TAP.
#
#   tests/cli/serve.sh path/to/phasebench
#
# Expected values: the watchdog's 100 ms, and 1 ms for its count (docs/registers.md); exit codes of the command.

. "$(dirname "$0")/common.sh"

refuses 'no socket' 2 '--socket is missing' serve "$scenarios/xor-one-bit.yaml"
refuses 'no scenario' 2 'takes one scenario, got 0' serve --socket here
refuses 'a folder that is not there' 4 "cannot serve './no/such': No such file" serve "$scenarios/xor-one-bit.yaml" --socket ./no/such
echo text > file
refuses 'a file in the way' 4 'exists and is no socket' serve "$scenarios/xor-one-bit.yaml" --socket file
refuses 'nobody serves' 4 "no rig at './bench.sock'.*start 'phasebench serve" run "$scenarios/xor-one-bit.yaml" --rig sim:./bench.sock

"$bin" serve "$scenarios/complement.yaml" --socket ./bench.sock > serve.log 2>&1 &
server=$!
trap 'kill $server 2>/dev/null; rm -rf "$work"' EXIT
wait_for '^serving' serve.log
point 'it serves' $?

refuses 'a second server' 4 'is served already' serve "$scenarios/xor-one-bit.yaml" --socket ./bench.sock
exits 'a run on a rig in another process' 0 run "$scenarios/complement.yaml" --rig sim:./bench.sock
says 'it passes' '^PASS'

# A host that is killed in the middle of a run: nothing in its process gets to let go of anything.
"$bin" run "$scenarios/complement.yaml" --superframes 2000 --rig sim:./bench.sock --record host.rec > host.log 2>&1 &
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
wait_for 'released all lines and stopped the clock' serve.log
point 'the killed host is noticed and the core makes itself safe' $?
late=$(sed -n 's/^the core released all lines and stopped the clock \([0-9.]*\) ms (simulated) later$/\1/p' serve.log | tail -n 1)
echo "# released after $late ms"
awk -v late="$late" 'BEGIN {exit !(late > 0 && late <= 102)}'
point 'within the time of the watchdog' $?
exits 'the next host finds it working' 0 run "$scenarios/complement.yaml" --rig sim:./bench.sock

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
