#!/bin/sh
# SPDX-FileCopyrightText: The phasebench authors
# SPDX-License-Identifier: Apache-2.0
#
# Breaks the tree on purpose, one mutant of tests/*/mutants/*.list at a time, and demands that the tests named for it fail.
# Usage, from the top of the tree: mutants.sh BUILD-DIR
#   ONLY="name ..."  these alone
#   SAMPLE=n      about n mutants, evenly spread over the lists, always the same ones
#   DRAW=n        n mutants drawn from those of files that changed since SINCE, or of all files while these are fewer; first those that name
#                 the test case that catches them
#   SINCE=commit  for DRAW; the last tag, or without tags the commit that made the last release (VERSION)
#   SEED=n        draws the same again; the seed is printed
#   LIST=1        prints the drawn names and ends
#   NAME=1        writes into the lists which test case of a program caught a mutant, and puts the test that caught it first
#   RING=1        what has passed in this ring is not run again on the sound copy: BUILD-DIR/tests has its count
#   JOBS=n        n at a time, each in a copy of its own (the processors there are)
# Works on copies in BUILD-DIR/mutants, so that neither the tree nor what is built of it changes. Each test that caught
# something must pass on the sound copy: else it proved nothing. Writes "passed failed skipped" to BUILD-DIR/tests/mutants.count.
#
# A list has records of these lines (# starts a comment line):
#   mutant NAME
#   file   PATH            edited by the following pairs of from and to; another file line may follow
#   from   TEXT            literally, occurs once in the file as it is at that moment
#   to     TEXT            literally, may be empty
#   models WORDS           for which mistake it models
#   caught TEST...         tests to try in this order until one fails; ends the record
# A test is tb_* (a Verilog bench, in Icarus; tb_*:idle: one that skips what is idle, see rtl/core/pb_sim_skip.vh), test_* (a program of
# tests/*/unit or tests/usb/rig; test_*:CASE: that test case of it first, as NAME=1 writes it, and all of it when the case passes),
# cli:NAME (NAME.sh of a folder cli), or another make target.
#
# evidence: the tests themselves
#   broken variants of core, firmware, host and report, each caught by a named test
#   also: make mutants
# covers: tests/*/mutants
build=${1:?usage: mutants.sh BUILD-DIR}
only=$ONLY sample=$SAMPLE draw=$DRAW since=$SINCE seed=$SEED list=$LIST name_it=$NAME ring=$RING jobs=${JOBS:-$(nproc)}
unset ONLY SAMPLE DRAW SINCE SEED LIST NAME RING JOBS MAKEFLAGS MFLAGS MAKELEVEL MAKEOVERRIDES
top=$(pwd)
work=$top/$build/mutants
export TRAIN=no           # a wrong core is not run before its test
export CCACHE_NOHASHDIR=1 # the copies lie in other folders, their objects are those of the tree

say() { printf '%-8s %-34s %s\n' "$@"; }

# A copy of all sources, and of what is built of them so far. Not of the unit tests: each mutant changes what all of them are linked of.
copy_tree() {
    mkdir -p "$tree/$build/tests" || exit 1
    tar -cf - --exclude="./$build" --exclude=./.git . | tar -xf - -C "$tree" || exit 1
    for made in rel san v ag32 rp2040 sdk libpbsim.a libphasebench.a libphasebench-san.a script embedded.o phasebench-san; do
        [ ! -e "$build/$made" ] || cp -a "$build/$made" "$tree/$build/$made"
    done
    cd "$tree" || exit 1
}

# ---- edits
# replace FILE FROM TO: in place; says what is wrong with the edit
replace() {
    from=$2 to=$3 awk '
        BEGIN { from = ENVIRON["from"]; to = ENVIRON["to"] }
        { text = text $0 "\n" }
        END {
            at = index(text, from)
            if (!at || from == "") { print "the text to replace is not there: " from > "/dev/stderr"; exit 1 }
            rest = substr(text, at + length(from))
            if (index(rest, from)) { print "the text to replace occurs twice: " from > "/dev/stderr"; exit 1 }
            if (from == to) { print "the edit changes nothing: " from > "/dev/stderr"; exit 1 }
            printf "%s%s%s", substr(text, 1, at - 1), to, rest
        }' "$1" > "$tree.edited" && cp "$tree.edited" "$1"
}

restore() {
    for file in $files; do cp "$top/$file" "$file"; done # a new time stamp, so that make builds the sound one again
}

# ---- tests
# watch COMMAND...: runs it, no longer than to its first failed test
watch() {
    timeout 900 "$@" > "$log" 2>&1 &
    runner=$!
    while kill -0 $runner 2>/dev/null; do
        if grep -q '^\[  FAILED  \]' "$log"; then kill $runner 2>/dev/null; break; fi
        sleep 0.1
    done
    wait $runner 2>/dev/null # the shell remarks on the signal otherwise
}

