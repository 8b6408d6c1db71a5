// SPDX-FileCopyrightText: The phasebench authors
// SPDX-License-Identifier: Apache-2.0
//
// A board whose host port is a UART of an FTDI chip: pb_board, which describes the other ports,
// with pb_host_uart.
`default_nettype none

module pb_board_uart #(
    parameter LINKS            = 12,
    parameter LANES            = 3,
    parameter NODES            = 1,
    parameter RECEIVERS        = LINKS,
    parameter JOIN             = 1,
    parameter FAULTS           = 0,
    parameter HALF_TICKS       = 0,
    parameter TDC_TAPS         = 0,
    parameter TDC_STEP         = 4,
    parameter PLAY_DEPTH_LOG2  = 11,
    parameter EVENT_DEPTH_LOG2 = 9,
    parameter [31:0] CLK_HZ    = 24000000,
    parameter [7:0] UART_CLOCKS = 8'd4      // clocks of a bit, at least 3
) (
    input  wire             clk,
    input  wire             locked_i,

    input  wire             host_rx_i,      // from the FTDI chip
    output wire             host_tx_o,

    inout  wire             tdma_clk,
    inout  wire             tdma_sync,
    inout  wire [LINKS-1:0] link,
    inout  wire [NODES-1:0] nrst,
    inout  wire [NODES-1:0] boot0,
    inout  wire [NODES-1:0] uart0_rx,
    inout  wire [NODES-1:0] uart0_tx,

    output wire             alive_o,
    output wire             running_o,
    output wire             fault_o
);
    wire       rst, rx_valid, rx_ready, tx_valid, tx_ready;
    wire [7:0] rx_data, tx_data;
    wire       unused = &{1'b0, rx_ready};  // a UART has no back-pressure
    localparam UART_BITS = UART_CLOCKS <= 8'd4 ? 2 : UART_CLOCKS <= 8'd8 ? 3 : UART_CLOCKS <= 8'd16 ? 4 : 8;
    pb_host_uart #(.TIMER_BITS(UART_BITS)) host_uart (
        .clk(clk), .rst_i(rst), .clks_per_bit_i(UART_CLOCKS), .uart_rx_i(host_rx_i), .uart_tx_o(host_tx_o),
        .rx_valid_o(rx_valid), .rx_data_o(rx_data), .tx_valid_i(tx_valid), .tx_data_i(tx_data), .tx_ready_o(tx_ready)
    );

    pb_board #(
        .LINKS(LINKS), .LANES(LANES), .NODES(NODES), .RECEIVERS(RECEIVERS), .JOIN(JOIN), .FAULTS(FAULTS), .HALF_TICKS(HALF_TICKS),
        .TDC_TAPS(TDC_TAPS), .TDC_STEP(TDC_STEP), .PLAY_DEPTH_LOG2(PLAY_DEPTH_LOG2), .EVENT_DEPTH_LOG2(EVENT_DEPTH_LOG2), .CLK_HZ(CLK_HZ)
    ) board (
        .clk(clk), .locked_i(locked_i), .rst_o(rst),
        .host_rx_valid_i(rx_valid), .host_rx_data_i(rx_data), .host_rx_ready_o(rx_ready),
        .host_tx_valid_o(tx_valid), .host_tx_data_o(tx_data), .host_tx_ready_i(tx_ready),
        .tdma_clk(tdma_clk), .tdma_sync(tdma_sync), .link(link), .nrst(nrst), .boot0(boot0),
        .uart0_rx(uart0_rx), .uart0_tx(uart0_tx),
        .alive_o(alive_o), .running_o(running_o), .fault_o(fault_o)
    );
endmodule

`default_nettype wire
