#!/bin/sh
# SPDX-FileCopyrightText: The phasebench authors
# SPDX-License-Identifier: Apache-2.0
#
# No output of a command replaces what the command reads, or another output of it. Prints TAP.
#
#   tests/cli/clash.sh path/to/phasebench
#
# Expected values: the sums of the files before.
# covers: host/base/file_place* host/cli/file_clash* host/cli/option* host/cli/output*

. "$(dirname "$0")/common.sh"

cat >small.yaml <<'END'
cube: {dims: 1}
superframes: 1
nodes: [{address: 1}]
traffic: [{from: 1, to: 0}]
END
cp small.yaml kept.yaml

# clashes NAME REGEX ARGUMENTS: refused before any work, with one line that names both and the way out.
clashes() {
    name=$1 regex=$2
    shift 2
    refuses "$name" 2 "$regex name one file, '.*choose another name for" "$@"
}

for option in junit csv pcap record coverage; do
    clashes "the scenario and --$option" "the operand 'small.yaml' and --$option" run small.yaml --$option small.yaml --force
    succeeds '... which is kept' cmp -s small.yaml kept.yaml
done
succeeds '... and nothing was begun' [ ! -e phasebench-out ]
mkdir sub
ln -s small.yaml link.yaml
clashes 'by another way' "--csv" run small.yaml --csv sub/../small.yaml
clashes 'by a link' "--csv" run small.yaml --csv link.yaml
clashes 'a scenario of a folder' "the operand '.' and --csv" run . --csv small.yaml
succeeds 'kept by all ways' cmp -s small.yaml kept.yaml

# ---------------------------------------------------------------- two outputs
clashes 'two outputs' '--junit and --csv' run small.yaml --junit s --csv ./s
succeeds 'neither is written' [ ! -e s ]
clashes 'in a folder that is missing' '--junit and --csv' run small.yaml --out o --junit o/new/x --csv o/./new/../new/x
ln -s target dangling
clashes 'through a link to nothing' '--junit and --csv' run small.yaml --junit dangling --csv target
clashes 'history and a table' '--csv and --history|--history and --csv' run small.yaml --history line.db --csv line.db
clashes 'a history in another form' '--history and --csv' run small.yaml --history sqlite:line.db --csv line.db
# The files that SQLite has next to a database: it would take, and remove, what is there.
beside() {
    name=$1 regex=$2
    shift 2
    refuses "$name" 2 "$regex.* which is a file of the database of .*choose another name for" "$@"
}
for end in journal wal shm; do
    beside "an output at the $end of a history" "--csv names '.*line.db-$end'," run small.yaml --history line.db --csv line.db-$end
done
ln -s . here
ln -s line.db alias.db
beside '... in another form' '--junit names' run small.yaml --history sqlite:line.db --junit sub/../line.db-journal
beside '... by another folder' '--junit names' run small.yaml --history line.db --junit here/line.db-journal
beside '... of a link to a history' '--csv names' run small.yaml --history alias.db --csv line.db-journal
beside '... of a history of another folder' '--csv names' run small.yaml --history here/line.db --csv line.db-wal
beside 'a folder there' '--out names' run small.yaml --history line.db --out line.db-journal
beside 'a spool there' '--spool names' run small.yaml --history line.db --spool line.db-journal
beside 'an output at the journal of a spool' '--csv names' run small.yaml --history postgresql://u@127.0.0.1:1/d --spool wait.db --csv wait.db-journal
cp small.yaml line.db-journal
beside 'an input there' "the operand 'line.db-journal' names" run line.db-journal --history line.db
beside 'a table that is imported' '--import names' history line.db --import line.db-journal
beside 'a page of a history' '--report names' history line.db --report line.db-wal
succeeds '... which is kept' cmp -s small.yaml line.db-journal
rm line.db-journal here alias.db
PHASEBENCH_HISTORY=line.db
export PHASEBENCH_HISTORY
beside 'of a history of the environment' '--csv names' run small.yaml --csv line.db-journal
beside '... and its page' '--report names' history --report line.db-journal
clashes 'a history of the environment' 'PHASEBENCH_HISTORY and --csv' run small.yaml --csv line.db
unset PHASEBENCH_HISTORY
succeeds 'no history was made' [ ! -e line.db ]

