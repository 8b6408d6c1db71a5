// SPDX-FileCopyrightText: The phasebench authors
// SPDX-License-Identifier: Apache-2.0
//
// Phase tracker: counts phases from TDMA_CLK and keeps in step with TDMA_SYNC.
//
// Handshake: tick_o is high for one clock per rising edge of TDMA_CLK; in that clock the other
//            outputs already describe the new phase. They hold until the next tick.
// Latency:   tick_o is high from the 4th clock edge on, counting the first one that samples
//            TDMA_CLK high as the 1st. TDMA_SYNC changes with the edge, so it is read one clock
//            later than TDMA_CLK.
// Reset:     not aligned; a TDMA_CLK that is high when the reset ends makes no tick.
// SYNC high wins: phase 0 begins. SYNC missing when it was due: not aligned until the next one.
// Both, and a SYNC before it was due, raise align_error_o with the tick; an unaligned node has
// nothing due and no errors. Does not judge the time between edges.
`default_nettype none

module node_phase (
    input  wire       clk,
    input  wire       rst_i,
    input  wire       tdma_clk_i,    // pin, asynchronous
    input  wire       tdma_sync_i,   // pin, asynchronous
    input  wire [3:0] dims_i,        // dimensions of the cube, 1..12; constant
    output reg        tick_o,
    output reg        aligned_o,     // the phase is known
    output reg  [3:0] dim_o,         // phase = 2 * dim_o + direction_o
    output reg        direction_o,   // 0: the nodes whose address bit is 0 send
    output reg        align_error_o
);
    wire clock_level, sync_level;
    reg  clock_q, edge_q;

    node_sync #(.INITIAL(1'b1)) clock_sync (.clk(clk), .pin_i(tdma_clk_i), .level_o(clock_level));
    node_sync #(.INITIAL(1'b0)) sync_sync (.clk(clk), .pin_i(tdma_sync_i), .level_o(sync_level));

    wire zero_due = direction_o && dim_o == dims_i - 4'd1;

    always @(posedge clk) begin
        clock_q <= clock_level;
        edge_q <= clock_level && !clock_q;
        tick_o <= edge_q;
        align_error_o <= edge_q && aligned_o && sync_level != zero_due;
        if (edge_q) begin
            if (sync_level) begin
                aligned_o <= 1'b1;
                {dim_o, direction_o} <= 5'd0;
            end else begin
                aligned_o <= aligned_o && !zero_due;
                {dim_o, direction_o} <= {dim_o, direction_o} + 5'd1;
            end
        end
        if (rst_i) begin
            clock_q <= 1'b1;
            edge_q <= 1'b0;
            tick_o <= 1'b0;
            align_error_o <= 1'b0;
            aligned_o <= 1'b0;
            {dim_o, direction_o} <= 5'd0;
        end
    end
endmodule

`default_nettype wire
