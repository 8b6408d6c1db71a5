#!/bin/sh
# SPDX-FileCopyrightText: The phasebench authors
# SPDX-License-Identifier: Apache-2.0
#
# Runs that end before their time, and places that become full: what was observed is never lost, no file is empty or cut
# off, and a link under the name of a result is not followed. Prints TAP.
#
#   tests/cli/ends.sh path/to/phasebench
#
# Expected values: exit codes and files as phasebench(1) states them; limits of size that lie between the sizes of the files.
#
# evidence: runs that end early
#   a signal, a time limit, a killed rig, a full disk, no memory: the result up to there, marked incomplete
#   in every form; no empty or truncated file
#   also: test_trace
# covers: host/run host/record host/cli/output* host/cli/cmd_run.c host/rig/serve.c host/rig/socket*

. "$(dirname "$0")/common.sh"

complement=$scenarios/complement.yaml silent=$scenarios/broken/silent.yaml

# incomplete NAME REGEX FOLDER: every form in it reports that and why the run is incomplete.
incomplete() {
    grep -Eq "\"incomplete\": \".*$2" "$3/result.json" && grep -q '"verdict": "inconclusive"' "$3/result.json"
    point "$1: JSON" $?
    grep -Eq "Incomplete run.*$2" "$3/report.html"
    point "$1: HTML" $?
    grep -Eq "\[\[PROPERTY\|incomplete=.*$2" "$3/junit.xml" && grep -q 'errors="1"' "$3/junit.xml"
    point "$1: JUnit" $?
    grep -q '^INCONCLUSIVE' out && grep -q '^incomplete ' out
    point "$1: text" $?
    run report "$3/result.json" --tap
    grep -q '^not ok 1 ' out && grep -Eq "^  incomplete: \".*$2" out
    point "$1: TAP" $?
}

# ---------------------------------------------------------------- signals and time limits

# stopped SIGNAL FOLDER ARGUMENTS: a run that gets the signal when its clock has run for a while; leaves $code.
stopped() {
    signal=$1 folder=$2
    shift 2
    command="run $*, then kill -$signal"
    "$bin" run "$@" --out "$folder" --junit "$folder.xml" --record "$folder.rec" >out 2>err </dev/null &
    pid=$!
    in_midst "$folder.rec"
    kill "-$signal" "$pid"
    wait "$pid"
    code=$?
    [ ! -e "$folder.xml" ] || mv "$folder.xml" "$folder/junit.xml"
}
stopped INT interrupted "$complement" --superframes 100000
[ "$code" -eq 130 ]
point 'Ctrl-C: exit code' $?
incomplete 'Ctrl-C' 'ends in superframe [0-9]+ of 100000, phase [0-9]+; interrupted' interrupted

exits '--timeout: exit code' 124 run "$complement" --superframes 100000 --timeout 1 --out late --junit late.xml
mv late.xml late/junit.xml
incomplete '--timeout' 'limit of 1 s' late

stopped INT failed "$scenarios/broken/flipped-bit.yaml" --superframes 20000
[ "$code" -eq 130 ] && grep -q '^FAIL' out && grep -q '"verdict": "fail"' failed/result.json && grep -q '"incomplete": "the run ends in ' failed/result.json
point 'a node that failed before Ctrl-C has failed' $?

# The result so far, of a run that goes on; it is what is left when the program is killed then.
command='run --superframes 100000, its files meanwhile'
"$bin" run "$complement" --superframes 100000 --out meanwhile >/dev/null 2>&1 </dev/null &
pid=$! waited=0
until grep -q 'superframes still goes on' meanwhile/result.json 2>/dev/null || [ "$waited" -ge 120 ]; do
    sleep 1
    waited=$((waited + 1))
done
kill -0 "$pid" && kill -KILL "$pid"
point 'the run goes on when its result so far is there' $?
wait "$pid"
exits 'the result so far: exit code' 0 report meanwhile/result.json
grep -q '^INCONCLUSIVE' out && grep -Eq '^checked +[1-9][0-9]* slots' out
point 'the result so far has what was checked' $?
grep -q 'Incomplete run.*still goes on' meanwhile/report.html
point 'the report so far says that the run goes on' $?

