#!/bin/sh
# SPDX-FileCopyrightText: The phasebench authors
# SPDX-License-Identifier: Apache-2.0
#
# --out DIR of every verb with a result: which files come, what is in them, and folders that cannot be used. Prints TAP.
#
#   tests/cli/out_everywhere.sh path/to/phasebench
#
# Expected values: the table of docs/reference/formats.md, what the same call prints on stdout, and a reader of JSON that is not ours.
# covers: host/report host/cli docs/reference/formats.md

. "$(dirname "$0")/common.sh"

# VERB: ARGUMENTS of a result that is soon there.
cat >calls <<'END'
adjacency: tiny.yaml
bound: --traffic bitrev --dims 4
budget: --phase-hz 10kHz --baud 1Mbaud --ppm 50
cal: --reference clock --for 1s
compare: run-2.json run-1.json
devices:
doctor:
grr: study.csv
history: line.db
machine: --traffic uniform --dims 3 --superframes 20
machine: --program sort --dims 4
monitor: tiny.yaml
route: 0x2A3 0x91C --phase-hz 10000
schedule: --dims 3 --node 1
selftest:
tdc: --hits 20000
END
export XDG_STATE_HOME="$work/state"

# promised VERB: the files of its row, one a line, sorted.
promised() {
    sed -n "s/^| \`$1\` | \([^|]*\) |.*/\1/p" "$root/docs/reference/formats.md" | grep -o '`[^`]*`' | tr -d '`' | sort
}

# json FILE [lines]: a document, or one in each line, as Python reads it.
json() {
    python3 -c 'import json, sys
text = open(sys.argv[1]).read()
[json.loads(line) for line in (text.splitlines() if len(sys.argv) > 2 else [text])]' "$@" 2>>json.err
}

cat >tiny.yaml <<'END'
name: tiny
cube: {dims: 1}
nodes: [{address: 1}]
traffic: [{from: 1, to: 0}]
END
for seed in 1 2; do
    exits "a run with seed $seed, kept" 0 run tiny.yaml --seed $seed --json --quiet --history line.db --unit 0042
    cp out "run-$seed.json"
done
figure=$(python3 -c 'import json; print(json.load(open("run-1.json"))["measurements"][0]["id"])')
run grr --plan --parts 5
awk -F, -v OFS=, 'NR > 1 {$5 = $2 * 10 + (NR % 3) * 0.01} {print}' out >study.csv

# ---------------------------------------------------------------- each verb

# VERB: ARGUMENTS. The folder has blanks in its name, and a file of another program.
while IFS=: read -r verb rest; do
    arguments=$rest
    row=$verb # a verb of two parts has a row for each
    case "$verb $rest" in 'machine  --'*) row="machine $(echo $rest | cut -d ' ' -f 1)" ;; esac
    dir="out of $row"
    promised "$row" | sed "s/cal-BOARD-MAPHASH/cal-sim-$(sed -n 's/^#define PB_MAP_HASH 0x\([0-9a-f]*\)u/\1/p' "$root/rtl/proto/gen/pb_regs.h" | tr a-f A-F)/" |
        sort >wanted
    [ "$verb" != grr ] || { grep -v '^grr.csv$' wanted >study && mv study wanted; }
    [ -s wanted ]
    point "$row is in the table of docs/reference/formats.md" $?
    run help "$verb"
    tr '\n' ' ' <out | tr -s ' ' >help
    promised "$row" | while read -r name; do grep -q -e "--out DIR .*[ :]$name" help || echo "$name"; done >lacking
    [ ! -s lacking ]
    point "help $verb names them" $?
    [ "$("$bin" complete "$verb" - | cut -f1 | grep -c -x -e --out)" -eq 1 ]
    point "$verb: completion has --out" $?

    mkdir "$dir" && echo other >"$dir/other"
    # shellcheck disable=SC2086
    exits "$verb --out" 0 "$verb" $arguments --out "$dir"
    [ ! -s err ] && ls "$dir" | grep -vx other | cmp -s - wanted && [ "$(cat "$dir/other")" = other ]
    point '... gives the promised files, and leaves others alone' $?
    [ -s out ] && cmp -s out "$dir/$verb.txt"
    point '... the text is what stdout has' $?
    if grep -qx "$verb.json" wanted; then
        lines=
        [ "$verb" != monitor ] || lines=lines
        json "$dir/$verb.json" $lines
        point '... the JSON is one' $?
    fi
    cp out text
    # Times differ from run to run.
    case $verb in
    selftest | cal) ;;
    *)
        # shellcheck disable=SC2086
        exits "$verb without --out" 0 "$verb" $arguments
        sed 's/disk .*//' text >left && sed 's/disk .*//' out | cmp -s - left
        point '... stdout stays as it is' $?
        ;;
    esac
    if grep -q -- '--json ' help; then
        # shellcheck disable=SC2086
        exits "$verb --json --out, into the same folder" 0 "$verb" $arguments --json --out "$dir"
        [ -s out ] && cmp -s out "$dir/$verb.json" && [ -s "$dir/$verb.txt" ]
        point '... the JSON is what stdout has' $?
    fi
