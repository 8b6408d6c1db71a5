// SPDX-FileCopyrightText: The phasebench authors
// SPDX-License-Identifier: Apache-2.0
//
// Stands for pb_fifo_dual in proofs of what stands between it and the pins: words come whenever they like and are what they like,
// and there is room or not. What is given stays until it is taken. That pb_fifo_dual is a queue is proven apart (fifo_dual.v).
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
    wire             any_room, any_valid;   // driven by nothing: the solver chooses
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
