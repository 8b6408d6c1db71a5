// SPDX-FileCopyrightText: The phasebench authors
// SPDX-License-Identifier: Apache-2.0
//
// The top of the HX8K-EVN with a FIFO module, at its pins: a chip that sends a reading of the register ID through the synchronous FIFO
// and takes TXE# back for a clock now and then. The replies must be the packet of rtl/proto/vectors.def (read_reply), byte
// for byte, and end with SIWU#. The same bench runs on the Verilog and on the netlist with the vendor's cell models.
`timescale 1ns / 1ps
`default_nettype none
`define NAME "tb_hx8k_evn_fifo"

module tb_hx8k_evn_fifo;
    localparam LIMIT_CLOCKS = 200000, TIMES = 10;
    localparam [8*11-1:0] REQUEST = 88'h7e0101040000010046237e;
    localparam [8*15-1:0] REPLY   = 120'h7e8101080000000131434250ff0e7e;
`include "tb_pb_common.vh"

    reg ft_clk = 1'b0, rxf_n = 1'b1, txe_n = 1'b1, oe_on = 1'b0;
    always #8.333 ft_clk = !ft_clk;
    wire        oe_n, rd_n, wr_n, siwu_n, tdma_clk, tdma_sync;
    wire [7:0]  bus;
    wire [15:0] link;
    wire [1:0]  nrst, boot0, uart0_rx, uart0_tx;
    wire [2:0]  leds;
    pulldown (tdma_clk), (tdma_sync);
    pullup (link[0]), (link[1]), (link[2]), (link[3]), (link[4]), (link[5]), (link[6]), (link[7]), (link[8]), (link[9]),
        (link[10]), (link[11]), (link[12]), (link[13]), (link[14]), (link[15]), (uart0_tx[0]), (uart0_tx[1]);
    wire rxf_pin = rxf_n, txe_pin = txe_n;
    reg  [7:0] given = 8'hxx;
    assign bus = oe_on ? given : 8'bz;
    hx8k_evn_fifo dut (
        .CLK(clk), .FIFO_CLK(ft_clk), .FIFO_RXF_N(rxf_pin), .FIFO_TXE_N(txe_pin), .FIFO_OE_N(oe_n), .FIFO_RD_N(rd_n),
        .FIFO_WR_N(wr_n), .FIFO_SIWU_N(siwu_n), .FIFO_D(bus), .TDMA_CLK(tdma_clk), .TDMA_SYNC(tdma_sync), .LINK(link),
        .NRST(nrst), .BOOT0(boot0), .UART0_RX(uart0_rx), .UART0_TX(uart0_tx), .LED0(leds[0]), .LED1(leds[1]), .LED7(leds[2]));

    // ---- the chip: outputs 9 ns after CLKOUT
    integer     dump = 0, at = 11, got = 0, replies = 0, pulses = 0;
    reg         siwu_before = 1'b1;
    reg [8*256-1:0] path;
    initial if ($value$plusargs("dump=%s", path)) dump = $fopen(path, "w");
    always @(oe_n) oe_on <= #9 !oe_n;
    always @(posedge ft_clk) begin
        if ($time > 100 && ^{oe_n, rd_n, wr_n, siwu_n} === 1'bx)
            fail("a strobe is unknown");
        if (!rd_n && !rxf_n)
            at = at + 1;
        if (!wr_n && !txe_n) begin
            if (bus !== REPLY[8*(14-got) +: 8])
                fail("wrong byte in a reply");
            if (dump != 0)
                $fdisplay(dump, "%h", bus);
            got = got + 1;
            if (got == 15) begin
                got     = 0;
                replies = replies + 1;
            end
        end
        pulses      = pulses + (siwu_before && !siwu_n);
        siwu_before = siwu_n;
        rxf_n <= #9 at >= 11;
        txe_n <= #9 random(0) % 4 == 0;
        given <= #9 at < 11 ? REQUEST[8*(10-at) +: 8] : 8'hff;
    end

    integer i;
    initial begin
        repeat (400) @(negedge clk);    // out of reset
        for (i = 1; i <= TIMES; i = i + 1) begin
            at = 0;
            repeat (600) @(negedge clk);
            if (replies != i || got != 0)
                fail("not one reply to a request");
            if (pulses != i)
                fail("not one SIWU# to a reply");
        end
        verdict;
    end
endmodule

`default_nettype wire
