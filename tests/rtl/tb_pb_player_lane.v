// SPDX-FileCopyrightText: The phasebench authors
// SPDX-License-Identifier: Apache-2.0
//
// pb_player_lane: every clock of pull_o against the list of frames that must be sent, computed from the
// records; every underrun against the list of those that must be reported; the receipts of marked records
// against both. The phase clock is made here: 4 phases of PHASE_TICKS.
`timescale 1ns / 1ps
`default_nettype none
`define NAME "tb_pb_player_lane"

module tb_pb_player_lane;
    localparam LIMIT_CLOCKS = 600000;
    localparam PHASE_TICKS = 2000;
    localparam LAG = 3;                 // clocks from the instant to the start edge
`include "tb_pb_common.vh"

    reg         clear = 1'b0, wr = 1'b0, running = 1'b0;
    reg  [7:0]  wr_data = 8'd0;
    wire [9:0]  level;
    reg  [8:0]  phase = 9'd0;
    reg  [15:0] superframe = 16'd0, first_superframe = 16'd0;
    reg  [26:0] elapsed = 27'd0;
    wire        loaded, pull, underrun;
    wire [7:0]  target;
    wire [8:0]  record_phase;
    wire [12:0] record_superframe;
    wire        sending, began, ended;
    wire [2:0]  record_mark;
    wire [14:0] record_number;

    pb_player_lane #(.DEPTH_LOG2(9)) dut (
        .clk(clk), .rst_i(rst), .clear_i(clear), .wr_i(wr), .wr_data_i(wr_data), .level_o(level), .running_i(running),
        .phase_i(phase), .superframe_i(superframe), .elapsed_i(elapsed), .loaded_o(loaded), .pull_o(pull), .target_o(target),
        .underrun_o(underrun), .record_phase_o(record_phase), .record_superframe_o(record_superframe), .sending_o(sending),
        .began_o(began), .ended_o(ended), .mark_o(record_mark), .number_o(record_number));