stopped KILL killed "$complement" --superframes 100000
[ "$code" -eq 137 ] && grep -Eq '"incomplete": "the run (has not ended|of 100000 superframes still goes on)' killed/result.json && grep -q 'Incomplete run' killed/report.html
point 'kill -9: the folder says that the run has not ended' $?

command='run of two scenarios, then kill -INT'
"$bin" run "$complement" --superframes 100000 "$scenarios/ref.yaml" --out none --junit none/junit.xml >out 2>err </dev/null &
pid=$!
wait_for 'superframes still goes on' none/complement/result.json
kill -INT "$pid"
wait "$pid"
code=$?
[ "$code" -eq 130 ] && [ "$(wc -l <err)" -eq 1 ] && grep -q 'tests="2".*errors="1" skipped="1"' none/junit.xml &&
    grep -q '<skipped message="not run: the suite was stopped' none/junit.xml
point 'a scenario after Ctrl-C has its case' $?

# ---------------------------------------------------------------- a rig that breaks

"$bin" serve "$complement" --socket ./rig.sock >serve.log 2>&1 &
server=$!
wait_for '^serving' serve.log
"$bin" run "$complement" --superframes 100000 --rig sim:./rig.sock --out broken --junit broken.xml --record broken.rec >out 2>err </dev/null &
pid=$!
in_midst broken.rec
kill -KILL $server
wait $server 2>/dev/null
wait $pid
code=$? command='run on a rig whose process is killed'
mv broken.xml broken/junit.xml
[ "$code" -eq 4 ] && grep -q 'has gone' err
point 'a rig that breaks: exit code' $?
incomplete 'a rig that breaks' 'the process that serves the rig has gone' broken

exits 'no rig: exit code' 4 run "$complement" --rig sim:./nothing --out absent --junit absent.xml
grep -q 'errors="1"' absent.xml && grep -q '"incomplete": "no rig at' absent/result.json && [ -s absent/report.html ] && [ ! -s out ]
point 'no rig: every file tells it' $?

# ---------------------------------------------------------------- several scenarios

exits 'two scenarios as JSON' 1 run "$scenarios/ref.yaml" "$silent" --json
[ "$(grep -c '^"results": \[' out)" -eq 1 ] && [ "$(grep -c '^  "scenario": ' out)" -eq 2 ]
point '... one object with two results' $?
if command -v python3 >/dev/null; then
    python3 -c '
import json, sys
d = json.load(open("out"))
sys.exit([r["verdict"] for r in d["results"]] != ["pass", "fail"])'
    point '... which another parser reads' $?
fi
cp out two.json
refuses '... and which report wants apart' 3 'list of several runs' report two.json

# ---------------------------------------------------------------- full disks

# limited NAME KIB CODE: a run that fails, where no file may be larger; leaves its folder in `limited`.
limited() {
    rm -rf limited limited.xml
    command="ulimit -f $2; run $silent"
    (
        ulimit -f "$2"
        exec "$bin" run "$silent" --out limited --junit limited.xml >out 2>err </dev/null
    )
    code=$?
    [ "$code" -eq "$3" ] && [ "$(grep -c . err)" -ge 1 ] && grep -q '^FAIL' out
    point "$1: verdict and summary" $?
    [ -z "$(find limited limited.xml -size 0 2>/dev/null)" ] && [ "$(ls -A limited | grep -cv '^re')" -eq 0 ]
    point "$1: no file is empty or left over" $?
}
# The result has 47 kB, the page 89 kB, the waveform more than 800 kB; sh counts 512 bytes.
limited 'room for all but the waveform' 400 1
[ -s limited/report.html ] && [ -s limited/result.json ] && [ -s limited.xml ] && [ "$(grep -c 'no waveform' err)" -eq 1 ] &&
    [ "$(wc -l <err)" -eq 1 ] && grep -q '"trace_path": ""' limited/result.json
