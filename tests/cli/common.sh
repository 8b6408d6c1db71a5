#!/bin/sh
# SPDX-FileCopyrightText: The phasebench authors
# SPDX-License-Identifier: Apache-2.0
#
# What the tests of the command share; read by them, with the path of the program as $1. Changes to a folder of its own.
# FAIL_FAST=1 ends a test at its first failure.
# helps: tests/cli/*.sh tests/*/cli/*.sh

[ -x "$1" ] || { echo "Bail out! give the path of the phasebench program, not '$1'"; exit 4; }
bin=$(cd "$(dirname "$1")" && pwd)/$(basename "$1")
root=$(cd "$(dirname "$0")" && while [ ! -f Makefile ]; do cd .. || exit; done && pwd)
scenarios=$root/host/scenarios
work=$(mktemp -d) || exit 4
# Ends what a test that failed, or was ended, has left running in its folder, and removes the folder.
clean_up() {
    found=some
    while [ -n "$found" ]; do # one that was killed may have started another one just before
        found=
        for process in /proc/[0-9]*; do
            [ "${process#/proc/}" -ne $$ ] && [ "$(readlink "$process/cwd")" = "$(pwd -P)" ] || continue
            kill -KILL "${process#/proc/}" && found=some
        done 2>/dev/null
    done
    rm -rf "$work"
}
trap clean_up EXIT
trap 'exit 130' INT TERM
cd "$work" || exit 4
unset NO_COLOR

. "$root/tests/tap.sh"
said() {
    echo "command: $command"
    echo "exit code: $code"
    sed 's/^/stdout: /' out | head -n 15
    sed 's/^/stderr: /' err | head -n 5
}

# run ARGUMENTS: leaves $code and the files out and err.
run() {
    command=$*
    "$bin" "$@" >out 2>err </dev/null
    code=$?
}

# exits NAME CODE ARGUMENTS: runs and tests the exit code.
exits() {
    name=$1 wanted=$2
    shift 2
    run "$@"
    [ "$code" -eq "$wanted" ]
    point "$name" $?
}

# succeeds NAME COMMAND...: another command than the program under test.
succeeds() {
    name=$1
    shift
    command=$* code=-
    "$@"
    point "$name" $?
}

# refuses NAME CODE REGEX ARGUMENTS: exit code, nothing on stdout, one line on stderr that matches.
refuses() {
    name=$1 wanted=$2 regex=$3
    shift 3
    run "$@"
    [ "$code" -eq "$wanted" ] && [ ! -s out ] && [ "$(wc -l <err)" -eq 1 ] && grep -q '^phasebench: ' err &&
        grep -Eq -- "$regex" err
    point "$name" $?
}

# says NAME REGEX [FILE]: some line of stdout, or of the file, matches.
says() {
    grep -Eq -- "$2" "${3:-out}"
    point "$1" $?
}

# figures NAME KEY VALUE ...: each numeric member of the JSON object on stdout.
figures() {
    name=$1 good=0
    shift
    while [ $# -gt 0 ]; do
        grep -Eq "\"$1\": $2,?\$" out || good=1
        shift 2
    done
    point "$name" "$good"
}

# the numbers of one JSON member, in order, on one line
numbers() {
    sed -n "s/.*\"$1\": \([0-9]*\),*\$/\1/p" out | tr '\n' ' '
}

# same NAME LEFT RIGHT: two JSON results that differ in nothing but when and where they were made. A replay of the stream has
# no chip that could overrun.
same() {
    for file in "$2" "$3"; do
        sed '/^  "rig"/d;/^  "command"/d;/"wall_ns"/d;/"started_utc"/d;s/, [0-9]* chip overruns"/"/' "$file" >"$file.bare"
    done
    command="diff $2 $3" code=-
    diff "$2.bare" "$3.bare" >out 2>err && [ -s "$2.bare" ]
    point "$1" $?
}

# valid FILE: JUnit that every reader takes for which tests/cli/junit has a schema.
valid() {
    if command -v xmllint >/dev/null; then
        for reader in "$root"/tests/cli/junit/*.xsd; do
            xmllint --noout --schema "$reader" "$1" 2>>valid.err || return 1
        done
    else
        grep -q '</testsuites>' "$1"
    fi
}

# links NAME PAGE FILE...: every link of a page leads to a file, and one to each of these.
links() {
    name=$1 command="links of $2" code=-
    shift
    python3 "$root/tests/cli/page_links.py" "$@" >out 2>err
    point "$name" $?
}

# columns NAME PAGE...: on a narrow screen each value has the name that its column has in the head of the table.
columns() {
    name=$1 command="columns of $2" code=-
    shift
    python3 "$root/tests/cli/page_columns.py" "$@" >err
    status=$?
    : >out
    point "$name" $status
}

# timeline NAME PAGE RESULT: the page has one script, known by its hash, and every transmission of the result for it to draw.
timeline() {
    name=$1 command="timeline of $2" code=-
    python3 "$root/tests/cli/page_timeline.py" "$2" "$3" >out 2>err
    point "$name" $?
}

# left REGEX: how many processes in the folder of this test have such a command line. Other tests run in parallel.
left() {
    for process in /proc/[0-9]*; do
        [ "$(readlink "$process/cwd")" != "$(pwd -P)" ] || { tr '\0' ' ' <"$process/cmdline" && echo; }
    done 2>/dev/null | grep -Ec -- "$1"
}

# wait_for REGEX FILE: up to a minute.
wait_for() {
    tries=0
    until grep -Eq -- "$1" "$2" 2>/dev/null; do
        tries=$((tries + 1))
        [ $tries -le 600 ] || return 1
        sleep 0.1
    done
}

# in_midst FILE: waits until the recording FILE shows a run in its midst: what is sent before the clock starts takes 20,000 bytes. Up to a minute.
in_midst() {
    tries=0
    until [ -s "$1" ] && [ "$(wc -c <"$1")" -gt 60000 ]; do
        tries=$((tries + 1))
        [ $tries -le 600 ] || return 1
        sleep 0.1
    done
}

# heeds PID: waits until the program acts on SIGINT; up to then a process that a script starts with & ignores it. The copy of the shell that
# becomes the program has the traps of the script for a moment.
heeds() {
    tries=0
    while [ "$(readlink "/proc/$1/exe")" = "$(readlink /proc/$$/exe)" ] && [ $tries -lt 600 ]; do
        tries=$((tries + 1))
        sleep 0.1
    done
    wait_for '^SigCgt:.*[2367abef]$' "/proc/$1/status"
}
