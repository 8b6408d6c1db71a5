#!/bin/sh
# SPDX-FileCopyrightText: The phasebench authors
# SPDX-License-Identifier: Apache-2.0
#
# Parts of a suite: up to the first failure, those that failed, shards and their merged result. Prints TAP.
#
#   tests/procedure/cli/shards.sh path/to/phasebench
#
# Expected values: the whole suite, run at once; counts of the files made here.
# covers: host/procedure/suite host/cli/suite* host/cli/cmd_report.c host/report/suite*

. "$(dirname "$0")/../../cli/common.sh"

cat >tiny.yaml <<'END'
cube: {dims: 1}
nodes: [{address: 1}]
traffic: [{from: 1, to: 0}]
END
sed 's/address: 1/&, defect: flipped_bit/' tiny.yaml >bad.yaml
mkdir suite other
for name in a c e g; do cp tiny.yaml "suite/$name.yaml"; done
for name in b d f; do cp bad.yaml "suite/$name.yaml"; done
cp bad.yaml other/a.yaml

# ran FILE: the names of the cases that have a result, in order.
ran() {
    sed -n 's/^  "scenario": "\(.*\)",$/\1/p' "$1" | tr '\n' ' '
}

# ---------------------------------------------------------------- up to a failure

exits '-x' 1 run suite -x --out x --junit x.xml
[ "$(ran x/result.json)" = 'a b ' ] && [ "$(grep -c '"state": "not_run"' x/result.json)" -eq 5 ]
point '... starts nothing after the first failure' $?
says '... the rest says why' '^c +not run '
grep -q '"reason": "not run: the suite stopped after 1 failure"' x/result.json && [ ! -e x/c ] && valid x.xml && grep -q 'tests="7" failures="1" errors="0" skipped="5"' x.xml
point '... in the forms, too' $?
exits '--max-failures 2' 1 run suite --max-failures 2 --json
[ "$(ran out)" = 'a b c d ' ]
point '... ends after the second' $?
exits 'a failure in quarantine is none' 1 run suite -x --json --quarantine "$(printf -- '- {case: b, reason: x, until: 2999-01-01}\n' >q.yaml && echo q.yaml)"
[ "$(ran out)" = 'a b c d ' ]
point '... so the suite goes on' $?
exits 'a case that is run again counts once' 1 run suite --max-failures 2 --retry 1 --json
[ "$(ran out)" = 'a b c d ' ]
point '... after its last run' $?
exits 'several at a time: those that run end' 1 run suite -x -j 3 --json
[ "$(grep -c '"state": "judged"' out)" -ge 2 ] && [ "$(grep -c '"state": "judged"' out)" -le 5 ] && [ "$(grep -c '"state": "incomplete"' out)" -eq 0 ]
point '... whole' $?
exits 'one scenario is a suite then' 0 run tiny.yaml -x --quiet --out one
exits 'regress -x' 1 regress contract --dims 2 --defect flipped_bit --only own-messages,dimensions,full-load -x -j 1 --json --out r
[ "$(grep -c '"state": "judged"' out)" -eq 1 ] && [ "$(grep -c '"state": "not_run"' out)" -eq 2 ]
point '... stops, too' $?
refuses '--max-failures 0' 2 "--max-failures is '0'" run suite --max-failures 0
refuses '-x without a run' 2 'leave out .*--exit-first' run suite --list -x

# ---------------------------------------------------------------- those that failed

exits 'all of them' 1 run suite --out last --quiet
exits '--last-failed' 1 run suite --out last --last-failed --quiet
[ "$(ran last/result.json)" = 'b d f ' ]
point '... runs those alone' $?
cp tiny.yaml suite/d.yaml
exits '... of them again' 1 run suite --out last --last-failed --quiet
[ "$(ran last/result.json)" = 'b d f ' ]
point '... the same, one is mended' $?
exits '... and once more' 1 run suite --out last --last-failed --quiet
[ "$(ran last/result.json)" = 'b f ' ]
point '... which runs no more' $?
cp bad.yaml suite/d.yaml
exits '... the first of them alone' 1 run suite --out last --last-failed -x --quiet
[ "$(ran last/result.json)" = 'b ' ]
point '... which stops' $?
exits '... and the others' 1 run suite --out last --last-failed --quiet
[ "$(ran last/result.json)" = 'b f ' ]
point '... have not been forgotten' $?
exits 'one that is not given' 1 run suite/b.yaml suite/c.yaml --out last --last-failed --quiet
says '... is named' "^phasebench: not among these scenarios: 1 of 2 cases that failed in 'last/result.json'$" err
exits 'names of a whole suite' 1 run suite other/a.yaml --out names --quiet
exits '... are kept' 1 run suite other/a.yaml --out names --last-failed --quiet
[ "$(ran names/result.json)" = 'b d f a (2) ' ] && [ -s names/a-2/report.html ]
point '... with their numbers and folders' $?
exits 'all pass' 0 run tiny.yaml suite/a.yaml --out good --quiet
refuses '... so nothing would be tested' 2 "no case failed in 'good/result.json', so nothing would be tested" run tiny.yaml suite/a.yaml --out good --last-failed
refuses 'no run before' 3 "cannot open 'none/result.json'" run suite --out none --last-failed
exits 'others failed' 2 run tiny.yaml --out last --last-failed --tap
says '... is told' "give the scenarios of 'last/result.json'$" err
exits 'the result of a run alone' 1 run bad.yaml --out alone --quiet
exits '... does, too' 1 run bad.yaml tiny.yaml --out alone --last-failed --quiet
[ "$(ran alone/result.json)" = 'bad ' ]
point '... for the one that failed' $?

