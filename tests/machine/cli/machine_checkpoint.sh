#!/bin/sh
# SPDX-FileCopyrightText: The phasebench authors
# SPDX-License-Identifier: Apache-2.0
#
# A machine under traffic that is killed, and goes on from its checkpoint. Prints TAP.
#
#   tests/machine/cli/machine_checkpoint.sh path/to/phasebench
#
# SEED=n kills at the same instants again, as far as the computer is as fast. Expected values: the output of the run that was not killed.
# covers: host/machine host/base/bytes.c host/base/file_output.c host/movement/keep.c host/cli/machine_traffic.c

. "$(dirname "$0")/../../cli/common.sh"

seed=${SEED:-$(($(date +%s) * 7 + $$))}
echo "# SEED=$seed"
# random N: 0 to N - 1 (Lehmer's generator)
state=$((seed % 2147483646 + 1))
random() {
    state=$((state * 48271 % 2147483647))
    drawn=$((state % $1))
}

# alike FOLDER: has each form of the folder `whole`; a kill may leave a part of one that is written, too.
alike() {
    for form in whole/*; do
        cmp "$form" "$1/${form##*/}" || return
    done
}

# killed NAME KILLS-AT-LEAST SUPERFRAMES ARGUMENTS: one run without a checkpoint, then with one, killed at random, until it ends by itself. What both write is the same.
killed() {
    name=$1 least=$2 every=$3
    shift 3
    rm -rf whole pieces again point point.*
    "$bin" "$@" --out whole >whole.out 2>err || { code=$? && point "$name: in one piece" 1 && return; }
    pieces=0 kills=0 code=137 most=20 # ms, so that the first ones hit
    while [ "$code" -eq 137 ] && [ "$pieces" -lt 400 ]; do
        pieces=$((pieces + 1))
        resume= && [ ! -e point ] || resume=--resume
        command="$* --checkpoint point $resume"
        "$bin" "$@" --out pieces --checkpoint point --checkpoint-every "$every" $resume >pieces.out 2>err &
        process=$!
        random $most
        most=$((most + 20)) # so that it ends, on a slow computer, too
        sleep "$((drawn / 1000)).$(printf %03d "$((drawn % 1000))")"
        kill -9 $process 2>/dev/null
        wait $process 2>/dev/null
        code=$?
        [ "$code" -ne 137 ] || kills=$((kills + 1))
    done
    echo "# $name: $kills kills"
    cp pieces.out out
    [ "$code" -eq 0 ] && [ "$kills" -ge "$least" ] && cmp whole.out pieces.out && alike pieces
    point "$name: killed at random, the result is that of one piece" $?
    exits '... and so it is of the checkpoint at its end' 0 "$@" --out again --checkpoint point --resume
    cmp whole.out out && alike again
    point '... all forms of it' $?
}

killed 'a sweep' 4 100 machine --traffic uniform --dims 6 --load 0.4:2.4:0.4 --superframes 3000 --json
killed 'one load, a warm-up that is detected' 2 1000 machine --traffic bitrev --dims 8 --load 0.1 --superframes 40000 --csv
killed 'a batch with a barrier' 2 50 machine --traffic perm --dims 8 --batch 1500 --valiant barrier
killed 'closed loops' 2 200 machine --traffic uniform --dims 6 --window 1:5:2 --superframes 5000 --rule opportunistic
seq 0 199999 | awk '{ print $1 % 64, $1 * 37 % 64, int($1 / 40), $1 % 40 % 12 }' >trace
killed 'a trace, rooms and dead parts' 1 50 machine --traffic file:trace --dims 6 --room 3 --dead 5.1,9.2
killed 'the search of saturation behind a load' 1 1000 machine --traffic transpose --dims 4 --load 0.2 --superframes 60000 --saturation

# ---- what is refused

