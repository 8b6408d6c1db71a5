#!/bin/sh
# SPDX-FileCopyrightText: The phasebench authors
# SPDX-License-Identifier: Apache-2.0
#
# The verb station from outside: what it refuses, whole shifts of units, clients and validations that misbehave. TAP.
#
#   tests/production/cli/station.sh path/to/phasebench
#
# A stand-in (stand_in.py) takes the place of `phasebench validate`. Expected values: docs/use/station.md.
# covers: host/production/station host/cli/cmd_station.c docs/use/station.md

. "$(dirname "$0")/../../cli/common.sh"

unset PHASEBENCH_HISTORY

# ---------------------------------------------------------------- what is refused before anything is served

refuses 'another address without a token' 2 'listen 0\.0\.0\.0:8080 is not a loopback address.*--token' station --listen 0.0.0.0:8080
refuses 'another address of IPv6' 2 'not a loopback address' station --listen '[::]:8080'
refuses 'a name as address' 2 'numeric address' station --listen example.org:80
refuses 'no port' 2 'ADDRESS:PORT' station --listen 127.0.0.1
refuses 'names that no URL has' 2 "name has 'a b'" station --name 'ok,a b'
refuses 'a pattern that is none' 2 "serial-pattern is 'TM-\[0'.*POSIX" station --serial-pattern 'TM-[0'
refuses 'a pattern that is too long' 2 'at most 256' station --serial-pattern "$(printf '%0300d' 0)"
refuses 'a station that cannot be stored' 2 'station is .-x.' station --station=-x
printf 'name: board\ncube: {dims: 2}\nnodes: [{address: 1}]\ntraffic: [{from: 0, to: 3}]\n' > sound.yaml
sed 's/dims: 2/dims: 99/' sound.yaml > wrong.yaml
sed 's/{address: 1}/{address: 1}, {address: 2}/' sound.yaml > two.yaml
printf 'defaults:\n  - nonsense\n' > limits.yaml
# alike NAME CODE ARGUMENTS: the station refuses them at its start with the message and the code of a validation.
alike() {
    name=$1 due=$2
    shift 2
    run validate "$@"
    cp err validation.err
    refuses "$name" "$due" . station --listen 127.0.0.1:0 --out never "$@"
    cmp -s err validation.err && [ "$(wc -l < err)" -eq 1 ]
    point '... as a validation does' $?
}
alike 'a scenario that is missing' 3 none.yaml
alike 'a scenario that is none' 3 wrong.yaml
alike 'a scenario of two nodes' 3 two.yaml
alike 'limits that are missing' 3 sound.yaml --limits none.yaml
alike 'limits that are none' 3 sound.yaml --limits limits.yaml
alike 'firmware that is missing' 3 sound.yaml --node none.so
alike 'a recording' 2 sound.yaml --rig replay:none.rec
[ ! -e never ]
point '... without a folder of reports' $?
refuses 'a profile that is none' 2 'quick, full or characterise' station --profile fast
refuses 'a token file that is missing' 3 'cannot read the token file' station --token none
printf '0123456789abcdef\n' > shared
for mode in 644 640 620 610 604 602 601; do
    chmod "$mode" shared
    refuses "a token file of mode $mode" 3 "mode $mode.*chmod 600" station --token shared
done
printf 'short\n' > short && chmod 600 short
refuses 'a short token' 3 '5 bytes; give 16 to 128' station --token short
: > file
refuses 'a folder that is a file' 4 "cannot write into 'file': Not a directory" station --out file
refuses 'a folder within a file' 4 "cannot make the output folder 'file" station --out file/in
printf 'no history, though long enough to be looked at\n' > bad.db
refuses 'a history that is none' 3 'bad\.db' station --listen 127.0.0.1:0 --history bad.db
if [ "$(id -u)" -ne 0 ]; then
    mkdir locked && chmod 500 locked
    refuses 'a folder that cannot be written' 4 'cannot write into' station --out locked
fi

# ---------------------------------------------------------------- the port in use

"$bin" station --listen 127.0.0.1:0 --out first > first.out 2>&1 &
first=$!
wait_for 'http://' first.out
port=$(sed -n 's|.*http://127.0.0.1:\([0-9]*\)/.*|\1|p' first.out)
refuses 'a port in use' 4 "listen on 127\.0\.0\.1:$port: Address already in use; give --listen" station --listen "127.0.0.1:$port" --out second
refuses 'a second station into one --out' 4 "process $first writes to the output folder 'first'; wait for it, or give another folder with --out" \
    station --listen 127.0.0.1:0 --out first
kill -INT $first
wait $first
code=$? command='station, interrupted'
[ "$code" -eq 0 ]
point 'Ctrl-C ends the station with exit code 0' $?

# ---------------------------------------------------------------- real validations

cat > board.yaml <<'YAML'
name: board
cube: {dims: 2}
nodes:
  - {address: 1}
traffic:
  - {from: 0, to: 3}
YAML
sed 's/{address: 1}/{address: 1, kind: contract, defect: silent}/' board.yaml > dead.yaml
# served NAME SCENARIO GO: a unit through the station with phasebench validate itself; its outcome.
served() {
    command="station $2"
    "$bin" station "$2" --listen 127.0.0.1:0 --out "real-$1" > "served-$1" 2> err &
    station=$!
    wait_for 'http://' "served-$1"
    python3 - "$(sed -n 's|.*http://\(127.0.0.1:[0-9]*\)/.*|\1|p' "served-$1")" "$1" > out <<'PY'
import json, sys, time, urllib.request
host, serial = sys.argv[1:]
def ask(path, body=None):
    request = urllib.request.Request("http://" + host + path, body, {"Origin": "http://" + host, "Content-Type": "application/json"})
    return json.load(urllib.request.urlopen(request, timeout=30))
ask("/api/start", json.dumps({"serial": serial, "operator": "ann"}).encode())
deadline = time.time() + 300
while time.time() < deadline:
    state = ask("/api/state")
    if state["phase"] == "ended":
        print(state["run"]["go"], [s["state"] for s in state["run"]["steps"]])
        break
    time.sleep(0.2)
PY
    kill -INT $station
    wait $station
    code=$?
    [ "$code" -eq 0 ] && grep -q "^$3 " out && [ -s "real-$1/$1"-*/validation.html ]
}
if command -v python3 > /dev/null; then
    served TM-1 board.yaml go
    point 'a sound board through phasebench validate is green' $?
    served TM-2 dead.yaml no-go
    point '... a dead one red' $?
fi

# ---------------------------------------------------------------- clients and validations

# points_of PROGRAM ARGUMENTS: the points that a program of Python prints, and its end.
points_of() {
    command=$1
    python3 "$root/tests/production/cli/$@" > client.out 2> client.err
    code=$?
    cp client.err err
    grep -E '^(not )?ok ' client.out > points
    while read -r line; do
        grep -F -A3 -- "$line" client.out | tail -n +2 | grep '^#' > out
        name=${line#not } && name=${name#ok }
        case $line in ok*) point "$name" 0 ;; *) point "$name" 1 ;; esac
    done < points
    cp client.err err
    [ "$code" -eq 0 ] && [ -s points ]
    point "$command came to its end" $?
}
if command -v python3 > /dev/null; then
    points_of station_client.py "$bin" "$root/tests/production/cli/stand_in.py" "$work"
    points_of station_ends.py "$bin" "$root/docs/use/station.md" "$work" "${STARTS:-12}"
fi

finish
