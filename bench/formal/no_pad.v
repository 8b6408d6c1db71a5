// SPDX-FileCopyrightText: The phasebench authors
// SPDX-License-Identifier: Apache-2.0
//
// Stand-in for pb_pad in proofs that do not depend on the pins: its inputs are arbitrary.
`default_nettype none

module pb_pad #(
    parameter RAW     = 0,
    parameter PULL_UP = 0
) (
    input  wire clk,
    input  wire drive_i,
    input  wire level_i,
    output wire level_o,
    output wire half_o,
    output wire raw_o,
    inout  wire pad
);
    (* anyseq *) reg level, half, raw;
    assign level_o = level;
    assign half_o  = half;
    assign raw_o   = raw;
endmodule

`default_nettype wire
