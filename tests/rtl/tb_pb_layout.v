// SPDX-FileCopyrightText: The phasebench authors
// SPDX-License-Identifier: Apache-2.0
//
// The layouts of regs.def as Verilog has them, against words put together by hand after
// docs/reference/protocol.md: nothing here comes from the generator but the names under test.
// tests/bench/unit/test_layout.c is the same for C.
`timescale 1ns / 1ps
`default_nettype none
`define NAME "tb_pb_layout"
`include "pb_regs.vh"

module tb_pb_layout;
    localparam LIMIT_CLOCKS = 1000;
`include "tb_pb_common.vh"

    // The width of a concatenation is that of its parts: one too wide or too narrow shows here.
    task bits(input [8*60-1:0] what, input integer have, input integer want);
        if (have != want)
            fail(what);
    endtask
    task word(input [8*60-1:0] what, input [159:0] have, input [159:0] want);
        if (have !== want)
            fail(what);
    endtask
    // Which bits a part takes: all ones come out of a word that has ones at its place and zeros elsewhere.
    reg [159:0] ones;
    task at(input integer lsb, input integer width);
        ones = ((160'd1 << width) - 160'd1) << lsb;
    endtask
    task part(input [8*60-1:0] what, input integer lsb, input integer width, input [159:0] taken, input integer want_lsb, input integer want_width);
        begin
            bits(what, lsb, want_lsb);
            bits(what, width, want_width);
            word(what, taken, (160'd1 << want_width) - 160'd1);
        end
    endtask

    reg [63:0]  event_word;
    reg [21:0]  value;
    reg [111:0] play;
    reg [159:0] fault;
    initial begin
        at(0, 32);
        part("EVENT_STAMP", `PB_EVENT_STAMP_LSB, `PB_EVENT_STAMP_WIDTH, ones[`PB_EVENT_STAMP_RANGE], 0, 32);
        at(32, 22);
        part("EVENT_VALUE", `PB_EVENT_VALUE_LSB, `PB_EVENT_VALUE_WIDTH, ones[`PB_EVENT_VALUE_RANGE], 32, 22);
        at(54, 6);
        part("EVENT_LINK", `PB_EVENT_LINK_LSB, `PB_EVENT_LINK_WIDTH, ones[`PB_EVENT_LINK_RANGE], 54, 6);
        at(60, 4);
        part("EVENT_KIND", `PB_EVENT_KIND_LSB, `PB_EVENT_KIND_WIDTH, ones[`PB_EVENT_KIND_RANGE], 60, 4);
        at(5, 2);
        part("EVENT_FAULT_WHAT", `PB_EVENT_FAULT_WHAT_LSB, `PB_EVENT_FAULT_WHAT_WIDTH, ones[`PB_EVENT_FAULT_WHAT_RANGE], 5, 2);
        at(5, 17);
        part("EVENT_ALARM_TICKS", `PB_EVENT_ALARM_TICKS_LSB, `PB_EVENT_ALARM_TICKS_WIDTH, ones[`PB_EVENT_ALARM_TICKS_RANGE], 5, 17);
        at(0, 2);
        part("LINK_MODE", `PB_LINK_MODE_LSB, `PB_LINK_MODE_WIDTH, ones[`PB_LINK_MODE_RANGE], 0, 2);
        at(8, 6);
        part("LINK_PARTNER", `PB_LINK_PARTNER_LSB, `PB_LINK_PARTNER_WIDTH, ones[`PB_LINK_PARTNER_RANGE], 8, 6);
        at(16, 6);
        part("LINK_PHASE", `PB_LINK_PHASE_LSB, `PB_LINK_PHASE_WIDTH, ones[`PB_LINK_PHASE_RANGE], 16, 6);
        at(0, 24);
        part("FAULT_DRIFT_CHANGE", `PB_FAULT_DRIFT_CHANGE_LSB, `PB_FAULT_DRIFT_CHANGE_WIDTH, ones[`PB_FAULT_DRIFT_CHANGE_RANGE], 0, 24);
        bits("FAULT_TICKS", `PB_FAULT_TICKS_TICKS_WIDTH, 24);

        // ---- events: put together
        bits("EVENT", $bits(`PB_EVENT_PACK(4'd0, 6'd0, 22'd0, 32'd0)), 64);
        bits("EVENT_TOLD", $bits(`PB_EVENT_TOLD_PACK(6'd0, 22'd0)), 28);
        word("EVENT", `PB_EVENT_PACK(4'd11, 6'd37, 22'h2abcde, 32'h12345678), 64'hb96abcde12345678);
        word("EVENT_OVERFLOW", `PB_EVENT_OVERFLOW_PACK(4'd5, 28'hfedcba9, 32'h89abcdef), 64'h5fedcba989abcdef);
        word("EVENT_TOLD", `PB_EVENT_TOLD_PACK(6'd37, 22'h2abcde), 28'h96abcde);
        word("EVENT_PHASE", `PB_EVENT_PHASE_PACK(13'h1234, 9'h155), 22'h246955);
        word("EVENT_UNDERRUN", `PB_EVENT_UNDERRUN_PACK(13'h1234, 9'h155), 22'h246955);
        word("EVENT_EDGE", `PB_EVENT_EDGE_PACK(2'd2, 1'b1), 22'h5);
        word("EVENT_TDMA", `PB_EVENT_TDMA_PACK(2'd2, 17'h10001, 2'd1, 1'b1), 22'h28000b);
        word("EVENT_BYTE", `PB_EVENT_BYTE_PACK(13'd24, 1'b1, 8'h7e), 22'h317e);
        word("EVENT_CONSOLE", `PB_EVENT_CONSOLE_PACK(1'b1, 8'h0a), 22'h10a);
        word("EVENT_CLOCK", `PB_EVENT_CLOCK_PACK(1'b1), 22'h1);
        word("EVENT_FAULT", `PB_EVENT_FAULT_PACK(15'd7, `PB_FAULT_WHAT_BEGAN, `PB_FAULT_GLITCH), 22'h3a5);
        word("EVENT_ALARM", `PB_EVENT_ALARM_PACK(`PB_ALARM_PERIOD_PACK(16'h8003, 1'b1), `PB_ALARM_PERIOD), 22'h2000e5);
        bits("EVENT_PHASE", $bits(`PB_EVENT_PHASE_PACK(13'd0, 9'd0)), 22);
        bits("EVENT_EDGE", $bits(`PB_EVENT_EDGE_PACK(2'd0, 1'd0)), 22);
        bits("EVENT_TDMA", $bits(`PB_EVENT_TDMA_PACK(2'd0, 17'd0, 2'd0, 1'd0)), 22);
        bits("EVENT_BYTE", $bits(`PB_EVENT_BYTE_PACK(13'd0, 1'd0, 8'd0)), 22);
        bits("EVENT_CONSOLE", $bits(`PB_EVENT_CONSOLE_PACK(1'd0, 8'd0)), 22);
        bits("EVENT_CLOCK", $bits(`PB_EVENT_CLOCK_PACK(1'd0)), 22);
        bits("EVENT_FAULT", $bits(`PB_EVENT_FAULT_PACK(15'd0, 2'd0, 5'd0)), 22);
        bits("EVENT_ALARM", $bits(`PB_EVENT_ALARM_PACK(17'd0, 5'd0)), 22);
        bits("ALARM_PERIOD", $bits(`PB_ALARM_PERIOD_PACK(16'd0, 1'd0)), 17);

        // ---- events of the session in docs/reference/protocol.md: taken apart
        event_word = 64'h900003a50008eb15;
        value      = event_word[`PB_EVENT_VALUE_RANGE];
        word("kind of a receipt", event_word[`PB_EVENT_KIND_RANGE], 9);
        word("stamp of a receipt", event_word[`PB_EVENT_STAMP_RANGE], 584469);
        word("fault of a receipt", value[`PB_EVENT_FAULT_KIND_RANGE], 5);
        word("beginning", value[`PB_EVENT_FAULT_WHAT_RANGE], 1);
        word("number of a receipt", value[`PB_EVENT_FAULT_NUMBER_RANGE], 7);
        event_word = 64'h3000317e0008d33d;
        value      = event_word[`PB_EVENT_VALUE_RANGE];
        word("data", value[`PB_EVENT_BYTE_DATA_RANGE], 8'h7e);
        word("stop bit", value[`PB_EVENT_BYTE_STOP_RANGE], 1);
        word("ticks left", value[`PB_EVENT_BYTE_LEFT_RANGE], 24);
        value = 22'h246955;
        word("phase", value[`PB_EVENT_PHASE_PHASE_RANGE], 9'h155);
        word("superframe", value[`PB_EVENT_PHASE_SUPERFRAME_RANGE], 13'h1234);
        event_word = 64'h200000020008d175;
        value      = event_word[`PB_EVENT_VALUE_RANGE];
        word("level", value[`PB_EVENT_EDGE_LEVEL_RANGE], 0);
        word("half", value[`PB_EVENT_EDGE_HALF_RANGE], 1);

        // ---- words and records
        word("LINK", `PB_LINK_PACK(6'd63, 6'd0, `PB_LINK_MODE_NEIGHBOUR), 22'h3f0001);
        word("LINK", `PB_LINK_PACK(6'd3, 6'd22, `PB_LINK_MODE_JOINED), 22'h031602);
        word("STATUS", `PB_STATUS_PACK(9'h155, 1'b1, 1'b0), 17'h15502);
        word("FAULT_JITTER", `PB_FAULT_JITTER_PACK(16'h1234, 1'b1, 12'habc), 32'h12341abc);
        play = 112'h05432189abcd66771234c155b583;
        word("PLAY_RECORD", `PB_PLAY_RECORD_PACK(20'h54321, 24'h89abcd, 15'h6677, 16'h1234, 3'd6, 9'h155, 1'b1, 7'h35, 8'h83), play);
        word("target", play[`PB_PLAY_RECORD_TARGET_RANGE], 8'h83);
        word("count", play[`PB_PLAY_RECORD_COUNT_RANGE], 7'h35);
        word("immediate", play[`PB_PLAY_RECORD_IMMEDIATE_RANGE], 1);
        word("phase", play[`PB_PLAY_RECORD_PHASE_RANGE], 9'h155);
        word("mark", play[`PB_PLAY_RECORD_MARK_RANGE], 6);
        word("superframe", play[`PB_PLAY_RECORD_SUPERFRAME_RANGE], 16'h1234);
        word("number", play[`PB_PLAY_RECORD_NUMBER_RANGE], 15'h6677);
        word("offset", play[`PB_PLAY_RECORD_OFFSET_RANGE], 24'h89abcd);
        word("period", play[`PB_PLAY_RECORD_PERIOD_RANGE], 20'h54321);
        word("PLAY_RECORD", `PB_PLAY_RECORD_SPARE, 112'hf00000000000800000001e000000);
        fault = 160'h87654321ffffffff15abcdef5566123401ff2a13;
        word("FAULT_RECORD", `PB_FAULT_RECORD_PACK(32'h87654321, 32'hffffffff, 6'h15, 24'habcdef, 15'h5566, 16'h1234, 9'h1ff, 6'h2a, 5'h13), fault);
        word("kind", fault[`PB_FAULT_RECORD_KIND_RANGE], 5'h13);
        word("link", fault[`PB_FAULT_RECORD_LINK_RANGE], 6'h2a);
        word("phase", fault[`PB_FAULT_RECORD_PHASE_RANGE], 9'h1ff);
        word("superframe", fault[`PB_FAULT_RECORD_SUPERFRAME_RANGE], 16'h1234);
        word("number", fault[`PB_FAULT_RECORD_NUMBER_RANGE], 15'h5566);
        word("offset", fault[`PB_FAULT_RECORD_OFFSET_RANGE], 24'habcdef);
        word("other", fault[`PB_FAULT_RECORD_OTHER_RANGE], 6'h15);
        word("length", fault[`PB_FAULT_RECORD_LENGTH_RANGE], 32'hffffffff);
        word("parameter", fault[`PB_FAULT_RECORD_PARAMETER_RANGE], 32'h87654321);
        bits("PLAY_RECORD", `PB_PLAY_RECORD_BITS, 112);
        bits("FAULT_RECORD", `PB_FAULT_RECORD_BITS, 160);
        verdict;
    end
endmodule

`default_nettype wire