done <calls
for verb in run fault; do
    [ "$verb" = run ] && what=tiny.yaml || what='glitch tiny.yaml --superframe 0'
    # shellcheck disable=SC2086
    run "$verb" $what --out "out of $verb"
    promised "$verb" | grep -v '^regress$' >wanted
    ls "out of $verb" | grep -v '^failure' | cmp -s - wanted
    point "$verb --out gives what docs/reference/formats.md says" $?
done
for verb in flash serve; do
    refuses "$verb has no --out" 2 "$verb: unknown option '--out'" "$verb" --out dir
    promised "$verb" >wanted
    [ ! -s wanted ]
    point '... nor files in the table' $?
done
"$bin" describe <"$root/docs/man/phasebench.1" >page.1
for verb in $("$bin" --help | sed -n 's/^  \([a-z]*\)  *[a-z].*/\1/p' | grep -vx phasebench); do
    grep -q "^| \(\`[a-z-]*\`, \)*\`$verb[ \`]" "$root/docs/reference/formats.md"
    point "$verb has a row in docs/reference/formats.md" $?
    sed -n "/^\.Ss $verb\$/,/^\.S[sh]/p" page.1 | grep -q '^\.It Fl -out Ar dir$'
    has=$?
    case $verb in flash | serve) [ $has -ne 0 ] ;; *) [ $has -eq 0 ] ;; esac
    point '... and --out in the manual page, unless it has no result' $?
done

# ---------------------------------------------------------------- forms of some verbs

exits 'adjacency --csv' 0 adjacency tiny.yaml --csv map.csv --out adjacent
cmp -s map.csv adjacent/adjacency.csv
point '... equals the file in the folder' $?
exits 'compare of several columns' 0 compare run-2.json run-1.json --all --out all
cmp -s out all/compare.txt
point '... --all is of the text in the folder, too' $?
for view in '' '--yield' '--yield --stations' "--figure $figure" '--unit 0042'; do
    # shellcheck disable=SC2086
    exits "history $view" 0 history line.db $view --out view
    cmp -s out view/history.txt && links "history $view: the page" view/index.html
    for form in json csv; do
        # shellcheck disable=SC2086
        run history line.db $view --$form
        [ "$code" -eq 0 ] && [ -s out ] && cmp -s out view/history.$form
        point "... --$form is the file in the folder" $?
    done
done
run history line.db --report page.html
cmp -s page.html "out of history/index.html"
point 'history --report is the page in the folder' $?
exits 'history --export csv --out' 0 history line.db --export csv --out view
cmp -s out view/history.csv && [ ! -e view/history.txt ] && json view/history.json
point '... is in both forms there, and no table of an earlier view' $?
run history line.db --export json
cmp -s out view/history.json
point '... which --export json prints' $?
for other in '--import study.csv' '--report page.html'; do
    # shellcheck disable=SC2086
    refuses "history $other --out" 2 'history: --out is of the tables' history line.db $other --out view
done
exits 'grr --plan --out' 0 grr --plan --parts 5 --out sheet
cmp -s out sheet/grr.csv && [ "$(ls sheet)" = grr.csv ]
point '... is the sheet' $?
cp study.csv sheet/grr.csv
exits 'a study of this sheet, in its folder' 0 grr sheet/grr.csv --out sheet
cmp -s study.csv sheet/grr.csv && [ "$(ls sheet | tr '\n' ' ')" = 'grr.csv grr.html grr.json grr.txt ' ]
point '... leaves the sheet alone' $?
cp 'out of tdc/tdc.json' table.json
exits 'tdc --renew of the table in the folder' 0 tdc --renew --table 'out of tdc/tdc.json' --out 'out of tdc'
cmp -s table.json 'out of tdc/tdc.json' && grep -q '^renewed ' 'out of tdc/tdc.txt'
point '... leaves the table alone' $?
exits 'tdc to a table of its own, too' 0 tdc --hits 20000 --table own.json --out both
cmp -s own.json both/tdc.json
point '... writes the same table twice' $?
cmp -s "$(echo 'out of cal'/cal-sim-*.json)" "$(echo state/phasebench/cal-sim-*.json)"
point 'cal: the calibration is that of the board' $?
exits '... which a run takes' 0 run tiny.yaml --cal "$(echo 'out of cal'/cal-sim-*.json)" --quiet --json
cp 'out of monitor/monitor.rec' kept.rec
exits 'a recording is shown in its own folder' 0 monitor 'out of monitor/monitor.rec' --speed 0 --json --out 'out of monitor'
cmp -s kept.rec 'out of monitor/monitor.rec' && cmp -s out 'out of monitor/monitor.json'
point '... which leaves it alone' $?
exits '... and run again' 0 run --rig replay:kept.rec --quiet --json
exits 'monitor --record --out' 0 monitor tiny.yaml --record named.rec --out named
[ -s named.rec ] && [ "$(ls named | tr '\n' ' ')" = 'monitor.json monitor.txt ' ]
point '... records once, under the given name' $?
exits 'devices --map --out' 0 devices --map map.yaml --out map
cmp -s out map/devices.txt && json map/devices.json && grep -q 'boards in map.yaml' map/devices.txt
point '... has the boards of the map' $?
exits 'a result that is no pass' 1 budget --phase-hz 10000 --baud 1000000 --payload-bytes 10 --out small-slot
cmp -s out small-slot/budget.txt
point '... is kept' $?

