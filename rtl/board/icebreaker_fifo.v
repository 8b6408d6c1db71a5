// SPDX-FileCopyrightText: The phasebench authors
// SPDX-License-Identifier: Apache-2.0
//
// iCEBreaker 1.0e (iCE40UP5K) with its FIFO jumpers J3 to J13 closed: the bench of icebreaker.v
// with the asynchronous 245 FIFO of the FTDI chip's channel B as host port. It carries 3.6 MB/s,
// three times the rate of the UART. The FIFO uses PMOD2 and the LEDs, so UART0_RX is at the pin
// that is NRST in icebreaker.v. The node's reset and boot pins are set by hand and by pull
// resistors. Clock 12 MHz at pin 35, core 36 MHz. RGB LED: red (pin 39) alarm, green (40) host link
// active, blue (41) phase clock running.
`default_nettype none

module icebreaker_fifo (
    input  wire        CLK,
    inout  wire        FIFO_RXF_N,     // input
    inout  wire        FIFO_TXE_N,     // input
    output wire        FIFO_RD_N,
    output wire        FIFO_WR_N,
    output wire        FIFO_SIWU_N,
    inout  wire [7:0]  FIFO_D,
    inout  wire        TDMA_CLK,
    inout  wire        TDMA_SYNC,
    inout  wire [11:0] LINK,
    inout  wire        UART0_RX,
    inout  wire        UART0_TX,
    output wire [2:0]  RGB
);
    localparam [31:0] CLK_HZ = 36000000;
    wire clk, locked, rst;
    pb_pll #(.PAD(1), .DIVF(7'd47), .DIVQ(3'd4)) pll (.clk_i(CLK), .clk_o(clk), .locked_o(locked));

    wire       rxf_n, txe_n, rd_n, wr_n, siwu_n, drive, unused_oe_n;
    wire [7:0] data_in, data_out;
    pb_fifo_pads #(.OE(0)) pads (
        .clk(clk), .rxf_n_o(rxf_n), .txe_n_o(txe_n), .oe_n_i(1'b1), .rd_n_i(rd_n), .wr_n_i(wr_n), .siwu_n_i(siwu_n),
        .data_o(data_in), .data_i(data_out), .drive_i(drive),
        .rxf_n(FIFO_RXF_N), .txe_n(FIFO_TXE_N), .oe_n(unused_oe_n), .rd_n(FIFO_RD_N), .wr_n(FIFO_WR_N), .siwu_n(FIFO_SIWU_N),
        .data(FIFO_D)
    );
    wire       rx_valid, rx_ready, tx_valid, tx_ready;
    wire [7:0] rx_data, tx_data;
    pb_host_fifo_async #(.CLK_HZ(CLK_HZ)) host_fifo (
        .clk(clk), .rst_i(rst),
        .rx_valid_o(rx_valid), .rx_data_o(rx_data), .rx_ready_i(rx_ready),
        .tx_valid_i(tx_valid), .tx_data_i(tx_data), .tx_ready_o(tx_ready),
        .ft_rxf_n_i(rxf_n), .ft_txe_n_i(txe_n), .ft_rd_n_o(rd_n), .ft_wr_n_o(wr_n), .ft_siwu_n_o(siwu_n),
        .ft_data_i(data_in), .ft_data_o(data_out), .ft_drive_o(drive)
    );

    wire alive, running, fault;
    wire [1:0] unused_control;
    pb_board #(.LINKS(12), .LANES(2), .NODES(1), .RECEIVERS(1), .JOIN(0), .FAULTS(0), .HALF_TICKS(1), .CONTROL(0), .CLK_HZ(CLK_HZ)) board (
        .clk(clk), .locked_i(locked), .rst_o(rst),
        .host_rx_valid_i(rx_valid && rx_ready), .host_rx_data_i(rx_data), .host_rx_ready_o(rx_ready),
        .host_tx_valid_o(tx_valid), .host_tx_data_o(tx_data), .host_tx_ready_i(tx_ready),
        .tdma_clk(TDMA_CLK), .tdma_sync(TDMA_SYNC), .link(LINK), .nrst(unused_control[0]), .boot0(unused_control[1]),
        .uart0_rx(UART0_RX), .uart0_tx(UART0_TX),
        .alive_o(alive), .running_o(running), .fault_o(fault)
    );
    pb_rgb rgb (.lit_i({running, alive, fault}), .pins(RGB));
    wire unused = &{1'b0, unused_oe_n, unused_control};
endmodule

`default_nettype wire