# build TARGET...: a mutant that leaves a function unused is one; the warning is no error then.
build() { make -s "$@" > "$log" 2>&1 || make -s WARN=-w "$@" > "$log" 2>&1; }

# run_cases PROGRAM: the test case $case first; on the sound copy that one alone
run_cases() {
    [ -z "$case" ] || ONLY=$case watch "$1" || return 1
    [ -n "$case" ] && [ -n "$sound" ] || watch "$1"
}

# The test case of a program that failed, or that was running when the program ended: "*" for each blank of its name.
failed_case() { awk '/^\[ RUN/ { run = $0 } /^\[  FAILED/ && !failed { failed = $0 } END { $0 = failed ? failed : run; sub(/^.*\] /, ""); gsub(/ /, "*"); print }' "$log"; }

# try TEST: 0 it passes, 1 it fails, 2 what it needs cannot be built
try() {
    case= program=$1
    case $1 in test_*:*) case=${1#*:} program=${1%%:*} ;; esac
    case $1 in
    tb_*)
        bench=${1%:idle} define=
        [ "$bench" = "$1" ] || define=-DVERILATOR
        iverilog $define -g2005 -y rtl/node -y rtl/core -y rtl/board -y rtl/proto/gen -I rtl/core -I rtl/proto/gen -I tests/rtl \
            -s "$bench" -o "$tree.vvp" "tests/rtl/$bench.v" > "$log" 2>&1 || return 2
        watch vvp -n "$tree.vvp"
        tail -n 1 "$log" | grep -qx "PASS $bench"
        ;;
    test_usb*)
        build "$build/tests/usb/rig/$program" "$build/libphasebench-vusb.so" "$build/phasebench-san" || return 2
        run_cases "$build/tests/usb/rig/$program"
        ;;
    test_*)
        build "$build/tests/unit/$program" || return 2
        run_cases "$build/tests/unit/$program"
        ;;
    cli:*)
        build "cli-needs-${1#cli:}" || return 2
        FAIL_FAST=1 watch $(tail -n 1 "$log")
        ;;
    *)
        FAIL_FAST=1 watch make -s "$1"
        ;;
    esac || return 1
}

