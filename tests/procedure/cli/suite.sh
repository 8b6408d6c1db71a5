#!/bin/sh
# SPDX-FileCopyrightText: The phasebench authors
# SPDX-License-Identifier: Apache-2.0
#
# Suites of scenarios: folders, several at a time, crashes, signals, and the forms of the whole. Prints TAP.
#
#   tests/procedure/cli/suite.sh path/to/phasebench
#
# Expected values: verdicts of scenarios that tests/cli/run.sh runs alone; counts of the files made here; phasebench(1).
# covers: host/procedure/suite host/cli/suite* host/cli/run_job* host/cli/runner* host/report/suite* host/report/index.c

. "$(dirname "$0")/../../cli/common.sh"

cat >tiny.yaml <<'END'
cube: {dims: 1}
nodes: [{address: 1}]
traffic: [{from: 1, to: 0}]
END
sed 's/address: 1/&, defect: flipped_bit/' tiny.yaml >bad.yaml
{ cat tiny.yaml && echo 'superframes: 100000'; } >endless.yaml
mkdir suite suite/below
cp bad.yaml suite/a-bad.yaml
cp tiny.yaml suite/b-good.yaml
cp tiny.yaml suite/c-good.yaml
cp bad.yaml suite/below/not-searched.yaml
cp bad.yaml suite/.hidden.yaml
cp bad.yaml suite/other.txt

# ---------------------------------------------------------------- a folder

exits 'a folder: a failure counts, whatever comes after it' 1 run suite --out o --junit o.xml
[ "$(grep -c '^[a-z ]*  suite/' out)" -eq 3 ] && grep -q '^fail  *suite/a-bad.yaml: ' out && grep -q '^pass  *suite/b-good.yaml: ' out
point '... a line for each of its files, none for folders below and hidden ones' $?
says '... a table' '^SCENARIO +VERDICT +SLOTS +FINDINGS +MARGIN, us +QUEUE +TIME, s$'
says '... with a row' '^b-good +pass +[1-9][0-9]* +0 +[0-9.]+ +([0-9]+|-) +[0-9.]+$'
says '... the total' '^3 scenarios: 2 pass, 0 marginal, 1 fail, 0 inconclusive, 0 not judged(; not checked: .*)?$'
says '... the time' '^took [0-9.]+ s, 1 at a time$'
says '... and the index' '^reports in o/index\.html$'
[ -s o/a-bad/report.html ] && [ -s o/a-bad/result.json ] && [ -s o/a-bad/failure.fst ] && [ -s o/c-good/report.html ] && [ ! -e o/c-good/failure.fst ]
point '... a folder of files for each' $?
grep -q 'class="fail"><span class="tone">' o/index.html && [ "$(grep -c '<tr><th scope="row"' o/index.html)" -eq 3 ] &&
    grep -q '<a href="./a-bad/report.html">' o/index.html && ! grep -q 'has not ended' o/index.html
point '... an index with three rows' $?
if command -v xmllint >/dev/null; then
    xmllint --html --noout o/index.html 2>err && ! grep -v 'Tag \(header\|main\|footer\) invalid\|<header>\|<main>\|<footer>\|^ *^' err | grep -q error
    point '... that is HTML' $?
fi
timeline '... reports whose timeline can be zoomed' o/a-bad/report.html o/a-bad/result.json
! grep -Eq '(src|href)="(https?:|//|/)' o/index.html
point '... and needs nothing from elsewhere' $?
valid o.xml && grep -q 'tests="3" failures="1" errors="0" skipped="0"' o.xml
point '... JUnit with a case each' $?

exits 'the same as JSON' 1 run suite --json
cp out serial.json
grep -q '^  "verdict": "fail",$' out && grep -q '^  "scenarios": 3,$' out && grep -q '^  "exit_code": 1,$' out
point '... the worst verdict of all' $?
[ "$(grep -c '"state": "judged"' out)" -eq 3 ] && [ "$(grep -c '^  "scenario": ' out)" -eq 3 ]
point '... a case and a result for each' $?
if command -v python3 >/dev/null; then
    python3 -c '
import json, sys
d = json.load(open("out"))
s = d["suite"]
sys.exit([r["verdict"] for r in d["results"]] != ["fail", "pass", "pass"] or s["pass"] != 2 or s["fail"] != 1
         or [c["name"] for c in s["cases"]] != ["a-bad", "b-good", "c-good"])'
    point '... in the order of the scenarios, for another parser' $?