regress='regress contract --dims 2 --defect late_start --only own-messages,start-running-clock --out lr'
# shellcheck disable=SC2086
{
    run $regress --quiet
    ran lr/result.json >failed
    exits 'of a regress' 1 $regress --quiet --last-failed
    [ "$(ran lr/result.json)" = "$(cat failed)" ] && [ -s failed ]
    point '... the same cases' $?
}

# ---------------------------------------------------------------- shards

exits 'the whole suite' 1 run suite other/a.yaml --out whole --junit whole.xml --csv whole.csv
for shard in 1 2 3; do
    run run suite other/a.yaml --shard $shard/3 --out "part-$shard" --quiet
done
[ "$(ran part-1/result.json)" = 'a d g ' ] && [ "$(ran part-2/result.json)" = 'b e a (2) ' ] && [ "$(ran part-3/result.json)" = 'c f ' ]
point 'each shard has every third case, under its name' $?
[ -s part-2/a-2/report.html ] && [ ! -e part-1/b ] && grep -Eq '"shard": {"index": 2, "of": 3, "suite": "[0-9a-f]{8}"}' part-2/result.json && grep -q 'shard 2 of 3' part-2/index.html
point '... in its own folder, and says which it is' $?
exits 'merged, in any order' 1 report merge part-3 part-1/result.json part-2 --out merged --junit merged.xml --csv merged.csv
says '... has the totals' '^8 scenarios: 4 pass, 0 marginal, 4 fail, 0 inconclusive, 0 not judged'
# Equal except times, places and how many ran at once.
bare() {
    sed 's/"wall_ns": [0-9]*//; s/"folder": "[^"]*"//; /"started_utc"/d; /"jobs"/d; /"environment"/d; /"trace_path"/d; s/ time="[^"]*"//g; s/ timestamp="[^"]*"//; /name="jobs"/d; /environment=/d' "$1"
}
bare whole/result.json >left
bare merged/result.json >right
cmp -s left right
point '... is the whole suite, in its order' $?
bare whole.xml >left
bare merged.xml >right
cmp -s left right && valid merged.xml && cmp -s whole.csv merged.csv
point '... in JUnit and CSV' $?
if command -v python3 >/dev/null; then
    links '... and its page leads to the reports where they are' merged/index.html part-2/a-2/report.html part-3/f/failure.fst
    columns '... whose columns have their names on a phone' merged/index.html part-3/f/report.html
fi
exits 'merged as TAP' 1 report merge part-1 part-2 part-3 --tap
[ "$(grep -c '^ok ' out)" -eq 4 ] && [ "$(grep -c '^not ok ' out)" -eq 4 ] && grep -q '^not ok 8 - a (2)$' out
point '... has eight points' $?
exits 'merged as JSON' 1 report merge part-1 part-2 part-3 --json
cp out merged.json
exits '... merges again' 1 report merge merged.json --json
bare merged.json >left
bare out >right
cmp -s left right
point '... to the same' $?
exits 'results without shards follow one another' 1 report merge alone good --json
[ "$(ran out)" = 'bad tiny a ' ]
point '... in the order given' $?
exits 'passes alone' 0 report merge good --tap

refuses 'a shard is missing' 3 'shard 2/3 is missing, so its cases were not tested' report merge part-1 part-3 --tap
refuses 'a shard twice' 3 'part-1/result\.json is shard 1/3 once more' report merge part-1 part-1 part-2 part-3 --tap
refuses 'a shard and a whole suite' 3 'whole/result\.json is no shard' report merge part-1 whole --tap
refuses 'a whole suite and a shard' 3 'whole/result\.json is no shard' report merge whole part-1 --tap
run run suite tiny.yaml --shard 1/2 --out other-half --quiet
run run suite --shard 2/2 --out half-2 --quiet
refuses 'shards of two suites' 3 'half-2/result\.json is of another suite than other-half/result\.json: not the same cases' \
    report merge other-half half-2 --tap
