// SPDX-FileCopyrightText: The phasebench authors
// SPDX-License-Identifier: Apache-2.0
//
// Stand-in for pb_uart_rx in proofs of the choice of the line: its handshake, with bytes of one data bit.
// Start, data and stop bit are sampled 2, 4 and 6 clocks after the start edge.
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
    output reg                 stop_ok_o,
    output wire [12:0]         edge_left_o,
    output reg  [AGE_BITS-1:0] age_o,
    output wire                lost_o
);
    reg [2:0] clocks;       // since the start edge; 0: idle
    reg       bit_q;
    always @(posedge clk) begin
        age_o <= done_o ? age_o + 1'b1 : AGE_FIRST[AGE_BITS-1:0];
        if (done_o && ack_i)
            done_o <= 1'b0;
        if (clocks == 3'd0)
            clocks <= {2'd0, line_last_i && !line_i};
        else
            clocks <= clocks + 3'd1;
        if (clocks == 3'd2 && line_i)
            clocks <= 3'd0;
        if (clocks == 3'd4)
            bit_q <= line_i;
        if (clocks == 3'd6) begin
            clocks    <= 3'd0;
            done_o    <= 1'b1;
            stop_ok_o <= line_i;
        end
        if (rst_i) begin
            clocks <= 3'd0;
            done_o <= 1'b0;
        end
    end
    assign idle_o      = clocks == 3'd0;
    assign data_o      = {7'd0, bit_q};
    assign edge_left_o = 13'd0;
    assign lost_o      = 1'b0;
endmodule

`default_nettype wire