`include "phase_clock.vh"

    // ---- expected frames, in order. An underrun or a clear cuts one off: then fewer bits are sent
    reg [7:0] data [0:4095];
    integer   data_count = 0;
    integer   frame_start [0:255], frame_data [0:255], frame_bits [0:255], frame_period [0:255], frame_target [0:255];
    integer   frame_bytes [0:255];
    reg [2:0] frame_mark [0:255];
    reg [14:0] frame_number [0:255];
    reg       on_air, begins, ends;
    integer   receipt_hold = 0, receipt = 0;    // of frame `receipt`
    integer   frames = 0, playing = 0, at, bit_number;
    reg [9:0] symbol;
    reg       expected;
    always @(negedge clk) if (!rst) begin
        expected = 1'b0;
        on_air = 1'b0;
        begins = 1'b0;
        ends = 1'b0;
        if (playing < frames && frame_start[playing] < 0 && pull)
            frame_start[playing] = tick; // an immediate record starts when it likes
        at = frame_start[playing] < 0 ? -1 : tick - frame_start[playing];
        if (playing < frames && at >= 0) begin
            // bit j begins floor(j * period / 16) ticks after the start edge
            bit_number = (16 * at + 15) / frame_period[playing];
            if (bit_number >= frame_bits[playing]) begin
                ends = frame_mark[playing] != 3'd0;
                receipt = playing;
                playing = playing + 1;
            end else begin
                on_air = 1'b1;
                begins = at == 0 && frame_mark[playing] != 3'd0;
                if (frame_mark[playing] != 3'd0 && {record_mark, record_number} !== {frame_mark[playing], frame_number[playing]})
                    fail("receipt of another record");
                // 2 is FRAMING: the last stop bit is low
                symbol = {!(frame_mark[playing] == 3'd2 && bit_number / 10 == frame_bytes[playing] - 1), data[frame_data[playing] + bit_number / 10], 1'b0};
                expected = !symbol[bit_number % 10];
                if (target !== frame_target[playing])
                    fail("wrong target");
            end
        end
        if (pull !== expected)
            fail("pull_o has the wrong level");
        if (sending !== on_air)
            fail("sending_o has the wrong level");
        if (began !== begins)
            fail("receipt of the beginning is wrong");
        if (ended !== ends)
            fail("receipt of the end is wrong");
        receipt_hold = ends ? 65 : receipt_hold > 0 ? receipt_hold - 1 : 0;
        if (receipt_hold > 0 && ({record_mark, record_number} !== {frame_mark[receipt], frame_number[receipt]} ||
                                 target !== frame_target[receipt]))
            fail("receipt not held");
    end

    // ---- the target is announced ahead, once for each record
    integer   loaded_at = -1;
    reg [7:0] loaded_target;
    reg       was_sending = 1'b0;
    always @(negedge clk) if (!rst) begin
        if (loaded === 1'b1) begin
            loaded_at = tick;
            loaded_target = target;
        end
        if (sending && !was_sending) begin
            if (loaded_at < 0 || loaded_at > tick - 2 || target !== loaded_target)
                fail("target not told ahead");
            loaded_at = -1;
        end
        was_sending = sending;
    end

    // ---- expected underruns
    reg [21:0] late [0:63];
    integer    lates = 0, reported = 0, hold = 0;
    always @(negedge clk) if (!rst) begin
        if (^underrun === 1'bx)
            fail("unknown output");
        if (underrun) begin
            if (reported >= lates)
                fail("unexpected underrun");
            else if ({record_superframe, record_phase} !== late[reported])
                fail("underrun of another record");
            reported = reported + 1;
            hold = 64;
        end else if (hold > 0) begin
            hold = hold - 1;
            if ({record_superframe, record_phase} !== late[reported - 1])
                fail("position not held after underrun");
        end
    end

    // ---- records
    reg [2:0]  mark = 3'd0;     // of the records that follow
    reg [15:0] number = 16'd0;  // bit 15 is not part of the number
    task put(input [7:0] value);
        begin
            wr = 1'b1;
            wr_data = value;
            @(negedge clk) #2 wr = 1'b0;
        end
    endtask

    integer r;
    task put_header(input [7:0] to, input immediate, input [6:0] n, input [8:0] p, input [31:0] s, input [23:0] offset,
                    input [19:0] bit_period);
        begin
            put(to);
            put({immediate, n});
            put(p[7:0]);
            put({mark, 4'b1010, p[8]});
            put(s[7:0]);
            put(s[15:8]);
            number = random(0);
            put(number[7:0]);
            put(number[15:8]);
            put(offset[7:0]);
            put(offset[15:8]);
            put(offset[23:16]);
            put(bit_period[7:0]);
            put(bit_period[15:8]);
            put({4'd0, bit_period[19:16]});
        end
    endtask

    // n random bytes, kept for the expectation; `sent` = 0 when the record will not be played.
    task put_data(input integer n, input sent);
        for (r = 0; r < n; r = r + 1) begin
            if (sent) begin
                data[data_count] = random(0);
                put(data[data_count]);
                data_count = data_count + 1;
            end else
                put(random(0));
        end
    endtask

    task expect_frame(input integer start, input integer n, input integer bit_period, input [7:0] to);
        begin
            frame_start[frames] = start;
            frame_data[frames] = data_count;
            frame_bits[frames] = 10 * n;
            frame_period[frames] = bit_period;
            frame_target[frames] = {24'd0, to};
            frame_bytes[frames] = n;
            frame_mark[frames] = mark;
            frame_number[frames] = number[14:0];
            frames = frames + 1;
        end
    endtask

    // A whole record in time; the start edge leaves three clocks after elapsed_i equals the offset.
    task play(input [7:0] to, input integer n, input integer s, input integer p, input integer offset, input integer bit_period);
        begin
            put_header(to, 1'b0, n, p, {16'd0, first_superframe} + s, offset, bit_period);
            expect_frame(instant(s, p, offset) + LAG, n, bit_period, to);
            put_data(n, 1'b1);
        end
    endtask

    task play_late(input integer n, input integer s, input integer p, input integer offset);
        reg [15:0] frame;
        begin
            frame = first_superframe + s;
            late[lates] = {frame[12:0], p[8:0]};
            lates = lates + 1;
            put_header(8'd3, 1'b0, n, p, {16'd0, frame}, offset, 20'd128);
            put_data(n, 1'b0);
        end
    endtask

    task all_played;
        begin
            if (playing != frames)
                fail("frame missing");
            if (reported != lates)
                fail("underrun not reported");
            if (level != 10'd0)
                fail("bytes left over");
        end
    endtask

    integer i, data_base;
    initial begin
        to_tick(4);
        rst = 1'b0;
        to_tick(10);

        // Immediate records need no phase clock; the second follows soon after the first.
        put_header(8'h80, 1'b1, 7'd3, 9'd5, 32'd9, 24'd77, 20'd131);
        expect_frame(-1, 3, 131, 8'h80);
        put_data(3, 1'b1);
        put_header(8'h81, 1'b1, 7'd1, 9'd0, 32'd0, 24'd0, 20'd128);
        expect_frame(-1, 1, 128, 8'h81);
        put_data(1, 1'b1);
        to_tick(tick + 3 * 83 + 80 + 100);
        all_played;

        // While the phase clock is stopped a record waits; level_o counts its data.
        first_superframe = 16'd7;
        put_header(8'd0, 1'b0, 7'd4, 9'd0, 32'd7, 24'd0, 20'd160);
        data_base = data_count;
        put_data(4, 1'b1);
        to_tick(tick + 300);
        if (level != 10'd4)
            fail("level is wrong");
        start_clock(16'd7);
        expect_frame(origin + LAG, 4, 160, 8'd0);
        frame_data[frames - 1] = data_base;
        // Exact instants: later in the same phase, the last tick of a phase, the next tick, another superframe.
        play(8'd11, 2, 0, 0, 700, 333);
        play(8'd63, 1, 0, 0, 1999, 128);
        play(8'd1, 5, 0, 1, 300, 341);
        play(8'd2, 9, 0, 3, 0, 128);
        play(8'd3, 1, 1, 0, 0, 16 * 64);
        to_tick(instant(1, 0, 1000));
        all_played;

        // Every fraction of a tick, a long frame: exact to a sixteenth at every bit.
        for (i = 0; i < 16; i = i + 1)
            play(i, 10, 1 + (2 + i) / 8, (2 + i) / 2 % 4, 50 + i % 2 * 950, 128 + i);
        to_tick(instant(3, 0, 1500));
        play(8'd9, 127, 3, 1, 10, 135);                  // 127 bytes of 8 7/16 ticks cross phases and superframe
        to_tick(instant(5, 0, 0));
        all_played;

        // Late by superframe, by phase, by offset; then in time again. Also records of one byte.
        play_late(5, 4, 3, 0);
        play_late(1, 5, 0, 5);
        to_tick(instant(5, 2, 100));
        play_late(1, 5, 1, 1999);
        play_late(127, 5, 2, 5);
        play_late(1, 5, 2, 50);
        play(8'd5, 3, 5, 3, 12, 130);
        to_tick(instant(5, 3, 1900));
        all_played;

        // Complete just before its instant, and just after it.
        put_header(8'd4, 1'b0, 7'd1, 9'd0, 32'd13, 24'd100, 20'd128);
        to_tick(instant(6, 0, 94));
        expect_frame(instant(6, 0, 100) + LAG, 1, 128, 8'd4);
        put_data(1, 1'b1);
        late[lates] = {13'd13, 9'd1};
        put_header(8'd4, 1'b0, 7'd1, 9'd1, 32'd13, 24'd100, 20'd128);
        to_tick(instant(6, 1, 101));
        lates = lates + 1;
        put_data(1, 1'b0);
        to_tick(instant(6, 1, 900));
        all_played;

        // Bytes that come too late cut the frame off after a whole byte; the rest of the record is not taken for a record.
        put_header(8'd6, 1'b0, 7'd5, 9'd2, 32'd13, 24'd50, 20'd136);
        expect_frame(instant(6, 2, 50) + LAG, 2, 136, 8'd6);
        put_data(2, 1'b1);
        late[lates] = {13'd13, 9'd2};
        lates = lates + 1;
        to_tick(instant(6, 2, 400));
        put_data(3, 1'b0);
        play(8'd7, 3, 6, 3, 60, 200);
        to_tick(instant(6, 3, 1900));
        all_played;

        // Clear in the middle of a frame releases the line one clock later and forgets what follows.
        play(8'd8, 20, 7, 0, 30, 128);
        play(8'd9, 20, 7, 1, 30, 128);
        frames = frames - 1;
        frame_bits[frames - 1] = 43;                     // cut where bit 43 would begin
        to_tick(instant(7, 0, 30 + 8 * 43) + LAG - 1);
        clear = 1'b1;
        @(negedge clk) #2 clear = 1'b0;
        if (level != 10'd0)
            fail("clear does not empty the buffer");
        to_tick(instant(7, 2, 0));
        play(8'd10, 2, 7, 2, 100, 128);
        to_tick(instant(7, 3, 0));
        all_played;

        // Clear in the middle of a header.
        put(8'd1);
        put(8'd9);
        to_tick(tick + 10);
        clear = 1'b1;
        @(negedge clk) #2 clear = 1'b0;
        play(8'd12, 2, 8, 0, 100, 128);
        to_tick(instant(8, 1, 0));
        all_played;

        // The superframe number wraps at 16 bits.
        running = 1'b0;
        start_clock(16'hfffe);
        play(8'd13, 2, 0, 1, 10, 128);
        play(8'd14, 2, 1, 1, 10, 128);
        play(8'd15, 2, 2, 1, 10, 128);
        play(8'd16, 2, 3, 1, 10, 128);
        to_tick(instant(2, 0, 5));
        play_late(1, 1, 3, 0);                           // after those of the new count, and still superframe 0xffff
        to_tick(instant(4, 0, 0));
        all_played;
        // Marked records of every kind, of one byte and of several, in the order of their marks.
        running = 1'b0;
        start_clock(16'd100);
        for (i = 1; i < 8; i = i + 1) begin
            mark = i;
            play(8'd20 + i, 1, (i - 1) / 4, (i - 1) % 4, 40, 130);
            play(8'd40 + i, 4, (i - 1) / 4, (i - 1) % 4, 400, 199);
        end
        mark = 3'd0;
        to_tick(instant(2, 0, 0));
        all_played;

        // A line that is free from offset 261 on: 64 clocks of receipt, 14 of header, two to compare, then the next start edge; without a mark no
        // receipt.
        mark = 3'd1;
        play(8'd1, 2, 2, 1, 100, 128);                   // 160 ticks
        mark = 3'd0;
        play(8'd2, 2, 2, 1, 261 + 64 + 14 + 2, 128);
        play(8'd3, 2, 2, 1, (261 + 64 + 14 + 2) + 161 + 14 + 2, 128);
        to_tick(instant(2, 2, 0));
        all_played;

        // Late: discarded, and no receipt. Immediate: receipts as for any record.
        mark = 3'd6;
        play_late(3, 2, 1, 0);
        put_header(8'h83, 1'b1, 7'd2, 9'd0, 32'd0, 24'd0, 20'd128);
        expect_frame(-1, 2, 128, 8'h83);
        put_data(2, 1'b1);
        to_tick(instant(2, 2, 1000));
        all_played;

        // Cut off: the receipt of the end and the underrun come together.
        mark = 3'd2;
        put_header(8'd6, 1'b0, 7'd5, 9'd3, 32'd102, 24'd50, 20'd136);
        expect_frame(instant(2, 3, 50) + LAG, 5, 136, 8'd6);
        frame_bits[frames - 1] = 20;
        put_data(2, 1'b1);
        late[lates] = {13'd102, 9'd3};
        lates = lates + 1;
        to_tick(instant(2, 3, 400));
        put_data(3, 1'b0);
        play(8'd7, 3, 3, 0, 60, 200);
        to_tick(instant(3, 0, 1900));
        all_played;

        // Cleared: the receipt comes, and stays although records follow and another clear comes.
        play(8'd8, 20, 3, 1, 30, 128);
        frame_bits[frames - 1] = 43;
        to_tick(instant(3, 1, 30 + 8 * 43) + LAG - 1);
        clear = 1'b1;
        @(negedge clk) #2 clear = 1'b0;
        to_tick(tick + 9);
        clear = 1'b1;
        @(negedge clk) #2 clear = 1'b0;
        mark = 3'd0;
        play(8'd9, 3, 3, 1, 600, 128);
        to_tick(instant(3, 2, 0));
        all_played;
        // Cleared between two marked records, while nothing is sent: no receipt.
        mark = 3'd4;
        play(8'd8, 20, 3, 3, 30, 128);
        frames = frames - 1;
        to_tick(tick + 40);
        clear = 1'b1;
        @(negedge clk) #2 clear = 1'b0;
        to_tick(instant(4, 0, 0));
        all_played;
        verdict;
    end
endmodule

`default_nettype wire