fi
exits 'three at a time' 1 run suite --json -j 3
timeless() { sed 's/"wall_ns": [0-9]*//; /"started_utc"/d; /"jobs"/d' "$1"; }
timeless serial.json >left
timeless out >right
cmp -s left right
point '... give the same, but for dates and times' $?
exits 'as JSON, with files' 1 run suite --json --out both
cmp -s out both/result.json
point '... the document is in the folder, too' $?
exits 'the same as TAP' 1 run suite --tap --jobs=2
[ "$(grep -c '^ok ' out)" -eq 2 ] && grep -q '^1\.\.3$' out && grep -q '^not ok 1 - a-bad$' out
point '... three points' $?
exits 'one line for each, and the total' 1 run suite --quiet --out o
! grep -q SCENARIO out && [ "$(grep -c : out)" -eq 4 ]
point '... with --quiet' $?

exits 'a folder of shipped scenarios by its bare name' 0 run --rig sim: tiny.yaml suite/b-good.yaml
exits 'a folder and a file that is in it' 1 run suite/ suite/b-good.yaml suite/../suite/b-good.yaml --out twice --junit twice.xml --tap
says '... have names of their own' '^ok 4 - b-good \(2\)$'
says '... all of them' '^ok 5 - b-good \(3\)$'
[ -s twice/b-good/result.json ] && [ -s twice/b-good-2/result.json ] && [ -s twice/b-good-3/result.json ] && valid twice.xml
point '... and folders, and cases' $?
mkdir suffix suffix/x
cp tiny.yaml suffix/a-2.yaml
cp tiny.yaml suffix/a.yaml
cp tiny.yaml suffix/x/a.yaml
exits 'a file that is called as a numbered one would be' 0 run suffix/a-2.yaml suffix/a.yaml suffix/x/a.yaml --quiet --out suffix.d
[ "$(find suffix.d/*/ -name result.json | wc -l)" -eq 3 ]
point '... shares its folder with none' $?

# Files named as those of the suite itself, and one whose name without its end is no name of a folder.
mkdir collide collide/x
cp tiny.yaml collide/index.html.yaml
cp tiny.yaml collide/result.json.yaml
cp tiny.yaml collide/o.xml.yaml
cp tiny.yaml collide/x/...yaml
exits 'scenarios called as the files of the suite' 0 run collide collide/x/...yaml --out collide.d --junit collide.d/o.xml
[ -f collide.d/index.html ] && [ -f collide.d/result.json ] && [ -f collide.d/o.xml ] && [ -s collide.d/index.html-2/result.json ] &&
    [ -s collide.d/result.json-2/result.json ] && [ -s collide.d/o.xml-2/result.json ] && [ ! -e report.html ] && valid collide.d/o.xml
point '... have folders of their own' $?

# ---------------------------------------------------------------- one folder, two runs

"$bin" run endless.yaml --superframes endless --out o.two --quiet >first.out 2>&1 </dev/null &
first=$!
wait_for '"incomplete"' o.two/result.json
cp o.two/result.json before.json
for arguments in 'run tiny.yaml' 'run suite' 'regress native --dims 3 --only dimensions' 'validate --only lines' 'demo'; do
    # shellcheck disable=SC2086
    refuses "$arguments into the folder of another run" 4 "process $first writes to the output folder 'o\.two'; " $arguments --out o.two
done
kill -0 "$first" && [ -s o.two/result.json ] && [ "$(ls o.two)" = "$(printf 'report.html\nresult.json')" ]
point '... which keeps its files' $?
kill -KILL "$first"
wait "$first" 2>/dev/null
exits 'after its end, however it ended' 0 run tiny.yaml --out o.two --quiet

# ---------------------------------------------------------------- what is refused

mkdir empty
refuses 'a folder without scenarios' 3 "the folder 'empty' holds no file that ends in \.yaml" run empty
refuses 'a folder that is not there' 3 'empty/none: cannot be opened' run empty/none
mkdir pairs
refuses 'a name that is a folder and a scenario' 2 "'pairs' is a folder and a shipped scenario; write 'pairs/'" run pairs
refuses '... unless it says which' 3 "the folder 'pairs/' holds no file" run pairs/
refuses 'a bare name that is nearly one' 3 "did you mean 'complement'" run complemnt
refuses '... in a folder' 3 "did you mean 'broken/silent'" run broken/silnt
refuses 'a bad file in a folder: nothing is run' 3 'tiny\.yaml|x\.yaml:1: ' run suite/b-good.yaml --out refused "$(printf 'nonsense: 1\n' >x.yaml && echo x.yaml)"
[ ! -e refused ]
point '... and nothing is written' $?
for rig in ftdi:NONE tty:/dev/null sim:./sock vusb:; do
    refuses "several at a time on $rig" 2 "--jobs is 2, and rig '$rig' carries one run at a time; leave --jobs out" run suite -j 2 --rig "$rig"