one='machine --traffic uniform --dims 4 --load 0.3:0.6:0.3 --superframes 60 --warm-up 10'
exits 'a checkpoint' 0 $one --checkpoint kept
cp out one.out
cp kept sound
refuses 'a checkpoint that is there' 2 "the checkpoint 'kept' exists already; give --resume to go on from it, or choose another name" $one --checkpoint kept --out new
refuses 'one that is missing' 3 "'none' cannot be read: No such file or directory; leave out --resume" $one --checkpoint none --resume --out new
refuses '--resume alone' 2 '--resume' $one --resume
refuses '--checkpoint-every alone' 2 '--checkpoint-every' $one --checkpoint-every 5
refuses 'another network' 3 'of a run with a network of 4 dimensions, and this one has 5 dimensions; give what it had' $one --dims 5 --checkpoint kept --resume
refuses 'another seed' 3 'of a run with --seed 1, and this one has 2' $one --seed 2 --checkpoint kept --resume --out new
refuses 'another traffic' 3 'of a run with --traffic uniform, and this one has bitrev' machine --traffic bitrev --dims 4 --checkpoint kept --resume
refuses 'no load' 2 'a checkpoint keeps runs at loads' machine --traffic bitrev --dims 4 --saturation --checkpoint other
for engine in firmware wire all; do
    refuses "the engine $engine" 2 "engine $engine: a run of it cannot be kept and go on later; only slot can" $one --checkpoint other --engine $engine
done
refuses 'a device' 2 "'/dev/null' is no regular file" $one --checkpoint /dev/null
refuses 'a folder that is missing' 4 "the checkpoint 'missing/kept' cannot be made: No such file or directory" $one --checkpoint missing/kept
refuses 'a file that is a form of the result' 2 'name one file' $one --checkpoint new/machine.json --out new
[ ! -e new ] && [ ! -e other ] && cmp kept sound
point '... nothing was written' $?

printf '\003' | dd of=kept bs=1 seek=8 conv=notrunc 2>/dev/null
refuses 'another version' 3 "'kept' is of version 3, and this program reads 2; go on with the program that made it" $one --checkpoint kept --resume
head -c "$(($(wc -c <sound) / 2))" sound >kept
refuses 'a file that is cut short' 3 "'kept' is cut short or damaged: it has [0-9]* bytes in place of $(wc -c <sound)" $one --checkpoint kept --resume
cp sound kept
printf 'X' | dd of=kept bs=1 seek=700 conv=notrunc 2>/dev/null
refuses 'a damaged file' 3 "'kept' is damaged: its CRC-32 is [0-9a-f]{8} in place of [0-9a-f]{8}; begin anew" $one --checkpoint kept --resume
echo text >kept
refuses 'another file' 3 "'kept' is no checkpoint of this command" $one --checkpoint kept --resume
cp sound kept
exits 'the whole one, with other jobs' 0 $one --checkpoint kept --resume --jobs 1
cmp out one.out
point '... has its result' $?

# ---- two runs that begin at once: one of them has the name

for round in 1 2 3 4 5; do
    for seed in 1 2 3; do
        "$bin" machine --traffic uniform --dims 4 --superframes 50 --warm-up 20 --seed $seed --checkpoint name$round >/dev/null 2>>refused.$round </dev/null &
    done
    wait
    [ "$(grep -c "'name$round' exists already; give --resume" refused.$round)" -eq 2 ] || echo "round $round"
done >err 2>&1
command='three runs on one name' code=-
[ ! -s err ]
point 'of three runs with one name two are refused' $?

# ---- a full disk

big='machine --traffic uniform --dims 8 --load 0.5 --superframes 300 --warm-up 20 --json'
run $big
cp out whole.out
# sh counts 512 bytes: the first checkpoint, without a superframe, fits, and the next ones do not.
command='ulimit -f 8' code=-
(
    ulimit -f 8
    exec "$bin" $big --checkpoint full --checkpoint-every 100 >out 2>err </dev/null
)
code=$?
[ "$code" -eq 4 ] && [ ! -s out ] && [ "$(wc -l <err)" -eq 1 ] &&
    grep -q "the checkpoint 'full' could not be written: File too large; one that was there is as it was; mend that, and go on with --resume" err
point 'no room for a checkpoint: exit code 4, one line' $?
[ "$(find . -name 'full*')" = ./full ]
point '... the one before is there, and no part of another' $?
exits 'with room it goes on' 0 $big --checkpoint full --resume
cmp out whole.out
point '... to the same result' $?

finish