run run suite --shard 1/2 --out half --quiet
refuses 'shards of unlike suites' 3 'is shard 1/2' report merge part-1 half --tap
refuses 'a case of two results' 3 "case 'bad' of .* is in another result, too" report merge alone alone --tap
refuses 'no result' 2 'report merge: no result given' report merge
refuses 'no place' 2 'give --out DIR, or --json or --tap' report merge good
refuses 'a page of one result' 2 'give --out DIR for the page' report merge good --html p.html --tap
refuses 'two results without merge' 2 "'report merge' joins several" report alone/result.json good/result.json
refuses 'a folder without a result' 3 "cannot open 'suite/result.json'" report merge suite --tap
refuses 'no JSON' 3 'is not JSON' report merge tiny.yaml --tap

# A suite with a case that passes in its second run, and two in quarantine, of which one passes: the shards merged
# are the whole in each form.
if command -v python3 >/dev/null; then
    cp "$root"/docs/examples/*.py .
    cat >once.sh <<'END'
if mkdir "$1" 2>/dev/null; then sed 's/== bit/!= bit/' my_node.py >bad_node.py; exec python3 bad_node.py; fi
exec python3 my_node.py
END
    mkdir mixed
    for name in a e; do sed "s|address: 1|&, kind: \"exec:sh once.sh ran-$name\", folder: \"$work\"|" tiny.yaml >mixed/$name.yaml; done
    cp bad.yaml mixed/b.yaml
    cp tiny.yaml mixed/c.yaml
    cp tiny.yaml mixed/d.yaml
    printf -- '- {case: b, reason: "ticket 12", until: 2999-01-01}\n- {case: c, reason: "was slow", until: 2999-01-01}\n' >mixed.yaml
    exits 'a suite with flaky and excused cases' 0 run mixed --retry 1 --quarantine mixed.yaml --out all --junit all.xml
    sed -n '/^[0-9]* scenarios/p' out >all.said
    rm -rf ran-a ran-e
    run run mixed --retry 1 --quarantine mixed.yaml --tap
    grep -v '^  trace: ' out >all.tap
    rm -rf ran-a ran-e
    for shard in 1 2; do
        exits "... shard $shard of it" 0 run mixed --retry 1 --quarantine mixed.yaml --shard $shard/2 --out "mixed-$shard" --quiet
    done
    exits '... merged' 0 report merge mixed-2 mixed-1 --out joined --junit joined.xml
    grep -q ', 1 quarantined; 2 flaky' all.said && sed -n '/^[0-9]* scenarios/p' out | cmp -s - all.said
    point '... has the same totals' $?
    bare all/result.json >left
    bare joined/result.json >right
    cmp -s left right && grep -q '"flaky": 2,' right && grep -q '"quarantined": 1,' right
    point '... the same JSON' $?
    bare all.xml >left
    bare joined.xml >right
    cmp -s left right && grep -q 'first_run=fail' right && valid joined.xml
    point '... the same JUnit' $?
    run report merge mixed-1 mixed-2 --tap
    grep -v '^  trace: ' out | cmp -s - all.tap && grep -q 'flaky: true' out
    point '... the same TAP' $?
    page() {
        sed -n 's/.*<div class="verdict[^>]*>\(.*\)<\/div>.*/\1/p' "$1"
        grep -o 'class="tone">[^<]*<' "$1"
    }
    page all/index.html >left
    page joined/index.html >right
    cmp -s left right && grep -q '2 flaky, 1 failed in quarantine, 1 passed in quarantine' right && grep -q 'href="[^"]*mixed-1/a/first/report.html"' joined/index.html
    point '... and the same page, with the first runs' $?
    altered() {
        sed "$3" mixed-1/result.json >altered.json
        refuses "$1" 3 "altered\\.json: report: $2.*run again" report merge altered.json mixed-2 --out refused
    }
    altered 'a flaky case that says it is none' "case 'a' has flaky false, by its runs and quarantine true" '/^    {"name": "a"/s/"flaky": true/"flaky": false/'
    altered 'a flaky case without its first run' "case 'a' has flaky true, by its runs and quarantine false" '/^    {"name": "a"/s/"retries": 1/"retries": 0/'
    altered 'a case in quarantine that says it is excused' "case 'c' has excused true, by its runs and quarantine false" '/^    {"name": "c"/s/"excused": false/"excused": true/'
    altered 'a reason of no first run' "case 'c' has 0 retries, but a first_reason" '/^    {"name": "c"/s/"first_reason": null/"first_reason": "x"/'
fi