# ---- mutants
total=$(cat tests/*/mutants/*.list | grep -c '^mutant ')
step=1
[ -z "$sample" ] || step=$(((total + sample - 1) / sample))

# drawn: the names of $draw mutants, in an order that the seed gives. Those of changed files first, then others; in both first those that
# name the test case that catches them, which takes seconds.
drawn() {
    { [ -z "$since" ] || git diff --name-only "$since" -- | sed 's/^/changed /'; cat tests/*/mutants/*.list; } |
        awk -v seed="$seed" -v draw="$draw" -v all="${since:+no}" '
        # The generator of Park and Miller, with a square, so that seeds of neighbours differ: the same order with every awk.
        function next_number() {
            state = (state * 16807 + (state % 30011) * (state % 30011)) % 2147483647
            return state / 2147483647
        }
        BEGIN { state = seed % 2147483646 + 1; for (i = 0; i < 10; i++) next_number() }
        $1 == "changed" { changed[$2] = 1 }
        $1 == "mutant" { name[++count] = $2; ours[count] = all == "" }
        $1 == "file" && $2 in changed { ours[count] = 1 }
        $1 == "caught" { slow[count] = $2 !~ /^test_.*:/ }
        END {
            for (i = 1; i <= count; i++) { of_changed += ours[i]; key[i] = next_number() + 2 * !ours[i] + slow[i] }
            print "# " of_changed " mutants are of files that changed"
            for (; draw > 0 && draw <= count; draw--) {
                least = 0
                for (i = 1; i <= count; i++) if (key[i] < 4 && (!least || key[i] < key[least])) least = i
                print name[least]
                key[least] = 4
            }
        }'
}
if [ -n "$draw" ]; then
    [ "$draw" -gt 0 ] 2>/dev/null && [ "$draw" -le "$total" ] || { echo "mutants: DRAW=$draw; give 1 to $total" >&2; exit 2; }
    seed=${seed:-$(od -An -N3 -tu4 /dev/urandom | tr -d ' ')}
    since=${since:-$(git describe --tags --abbrev=0 2>/dev/null || git log -1 --format=%h -- VERSION 2>/dev/null)}
    [ -z "$since" ] || git rev-parse -q --verify "$since^{commit}" > /dev/null || { echo "mutants: SINCE=$since is no commit that git knows" >&2; exit 2; }
    chosen=$(drawn)
    only="$only $(echo "$chosen" | grep -v '^#' | tr '\n' ' ')"
    [ -z "$list" ] || { echo "$chosen" | grep -v '^#'; exit; }
    echo "DRAW=$draw SEED=$seed${since:+ SINCE=$since}: $(echo "$chosen" | sed -n 's/^# //p')"
fi

# Is the present mutant one of those to be tried, by this worker?
wanted() {
    if [ -n "$only" ]; then
        case " $only " in *" $name "*) [ $((index % jobs)) -eq "$worker" ] ;; *) false ;; esac
    else
        [ $(((index - 1) % step)) -eq $((step / 2)) ] && [ $(((index - 1) / step % jobs)) -eq "$worker" ]
    fi
}

wrong() { # what the matter is
    echo wrong >> "$tree.result"
    { say "$1" "$name" "$2"; tail -n 8 "$log" | sed 's/^/         | /'; } > "$tree.said"
    cat "$tree.said"
}

judge() { # TEST...
    for test in "$@"; do
        try "$test"
        case $? in
        1)
            case $test in test_*) test=$program:$(failed_case) ;; esac
            echo "caught ${test%:} $name" >> "$tree.result"
            say caught "$name" "by ${test%:}"
            return
            ;;
        2)
            wrong BROKEN "does not compile for $test: mend the edit"
            return
            ;;
        esac
    done
    : > "$log"
    wrong SURVIVED "$models: not noticed by $*"
}

go_through_lists() {
    for list in tests/*/mutants/*.list; do
        while read -r key rest; do
            case $key in
            mutant) name=$rest index=$((index + 1)) files= models= problem= ;;
            file)
                # That the edits fit is checked for all mutants: for those that are not tried by the first worker, on a copy.
                file=$rest
                if wanted; then files="$files $rest"; else file=$tree.fits && cp "$top/$rest" "$file"; fi
                ;;
            from) from=$rest ;;
            to)
                if [ -z "$problem" ] && { wanted || [ "$worker" -eq 0 ]; }; then
                    problem=$(replace "$file" "$from" "$rest" 2>&1)
                fi
                ;;
            models) models=$rest ;;
            caught)
                : > "$log"
                if [ -n "$problem" ]; then wrong STALE "$problem"; elif wanted; then judge $rest; fi
                restore
                ;;
            '' | '#'*) ;;
            *) : > "$log"; name=$list; wrong BROKEN "unknown line: $key $rest" ;;
            esac < /dev/null
        done < "$list"
    done
}

mkdir -p "$build/tests"
exec 9>"$work.lock"
flock -n 9 || { echo "mutants: another run uses $build/mutants; wait for its end" >&2; exit 2; }
rm -rf "$work"
mkdir -p "$work"
for worker in $(seq 0 $((jobs - 1))); do
    tree=$work/tree$worker log=$work/tree$worker.log index=0
    (copy_tree && go_through_lists) &
done
wait

# ---- the tests that caught something, on a sound copy
# passed TEST: in this ring, all of its points.
passed() {
    case $1 in test_*:*) set -- "${1%%:*}" ;; esac
    count=$top/$build/tests/$(echo "$1" | tr : -).count
    [ -n "$ring" ] && [ -e "$count" ] && grep -q '^[1-9][0-9]* 0 ' "$count"
}

tree=$work/tree0 log=$work/tree0.log
cd "$tree" || exit 1
sound=yes
for test in $(sed -n 's/^caught \([^ ]*\) .*/\1/p' "$work"/*.result | sort -u); do
    if ! passed "$test" && ! try "$test"; then
        name=$test
        wrong WORTHLESS "fails on the sound tree, too"
    fi
done

if [ -n "$name_it" ]; then
    for list in "$top"/tests/*/mutants/*.list; do
        cat "$work"/*.result | awk '
            FNR == NR { if ($1 == "caught") by[$3] = $2; next }
            $1 == "mutant" { name = $2 }
            $1 == "caught" && name in by {
                line = "caught " by[name]
                program = by[name] ~ /^test_/ ? substr(by[name], 1, index(by[name] ":", ":") - 1) : by[name]
                for (i = 2; i <= NF; i++) if ($i != program && index($i, program ":") != 1) line = line " " $i
                $0 = line
            }
            { print }' - "$list" > "$work/list" && { cmp -s "$work/list" "$list" || cp "$work/list" "$list"; }
    done
fi

caught=$(cat "$work"/*.result | grep -c '^caught')
errors=$(cat "$work"/*.result | grep -c '^wrong')
echo "$caught $errors 0" > "$top/$build/tests/mutants.count"
echo "$caught mutants caught, $errors errors; $total in the lists"
[ "$errors" -eq 0 ] && [ "$caught" -gt 0 ]