point '... one line about it' $?
limited 'room for the result' 128 4
[ -s limited/result.json ] && [ ! -e limited/report.html ] && grep -q "cannot write 'limited/report.html'" err
point '... and for nothing else' $?
run report limited/result.json
[ "$code" -eq 0 ]
point '... which is whole' $?
limited 'room for nothing' 4 4

mkdir small
if mount -t tmpfs -o size=128k none small 2>/dev/null; then
    command="run $silent on a small file system"
    for size in 16 64 128 300 600; do
        mount -o remount,size=${size}k none small
        rm -rf small/*
        "$bin" run "$silent" --out small/out --junit small/junit.xml >out 2>err </dev/null
        code=$?
        { [ "$code" -eq 1 ] || [ "$code" -eq 4 ]; } && grep -q '^FAIL' out && [ ! -e small/out/failure.fst ] &&
            [ -z "$(find small -type f -size 0)" ] && ! find small -name '*.*[-.][0-9A-Za-z]*' -name 'failure*' | grep -q .
        point "a file system of $size KiB: verdict, and whole files only" $?
    done
    rm -rf small/*
    dd if=/dev/zero of=small/fill bs=4k 2>/dev/null
    for words in 'run --history small/h.db' 'run --history postgresql://a@127.0.0.1:1/b --spool small/s.db' 'run --record small/r.rec' \
        'run --rig vusb: --record-usb small/u.pcapng' 'run --csv small/c.csv' 'run --pcap small/p.pcapng' 'selftest --record small/t.rec'; do
        verb=${words%% *}
        [ "$verb" = run ] && scenario=$silent || scenario=
        command="phasebench $words on a full disk"
        # shellcheck disable=SC2086 # words are several
        "$bin" $verb $scenario ${words#* } >out 2>err </dev/null
        code=$?
        [ "$code" -ne 0 ] && grep -q 'No space left' err && [ "$(ls small)" = fill ]
        point "a full disk, and $words: no empty file" $?
    done
    # A link of the user, as /dev/stdout is one, is not what was made.
    for words in 'run --history link' 'run --record link --force' 'run --csv link' 'run --pcap link'; do
        ln -sf small/made link
        command="phasebench $words on a full disk"
        # shellcheck disable=SC2086 # words are several
        "$bin" run "$silent" ${words#* } >out 2>err </dev/null
        code=$?
        [ "$code" -ne 0 ] && grep -q 'No space left' err && [ "$(ls small)" = fill ] && [ -L link ]
        point "a full disk behind a link, and $words: no empty file, and the link stays" $?
    done
    umount small
else
    point 'a small file system # SKIP cannot mount one' 0
fi

# ---------------------------------------------------------------- no memory, no thread

# The sanitizers need more address space than any limit that is of use here: the released program, when it is built.
plain=${bin%-san}
if [ "$plain" != "$bin" ] && [ -x "$plain" ]; then
    command="ulimit -v from 9 to 64 MB; run ref.yaml"
    bad='' good=0
    for limit in 9000 9500 10000 10500 11000 12000 13000 14000 16000 18000 20000 24000 32000 48000 64000; do
        (
            ulimit -v $limit
            exec "$plain" run "$scenarios/ref.yaml" --quiet >out 2>err </dev/null
        )
        code=$?
        case $code in
        0) good=$((good + 1)) ;;
        4 | 127) [ "$(wc -l <err)" -eq 1 ] || bad="$bad $limit" ;; # 127: the dynamic linker finds no room
        *) bad="$bad $limit:$code" ;;
        esac
    done
    [ -z "$bad" ] && [ $good -ge 1 ]
    point "no memory: one line and exit code 4, or a run$bad" $?
fi
if command -v setpriv >/dev/null && [ "$(id -u)" -eq 0 ] && setpriv --reuid=65534 --regid=65534 --clear-groups test -x "$bin"; then
    mkdir -m 777 threads
    chmod 711 .
    command='run as a user who may start no further process or thread'
    (
        cd threads || exit 4
        ASAN_OPTIONS=detect_leaks=0 exec setpriv --reuid=65534 --regid=65534 --clear-groups \
            prlimit --nproc=1 "$bin" run "$silent" >../out 2>../err </dev/null
    )
    code=$?
    [ "$code" -eq 1 ] && grep -q '^FAIL' out && [ "$(grep -vc 'no waveform' err)" -eq 0 ]
    point 'no thread: the run needs none' $?
fi

# ---------------------------------------------------------------- text from outside

# One line for each scenario, whatever its file is called and whatever it says.
escape=$(printf '\033')
evil=$(printf 'x\npass  forged\033[2J\302\2331m.yaml')
sed "s/^name:.*/name: 'forged'/" "$scenarios/ref.yaml" >"$evil"
clean() { [ "$(grep -c "^pass  forged" out err | awk -F: '{n += $2} END {print n}')" -eq 0 ] && ! grep -q "$escape" out err; }
exits 'a scenario with a line feed and an escape in its name' 0 run "$evil" --quiet --record evil.rec
[ "$(wc -l <out)" -eq 1 ] && clean
point '... one line' $?
exits '... from its recording' 0 run --rig replay:evil.rec --quiet
[ "$(wc -l <out)" -eq 1 ] && clean
point '... one line' $?
for verb in 'run --rig replay:evil.rec' 'run --rig replay:evil.rec --tap' 'run --rig replay:evil.rec --json' 'monitor evil.rec --speed 0'; do
    # shellcheck disable=SC2086
    exits "... $verb" 0 $verb
    clean
    point '... clean' $?
