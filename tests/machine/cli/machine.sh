#!/bin/sh
# SPDX-FileCopyrightText: The phasebench authors
# SPDX-License-Identifier: Apache-2.0
#
# Programs on all nodes: results, files, pictures, the terminal, and inputs that are refused. Prints TAP.
#
#   tests/machine/cli/machine.sh path/to/phasebench
#
# Expected values: sort(1), plain computations and readers of PGM and GIF in machine.py, the numbers of docs/use/programs.md.
# covers: host/machine/program host/machine/picture host/report/program* host/cli/cmd_machine.c host/cli/machine* docs/examples/glider.pbm

. "$(dirname "$0")/../../cli/common.sh"

# ---------------------------------------------------------------- figures

while read -r program arguments superframes phases frames used busiest; do
    # shellcheck disable=SC2046
    exits "$program" 0 machine --program "$program" --json $(echo "$arguments" | tr '+' ' ')
    figures "... $superframes superframes, $frames frames" superframes "$superframes" phases "$phases" \
        time_ns "${phases}00000" frames "$frames" links_used "$used" busiest_link_frames "$busiest" check_ok true
done <<'END'
broadcast --argument+77 1 24 4095 4095 1
allreduce --argument+2 1 24 49152 49152 1
scan --seed+5 1 24 49152 49152 1
barrier --argument+3 3 72 147456 49152 3
sort --seed+2 12 288 319488 49152 12
fft --dims+12 1 24 49152 49152 1
life --argument+5 5 120 81920 16384 5
filter --argument+0 1 24 16384 16384 1
transpose --dims+12 1 24 24576 24576 1
transpose --argument+1 6 144 24576 24576 1
exchange --dims+6 32 384 12288 384 32
exchange --dims+6+--argument+1 63 756 12288 384 32
permute --dims+12 13 312 368640 49152 13
alltoall --dims+8 128 2048 262144 2048 128
alltoall --dims+6+--argument+1 63 756 12288 384 32
allreduce --network+generalised:4,4,3 1 18 384 384 1
END
exits 'the text' 0 machine --program sort
says '... time' '^phases  *288, 28\.800 ms at 10 kHz$'
says '... check' '^sorted: yes, [0-9]* to [0-9]*$'
cp out first
exits 'the same seed' 0 machine --program sort --seed 1
cmp -s out first
point '... the same result' $?
exits 'the picture of the README' 0 machine --program sort --gif sort.gif
cmp -s sort.gif "$root/docs/pictures/sort.gif"
point '... is the one that it shows' $?
exits 'the plain player alone' 0 machine --program sort --engine slot
says '... says so' '^played by        the plain player$'
grep -v '^played' out >plain && grep -v '^played' first | cmp -s - plain
point '... the same result' $?
exits 'the firmware' 0 machine --program sort --engine firmware --json
says '... says so' '"engine": "firmware"'
exits 'more than a node of the firmware has' 0 machine --program exchange --dims 5
says '... is for the plain player' '^played by        the plain player$'
refuses '... not for the firmware' 2 "program 'exchange' has 128 bytes of input of a node, the firmware takes at most 64; give a smaller network" \
    machine --program exchange --dims 5 --engine firmware
exits 'at the pins' 0 machine --program sort --dims 4 --engine wire --ppm 500 --jitter-us 0.5
says '... says so' '^played by +the firmware of every node at its pins; each frame and result'
exits 'slow links in long phases' 0 machine --program fft --dims 4 --engine wire --baud 100kbaud --phase-hz 800
says '... with the time of that clock' '^phases +8, 10\.000 ms at 0\.8 kHz$'
exits 'all of them' 0 machine --program life --dims 4 --argument 3 --engine all --json
says '... says so' '"engine": "all"'
refuses 'clocks that err by 4 %, among all engines' 1 "at its pins node 0x[0-9A-F]+ sends .*, the plain player .*; lower phase rate" \
    machine --program sort --dims 4 --engine all --ppm 40000
refuses 'a frame that fits no phase' 2 '^phasebench: machine: engine wire: at 1000000 baud a frame of 11 bytes takes 110.000 us' \
    machine --program fft --dims 4 --engine wire
refuses 'clocks of whole frames' 2 'ppm are of --engine wire' machine --program sort --ppm 100
refuses 'the engine image without one' 2 '^phasebench: machine: engine image: no firmware image is given' machine --program sort --dims 3 --engine image
refuses '... with a file that is not there' 3 'engine image: nosuch: No such file' machine --program sort --dims 3 --engine all --image nosuch
for case in 'broadcast --dims 1 --argument 1' 'allreduce --network generalised:4,3' 'scan --dims 16' 'barrier --argument 1' 'sort --dims 4 --engine wire' \
    'fft --dims 3' 'life --dims 4 --argument 2 --engine all' 'filter --dims 2' 'transpose --dims 2 --argument 1' 'exchange --dims 5' 'exchange --dims 4 --engine firmware' \
    'alltoall --dims 3 --engine all' 'permute --dims 4 --engine all'; do
    # shellcheck disable=SC2086 # words
    "$bin" machine --program $case --json >>results.json || echo "fails: $case" >&2
