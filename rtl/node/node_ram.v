// SPDX-FileCopyrightText: The phasebench authors
// SPDX-License-Identifier: Apache-2.0
//
// Memory with one write port and one read port, both synchronous; maps to block RAM.
//
// Timing:    data_o holds the word of address_i one clock later. A read of the word that is written
//            in the same clock gives the old or an undefined value.
// Reset:     none; the content is undefined until written.
`default_nettype none

module node_ram #(
    parameter WIDTH = 8,   // bits of a word, >= 1
    parameter WORDS = 512  // number of words, >= 2
) (
    input  wire                     clk,
    input  wire                     write_i,
    input  wire [$clog2(WORDS)-1:0] write_address_i,
    input  wire [WIDTH-1:0]         data_i,
    input  wire [$clog2(WORDS)-1:0] address_i,
    output reg  [WIDTH-1:0]         data_o
);
    reg [WIDTH-1:0] word[0:WORDS-1];

    always @(posedge clk) begin
        if (write_i)
            word[write_address_i] <= data_i;
        data_o <= word[address_i];
    end
endmodule

`default_nettype wire
