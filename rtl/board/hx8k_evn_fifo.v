// SPDX-FileCopyrightText: The phasebench authors
// SPDX-License-Identifier: Apache-2.0
//
// iCE40-HX8K-B-EVN with an FT232H or FT2232H module at header J4, as a synchronous FIFO, which
// carries every edge: 16 links and one node port, as a fault unit (FAULTS 1), or a time-to-digital
// converter (TDC_TAPS 48), uses the cells of joined pairs in hx8k_evn.v. Clock 12 MHz at J3, core
// 96 MHz, FIFO 60 MHz from the module. LEDs: LED0 host link active, LED1 phase clock, LED7 alarm.
`default_nettype none

module hx8k_evn_fifo #(parameter FAULTS = 1, TDC_TAPS = 0) (
    input  wire        CLK,
    input  wire        FIFO_CLK,
    inout  wire        FIFO_RXF_N,     // input
    inout  wire        FIFO_TXE_N,     // input
    output wire        FIFO_OE_N,
    output wire        FIFO_RD_N,
    output wire        FIFO_WR_N,
    output wire        FIFO_SIWU_N,
    inout  wire [7:0]  FIFO_D,
    inout  wire        TDMA_CLK,
    inout  wire        TDMA_SYNC,
    inout  wire [15:0] LINK,
    inout  wire        NRST,
    inout  wire        BOOT0,
    inout  wire        UART0_RX,
    inout  wire        UART0_TX,
    output wire        LED0,
    output wire        LED1,
    output wire        LED7
);
    wire clk, locked, rst;
    pb_pll #(.DIVF(7'd63), .DIVQ(3'd3)) pll (.clk_i(CLK), .clk_o(clk), .locked_o(locked));

    wire       ft_clk, rxf_n, txe_n, oe_n, rd_n, wr_n, siwu_n, drive;
    wire [7:0] data_in, data_out;
    pb_clock_pin clock_pin (.pin(FIFO_CLK), .clk_o(ft_clk));
    pb_fifo_pads pads (
        .clk(ft_clk), .rxf_n_o(rxf_n), .txe_n_o(txe_n), .oe_n_i(oe_n), .rd_n_i(rd_n), .wr_n_i(wr_n), .siwu_n_i(siwu_n),
        .data_o(data_in), .data_i(data_out), .drive_i(drive),
        .rxf_n(FIFO_RXF_N), .txe_n(FIFO_TXE_N), .oe_n(FIFO_OE_N), .rd_n(FIFO_RD_N), .wr_n(FIFO_WR_N), .siwu_n(FIFO_SIWU_N),
        .data(FIFO_D)
    );
    wire       rx_valid, rx_ready, tx_valid, tx_ready;
    wire [7:0] rx_data, tx_data;
    pb_host_fifo_sync host_fifo (
        .clk(clk), .rst_i(rst),
        .rx_valid_o(rx_valid), .rx_data_o(rx_data), .rx_ready_i(rx_ready),
        .tx_valid_i(tx_valid), .tx_data_i(tx_data), .tx_ready_o(tx_ready),
        .ft_clk(ft_clk), .ft_rxf_n_i(rxf_n), .ft_txe_n_i(txe_n), .ft_oe_n_o(oe_n), .ft_rd_n_o(rd_n), .ft_wr_n_o(wr_n),
        .ft_siwu_n_o(siwu_n), .ft_data_i(data_in), .ft_data_o(data_out), .ft_drive_o(drive)
    );

    // The FIFO's crossing takes block RAM; its rate needs no large buffer of events.
    pb_board #(
        .LINKS(16), .LANES(3), .NODES(1), .RECEIVERS(4), .JOIN(0), .FAULTS(FAULTS), .FAULT_FEEDBACK(0), .HALF_TICKS(1), .TDC_TAPS(TDC_TAPS),
        .EVENT_DEPTH_LOG2(8), .CLK_HZ(96000000)
    ) board (
        .clk(clk), .locked_i(locked), .rst_o(rst),
        .host_rx_valid_i(rx_valid && rx_ready), .host_rx_data_i(rx_data), .host_rx_ready_o(rx_ready),
        .host_tx_valid_o(tx_valid), .host_tx_data_o(tx_data), .host_tx_ready_i(tx_ready),
        .tdma_clk(TDMA_CLK), .tdma_sync(TDMA_SYNC), .link(LINK), .nrst(NRST), .boot0(BOOT0),
        .uart0_rx(UART0_RX), .uart0_tx(UART0_TX),
        .alive_o(LED0), .running_o(LED1), .fault_o(LED7)
    );
endmodule

`default_nettype wire
