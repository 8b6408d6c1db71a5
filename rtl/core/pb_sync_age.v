// SPDX-FileCopyrightText: The phasebench authors
// SPDX-License-Identifier: Apache-2.0
//
// Age of the level of TDMA_SYNC at each rising edge of TDMA_CLK: the clocks since TDMA_SYNC last
// changed at its pin, and the half of the clock in which it did.
//
// Interface: edge_i is high in the clock in which TDMA_CLK rose. A change of sync_i in that clock
//            has age 0. All ones: that many clocks or more, or no change since reset.
// Timing:    age_o and half_o are those of an edge from the second clock after edge_i until the
//            second clock after the next one.
`default_nettype none
`include "pb_clocks.vh"

module pb_sync_age #(
    parameter HALF_TICKS = 0,   // 1: second_i is valid; 0: the half is unknown
    parameter BITS       = 17
) (
    input  wire            clk,
    input  wire            rst_i,
    input  wire            sync_i,      // synchronised
    input  wire            second_i,    // half a clock before sync_i the pin had the other level
    input  wire            edge_i,
    output reg  [BITS-1:0] age_o,
    output reg  [1:0]      half_o       // as of an EDGE event: 1 first half, 2 second half, 0 unknown
);
    reg            sync_q, edge_q, full_q;
    reg [BITS-1:0] count_q;     // age in the clock before
    reg [1:0]      last_q;      // half of the last change
    wire           changed = sync_i != sync_q;
    always @(posedge clk) begin
        sync_q <= sync_i;
        edge_q <= edge_i;
        full_q <= !changed && (full_q || (&count_q[BITS-1:1] && !count_q[0]));
        count_q <= count_q + `PB_UP(BITS, !full_q);
        if (changed) begin
            count_q <= 0;
            last_q  <= {second_i, !second_i} & {2{HALF_TICKS != 0}};
        end
        if (edge_q) begin
            age_o  <= count_q;
            half_o <= last_q;
        end
        if (rst_i) begin
            sync_q  <= 1'b0;
            full_q  <= 1'b1;
            count_q <= {BITS{1'b1}};
            last_q  <= 2'd0;
        end
    end
endmodule

`default_nettype wire
