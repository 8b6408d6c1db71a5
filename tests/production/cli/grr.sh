#!/bin/sh
# SPDX-FileCopyrightText: The phasebench authors
# SPDX-License-Identifier: Apache-2.0
#
# The verb grr from outside: plan, study, files that are none. Prints TAP.
#
#   tests/production/cli/grr.sh path/to/phasebench
#
# Expected values: the published study of AIAG (test_gauge has it, too), filled into a plan that the program makes.
# covers: host/production/gauge host/report/gauge* host/cli/cmd_grr.c

. "$(dirname "$0")/../../cli/common.sh"

# measured PLAN: a plan, filled in with the published values by part, appraiser and trial.
measured() {
    awk -F, -v OFS=, '
    BEGIN {
        n = split("0.29 -0.56 1.34 0.47 -0.80 0.02 0.59 -0.31 2.26 -1.36 0.41 -0.68 1.17 0.50 -0.92 -0.11 0.75 -0.20 1.99 -1.25 " \
            "0.64 -0.58 1.27 0.64 -0.84 -0.21 0.66 -0.17 2.01 -1.31 0.08 -0.47 1.19 0.01 -0.56 -0.20 0.47 -0.63 1.80 -1.68 " \
            "0.25 -1.22 0.94 1.03 -1.20 0.22 0.55 0.08 2.12 -1.62 0.07 -0.68 1.34 0.20 -1.28 0.06 0.83 -0.34 2.19 -1.50 " \
            "0.04 -1.38 0.88 0.14 -1.46 -0.29 0.02 -0.46 1.77 -1.49 -0.11 -1.13 1.09 0.20 -1.07 -0.67 0.01 -0.56 1.45 -1.77 " \
            "-0.15 -0.96 0.67 0.11 -1.45 -0.49 0.21 -0.49 1.87 -2.16", value, " ")
    }
    NR > 1 {$5 = value[(index("ABC", $3) - 1) * 30 + ($4 - 1) * 10 + $2]}
    {print}' "$1"
}

exits 'a plan' 0 grr --plan --seed 7
cp out plan.csv
[ "$(sed 1d plan.csv | cut -d, -f2-4 | sort | uniq | wc -l)" -eq 90 ] && [ "$(wc -l < plan.csv)" -eq 91 ]
point '... has every combination once' $?
run grr --plan --seed 8
! cmp -s out plan.csv
point '... in another order with another seed' $?
measured plan.csv > study.csv
exits 'the published study' 0 grr study.csv
says '... %GRR' '^%GRR +27\.86 % of the total deviation$'
says '... categories' '^categories +4 distinct \(ndc 4\.875\)'
says '... interaction' 'F 0\.4337, p 0\.9741; no effect, pooled'
says '... verdict' '^verdict +acceptable for some uses$'
sed 's/,A,/,A<b>,/' study.csv > markup.csv
exits 'a page' 0 grr markup.csv --out page
columns '... whose columns have their names on a phone' page/grr.html
grep -q '<div class="verdict marginal"><b>≈ 27.86 %</b><p>acceptable for some uses' page/grr.html && ! grep -q '<b>,\|<h3>A<b>' page/grr.html
point '... has the verdict, and no markup of others' $?
# Part 1 by appraiser A: 0.29, 0.41 and 0.64. The parts are in the order of their names.
grep -q '<tr><th scope="row">1</th><td class="n">A&lt;b&gt;</td><td class="n">3</td><td class="n">0.446667</td><td class="n">0.29</td><td class="n">0.64</td><td class="n">0.35</td></tr>' page/grr.html &&
    [ "$(sed -n 's,^<tr><th scope="row">\([0-9]*\)</th>.*,\1,p' page/grr.html | uniq | tr '\n' ' ')" = '1 2 3 4 5 6 7 8 9 10 ' ]