done 2>err
succeeds 'every program keeps the schema of its JSON' python3 "$root/tests/machine/cli/machine.py" schema "$root/docs/reference/program.schema.json" results.json 13
exits 'the largest seed' 0 machine --program scan --dims 1 --seed 18446744073709551615 --json
says '... as a text' '"seed": "18446744073709551615"'
exits 'another seed' 0 machine --program sort --seed 2
cmp -s out first
[ $? -eq 1 ]
point '... another result' $?
echo '0 9' >late
exits 'a barrier that waits for a node' 0 machine --program barrier --argument 2 --dims 1 --input late
says '... releases none' '^releases correct: yes, none, as the last one arrives before superframe 9 only$'

# ---------------------------------------------------------------- inputs and files

awk 'BEGIN {srand(3); print "# keys"; for (i = 0; i < 256; i++) printf "%.0f\n", int(rand() * 4294967295)}' >keys
exits 'keys of a file' 0 machine --program sort --dims 8 --input keys --json --out sorted
[ "$(ls sorted | tr '\n' ' ')" = 'machine.csv machine.json machine.pgm machine.txt ' ] && cmp -s out sorted/machine.json
point '... every form' $?
sed '1d;s/.*,//' sorted/machine.csv >ours && sed 1d keys | sort -n | cmp -s - ours
point '... sorted as by sort(1)' $?
[ "$(sed -n '3p' sorted/machine.csv | cut -d, -f1,2)" = 1,128 ]
point '... rank 1 is at node 128' $?
succeeds '... and their digest' python3 "$root/tests/machine/cli/machine.py" digest sorted/machine.json sorted/machine.csv
printf '0x10 7,1\n2 # four\n' >few
exits 'numbers in hexadecimal, with commas and comments' 0 machine --program scan --dims 2 --input few --out few.out
[ "$(sed '1d;s/.*,//' few.out/machine.csv | tr '\n' ' ')" = '0 16 23 24 ' ]
point '... and their sums' $?
awk 'BEGIN {srand(4); for (i = 0; i < 32; i++) print int(rand() * 65536) - 32768, int(rand() * 65536) - 32768}' >samples
exits 'samples of a file' 0 machine --program fft --dims 5 --input samples --out spectrum
succeeds '... their transform' python3 "$root/tests/machine/cli/machine.py" fft samples spectrum/machine.csv
glider=$root/docs/examples/glider.pbm
exits 'a glider' 0 machine --program life --input "$glider" --argument 30 --out life --gif moving.gif
succeeds '... generation by generation' python3 "$root/tests/machine/cli/machine.py" life "$glider" 30 life/machine.csv life/machine.pgm
succeeds '... the same as GIF' python3 "$root/tests/machine/cli/machine.py" same life/machine.pgm moving.gif
if command -v giftext >/dev/null; then
    [ "$(giftext moving.gif | grep -c '^Image #')" -eq 31 ]
    point '... and to another reader' $?
fi
exits 'a glider, 256 generations' 0 machine --program life --input "$glider" --argument 256 --out round
tail -c 4096 round/machine.pgm >last && head -c 4109 round/machine.pgm | tail -c 4096 | cmp -s - last
point '... is back at its place' $?
tail -c 4109 life/machine.pgm >board.pgm
exits 'a board as PGM' 0 machine --program life --input board.pgm --argument 1 --out next
head -c 4109 next/machine.pgm | cmp -s - board.pgm
point '... is the same board' $?
# 4 x 4 as text and as bytes: a row of P4 ends with its byte.
printf 'P1 4 4\n0111\n0000 0000 0 0 0 0' >small.pbm
printf 'P4\n# bytes\n4 4\n\160\017\017\017' >bytes.pbm
exits 'cells as text' 0 machine --program life --dims 4 --input small.pbm --argument 1 --json
cp out text.json
exits 'cells as bytes' 0 machine --program life --dims 4 --input bytes.pbm --argument 1 --json
[ "$(sed '/"input"/d' out)" = "$(sed '/"input"/d' text.json)" ]
point '... are the same' $?
{ printf 'P5 8 8 255\n' && head -c 64 "$bin"; } >grey.pgm
exits 'a filter' 0 machine --program filter --dims 6 --input grey.pgm --argument 2 --out edges --gif edges.gif
succeeds '... gives the edges' python3 "$root/tests/machine/cli/machine.py" edges grey.pgm edges/machine.csv
succeeds '... and both pictures' python3 "$root/tests/machine/cli/machine.py" same edges/machine.pgm edges.gif
for program in sort fft barrier; do
    exits "$program as pictures" 0 machine --program $program --dims 5 --out bars --gif bars.gif
    succeeds '... the same in both forms' python3 "$root/tests/machine/cli/machine.py" same bars/machine.pgm bars.gif
