// SPDX-FileCopyrightText: The phasebench authors
// SPDX-License-Identifier: Apache-2.0
//
// iCEBreaker 1.0e (iCE40UP5K): the bench for one node. Clock 12 MHz at pin 35, core 36 MHz, host
// UART 12 Mbaud through the FTDI chip's channel B. LEDs: green host link active, red alarm, LED1 of
// the snap-off board phase clock running.
`default_nettype none

module icebreaker (
    input  wire        CLK,
    input  wire        RX,
    output wire        TX,
    inout  wire        TDMA_CLK,
    inout  wire        TDMA_SYNC,
    inout  wire [11:0] LINK,
    inout  wire        NRST,
    inout  wire        BOOT0,
    inout  wire        UART0_RX,
    inout  wire        UART0_TX,
    output wire        LEDG_N,
    output wire        LEDR_N,
    output wire        LED1
);
    wire clk, locked, alive, fault;
    pb_pll #(.PAD(1), .DIVF(7'd47), .DIVQ(3'd4)) pll (.clk_i(CLK), .clk_o(clk), .locked_o(locked));
    pb_board_uart #(
        .LINKS(12), .LANES(2), .NODES(1), .RECEIVERS(1), .JOIN(0), .FAULTS(0), .HALF_TICKS(1), .CLK_HZ(36000000), .UART_CLOCKS(8'd3)
    ) board (
        .clk(clk), .locked_i(locked), .host_rx_i(RX), .host_tx_o(TX),
        .tdma_clk(TDMA_CLK), .tdma_sync(TDMA_SYNC), .link(LINK), .nrst(NRST), .boot0(BOOT0),
        .uart0_rx(UART0_RX), .uart0_tx(UART0_TX),
        .alive_o(alive), .running_o(LED1), .fault_o(fault)
    );
    assign LEDG_N = !alive;
    assign LEDR_N = !fault;
endmodule

`default_nettype wire
