// SPDX-FileCopyrightText: The phasebench authors
// SPDX-License-Identifier: Apache-2.0
//
// The whole core from host bytes to pins and back: a run with slot player frames on several links, received
// again through the open-drain pins; errors, repetition, abort, a joined pair, a console. No output may ever
// be unknown after reset.
//
// With +dump=FILE all that leaves the core is written there: the bytes to the host, a line for every packet,
// and every change of a pin. The same bench in a 4-state event simulator and in Verilator must write the same
// file (tests/rtl/run.sh compares).
`timescale 1ns / 1ps
`default_nettype none
`define NAME "tb_pb_core"
`include "pb_regs.vh"

module tb_pb_core;
    localparam LIMIT_CLOCKS = 150000, REPLY_CLOCKS = 3000;
    localparam LINKS = 12, LANES = 3, NODES = 2;
`include "tb_pb_common.vh"
`include "host_packets.vh"

    reg              host_valid = 1'b0, host_ready = 1'b1;
    reg  [7:0]       host_data = 8'd0;
    wire             core_ready, core_valid, tdma_clk, tdma_sync;
    wire [7:0]       core_data;
    reg  [LINKS-1:0] board = 0;             // pulled by the boards
    wire [LINKS-1:0] pull;
    reg  [LINKS-1:0] half = {LINKS{1'b1}};  // levels in the middle of a clock
    reg              tdma_half = 1'b0, sync_half = 1'b0;
    always @(negedge clk) begin
        half      = ~(pull | board);
        tdma_half = tdma_clk;
        sync_half = tdma_sync;
    end
    wire [NODES-1:0] nrst, boot0, uart0_out;
    reg  [NODES-1:0] uart0_break = 0;

    pb_core #(.LINKS(LINKS), .LANES(LANES), .NODES(NODES), .HALF_TICKS(1), .CLK_HZ(48000000)) dut (
        .clk(clk), .rst_i(rst), .host_rx_valid_i(host_valid), .host_rx_data_i(host_data), .host_rx_ready_o(core_ready),
        .host_tx_valid_o(core_valid), .host_tx_data_o(core_data), .host_tx_ready_i(host_ready),
        .tdma_clk_o(tdma_clk), .tdma_sync_o(tdma_sync), .tdma_drive_o(), .tdma_clk_i(tdma_clk), .tdma_sync_i(tdma_sync),
        .tdma_half_i(tdma_half), .sync_half_i(sync_half),
        .link_high_o(), .link_i(~(pull | board)), .link_half_i(half), .link_pull_o(pull),
        .tdc_taps_i(1'b0), .tdc_enable_o(), .tdc_set_o(), .tdc_calibrate_o(), .tdc_pin_o(),
        .node_nrst_o(nrst), .node_boot0_o(boot0), .uart0_o(uart0_out), .uart0_i(uart0_out & ~uart0_break));

    // ---- pins: changes are dumped; where in which phase each line fell last
    integer          dump = 0, now = 0, rises = 0, rise_at [0:63];
    reg [8*256-1:0]  path;
    reg [LINKS+2*NODES+NODES+1:0] pins_before = 0, pins;
    reg              tdma_before = 1'b0;
    reg [LINKS-1:0]  pull_before = 0;
    integer          fall_at [0:LINKS-1], p;
    initial begin
        for (p = 0; p < LINKS; p = p + 1)
            fall_at[p] = -1;
        if ($value$plusargs("dump=%s", path))
            dump = $fopen(path, "w");
    end
    always @(negedge clk) if (!rst) begin
        now = now + 1;
        pins = {tdma_clk, tdma_sync, pull, nrst, boot0, uart0_out};
        if (^pins === 1'bx || ^core_valid === 1'bx || (core_valid && ^core_data === 1'bx) || ^core_ready === 1'bx)
            fail("unknown output");
        if (dump != 0 && pins !== pins_before)
            $fdisplay(dump, "pins %0d %h", now, pins);
        pins_before = pins;
        if (tdma_clk && !tdma_before) begin
            rise_at[rises % 64] = now;
            rises = rises + 1;
        end
        tdma_before = tdma_clk;
        for (p = 0; p < LINKS; p = p + 1)
            if (pull[p] && !pull_before[p] && fall_at[p] < 0)
                fall_at[p] = now;
        pull_before = pull;
    end

    // ---- the host's port, which stalls now and then
    reg [7:0] lfsr = 8'd1;
    always @(posedge clk) begin
        lfsr <= {lfsr[6:0], lfsr[7] ^ lfsr[5] ^ lfsr[4] ^ lfsr[3]};
        if (!rst && core_valid && host_ready) begin
            if (dump != 0)
                $fwrite(dump, "%h%s", core_data, core_data == FLAG && count != 0 ? "\n" : "");
            take(core_data);
        end
    end
    always @(negedge clk) #1 host_ready = lfsr[2:0] != 3'd0;
    task put(input [7:0] value);
        begin
            host_data = value;
            #1 while (!core_ready)
                clocks(1);
            host_valid = 1'b1;
            clocks(1);
            host_valid = 1'b0;
        end
    endtask

    // ---- slot player: what was asked for
    integer   i, j, asked = 0, ask_link [0:31], ask_phase [0:31], ask_offset [0:31], ask_bytes [0:31], ask_heard [0:31];
    reg [7:0] ask_data [0:255];
    integer   period = 131;
    task play(input [7:0] lane, input [7:0] to, input integer at, input integer offset, input integer n, input [7:0] seed);
        begin
            ask_link[asked] = to;
            ask_phase[asked] = at;          // counted from the start, 4 a superframe
            ask_offset[asked] = offset;
            ask_bytes[asked] = n;
            ask_heard[asked] = 0;
            add_play(lane, to, n, at, 4, offset, period);
            for (i = 0; i < n; i = i + 1) begin
                ask_data[8 * asked + i] = seed * 8'd37 + i * 8'd85;
                add(ask_data[8 * asked + i], 1);
            end
            asked = asked + 1;
            command(`PB_OPCODE_PLAY, `PB_STATUS_OK);
        end
    endtask

    integer e, a, f, phases, bytes, edges, underruns, starts, stops, wanted, phase_stamp [0:63], consoles, earlier;
    reg [63:0] w;
    reg [7:0]  console_text [0:7];
    // Reads the events of a run: phases must come in order, frames at their instants with their bytes.
    task check_events(input integer from, input integer ticks_times_3);
        begin
            phases = 0;
            bytes = 0;
            underruns = 0;
            starts = 0;
            stops = 0;
            for (e = from; e < events; e = e + 1) begin
                w = event_word[e % 1024];
                if (w[63:60] == `PB_EVENT_PHASE) begin
                    if (w[40:32] != phases % 4 || w[53:41] != phases / 4)
                        fail("phase event out of step");
                    phase_stamp[phases] = w[31:0];
                    if (phases > 0 && phase_stamp[phases] - phase_stamp[0] != phases * ticks_times_3 / 3)
                        fail("phase event at the wrong time");
                    phases = phases + 1;
                end else if (w[63:60] == `PB_EVENT_CLOCK) begin
                    starts = starts + w[32];
                    stops = stops + !w[32];
                end else if (w[63:60] == `PB_EVENT_UNDERRUN)
                    underruns = underruns + 1;
            end
            for (e = from; e < events; e = e + 1) begin
                w = event_word[e % 1024];
                if (w[63:60] == `PB_EVENT_BYTE) begin
                    f = -1;
                    for (a = 0; a < asked; a = a + 1)
                        if (f < 0 && ask_link[a] == w[59:54] && ask_heard[a] < ask_bytes[a])
                            f = a;
                    if (f < 0)
                        fail("byte from nowhere");
                    else begin
                        if (w[40:32] !== {1'b1, ask_data[8 * f + ask_heard[f]]})
                            fail("byte differs from what was played");
                        // start edge of the byte, then the middle of the stop bit; the stop bit is there half a bit more
                        wanted = phase_stamp[ask_phase[f]] + ask_offset[f] + ask_heard[f] * 10 * period / 16 + 19 * period / 32;
                        if (w[31:0] != wanted)
                            fail("byte at the wrong time");
                        ask_heard[f] = ask_heard[f] + 1;
                    end
                    bytes = bytes + 1;
                end
            end
            for (a = 0; a < asked; a = a + 1)
                if (ask_heard[a] != ask_bytes[a])
                    fail("byte not heard");
        end
    endtask

    initial begin
        clocks(8);
        rst = 1'b0;
        clocks(3);
        if ({tdma_clk, tdma_sync, pull, boot0} !== 0 || nrst !== 2'b11 || uart0_out !== 2'b11)
            fail("pins after reset");

        // Identity, errors, repetition, a corrupted packet.
        read(`PB_REG_ID, 6, 1'b0);
        if (word(0) !== `PB_ID_VALUE || word(1) !== `PB_MAP_HASH || word(2) !== 0 || word(3) !== 48000000 ||
            word(4) !== {8'h34, 8'd2, 8'd3, 8'd12} || word(5) !== {16'd512, 16'd2048})
            fail("wrong identity");
        read(`PB_REG_ID, 60, 1'b1);
        if (word(0) !== `PB_ID_VALUE || word(59) !== `PB_ID_VALUE)
            fail("fixed address does not stay");
        add(32'd0, 4);
        command(8'h55, `PB_STATUS_OPCODE);
        add({8'd0, 8'd61, 16'd0}, 4);
        command(`PB_OPCODE_READ, `PB_STATUS_LENGTH);
        add({8'd2, 8'd1, 16'd0}, 4);
        command(`PB_OPCODE_READ, `PB_STATUS_OPCODE);
        add(32'd0, 4);
        command(`PB_OPCODE_CREDIT, `PB_STATUS_LENGTH);
        add(32'd2, 4);
        add(32'd0, 4);
        command(`PB_OPCODE_WRITE, `PB_STATUS_LENGTH);
        add(32'd3, 4);
        command(`PB_OPCODE_PLAY, `PB_STATUS_OPCODE);
        write(`PB_REG_SCRATCH, 32'h7e7d5e5d);
        add({8'h11, 16'd0, 8'd2}, 4);
        add(24'h443322, 3);
        put_packet(`PB_OPCODE_WRITE, 1'b0);       // same sequence number: answered, not carried out
        await(`PB_OPCODE_WRITE, `PB_STATUS_OK);
        expect_register(`PB_REG_SCRATCH, 32'h7e7d5e5d);
        add({8'h03, 8'd1, 16'h0100}, 4);      // mode 1: both words go to LINK[0], low bytes first
        add(32'h02000000, 4);
        add(24'h00000a, 3);
        command(`PB_OPCODE_WRITE, `PB_STATUS_OK);
        read(`PB_REG_LINK, 2, 1'b0);
        if (word(0) !== 32'h00000a02 || word(1) !== 32'd0)
            fail("write to a fixed address");
        add({8'd0, 8'd1, 16'd0}, 4);
        put_packet(`PB_OPCODE_READ, 1'b1);
        clocks(300);
        if (replies != 0)
            fail("answered a spoiled packet");
        expect_register(`PB_REG_PACKETS_BAD, 32'd1);
        read(`PB_REG_STAMP, 1, 1'b0);
        if (word(0) > now || word(0) + 400 < now)
            fail("stamp is far from the clock count");
        write(`PB_REG_NODE_RESET, 32'd2);
        write(`PB_REG_NODE_BOOT, 32'd1);
        if (nrst !== 2'b01 || boot0 !== 2'b01)
            fail("node control pins");

        // A run of three superframes of four phases of 600 1/3 ticks.
        write(`PB_REG_PHASE_COUNT, 32'd4);
        write(`PB_REG_PERIOD_TICKS, 32'd600);
        write(`PB_REG_PERIOD_NUM, 32'd1);
        write(`PB_REG_PERIOD_DEN, 32'd3);
        write(`PB_REG_HIGH_TICKS, 32'd300);
        write(`PB_REG_SUPERFRAME_LIMIT, 32'd3);
        write(`PB_REG_BIT_PERIOD, period);
        write(`PB_REG_EDGE_MASK0, 32'h00000fff);
        write(`PB_REG_BYTE_MASK0, 32'h00000fff);
        for (a = 0; a < LINKS; a = a + 1)
            write(`PB_REG_LINK + a, 32'd1);
        add(200, 2);
        command(`PB_OPCODE_CREDIT, `PB_STATUS_OK);
        if (reply[4] !== 8'd200 || reply[5] !== 8'd0)
            fail("credits not taken");
        play(8'd0, 8'd0, 0, 0, 2, 8'd1);
        play(8'd0, 8'd11, 1, 17, 1, 8'd2);
        play(8'd0, 8'd1, 2, 599, 3, 8'd3);
        play(8'd0, 8'd2, 5, 100, 4, 8'd4);
        play(8'd1, 8'd5, 0, 0, 5, 8'd5);
        play(8'd1, 8'd6, 1, 18, 1, 8'd6);
        play(8'd1, 8'd7, 10, 333, 2, 8'd7);
        play(8'd2, 8'd8, 1, 17, 2, 8'd8);
        play(8'd2, 8'd9, 1, 17, 1, 8'd9);   // after the one before it in the same lane: too late
        asked = asked - 1;
        play(8'd2, 8'd10, 11, 400, 1, 8'd10);
        write(`PB_REG_CTRL, 32'd3);
        clocks(1000);
        read(`PB_REG_STATUS, 2, 1'b0);
        if (word(0) !== {15'd0, 9'd1, 7'd0, 1'b1} && word(0) !== {15'd0, 9'd2, 7'd0, 1'b1})
            fail("status while running");
        clocks(12 * 601 + 5500);
        expect_register(`PB_REG_CTRL, 32'd2);
        expect_register(`PB_REG_STATUS, 32'd0);
        expect_register(`PB_REG_SUPERFRAME, 32'd2);
        expect_register(`PB_REG_EVENTS_LOST, 32'd0);
        check_events(0, 1801);
        if (phases != 12 || rises != 12 || starts != 1 || stops != 1 || underruns != 1 || bytes != 21)
            fail("events of the run are missing");
        // At the pins: start edges exactly `offset` clocks after the rising edge of TDMA_CLK.
        for (a = 0; a < asked; a = a + 1)
            if (fall_at[ask_link[a]] - rise_at[ask_phase[a]] != ask_offset[a])
                fail("frame starts at the wrong time at the pin");
        for (a = 1; a < 12; a = a + 1)
            if (rise_at[a] - rise_at[0] != a * 1801 / 3)
                fail("TDMA_CLK rises at the wrong time");
        // The first edge event of each link has the same distance from its phase event.
        edges = 0;
        for (e = 0; e < events; e = e + 1)
            if (event_word[e][63:60] == `PB_EVENT_EDGE) begin
                edges = edges + 1;
                if (event_word[e][34:33] !== 2'd1)
                    fail("an edge of the bench that is not at the clock");
                for (a = 0; a < asked; a = a + 1)
                    if (ask_link[a] == event_word[e][59:54] && ask_heard[a] > 0) begin
                        if (event_word[e][32] !== 1'b0 || event_word[e][31:0] != phase_stamp[ask_phase[a]] + ask_offset[a])
                            fail("edge event at the wrong time");
                        ask_heard[a] = 0;
                    end
            end
        if (edges < 60)
            fail("edge events missing");

        // Abort in the middle of a frame and of phase 0 of an endless run: all quiet two clocks after the command.
        earlier = events;
        asked = 0;
        write(`PB_REG_SUPERFRAME_LIMIT, 32'd0);
        play(8'd0, 8'd3, 4, 100, 8, 8'd0);
        write(`PB_REG_CTRL, 32'd3);
        j = 0;
        while (!pull[3] && j < 5000) begin
            clocks(1);
            j = j + 1;
        end
        clocks(100);
        if (!tdma_sync)
            fail("no SYNC in phase 0");
        write(`PB_REG_ABORT, 32'd1);
        if (pull !== 0 || tdma_clk || tdma_sync)
            fail("abort does not make safe");
        clocks(1500);
        if (pull !== 0 || tdma_clk)
            fail("not safe after abort");
        expect_register(`PB_REG_CTRL, 32'd2);
        expect_register(`PB_REG_STATUS, 32'd0);

        // A joined pair, and its level register.
        write(`PB_REG_LINK + 10'd1, {18'd0, 6'd2, 6'd0, 2'd2});
        write(`PB_REG_LINK + 10'd2, {18'd0, 6'd1, 6'd0, 2'd2});
        board[1] = 1'b1;
        clocks(10);
        if (pull !== 12'b100)
            fail("joined pin not pulled");
        expect_register(`PB_REG_LINE_LEVEL0, 32'hfffffff9);
        board[1] = 1'b0;
        clocks(40);
        board[2] = 1'b1;
        clocks(10);
        if (pull !== 12'b010)
            fail("joined pin not pulled the other way");
        board[2] = 1'b0;
        clocks(40);

        // Console of node 1 looped back; an immediate record needs no clock.
        write(`PB_REG_CONSOLE_SELECT, 32'd1);
        write(`PB_REG_CONSOLE_PERIOD, 32'd150);
        earlier = events;
        add_play(8'd2, 8'h81, 8'h85, 0, 4, 0, 150);
        for (a = 0; a < 5; a = a + 1) begin
            console_text[a] = 8'h41 + a * 8'd31;
            add(console_text[a], 1);
        end
        command(`PB_OPCODE_PLAY, `PB_STATUS_OK);
        clocks(6000);
        consoles = 0;
        for (e = earlier; e < events; e = e + 1)
            if (event_word[e % 1024][63:60] == `PB_EVENT_CONSOLE) begin
                if (event_word[e % 1024][40:32] !== {1'b1, console_text[consoles % 8]})
                    fail("console byte differs");
                consoles = consoles + 1;
            end
        if (consoles != 5)
            fail("console bytes missing");
        verdict;
    end
endmodule

`default_nettype wire
