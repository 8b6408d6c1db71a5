// SPDX-FileCopyrightText: The phasebench authors
// SPDX-License-Identifier: Apache-2.0
//
// UART transmitter, 8N1, LSB first, with a fractional bit period.
//
// Interface: a byte is taken in a clock with valid_i and ready_o. ready_o is high while idle and in
//            the last clock of a stop bit, so that bytes offered in time follow without a gap.
// Timing:    tx_o falls for the start bit 1 clock after the byte is taken. The fraction of the
//            period carries over from bit to bit: an edge is at most one clock early, the average
//            is exact.
// Reset:     idle, tx_o high. clear_i does the same and cuts off a character in progress.
`default_nettype none

module node_uart_tx (
    input  wire        clk,
    input  wire        rst_i,
    input  wire        clear_i,
    input  wire [19:0] period_i, // bit period, Q16.4 clocks, 8 clocks or more
    input  wire        valid_i,
    input  wire [7:0]  data_i,
    output wire        ready_o,
    output reg         tx_o
);
    reg        busy_q;
    reg [19:0] timer_q; // Q16.4 clocks to the end of the bit
    reg [3:0]  left_q;  // bits after the current one
    reg [7:0]  shift_q;

    wire bit_end = timer_q < 20'd16;

    assign ready_o = !busy_q || (bit_end && left_q == 4'd0);

    always @(posedge clk) begin
        if (ready_o) begin
            busy_q <= valid_i;
            tx_o <= !valid_i;
            shift_q <= data_i;
            left_q <= 4'd9;
            timer_q <= (busy_q ? timer_q : 20'd0) + period_i - 20'd16;
        end else if (bit_end) begin
            tx_o <= shift_q[0];
            shift_q <= {1'b1, shift_q[7:1]};
            left_q <= left_q - 4'd1;
            timer_q <= timer_q + period_i - 20'd16;
        end else
            timer_q <= timer_q - 20'd16;
        if (rst_i || clear_i) begin
            busy_q <= 1'b0;
            tx_o <= 1'b1;
        end
    end
endmodule

`default_nettype wire
