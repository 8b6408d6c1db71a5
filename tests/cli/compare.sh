#!/bin/sh
# SPDX-FileCopyrightText: The phasebench authors
# SPDX-License-Identifier: Apache-2.0
#
# The verb compare from outside: all exit codes, both forms, suites, what it refuses. Prints TAP.
#
#   tests/cli/compare.sh path/to/phasebench
#
# Expected values: delays that the scenarios order, against the default limits of docs/reference/timing.md.
# covers: host/report/compare* host/cli/cmd_compare.c

. "$(dirname "$0")/common.sh"

# scenario NAME LATE SEED: a node that starts LATE after 5 us, of a cube of 2 dimensions.
scenario() {
    cat > "$1.yaml" <<YAML
name: $1
cube: {dims: 2}
superframes: 3
seed: $3
nodes:
  - {address: 0x1, defect: late_start, defect_amount: $2}
traffic:
  - {pattern: complement}
YAML
    "$bin" run "$1.yaml" --json 2> err > "$1.json"
}

scenario early '500 ns' 1
scenario later '800 ns' 1
scenario beyond '3 us' 1
scenario other '500 ns' 2
[ "$(grep -l '"verdict": "fail"' ./*.json)" = ./beyond.json ] || echo 'Bail out! the delays are not what they should be'
for name in early later beyond other; do sed 's/^  "scenario": .*/  "scenario": "delay",/' "$name.json" > out && mv out "$name.json"; done

# ---------------------------------------------------------------- exit codes

exits 'a result with itself' 0 compare early.json early.json
says '... in which nothing changed' ' 0 significant changes, 0 for the worse; 0'
exits 'a delay grows by 300 ns' 1 compare early.json later.json
# The upper limit of the start is 6 us: of 5.5 us 0.5 us is left, of 5.8 us 0.2 us; the node's clock and the stamps have steps of
# some 20 ns.
# The U95 of a start is half a tick, 10.4 ns: times the root of 2, 14.7 ns.
says '... which moves the mean' '^\* node_start/link0 +mean +5\.(49|50).* 5\.(79|80).* \+0\.(29|30|31)[0-9]* +0\.0147 us$'
says '... and takes from the margin' '^! node_start/link0 +margin +0\.50.* 0\.(19|20).* -0\.(29|30|31)[0-9]* +0\.0147 us$'
says '... and from the end' '^! node_end/link0 +margin .* -0\.(29|30|31)[0-9]* +0\.0147 us$'
exits 'the delay shrinks' 0 compare later.json early.json
says '... significantly' '^\* node_start/link0 +margin .* \+0\.(29|30|31)[0-9]* +0\.0147 us$'
exits 'a verdict becomes worse' 1 compare later.json beyond.json
says '... of the run' '^! verdict +pass, now fail: '
says '... and of a measurement' '^! judgement +node_start/link[01]: pass, now fail$'
exits 'a verdict becomes better' 0 compare beyond.json later.json
says '... which is said without blame' '^  verdict +fail, now pass: '
exits 'all rows' 0 compare early.json early.json --all
[ "$(grep -c '^  .* \(mean\|margin\) .*+0\.0' out)" -gt 24 ]
point '... are there' $?
run compare early.json other.json
says 'other settings are named' 'seed: "1", now "2"'
refuses 'one file' 2 'needs 2 operands, got 1; give A.json B.json' compare early.json
refuses 'three files' 2 "unexpected operand 'beyond.json'" compare early.json later.json beyond.json
refuses 'a missing file' 3 "cannot open 'no-such.json'" compare early.json no-such.json
refuses 'a file that is no result' 3 'early.yaml: report: line 1 is not JSON' compare early.yaml early.json
sed 's/"schema_version": 5/"schema_version": 4/' early.json > old.json
refuses 'a result of another version' 3 'old.json: report: schema_version 4 is not 5.*use the phasebench that wrote' compare old.json early.json
printf '{"results": []}' > none.json
refuses 'a list of no results' 3 'none.json: report: results is empty; give' compare early.json none.json
if [ -w /dev/full ]; then
    command='compare to a full disk'
    "$bin" compare early.json later.json > /dev/full 2> err
    code=$?
    [ "$code" -eq 4 ] && [ "$(wc -l < err)" -eq 1 ]
    point "$command" $?
fi

# ---------------------------------------------------------------- JSON

exits 'as JSON' 1 compare early.json later.json --json
says '... it says that it is worse' '^ "worse": true,$'
says '... by which row' '^     "id": "node_start/link0",$'
exits 'as JSON, nothing worse' 0 compare later.json early.json --json
says '... and says so' '^ "worse": false,$'

# ---------------------------------------------------------------- suites

"$bin" run early.yaml later.yaml --json > two.json 2> err
"$bin" run later.yaml early.yaml other.yaml --json > three.json 2> err
exits 'suites, paired by scenario' 0 compare two.json three.json
says '... and what one of them lacks' '^only in B +run of other$'
[ "$(grep -c '^compared' out)" -eq 2 ]
point '... each pair for itself' $?
refuses 'suites without a scenario in common' 3 'early.json: none of its 1 scenarios is in two.json; give' compare early.json two.json
sed '/"counts"/s/"slots_checked"/"slots"/' two.json > spoilt.json
refuses 'a suite with a spoilt run' 3 'spoilt.json: run 1 of 2: report: counts.slots_checked is missing' compare two.json spoilt.json

finish
