// SPDX-FileCopyrightText: The phasebench authors
// SPDX-License-Identifier: Apache-2.0
//
// The top of the iCEBreaker at its pins: commands by UART, a run with frames of the slot player on links that
// are received again at their own pins, a board that pulls out of its phase, a console. Events must be those
// that the instants at the pins ask for, edges with the half of the clock in which they are made: the bench's
// own at a clock edge, those of the board between two. The same bench runs on the Verilog and on the netlist
// that the synthesizer made of it, with the vendor's cell models; with +dump=FILE all that leaves the top is
// written there, for tests/rtl/board/run.sh to compare.
`timescale 1ns / 1ps
`default_nettype none
`define NAME "tb_icebreaker"
`include "pb_regs.vh"

module tb_icebreaker;
    localparam LIMIT_CLOCKS = 100000, REPLY_CLOCKS = 2000;
    localparam UART = 3;                            // clocks of a bit
    localparam PERIOD = 600, PHASES = 4, FRAMES = 3;
    localparam BIT = 24, OFFSET = 40;               // ticks
`include "tb_pb_common.vh"
`include "host_packets.vh"

    reg         rx = 1'b1;
    wire        tx, tdma_clk, tdma_sync, nrst, boot0, uart0, ledg_n, ledr_n, led1;
    wire [11:0] link;
    reg  [11:0] board = 12'd0;
    reg         live = 1'b0;                        // out of reset
    reg         button = 1'b0;                      // of the node's reset
    pullup (tdma_clk), (tdma_sync);                 // down on a real board; up shows which side releases
    pullup (nrst), (uart0);
    pulldown (boot0);
    assign nrst = button ? 1'b0 : 1'bz;
    // From power-up to the end of the reset: a node that runs keeps running, one without supply gets none from here.
    always @(nrst or boot0 or uart0)
        if (!live && $time > 0 && (nrst !== 1'b1 || boot0 !== 1'b0 || uart0 !== 1'b1))
            fail("a pin of the node moves before the end of the reset");
    genvar g;
    generate for (g = 0; g < 12; g = g + 1) begin : g_line
        pullup (link[g]);
        assign link[g] = board[g] ? 1'b0 : 1'bz;
    end endgenerate
    icebreaker dut (
        .CLK(clk), .RX(rx), .TX(tx), .TDMA_CLK(tdma_clk), .TDMA_SYNC(tdma_sync), .LINK(link), .NRST(nrst), .BOOT0(boot0),
        .UART0_RX(uart0), .UART0_TX(uart0), .LEDG_N(ledg_n), .LEDR_N(ledr_n), .LED1(led1));

    // ---- pins
    integer          dump = 0, now = 0;
    reg [8*256-1:0]  path;
    reg [19:0]       pins, pins_before = 0;
    initial if ($value$plusargs("dump=%s", path)) dump = $fopen(path, "w");
    always @(negedge clk) begin
        now = now + 1;
        pins = {tx, tdma_clk, tdma_sync, link, nrst, boot0, uart0, ledg_n, ledr_n};
        if (live && ^pins === 1'bx)
            fail("unknown output");
        if (live && dump != 0 && pins !== pins_before)
            $fdisplay(dump, "%0d %h %b", now, pins, led1);
        pins_before = pins;
    end

    // ---- bytes by UART
    integer   k, b;
    reg [7:0] value;
    task put(input [7:0] sent);
        begin
            rx = 1'b0;
            clocks(UART);
            for (k = 0; k < 8; k = k + 1) begin
                rx = sent[k];
                clocks(UART);
            end
            rx = 1'b1;
            clocks(UART);
        end
    endtask
    initial forever begin
        @(negedge tx);
        if (live) begin
            clocks(UART / 2);
            for (b = 0; b < 8; b = b + 1) begin
                clocks(UART);
                value[b] = tx;
            end
            clocks(UART);
            if (tx !== 1'b1)
                fail("the UART has no stop bit");
            take(value);
        end
    end
    task play(input integer lane, input integer target, input integer slot, input integer offset, input [15:0] text);
        begin
            add_play(lane, target, 2, slot, PHASES, offset, 16 * BIT);
            add(text, 2);
            command(`PB_OPCODE_PLAY, `PB_STATUS_OK);
        end
    endtask

    // ---- the run
    integer e, phases, bytes, consoles, alarms, edges, phase_stamp, heard, due, s;
    reg [63:0] w;
    reg [15:0] sent [0:PHASES*FRAMES-1];    // two bytes in each slot that is used, on link slot % 12
    initial begin
        clocks(10);
        rst = 1'b0;
        clocks(200);
        live = 1'b1;
        if (link !== 12'hfff || nrst !== 1'b1 || boot0 !== 1'b0 || tdma_clk !== 1'b1)
            fail("something is driven after reset");
        button = 1'b1;
        clocks(2);
        if (nrst !== 1'b0)
            fail("NRST is driven high against the button");
        button = 1'b0;
        write(`PB_REG_NODE_RESET, 1);
        if (nrst !== 1'b0)
            fail("NRST does not reset the node");
        write(`PB_REG_NODE_RESET, 0);
        if (nrst !== 1'b1)
            fail("NRST is not released");
        write(`PB_REG_NODE_BOOT, 1);
        if (boot0 !== 1'b1)
            fail("BOOT0 is not driven high");
        write(`PB_REG_NODE_BOOT, 0);
        add(100, 2);
        command(`PB_OPCODE_CREDIT, `PB_STATUS_OK);
        write(`PB_REG_PHASE_COUNT, PHASES);
        write(`PB_REG_PERIOD_TICKS, PERIOD);
        write(`PB_REG_HIGH_TICKS, PERIOD / 2);
        write(`PB_REG_SUPERFRAME_LIMIT, FRAMES);
        write(`PB_REG_BIT_PERIOD, 16 * BIT);
        write(`PB_REG_CONSOLE_PERIOD, 16 * BIT);
        write(`PB_REG_EDGE_MASK0, 32'h810);
        write(`PB_REG_BYTE_MASK0, 32'hfff);
        write(`PB_REG_JOIN_BLANK, BIT / 2);
        for (s = 0; s < 12; s = s + 1)
            write(`PB_REG_LINK + s, 32'h3f0001);        // virtual neighbour, its node is not watched
        write(`PB_REG_LINK + 11, 32'h000000);           // but this one, which may pull in phase 0
        for (s = 0; s < PHASES * FRAMES; s = s + 1)
            if (s != 7) begin
                sent[s] = random(0);
                play(0, s % 11, s, OFFSET + s, sent[s]);
            end
        play(1, 8'h80, 2, OFFSET, 16'hc35a);
        write(`PB_REG_CTRL, 3);
        if (led1 !== 1'b1 || ledg_n !== 1'b0 || ledr_n !== 1'b1)
            fail("the lights are wrong");
        @(posedge tdma_sync);                           // superframe 1, then its phase 3, in which nothing else is sent
        repeat (3) @(posedge tdma_clk);
        clocks(100);
        #2.5 board[11] = 1'b1;              // in the second half of a clock, which begins at its rising edge
        clocks(30);
        #7.5 board[11] = 1'b0;              // in the first half of the next one
        clocks(PERIOD * PHASES * FRAMES + 24000);     // the UART is slow
        if (led1 !== 1'b0 || ledr_n !== 1'b0)
            fail("the lights are wrong after the run");

        phases = 0;
        bytes = 0;
        consoles = 0;
        alarms = 0;
        edges = 0;
        heard = 0;
        for (e = 0; e < events; e = e + 1) begin
            w = event_word[e];
            case (w[63:60])
                `PB_EVENT_PHASE: begin
                    if (w[40:32] != phases % PHASES || w[53:41] != phases / PHASES || (phases > 0 && w[31:0] != phase_stamp + PERIOD))
                        fail("a phase out of step");
                    phase_stamp = w[31:0];
                    phases = phases + 1;
                    heard = 0;
                end
                `PB_EVENT_BYTE: if (w[59:54] != 11) begin
                    s = phases - 1;
                    // The start edge leaves its pin OFFSET + s ticks after that of TDMA_CLK; a sample at bit 9.5 of each byte.
                    due = phase_stamp + OFFSET + s + heard * 10 * BIT + 19 * BIT / 2;
                    if (w[59:54] != s % 11 || w[40:32] !== {1'b1, heard == 0 ? sent[s][7:0] : sent[s][15:8]})
                        fail("another byte than the one played");
                    if (w[31:0] != due)
                        fail("a byte at another instant than asked for");
                    heard = heard + 1;
                    bytes = bytes + 1;
                end
                `PB_EVENT_EDGE: begin
                    if (w[34:33] != (w[59:54] == 11 && !w[32] ? 2 : 1))
                        fail("an edge in the wrong half of its clock");
                    edges = edges + (w[59:54] == 11);
                end
                `PB_EVENT_CONSOLE: begin
                    if (w[40:32] !== {1'b1, consoles == 0 ? 8'h5a : 8'hc3})
                        fail("another console byte than the one played");
                    consoles = consoles + 1;
                end
                `PB_EVENT_ALARM: begin
                    if (w[59:54] != 11 || w[36:32] != `PB_ALARM_OUTSIDE_PHASE)
                        fail("an alarm that nothing asks for");
                    alarms = alarms + 1;
                end
                `PB_EVENT_OVERFLOW, `PB_EVENT_UNDERRUN: fail("something was lost");
                default: ;
            endcase
        end
        if (phases != PHASES * FRAMES || bytes != 2 * (PHASES * FRAMES - 1) || consoles != 2 || alarms != 1 || edges != 2)
            fail("not all events came");
        verdict;
    end
endmodule

`default_nettype wire
