#!/bin/sh
# SPDX-FileCopyrightText: The phasebench authors
# SPDX-License-Identifier: Apache-2.0
#
# The procedures of the bench by the library: a program that knows the public headers alone (procedure.c) gets the values of the
# command, and its callbacks are called as the headers say. Prints TAP.
#
#   tests/procedure/cli/procedure.sh path/to/phasebench path/to/procedure
# covers: host/procedure host/include/phasebench/procedure.h host/include/phasebench/shmoo.h host/include/phasebench/fault_matrix.h host/include/phasebench/suite_run.h host/include/phasebench/regress.h

program=$(cd "$(dirname "${2:?give the path of the program procedure}")" && pwd)/$(basename "$2")
. "$(dirname "$0")/../../cli/common.sh"
limits=$root/host/production/limits/default.yaml

# plays NAME CODE ARGUMENTS: as exits, by the program.
plays() {
    name=$1 wanted=$2
    shift 2
    command="procedure $*"
    "$program" "$@" >out 2>err </dev/null
    code=$?
    [ "$code" -eq "$wanted" ]
    point "$name" $?
}
# same NAME: the files `ours` and `theirs`
same() {
    diff ours theirs >differs && [ -s ours ]
    point "$1" $?
}

! grep '#include "' "$root/tests/procedure/cli/procedure.c" | grep -v '#include "phasebench/' >foreign
point 'the program includes public headers alone' $?

cat > board.yaml <<'YAML'
name: board
cube: {dims: 2}
nodes:
  - {address: 1}
traffic:
  - {from: 0, to: 3}
YAML
sed 's/address: 1/&, kind: contract, defect: late_start/' board.yaml >late.yaml

# ---------------------------------------------------------------- self-test

exits 'the command tests the bench' 0 selftest
sed 's/^\([a-z]*\)  *\([a-z]*\)  *[0-9.]* s  /\1 \2 /' out >theirs
plays 'so does the program, on the default rig' 0 selftest - "$scenarios/demo.yaml"
cp out ours
same '... each step with the same words'
plays 'its own rig is what begin says' 0 selftest 'sim:?clock=12MHz' "$scenarios/demo.yaml"
says '... a core at 12 MHz' '^pass identify core at 12000000 Hz'
says '... which is opened and closed once' '^begins 1 ends 1 ' err
sed 's/address: 1/&, kind: contract, defect: silent/' board.yaml >silent.yaml
plays 'a node without an answer is PB_ERR_NODE' 1 selftest sim: silent.yaml
says '... at the step of the consoles' '^fail console node port 0 answered'
says '... after four that pass' '^pass loopback '
plays 'a core with another error ends the ladder' 4 selftest 'sim:?noise=0.25' board.yaml
says '... at the first step' '^fail identify '
[ "$(grep -c '^skip .* not tried after identify$' out)" -eq 4 ]
point '... and the others are not tried' $?
plays 'a rig that begin refuses is the error of the call' 4 selftest refused: board.yaml
says '... in its words' '^no board for board$' err
says '... and is ended all the same' '^begins 0 ends 1 ' err

# ---------------------------------------------------------------- validation

exits 'the command validates a board' 0 validate board.yaml --quiet --csv theirs
plays 'so does the program' 0 validate - board.yaml "$limits"
cp out ours
same '... with the same values'
says '... in 14 steps, and keeps no run' '^begins 0 ends 0 steps 14 values [1-9][0-9]* keeps 0$' err
exits 'the command refuses a late node' 1 validate late.yaml --only bench,lines,identity,clock,ports --quiet --csv theirs
plays 'so does the program' 2 validate sim: late.yaml "$limits" bench,lines,identity,clock,ports
cp out ours
same '... with the same values'
says '... of which two at least failed in one kept run or more' '^begins [1-9][0-9]* ends [1-9][0-9]* steps 5 .* keeps [1-9]' err
[ "$(sed -n 's/^begins \([0-9]*\) ends \([0-9]*\) .*/\1 - \2/p' err)" = "$(sed -n 's/^begins \([0-9]*\) .*/\1 - \1/p' err)" ]
point '... and each rig that was opened is closed' $?
plays 'stop ends it' 4 stop sim: board.yaml "$limits"
says '... before the next step' '^interrupted before step lines$' err
says '... and all steps are told' 'steps 14 ' err
plays 'a step that there is not' 2 validate sim: board.yaml "$limits" bench,line
says '... is named' "^no step has the name 'line'; " err
printf 'name: two\ncube: {dims: 2}\nnodes: [{address: 0}, {address: 1}]\ntraffic: [{from: 0, to: 3}]\n' >two.yaml
plays 'two boards' 3 validate sim: two.yaml "$limits"
says '... are one too many' 'two.yaml: 2 nodes; a validation is of one node board' err

