// SPDX-FileCopyrightText: The phasebench authors
// SPDX-License-Identifier: Apache-2.0
//
// iCE40-HX8K-B-EVN: 16 links and two node ports, for one node of up to 16 dimensions or two joined
// nodes of up to 8. Clock 12 MHz at J3, core 96 MHz, host UART 12 Mbaud through the FTDI chip's
// channel B. LEDs: LED0 host link active, LED1 phase clock running, LED7 alarm.
`default_nettype none

module hx8k_evn (
    input  wire        CLK,
    input  wire        RX,
    output wire        TX,
    inout  wire        TDMA_CLK,
    inout  wire        TDMA_SYNC,
    inout  wire [15:0] LINK,
    inout  wire [1:0]  NRST,
    inout  wire [1:0]  BOOT0,
    inout  wire [1:0]  UART0_RX,
    inout  wire [1:0]  UART0_TX,
    output wire        LED0,
    output wire        LED1,
    output wire        LED7
);
    wire clk, locked;
    pb_pll #(.DIVF(7'd63), .DIVQ(3'd3)) pll (.clk_i(CLK), .clk_o(clk), .locked_o(locked));
    pb_board_uart #(
        .LINKS(16), .LANES(3), .NODES(2), .RECEIVERS(4), .JOIN(1), .FAULTS(0), .HALF_TICKS(1), .CLK_HZ(96000000), .UART_CLOCKS(8'd8)
    ) board (
        .clk(clk), .locked_i(locked), .host_rx_i(RX), .host_tx_o(TX),
        .tdma_clk(TDMA_CLK), .tdma_sync(TDMA_SYNC), .link(LINK), .nrst(NRST), .boot0(BOOT0),
        .uart0_rx(UART0_RX), .uart0_tx(UART0_TX),
        .alive_o(LED0), .running_o(LED1), .fault_o(LED7)
    );
endmodule

`default_nettype wire
