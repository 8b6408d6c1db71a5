#!/bin/sh
# SPDX-FileCopyrightText: The phasebench authors
# SPDX-License-Identifier: Apache-2.0
#
# The verb jitter from outside: exit codes, forms, files, what it refuses. Prints TAP.
#
#   tests/metrology/cli/jitter.sh path/to/phasebench
#
# Expected values: the period and the jitter that the scenario orders; a second computation by awk over the samples.
# covers: host/metrology/jitter host/metrology/statistics host/report/*jitter* host/cli/cmd_jitter.c

. "$(dirname "$0")/../../cli/common.sh"

cat > outside.yaml <<'YAML'
name: outside
cube: {dims: 3}
superframes: 5
clock: {source: external, error: 20 ppm, jitter: 100 ns}
nodes:
  - {address: 1}
traffic:
  - {from: 0, to: 3, repeat: forever}
YAML
cat > late.yaml <<'YAML'
name: late
cube: {dims: 2}
superframes: 3
nodes:
  - {address: 0x1, defect: late_start, defect_amount: 3 us}
traffic:
  - {pattern: complement}
YAML

# ---------------------------------------------------------------- figures

exits 'an external clock' 0 jitter outside.yaml --superframes 400 --out folder --csv samples.csv
says '... with its edges' '^TDMA_CLK +of another controller; 2400 edges, 0 missing; nominal period$'
says '... its rate' '^rate +\+(19\.9[0-9]+|20\.0[0-9]+) ppm, U95 0\.[0-9]+ ppm, faster above 0$'
says '... its drift' '^drift +none above its U95 of [0-9.]+ ppm/s, over 20 parts of the run$'
says '... its budget' '^ +sum +u 3\.007 ns, k 1\.6[45], U95 4\.9[45][0-9] ns$'
says '... white phase noise' '^ +[0-9.e-]+ +2398 .* white PM$'
says '... whose tails end' 'not split: the tails end'
for file in jitter.html jitter.json report.html result.json; do
    [ -s "folder/$file" ]
    point "... $file" $?
done
columns '... whose columns have their names on a phone' folder/jitter.html
[ "$(wc -l < samples.csv)" -gt 2400 ]
point '... samples' $?

# second SAMPLES: n, mean and deviation of the periods.
second() {
    awk -F, '$1 == "clock_period" {n++; x[n] = $5; sum += $5} END {m = sum / n; for (i = 1; i <= n; i++) s += (x[i] - m)^2;
        printf "%d %.0f %.0f\n", n, m, sqrt(s / (n - 1))}' "$1"
}
# raw JSON: the same by phasebench.
raw() {
    awk '/"quantity": "period"/ {p = 1} p && /"n":/ {n = $2 + 0} p && /"raw"/ {r = 1} p && r && /"mean_ps"/ {m = $2 + 0}
        p && r && /"sd_ps"/ {s = $2 + 0; printf "%d %.0f %.0f\n", n, m, s; exit}' "$1"
}
[ -n "$(raw folder/jitter.json)" ] && [ "$(second samples.csv)" = "$(raw folder/jitter.json)" ]
point '... equal to a computation by awk' $?

exits 'the clock of the bench' 0 jitter "$scenarios/xor-one-bit.yaml" --superframes 20 --out own
says '... has every edge in its place' '^stability .*480 edges'
says '... is locked to the stamps' '^locked'
grep -q 'nothing dithers' own/jitter.html
point '... on the page, too' $?
says '... is exact' '^ +exact$'
exits 'machine-readable' 0 jitter outside.yaml --superframes 10 --reference nominal --json
says '... the reference' '"reference": "nominal"'
says '... the schema' '"schema_version": 1'
says '... the budgets' '"edge": "tdma_clk_rise"'
says '... no drift of so few edges' '"ppm_per_s": null'
exits 'a node that fails' 1 jitter late.yaml
says '... is measured all the same' '^ +0 +0 +0 +1 1 to 0 +[0-9]+ +8\.0'
exits 'a recording' 0 run outside.yaml --superframes 30 --record tape
exits '... gives the same figures' 0 jitter --rig replay:tape --json
sed '/"rig"\|"started_utc"/d' out > played
run jitter outside.yaml --superframes 30 --json
sed '/"rig"\|"started_utc"/d' out | cmp -s - played
point '... as its run' $?

# ---------------------------------------------------------------- refusals

refuses 'two scenarios' 2 "unexpected operand 'b'" jitter a b
refuses 'no scenario' 3 'missing.yaml: cannot be opened' jitter missing.yaml
refuses 'another reference' 2 "reference.*'mean'" jitter --reference mean
refuses 'a folder that cannot be' 4 'outside.yaml' jitter outside.yaml --out outside.yaml
refuses 'a file that cannot be' 4 'no-such' jitter outside.yaml --csv no-such/file
if [ -w /dev/full ]; then
    run jitter outside.yaml --superframes 5 --csv /dev/full
    [ "$code" -eq 4 ] && grep -q 'cannot write' err
    point 'a full disk' $?
fi

finish
