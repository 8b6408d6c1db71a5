#!/bin/sh
# SPDX-FileCopyrightText: The phasebench authors
# SPDX-License-Identifier: Apache-2.0
#
# Every check of the tree, one piece after the other, in hours. It can be stopped: a piece that has a result for the present commit is not
# run again. Writes BUILD-DIR/check-all/COMMIT/PIECE.log and PIECE.result ("ok" or "FAIL", seconds), and prints a row of each.
# Usage, from the top of a tree without changes: check-all.sh BUILD-DIR
#   ONLY="piece ..."   these pieces alone
#   AGAIN=1            runs pieces again that failed
# covers: mk/tests.mk
set -u
build=${1:?usage: check-all.sh BUILD-DIR}
only=${ONLY:-} again=${AGAIN:-}
unset ONLY AGAIN MAKEFLAGS MFLAGS MAKELEVEL MAKEOVERRIDES
[ -z "$(git status --porcelain)" ] || {
    echo "check-all: the tree has changes, which no commit names; commit them first" >&2
    exit 2
}
results=$build/check-all/$(git rev-parse --short HEAD)
mkdir -p "$results" || exit 1
failed=0
known=' '

# piece NAME MAKE-ARGUMENT...
piece() {
    name=$1
    shift
    known="$known$name "
    case " ${only:-$name} " in *" $name "*) ;; *) return ;; esac
    if [ -e "$results/$name.result" ] && { [ -z "$again" ] || grep -q '^ok' "$results/$name.result"; }; then
        read -r outcome seconds <"$results/$name.result"
    else
        begin=$(date +%s)
        if make "$@" >"$results/$name.log" 2>&1 </dev/null; then outcome=ok; else outcome=FAIL; fi
        seconds=$(($(date +%s) - begin))
        echo "$outcome $seconds" >"$results/$name.result.part" && mv "$results/$name.result.part" "$results/$name.result"
    fi
    [ "$outcome" = ok ] || failed=1
    printf '%-6s%-28s %7s s  %s\n' "$outcome" "$name" "$seconds" "$([ "$outcome" = ok ] || echo "$results/$name.log")"
}

piece check check
piece check-deep check-deep TURN=all
for list in tests/*/mutants/*.list; do
    name=${list##*/} part=0
    while read -r mutants; do
        part=$((part + 1))
        piece "mutants-${name%.list}-$part" mutants ONLY="$mutants"
    done <<END
$(sed -n 's/^mutant //p' "$list" | xargs -n 12)
END
done
piece proof-mutants proof-mutants
piece rtl-mutants rtl-mutants
piece bounds bounds
piece sentences sentences
piece sentences-validate sentences VERB=validate
piece programs perf-programs
piece boards board-check
piece netlist netlist-check
piece kernel qemu-check
piece browser browser-check
seed=1
while [ "$seed" -lt 10000 ]; do
    piece "verdicts-$seed" verdicts N=500 SEED="$seed"
    seed=$((seed + 500))
done
for name in $only; do
    case $known in *" $name "*) ;; *)
        echo "check-all: no piece '$name'; the pieces are$known" >&2
        exit 2
        ;;
    esac
done
exit "$failed"
