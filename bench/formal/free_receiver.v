// SPDX-FileCopyrightText: The phasebench authors
// SPDX-License-Identifier: Apache-2.0
//
// Stand-in for pb_uart_rx in a bounded proof: a byte ends at an arbitrary time, at least ten clocks after the
// last byte was fetched, and waits to be fetched. pb_uart_rx guarantees more.
`default_nettype none

module pb_uart_rx #(
    parameter AGE_BITS  = 4,
    parameter AGE_FIRST = 1
) (
    input  wire                clk,
    input  wire                rst_i,
    input  wire [19:0]         period_i,
    input  wire                line_i,
    input  wire                line_last_i,
    output reg                 done_o,
    input  wire                ack_i,
    output wire                idle_o,
    output wire [7:0]          data_o,
    output wire                stop_ok_o,
    output wire [12:0]         edge_left_o,
    output wire [AGE_BITS-1:0] age_o,
    output wire                lost_o
);
    (* anyseq *) reg ends;
    reg [3:0] rest;
    always @(posedge clk) begin
        rest   <= done_o ? 4'd10 : rest - {3'd0, rest != 4'd0};
        done_o <= done_o ? !ack_i : ends && rest == 4'd0;
        if (rst_i) begin
            done_o <= 1'b0;
            rest   <= 4'd0;
        end
    end
    assign idle_o      = !done_o;
    assign data_o      = 8'h55;
    assign stop_ok_o   = 1'b1;
    assign edge_left_o = 13'd0;
    assign age_o       = 1;
    assign lost_o      = 1'b0;
endmodule
