// SPDX-FileCopyrightText: The phasebench authors
// SPDX-License-Identifier: Apache-2.0
//
// UART receiver, 8N1, LSB first, with a fractional bit period.
//
// Interface: valid_o or error_o is high for one clock per character, without back-pressure; data_o
//            holds until the next one. A low stop bit is a framing error (error_o); reception then
//            pauses until the line was high.
// Timing:    each bit is sampled once, in its middle, timed from the start edge. valid_o is high
//            one clock after the middle of the stop bit at rx_i.
// Reset:     idle. clear_i does the same and drops a character in progress without a report.
// Limits:    a start bit that is high in its middle is ignored. No synchroniser for rx_i, no
//            detection of overrun, no parity.
`default_nettype none

module node_uart_rx (
    input  wire        clk,
    input  wire        rst_i,
    input  wire        clear_i,
    input  wire [19:0] period_i, // bit period, Q16.4 clocks, 8 clocks or more
    input  wire        rx_i,     // level, synchronous to clk, idle high
    output reg  [7:0]  data_o,
    output reg         valid_o,
    output reg         error_o
);
    localparam [1:0] IDLE = 2'd0, ACTIVE = 2'd1, BREAK = 2'd2;

    reg [1:0]  state_q;
    reg [19:0] timer_q; // Q16.4 clocks to the next sample
    reg [3:0]  bit_q;   // 0 start, 1..8 data, 9 stop

    wire sample = timer_q < 20'd16;

    always @(posedge clk) begin
        valid_o <= 1'b0;
        error_o <= 1'b0;
        case (state_q)
        IDLE: begin
            timer_q <= {1'b0, period_i[19:1]} - 20'd16;
            bit_q <= 4'd0;
            if (!rx_i)
                state_q <= ACTIVE;
        end
        ACTIVE:
            if (!sample)
                timer_q <= timer_q - 20'd16;
            else begin
                timer_q <= timer_q + period_i - 20'd16;
                bit_q <= bit_q + 4'd1;
                if (bit_q == 4'd9) begin
                    valid_o <= rx_i;
                    error_o <= !rx_i;
                    state_q <= rx_i ? IDLE : BREAK;
                end else if (bit_q != 4'd0)
                    data_o <= {rx_i, data_o[7:1]};
                else if (rx_i)
                    state_q <= IDLE;
            end
        default: // BREAK
            if (rx_i)
                state_q <= IDLE;
        endcase
        if (rst_i || clear_i) begin
            state_q <= IDLE;
            valid_o <= 1'b0;
            error_o <= 1'b0;
        end
        if (rst_i)
            data_o <= 8'd0;
    end
endmodule

`default_nettype wire
