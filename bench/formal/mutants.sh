#!/bin/sh
# SPDX-FileCopyrightText: The phasebench authors
# SPDX-License-Identifier: Apache-2.0
#
# Checks that proofs can fail: each line of bench/formal/mutants corrupts one line of a copy of rtl/. The proof must then name an
# assertion that fails, from reset or in the step of an induction; an error or no answer does not count.
# Usage, from the top of the tree: mutants.sh RESULT-DIR [MUTANT...]
# covers: bench/formal
dir=${1:?usage: mutants.sh RESULT-DIR [MUTANT...]}
shift
here=bench/formal
mkdir -p "$dir" || exit 1
passed=0 failed=0

while read -r name proof file edit; do
    case $name in \#* | '') continue ;; esac
    case " ${*:-$name} " in *" $name "*) ;; *) continue ;; esac
    rm -rf "$dir/rtl" && cp -r rtl "$dir/rtl"
    sed "$edit" "rtl/$file" > "$dir/rtl/$file"
    changed=$(diff "rtl/$file" "$dir/rtl/$file" | grep -c '^>')
    why="$changed lines changed"
    if [ "$changed" -eq 1 ]; then
        RTL=$dir/rtl STOP=1 $here/run.sh "$dir/$name" "$proof" > "$dir/$name.log" 2>&1
        why=$(sed -n 's/^FAIL *[^ ]* *\(.*\), [0-9.]* s, .*/\1/p' "$dir/$name.log")
    fi
    case $why in
    *"Assert failed"*)
        passed=$((passed + 1))
        printf 'caught  %-22s %-10s by %s\n' "$name" "$proof" "$why"
        ;;
    *)
        failed=$((failed + 1))
        printf 'MISSED  %-22s %-10s %s, %s\n' "$name" "$proof" "${why:-the proof still holds}" "$dir/$name.log"
        ;;
    esac
done < $here/mutants
echo "$passed $failed 0" > "$dir/mutants.count"
[ "$failed" -eq 0 ] && [ "$passed" -gt 0 ]
