#!/bin/sh
# SPDX-FileCopyrightText: The phasebench authors
# SPDX-License-Identifier: Apache-2.0
#
# Runs proofs: one line for each run of a solver, with its method, its depth, and the seconds it took.
#
#   bench/formal/run.sh RESULT-DIR [NAME...]     from the top of the tree; no name: all of bench/formal/proofs
#   RTL=DIR          prove another copy of rtl/ (the mutants)
#   GROUP=check      only the runs of that group
#   STOP=1           end a proof at its first run that fails
#   TRACE=0          do not search the counterexample again for its line and a trace (many mutants)
#
# A proof is a harness bench/formal/NAME.v with the top module proof_NAME. This script reads these lines of its header:
#   // sources: files of rtl/ (or of bench/formal/ with a leading ./), optionally with one word renamed: core/a.v,OLD=NEW
#   // probe: SIGNAL PATH     connects the wire SIGNAL of the harness to an internal signal: dut.state_q
#   // clocks: any            clocks are inputs with arbitrary edges; else all are the clock of the proof
# Writes "passed failed skipped" to RESULT-DIR/proofs.count, logs and counterexamples (.vcd) to RESULT-DIR/NAME/.
#
# evidence: formal proofs
#   proven, most for any time and symbolic settings: command engine, pool of receivers, phase generator,
#   player, fabric, faults, clock pins, watchdog, capture, registers, packet codec, host ports, byte
#   receiver, clock monitor, receipts, switch of the node; line watch for 28 cycles (docs/design/proofs.md); each
#   proof fails on mutated modules
#   also: make proofs, make proof-mutants, make rtl-mutants
# covers: rtl bench/formal
dir=${1:?usage: run.sh RESULT-DIR [NAME...]}
shift
rtl=${RTL:-rtl}
here=bench/formal
mkdir -p "$dir" || exit 1
passed=0 failed=0

# runs NAME: "method depth limit" of each selected run, one per line
runs() {
    awk -v n="$1" -v g="$GROUP" '$1 == n && (g == "" || $5 == g) {print $2, $3, $4}' $here/proofs
}

# A harness with all its sources as one netlist: in SMT-LIB for z3 and as an and-inverter graph for abc.
gates="memory_map; opt -full; techmap; opt; dffunmap; abc -g AND -fast; opt_clean"
build() { # name
    out=$dir/$1
    rm -rf "$out" && mkdir -p "$out"
    {
        for source in $(sed -n 's|^// sources: ||p' "$here/$1.v"); do
            file=${source%%,*}
            case $file in ./*) file=$here/${file#./} ;; *) file=$rtl/$file ;; esac
            case $source in
            *,*)
                rename=${source#*,}
                sed "s/\\b${rename%=*}\\b/${rename#*=}/" "$file" > "$out/${file##*/}"
                file=$out/${file##*/}
                ;;
            esac
            echo "read_verilog -defer -formal -I$rtl/core -I$rtl/proto/gen $file"
        done
        echo "read_verilog -formal -I$rtl/core -I$rtl/proto/gen -I$out $here/$1.v"
        echo "hierarchy -check -top proof_$1; proc; flatten; cd proof_$1"
        # Without -nounset the readers of the wire are disconnected.
        sed -n 's|^// probe: \([^ ]*\) \(.*\)|connect -nomap -nounset -set \1 \2|p' "$here/$1.v"
        edges=async2sync
        ! grep -q '^// clocks: any' "$here/$1.v" || edges="memory_map; opt -full; clk2fflogic"
        echo "cd ..; memory_share; setundef -undriven -anyseq; prep -nordff -top proof_$1; opt -full; clean; $edges; dffunmap; check -assert"
        [ "$TRACE" = 0 ] || echo "write_smt2 -wires $out/model.smt2"
        echo "delete -output o:*; design -save all"
        echo "chformal -cover -remove; $gates; write_aiger -I -B -zinit $out/model.aig; design -load all"
        echo "chformal -assert -remove; techmap -map $here/cover_map.v; $gates; write_aiger -I -B -zinit $out/cover.aig"
    } > "$out/model.ys"
    if grep -q '^.include .registers.vh' "$here/$1.v"; then
        { ${CC:-cc} -std=c11 -Wall -Wextra -Werror -I "$rtl/proto" -o "$out/regtable" $here/regtable.c &&
            "$out/regtable" > "$out/registers.vh"; } > "$out/yosys.out" 2>&1 || return 1
    fi
    limit=900
    bounded yosys -q -l "$out/yosys.log" "$out/model.ys" > "$out/yosys.out" 2>&1
}

# Limits are CPU time, so that a proof does not fail on a busy machine; a solver that sleeps is ended, too.
bounded() {
    (ulimit -t "$limit" && exec timeout $((20 * limit)) "$@")
}