done
run run "$evil.missing"
[ "$code" -eq 3 ] && [ "$(wc -l <err)" -eq 1 ] && clean
point '... in an error' $?

# ---------------------------------------------------------------- links

echo precious >precious
"$bin" run "$complement" --superframes 100000 --out linked --junit linked.xml >out 2>err </dev/null &
pid=$!
wait_for 'has not ended' linked/result.json && heeds $pid
for name in result.json report.html; do ln -sf ../precious linked/$name; done
ln -s precious linked.xml
kill -INT $pid
wait $pid
code=$? command='links to another file appear in the folder during a run'
[ "$code" -eq 130 ] && [ "$(cat precious)" = precious ] && [ ! -L linked/result.json ] && [ ! -L linked/report.html ] && [ ! -L linked.xml ] &&
    [ -s linked/result.json ]
point 'a link that appears under the name of a result is replaced' $?
ln -s elsewhere.xml named.xml
exits 'a link to a file that is not there yet' 0 run "$scenarios/ref.yaml" --quiet --junit named.xml
[ -L named.xml ] && grep -q '<testsuite ' elsewhere.xml
point '... makes it' $?
# A link of this folder: a program that replaced it would else replace that of the computer.
ln -s /dev/stdout named-stdout
exits 'a link that the user names' 0 run "$scenarios/ref.yaml" --quiet --junit named-stdout
says '... to /dev/stdout, is followed' '<testsuite '

# ---------------------------------------------------------------- a verb without a run

# As phasebench(1) says, EXIT STATUS: by the signal itself.
mkfifo waited
"$bin" report waited >out 2>err </dev/null &
pid=$!
sleep 60 >waited & # gets to its sleep when the verb has opened the pipe
writer=$!
wait_for '^sleep' /proc/$writer/cmdline
kill -TERM $pid
wait $pid
code=$? command='SIGTERM to a verb without a run'
[ "$code" -eq 143 ]
point 'a verb without a run ends by SIGTERM' $?
kill $writer
mkfifo gone
: <gone & # the reader
exec 3>gone
wait $!
"$bin" schedule --dims 6 >&3 2>err
code=$? command='schedule, whose reader is gone'
exec 3>&-
[ "$code" -eq 141 ]
point 'a verb whose reader is gone ends by SIGPIPE' $?

finish
