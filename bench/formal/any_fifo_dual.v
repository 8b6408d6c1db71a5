// SPDX-FileCopyrightText: The phasebench authors
// SPDX-License-Identifier: Apache-2.0
//
// Unconstrained stand-in for pb_fifo_dual, in proofs of the logic between it and the pins: words arrive at
// arbitrary times with arbitrary values, and space is arbitrary. An offered word holds until it is taken.
// fifo_dual.v proves that pb_fifo_dual is a queue.
`default_nettype none

module pb_fifo_dual #(
    parameter WIDTH      = 8,
    parameter DEPTH_LOG2 = 9,
    parameter MARGIN     = 0
) (
    input  wire             wr_clk,
    input  wire             wr_i,
    input  wire [WIDTH-1:0] wr_data_i,
    output reg              wr_room_o,
    input  wire             rd_clk,
    output reg              rd_valid_o,
    output reg  [WIDTH-1:0] rd_data_o,
    input  wire             rd_ready_i
);
    wire             any_room, any_valid;   // no driver: the solver chooses
    wire [WIDTH-1:0] any_data;
    initial wr_room_o = 1'b0;
    initial rd_valid_o = 1'b0;
    always @(posedge wr_clk)
        wr_room_o <= any_room;
    always @(posedge rd_clk)
        if (!rd_valid_o || rd_ready_i) begin
            rd_valid_o <= any_valid;
            rd_data_o  <= any_data;
        end
endmodule
