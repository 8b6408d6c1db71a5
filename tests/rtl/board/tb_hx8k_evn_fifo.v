// SPDX-FileCopyrightText: The phasebench authors
// SPDX-License-Identifier: Apache-2.0
//
// The top of the HX8K-EVN with a FIFO module, at its pins: a chip that sends a reading of the register ID
// through the synchronous FIFO and takes TXE# back for a clock now and then. The replies must be the packet
// of rtl/proto/vectors.def (read_reply), byte for byte, and end with SIWU#. Then its fault unit: a line that
// is pulled low, an edge of TDMA_CLK that does not come, each at the scheduled tick of the pins, and a SHORT,
// for which such a unit gives only a receipt. With TDC_TAPS its time-to-digital converter (tdc_edges.vh). The
// same bench runs on the Verilog and on the netlist (macro NETLIST) with the vendor's cell models.
`timescale 1ns / 1ps
`default_nettype none
`define NAME "tb_hx8k_evn_fifo"
`include "pb_regs.vh"

module tb_hx8k_evn_fifo #(parameter FAULTS = 1, TDC_TAPS = 0);
    localparam LIMIT_CLOCKS = 200000, REPLY_CLOCKS = 3000, TIMES = 10;
    localparam PERIOD = 1000, HIGH = 500, PHASES = 4, FRAMES = 4, TICK = 10;      // ticks, ns
    localparam [8*11-1:0] REQUEST = 88'h7e0101040000010046237e;
    localparam [8*15-1:0] REPLY   = 120'h7e8101080000000131434250ff0e7e;
`include "tb_pb_common.vh"
`include "host_packets.vh"

    reg ft_clk = 1'b0, rxf_n = 1'b1, txe_n = 1'b1, oe_on = 1'b0;
    always #8.333 ft_clk = !ft_clk;
    wire        oe_n, rd_n, wr_n, siwu_n, tdma_clk, tdma_sync;
    wire [7:0]  bus;
    wire [15:0] link;
    wire        nrst, boot0, uart0_rx, uart0_tx;
    reg  [15:0] node = 16'd0;                   // what the node pulls
    wire [2:0]  leds;
    pulldown (tdma_clk), (tdma_sync);
    pullup (link[0]), (link[1]), (link[2]), (link[3]), (link[4]), (link[5]), (link[6]), (link[7]), (link[8]), (link[9]),
        (link[10]), (link[11]), (link[12]), (link[13]), (link[14]), (link[15]), (uart0_tx), (nrst);
    genvar g;
    generate for (g = 0; g < 16; g = g + 1) begin : g_line
        assign link[g] = node[g] ? 1'b0 : 1'bz;
    end endgenerate
    wire rxf_pin = rxf_n, txe_pin = txe_n;
    reg  [7:0] given = 8'hxx;
    assign bus = oe_on ? given : 8'bz;
    hx8k_evn_fifo