# Shards, and results, that lack a case or contradict themselves. doctored NAME REGEX PATTERN: the result of
# part-2 (b fails, e passes, a (2) fails) after a change of sed is refused, in every form, with its file.
doctored() {
    sed "$3" part-2/result.json >doctored.json
    cmp -s part-2/result.json doctored.json
    [ $? -eq 1 ]
    point "$1 changes the result" $?
    refuses "$1" 3 "doctored\\.json: report: $2.*run again" report merge part-1 doctored.json part-3 --out refused
    succeeds '... before any form' [ ! -e refused/result.json ]
}
doctored 'a number of cases' 'suite\.scenarios is 4, by its cases 3' 's/"scenarios": 3/"scenarios": 4/'
doctored 'another verdict of a case' "case 'e' has verdict fail, its result pass" '/^    {"name": "e"/s/"verdict": "pass"/"verdict": "fail"/'
doctored 'another exit code of a case' "case 'b' has exit code 0, by its verdict 1" '/^    {"name": "b"/s/"exit_code": 1/"exit_code": 0/'
doctored 'other findings of a case' "case 'e' has 7 findings, its result 0" '/^    {"name": "e"/s/"findings_total": 0/"findings_total": 7/'
doctored 'other slots of a case' "case 'e' has 0 slots, its result [1-9]" '/^    {"name": "e"/s/"slots_checked": [0-9]*/"slots_checked": 0/'
doctored 'a judged case that did not run' "case 'e' is not_run and has a result" '/^    {"name": "e"/s/"state": "judged"/"state": "not_run"/'
doctored 'another verdict of the suite' 'suite\.verdict is pass, by its cases fail' '1,/"verdict": "fail"/s/"verdict": "fail"/"verdict": "pass"/'
doctored 'another exit code of the suite' 'suite\.exit_code is 0, by its cases 1' '1,/"exit_code": 1/s/"exit_code": 1/"exit_code": 0/'
doctored 'an exit code that no case has' 'suite\.exit_code is 5, by its cases 1' '1,/"exit_code": 1/s/"exit_code": 1/"exit_code": 5/'
for key in pass marginal fail inconclusive skipped not_judged flaky quarantined quarantine_passed; do
    doctored "another number of $key" "suite\\.$key is 9, by its cases [012]" "s/^  \"$key\": [0-9]*/  \"$key\": 9/"
done
if command -v python3 >/dev/null; then
    # lacks FILE CASE: the document without the case, and with the figures of the others.
    cat >lacks.py <<'END'
import json, sys
document = json.load(open(sys.argv[1]))
suite = document["suite"]
suite["cases"] = [one for one in suite["cases"] if one["name"] != sys.argv[2]]
document["results"] = [one for one in document["results"] if one["scenario"] != sys.argv[2]]
suite["scenarios"] -= 1
suite[sys.argv[3]] -= 1
json.dump(document, sys.stdout)
END
    python3 lacks.py part-1/result.json a pass >lacks.json
    refuses 'a shard that lacks a case' 3 'lacks\.json has 2 cases, but shard 1/3 of a suite of 7 has 3' report merge lacks.json part-2 part-3 --tap
    python3 lacks.py part-2/result.json 'a (2)' fail >lacks.json
    refuses 'the last case is missing' 3 'lacks\.json and the other shards do not have the cases|part-1/result\.json and the other' \
        report merge part-1 lacks.json part-3 --tap
    sed 's/"d"/"h"/' part-1/result.json >renamed.json
    refuses 'a case of another name' 3 'do not have the cases of their suite \(fingerprint' report merge renamed.json part-2 part-3 --tap
    python3 - <<'END' >none.json
import json
document = json.load(open("part-2/result.json"))
document["results"] = document["results"][:1]
json.dump(document, open("none.json", "w"))
END
    refuses 'a judged case without a result' 3 "case 'e' is judged and has no result" report merge part-1 none.json part-3 --tap
    refuses '... of --last-failed, too' 3 "case 'e' is judged and has no result" \
        run suite --out "$(mkdir again && cp none.json again/result.json && echo again)" --last-failed
fi
for shard in 0/3 4/3 3 a/b 1/0 1/10001 /3 1/; do
    refuses "--shard $shard" 2 '^phasebench: --shard' run suite --shard $shard
done
refuses 'more shards than cases' 2 'shard 8/8 has none of the 7 cases' run suite --shard 8/8
for shard in 1 2; do
    run regress native --dims 2 --only own-messages,dimensions,full-load --shard $shard/2 --out "regress-$shard" --quiet
done
exits 'shards of a regress' 0 report merge regress-1 regress-2 --tap
[ "$(grep -c '^ok ' out)" -eq 3 ]
point '... are all its cases' $?

finish
