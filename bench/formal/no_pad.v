// SPDX-FileCopyrightText: The phasebench authors
// SPDX-License-Identifier: Apache-2.0
//
// Stands for pb_pad where a pin is of no interest: what it hears is anything.
`default_nettype none

module pb_pad #(
    parameter PULL_UP = 0
) (
    input  wire clk,
    input  wire drive_i,
    input  wire level_i,
    output wire level_o,
    output wire half_o,
    inout  wire pad
);
    (* anyseq *) reg level, half;
    assign level_o = level;
    assign half_o  = half;
endmodule

`default_nettype wire