`ifndef NETLIST
        #(.FAULTS(FAULTS), .TDC_TAPS(TDC_TAPS))
`endif
    dut (
        .CLK(clk), .FIFO_CLK(ft_clk), .FIFO_RXF_N(rxf_pin), .FIFO_TXE_N(txe_pin), .FIFO_OE_N(oe_n), .FIFO_RD_N(rd_n),
        .FIFO_WR_N(wr_n), .FIFO_SIWU_N(siwu_n), .FIFO_D(bus), .TDMA_CLK(tdma_clk), .TDMA_SYNC(tdma_sync), .LINK(link),
        .NRST(nrst), .BOOT0(boot0), .UART0_RX(uart0_rx), .UART0_TX(uart0_tx), .LED0(leds[0]), .LED1(leds[1]), .LED7(leds[2]));

    // ---- the chip: outputs 9 ns after CLKOUT
    integer     dump = 0, at = 11, got = 0, pulses = 0;
    reg         free = 1'b0;                    // packets of the bench's own choice
    reg  [7:0]  queue [0:4095];
    integer     head = 0, tail = 0;
    reg         siwu_before = 1'b1;
    reg [8*256-1:0] path;
    initial if ($value$plusargs("dump=%s", path)) dump = $fopen(path, "w");
    always @(oe_n) oe_on <= #9 !oe_n;
    always @(posedge ft_clk) begin
        if ($time > 100 && ^{oe_n, rd_n, wr_n, siwu_n} === 1'bx)
            fail("a strobe is unknown");
        if (!rd_n && !rxf_n) begin
            if (free)
                head = head + 1;
            else
                at = at + 1;
        end
        if (!wr_n && !txe_n) begin
            if (dump != 0)
                $fdisplay(dump, "%h", bus);
            if (free)
                take(bus);
            else begin
                if (bus !== REPLY[8*(14-got) +: 8])
                    fail("wrong byte in a reply");
                got = got + 1;
                if (got == 15) begin
                    got     = 0;
                    replies = replies + 1;
                end
            end
        end
        pulses      = pulses + (siwu_before && !siwu_n);
        siwu_before = siwu_n;
        rxf_n <= #9 free ? head == tail : at >= 11;
        txe_n <= #9 random(0) % 4 == 0;
        given <= #9 free ? queue[head] : at < 11 ? REQUEST[8*(10-at) +: 8] : 8'hff;
    end

    // ---- packets of its own choice
    task put(input [7:0] value);
        begin
            queue[tail] = value;
            tail = tail + 1;
        end
    endtask
    task fault(input [4:0] kind, input integer line, input integer other, input integer frame, input integer phase, input integer offset,
               input integer ticks, input integer record);
        begin
            add(8'h80, 1);
            add(kind, 1);
            add(line, 1);
            add(phase, 2);
            add(frame, 2);
            add(record, 2);
            add(offset, 3);
            add(other, 1);
            add(ticks, 4);
            add(1, 4);
            command(`PB_OPCODE_PLAY, `PB_STATUS_OK);
        end
    endtask

    // ---- at the pins: edges of TDMA_CLK, and when link 5 falls and rises
    integer edges = 0, phase_at = 0, fell_at = 0, rose_at = 0, falls = 0, repeated = 0;
    always @(posedge tdma_clk) if (free) begin
        edges    = edges + 1;
        phase_at = edges == 6 ? $time : phase_at;      // superframe 1, phase 1
    end
    always @(negedge link[5]) if (free) begin
        falls   = falls + 1;
        fell_at = $time;
    end
    always @(posedge link[5]) rose_at = $time;
    always @(negedge link[7]) if (free) repeated = repeated + 1;

    integer i, stamp, phases, receipts;
    reg [63:0] w;
    task fault_unit;
        begin
            write(`PB_REG_PHASE_COUNT, PHASES);
            write(`PB_REG_PERIOD_TICKS, PERIOD);
            write(`PB_REG_HIGH_TICKS, HIGH);
            write(`PB_REG_SUPERFRAME_LIMIT, FRAMES);
            write(`PB_REG_LINK + 5, 32'h3f0001);
            write(`PB_REG_LINK + 6, 32'h3f0001);
            write(`PB_REG_LINK + 7, 32'h3f0001);
            fault(`PB_FAULT_STUCK_LOW, 5, 0, 1, 1, 300, 500, 77);
            fault(`PB_FAULT_MISSING_EDGE, 0, 0, 2, 2, 0, HIGH + 4, 78);
            fault(`PB_FAULT_SHORT, 6, 7, 3, 0, 100, 700, 79);
            write(`PB_REG_CTRL, 3);
            while (edges < 12) @(negedge clk);              // one is missing: superframe 3, phase 0
            repeat (300) @(negedge clk);
            node[6] = 1'b1;
            repeat (200) @(negedge clk);
            node[6] = 1'b0;
            repeat (10000) @(negedge clk);                  // the last events come after some silence
            if (edges != PHASES * FRAMES - 1)
                fail("not one edge of TDMA_CLK is missing");
            if (falls != 1 || fell_at - phase_at != 300 * TICK || rose_at - fell_at != 500 * TICK)
                fail("the line was not low when it was ordered");
            if (repeated != 0)
                fail("a unit without feedback repeats a low");
            phases = 0;
            stamp  = 0;
            receipts = 0;
            for (i = 0; i < events; i = i + 1) begin
                w = event_word[i];
                if (w[63:60] == `PB_EVENT_PHASE) begin
                    phases = phases + 1;
                    if (phases == 6)
                        stamp = w[31:0];
                end
                if (w[63:60] == `PB_EVENT_OVERFLOW || w[63:60] == `PB_EVENT_UNDERRUN)
                    fail("something was lost");
                if (w[63:60] == `PB_EVENT_FAULT) begin
                    // kind, what (1 began, 0 ended), number, link
                    case (receipts)
                        0: if (w[59:32] !== {6'd5, 15'd77, 2'd1, `PB_FAULT_STUCK_LOW} || w[31:0] != stamp + 300) fail("receipt 0");
                        1: if (w[59:32] !== {6'd5, 15'd77, 2'd0, `PB_FAULT_STUCK_LOW} || w[31:0] != stamp + 800) fail("receipt 1");
                        2: if (w[53:32] !== {15'd78, 2'd1, `PB_FAULT_MISSING_EDGE} || w[31:0] != stamp + 5 * PERIOD) fail("receipt 2");
                        3: if (w[53:32] !== {15'd78, 2'd0, `PB_FAULT_MISSING_EDGE} || w[31:0] != stamp + 5 * PERIOD + HIGH + 4) fail("receipt 3");
                        4: if (w[59:32] !== {6'd6, 15'd79, 2'd1, `PB_FAULT_SHORT} || w[31:0] != stamp + 7 * PERIOD + 100) fail("receipt 4");
                        5: if (w[59:32] !== {6'd6, 15'd79, 2'd0, `PB_FAULT_SHORT} || w[31:0] != stamp + 7 * PERIOD + 800) fail("receipt 5");
                        default: fail("one receipt too many");
                    endcase
                    receipts = receipts + 1;
                end
            end
            if (phases != PHASES * FRAMES || receipts != 6)
                fail("not all receipts came");
        end
    endtask

`include "tdc_edges.vh"
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

        replies = 0;
        free = 1'b1;
        expect_register(`PB_REG_SHAPE, 32'h10010310 | FAULTS << 24);   // halves of a tick, units without feedback, ports, lanes, links: docs/start/boards.md
        expect_register(`PB_REG_TDC_SHAPE, TDC_TAPS);
        // More packets at a time than the core has room for, with flags in common: the FIFO waits.
        replies = 0;
        put(FLAG);
        add(`PB_REG_SHAPE, 2);
        add(1, 2);
        for (i = 0; i < 6; i = i + 1) begin
            number = number + 8'd1;
            put_body(`PB_OPCODE_READ, 1'b0);
            put(FLAG);
        end
        repeat (3000) @(negedge clk);
        if (replies != 6 || refusals != 0)
            fail("not one reply to each of the packets with flags in common");
        replies = 0;
        length  = 0;
        add(100, 2);
        command(`PB_OPCODE_CREDIT, `PB_STATUS_OK);
        if (FAULTS != 0)
            fault_unit;
        if (TDC_TAPS != 0)
            converter;
        verdict;
    end
endmodule

`default_nettype wire
