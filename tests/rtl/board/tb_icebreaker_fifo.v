// SPDX-FileCopyrightText: The phasebench authors
// SPDX-License-Identifier: Apache-2.0
//
// The top of the iCEBreaker with its FIFO, at its pins: a chip that sends a reading of the register ID
// through the asynchronous FIFO, as late as the data sheet (FT_000061) allows. The replies must be the packet
// of rtl/proto/vectors.def (read_reply), byte for byte, and end with SIWU#. The same bench runs on the
// Verilog and on the netlist with the vendor's cell models. The PLL's models pass the clock as it is, so all
// times are shorter by as much as clk is faster than the board's.
`timescale 1ns / 1ps
`default_nettype none
`define NAME "tb_icebreaker_fifo"

module tb_icebreaker_fifo;
    localparam LIMIT_CLOCKS = 200000, TIMES = 10, CLK_MHZ = 36;
    localparam [8*11-1:0] REQUEST = 88'h7e0101040000010046237e;
    localparam [8*15-1:0] REPLY   = 120'h7e8101080000000131434250ff0e7e;
`include "tb_pb_common.vh"
    localparam real NS = CLK_MHZ / 100.0;           // of clk, whose period is 10 ns, a nanosecond of the board
    localparam real LATEST = 14.0 * NS, INACTIVE = 49.0 * NS, STROBE = 30.0 * NS, SETUP = 5.0 * NS;

    reg        rxf_n = 1'b1, txe_n = 1'b1, chip_drives = 1'b0;
    reg  [7:0] given = 8'hxx;
    wire       rd_n, wr_n, siwu_n, tdma_clk, tdma_sync, uart0;
    wire [7:0] bus;
    wire [2:0] rgb;
    wire [11:0] link;
    pulldown (tdma_clk), (tdma_sync);
    pullup (uart0);
    genvar g;
    generate for (g = 0; g < 12; g = g + 1) begin : g_line
        pullup (link[g]);
    end endgenerate
    wire rxf_pin = rxf_n, txe_pin = txe_n;
    assign bus = chip_drives ? given : 8'bz;
    icebreaker_fifo dut (
        .CLK(clk), .FIFO_RXF_N(rxf_pin), .FIFO_TXE_N(txe_pin), .FIFO_RD_N(rd_n), .FIFO_WR_N(wr_n), .FIFO_SIWU_N(siwu_n),
        .FIFO_D(bus), .TDMA_CLK(tdma_clk), .TDMA_SYNC(tdma_sync), .LINK(link), .UART0_RX(uart0), .UART0_TX(uart0), .RGB(rgb));

    integer     dump = 0, at = 11, got = 0, replies = 0, pulses = 0;
    realtime    strobe_at = 0.0, bus_at = 0.0;
    reg [8*256-1:0] path;
    initial if ($value$plusargs("dump=%s", path)) dump = $fopen(path, "w");

    // ---- to the bench
    always begin
        wait (at < 11);
        rxf_n = 1'b0;
        @(negedge rd_n);
        strobe_at   = $realtime;
        chip_drives = 1'b1;
        given       = 8'hxx;
        #(LATEST) given = REQUEST[8*(10-at) +: 8];
        @(posedge rd_n);
        if ($realtime - strobe_at < STROBE)
            fail("RD# low for too short");
        at = at + 1;
        #(LATEST) rxf_n = 1'b1;
        chip_drives = 1'b0;
        #(INACTIVE);
    end

    // ---- from it
    always @(bus) bus_at = $realtime;
    always begin
        txe_n = 1'b0;
        @(negedge wr_n);
        strobe_at = $realtime;
        if ($realtime - bus_at < SETUP)
            fail("no data in the setup time before WR#");
        if (bus !== REPLY[8*(14-got) +: 8])
            fail("wrong byte in a reply");
        if (dump != 0)
            $fdisplay(dump, "%0t %h", $time, bus);
        got = got + 1;
        if (got == 15) begin
            got     = 0;
            replies = replies + 1;
        end
        #(LATEST) txe_n = 1'b1;
        if (!wr_n)
            @(posedge wr_n);
        if ($realtime - strobe_at < STROBE)
            fail("WR# low for too short");
        #(INACTIVE * (1 + random(0) % 4));
    end
    always @(negedge siwu_n)
        if ($time > 100)
            pulses = pulses + 1;
    always @(posedge clk)
        if ($time > 100 && ^{rd_n, wr_n, siwu_n} === 1'bx)
            fail("a strobe is unknown");

    integer i;
    initial begin
        repeat (400) @(negedge clk);    // out of reset
        for (i = 1; i <= TIMES; i = i + 1) begin
            at = 0;
            repeat (1500) @(negedge clk);
            if (replies != i || got != 0)
                fail("not one reply to a request");
            if (pulses != i)
                fail("not one SIWU# to a reply");
`ifndef NETLIST // the vendor's model of the LED driver has no function
            if (rgb !== 3'bz0z)
                fail("LEDs are not green alone after a valid packet");
`endif
        end
        verdict;
    end
endmodule

`default_nettype wire
