// SPDX-FileCopyrightText: The phasebench authors
// SPDX-License-Identifier: Apache-2.0
//
// Host port over a UART, 8N1, at clk / clks_per_bit_i baud: 4 is 12 Mbaud at 48 MHz.
//
// Interface: rx_valid_o pulses for one clock with each byte, without back-pressure; a byte with a
//            low stop bit is dropped. A byte is taken from tx_data_i at a clock with tx_valid_i and
//            tx_ready_o.
// Timing:    a bit is sampled at its middle or up to one clock after it (docs/design/rtl.md). A
//            byte appears one clock after the sample of its stop bit.
// Reset:     idle, line high.
// Limits:    clks_per_bit_i 3..255, constant while a byte is in progress.
`default_nettype none
`include "pb_clocks.vh"
`include "pb_sim_skip.vh"

module pb_host_uart #(
    parameter TIMER_BITS = 8    // clks_per_bit_i is at most 2^TIMER_BITS, 2..8
) (
    input  wire       clk,
    input  wire       rst_i,
    input  wire [7:0] clks_per_bit_i,
    input  wire       uart_rx_i,   // asynchronous
    output reg        uart_tx_o,

    output reg        rx_valid_o,
    output reg  [7:0] rx_data_o,

    input  wire       tx_valid_i,
    input  wire [7:0] tx_data_i,
    output wire       tx_ready_o
);
    wire [7:0]            less  = clks_per_bit_i - 8'd1;
    wire [TIMER_BITS-1:0] whole = less[TIMER_BITS-1:0];
    wire [7:0]            inner = clks_per_bit_i - 8'd2;
    wire [TIMER_BITS-1:0] half  = {1'b0, inner[TIMER_BITS-1:1]};    // cycles from the detected edge to the start bit's sample
    wire                  unused = &{1'b0, less, inner};

    reg [2:0] sync_q;
    reg       rx_busy_q;
    reg [TIMER_BITS-1:0] rx_timer_q;
    reg [3:0] rx_bit_q;
    reg [7:0] rx_shift_q;

    always @(posedge clk) if (`PB_SIM_ACTIVE(rx_busy_q || rx_valid_o || sync_q != {3{uart_rx_i}} || rst_i)) begin
        sync_q     <= {sync_q[1:0], uart_rx_i};
        rx_valid_o <= 1'b0;
        if (!rx_busy_q) begin
            rx_busy_q  <= sync_q[2] && !sync_q[1];
            rx_timer_q <= half;
            rx_bit_q   <= 4'd0;
        end else if (rx_timer_q != 0)
            rx_timer_q <= rx_timer_q - `PB_FEW(TIMER_BITS, 1'b1);
        else begin
            rx_timer_q <= whole;
            rx_bit_q   <= rx_bit_q + 4'd1;
            rx_shift_q <= {sync_q[1], rx_shift_q[7:1]};
            if (rx_bit_q == 4'd0)
                rx_busy_q <= !sync_q[1];
            if (rx_bit_q == 4'd9) begin
                rx_busy_q  <= 1'b0;
                rx_valid_o <= sync_q[1];
                rx_data_o  <= rx_shift_q;
            end
        end
        if (rst_i) begin
            sync_q     <= 3'b111;
            rx_busy_q  <= 1'b0;
            rx_valid_o <= 1'b0;
        end
    end

    reg [9:0] tx_shift_q;
    reg [3:0] tx_left_q;
    reg [TIMER_BITS-1:0] tx_timer_q;
    assign tx_ready_o = tx_left_q == 4'd0;

    always @(posedge clk) if (`PB_SIM_ACTIVE(tx_left_q != 4'd0 || tx_valid_i || !uart_tx_o || rst_i)) begin
        uart_tx_o <= tx_left_q == 4'd0 || tx_shift_q[0];
        if (tx_left_q == 4'd0) begin
            tx_timer_q <= whole;
            tx_shift_q <= {1'b1, tx_data_i, 1'b0};
            if (tx_valid_i)
                tx_left_q <= 4'd10;
        end else if (tx_timer_q != 0)
            tx_timer_q <= tx_timer_q - `PB_FEW(TIMER_BITS, 1'b1);
        else begin
            tx_timer_q <= whole;
            tx_shift_q <= tx_shift_q >> 1;
            tx_left_q  <= tx_left_q - 4'd1;
        end
        if (rst_i) begin
            tx_left_q <= 4'd0;
            uart_tx_o <= 1'b1;
        end
    end
endmodule

`default_nettype wire
