// SPDX-FileCopyrightText: The phasebench authors
// SPDX-License-Identifier: Apache-2.0
//
// E-cube rule: the lowest dimension in which own address and destination differ.
//
// Timing:    combinational. Exactly one of local_o, outside_o, and "forward on dim_o" applies.
`default_nettype none

module node_route (
    input  wire [11:0] address_i,     // own address, below 2^dims_i
    input  wire [11:0] destination_i,
    input  wire [3:0]  dims_i,        // dimensions of the cube, 1..12
    output wire        local_o,       // the destination is this node
    output wire        outside_o,     // no such node: the destination is not below 2^dims_i
    output reg  [3:0]  dim_o          // first dimension to cross; 0 when local or outside
);
    wire [11:0] difference = address_i ^ destination_i;
    integer d;

    assign local_o = difference == 12'd0;
    assign outside_o = (destination_i >> dims_i) != 12'd0;

    always @* begin
        dim_o = 4'd0;
        if (!outside_o)
            for (d = 11; d >= 0; d = d - 1)
                if (difference[d])
                    dim_o = d[3:0];
    end
endmodule

`default_nettype wire
