#!/bin/sh
# SPDX-FileCopyrightText: The phasebench authors
# SPDX-License-Identifier: Apache-2.0
#
# The verb history and --history from outside: what is stored, many writers, a writer that is killed, a full disk, bad files. TAP.
#
#   tests/cli/history.sh path/to/phasebench
#
# Expected values: result.json of the same run; sqlite3, gzip and awk on the same files.

. "$(dirname "$0")/common.sh"

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
    DROP TRIGGER run_stays; DROP TRIGGER node_stays; DROP TRIGGER measurement_stays; DROP TRIGGER finding_stays;
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
    ! grep -v 'Tag \(header\|main\|svg\|text\|line\|path\|circle\|rect\) invalid\|^ *^\|^<\|^ ' err | grep -q error
    point '... which is HTML' $?
fi
says '... escapes units and reasons' '<th scope="row">a&lt;b&gt;</th>.*' days.html
says '... counts the runs of a kind' '>late_start</th><td>3</td><td>7</td>' days.html
says '... and of a step' '>step/slots</th><td>1</td><td>1</td>.*width="80\.0"' days.html
says '... the yield of all days' '>hall</th><td>all</td><td>6</td><td>50\.00 %</td><td>50\.00 %</td><td>0</td>' days.html
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

sqlite3 old.db < "$root/tests/unit/history_version_1.sql"
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

# ---------------------------------------------------------------- wrong usage

refuses 'a unit without a history' 2 '--unit is of a run that is stored, and none is' run short.yaml --unit 7
refuses 'an empty history' 2 "--history is ''" run short.yaml --history ''
refuses 'an empty unit' 2 "--unit is ''; give 1 to 64" run short.yaml --history line.db --unit ''
refuses 'a long station' 2 '--station is .*give 1 to 64' run short.yaml --history line.db --station "$(printf '%065d' 0)"
refuses 'a unit of two lines' 2 '--unit' run short.yaml --history line.db --unit "$(printf 'a\nb')"
refuses 'a history of nothing' 2 '--list runs nothing' run --list --history line.db
refuses 'no history to show' 2 'no file given' history
refuses 'two views' 2 'exclude each other.* 2 are given' history line.db --yield --figure x
refuses 'an export in another form' 2 'export names its form' history line.db --export csv --json
refuses 'no time' 2 "--since is 'yesterday'" history line.db --since yesterday
refuses 'no measurement' 3 "has the measurement 'x'" history line.db --figure x
refuses 'another verdict' 2 "did you mean 'pass'" history line.db --verdict pas

finish
