// SPDX-FileCopyrightText: The phasebench authors
// SPDX-License-Identifier: Apache-2.0
//
// Phase tracker: counts phases from TDMA_CLK and synchronises with TDMA_SYNC.
//
// Interface: tick_o is high for one clock per rising edge of TDMA_CLK; in that clock the other
//            outputs already describe the new phase. They hold until the next tick. A high SYNC
//            always begins phase 0. After a missing SYNC the node is not aligned until the next
//            one. An aligned node raises align_error_o with tick_o at a missing or early SYNC.
// Timing:    tick_o is high from the 4th clock edge on, counting the edge that first samples
//            TDMA_CLK high as the 1st. TDMA_SYNC changes with TDMA_CLK and is read one clock later.
// Reset:     not aligned; a TDMA_CLK that is high when the reset ends gives no tick.
// Limits:    the time between edges is not checked.
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