# ---------------------------------------------------------------- the folder of --out
clashes 'a form of the folder' '--out and --junit' run small.yaml --out o --junit o/result.json
clashes 'of the folder of a case' '--out and --junit' run small.yaml link.yaml --out o --junit o/small/report.html
clashes 'of the folder that is used without --out' '--out and --csv' run small.yaml --csv phasebench-out/result.json
succeeds 'no folder was made' [ ! -e o ]
exits 'any other name in the folder' 0 run small.yaml --out o --junit o/junit.xml --csv o/all.csv --pcap o/frames.pcapng
succeeds '... is written' [ -s o/junit.xml -a -s o/all.csv -a -s o/result.json ]
exits '... and again' 0 run small.yaml --out o --junit o/junit.xml --csv o/all.csv

# ---------------------------------------------------------------- what is read
exits 'a recording' 0 run small.yaml --record x.rec --json
sum=$(cksum <x.rec)
clashes 'the recording that is played' '--rig and --csv' run --rig replay:x.rec --csv x.rec
clashes '... also by monitor' "the operand 'x.rec' and --record" monitor x.rec --record x.rec --force
clashes 'a recording and a table' '--record and --csv' run small.yaml --record a.rec --csv a.rec
sum_json=$(cksum <o/result.json)
clashes 'a stored result' "the operand 'o/result.json' and --csv" report o/result.json --csv o/result.json
clashes 'results that are joined' "the operand 'o' and --out" report merge o --out o
exits 'a page beside the result' 0 report o/result.json --html o/again.html
succeeds 'both are kept' [ "$sum" = "$(cksum <x.rec)" -a "$sum_json" = "$(cksum <o/result.json)" ]
exits 'a history' 0 run small.yaml --json --history h.db
sum=$(cksum <h.db)
clashes 'a history and its page' "the operand 'h.db' and --report" history h.db --report h.db
PHASEBENCH_HISTORY=h.db
export PHASEBENCH_HISTORY
clashes '... of the environment' 'PHASEBENCH_HISTORY and --report' history --report h.db
unset PHASEBENCH_HISTORY
succeeds 'the history is kept' [ "$sum" = "$(cksum <h.db)" ]
printf 'edge_us\n0\n100\n200\n301\n' >stamps.csv
clashes 'stamps and samples' '--from and --csv' jitter --from stamps.csv --csv stamps.csv
mkdir g
printf 'part,appraiser,trial,value\n' >g/grr.json
clashes 'a study and its forms' "the operand 'g/grr.json' and --out" grr g/grr.json --out g
clashes 'a table of delays' '--out and --table' tdc --table t/tdc.txt --out t
printf '0 1\n' >g/bound.txt
clashes 'a traffic file' '--traffic and --out' bound --traffic file:g/bound.txt --dims 2 --out g
clashes 'a picture over the numbers' '--input and --gif' machine --program scan --dims 1 --input g/bound.txt --gif g/bound.txt
cp g/bound.txt g/machine.csv
clashes 'a table over the numbers' '--input and --out' machine --program scan --dims 1 --input g/machine.csv --out g
clashes 'a calibration and its scenario' "the operand 'small.yaml' and --file" cal small.yaml --file small.yaml
succeeds 'all inputs are kept' cmp -s small.yaml kept.yaml

# ---------------------------------------------------------------- what may be given several times
exits 'devices' 0 run small.yaml --json --junit /dev/null --csv /dev/null
exits 'a stream, though it is a file' 0 run small.yaml --quiet --junit /dev/stdout --csv /dev/stdout
exits 'the name of a shipped scenario' 0 run pairs --json --csv pairs

# ---------------------------------------------------------------- a history is reached after the arguments
refuses 'a superframe that is not run' 2 '--trace-at is 99:0' run small.yaml --trace-at 99 --history postgresql://u@127.0.0.1:1/d --spool waiting
refuses 'gdb of a node that is none' 2 '--gdb' run small.yaml --gdb 3333:0 --json --history postgresql://u@127.0.0.1:1/d --spool waiting
succeeds 'no spool was made' [ ! -e waiting ]

# ---------------------------------------------------------------- a folder that another run holds
"$bin" run small.yaml --superframes endless --timeout 60 --quiet --out busy >busy.out 2>&1 &
holder=$!
heeds "$holder"
wait_for incomplete busy/result.json
refuses 'a file in the folder of another run' 4 "process $holder writes to the output folder '.*busy'.*another folder with --csv" \
    run small.yaml --json --csv busy/other.csv
kill -INT "$holder"
wait "$holder"
exits '... and when that has ended' 0 run small.yaml --json --csv busy/other.csv

finish
