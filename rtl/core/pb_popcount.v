// SPDX-FileCopyrightText: The phasebench authors
// SPDX-License-Identifier: Apache-2.0
//
// Population count of bits_i, latency two clocks; 0 if count_i was low. Six bits at a time are
// counted without adders, whose carry chain would be a critical path, then these counts are added.
// Reset: count_o is 0.
`default_nettype none

module pb_popcount #(
    parameter WIDTH      = 12,  // at least 1
    parameter COUNT_BITS = 4    // of WIDTH, at least 3
) (
    input  wire                  clk,
    input  wire                  rst_i,
    input  wire                  count_i,
    input  wire [WIDTH-1:0]      bits_i,
    output reg  [COUNT_BITS-1:0] count_o
);
`include "pb_ones.vh"

    localparam SIXES = (WIDTH + 5) / 6;
    reg [3*SIXES-1:0]    some_q;
    reg [COUNT_BITS-1:0] sum;
    integer              n;
    always @* begin
        sum = 0;
        for (n = 0; n < SIXES; n = n + 1)
            sum = sum + {{(COUNT_BITS-3){1'b0}}, some_q[3*n +: 3]};
    end
    always @(posedge clk) begin : count
        reg [6*SIXES-1:0] padded;
        count_o <= rst_i ? {COUNT_BITS{1'b0}} : sum;
        some_q  <= 0;
        if (count_i && !rst_i) begin
            padded = 0;
            padded[WIDTH-1:0] = bits_i;
            for (n = 0; n < SIXES; n = n + 1)
                some_q[3*n +: 3] <= ones(padded[6*n +: 6]);
        end
    end
endmodule

`default_nettype wire