done
exits 'exchange in a folder' 0 machine --program exchange --dims 3 --out bars
says '... in three steps of one superframe: 4 messages of 4 bytes a frame' '^shortest +1 superframe of 16 bytes, in subcubes of 1\+1\+1 dimensions: 1\.080 ms'
[ "$(ls bars | tr '\n' ' ')" = 'machine.json machine.txt ' ]
point '... has no table and no picture, nor those of another program' $?
printf '%s\n' 'P2 2 2' '255' '0 255 128 7' >tiny.pgm
exits 'a picture of four pixels, as text' 0 machine --program filter --dims 2 --input tiny.pgm --argument 0

# ---------------------------------------------------------------- the terminal

exits 'watched, but not on a terminal' 0 machine --program sort --watch
cmp -s out first
point '... the result alone' $?
if script -qec true /dev/null >/dev/null 2>&1 </dev/null; then
    # watches NAME SETTING ARGUMENTS: on a terminal of 80 x 24.
    watches() {
        name=$1 setting=$2 code=-
        shift 2
        command="on a terminal: $*"
        env TERM=xterm "$setting" script -qec "stty cols 80 rows 24; '$bin' machine $*" /dev/null >out 2>err </dev/null
        point "$name" $?
    }
    escape=$(printf '\033')
    watches 'sort on a terminal' A=b --program sort --dims 5 --watch
    [ "$(grep -c '^.*sort: [0-5] of 5 superframes' out)" -eq 6 ] && [ "$(grep -c "$escape\\[13A" out)" -eq 5 ]
    point '... a picture before the first superframe and after each, in one place' $?
    grep -q "$escape\\[36m" out && grep -q '▁.*█' out && grep -q '^sorted: yes' out
    point '... bars in colour, then the result' $?
    watches 'sort without colours' NO_COLOR=1 --program sort --dims 5 --watch
    ! grep -q "$escape\\[[0-9;]*m" out && grep -q '█' out
    point '... has none' $?
    watches '128 nodes on a terminal' A=b --program sort --dims 7 --watch
    succeeds '... as bars of its 80 columns' python3 "$root/tests/machine/cli/machine.py" columns 80 out
    watches 'life on a terminal' A=b --program life --argument 2 --input "'$glider'" --watch
    grep -q "$escape\\[32m" out && grep -Eq '▀|▄' out && [ "$(grep -c "$escape\\[17A" out)" -eq 2 ]
    point '... 64 rows as 16, as the terminal has 24' $?
    watches 'a filter on a terminal' A=b --program filter --dims 6 --watch
    grep -q "$escape\\[38;5;2[345][0-9];48;5;2[345][0-9]m▀" out
    point '... in greys' $?
    watches 'a filter without colours' NO_COLOR=1 --program filter --dims 6 --watch
    ! grep -q "$escape\\[[0-9;]*m" out && grep -Eq '░|▒|▓' out
    point '... in shades' $?
fi

# ---------------------------------------------------------------- what is refused

refuses 'nothing to do' 2 'add --traffic PATTERN or --program NAME' machine
refuses 'both' 2 'exclude each other' machine --traffic uniform --program sort
refuses 'a load of a program' 2 '--load has no meaning without --traffic' machine --program sort --load 1
refuses 'a picture of traffic' 2 '--gif has no meaning without --program' machine --traffic uniform --gif=x
refuses 'a program that does not exist' 2 "'srot' is no program; give broadcast, .*did you mean 'sort'" machine --program srot
[ "$("$bin" complete machine --program '' | cut -f1 | sort | tr '\n' ' ')" = \
    'allreduce alltoall barrier broadcast exchange fft filter life permute scan sort transpose ' ]
point 'completion has every program' $?
refuses 'an operand' 2 "unexpected operand 'x'" machine --program sort x
refuses 'sort on another network' 2 "'sort' runs on a binary cube of 1\.\.16 dimensions, and the network is radix 4,4,3; give such a cube" \
    machine --program sort --network generalised:4,4,3
refuses 'life on an odd cube' 2 'an even number of 2\.\.16 dimensions, and the network is a cube of 5' machine --program life --dims 5
printf '3 2 - 0 # none goes to node 1\n' > routes
exits 'a partial permutation' 0 machine --program permute --dims 2 --input routes --csv
says '... by node: its source' '^0,0,3$'
says '... or none' '^1,1,-$'
printf '3 2 3 0\n' > routes
refuses 'two messages for one node' 3 'routes: nodes 0x0 and 0x2 both send to node 0x3; in a permutation each node gets one' machine --program permute --dims 2 --input routes
printf '3 2 4 0\n' > routes
refuses 'a message for a node that is not there' 3 'routes: node 0x2 sends to 4; there are the nodes 0\.\.3, and - for no' machine --program permute --dims 2 --input routes
refuses 'an exchange that is too large' 2 'of 1\.\.12 dimensions' machine --program exchange --dims 13
refuses 'an argument beyond the limit' 2 "argument of program 'allreduce' is 3; give 0\.\.2: 0 sum" machine --program allreduce --argument 3
refuses 'an argument of a program without' 2 "of program 'sort' is 1; give 0\.\.0" machine --program sort --argument 1
refuses 'a root that is no node' 2 "root of program 'broadcast' is 8; give a node 0\.\.7" machine --program broadcast --dims 3 --argument 8
refuses 'a barrier without superframes' 2 'takes 1\.\.65535 superframes, got 0' machine --program barrier --argument 0
refuses 'pictures of an exchange' 2 "'exchange' has no picture; leave out --gif" machine --program exchange --dims 3 --gif x.gif
refuses 'rows of an exchange' 2 "'exchange' has no row for each node; leave out --csv" machine --program exchange --dims 3 --csv
refuses 'watched as JSON' 2 'leave one out' machine --program sort --watch --json
refuses 'a missing input' 3 "cannot open 'nothing'" machine --program sort --input nothing
refuses 'an input of another length' 3 "few: holds 4 numbers; program 'sort' takes 1 for each of 8 nodes, 8 in all; give as many" \
    machine --program sort --dims 3 --input few
refuses 'samples without imaginary parts' 3 'holds 4 numbers; .* takes 2 for each of 4 nodes, 8 in all' machine --program fft --dims 2 --input few
printf '1 2\n3 -4\n' >negative
refuses 'a negative key' 3 "negative:2: '-4' is no number of 0\.\.4294967295" machine --program sort --dims 2 --input negative
printf '1\n2 4294967296' >large
refuses 'a large key' 3 "large:2: '4294967296' is no number" machine --program sort --dims 1 --input large
printf '0 32768' >loud
refuses 'a large sample' 3 "'32768' is no number of -32768\.\.32767" machine --program fft --dims 1 --input loud
refuses 'numbers for a picture' 3 'few: is no picture of cells; give a picture as PBM' machine --program life --input few
refuses 'a board for a filter' 3 'is no picture of grey pixels; give a picture as PGM \(P2, P5, white 255\)$' machine --program filter --input "$glider"
refuses 'a board of another size' 3 'has 64 x 64 pixels; 6 dimensions take 8 x 8, one a node' machine --program life --dims 6 --input "$glider"
printf 'P1\n4' >cut
refuses 'a picture without a height' 3 'has no width and height' machine --program life --dims 4 --input cut
printf 'P1\n4 4\n0000000000000' >cut
refuses 'a picture that is cut off' 3 'ends, or has no pixel, in row 3, column 1' machine --program life --dims 4 --input cut
printf 'P4\n4 4\n\1\1\1' >cut
refuses '... of bytes' 3 'in row 3, column 0' machine --program life --dims 4 --input cut
printf 'P5\n2 2 255\n\1\1\1' >cut
refuses '... of grey bytes' 3 'in row 1, column 1' machine --program filter --dims 2 --input cut
printf 'P2\n2 2 255\n1 2 256 3' >cut
refuses 'a pixel beyond white' 3 'in row 1, column 0' machine --program filter --dims 2 --input cut
printf 'P2\n2 2 15\n1 2 3 4' >cut
refuses 'another white' 3 'does not have 255' machine --program filter --dims 2 --input cut
refuses 'a GIF where nothing can be written' 4 "cannot write 'none/x.gif'" machine --program sort --dims 2 --gif none/x.gif
cp few kept
refuses 'a GIF over the input' 2 'both name|--gif' machine --program scan --dims 2 --input few --gif few
cmp -s few kept
point '... the input is kept' $?
refuses 'an empty input' 3 'holds 0 numbers' machine --program scan --input /dev/null
if [ -c /dev/full ]; then
    exits 'a GIF on a full disk' 4 machine --program sort --dims 2 --gif /dev/full --json
    grep -q "cannot write '/dev/full': No space left" err && grep -q '"check_ok": true' out
    point '... the result is on stdout' $?
fi

finish
