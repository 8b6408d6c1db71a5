#!/bin/sh
# SPDX-FileCopyrightText: The phasebench authors
# SPDX-License-Identifier: Apache-2.0
#
# A machine under traffic in several threads, and in several processes of mpirun. Prints TAP.
#
#   tests/machine/cli/machine_ranks.sh path/to/phasebench
#
# SEED=n draws the same cases again. Expected values: what one thread of one process writes.
# covers: host/machine host/movement host/cli/machine_traffic.c host/cli/cmd_machine.c

. "$(dirname "$0")/../../cli/common.sh"

seed=${SEED:-$(($(date +%s) * 7 + $$))}
echo "# SEED=$seed"
# random N: 0 to N - 1 (Lehmer's generator)
state=$((seed % 2147483646 + 1))
random() {
    state=$((state * 48271 % 2147483647))
    drawn=$((state % $1))
}
# one_of WORDS: sets word
one_of() {
    random $#
    shift "$drawn"
    word=$1
}

# What MPI itself keeps until the end is no leak of the program. A container runs as root.
export ASAN_OPTIONS=detect_leaks=0 OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
command=mpirun code=-
: >out
command -v mpirun >err && [ -e "$(dirname "$bin")/libphasebench-mpi.so" ]
point 'mpirun and the library for it are there' $?

# ranks N ARGUMENTS: as run, in N processes.
ranks() {
    many=$1
    shift
    command="mpirun -n $many phasebench $*"
    mpirun -q --oversubscribe -n "$many" "$bin" "$@" >out 2>err </dev/null
    code=$?
}
ranks_refuse() {
    name=$1 wanted=$2 regex=$3
    shift 3
    ranks "$@"
    [ "$code" -eq "$wanted" ] && [ ! -s out ] && [ "$(wc -l <err)" -eq 1 ] && grep -Eq -- "$regex" err
    point "$name" $?
}

# alike NAME: out is one, and the exit code 0.
alike() {
    [ "$code" -eq 0 ] && cmp one out >>err 2>&1
    point "$1" $?
}

i=0
while [ $i -lt 5 ]; do
    one_of '' --json --csv && form=$word
    one_of '--dims 4' '--dims 5' '--dims 7' '--network generalised:4,4,3' '--network generalised:3,5' && network=$word
    one_of '--load 0.4:1.2:0.4' '--load 1.3 --birth any' '--load 0.8 --burst 3' '--load 0.7 --valiant free' '--window 1:3:1' \
        '--batch 3' '--batch 2 --valiant barrier' && kind=$word
    one_of '' '--room 3' '--room 8' && room=$word
    one_of ecube opportunistic && rule=$word
    random 1000
    set -- machine --traffic uniform $kind $network $room --rule "$rule" --seed "$drawn" $form --superframes 40
    run "$@" --threads 1
    cp out one
    one_of 2 3 4 8 && threads=$word
    run "$@" --threads "$threads"
    alike "$threads threads: $kind $network $room $rule $form"
    one_of 2 4 && processes=$word
    ranks "$processes" "$@"
    alike "$processes processes: the same"
    i=$((i + 1))
done

set -- machine --traffic uniform --load 0.5:1:0.5 --dims 8 --superframes 80
run "$@" --out one.folder
ranks 2 "$@" --out two.folder
command="diff one.folder two.folder"
diff -r one.folder two.folder >out 2>err
point 'the folder of two processes' $?
run "$@" --json
cp out one
ranks 4 "$@" --json --checkpoint kept --checkpoint-every 25
alike 'four processes keep their state'
cp kept kept.4
run "$@" --json --checkpoint kept.1 --checkpoint-every 25 --threads 1
command='cmp kept.4 kept.1'
cmp kept.4 kept.1 >out 2>err
point '... as one thread keeps it' $?

# killed WHO: when the run of two processes has kept something, kills one that computes, or that mpirun started.
killed() {
    rm -f kept
    command="mpirun -n 2 phasebench $* --checkpoint kept --checkpoint-every 20, one killed"
    mpirun -q --oversubscribe -n 2 "$bin" "$@" --checkpoint kept --checkpoint-every 20 >out 2>err </dev/null &
    run_of=$!
    process=
    while [ -z "$process" ] || [ ! -e kept ] || [ "$(wc -c <kept)" -lt 20000 ]; do
        kill -0 $run_of 2>/dev/null || break
        sleep 0.1
        for folder in /proc/[0-9]*; do
            [ "$(readlink "$folder/cwd")" != "$(pwd -P)" ] || [ "$(cat "$folder/comm")" = phasebench-wait ] ||
                ! grep -q '^[^ ]*phasebench' "$folder/comm" || process=${folder#/proc/}
        done 2>/dev/null
    done 2>/dev/null
    kill -KILL "$process" 2>/dev/null
    wait $run_of
    code=$?
}
set -- machine --traffic uniform --load 1 --dims 9 --superframes 800
run "$@" --json --threads 1
cp out one
killed "$@" --json
[ "$code" -eq 4 ] && [ ! -s out ] && [ "$(wc -l <err)" -eq 1 ] && grep -q 'was killed by signal 9; the run has no result; start it anew, with --resume if it keeps a checkpoint' err
point 'one of two processes is killed: exit code 4, and one line' $?
sleep 2
[ "$(left 'phasebench[^.]* machine --traffic')" -eq 0 ]
point '... none is left' $?
ranks 4 "$@" --json --checkpoint kept --resume
alike '... four go on'
killed "$@" --json
run "$@" --json --checkpoint kept --resume --threads 2
alike '... or two threads'

ranks_refuse 'three processes' 2 '3 processes cannot share 16 nodes; start a power of two, at most 8: mpirun -n 2$' 3 machine --traffic uniform --dims 4
ranks_refuse 'a process for each node' 2 'at most 8: mpirun -n 8$' 16 machine --traffic uniform --dims 4
ranks_refuse 'threads in processes' 2 'leave out --threads' 2 machine --traffic uniform --dims 4 --threads 2
ranks_refuse 'nodes at their pins in processes' 2 'engine slot' 2 machine --traffic uniform --dims 4 --engine wire
ranks_refuse 'a program in processes' 2 'runs in one process; leave out mpirun' 2 machine --program sort --dims 4
ranks_refuse 'too little memory in processes' 4 'may need [0-9]* MB' 2 machine --traffic uniform --dims 14 --memory 1
ranks_refuse 'a checkpoint that is there' 2 'exists already' 2 "$@" --checkpoint one
refuses 'threads of nodes at their pins' 2 '--threads is of --engine slot' machine --traffic uniform --dims 4 --engine wire --threads 2
mkdir alone
cp "$bin" alone
bin=$work/alone/${bin##*/}
ranks_refuse 'processes without the library' 4 'libphasebench-mpi.so cannot be loaded: .*; install libopenmpi-dev and build anew, or leave out mpirun' \
    2 machine --traffic uniform --dims 4

finish