# ---------------------------------------------------------------- folders that cannot be used

cp -r 'out of history' before
refuses 'a verb that ends early' 3 'no such run has the measurement' history line.db --figure nothing --out before
[ "$(ls before)" = other ]
point '... leaves no older result' $?
echo plain >plain
while IFS=: read -r verb arguments; do
    # shellcheck disable=SC2086
    {
        refuses "$verb --out is a file" 4 "cannot replace 'plain/$verb\.[a-z]*': Not a directory" "$verb" $arguments --out plain
        refuses "$verb --out below a file" 4 "cannot make the output folder 'plain/" "$verb" $arguments --out plain/below
        refuses "$verb --out is empty" 2 '--out is empty' "$verb" $arguments --out ''
    }
    # shellcheck disable=SC2086
    refuses "$verb --out where nothing can be made" 4 "cannot write to the output folder '/proc/self'" "$verb" $arguments --out /proc/self
done <calls
# A second writer, while the first one shows a recording of a second at a thousandth of its speed.
exits 'a longer run' 0 run tiny.yaml --superframes 5000 --record long.rec --quiet
"$bin" monitor long.rec --speed 0.001 --out held >held.out 2>held.err </dev/null &
first=$!
tries=0
until ls held 2>/dev/null | grep -q 'monitor.txt' || [ $tries -gt 600 ]; do
    tries=$((tries + 1))
    sleep 0.1
done
refuses 'a second writer' 4 "process $first writes to the output folder 'held'; wait for it, or give another folder with --out" \
    schedule --dims 2 --out held
refuses '... of a verb with files of its own' 4 "process $first writes to the output folder 'held'" run tiny.yaml --out held
heeds "$first" && kill -INT "$first"
wait "$first"
exits '... when the first one has ended' 0 schedule --dims 2 --out held

# Full disks: no file may have a byte, so that both streams are pipes; and a small file system that is full.
mkdir small
mount -t tmpfs -o size=64k none small 2>/dev/null && mkdir small/out && { dd if=/dev/zero of=small/filler bs=4k 2>/dev/null || :; }
while IFS=: read -r verb arguments; do
    # shellcheck disable=SC2086
    run "$verb" $arguments
    cp out whole
    command="ulimit -f 0; $verb $arguments --out limited"
    # shellcheck disable=SC2086
    (
        ulimit -f 0
        { "$bin" "$verb" $arguments --out limited 2>&1 </dev/null; echo "exit code $?"; } | cat
    ) | cat >streams
    tail -n 1 streams >out
    [ "$(cat out)" = 'exit code 4' ] && grep -q "^phasebench: .*limited/$verb\.[a-z]*.*: File too large" streams
    point "$verb where no file may grow: exit code 4, and the file" $?
    [ -z "$(ls limited)" ] && sed '/^phasebench: /d;/^exit code 4$/d' streams | cmp -s - whole
    point '... nothing half, and stdout is whole' $?
    if [ -d small/out ]; then
        # shellcheck disable=SC2086
        run "$verb" $arguments --out small/out
        [ "$code" -eq 4 ] && grep -q "^phasebench: .*small/out/$verb\.[a-z]*.*: No space left on device" err &&
            [ -z "$(ls small/out)" ] && cmp -s out whole
        point '... and the same on a file system that is full' $?
    fi
done <<END
adjacency: tiny.yaml
bound: --traffic bitrev --dims 4
budget: --phase-hz 10kHz --baud 1Mbaud
compare: run-2.json run-1.json
devices:
grr: study.csv
history: line.db --yield
machine: --program sort --dims 4
route: 0 1
schedule: --dims 3
tdc: --hits 20000
END
[ ! -d small/out ] || umount small

finish
