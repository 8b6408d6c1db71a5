#!/bin/sh
# SPDX-FileCopyrightText: The phasebench authors
# SPDX-License-Identifier: Apache-2.0
#
# A history on a PostgreSQL server, which this test starts for itself on a Unix socket: many stations, stations that are killed, a server
# that ends in the middle of writes, hangs, or loses its last answer, and the spool that delivers later, once. TAP.
#
#   tests/production/cli/history_server.sh path/to/phasebench
#
# Expected values: counts by psql and sqlite3 on the same rows; of each table that of a file with the same runs.
# covers: host/production/history host/cli/cmd_history.c host/cli/history_*

. "$(dirname "$0")/../../cli/common.sh"

unset PHASEBENCH_HISTORY PHASEBENCH_SPOOL PGHOST PGPORT PGUSER PGDATABASE PGPASSWORD PGPASSFILE PGSERVICE PGOPTIONS
HOME=$work XDG_STATE_HOME=$work/state
export HOME XDG_STATE_HOME

# ---------------------------------------------------------------- a server of our own

programs=$(ls -d /usr/lib/postgresql/*/bin 2> /dev/null | sort -V | tail -n 1)
if [ ! -x "$programs/initdb" ] || ! command -v psql > /dev/null; then
    command='initdb, psql' code=-
    [ "${CI:-}" != true ]
    point 'PostgreSQL # SKIP no server programs; install the package postgresql' $?
    finish
    exit
fi
base=$(mktemp -d) || exit 4 # of the server, which must not run as root
user=$(id -un)
if [ "$(id -u)" -eq 0 ]; then
    user=nobody
    id postgres > /dev/null 2>&1 && user=postgres
    chown "$user" "$base" && chmod 755 "$base"
fi
# as_server PROGRAM ARGUMENTS
as_server() {
    if [ "$(id -u)" -eq 0 ]; then
        (cd "$base" && exec setpriv --reuid="$user" --regid="$(id -g "$user")" --clear-groups "$@")
    else
        (cd "$base" && "$@")
    fi
}
start() {
    as_server "$programs/pg_ctl" -D "$base/data" -l "$base/log" -w -t 60 start \
        -o "-c listen_addresses='' -c unix_socket_directories='$base' -c fsync=off -c max_connections=60" > "$base/started" 2>&1
}
stop() { # MODE
    as_server "$programs/pg_ctl" -D "$base/data" -w -t 60 -m "$1" stop > /dev/null 2>&1
}
trap 'kill -CONT "$(head -n 1 "$base/data/postmaster.pid" 2> /dev/null)" 2> /dev/null; stop immediate; clean_up; rm -rf "$base"' EXIT
as_server "$programs/initdb" -D "$base/data" -A trust -U postgres -E UTF8 --locale=C.UTF-8 --no-sync > initdb.log 2>&1
printf 'local all postgres trust\nlocal all all scram-sha-256\n' > "$base/data/pg_hba.conf"
start
code=$? command='initdb, pg_ctl start'
cat initdb.log "$base/log" > err 2> /dev/null
[ "$code" -eq 0 ]
point 'a server' $?
[ "$code" -eq 0 ] || { finish; exit 1; }

# sql DATABASE STATEMENT: by the other program
sql() {
    psql -X -q -h "$base" -U postgres -d "$1" -At -v ON_ERROR_STOP=1 -c "$2"
}
# holds NAME DATABASE STATEMENT RESULT
holds() {
    command="psql $2 $3" code=-
    sql "$2" "$3" > out 2> err
    [ "$(cat out)" = "$4" ]
    point "$1" $?
}
# url USER PASSWORD DATABASE
url() {
    echo "postgresql://$1:$2@/$3?host=$base"
}
sql postgres "CREATE ROLE station LOGIN PASSWORD 'geheim'" && sql postgres "CREATE ROLE reader LOGIN PASSWORD 'geheim'"
for name in hall twin killed lost once; do
    sql postgres "CREATE DATABASE $name OWNER station TEMPLATE template0 ENCODING 'UTF8'"
done
hall=$(url station geheim hall)

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

# ---------------------------------------------------------------- many stations, and their first start

refuses 'a database without tables' 3 "'postgresql://$base/hall': has no runs; store a run by --history first" history "$hall"
writer() { # NAME
    for run in 1 2 3 4 5; do
        "$bin" run short.yaml --quiet --json --seed $run --unit "$1" --station "s$1" --history "$hall" > /dev/null 2>> "writer$1" ||
            echo "exit $?" >> "writer$1"
    done
}
for name in 1 2 3 4 5 6 7 8; do
    writer $name &
    writers="${writers:-} $!"
done
wait $writers
command='8 stations of 5 runs each' code=-
cat writer? > err
[ ! -s err ]
point '8 stations at once, on a database without tables: no error' $?
holds '... every run of each' hall "SELECT count(*), count(DISTINCT unit || '-' || seed), count(DISTINCT key) FROM phasebench.run" '40|40|40'
holds '... with every measurement' hall 'SELECT count(DISTINCT c) FROM (SELECT count(*) AS c FROM phasebench.measurement GROUP BY run) AS x' 1
holds '... one version' hall 'SELECT count(*), max(version) FROM phasebench.history' '1|2'
[ ! -e state ]
point '... and no spool' $?
for table in run node measurement finding history; do
    for statement in "UPDATE phasebench.$table SET $([ $table = history ] && echo version || { [ $table = run ] && echo id || echo run; }) = 1" \
        "DELETE FROM phasebench.$table" "TRUNCATE phasebench.$table CASCADE"; do
        command="psql $statement" code=-
        PGPASSWORD=geheim psql -X -h "$base" -U station -d hall -c "$statement" > out 2> err
        grep -q 'a history is append-only' err
        point "append-only: ${statement%% SET*}" $?
    done
done

# ---------------------------------------------------------------- a server that is away, and the spool

stop fast
exits 'a run while the server is away' 0 run short.yaml --quiet --json --unit 1 --station a --history "$hall"
grep -q "^phasebench: history 'postgresql://$base/hall': cannot be reached (.*); start the server.*; the runs wait in spool '$work/state/phasebench/spool-" err &&
    [ "$(wc -l < err)" -eq 1 ]
point '... one line' $?
spool=$(ls state/phasebench/*.db)
[ "$(stat -c %a state/phasebench)" = 700 ]
point '... a folder of our own' $?
exits 'a suite of two' 1 run both --quiet --json --unit 2 --station b --history "$hall" -j 2
[ "$(wc -l < err)" -eq 1 ]
point '... one line' $?
PHASEBENCH_HISTORY=$hall PHASEBENCH_SPOOL=$work/other.db
export PHASEBENCH_HISTORY PHASEBENCH_SPOOL
exits 'the environment names both' 0 run short.yaml --quiet --json --unit 3
[ "$(sqlite3 other.db 'SELECT count(*) FROM run')" = 1 ]
point '... one run waits there' $?
unset PHASEBENCH_HISTORY PHASEBENCH_SPOOL
exits 'a spool can be read' 0 history "$spool"
says '... its runs' '^3 runs$'
refuses '... but is no history' 3 "is the spool of 'postgresql://$base/hall'" run short.yaml --history "$spool"
refuses 'a delivery to nowhere' 4 'cannot be reached' history "$hall" --deliver
refuses 'a history is no spool' 3 'is the spool of|is a history' run short.yaml --history "$(url station geheim twin)" --spool "$spool"
start
exits 'the next run delivers' 0 run short.yaml --quiet --json --unit 4 --history "$hall"
grep -q "^phasebench: history: delivered 3 runs from spool '$work/$spool', 0 wait$" err
point '... says so' $?
holds '... all are there' hall 'SELECT count(*), count(DISTINCT key) FROM phasebench.run' '44|44'
exits 'a delivery by hand' 0 history "$hall" --deliver --spool other.db
says '... says so' "^delivered 1 run from spool 'other.db', 0 wait$"
exits '... once' 0 history "$hall" --deliver --spool other.db
says '... nothing more' "^delivered 0 runs"
holds '... all are there' hall 'SELECT count(*), count(DISTINCT key) FROM phasebench.run' '45|45'

# ---------------------------------------------------------------- the same tables as of a file

twin=$(url station geheim twin)
stop fast
n=0
for unit in a b c d; do
    for scenario in short late short; do
        n=$((n + 1))
        "$bin" run $scenario.yaml --quiet --json --seed $n --unit $unit --station "s$((n % 3))" --operator "O'Neill" --history "$twin" --spool twin.db > /dev/null 2>&1
    done
done
cp twin.db file.db
start
cp twin.db altered.db
sqlite3 altered.db 'UPDATE measurement SET mean = mean + 1 WHERE run = 2 AND place = 0'
refuses 'a spool with a value that was altered' 3 "spool 'altered.db': is damaged .run 2 is not as it was stored.; restore a copy" \
    history "$twin" --deliver --spool altered.db
refuses '... before a run, too' 3 'run 2 is not as it was stored' run short.yaml --history "$twin" --spool altered.db
[ "$(sqlite3 altered.db 'SELECT count(*) FROM run')" = 12 ]
point '... keeps its runs' $?
exits 'a spool of 12 runs' 0 history "$twin" --deliver --spool twin.db
says '... delivered' '^delivered 12 runs'
[ "$(sqlite3 twin.db 'SELECT count(*) FROM run')" = 0 ]
point '... the spool is empty' $?
alike() { # NAME OPTIONS
    name=$1
    shift
    run history file.db "$@"
    cp out expected
    run history "$twin" "$@"
    [ "$code" -eq 0 ] && [ -s out ] && cmp -s out expected
    point "as of a file: $name" $?
}
since=$(sqlite3 file.db 'SELECT started_utc FROM run ORDER BY started_utc LIMIT 1 OFFSET 6')
alike 'the list' --json
alike 'a unit' --unit b
alike 'a scenario' --scenario late --csv
alike 'a station' --station s1
alike 'a time' --since "$since"
alike 'a verdict' --verdict fail
alike 'the newest' --limit 3
alike 'yield' --yield --json
alike 'a figure' --figure node_start/link0 --json
alike 'everything' --export json
alike 'everything as CSV' --export csv

# ---------------------------------------------------------------- stations that are killed

killed=$(url station geheim killed)
exits 'a run' 0 run short.yaml --quiet --json --history "$killed"
for pause in 0.4 0.8 1.1 1.7; do
    (
        while :; do
            "$bin" run short.yaml --quiet --json --history "$killed" > /dev/null 2>&1 < /dev/null &
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
exits 'after kill -9' 0 history "$killed" --limit 1
holds '... no run is half there' killed 'SELECT count(*) FROM phasebench.run WHERE id NOT IN (SELECT run FROM phasebench.measurement) OR id NOT IN (SELECT run FROM phasebench.node)' 0
holds '... each has every measurement' killed 'SELECT count(DISTINCT c) FROM (SELECT count(*) AS c FROM phasebench.measurement GROUP BY run) AS x' 1

# ---------------------------------------------------------------- a server that ends in the middle of writes

lost=$(url station geheim lost)
run run short.yaml --quiet --json --unit 0 --seed 0 --history "$lost"
stations=
for name in 1 2 3 4; do
    (
        for run in 1 2 3 4 5 6 7 8; do
            "$bin" run short.yaml --quiet --json --seed $run --unit $name --history "$lost" --spool "lost$name.db" > /dev/null 2>> "lost$name" ||
                echo "exit $?" >> "lost$name"
        done
    ) &
    stations="$stations $!"
done
for pause in 0.6 0.5 0.7; do
    sleep $pause
    stop immediate
    sleep 0.4
    start
done
wait $stations
command='4 stations of 8 runs each, and a server that is stopped 3 times' code=-
cat lost? > err
! grep -q '^exit' err
point 'a server that is stopped in the middle of writes: no station fails' $?
for name in 1 2 3 4; do
    [ ! -e "lost$name.db" ] || "$bin" history "$lost" --deliver --spool "lost$name.db" > /dev/null 2>> err || echo "exit $?" >> err
done
! grep -q '^exit' err
point '... the spools are delivered' $?
holds '... every run is there once' lost "SELECT count(*), count(DISTINCT unit || '-' || seed), count(DISTINCT key) FROM phasebench.run" '33|33|33'
holds '... with every measurement' lost 'SELECT count(DISTINCT c) FROM (SELECT count(*) AS c FROM phasebench.measurement GROUP BY run) AS x' 1

# ---------------------------------------------------------------- an answer that is lost

if command -v python3 > /dev/null; then
    once=$(url station geheim once)
    run run short.yaml --quiet --json --unit 0 --history "$once"
    for mode in cut hang; do
        mv "$base/.s.PGSQL.5432" "$base/server"
        rm -f proxy.log # an old one would say that it is ready
        python3 "$root/tests/production/cli/history_proxy.py" "$base/.s.PGSQL.5432" "$base/server" $mode > proxy.log 2>&1 &
        proxy=$!
        wait_for '^ready$' proxy.log
        began=$(date +%s)
        exits "the answer to COMMIT is lost ($mode)" 0 run short.yaml --quiet --json --unit $mode --history "$once" --spool "$mode.db"
        took=$(($(date +%s) - began))
        [ "$(wc -l < err)" -eq 1 ] && grep -Eq "(lost the server|no answer within 10000 ms).*; the run waits in spool '$mode.db' \(1 in all\)" err
        point '... the run waits' $?
        [ $took -le 30 ]
        point '... after a bounded time' $?
        kill $proxy
        wait $proxy 2> /dev/null
        rm -f "$base/.s.PGSQL.5432" && mv "$base/server" "$base/.s.PGSQL.5432"
        holds '... though it is there' once "SELECT count(*) FROM phasebench.run WHERE unit = '$mode'" 1
        [ "$(sqlite3 $mode.db 'SELECT key FROM run')" = "$(sql once "SELECT key FROM phasebench.run WHERE unit = '$mode'")" ]
        point '... by the same key' $?
        exits '... and is delivered' 0 history "$once" --deliver --spool $mode.db
        holds '... which adds nothing' once "SELECT count(*) FROM phasebench.run WHERE unit = '$mode'" 1
        [ "$(sqlite3 $mode.db 'SELECT count(*) FROM run')" = 0 ]
        point '... and empties the spool' $?
    done
fi

# ---------------------------------------------------------------- a server that hangs, a lock that is held

postmaster=$(head -n 1 "$base/data/postmaster.pid")
kill -STOP "$postmaster"
began=$(date +%s)
exits 'a server that hangs' 0 run short.yaml --quiet --json --unit hung --history "$hall"
took=$(($(date +%s) - began))
grep -q 'no answer within 10000 ms; check the server, or try again; the runs wait in spool' err && [ "$(wc -l < err)" -eq 1 ] && [ $took -le 30 ]
point "... is awaited for a bounded time: $took s" $?
kill -CONT "$postmaster"
mkfifo orders
psql -X -q -h "$base" -U postgres -d hall < orders > held 2>&1 &
other=$!
exec 9> orders
echo "BEGIN; LOCK TABLE phasebench.run IN ACCESS EXCLUSIVE MODE; SELECT 'held';" >&9
wait_for held held
refuses 'a lock that is held' 4 'lock timeout; another process holds a lock; try again' history "$hall"
exits '... costs no run' 0 run short.yaml --quiet --json --unit locked --history "$hall"
grep -q 'lock timeout; .*; the run waits in spool' err && [ "$(wc -l < err)" -eq 1 ]
point '... which waits' $?
exec 9>&-
wait $other
exits '... until it is released' 0 history "$hall" --deliver
says '... both' '^delivered 2 runs'
holds '... are there' hall "SELECT count(*) FROM phasebench.run WHERE unit IN ('hung', 'locked')" 2

# ---------------------------------------------------------------- what a server refuses

# clean: no password in what was said
clean() {
    ! grep -q 'geheim\|falsch' err
    point '... without the password' $?
}
refuses 'a wrong password' 3 'password authentication failed for user "station"; check user and password' run short.yaml --history "$(url station falsch hall)"
clean
for parameter in sslmode gssencmode target_session_attrs; do
    refuses "no such $parameter" 3 "hall': invalid $parameter value; correct the parameter in the URL" run short.yaml --history "$hall&$parameter=geheim"
    ! grep -q geheim err
    point '... without its value' $?
done
PGSSLMODE=bad
export PGSSLMODE
refuses '... in the environment' 3 "hall': invalid sslmode value; correct the parameter in the URL, or in the environment" run short.yaml --history "$hall"
unset PGSSLMODE
refuses 'no password' 3 'wants a password, and there is none; check user and password' history "postgresql://station@/hall?host=$base"
refuses 'no such role' 3 'user and password' history "$(url nobody geheim hall)"
clean
refuses 'no such database' 3 'database "none" does not exist; create the database' run short.yaml --history "$(url station geheim none)"
clean
refuses 'a URL with a bad password' 3 'the URL cannot be read' run short.yaml --history 'postgresql://station:ge/heim@/hall'
refuses 'no server there' 4 'cannot be reached' history "postgresql://station:geheim@/hall?host=$work"
clean
[ ! -e geheim ] && ! grep -rq geheim state
point 'no password in a spool or its name' $?
exits 'a password as parameter' 0 history "postgresql:///hall?host=$base&user=station&password=%67eheim" --limit 1
PGPASSWORD=geheim
export PGPASSWORD
exits '... in PGPASSWORD' 0 history "postgresql://station@/hall?host=$base" --limit 1
unset PGPASSWORD
echo "*:*:hall:station:geheim" > pass && chmod 600 pass
PGPASSFILE=$work/pass
export PGPASSFILE
exits '... in the file of PGPASSFILE' 0 history "postgresql://station@/hall?host=$base" --limit 1
unset PGPASSFILE
refuses '... a wrong one as parameter' 3 'password authentication failed' history "postgresql:///hall?host=$base&user=station&password=falsch"
clean

# What a run and a validation keep of their command line, and the spool of a server that is not there.
exits 'a validation' 0 validate --only bench --serial 7 --out kept --history "postgresql://ann:geheim@[::1]:1/hall"
[ -s kept/validation.html ] && grep -q 'history .postgresql://ann:\.\.\.@\[::1\]:1/hall' kept/validation.json && ! grep -rq geheim kept out err state
point '... has no password in its files' $?
ls state/phasebench | grep -q '^spool-___1__1_hall-[0-9a-f]*\.db$'
point '... an address of IPv6 in the name of its spool' $?
PHASEBENCH_HISTORY=$(url station falsch hall)
export PHASEBENCH_HISTORY
refuses 'a password in the environment' 3 'password authentication failed' run short.yaml
clean
unset PHASEBENCH_HISTORY
refuses 'a role that may not make tables' 3 'permission denied for database postgres; the owner of the database grants it' \
    run short.yaml --history "$(url reader geheim postgres)"
refuses 'a role without rights' 3 'permission denied for schema phasebench' history "$(url reader geheim hall)"
sql hall 'GRANT USAGE ON SCHEMA phasebench TO reader; GRANT SELECT ON ALL TABLES IN SCHEMA phasebench TO reader'
exits 'a role that may read' 0 history "$(url reader geheim hall)" --limit 1
refuses '... may not append' 3 'may not append: it lacks INSERT' run short.yaml --history "$(url reader geheim hall)"
sql hall 'GRANT INSERT ON phasebench.run, phasebench.node, phasebench.measurement, phasebench.finding TO reader'
exits '... until it is granted' 0 run short.yaml --quiet --json --unit granted --history "$(url reader geheim hall)"
sql postgres 'ALTER ROLE reader SET default_transaction_read_only = on'
refuses 'a role that is read-only' 3 'read-only; give a server and a role that may write' run short.yaml --history "$(url reader geheim hall)"
sql postgres "CREATE DATABASE latin OWNER station TEMPLATE template0 ENCODING 'LATIN1' LOCALE 'C'"
refuses 'another encoding' 3 "has the encoding LATIN1; create one with ENCODING 'UTF8'" run short.yaml --history "$(url station geheim latin)"
sql hall 'INSERT INTO phasebench.history VALUES (3)'
refuses 'a newer schema' 3 'has schema version 3, this program knows versions up to 2; use a newer phasebench' history "$hall"
refuses '... before the run' 3 'schema version 3' run short.yaml --history "$hall"
sql postgres 'CREATE SCHEMA phasebench; CREATE TABLE phasebench.history (version BIGINT)'
refuses 'a schema of another program' 3 'is that of another program; give another database' history "$(url postgres x postgres)"

# Rights that are taken away in the middle: the run waits, and the bench fails.
run run short.yaml --quiet --json --unit 0 --history "$twin" --spool rights.db
sql twin 'ALTER TABLE phasebench.finding ADD CHECK (false) NOT VALID'
exits 'a server that refuses a run' 4 run late.yaml --quiet --json --unit refused --history "$twin" --spool rights.db
grep -q "violates check constraint .*; see the log of the server; the run waits in spool 'rights.db' (1 in all)" err
point '... the run waits' $?
refuses '... however often it is delivered' 3 'violates check constraint' history "$twin" --deliver --spool rights.db
[ "$(sqlite3 rights.db 'SELECT count(*) FROM run')" = 1 ]
point '... and stays in the spool' $?
sql twin 'ALTER TABLE phasebench.finding DROP CONSTRAINT finding_check'
exits '... until it is put right' 0 history "$twin" --deliver --spool rights.db
says '... and is delivered' '^delivered 1 run'

# ---------------------------------------------------------------- wrong usage

refuses 'a spool without a server' 2 "the history 'line.db' is a file" run short.yaml --history line.db --spool x.db
refuses 'a spool of nothing' 2 '--spool is of a run that is stored' run short.yaml --spool x.db
refuses 'an empty spool' 2 "--spool is ''" run short.yaml --history "$twin" --spool ''
refuses 'a delivery to a file' 2 "'line.db' is a file" history line.db --deliver
refuses 'a spool without a delivery' 2 'give --deliver as well' history "$twin" --spool x.db
refuses 'two views' 2 'exclude each other.* 2 are given' history "$twin" --yield --deliver

finish
