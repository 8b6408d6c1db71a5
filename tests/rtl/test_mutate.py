# SPDX-FileCopyrightText: The phasebench authors
# SPDX-License-Identifier: Apache-2.0
# covers: tests/rtl/mutants.py
"""mutate.py on a module of a few lines: the mutants that follow from its rules, by hand."""
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import mutate

SOURCE = """`default_nettype none
module m #(parameter W = 4) (input wire clk, input wire [3:0] a, output reg [W-1:0] b); // 1 + 1
    wire c = a <= 4'd7 && !a[1];
    integer n;
    always @* if (c) n = a;
    always @(posedge clk) begin
        for (n = 0; n < 4; n = n + 1)
            if (a[n])
                b[n] <= c ? ~a[n] : 1'b1;
        b[3:1] <= a[W-2:0];
    end
endmodule
"""
WANTED = """
wire c = a {-<=-}{+<+} 4'd7 && !a[1];
wire c = a <= {-4'd7-}{+4'd8+} && !a[1];
wire c = a <= 4'd7 {-&&-}{+||+} !a[1];
wire c = a <= 4'd7 && {-!-}{++}a[1];
wire c = a <= 4'd7 && !a[{-1-}{+0+}];
always @* if ({-c-}{+!(c)+}) n = a;
always @* if ({-c-}{+1'b1+}) n = a;
always @* if ({-c-}{+1'b0+}) n = a;
if ({-a[n]-}{+!(a[n])+})
if ({-a[n]-}{+1'b1+})
if ({-a[n]-}{+1'b0+})
{-b[n] <= c ? ~a[n] : 1'b1-}{++};
b[n] <= c {-?-}{+|| 1'b1 ?+} ~a[n] : 1'b1;
b[n] <= c {-?-}{+&& 1'b0 ?+} ~a[n] : 1'b1;
b[n] <= c ? {-~-}{++}a[n] : 1'b1;
b[n] <= c ? ~a[n] : {-1'b1-}{+1'b0+};
b[{-3-}{+2+}:1] <= a[W-2:0];
b[3:{-1-}{+2+}] <= a[W-2:0];
{-b[3:1] <= a[W-2:0]-}{++};
b[3:1] <= a[W-{-2-}{+3+}:0];
b[3:1] <= a[W-2:{-0-}{+1+}];
"""

made = [name for name, _ in mutate.named(SOURCE)]
wanted = WANTED.strip().split("\n")
for name in sorted(set(made) ^ set(wanted)):
    print("test_mutate: %s: %s" % ("missing" if name in wanted else "not wanted", name))
texts = [text for _, text in mutate.named(SOURCE)]
assert len(set(texts)) == len(texts) and SOURCE not in texts
sys.exit(made != wanted)
