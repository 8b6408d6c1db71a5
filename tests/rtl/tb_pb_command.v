// SPDX-FileCopyrightText: The phasebench authors
// SPDX-License-Identifier: Apache-2.0
//
// pb_command alone: slot player lanes and fault units share the PLAY opcode, buffers of different sizes fill
// up, repetitions are answered and not carried out, and good_o reports every packet to the watchdog. One
// command engine with two fault units and one with none get the same packets.
`timescale 1ns / 1ps
`default_nettype none
`define NAME "tb_pb_command"
`include "pb_regs.vh"

module tb_pb_command;
    localparam LIMIT_CLOCKS = 200000;
`include "tb_pb_common.vh"

    localparam LANES = 3, FAULTS = 2;
    localparam PLAY_LOG2 = 8, FAULT_LOG2 = 7;

    // ---- one packet for both: what pb_packet_rx would hold
    reg  [7:0] packet [0:255];
    reg        valid = 1'b0;
    wire [7:0] index, index_none;
    reg  [7:0] byte_q, byte_none_q;
    wire       done, done_none;
    always @(posedge clk) begin
        byte_q      <= packet[index];
        byte_none_q <= packet[index_none];
    end
    reg        taken = 1'b0, taken_none = 1'b0;

    // ---- replies, and a sender that is not always free, and never in two successive clocks
    wire       request, request_none, tx_valid, tx_last, tx_valid_none, tx_last_none;
    wire [7:0] tx_data, tx_data_none;
    reg        free = 1'b0;
    always @(posedge clk) #1 free = !free && random(0) % 3 != 0;
    reg  [7:0] reply [0:255], reply_none [0:255];
    integer    replied = 0, replied_none = 0, replies = 0, replies_none = 0;
    always @(posedge clk) if (!rst) begin
        if (tx_valid && free) begin
            reply[replied] = tx_data;
            replied = tx_last ? 0 : replied + 1;
            replies = replies + tx_last;
        end
        if (tx_valid_none && free) begin
            reply_none[replied_none] = tx_data_none;
            replied_none = tx_last_none ? 0 : replied_none + 1;
            replies_none = replies_none + tx_last_none;
        end
    end

    // ---- buffers at its output: five queues of which only the fill level and the last bytes matter
    wire [LANES-1:0]  play_wr, play_wr_none;
    wire [FAULTS-1:0] fault_wr;
    wire              fault_wr_none;
    wire [7:0]        data, data_none;
    reg  [PLAY_LOG2:0]  play_level [0:LANES-1];
    reg  [FAULT_LOG2:0] fault_level [0:FAULTS-1];
    reg  [7:0]        held [0:5*256-1];         // of queue q from 256 q on
    integer           q, writes = 0, writes_none = 0;
    always @(posedge clk) if (!rst) begin
        for (q = 0; q < LANES; q = q + 1)
            if (play_wr[q]) begin
                held[256 * q + play_level[q] % 256] = data;
                play_level[q] <= play_level[q] + 1'b1;
            end
        for (q = 0; q < FAULTS; q = q + 1)
            if (fault_wr[q]) begin
                held[256 * (LANES + q) + fault_level[q]] = data;
                fault_level[q] <= fault_level[q] + 1'b1;
            end
        for (q = 0; q < LANES; q = q + 1) begin
            writes = writes + play_wr[q];
            writes_none = writes_none + play_wr_none[q];
        end
        writes = writes + fault_wr[0] + fault_wr[1];
        if (fault_wr_none !== 1'b0)
            fail("write to a fault unit that is not there");
    end

    wire [15:0] credits, credits_none;
    wire        good, good_none, wr, wr_none;
    wire [9:0]  addr, addr_none;
    wire [31:0] wdata, wdata_none;
    integer     goods = 0, goods_none = 0, registers = 0;
    always @(posedge clk) if (!rst) begin
        goods = goods + good;
        goods_none = goods_none + good_none;
        registers = registers + wr;
    end

    pb_command #(.LANES(LANES), .PLAY_DEPTH_LOG2(PLAY_LOG2), .FAULTS(FAULTS), .FAULT_DEPTH_LOG2(FAULT_LOG2)) dut (
        .clk(clk), .rst_i(rst), .packet_valid_i(valid && !taken), .index_o(index), .byte_i(byte_q), .done_o(done),
        .request_o(request), .grant_i(request), .tx_valid_o(tx_valid), .tx_data_o(tx_data), .tx_last_o(tx_last),
        .tx_ready_i(free), .wr_o(wr), .addr_o(addr), .wdata_o(wdata), .rdata_i({22'd0, addr}),
        .play_wr_o(play_wr), .play_data_o(data), .play_level_i({play_level[2], play_level[1], play_level[0]}),
        .fault_wr_o(fault_wr), .fault_level_i({fault_level[1], fault_level[0]}),
        .credits_o(credits), .credit_used_i(1'b0), .good_o(good));

    pb_command #(.LANES(LANES), .PLAY_DEPTH_LOG2(PLAY_LOG2)) none (
        .clk(clk), .rst_i(rst), .packet_valid_i(valid && !taken_none), .index_o(index_none), .byte_i(byte_none_q), .done_o(done_none),
        .request_o(request_none), .grant_i(request_none), .tx_valid_o(tx_valid_none), .tx_data_o(tx_data_none),
        .tx_last_o(tx_last_none), .tx_ready_i(free), .wr_o(wr_none), .addr_o(addr_none), .wdata_o(wdata_none),
        .rdata_i({22'd0, addr_none}), .play_wr_o(play_wr_none), .play_data_o(data_none), .play_level_i({3{9'd0}}),
        .fault_wr_o(fault_wr_none), .fault_level_i(9'd0),
        .credits_o(credits_none), .credit_used_i(1'b0), .good_o(good_none));

    always @(posedge clk) begin
        if (done)
            taken <= 1'b1;
        if (done_none)
            taken_none <= 1'b1;
        if (!valid) begin
            taken      <= 1'b0;
            taken_none <= 1'b0;
        end
    end
    always @(negedge clk) if (!rst)
        if (^{done, request, tx_valid, wr, play_wr, fault_wr, good, credits} === 1'bx ||
            ^{done_none, request_none, tx_valid_none, wr_none, play_wr_none, fault_wr_none, good_none, credits_none} === 1'bx)
            fail("unknown output");

    integer i, sent = 0, sequence = 0;
    task again;                                 // the current packet
        begin
            valid = 1'b1;
            sent = sent + 1;
            i = 0;
            while (!(taken && taken_none) && i < 5000) begin
                clocks(1);
                i = i + 1;
            end
            valid = 1'b0;
            clocks(3);
            if (replies != sent || replies_none != sent)
                fail("not one reply to a packet");
            if (goods != sent || goods_none != sent)
                fail("not one pulse to the watchdog for a packet");
            if (reply[0] !== (packet[0] | 8'h80) || reply[1] !== packet[1] || reply[2] !== 8'd4 ||
                reply_none[0] !== reply[0] || reply_none[1] !== packet[1])
                fail("head of a reply");
        end
    endtask
    task play(input [7:0] lane, input integer count);
        begin
            sequence = sequence + 1;
            packet[0] = `PB_OPCODE_PLAY;
            packet[1] = sequence;
            packet[2] = count + 1;
            packet[3] = lane;
            for (i = 0; i < count; i = i + 1)
                packet[4 + i] = random(0);
            again;
        end
    endtask
    task answered(input [7:0] status, input [7:0] lane, input integer room);
        if (reply[3] !== status || (status != `PB_STATUS_OPCODE && (reply[4] !== lane || {reply[6], reply[5]} !== room[15:0])))
            fail("status, lane or free bytes of a reply");
    endtask
    // Address 2, then these two bytes: mode and a byte of data, or count and mode, or nothing that matters
    task judged(input [7:0] opcode, input [7:0] length, input [7:0] third, input [7:0] fourth, input [7:0] status);
        begin
            sequence = sequence + 1;
            packet[0] = opcode;
            packet[1] = sequence;
            packet[2] = length;
            packet[3] = 8'd2;
            packet[4] = 8'd0;
            packet[5] = third;
            packet[6] = fourth;
            again;
            if (reply[3] !== status || reply_none[3] !== status)
                fail("status of a reply");
        end
    endtask
    task kept(input integer queue, input integer from, input integer count);
        for (i = 0; i < count; i = i + 1)
            if (held[256 * queue + from + i] !== packet[4 + i])
                fail("bytes arrived elsewhere or changed");
    endtask

    integer before;
    initial begin
        for (q = 0; q < LANES; q = q + 1)
            play_level[q] = 0;
        for (q = 0; q < FAULTS; q = q + 1)
            fault_level[q] = 0;
        clocks(4);
        rst = 1'b0;
        clocks(2);

        // Each lane and each unit takes what is meant for it, and nothing else does.
        play(8'd0, 20);
        answered(`PB_STATUS_OK, 8'd0, 236);
        kept(0, 0, 20);
        play(8'd2, 1);
        answered(`PB_STATUS_OK, 8'd2, 255);
        kept(2, 0, 1);
        play(8'h80, 20);
        answered(`PB_STATUS_OK, 8'h80, 108);
        kept(3, 0, 20);
        if (reply_none[3] !== `PB_STATUS_OPCODE)
            fail("fault unit of a core that has none");
        play(8'h81, 40);
        answered(`PB_STATUS_OK, 8'h81, 88);
        kept(4, 0, 40);
        if (play_level[0] != 20 || play_level[1] != 0 || play_level[2] != 1 || fault_level[0] != 20 || fault_level[1] != 40)
            fail("fill levels");
        if (writes_none != 21)
            fail("lanes beside no fault unit");

        // Lanes and units that are not there.
        before = writes;
        play(8'd3, 5);
        answered(`PB_STATUS_OPCODE, 8'd0, 0);
        play(8'h82, 5);
        answered(`PB_STATUS_OPCODE, 8'd0, 0);
        play(8'h8f, 5);
        answered(`PB_STATUS_OPCODE, 8'd0, 0);
        play(8'hff, 5);
        answered(`PB_STATUS_OPCODE, 8'd0, 0);
        play(8'h83, 5);         // as 0x80 would be with bits cut off
        answered(`PB_STATUS_OPCODE, 8'd0, 0);
        play(8'h40, 5);
        answered(`PB_STATUS_OPCODE, 8'd0, 0);
        if (writes != before)
            fail("a refused packet was carried out");

        // A unit has its own size: all or nothing, to the last byte, also when the packet is repeated.
        play(8'h80, 109);
        answered(`PB_STATUS_BUSY, 8'h80, 108);
        play(8'h80, 108);
        answered(`PB_STATUS_OK, 8'h80, 0);
        kept(3, 20, 108);
        before = writes;
        again;
        answered(`PB_STATUS_OK, 8'h80, 0);
        if (writes != before)
            fail("a repeated packet was carried out twice");
        play(8'h80, 1);
        answered(`PB_STATUS_BUSY, 8'h80, 0);
        fault_level[0] = 0;
        again;                  // the remembered answer; a new number would find room
        if (reply[3] !== `PB_STATUS_BUSY || fault_level[0] != 0)
            fail("a repeated packet was carried out after BUSY");
        play(8'd1, 249);
        answered(`PB_STATUS_OK, 8'd1, 7);
        play(8'd1, 8);
        answered(`PB_STATUS_BUSY, 8'd1, 7);
        play(8'd1, 7);
        answered(`PB_STATUS_OK, 8'd1, 0);

        // Refused for their length or opcode: answered, and reported to the watchdog.
        play(8'h81, 0);
        answered(`PB_STATUS_LENGTH, 8'h81, 88);
        play(8'h80, 250);
        answered(`PB_STATUS_LENGTH, 8'h80, 128);
        packet[0] = 8'h55;
        packet[1] = 8'hee;
        again;
        if (reply[3] !== `PB_STATUS_OPCODE)
            fail("unknown opcode");

        // The same number with another opcode is another command.
        packet[0] = `PB_OPCODE_WRITE;
        packet[2] = 8'd7;
        packet[3] = 8'd2;
        packet[4] = 8'd0;
        packet[5] = 8'd0;
        again;
        if (reply[3] !== `PB_STATUS_OK || registers != 1)
            fail("write");
        again;
        if (reply[3] !== `PB_STATUS_OK || registers != 1)
            fail("repeated write");

        // The limits of length, count and mode, and what the reply reports of what was carried out.
        judged(`PB_OPCODE_WRITE, 8'd6, 8'd0, 8'd0, `PB_STATUS_LENGTH);
        judged(`PB_OPCODE_WRITE, 8'd3, 8'd0, 8'd0, `PB_STATUS_LENGTH);
        judged(`PB_OPCODE_WRITE, 8'd247, 8'd0, 8'd0, `PB_STATUS_LENGTH);
        judged(`PB_OPCODE_WRITE, 8'd7, 8'd2, 8'd0, `PB_STATUS_OPCODE);
        judged(`PB_OPCODE_READ, 8'd4, 8'd0, 8'd0, `PB_STATUS_LENGTH);
        judged(`PB_OPCODE_READ, 8'd4, 8'd61, 8'd0, `PB_STATUS_LENGTH);
        judged(`PB_OPCODE_READ, 8'd4, 8'd65, 8'd0, `PB_STATUS_LENGTH);
        judged(`PB_OPCODE_READ, 8'd3, 8'd1, 8'd0, `PB_STATUS_LENGTH);
        judged(`PB_OPCODE_READ, 8'd5, 8'd1, 8'd0, `PB_STATUS_LENGTH);
        judged(`PB_OPCODE_READ, 8'd4, 8'd60, 8'd2, `PB_STATUS_OPCODE);
        judged(`PB_OPCODE_CREDIT, 8'd1, 8'd0, 8'd0, `PB_STATUS_LENGTH);
        judged(`PB_OPCODE_CREDIT, 8'd3, 8'd0, 8'd0, `PB_STATUS_LENGTH);
        judged(8'd0, 8'd2, 8'd0, 8'd0, `PB_STATUS_OPCODE);
        judged(8'd5, 8'd250, 8'd61, 8'd1, `PB_STATUS_OPCODE);
        if (registers != 1 || credits != 16'd0)
            fail("a refused packet was carried out");
        judged(`PB_OPCODE_WRITE, 8'd243, 8'd1, 8'd0, `PB_STATUS_OK);
        if (registers != 61 || {reply[6], reply[5], reply[4]} !== 24'h3c0002)
            fail("60 words written");
        judged(`PB_OPCODE_CREDIT, 8'd2, 8'd0, 8'd0, `PB_STATUS_OK);
        packet[4] = 8'd3;
        packet[1] = packet[1] + 8'd1;
        again;
        again;
        if (credits != 16'h0304 || {reply[6], reply[5], reply[4]} !== 24'h000304)
            fail("credits");
        verdict;
    end
endmodule

`default_nettype wire