done
refuses 'several of a recording' 2 'a recording holds one scenario, 3 are given' run suite --record r.rec
for jobs in 0 257 x; do
    refuses "--jobs $jobs" 2 "--jobs is '$jobs'; give a whole number 1\.\.256" run suite -j "$jobs"
done
refuses '-j without a number' 2 "option '-j' needs a value" run suite -j
refuses '--out below a plain file' 4 "output folder 'tiny\.yaml" run suite --out tiny.yaml/o
mkdir -p taken/index.html
exits 'a folder where the index belongs' 4 run suite --out taken --junit taken.xml --csv taken.csv
says '... is named' "^phasebench: cannot write 'taken/index.html': Is a directory" err
[ -s taken/result.json ] && [ -s taken/c-good/report.html ] && [ "$(grep -c '^fail\|^pass' out)" -ge 3 ] && valid taken.xml && [ -s taken.csv ]
point '... and all else is written' $?
refuses '--out that is empty' 2 '--out is empty' run suite --out ''
[ "$(id -u)" -ne 0 ] && mkdir -m 555 closed && {
    refuses '--out that may not be written' 4 'Permission denied' run suite --out closed
}
mkdir many
i=0
while [ $i -le 10000 ]; do # hard links cost next to nothing
    ln tiny.yaml many/$i.yaml
    i=$((i + 1))
done
refuses '10,001 scenarios' 2 '10001 scenarios are too many for a suite; at most 10000' run many

if [ -c /dev/full ]; then
    for form in --json --tap --quiet --out=full.d; do
        command="run suite $form >/dev/full"
        "$bin" run suite $form >/dev/full 2>err </dev/null
        code=$?
        : >out
        [ "$code" -eq 4 ] && grep -q 'No space left' err
        point "full disk behind a suite, $form" $?
    done
fi

# ---------------------------------------------------------------- without a run

