#!/bin/sh
# SPDX-FileCopyrightText: The phasebench authors
# SPDX-License-Identifier: Apache-2.0
#
# The verb history and --history from outside: what is stored, many writers, a writer that is killed, a full disk, bad files. TAP.
#
#   tests/production/cli/history.sh path/to/phasebench
#
# Expected values: result.json of the same run; sqlite3, gzip and awk on the same files.
# covers: host/production/history host/cli/cmd_history.c host/cli/history_*

. "$(dirname "$0")/../../cli/common.sh"

unset PHASEBENCH_HISTORY PHASEBENCH_SPOOL
cat > short.yaml <<'YAML'
name: short
cube: {dims: 2}
superframes: 2
nodes:
  - {address: 1}
traffic:
  - {pattern: complement}
YAML
sed 's/name: short/name: late/; s/address: 1/address: 1, defect: late_start, defect_amount: 3 us/' short.yaml > late.yaml
mkdir both && cp short.yaml late.yaml both

# sql FILE STATEMENT: by the other program
sql() {
    sqlite3 "$1" "$2"
}
# holds NAME FILE STATEMENT RESULT
holds() {
    command="sqlite3 $2 $3" code=-
    sql "$2" "$3" >out 2>err
    [ "$(cat out)" = "$4" ]
    point "$1" $?
}

# ---------------------------------------------------------------- what is stored

exits 'a run' 0 run short.yaml --quiet --out one --history line.db --unit 0042 --station bench-1 --operator 'A. Operator'
exits 'its retest' 1 run late.yaml --quiet --history line.db --unit 0042 --station bench-2
PHASEBENCH_HISTORY=line.db
export PHASEBENCH_HISTORY
exits 'the environment names the file' 0 run short.yaml --quiet --unit 0042 --station bench-1
exits '... and the file to show' 0 history
says '... the first pass' '^ +1  .*Z  bench-1  0042  short +1  pass +0$'
says '... another scenario' '^ +2  .*Z  bench-2  0042  late +1  fail +[1-9]'
says '... the retest, last' '^ +3  .*Z  bench-1  0042  short +2  pass +0$'
unset PHASEBENCH_HISTORY
holds 'seed, rig, operator, map hash' line.db 'SELECT seed, rig, operator, length(map_hash) FROM run WHERE id = 1' \
    '1|sim:|A. Operator|10'
grep -q "map=$(sql line.db 'SELECT map_hash FROM run WHERE id = 1')\|\"map\": \"$(sql line.db 'SELECT map_hash FROM run WHERE id = 1')\"" one/result.json
point 'map hash of result.json' $?
run history line.db --export json
if command -v python3 >/dev/null; then
    python3 -c '
import json
run = json.load(open("out"))["runs"][0]
result = json.load(open("one/result.json"))
assert run["reason"] == result["reason"] and run["verdict"] == result["verdict"] == "pass"
assert run["started_utc"] == result["started_utc"] and run["nodes"][0]["kind"] == "native"
stored, measured = run["measurements"], result["measurements"]
assert len(stored) == len(measured) > 3
for a, b in zip(stored, measured):
    for key in "min", "mean", "max", "sd", "n", "margin":
        assert a[key] == b.get(key), (a, b)
' 2>err
    point 'every measurement is that of result.json' $?
fi
exits 'a suite' 1 run both --quiet --out suite --history suite.db --unit 7 -j 2
holds '... every case' suite.db 'SELECT group_concat(scenario || verdict) FROM (SELECT * FROM run ORDER BY scenario)' 'latefail,shortpass'
exits 'a regress' 0 regress native --only 'dimensions,forwarding' --quiet --out regressed --history suite.db --unit 7 --dims 3
holds '... every case' suite.db "SELECT count(*) FROM run WHERE scenario IN ('dimensions', 'forwarding')" 2
exits 'jitter' 0 jitter short.yaml --superframes 5 --quiet --history suite.db --unit 7
holds '... its run' suite.db "SELECT count(*) FROM run WHERE scenario = 'short'" 2
exits 'a comparison of two targets' 0 regress native --only dimensions --quiet --out compared --history pair.db --compare native --dims 3
holds '... stores the new one' pair.db 'SELECT count(*) FROM run' 1

# ---------------------------------------------------------------- firmware files