point '... and each part by each appraiser' $?
# The first plot, of values from -2.16 to 2.26 on an axis from -3 to 3 that is 198 high from 208 up: mean, least and largest value of part 1 by A.
[ "$(grep -o '<circle' page/grr.html | wc -l)" -eq 30 ] && grep -q 'y1="99.4" x2="91.6" y2="87.9"/><circle class="node" cx="91.6" cy="94.3"' page/grr.html
point '... also drawn, a plot for each appraiser' $?
exits 'against a tolerance' 1 grr study.csv --tolerance 5
says '... of which it takes too much' '^%tolerance +36\.28 %, of a tolerance of 5$'
exits 'machine-readable' 0 grr study.csv --json
says '... %GRR' '"grr_percent": 27\.86'
sed 's/$/\r/' study.csv > dos.csv
exits 'lines of another system' 0 grr dos.csv
says '... with the same result' '27\.86'
{ printf '\357\273\277'; sed '1s/part/Part/; 1s/value/VALUE/; y/,/;/; s/\./,/' study.csv; } > spreadsheet.csv
exits 'semicolons, decimal commas, a byte order mark and other letters' 0 grr spreadsheet.csv
says '... with the same result' '27\.86'
sed 'y/,/\t/' study.csv > tabs.csv
exits 'tabs' 0 grr tabs.csv
says '... with the same result' '27\.86'

refuses 'no file' 2 'no file given; .*--plan' grr
refuses 'a plan and a file' 2 "takes no file, got 'study.csv'" grr --plan study.csv
refuses 'a file that is not there' 3 "no-such.csv" grr no-such.csv
refuses 'a plan that is not filled in' 3 "plan.csv:2: no decimal number in column 'value': ''; give one" grr plan.csv
printf 'part,value\n1,2\n' > short.csv
refuses 'a column too few' 3 "short.csv:1: no column 'appraiser' among 'part', 'value'" grr short.csv
sed '20s/,[^,]*$/,nan/' study.csv > nan.csv
refuses 'no number' 3 "nan.csv:20: no decimal number in column 'value': 'nan'" grr nan.csv
sed '20d' study.csv > missing.csv
lost=$(sed -n '20p' study.csv)
part=$(echo "$lost" | cut -d, -f2) appraiser=$(echo "$lost" | cut -d, -f3)
refuses 'a missing value' 3 "missing.csv: part '$part' has 2 values of appraiser '$appraiser', and part '[0-9]+' has 3 of appraiser '[ABC]'; each needs the same number" \
    grr missing.csv
printf 'part,appraiser,value\nB-7,Zo\303\253,1\nB-7,Max,2\nB-9,Zo\303\253,3\n' > sparse.csv
refuses 'a missing combination' 3 "sparse.csv: part 'B-9' has no value of appraiser 'Max'; each appraiser measures each part" grr sparse.csv
sed '20s/,.*//' study.csv > cut.csv
refuses 'a line that is cut' 3 "cut.csv:20: 1 cells between commas, the first line has 5; give each row a cell for each column" grr cut.csv
printf 'part,appraiser,value\n1,A,\0002\n' > zero.csv
refuses 'a byte 0' 3 'zero.csv: a byte 0 in it; give a text file' grr zero.csv
: > empty.csv
refuses 'an empty file' 3 "empty.csv: no line in it; the first line names the columns" grr empty.csv
awk 'BEGIN {print "part,appraiser,value"; for (i = 0; i < 300; i++) print i ",A,1"}' > many.csv
refuses 'too many parts' 3 "many.csv:202: one name too many in column 'part': '200'; a study has at most 200 parts" grr many.csv
sed '2,$s/\./,/' study.csv > comma.csv
refuses 'a decimal comma between commas' 3 'comma.csv:2: 6 cells between commas, the first line has 5; with decimal commas, separate the cells by semicolons' grr comma.csv
sed '20s/,[^,]*$/,0x10/' study.csv > hex.csv
printf 'part,appraiser,trial,value\na,b,1,%064d\n' 1 >long.csv
refuses 'a number that is too long' 3 "long.csv:2: a number of more than 63 characters in column 'value'.*round it" grr long.csv
refuses 'a hexadecimal number' 3 "hex.csv:20: no decimal number in column 'value': '0x10'" grr hex.csv
sed '2,$s/$/e155/' study.csv > huge.csv
refuses 'values whose squares overflow' 3 'huge.csv: squares of the values leave the range of numbers; give values below 1e140' grr huge.csv
sed '2,$s/$/e-170/' study.csv > tiny.csv
refuses '... or vanish' 3 'tiny.csv: squares of the values leave the range of numbers' grr tiny.csv
sed '2,$s/,[^,]*$/,5/' study.csv > equal.csv
refuses 'values that are all equal' 3 'equal.csv: all values are equal; a study needs parts that differ' grr equal.csv

finish