# ---------------------------------------------------------------- map

two=$root/docs/examples/two.yaml
exits 'the command maps two parameters' 0 shmoo "$two" --x 'link.baud=250..2000 kbaud' --y 'link.phase_rate=4..20 kHz' --steps 4 --full --csv theirs
plays 'so does the program' 0 shmoo - "$two" 'link.baud=250..2000 kbaud' 'link.phase_rate=4..20 kHz'
cp out ours
same '... with the same points'
says '... each told after its run, and the operating point' '^begins 0 ends 0 steps 26 ' err
plays 'stop ends it' 130 shmoo sim: "$two" 'link.baud=250..2000 kbaud' 'link.phase_rate=4..20 kHz' stop
says '... after one run' '^begins [01] ends [01] steps 1 ' err
[ "$(grep -c 'not run' out)" -eq 24 ]
point '... and the other points are not run' $?
plays 'a key that there is not' 3 shmoo sim: "$two" 'link.bau=1..2' 'link.phase_rate=4..20 kHz'
says '... is the error of the scenario' "bau" err
plays 'a range that is none' 2 shmoo sim: "$two" 'link.baud=2..1' 'link.phase_rate=4..20 kHz'
says '... is named' "^'link.baud=2..1' has no two numbers" err

# ---------------------------------------------------------------- matrix of faults

exits 'the command makes each kind of fault' 0 fault --matrix --markdown
cp out theirs
plays 'so does the program' 0 faults - board.yaml
cp out ours
same '... with the same rows'
says '... each told after its run' '^begins 0 ends 0 steps 2[0-9] ' err
# ---------------------------------------------------------------- suite

# The TAP of the last command but how to repeat a run, in which the command has the words that it was given.
verdicts() {
    grep -v '^  command: ' out
}
exits 'the command runs a suite' 1 run board.yaml late.yaml board.yaml -j2 --retry 1 --tap
verdicts >theirs
plays 'so does the program' 1 suite - board.yaml late.yaml board.yaml
verdicts >ours
same '... with the same verdicts and findings'
says '... a case that failed ran twice' '^case board .2.: fail, exit code 1, again 1$' err
says '... and each ended once' '^cases 3 ' err
sed 's/address: 1/&, kind: "exec:sh -c \\"echo from the node >\&2; kill -9 $$\\""/' board.yaml >dies.yaml
exits 'a node that dies' 3 run board.yaml dies.yaml --retry 1 --tap
verdicts >theirs
plays 'is an end of its case alone' 3 suite sim: board.yaml dies.yaml
verdicts >ours
same '... with the same words'
says '... and what its process said comes through' '^line: said: dies.yaml: .*from the node' err
plays 'a rig that begin refuses' 4 suite refused: board.yaml late.yaml
says '... is the end of each case' '^case board: no rig, exit code 4, again 1$' err
says '... in its words' '^line: said: board.yaml: no board for board' err
plays 'stop ends a suite' 130 stopsuite sim: board.yaml late.yaml board.yaml
says '... and the rest is not run' '^case board .3.: not run, exit code 0' err
says '... nor has it ended' '^cases 1 ' err
printf 'name: none\nnodes: 3\ncube: 4\n' >bad.yaml
plays 'a file that is no scenario' 3 suite sim: board.yaml bad.yaml
says '... ends it before the first run' 'bad.yaml' err
[ ! -s out ]
point '... with no result' $?

# ---------------------------------------------------------------- regression

exits 'the command runs cases' 0 regress native --dims 3 --only 'own-*,dimensions' --tap --out cases -j2
verdicts >theirs
plays 'so does the program' 0 regress - native 'own-*,dimensions'
verdicts >ours
same '... with the same verdicts'
[ "$(grep -c '^scenario cases/[a-z0-9-]*.yaml: ' err)" -eq "$(ls cases/*.yaml | wc -l)" ]
point '... and it gets each scenario that the command writes' $?
plays 'a name that no case has' 2 regress - native 'own-*,dimension'
says '... is named' "^only: no case has the name 'dimension'" err
plays 'a target that is none' 3 regress - /nonexistent own
says '... is no case' "^'/nonexistent' is neither a kind of node nor a readable file" err
plays 'a target that does not start' 3 regress - exec:false 'own*'
says '... is the error of the first case' '^own.*: nodes.0.: kind: ' err

finish