printf '#!/bin/sh\nexit 3\n' > ends.sh
sed 's|address: 1|address: 1, kind: "exec:sh ends.sh"|' short.yaml > ends.yaml
run run ends.yaml --quiet --history image.db
[ "$code" -ne 0 ]
point 'a node that does not start' $?
holds '... is no run' image.db 'SELECT count(*) FROM run' 0
if command -v python3 > /dev/null; then
    cp "$root"/docs/examples/*.py .
    sed 's|address: 1|address: 1, kind: "exec:python3 my_node.py"|' short.yaml > script.yaml
    exits 'a node that is a script' 0 run script.yaml --quiet --history image.db
    # gzip ends with CRC-32 and size.
    holds '... its size and CRC-32' image.db 'SELECT image_crc32, image_bytes FROM node' \
        "$(gzip -c my_node.py | tail -c 8 | od -An -tu4 | awk '{print $1 "|" $2}')"
fi

# ---------------------------------------------------------------- tables

exits 'one unit' 0 history line.db --unit 0042
says '... firmware' '^ +1  .*bench-1  A\. Operator  - +\+I node=native'
says '... the reason of a failure' '^ +a transmission began later'
says '... retests' '^unit 0042: 3 runs, 1 of them retest'
exits 'yield' 0 history line.db --yield
says '... passed' '^short +all +1 +1  100\.00 % +1  100\.00 % +1  bench-1 1 of 1$'
says '... failed' '^late +all +1 +0    0\.00 % +0    0\.00 % +0  bench-2 0 of 1$'
exits 'yield as CSV' 0 history line.db --yield --csv
says '... its row' '^late,,1,0,0,0,bench-2,1,0,$'
exits 'a figure' 0 history line.db --figure node_start/link0 --scenario short
says '... two runs' '^runs    n 2, mean '
says '... n of Cpk' '^Cpk .*n [0-9]+'
says '... n of Ppk' '^Ppk .*n [0-9]+'
says '... no drift of two' '^drift   -: needs three runs'
exits 'a figure as JSON' 0 history line.db --figure node_start/link0 --json
says '... its mean' "\"mean\": $(sql line.db "SELECT printf('%.1f', avg(mean)) FROM measurement WHERE id = 'node_start/link0'")"
exits 'CSV of all' 0 history line.db --export csv
[ "$(awk 'NR > 1' out | wc -l)" -eq "$(sql line.db 'SELECT count(*) FROM measurement')" ]
point '... a row for each measurement' $?
head -n 1 out | tr ',' '\n' > columns
awk -v n="$(wc -l < columns)" 'BEGIN {FPAT = "([^,]*)|(\"[^\"]*\")"} {gsub(/"[^"]*"/, "x"); if (split($0, x, ",") != n) bad = 1} END {exit bad}' out
point '... as many fields as columns' $?
exits 'the list as JSON' 0 history line.db --json --verdict fail
says '... one run' '"scenario": "late"'
[ "$(grep -c '"run":' out)" -eq 1 ]
point '... alone' $?
exits 'the newest' 0 history line.db --limit 1
says '... only' '^1 run$'
exits 'from tomorrow on' 0 history line.db --since 2100-01-01
says '... nothing' '^0 runs$'

exits 'yield of stations' 0 history line.db --yield --stations
says '... of all' '^short +all +all +1 +1  100\.00 %'
says '... of one, of a day' '^late +20..-..-.. +bench-2 +1 +0    0\.00 %'

# Of a database with four days: first-pass yields of 50, 100, 0 and 100 percent, two kinds of finding in three and one runs.
cp line.db days.db
sqlite3 days.db "
    DROP TRIGGER run_stays; DROP TRIGGER node_stays; DROP TRIGGER measurement_stays; DROP TRIGGER finding_stays; DROP TABLE seal;
    DELETE FROM finding; DELETE FROM measurement WHERE id <> 'node_start/link0' OR run <> 1; DELETE FROM node; DELETE FROM run WHERE id <> 1;
    CREATE TEMP TABLE n (id, day, unit, verdict);
    INSERT INTO n VALUES (11, 1, 'a<b>', 'pass'), (12, 1, 'b', 'fail'), (13, 2, 'c', 'marginal'), (14, 3, 'd', 'fail'), (15, 3, 'e', 'fail'),
        (16, 5, 'f', 'pass');
    INSERT INTO run SELECT n.id, '2026-11-0' || day || 'T08:00:00Z', 'hall', seed, rig, n.verdict, '<i>reason</i>', '', n.unit, station, operator,
        program, core, map_hash, 0, 'k' || n.id, environment, limits_version, limits_crc32 FROM n, run WHERE run.id = 1;
    INSERT INTO measurement SELECT n.id, place, m.id, unit_of, n, 0, n.day - 1, 2 * (n.day - 1), 0, -3, 12, 0, 1, 'pass'
        FROM n, (SELECT place, id, unit AS unit_of, 1 AS n FROM measurement) AS m;
    INSERT INTO finding VALUES (12, 'late_start', 1), (14, 'late_start', 1), (15, 'late_start', 5), (15, 'step/slots', 1)"
exits 'a page' 0 history days.db --report days.html --figure node_start/link0 --scenario hall
says '... says so' '^6 runs in days\.html$'
if command -v xmllint > /dev/null; then
    xmllint --html --noout days.html 2> err
    ! grep -v 'Tag \(footer\|header\|main\|svg\|text\|line\|path\|circle\|rect\) invalid\|^ *^\|^<\|^ ' err | grep -q error
    point '... which is HTML' $?
fi
says '... escapes units and reasons' '<th scope="row">a&lt;b&gt;</th>.*' days.html
says '... counts the runs of a kind' '>late_start</th><td>3</td><td>7</td>' days.html
says '... and of a step' '>step/slots</th><td>1</td><td>1</td>.*width="80\.0"' days.html
says '... the yield of all days' '>hall</th><td>all</td><td>6</td><td>50\.00 %</td><td>50\.00 %</td><td>0</td>' days.html
columns '... whose columns have their names on a phone' days.html
! grep -q '<i>reason' days.html
point '... no markup of others' $?
# The plots have x from 64 to 616 and y from 208 to 10. Days 0, 1, 2 and 4 of 0 to 4, yields of 50, 100, 0 and 100 of 0 to 100.
grep -o 'class="trace" d="[^"]*"' days.html > out
[ "$(cat out)" = 'class="trace" d="M64.0 109.0L202.0 10.0L340.0 208.0L616.0 10.0"' ]
point '... its curve' $?
# Means of 0, 0, 1, 2, 2, 4 ps with limits of -3 and 12; the page shows us, and an axis that is rounded.
[ "$(grep -o 'class="other"' days.html | wc -l)" -eq 3 ] && [ "$(grep -o '<circle' days.html | wc -l)" -eq 10 ]
point '... two limits, and the points of both plots' $?
refuses 'a page without its measurement' 3 "has the measurement 'x'" history days.db --report none.html --figure x
[ ! -e none.html ]
point '... is not written' $?
refuses 'a page that cannot be written' 4 'no/where.html' history days.db --report no/where.html
refuses 'a page in another form' 2 'report writes a page' history days.db --report days.html --json
refuses 'a page with yields' 2 'exclude each other.*2 are given' history days.db --report days.html --yield
refuses 'stations without yields' 2 'give --yield as well' history days.db --stations
: > empty.html
run history line.db --report empty.html --since 2100-01-01
[ "$code" -eq 0 ] && grep -q '<h1>0 runs</h1>' empty.html
point 'a page of nothing' $?

# ---------------------------------------------------------------- a file of version 1

sqlite3 old.db < "$root/tests/production/unit/history_version_1.sql"
exits 'a file of version 1' 0 history old.db
says '... its runs' '^2 runs$'
holds '... is left as it is' old.db 'PRAGMA user_version' 1
exits '... with its measurements' 0 history old.db --figure node_start/link0 --csv
exits '... and a run' 0 run short.yaml --quiet --json --unit 0042 --history old.db
holds '... becomes one of version 2' old.db 'PRAGMA user_version' 2
holds '... with three runs' old.db 'SELECT count(*), count(DISTINCT key) FROM run' '3|3'

# ---------------------------------------------------------------- many writers

writer() { # NAME
    for run in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
        "$bin" run short.yaml --quiet --json --seed $run --unit "$1" --history crowd.db > /dev/null 2>> "writer$1" || echo "exit $?" >> "writer$1"
    done
}
for name in 1 2 3 4 5 6 7 8; do
    writer $name &
done
wait
command='8 writers of 20 runs each' code=-
cat writer? > err
[ ! -s err ]
point '8 writers at a time: no error' $?
holds '... every run of each' crowd.db 'SELECT count(*), count(DISTINCT unit || "-" || seed) FROM run' '160|160'
holds '... with every measurement' crowd.db 'SELECT count(DISTINCT c) FROM (SELECT count(*) AS c FROM measurement GROUP BY run)' 1
holds '... in a sound file' crowd.db 'PRAGMA integrity_check' ok

# ---------------------------------------------------------------- a writer that is killed

# Runs without end, killed in the middle: SIGKILL cannot be caught.
cp crowd.db killed.db
for pause in 0.3 0.7 1.1 1.6 2.2; do
    (
        while :; do
            "$bin" run short.yaml --quiet --json --history killed.db > /dev/null 2>&1 < /dev/null &
            echo $! > writer.pid
            wait $! 2> /dev/null
        done
    ) &
    loop=$!
    sleep "$pause"
    kill -9 "$loop" 2> /dev/null
    kill -9 "$(cat writer.pid)" 2> /dev/null
    wait "$loop" 2> /dev/null
done
# A new history is killed as soon as its name is there: it is whole, and nothing is next to it.
mkdir born
for signal in TERM KILL TERM KILL TERM KILL TERM KILL TERM KILL; do
    rm -rf born/*
    "$bin" run short.yaml --quiet --json --history born/new.db >/dev/null 2>&1 </dev/null &
    until [ -e born/new.db ] || ! kill -0 $! 2>/dev/null; do :; done
    kill -$signal $!
    wait $! 2>/dev/null
    rm -f born/new.db-journal
    [ "$(ls born)" = new.db ] && [ "$(sql born/new.db 'PRAGMA integrity_check; PRAGMA user_version')" = "$(printf 'ok\n2')" ] || echo "$signal"
done >out 2>err
[ ! -s out ]
point 'a new history whose process is killed is whole' $?
exits '... and takes a run' 0 run short.yaml --quiet --json --history born/new.db
exits 'after kill -9' 0 history killed.db --limit 1
holds '... the file is sound' killed.db 'PRAGMA integrity_check' ok
holds '... no run is half there' killed.db 'SELECT count(*) FROM run WHERE id NOT IN (SELECT run FROM measurement) OR id NOT IN (SELECT run FROM node)' 0
holds '... the old ones are there' killed.db 'SELECT count(*) FROM run WHERE id <= 160' 160
# The journal of a transaction that was killed between its write and its end, made by another program.
mkfifo commands
sqlite3 killed.db < commands > held 2>&1 &
other=$!
exec 9> commands
echo 'PRAGMA cache_size = 1; PRAGMA cache_spill = 1; BEGIN IMMEDIATE; DROP TRIGGER run_stays; DROP TRIGGER measurement_stays; DROP TRIGGER node_stays;
    DELETE FROM measurement; DELETE FROM node; DELETE FROM run; SELECT 1;' >&9
wait_for '^1$' held
kill -9 $other
wait $other 2> /dev/null
exec 9>&-
[ -s killed.db-journal ]
point 'a transaction that was killed leaves its journal' $?
exits '... and the next reader rolls it back' 0 history killed.db --limit 1
holds '... the old ones are there' killed.db 'SELECT count(*) FROM run WHERE id <= 160' 160

# ---------------------------------------------------------------- a full disk

cp line.db full.db
cp full.db before.db
kib=$(($(wc -c < full.db) / 512)) # sh counts 512 bytes
command="ulimit -f $kib; run short.yaml --history full.db"
(
    ulimit -f $kib
    for run in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16; do
        "$bin" run short.yaml --quiet --json --history full.db >/dev/null 2>err </dev/null || exit $?
    done
)
code=$?
[ "$code" -eq 4 ] && [ "$(wc -l < err)" -eq 1 ] && grep -q "^phasebench: history 'full.db': cannot be written (disk full, quota or size limit); nothing of this run is stored" err
point 'a full disk' $?
holds '... the file is sound' full.db 'PRAGMA integrity_check' ok
[ "$(sql before.db 'SELECT * FROM measurement')" = "$(sql full.db 'SELECT * FROM measurement WHERE run <= 3')" ]
point '... the old runs are whole' $?
exits '... and with room it goes on' 0 run short.yaml --quiet --json --history full.db

# ---------------------------------------------------------------- bad files

echo 'some text that is no database, of more than a hundred bytes, so that it is not taken for a truncated one, ever.' > text.db
sqlite3 other.db 'CREATE TABLE t (x)'
cp line.db newer.db && sqlite3 newer.db 'PRAGMA user_version = 99'
head -c 9000 line.db > cut.db
: > empty.db
refuses 'no file' 4 "'none.db': No such file" history none.db
refuses 'a folder' 4 "'both': is a folder" history both
refuses 'no database' 3 "'text.db': is no SQLite database" history text.db
refuses 'that of another program' 3 "'other.db': is a database of another program" history other.db
refuses 'a newer schema' 3 "'newer.db': has schema version 99, this program knows versions up to 2; use a newer" history newer.db
refuses 'a truncated file' 3 "'cut.db': is damaged" history cut.db
refuses 'an empty file' 3 "'empty.db': is empty" history empty.db
cp line.db part.db
sqlite3 part.db 'DROP TABLE measurement'
sqlite3 bare.db 'PRAGMA application_id = 1885489257; PRAGMA user_version = 2; CREATE TABLE t (a)'
remedy='restore a copy, or give another file'
refuses 'a history without a table' 3 "history 'part.db': lacks a part of a history \\(no such table: measurement\\); $remedy" history part.db
refuses '... is not exported' 3 "lacks a part of a history \\(no such table: measurement\\); $remedy" history part.db --export csv
refuses 'tables of another program' 3 "history 'bare.db': lacks a part of a history \\(no such table: run\\); $remedy" history bare.db
refuses 'no database, before the run' 3 "'text.db': is no SQLite database" run short.yaml --history text.db
refuses 'a newer schema, before the run' 3 'schema version 99' run short.yaml --history newer.db
refuses 'a folder, before the run' 4 'is a folder' run short.yaml --history both
refuses 'a folder that is not there' 4 "'no/where.db': No such file" run short.yaml --history no/where.db
refuses 'no regular file' 4 'no regular file' run short.yaml --history /dev/null
if [ "$(id -u)" -ne 0 ]; then
    cp line.db closed.db && chmod 444 closed.db
    refuses 'no permission' 4 "'closed.db': Permission denied" run short.yaml --history closed.db
    exits '... but to read' 0 history closed.db
fi
mkfifo orders
sqlite3 line.db < orders > held 2>&1 &
other=$!
exec 9> orders
echo "BEGIN EXCLUSIVE; SELECT 'held';" >&9
wait_for '^held$' held
refuses 'a lock that is held' 4 "'line.db': another process has held its lock for 10000 ms" history line.db
exec 9>&-
wait $other
exits '... until it is released' 0 history line.db

# A disk that loses sectors, or turns bits.
if command -v python3 > /dev/null; then
    command="history_damage.py line.db ${COPIES:-40}" code=-
    python3 "$root/tests/production/cli/history_damage.py" "$bin" line.db "${COPIES:-40}" > out 2> err
    point "damaged files are refused, or their export is whole: $(cat out)" $?
fi
cp line.db altered.db
sql altered.db 'DROP TRIGGER measurement_holds; UPDATE measurement SET mean = mean + 1 WHERE run = 2 AND place = 0'
refuses 'a value that was altered' 3 "'altered.db': is damaged .run 2 is not as it was stored.; restore a copy" history altered.db --export csv
refuses '... in a figure' 3 "run 2 is not as it was stored" history altered.db --figure node_start/link0
exits '... but the list of runs has none' 0 history altered.db
holds 'no program may alter a check value' line.db "SELECT count(*) FROM sqlite_master WHERE type = 'trigger' AND tbl_name = 'seal'" 2
# Run 1 is the only one of the first leaf of its table; that it is missing shows in the index.
cp line.db short.db
sql short.db 'DROP TRIGGER run_stays' && python3 - << 'PY'
import sqlite3
base = sqlite3.connect('short.db')
base.execute('PRAGMA writable_schema = ON')
indices = base.execute("SELECT * FROM sqlite_master WHERE type = 'index' AND tbl_name = 'run'").fetchall()
base.execute("DELETE FROM sqlite_master WHERE type = 'index' AND tbl_name = 'run' AND sql IS NOT NULL")
base.commit()
base.close()
base = sqlite3.connect('short.db')
base.execute('DELETE FROM run WHERE id = 1')
base.execute('PRAGMA writable_schema = ON')
base.executemany('INSERT INTO sqlite_master VALUES (?, ?, ?, ?, ?)', [row for row in indices if row[4]])
base.commit()
PY
refuses 'a run that is missing' 3 "'short.db': is damaged" history short.db

# ---------------------------------------------------------------- places of other forms

exits 'sqlite:PATH' 0 run short.yaml --quiet --history sqlite:named.db
holds '... is that file' named.db 'SELECT count(*) FROM run' 1
exits '... also to show' 0 history sqlite:named.db
says '... its run' '^1 run$'
exits 'a file with a form of its own' 0 run short.yaml --quiet --history ./dbname=named.db
for place in 'host=hall password=geheim' 'password=geheim' 'postgres:/geheim' 'postgresql:geheim' 'POSTGRES://ann:geheim@hall/boards' 'mysql://ann:geheim@hall/b' \
    'file:geheim' ':memory:' 'ann:geheim@hall/boards' 'http://ann:geheim@hall/' 'service=geheim' 'postgresql://ann:geheim@hall:99999/boards' \
    'postgresql://ann:geheim@hall:0/boards' 'postgresql://ann:geheim@hall:port/boards'; do
    form=$(echo "$place" | sed 's/geheim/.../')
    refuses "no place: $form" 3 "^phasebench: history '[^']*': .*give .*(postgresql://USER@HOST|sqlite:PATH)" run short.yaml --history "$place"
    ! grep -q geheim err
    point '... without the password' $?
done
PHASEBENCH_HISTORY='host=hall password=geheim'
export PHASEBENCH_HISTORY
for words in history 'history --deliver' 'history --import short.yaml' 'validate --only bench' 'station --listen 127.0.0.1:0'; do
    refuses "... in the environment of $words" 3 "^phasebench: history 'host=\.\.\.'" $words
done
unset PHASEBENCH_HISTORY
[ -z "$(ls -d host=* password=* file:* :mem* postgres* POSTGRES* service=* http* mysql* ann* 2> /dev/null)" ]
point '... and no file of such a name' $?

# A URL in the wrong place is a mistake like any other, but its password stays hidden.
secret=postgresql://ann:geheim@hall/boards
for words in "run $secret" "run short.yaml $secret" "history line.db $secret" "history --history=$secret" "run short.yaml --unit $secret$secret$secret" \
    "run short.yaml --history line.db --spool $secret" "report $secret" "validate --only $secret" "station --name $secret" "run --rig $secret"; do
    run $words
    [ "$code" -ne 0 ] && ! cat out err | grep -q geheim
    point "no password in: ${words%%postgresql*}" $?
done

# ---------------------------------------------------------------- rows of other programs

# What an export has comes back as it was, once.
run run both --quiet --history mine.db --unit =7 --operator 'A, "B"'
run history mine.db --export csv
cp out mine.csv
exits 'runs of an export' 0 history again.db --import mine.csv
run history again.db --export csv
cmp -s out mine.csv
point '... are the same' $?
exits '... and a second time' 0 history again.db --import mine.csv
says '... as it says' '^2 runs of mine.csv, 0 added; the history has the others already$'
holds '... add nothing' again.db 'SELECT count(*) FROM run' 2

# Many runs are one transaction: killed in it, or without room, it leaves nothing.
awk 'BEGIN {
    print "started_utc,run,unit,measurement,value"
    for (i = 0; i < 1000; i++) for (k = 0; k < 4; k++) print "2026-11-24," i "," i ",m" k "," i
}' > many.csv
run history many.db --import mine.csv
cp many.db small.db
"$bin" history many.db --import many.csv >/dev/null 2>&1 &
until [ -s many.db-journal ] || ! kill -0 $! 2>/dev/null; do :; done
kill -9 $! && wait $!
[ $? -eq 137 ]
point 'an import that is killed' $?
exits '... leaves the runs before' 0 history many.db
holds '... and no other' many.db 'SELECT count(*) FROM run' 2
command="ulimit -f $(($(wc -c < small.db) / 512 + 40)); history small.db --import many.csv"
(
    ulimit -f $(($(wc -c < small.db) / 512 + 40))
    "$bin" history small.db --import many.csv >/dev/null 2>err </dev/null
)
[ $? -eq 4 ] && [ "$(wc -l < err)" -eq 1 ] && grep -q "'small.db': cannot be written .*nothing of this table is stored" err
point 'an import on a full disk' $?
exits '... leaves the runs before' 0 history small.db
holds '... and no other' small.db 'SELECT count(*) FROM run' 2
python3 -c 'import os, pty, sys; sys.exit(os.waitstatus_to_exitcode(pty.spawn(sys.argv[1:])))' "$bin" history small.db --import many.csv > out < /dev/null
point 'an import in a terminal' $?
says '... shows how far it is' 'many.csv \[#*\.+\] [0-9]+/1000 runs, [0-9]+:[0-9]+, [0-9.]+/s, [0-9]+:[0-9]+ left'
says '... and what it added' '1000 runs of many.csv, 1000 added'
sed '$a 2026-11-24,7,7,m0,8' many.csv > grown.csv
refuses 'a run that has grown' 3 "grown.csv:30: a run that the history has with other rows \('m0' has n 2, there 1\) in column 'run': '7'; no run of a history changes: give it another number" \
    history small.db --import grown.csv

# The study of capability of 20 subgroups of five (tests/production/unit/test_history.c): Cpk 0.93, Ppk 0.88, overall deviation 1.85635681.
{
    printf '\357\273\277Started_UTC;measurement;measurement_unit;value;LOWER;upper\r\n'
    day=1
    while read -r values; do
        for value in $values; do
            printf '2026-11-%02d;thickness;us;%s;0;12\r\n' "$day" "$(echo "$value" | tr . ,)"
        done
        day=$((day + 1))
    done <<'STUDY'
10.9 10.3 5.6 5.1 8.2
10.1 9 3.1 9.3 7
3.6 7.1 9 5.9 4.3
5.7 9.9 7.6 10.3 5.6
8.3 4.8 7.8 6.2 5.7
9.1 8.4 9 7.1 7.1
8 4.7 6.1 5.7 4.2
6.6 8.2 6.1 5.6 7
7.4 4.6 3.8 7.7 10.2
8.4 6.9 7.2 8.9 7.3
7.4 6.9 5.7 6.5 4.7
11 5.8 10.9 6.4 6.2
5.8 7.8 8.2 8.8 4.3
10.3 6 6.9 7.8 7
7.6 9 8.2 7.8 7.3
6.7 7.1 5.7 5.2 7.4
7.6 6.9 5.6 12.4 5.6
4.8 5.4 4.9 8.5 5.6
8.3 7.4 5.5 7.6 5.6
8 8.4 5.7 8.5 3.6
STUDY
} > study.csv
exits 'values of a study' 0 history study.db --import study.csv --scenario coating --station bench-9
says '... its runs' '^20 runs of study.csv, 20 added$'
exits '... its capability' 0 history study.db --figure thickness
says '... mean and overall deviation' '^values  n 100, mean 7080000.0, sd 1856356.8 ps; limits 0 to 12000000$'
says '... Cpk' '^Cpk     0.930,'
says '... Ppk' '^Ppk     0.883,'
holds '... of the labels that the table lacks' study.db "SELECT DISTINCT scenario || station || unit FROM run" coatingbench-9
holds '... and a verdict by the limits' study.db "SELECT group_concat(id) FROM run WHERE verdict = 'fail'" 17
exits '... once' 0 history study.db --import study.csv --scenario coating --station bench-9
holds '... only' study.db 'SELECT count(*) FROM run' 20

# Microseconds as spreadsheets write them: 2.5 of each spelling are 2,500,000 ps.
printf 'started_utc,measurement,measurement_unit,value\n' > micro.csv
for unit in us µs μs; do
    printf '2026-11-01,start,%s,2.5\n' "$unit"
done >> micro.csv
exits 'microseconds with a micro sign' 0 history micro.db --import micro.csv
holds '... are microseconds' micro.db "SELECT n || ' ' || min || ' ' || max FROM measurement" '3 2500000 2500000'

# A table with a mistake changes nothing.
table() {
    printf "$@" > mistake.csv
}
mistake() {
    refuses "$1" 3 "$2" history never.db --import mistake.csv
}
table 'started_utc,value\n2026-11-01,1\n'
mistake 'no name of a measurement' "no column 'measurement'"
table 'started_utc,measurement\n2026-11-01,a\n'
mistake 'no values' "no column 'value'"
table 'started_utc,measurement,value\n2026-11-01,a,1\n2026-13-01,a,1\n'
mistake 'no time' "mistake.csv:3: no time in column 'started_utc': '2026-13-01'; give a day"
table 'started_utc,measurement,measurement_unit,value\n2026-11-01,a,mm,1\n'
mistake 'another unit' "mistake.csv:2: an unknown unit in column 'measurement_unit': 'mm'; known are ps, ns"
table 'started_utc,measurement,value\n2026-11-01,a,0x10\n'
mistake 'a hexadecimal value' "mistake.csv:2: no decimal number in column 'value'"
table 'started_utc,measurement,measurement_unit,value\n2026-11-01,a,s,1e9\n'
mistake 'a value that no history holds' 'mistake.csv:2: a value beyond 4e18'
table 'started_utc,measurement,value\n2026-11-01,,1\n'
mistake 'a value without a name' "mistake.csv:2: no name in column 'measurement'"
table 'started_utc,measurement,value,upper\n2026-11-01,a,1,2\n2026-11-01,a,1,3\n'
mistake 'two limits' 'mistake.csv:3: a value with another unit or other limits'
table 'started_utc,measurement,value,n,min,mean,max\n2026-11-01,a,1,2,1,1,1\n'
mistake 'a value and a mean' 'mistake.csv:2: a measurement that needs either a value, or n'
table 'started_utc,measurement,n,min,mean,max\n2026-11-01,a,2,1,1,1\n2026-11-01,a,2,1,1,1\n'
mistake 'a measurement twice' 'mistake.csv:3: a measurement that its run has already'
table 'started_utc,measurement,n,min,max\n2026-11-01,a,2,1,1\n'
mistake 'no mean' "mistake.csv:2: a row with n that lacks its min, mean or max"
table 'started_utc,measurement,n,min,mean,max\n2026-11-01,a,-2,1,1,1\n'
mistake 'a number of values below 1' "mistake.csv:2: no whole number in its range in column 'n': '-2'"
table 'started_utc,measurement,value,image_crc32\n2026-11-01,a,1,4294967296\n'
mistake 'a check sum of 33 bits' "mistake.csv:2: no whole number in its range in column 'image_crc32'"
table 'started_utc,measurement,n,min,mean,max\n2026-11-01,a,2,1,5,4\n'
mistake 'a mean beyond the values' 'mistake.csv:2: a mean outside min and max'
table 'started_utc,measurement,value,verdict\n2026-11-01,a,1,good\n'
mistake 'another verdict' "mistake.csv:2: an unknown verdict in column 'verdict': 'good'"
table 'started_utc,measurement,value,unit\n2026-11-01,a,1,%065d\n' 0
mistake 'a long label' "mistake.csv:2: a text that is too long in column 'unit'"
[ ! -e never.db ]
point '... and no file came of them' $?
refuses 'no table' 3 'none.csv' history empty.db --import none.csv
for words in '--json' '--csv' '--limit 3' '--since 2026-11-01' '--verdict pass'; do
    refuses "an import with $words" 2 '--import and --deliver show none' history empty.db --import study.csv $words
done
refuses 'an import and a view' 2 'exclude each other.*2 are given' history empty.db --import study.csv --yield

# ---------------------------------------------------------------- wrong usage

refuses 'a unit without a history' 2 '--unit is of a run that is stored, and none is' run short.yaml --unit 7
refuses 'an empty history' 2 "--history is ''" run short.yaml --history ''
refuses 'an empty unit' 2 "--unit is ''; give 1 to 64" run short.yaml --history line.db --unit ''
refuses 'a long station' 2 '--station is .*give 1 to 64' run short.yaml --history line.db --station "$(printf '%065d' 0)"
refuses 'a unit of two lines' 2 '--unit' run short.yaml --history line.db --unit "$(printf 'a\nb')"
refuses 'a history of nothing' 2 '--list runs nothing' run --list --history line.db
refuses 'no history to show' 2 'no place given' history
refuses 'two views' 2 'exclude each other.* 2 are given' history line.db --yield --figure x
refuses 'an export in another form' 2 'export names its form' history line.db --export csv --json
refuses 'no time' 2 "--since is 'yesterday'" history line.db --since yesterday
refuses 'no measurement' 3 "has the measurement 'x'" history line.db --figure x
refuses 'another verdict' 2 "did you mean 'pass'" history line.db --verdict pas

# The axis of a plot has dates: by two of them each point is at the time of its run, within a tenth of a step of the ticks.
dated() { # NAME SECONDS: twelve runs, SECONDS apart
    rm -f dated.db
    python3 - "$2" >dated.csv <<'PY'
import datetime, sys
print('started_utc,unit,scenario,measurement,value,measurement_unit')
for i in range(12):
    at = datetime.datetime(2026, 2, 27, 23, 50) + i * datetime.timedelta(seconds=int(sys.argv[1]))
    print(f'{at:%Y-%m-%dT%H:%M:%SZ},U{i},dated,start,{5000 + i},ns')
PY
    run history dated.db --import dated.csv
    run history dated.db --report dated.html --figure start
    command="history dated.db --report, $2 s apart"
    python3 - "$2" >out 2>err <<'PY'
import datetime, re, sys
text = open('dated.html', encoding='utf-8').read()
plot = text[text.index('The measurement over time'):]
tick = re.findall(r'x1="([\d.]+)"[^>]*/><text class="(?:mid|end) across[^"]*" x="[\d.]+" y="224.0">([^<]+)<', plot[:plot.index('</svg>')])
def when(label):
    if label.count(':') == 2: # none of these is after midnight
        return datetime.datetime.strptime('2026-02-27 ' + label, '%Y-%m-%d %H:%M:%S')
    return datetime.datetime.strptime(label if label.startswith('2026') else '2026-' + label,
                                      '%Y-%m-%d' if label.startswith('2026') else '%Y-%m-%d %H:%M')
