// SPDX-FileCopyrightText: The phasebench authors
// SPDX-License-Identifier: Apache-2.0
//
// Unconstrained stand-in for pb_receivers: any byte, from any line, of any age that pb_receivers may report,
// at any time.
`default_nettype none

module pb_receivers #(
    parameter LINKS      = 12,
    parameter RECEIVERS  = LINKS,
    parameter AGE_BITS   = 4,
    parameter COUNT_BITS = 4,
    parameter INDEX_BITS = LINKS > 1 ? $clog2(LINKS) : 1
) (
    input  wire                  clk,
    input  wire                  rst_i,
    input  wire [LINKS-1:0]      line_i,
    input  wire [LINKS-1:0]      line_last_i,
    input  wire [LINKS-1:0]      mask_i,
    input  wire [19:0]           bit_period_i,
    input  wire                  console_i,
    input  wire                  console_last_i,
    input  wire [19:0]           console_period_i,
    output wire                  valid_o,
    output wire                  over_o,
    output wire                  console_o,
    output wire [INDEX_BITS-1:0] link_o,
    output wire [21:0]           value_o,
    output wire [AGE_BITS-1:0]   age_o,
    output wire [COUNT_BITS-1:0] missed_o
);
    (* anyseq *) reg                  valid, over, console;
    (* anyseq *) reg [INDEX_BITS-1:0] link;
    (* anyseq *) reg [21:0]           value;
    (* anyseq *) reg [AGE_BITS-1:0]   age;
    always @* assume (link < LINKS && age <= LINKS + 3);
    assign {valid_o, over_o, console_o, link_o, value_o, age_o} = {valid, over, console, link, value, age};
    assign missed_o = {COUNT_BITS{1'b0}};
endmodule