# Without --unroll z3 4.8.12 does not finish on the nested definitions. --presat: refuses contradictory assumptions.
smtbmc() { # log, further arguments; status 0 when it holds, else $why
    answer=$1
    shift
    bounded yosys-smtbmc -s z3 --unroll --noprogress --presat "$@" "$out/model.smt2" > "$answer" 2>&1
    code=$?
    if [ $code -eq 124 ] || [ $code -gt 128 ]; then
        why="no answer in $limit s"
    elif [ $code -ne 0 ]; then
        why=$(sed -n -e 's!^## *[0-9:]* *\(Assert failed in\) .*[ |]\([^ |:]*:\)[0-9.]*-\([0-9]*\)\.[0-9]* .*!\1 \2\3!p' \
            -e 's!^## *[0-9:]* *\(Unreached cover\) .* at \([^ :]*:\)[0-9.]*-\([0-9]*\)\.[0-9]* .*!\1 in \2\3!p' -e 's/^## *[0-9:]* *\(Assumptions are unsatisfiable.*\)/\1/p' -e 's/.*\(Error.*\)/\1/p' "$answer" | head -n 1)
    fi
    return $code
}

abc() { # log, commands
    bounded yosys-abc -c "read_aiger $out/model.aig; fold; strash; $2" > "$1" 2>&1
}

# Searches a counterexample. z3 repeats a refutation of abc, for the name of the assertion and a trace. Status 0: no counterexample.
hunt() { # log, depth
    abc "$1" "bmc3 -F $2"
    grep -q 'No output asserted in' "$1" && return 0
    refuted "$1" || why="no answer in $limit s"
    return 1
}
refuted() { # log
    frame=$(sed -n 's/.*asserted in frame \([0-9]*\).*/\1/p' "$1" | head -n 1)
    [ -n "$frame" ] || return 1
    [ "$TRACE" = 0 ] || smtbmc "${1%.log}_trace.log" -t $((frame + 2)) --dump-vcd "${1%.log}.vcd"
    case $why in Assert*) ;; *) why="Assert failed in clock $frame" ;; esac
}

# A step over `depth` clocks from any state without a failure, and no failure in `depth` clocks from reset. If the step fails, a
# counterexample from reset is preferred, but may not exist.
induction() { # log, depth
    hunt "$out/base.log" $(($2 + 1)) || return 1
    abc "$1" "orpos; ind -F $(($2 + 1))"
    grep -q 'Networks are equivalent' "$1" && return 0
    [ "$TRACE" = 0 ] && grep -q 'UNDECIDED\|NOT EQUIV' "$1" && why="Assert failed in the step" && return 1
    [ "$limit" -le 20 ] || limit=20
    hunt "$out/hunt.log" 60
    case $why in Assert*) return 1 ;; esac
    smtbmc "$out/step.log" -i -t "$2" --dump-vcd "$out/step.vcd"
    why="no induction step: $why"
    return 1
}

pdr() { # log
    abc "$1" pdr
    grep -q 'Property proved' "$1" && return 0
    refuted "$1" || why="no answer in $limit s"
    return 1
}

# Like cover, for many clocks: each cover statement as a property that must be refuted.
reach() { # log, depth
    bounded yosys-abc -c "read_aiger $out/cover.aig; fold; strash; bmc3 -a -F $2" > "$1" 2>&1
    wanted=$(head -n 1 "$out/cover.aig" | cut -d ' ' -f 7)
    reached=$(grep -c 'was asserted in frame' "$1")
    why="$reached of $wanted covers reached"
    [ "$reached" -eq "$wanted" ] && [ "$wanted" -gt 0 ]
}

prove() { # name method depth limit
    limit=$4 depth=$3 why=
    log=$out/$2.log
    begin=$(date +%s%N)
    case $2 in
    induction) induction "$log" "$3" ;;
    pdr) depth= && pdr "$log" ;;
    bmc) hunt "$log" "$3" ;;
    reach) reach "$log" "$3" ;;
    *) why="unknown method" && false ;;
    esac
    status=$?
    seconds=$(awk -v b="$begin" -v e="$(date +%s%N)" 'BEGIN {printf "%.1f", (e - b) / 1e9}')
    if [ $status -eq 0 ]; then
        passed=$((passed + 1))
        printf 'ok    %-14s %-13s holds  %6s s\n' "$1" "$2 $depth" "$seconds"
    else
        failed=$((failed + 1))
        printf 'FAIL  %-14s %-13s %s, %s s, %s\n' "$1" "$2 $depth" "${why:-no proof}" "$seconds" "$log"
    fi
    return $status
}

for name in "$@"; do
    grep -q "^$name " $here/proofs || { echo "$name is not in $here/proofs" >&2; exit 2; }
done
for name in ${*:-$(awk '/^[^#]/ && !seen[$1]++ {print $1}' $here/proofs)}; do
    list=$(runs "$name")
    [ -n "$list" ] || continue
    if ! build "$name"; then
        failed=$((failed + 1))
        printf 'FAIL  %-14s does not build: %s\n' "$name" "$(grep -im 1 error "$out/yosys.out")"
        continue
    fi
    while read -r method depth limit; do
        prove "$name" "$method" "$depth" "$limit" || [ -z "$STOP" ] || break
    done << LIST
$list
LIST
done
echo "$passed $failed 0" > "$dir/proofs.count"
[ "$failed" -eq 0 ] && [ "$passed" -gt 0 ]