(x0, t0), (x1, t1) = [(float(x), when(label)) for x, label in (tick[0], tick[-1])]
step = (t1 - t0) / (len(tick) - 1)
assert 3 <= len(tick) <= 8, tick
for i, x in enumerate(re.findall(r'<circle class="node" cx="([\d.]+)"', plot[:plot.index('</svg>')])):
    at = t0 + (float(x) - x0) / (x1 - x0) * (t1 - t0)
    true = datetime.datetime(2026, 2, 27, 23, 50) + i * datetime.timedelta(seconds=int(sys.argv[1]))
    assert abs(at - true) < step / 10, (at, true, tick)
assert i == 11
# On a phone a character of 20 px has 12 px of the drawing's 640. Labels that stay do not touch; the last one ends at 640.
shown = re.findall(r'class="(mid|end) across" x="([\d.]+)" y="224.0">([^<]+)<', plot[:plot.index('</svg>')])
ends = [(float(x) - 12 * len(label) / (2 if at == 'mid' else 1), float(x) + (6 * len(label) if at == 'mid' else 0)) for at, x, label in shown]
assert 2 <= len(shown) <= len(tick) and all(a[1] < b[0] for a, b in zip(ends, ends[1:])), shown
PY
    point "$1" $?
}
dated 'a plot over weeks has dates' 259260
dated '... over hours the time of day' 1860
dated '... over minutes, too' 60
dated '... over seconds, too' 1

finish
