// SPDX-FileCopyrightText: The phasebench authors
// SPDX-License-Identifier: Apache-2.0
//
// How many bits are set. Combinational. Six at a time without adders, whose chain would be one of the longest ways in the core.
`default_nettype none

module pb_ones #(
    parameter WIDTH      = 12,  // 1 at least
    parameter COUNT_BITS = 4    // of WIDTH, 3 at least
) (
    input  wire [WIDTH-1:0]      bits_i,
    output reg  [COUNT_BITS-1:0] count_o
);
    function [2:0] ones;
        input [5:0] bits;
        reg [1:0] a, b;
        reg       carry;
        begin
            a     = {(bits[0] & bits[1]) | (bits[0] & bits[2]) | (bits[1] & bits[2]), ^bits[2:0]};
            b     = {(bits[3] & bits[4]) | (bits[3] & bits[5]) | (bits[4] & bits[5]), ^bits[5:3]};
            carry = a[0] & b[0];
            ones  = {(a[1] & b[1]) | (a[1] & carry) | (b[1] & carry), a[1] ^ b[1] ^ carry, a[0] ^ b[0]};
        end
    endfunction

    localparam SIXES = (WIDTH + 5) / 6;
    reg [6*SIXES-1:0] padded;
    integer           n;
    always @* begin
        padded  = 0;
        count_o = 0;
        if (bits_i != 0) begin  // changes no logic; it spares a simulator the rest
            padded[WIDTH-1:0] = bits_i;
            for (n = 0; n < SIXES; n = n + 1)
                count_o = count_o + {{(COUNT_BITS-3){1'b0}}, ones(padded[6*n +: 6])};
        end
    end
endmodule

`default_nettype wire
