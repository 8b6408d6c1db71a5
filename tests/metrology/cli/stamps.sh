#!/bin/sh
# SPDX-FileCopyrightText: The phasebench authors
# SPDX-License-Identifier: Apache-2.0
#
# phasebench jitter --from: stamps of other instruments. The deviations are those of table 31 of NIST SP 1065; sessions are written by
# sigrok-cli. Prints TAP.
#
#   tests/metrology/cli/stamps.sh path/to/phasebench
# covers: host/metrology/stamps host/metrology/jitter host/metrology/statistics

. "$(dirname "$0")/../../cli/common.sh"

# The thousand frequencies of the generator 16807 x mod 2147483647 as periods of 1 s + 1 ms of them, so each deviation is a
# thousandth of that of the table; and a clock of 100 us with 5 ns of Gaussian jitter.
cat > make.py <<'PY'
import random
t, n, stamps = 0, 1234567890, [0]
for _ in range(1000):
    t += 10**12 + round(10**9 * n / 2147483647)
    n = 16807 * n % 2147483647
    stamps.append(t)
def write(name, lines):
    open(name, "w", newline="").write("".join(lines))
write("table_s.csv", ["time_s\n"] + ["%d.%012d\n" % divmod(x, 10**12) for x in stamps])
write("table_ns.csv", ["\ufefft [ns]\r\n"] + ["%d.%03d\r\n" % divmod(x, 1000) for x in stamps])
write("table_comma.csv", ["channel;Time (us)\n"] + ["%s;%d,%06d\n" % (c, x // 10**6, x % 10**6 + k)
                                                   for x in stamps for k, c in enumerate("ab")])
write("bare.csv", ["%d\n" % x for x in stamps])
write("bare2.csv", ["\ufeff"] + ["%s\t%d\n" % (c, x) for x in stamps for c in "ab"])
random.seed(7)
clock = [round(100000 * k + random.gauss(0, 5)) + 1000 for k in range(4000)]
levels = [(0, 0)] + [(x + d, v) for x in clock for d, v in ((0, 1), (50000, 0))]
write("levels.csv", ["Time [s],Channel 0,Channel 1\n"] + ["%d.%09d,%d,0\n" % (*divmod(t, 10**9), v) for t, v in levels])
head = ["$date today $end\n$timescale 1ns $end\n$scope module top $end\n$var wire 1 ! clk $end\n$var wire 1 # other $end\n",
        "$var wire 8 % bus [7:0] $end\n$upscope $end\n$enddefinitions $end\n#0\n$dumpvars\n0!\nx#\nb0 %\n$end\n"]
write("clock.vcd", head + ["#%d\n%d!\nb%s %%\n" % (t, v, format(t % 256, "b")) for t, v in levels[1:]])
write("scalar.vcd", [head[0].replace("$var wire 1 # other $end\n", ""), head[1].replace("x#\n", "")] +
      ["#%d\n%d!\n" % (t, v) for t, v in levels[1:]])
write("two.vcd", [line.replace("$var wire 8 % bus [7:0] $end\n", "").replace("b0 %\n", "") for line in head] +
      ["#%d\n%d!\n%d#\n" % (t, v, 1 - v) for t, v in levels[1:]])
write("ten.vcd", ["$timescale 10 ns $end $var wire 1 ! clk $end $enddefinitions $end\n#0 x! #1 1! #5 x! #6 1!\n"] +
      ["#%d 0!\n#%d 1!\n" % (10 * k + 5, 10 * k + 10) for k in range(5, 50)])
write("gap.csv", ["time_ns\n"] + ["%d\n" % x for k, x in enumerate(clock) if k not in (100, 101, 2000)])
# 100.4 us in steps of 1 us, so the median is 100 us: a pause of 3000 periods, and bursts with pauses of 5000.
write("pause.csv", ["time_us\n"] + ["%d\n" % (100.4 * k) for k in range(5000) if not 1000 <= k < 3999])
write("bursts.csv", ["time_us\n"] + ["%d\n" % (100.4 * k) for k in range(20000) if k % 5000 < 24])
write("coarse.csv", ["time_s\n"] + ["%.6g\n" % (3600 + k * 0.0123456789) for k in range(300)])
write("glitch.csv", ["time_ns\n"] + ["%d\n" % x for x in sorted(clock + [clock[50] + 10])])
write("bare_comma.csv", ["0,%04d\n" % k for k in range(50)])
write("back.csv", ["time_ns\n10\n20\n20\n"])
PY
python3 make.py
sigrok-cli -I vcd -i two.vcd -o clock.sr
sigrok-cli -I vcd -i scalar.vcd -o scalar.sr

# deviations NAME: those of out, as JSON, at 1, 10 and 100 s.
deviations() {
    python3 - out <<'PY'
import json, sys
rows = {round(r["tau_s"]): r for r in json.load(open(sys.argv[1]))["stability"]}
table = {1: (2.922319e-1, 2.922319e-1, 1.687202e-1), 10: (9.159953e-2, 6.172376e-2, 3.563623e-1),
         100: (3.241343e-2, 2.170921e-2, 1.253382e+0)}
bad = 0
for tau, (oadev, mdev, tdev) in table.items():
    r = rows[tau]  # tau is that of the mean period, 1.0004897 s
    scale = 1e-3 / (r["tau_s"] / tau)
    for key, value in (("oadev", oadev * scale), ("mdev", mdev * scale), ("tdev_ps", tdev * 1e9)):
        if abs(r[key] / value - 1) > 1e-6:
            bad = 1
            print(key, tau, r[key], value)
sys.exit(bad)
PY
    point "$1" $?
}
for file in table_s table_ns; do
    exits "stamps of $file" 0 jitter --from $file.csv --json
    deviations '... have the deviations of the published table'
done
exits 'one channel of a table with decimal commas' 0 jitter --from table_comma.csv --channel b --json
deviations '... has them, too'
exits 'bare numbers' 0 jitter --from bare.csv --time-unit ps --json
deviations '... have them, too'
says '... no run' '"run": null'
says '... their source' "\"source\": \"bare.csv, CSV, 'time'\""

exits 'bare numbers of channels' 0 jitter --from bare2.csv --time-unit ps --channel a --json
deviations '... have them, too'

# sd NAME: of the TIE, 5 ns within four deviations of itself (4000 values).
sd() {
    says '... number of edges' '; 4000 edges, 0 missing;'
    awk '$1 == "tie" && !seen++ {if ($5 > 4.75 && $5 < 5.25) good = 1} END {exit !good}' out
    point "$1" $?
}
exits 'levels of a logic analyser' 0 jitter --from levels.csv --channel 'channel 0'
sd '... have the jitter that is in them'
exits 'falls' 0 jitter --from levels.csv --channel 'Channel 0' --edge fall
sd '... have it, too'
exits 'a VCD with one scalar' 0 jitter --from scalar.vcd
sd '... has it, too'
cp out scalar
exits 'a scalar by its scope' 0 jitter --from clock.vcd --channel top.clk
sd '... has it, too'
exits 'a time scale of 10 ns, and levels that are unknown' 0 jitter --from ten.vcd
says '... 45 rises of 100 ns' '45 edges, 0 missing; nominal period 0\.100000'
exits 'a session of sigrok' 0 jitter --from scalar.sr
sd '... has it, too'
sed 's/scalar.sr, sigrok session/scalar.vcd, VCD/' out | tr -s ' \n' ' ' > session
tr -s ' \n' ' ' < scalar | cmp -s - session
point '... all figures are those of its VCD' $?
exits 'a probe' 0 jitter --from clock.sr --channel clk --resolution-ns 2 --period-us 100.001 --phases 24 --out folder
says '... rate by the nominal period' '^rate +\+10\.0'
says '... superframe' '^ +n_period +3976 '
says '... resolution' 'rounded down to 2\.000 ns'
[ -s folder/jitter.html ] && [ -s folder/jitter.json ]
point '... page and JSON' $?
exits 'missing edges' 0 jitter --from gap.csv
says '... are gaps' '3997 edges, 3 missing'
exits 'a pause of a clock whose median is not its period' 0 jitter --from pause.csv --period-us 100
says '... has the edges that are missing' '2001 edges, 2999 missing'
says '... and leaves the rate as it is' '^rate +-3984\.'

refuses 'several channels' 3 "table_comma.csv: several channels; choose one of 'a', 'b' by --channel" jitter --from table_comma.csv
refuses 'several scalars' 3 "clock.vcd: several scalars; choose one of 'top.clk', 'top.other' by --channel" jitter --from clock.vcd
refuses 'several probes' 3 "clock.sr: several probes; choose one of 'clk', 'other'" jitter --from clock.sr
refuses 'another probe' 3 "clock.sr: no such probe; choose one of 'clk', 'other'" jitter --from clock.sr --channel CLK2
refuses 'another scalar' 3 'clock.vcd: no such scalar' jitter --from clock.vcd --channel bus
refuses 'another column' 3 "levels.csv:1: no column 'x' among 'Time \[s\]', 'Channel 0'" jitter --from levels.csv --channel x
refuses 'no unit' 3 "bare.csv:1: column 'time' has no unit; give --time-unit" jitter --from bare.csv
for unit in ms us ns ps; do
    refuses "the unit $unit beside that of the name" 3 "table_s.csv:1: column 'time_s' has its unit in its name, and --time-unit is '$unit'; leave that out" \
        jitter --from table_s.csv --time-unit $unit
done
exits 'the unit of the name' 0 jitter --from table_s.csv --time-unit s
refuses 'bare numbers with decimal commas' 3 "bare_comma.csv:1: '0,0000' may be one stamp or channel and stamp" \
    jitter --from bare_comma.csv --time-unit s
refuses 'a glitch' 3 "glitch.csv: edges 51 and 52 of 'time_ns' are 10.000 ns apart, the median is .*; take the glitch out" jitter --from glitch.csv
refuses 'a pause of unknown length' 3 "bursts.csv: edges 24 and 25 of 'time_us' are 499691.* not known how many periods .*two files" jitter --from bursts.csv
refuses 'steps as large as the period' 3 "coarse.csv: stamps of 'time_s' in steps of 10000000.000 ns, .* looks like rounding; write more digits" \
    jitter --from coarse.csv
refuses 'stamps that do not rise' 3 'back.csv:4: stamp 3 at 20000 ps is not after the one before it' jitter --from back.csv
head -c 300 clock.sr > cut.sr
refuses 'a session that is cut' 3 'cut.sr: a damaged zip archive; give a session that sigrok wrote' jitter --from cut.sr
python3 -c 'import zipfile; zipfile.ZipFile("other.zip", "w").writestr("a", "b")'
refuses 'another zip archive' 3 "other.zip: a zip archive without a readable file 'metadata'" jitter --from other.zip
line=$(sed -n '/^#/=' scalar.vcd | sed -n 1000p)
sed "${line}s/.*/hello world/" scalar.vcd > words.vcd
for file in scalar.vcd clock.sr; do
    refuses "a unit for $file" 3 "$file: a .* says the unit of its times itself; --time-unit is for a table" jitter --from $file --time-unit us
done
refuses 'a VCD with foreign words' 3 "words.vcd:$line: 'hello' is no change of a value, time or keyword; give the VCD as its tool wrote it" \
    jitter --from words.vcd
sed "$((line + 1))s/!/\"/" scalar.vcd > identifier.vcd
refuses 'a VCD with a damaged identifier' 3 "identifier.vcd:$((line + 1)): '[01].' has an identifier of no .var" jitter --from identifier.vcd
cp scalar.vcd zeros.vcd
dd if=/dev/zero of=zeros.vcd bs=512 seek=16 count=8 conv=notrunc 2> dd
refuses 'a VCD whose part is zero' 3 'zeros.vcd:[0-9]*: a byte of value 0; give the VCD as its tool wrote it' jitter --from zeros.vcd
refuses 'a scenario besides' 2 '--from reads the stamps of a file, without a run' jitter demo --from gap.csv
refuses 'a channel without a file' 2 'are of the stamps of a file; give --from FILE' jitter --channel a
refuses 'a file that is not there' 3 "no-such.csv" jitter --from no-such.csv

finish