exits 'a list of what is shipped' 0 run --list
cp out list
says '... with those of the top folder' '^complement +xor 0xFFF of the whole cube.* \(.*/host/scenarios/complement\.yaml\)$'
says '... and those below' '^broken/silent +The node pulls no line; must fail \('
[ "$(wc -l <out)" -eq "$(find "$scenarios" -name '*.yaml' | wc -l)" ]
point '... all of them' $?
rmdir pairs # a folder here would come first
# shellcheck disable=SC2046
exits '... by names that a run takes' 0 run --check $(sed 's/ .*//' list) --quiet
says '... of all' "^$(wc -l <list) scenarios: [0-9]+ good, [0-9]+ with warnings, 0 bad$"
exits 'a list of a folder, as JSON' 0 run suite --list --json
[ "$(grep -c '"path": "suite/' out)" -eq 3 ]
point '... has its files' $?
exits 'a list with a bad file' 3 run suite x.yaml --list
[ "$(wc -l <out)" -eq 3 ] && [ "$(wc -l <err)" -eq 1 ] && grep -q 'x\.yaml:1: ' err
point '... has the others' $?

exits 'a check of good scenarios' 0 run --check suite
says '... says so' '^good +suite/a-bad\.yaml$'
says '... and counts them' '^3 scenarios: 3 good, 0 with warnings, 0 bad$'
# 0x1 is on the path of no message; a tick of this core is 41.7 ns, and its stamps have halves of it.
cat >idle.yaml <<'END'
cube: {dims: 3}
nodes: [{address: 1}, {address: 6}]
traffic: [{from: 2, to: 3}, {from: 6, to: 4}]
limits: {start_early: 0 ns, start_late: 20 ns}
END
# Ready up to 5.2 us after the edge; the head guard is 2 us.
cat >slow.yaml <<'END'
cube: {dims: 3}
link: {phase_rate: 1 kHz, baud: 1 Mbaud, guard: 40 us, payload: 6 bytes, head_guard: 2 us}
nodes: [{address: 1, irq_latency: 5 us}]
traffic: [{from: 2, to: 6}]
END
# 200 superframes of 24 phases of 9 bytes at 1 Mbaud: 432 ms at 48 MHz are 20.7 million clocks.
cat >full.yaml <<'END'
nodes: [{address: 1}]
traffic: [{pattern: complement, repeat: 200}]
END
printf 'cube: {dims: 1}\nnodes: [{address: 1}]\ntraffic: [{from: 1, to: 0}]\nclock: {source: external}\n' >early.yaml
exits 'a check of scenarios with warnings' 0 run --check idle.yaml slow.yaml full.yaml --timeout 1
says '... a node without traffic' '^warning  idle\.yaml: nodes\[0\]: no message crosses a line of 0x1, '
says '... a start that nobody can measure' '^warning  idle\.yaml: limits: start_early and start_late leave 20\.0 ns .* 20\.8 ns apart; give at least 41\.7 ns$'
says '... traffic that never touches the rig' '^warning  slow\.yaml: traffic: no message crosses a line of the rig'
says '... a latency beyond the head guard' '^warning  slow\.yaml: nodes\[0\]: irq_latency and irq_jitter take up to 5\.[0-9]* us, longer than the head guard of 2\.000 us'
says '... a run beyond the time limit' '^warning  full\.yaml: superframes: 20[01] of them take at least [0-9]+ s here, the time limit is 1 s; '
says '... the total' '^3 scenarios: 0 good, 3 with warnings, 0 bad$'
exits '... which has more time' 0 run --check full.yaml --timeout 86400
says '... is good' '^good  *full\.yaml$'
exits 'a check of bad scenarios' 3 run --check tiny.yaml x.yaml none.yaml early.yaml idle.yaml --json
[ "$(wc -l <err)" -eq 3 ] && grep -q 'x\.yaml:1' err && grep -q 'none\.yaml: cannot be opened' err && grep -q 'early\.yaml: node 0x1 would send' err
point '... a line for each, those that only a plan shows, too' $?
[ "$(grep -c '"state": "bad"' out)" -eq 3 ] && [ "$(grep -c '"state": "good"' out)" -eq 1 ] && [ "$(grep -c '"state": "warning"' out)" -eq 1 ]
point '... in the JSON as well' $?
refuses 'a check of nothing' 2 'no scenario given to check' run --check
refuses 'a check with files' 2 '--check runs nothing; leave out --out' run --check suite --out o
refuses 'a list with JUnit' 2 '--list runs nothing' run --list --junit l.xml
refuses 'a check on a rig that is none' 2 "unknown rig 'usb:1'" run --check suite --rig usb:1
rm many/0.yaml
exits 'a check of 10,000 scenarios' 0 run --check many --rig sim: --quiet
says '... all of them' '^10000 scenarios: 10000 good'

# ---------------------------------------------------------------- every transmission

sed '1i name: comma, "quote" and =sum' tiny.yaml >quoted.yaml
exits 'transmissions as CSV' 1 run suite quoted.yaml --csv t.csv --tap
[ "$(head -n 1 t.csv)" = "$(printf 'scenario,superframe,phase,dimension,link,from,to,sender,message,source,destination,seen,correct,start_ps,end_ps,byte_count,bytes\r')" ]
point '... a line with the names' $?
# One message each, and it crosses one line once.
[ "$(wc -l <t.csv)" -eq 5 ] && grep -q '^a-bad,0,1,0,0,0x1,0x0,node,0,0x1,0x0,1,0,' t.csv && grep -q '^b-good,0,1,0,0,0x1,0x0,node,0,0x1,0x0,1,1,' t.csv
point '... a line for each' $?
grep -q '^"comma, ""quote"" and =sum",0,1,' t.csv
point '... a name with commas and quotes is one field' $?
if command -v python3 >/dev/null; then
    python3 -c '
import csv, sys
rows = list(csv.DictReader(open("t.csv", newline=""), strict=True))
sys.exit([r["scenario"] for r in rows] != ["a-bad", "b-good", "c-good", "comma, \"quote\" and =sum"]
         or any(None in r or None in r.values() for r in rows))'
    point '... for another parser' $?
fi
exits 'of one scenario' 0 run tiny.yaml --csv one.csv --json
cp out one.json
exits '... and of its stored result' 0 report one.json --csv stored.csv
cmp -s one.csv stored.csv && [ "$(wc -l <one.csv)" -eq 2 ]
point '... the same' $?
exits 'CSV below a plain file' 4 run suite --csv tiny.yaml/x --junit other.xml --out other --tap
says '... is named' "^phasebench: cannot write 'tiny.yaml/x'" err
[ "$(grep -c 'ok [0-9] ' out)" -eq 3 ] && valid other.xml && [ -s other/result.json ] && [ -s other/index.html ]
point '... and all else is written' $?
exits '... of a stored result' 4 report one.json --html tiny.yaml/x --junit stored.xml --csv again.csv --tap
says '... the others, too' '^ok 1 ' && cmp -s again.csv one.csv && valid stored.xml

# ---------------------------------------------------------------- waveforms

exits 'a window of a run that passes, and the waveform of one that fails' 1 run suite --trace-at 0:1 --vcd --out w --tap
[ -s w/b-good/window.fst ] && [ -s w/b-good/window.vcd ] && [ -s w/b-good/window.gtkw ] && [ ! -e w/b-good/failure.fst ] &&
    [ -s w/a-bad/window.fst ] && [ -s w/a-bad/failure.fst ] && [ -s w/a-bad/failure.vcd ] && [ -s w/a-bad/failure.gtkw ]
point '... as FST, as VCD, and with a save file' $?
grep -q '^\[dumpfile\] "failure.fst"$' w/a-bad/failure.gtkw && grep -q '^\$enddefinitions' w/a-bad/failure.vcd && grep -q '"trace_path": ""' w/b-good/result.json
point '... which names its waveform' $?
exits 'without these' 1 run bad.yaml --out w/a-bad --quiet
[ ! -e w/a-bad/window.fst ] && [ ! -e w/a-bad/window.vcd ] && [ ! -e w/a-bad/window.gtkw ] && [ ! -e w/a-bad/failure.vcd ] && [ -s w/a-bad/failure.gtkw ]
point '... the old ones are gone' $?
exits 'one scenario' 0 run tiny.yaml --trace-at 0 --out w1
says '... says where it is' '^window w1/window\.fst$'
command='ulimit -f; run tiny.yaml --trace-at 0 --vcd'
(
    ulimit -f 1000 # 500 kB: less than the waveform, more than each of the others
    exec "$bin" run tiny.yaml --trace-at 0 --vcd --out w2 --quiet >out 2>err </dev/null
)
code=$?
[ "$code" -eq 0 ] && [ "$(grep -c 'no waveform' err)" -eq 1 ] && [ -z "$(find w2 -name 'window*')" ] && [ -s w2/result.json ]
point 'no room for the waveform: none at all, one line, and the verdict' $?
for at in 2 0:2 0:x x 0: :1; do
    refuses "--trace-at $at" 2 '^phasebench: --trace-at' run tiny.yaml --trace-at $at
done
refuses 'a window that one of the scenarios has not' 2 '--trace-at is 2:0; the run of suite/a-bad\.yaml' run endless.yaml suite --trace-at 2
refuses 'a window on a board' 2 "rig 'ftdi:' cannot; use --rig sim:, or --record" run tiny.yaml --trace-at 0 --rig ftdi:
"$bin" run tiny.yaml --record tiny.rec --quiet >/dev/null
exits 'a window of a recording' 0 run --rig replay:tiny.rec --trace-at 0 --vcd --out w3
[ -s w3/window.fst ] && [ -s w3/window.vcd ] && [ ! -e w3/window.gtkw ]
point '... has its pins, as FST and VCD' $?

# A result has 4 kB, 2 fit; sh counts 512 bytes.
command='ulimit -f 4; run suite --json'
{
    (
        ulimit -f 4
        exec "$bin" run suite --json 2>err </dev/null
    )
    echo $? >code
} | cat >out
code=$(cat code)
[ "$code" -eq 4 ] && [ "$(grep -c 'cannot be kept' err)" -eq 3 ] && grep -q '^  "not_judged": 3,$' out && [ "$(grep -c '"state": "crashed"' out)" -eq 3 ] &&
    [ "$(tail -n 1 out)" = '}' ]
point 'no room to keep the results: each is named, and the document is whole' $?

# ---------------------------------------------------------------- processes that do not come back

# process_of NAME: the process in which the parent $pid runs this scenario.
process_of() {
    tries=0
    while [ $tries -le 600 ]; do
        for child in $(cat "/proc/$pid/task/$pid/children" 2>/dev/null); do
            if [ "$(cat "/proc/$child/comm" 2>/dev/null)" = "$1" ]; then
                echo "$child"
                return
            fi
        done
        tries=$((tries + 1))
        sleep 0.05
    done
}

# strikes SIGNAL NAME ARGUMENTS: a suite of which the process of one scenario gets a signal; leaves $code.
strikes() {
    signal=$1 victim=$2
    shift 2
    command="run $*, then kill -$signal the process of $victim"
    "$bin" run "$@" >out 2>err </dev/null &
    pid=$!
    kill "-$signal" "$(process_of "$victim")"
    wait "$pid"
    code=$?
}
mkdir crash
cp tiny.yaml crash/a-good.yaml
cp endless.yaml crash/b-dies.yaml
cp tiny.yaml crash/c-good.yaml
for jobs in 1 2; do
    rm -rf d d.xml
    strikes SEGV b-dies crash -j $jobs --out d --junit d.xml
    [ "$code" -eq 4 ] && grep -Eq '^phasebench: crash/b-dies.yaml: its process (crashed: signal 11|ended with exit code)' err
    point "a crash, $jobs at a time: exit code and reason" $?
    grep -q '^crashed  *crash/b-dies.yaml: its process ' out && grep -q '^3 scenarios: 2 pass, .* 1 not judged' out
    point '... the others have run' $?
    valid d.xml && grep -q 'tests="3" failures="0" errors="1" skipped="0"' d.xml && grep -q '<error type="inconclusive" message=".*b-dies\|<error type=".*its process' d.xml
    point '... it is an error of its own case' $?
    grep -q '"incomplete": "its process ' d/b-dies/result.json && grep -q 'crashed' d/index.html && [ -s d/c-good/report.html ]
    point '... its folder and the index say so' $?
done
strikes KILL b-dies crash --json
[ "$code" -eq 4 ] && grep -q '"state": "crashed".*signal 9' out && [ "$(grep -c '^  "scenario": ' out)" -eq 3 ]
point 'a process that is killed has its result in the JSON' $?
strikes STOP b-dies crash --timeout 1 --tap
grep -q '^not ok 2 - b-dies$' out && grep -q 'was killed: it had not ended 13 s after its begin' out && grep -q '^[a-z ]*ok 3 ' out
point 'a process that hangs is killed after three limits of time and 10 s' $?

# ---------------------------------------------------------------- again, and in quarantine

# A node that fails in its first process alone: here it sends in the phases of its neighbour.
if command -v python3 >/dev/null; then
    cp "$root"/docs/examples/*.py .
    cat >once.sh <<'END'
if mkdir ran 2>/dev/null; then sed 's/== bit/!= bit/' my_node.py >bad_node.py; exec python3 bad_node.py; fi
exec python3 my_node.py
END
    mkdir again
    sed "s|address: 1|&, kind: \"exec:sh once.sh\", folder: \"$work\"|" tiny.yaml >again/a-once.yaml
    cp tiny.yaml again/b-good.yaml
    exits 'a node that fails once fails the suite' 1 run again --out once
    rmdir ran
    exits 'a case that passes when it is run again passes' 0 run again --retry 2 --out again.d --junit again.xml
    says '... and is shown as flaky' '^a-once +flaky '
    says '... with what its first run came to' '^flaky +a-once: passed in run 2; run 1: a node pulled a line outside its phase'
    says '... and counted' '^2 scenarios: 2 pass, 0 marginal, 0 fail, 0 inconclusive, 0 not judged; 1 flaky(; not checked: .*)?$'
    valid again.xml && grep -q 'tests="2" failures="0" errors="0" skipped="0"' again.xml && grep -q '^\[\[PROPERTY|flaky=true\]\]$' again.xml &&
        grep -q '^\[\[PROPERTY|first_run=fail\]\]$' again.xml && grep -q '^\[\[PROPERTY|first_reason=a node pulled' again.xml
    point '... in JUnit with what its first run came to' $?
    grep -q 'flaky' again.d/index.html && grep -q '<a href="./a-once/first/report.html">' again.d/index.html && [ -s again.d/a-once/first/failure.fst ] &&
        [ -s again.d/a-once/first/report.html ] && [ -s again.d/a-once/report.html ] && [ ! -e again.d/a-once/failure.fst ]
    point '... in the index, with the files of the first run' $?
    cp again.d/result.json out
    figures '... in the JSON of the folder' flaky 1 pass 2 fail 0 exit_code 0 quarantined 0
    rmdir ran
    exits '... as TAP' 0 run again --retry 1 --tap
    grep -q '^ok 1 - a-once$' out && grep -q '^  flaky: true$' out && grep -q '^  retries: 1$' out && ! grep -q '^not ok' out
    point '... a point that is ok, and says so' $?
    rmdir ran
    exits 'one scenario is a suite then' 0 run again/a-once.yaml --retry 1 --quiet
fi
exits 'a case that never passes fails' 1 run suite --retry 2 --json
[ "$(grep -c '"retries": 2, "flaky": false' out)" -eq 1 ] && [ "$(grep -c '"retries": 0, "flaky": false' out)" -eq 2 ]
point '... after three runs, and no other is repeated' $?
refuses '--retry 11' 2 "--retry is '11'; give a whole number 0..10" run suite --retry 11

cat >known.yaml <<'END'
# of this station
- {case: a-bad, reason: "ticket 12: flips a bit", until: 2999-12-31}
- case: c-good
  reason: was slow
  until: 2999-02-28
END
exits 'a failure in quarantine does not count' 0 run suite --quarantine known.yaml --out known --junit known.xml
says '... it has run, and is shown' '^quarantined +suite/a-bad\.yaml: the frame on the line'
says '... with its reason' '^quarantine +a-bad: in quarantine until 2999-12-31: ticket 12: flips a bit$'
says '... and counted' '^3 scenarios: 2 pass, 0 marginal, 0 fail, 0 inconclusive, 0 not judged, 1 quarantined(; not checked: .*)?$'
says 'one that passes is reported' '^quarantine +c-good: passed in quarantine \(until 2999-02-28: was slow\); take it off the list$'
valid known.xml && grep -q 'tests="3" failures="0" errors="0" skipped="1"' known.xml && grep -q '<skipped message="fail in quarantine until 2999-12-31: ticket 12' known.xml
point '... in JUnit it is skipped' $?
grep -q 'quarantined' known/index.html && grep -q 'ticket 12: flips a bit' known/index.html && grep -q '1 passed in quarantine' known/index.html
point '... in the index' $?
cp known/result.json out
figures '... in the JSON' pass 2 fail 0 quarantined 1 quarantine_passed 1 exit_code 0
exits '... as TAP' 0 run suite --quarantine known.yaml --tap
says '... is expected to fail' '^not ok 1 - a-bad # todo until 2999-12-31: ticket 12: flips a bit$'
says '... that passes' '^ok 3 - c-good # todo until 2999-02-28: was slow$'
says '... and the rest is as ever' '^ok 2 - b-good$'
exits 'a quarantine of others leaves the failure' 1 run suite --quarantine known2.yaml --quiet "$(printf -- '- {case: b-good, reason: x, until: 2999-01-01}\n' >known2.yaml && echo suite/b-good.yaml)"
printf -- '- {case: b-dies, reason: x, until: 2999-01-01}\n' >dies.yaml
strikes SEGV b-dies crash --quarantine dies.yaml --json
[ "$code" -eq 4 ] && grep -q '"excused": false' out && grep -q '^  "quarantined": 0,$' out
point 'a crash in quarantine still counts' $?
# list LINE...: a quarantine of these lines
list() {
    printf '%s\n' "$@" >list.yaml
}
list '- {case: b-good, reason: x, until: 2999-01-01}' '- {case: a-bad, reason: x, until: 2020-02-29}'
: > empty.yaml
refuses 'an empty quarantine' 3 'empty\.yaml: is empty' run suite --quarantine empty.yaml
refuses 'an expired entry' 3 'list\.yaml:2: the quarantine of a-bad expired on 2020-02-29' run suite --quarantine list.yaml
list '- {case: a-bda, reason: x, until: 2999-01-01}'
refuses 'an entry of no case' 3 "list\.yaml:1: no case has the name 'a-bda'; did you mean 'a-bad'" run suite --quarantine list.yaml
list '- {case: a-bad, reason: x, until: 2999-02-29}'
refuses 'a date that no calendar has' 3 "list\.yaml:1: until of a-bad is '2999-02-29'; write a date" run suite --quarantine list.yaml
list '- {case: a-bad, reason: x, until: soon}'
refuses 'no date' 3 "list\.yaml:1: until of a-bad is 'soon'" run suite --quarantine list.yaml
list '- {case: a-bad, reason: x, until: 2999-01-01}' '' '- {case: a-bad, reason: x, until: 2999-01-01}'
refuses 'a case twice' 3 'list\.yaml:3: a-bad is already listed in line 1' run suite --quarantine list.yaml
list '- {case: a-bad, until: 2999-01-01}'
refuses 'no reason' 3 'list\.yaml:1: the entry has no reason' run suite --quarantine list.yaml
list '- {case: a-bad, reason: x}'
refuses 'no end' 3 'list\.yaml:1: the entry has no until' run suite --quarantine list.yaml
list '- {case: a-bad, reasn: x, until: 2999-01-01}'
refuses 'an unknown key' 3 "list\.yaml:1: unknown key 'reasn' in an entry; did you mean 'reason'" run suite --quarantine list.yaml
list 'a-bad: x'
refuses 'no list' 3 'list\.yaml:1: no list of 1 to 1000 cases' run suite --quarantine list.yaml
list '- a-bad'
refuses 'no mapping' 3 'list\.yaml:1: no mapping; write' run suite --quarantine list.yaml
list '- {case: [a-bad], reason: x, until: 2999-01-01}'
refuses 'a list as a name' 3 'list\.yaml:1: case is no single line' run suite --quarantine list.yaml
refuses 'no file' 3 '^phasebench: --quarantine: none: cannot be opened' run suite --quarantine none
refuses 'with --check' 2 'leave out .*--quarantine' run --check suite --quarantine known.yaml

# ---------------------------------------------------------------- time and signals

# More than a short run ever takes on a busy machine.
exits '--timeout is for each scenario' 124 run tiny.yaml endless.yaml tiny.yaml --timeout 5 --tap
[ "$(grep -c '^ok ' out)" -eq 2 ] && grep -q 'limit of 5 s' out
point '... and ends that one alone' $?

# stopped SIGNAL ARGUMENTS: a suite that gets it while b-dies runs; leaves $code.
stopped() {
    signal=$1
    shift
    command="run $*, then kill -$signal"
    "$bin" run "$@" >out 2>err </dev/null &
    pid=$!
    [ -n "$(process_of b-dies)" ] && sleep 2
    kill "-$signal" "$pid"
    wait "$pid"
    code=$?
}
for signal in INT TERM; do
    rm -rf i i.xml
    stopped $signal crash --out i --junit i.xml
    [ "$code" -eq 130 ]
    point "SIG$signal: exit code" $?
    grep -q '"incomplete": ".*interrupted' i/b-dies/result.json && grep -q '^cut off  *crash/b-dies.yaml' out
    point '... what runs is judged up to there' $?
    grep -q '^c-good  *not run ' out && grep -q 'not run' i/index.html && [ ! -e i/c-good ] && ! grep -q 'has not ended' i/index.html
    point '... the rest is not run' $?
    valid i.xml && grep -q 'tests="3" failures="0" errors="1" skipped="1"' i.xml && grep -q '<skipped message="not run: ' i.xml
    point '... nor passed in JUnit' $?
    [ -z "$(find i -size 0)" ] && [ -z "$(find i -name '*.[0-9]*-*')" ]
    point '... and every file is whole' $?
done
stopped INT crash --json
[ "$code" -eq 130 ] && grep -q '"state": "not_run"' out && grep -q '^  "not_judged": [12],$' out && grep -q '^  "verdict": "inconclusive",$' out
point '... in the JSON, too' $?
stopped INT crash --tap
[ "$code" -eq 130 ] && grep -q '^not ok 3 - c-good$' out && grep -q '^1\.\.3$' out
point '... and in TAP' $?

rm -rf k
stopped KILL crash --out k
left=$(process_of b-dies)
[ "$code" -eq 137 ] && grep -q 'has not ended' k/index.html
point 'kill -9: the index says that the suite has not ended' $?
wait_for '"incomplete": ".*interrupted' k/b-dies/result.json
point '... and the run that it leaves behind ends by itself' $?

# On a terminal: `script` gives one, of 100 columns.
command='on a terminal: run crash'
env TERM=xterm script -qec "stty columns 100; '$bin' run crash --timeout 6 --out t" /dev/null >out 2>err </dev/null
grep -q '1 of 3 done, 0 not passed; b-dies [0-9]* %' out
point 'progress of what runs' $?

finish
