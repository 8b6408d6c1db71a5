// SPDX-FileCopyrightText: The phasebench authors
// SPDX-License-Identifier: Apache-2.0
//
// pb_player_lane, for all records of any bytes with bit periods of at least two ticks. A line is pulled only
// from three clocks after the instant of a record to 10 bit periods per byte later. It has the level of every
// bit, and each bit ends at its tick. No record begins while the phase clock is stopped, except an immediate
// one. The line is released one clock after clear_i. target_o is valid from loaded_o on.
//
// Bit k of a record (0 .. 10 n - 1) begins floor(k * period / 16) ticks after the start edge. The harness
// counts it with its own fraction, so the last bit ends floor(10 n * period / 16) ticks after that edge. The
// buffer is a queue of three words.
//
// sources: core/pb_player_lane.v ./short_fifo.v
// probe: state_q dut.state_q
// probe: header_q dut.header_q
// probe: bytes_q dut.bytes_q
// probe: bits_q dut.bits_q
// probe: shift_q dut.shift_q
// probe: timer_q dut.timer_q
// probe: fraction_q dut.fraction_q
// probe: longer_q dut.longer_q
// probe: end_q dut.end_q
// probe: over_q dut.over_q
// probe: last_q dut.last_q
// probe: more_q dut.more_q
// probe: slots_q dut.slots_q
// probe: ticks_q dut.ticks_q
// probe: beyond_q dut.beyond_q
// probe: running_q dut.running_q
// probe: waits_q dut.waits_q
// probe: ready_q dut.ready_q
// probe: start_q dut.start_q
// probe: late_q dut.late_q
// probe: header_count_q dut.header_count_q
// probe: next_byte dut.next_byte
// probe: byte_data dut.byte_data
`default_nettype none
`include "pb_regs.vh"

module proof_player (
    input wire        clk,
    input wire        rst_i,
    input wire        clear_i,
    input wire        wr_i,
    input wire [7:0]  wr_data_i,
    input wire        running_i,
    input wire [8:0]  phase_i,
    input wire [15:0] superframe_i,
    input wire [26:0] elapsed_i
);
    reg started = 1'b0;
    always @(posedge clk) started <= 1'b1;
    always @* if (!started) assume (rst_i);

    wire [2:0]  level;
    wire        loaded, pull, underrun, sending, began, ended;
    wire [7:0]  target;
    wire [8:0]  record_phase;
    wire [12:0] record_superframe;
    wire [2:0]  mark;
    wire [14:0] number;
    pb_player_lane #(.DEPTH_LOG2(2)) dut (
        .clk(clk), .rst_i(rst_i), .clear_i(clear_i), .wr_i(wr_i), .wr_data_i(wr_data_i), .level_o(level),
        .running_i(running_i), .phase_i(phase_i), .superframe_i(superframe_i), .elapsed_i(elapsed_i),
        .loaded_o(loaded), .pull_o(pull), .target_o(target), .underrun_o(underrun), .record_phase_o(record_phase), .record_superframe_o(record_superframe),
        .sending_o(sending), .began_o(began), .ended_o(ended), .mark_o(mark), .number_o(number)
    );
    wire [1:0]   state_q;
    wire [111:0] header_q;
    wire [111:0] header = ~header_q;    // the record's 14 bytes, the first one lowest
    wire [6:0]   bytes_q;
    wire [3:0]   bits_q, fraction_q;
    wire [8:0]   shift_q;
    wire [15:0]  timer_q;
    wire         longer_q, end_q, over_q, last_q, more_q, next_byte;
    wire [24:0]  slots_q, ticks_q;
    wire         beyond_q, running_q, waits_q, ready_q, start_q, late_q;
    wire [3:0]   header_count_q;
    wire [7:0]   byte_data;

    // ---- the record, by the layout in the module's header
    wire [6:0]  count     = header[`PB_PLAY_RECORD_COUNT_RANGE];
    wire        immediate = header[`PB_PLAY_RECORD_IMMEDIATE_LSB];
    wire [8:0]  phase     = header[`PB_PLAY_RECORD_PHASE_RANGE];
    wire        framing   = header[`PB_PLAY_RECORD_MARK_RANGE] == `PB_PLAY_MARK_FRAMING;
    wire [15:0] superframe = header[`PB_PLAY_RECORD_SUPERFRAME_RANGE];
    wire [23:0] offset    = header[`PB_PLAY_RECORD_OFFSET_RANGE];
    wire [15:0] ticks     = header[`PB_PLAY_RECORD_PERIOD_LSB+4 +: 16];
    wire [3:0]  part      = header[`PB_PLAY_RECORD_PERIOD_LSB +: 4];
    always @* if (sending || state_q == 2'd1) assume (ticks >= 16'd2);

    // ---- where in the record the line is
    reg  [10:0] bit_number;     // k
    reg  [16:0] position;       // clocks since the bit began
    reg  [3:0]  rest;           // k * period, sixteenths of a tick beyond whole ones
    reg  [7:0]  data;           // the byte being sent
    wire [4:0]  rest_d  = {1'b0, rest} + {1'b0, part};
    wire [16:0] length  = {1'b0, ticks} + {16'd0, rest_d[4]};
    wire        bit_end = position + 17'd1 == length;
    reg  [3:0]  place;          // k modulo 10
    reg  [2:0]  due;            // the instant of the header came one, two, three clocks ago
    reg  [7:0]  told;           // target_o with loaded_o
    reg         was_sending, was_clear, was_end, was_last;
    always @(posedge clk) begin
        was_sending <= sending;
        was_clear   <= rst_i || clear_i;
        due         <= {due[1:0], running_i && phase_i == phase && superframe_i == superframe && elapsed_i == {3'd0, offset}};
        if (loaded)
            told <= target;
        was_end     <= bit_end;
        was_last    <= bit_number + 11'd1 == 11'd10 * count;
        if (!sending || rst_i) begin
            bit_number <= 11'd0;
            position   <= 17'd0;
            rest       <= 4'd0;
            place      <= 4'd0;
        end else if (bit_end) begin
            bit_number <= bit_number + 11'd1;
            position   <= 17'd0;
            rest       <= rest_d[3:0];
            place      <= place == 4'd9 ? 4'd0 : place + 4'd1;
        end else
            position <= position + 17'd1;
        if (next_byte)
            data <= byte_data;
    end
    wire last_byte = bit_number + 11'd10 >= 11'd10 * count;
    reg  low;
    always @* begin
        low = 1'b0;
        if (place == 4'd0)
            low = 1'b1;
        else if (place <= 4'd8)
            low = !data[place - 4'd1];
        else
            low = framing && last_byte;
    end

    always @* if (started) begin
        if (was_clear)
            assert (!pull && !sending);
        if (!sending)
            assert (!pull);
        else begin
            assert (pull == low);
            assert (bit_number < 11'd10 * count);
            assert (position < length);
            if (!was_sending)
                assert ((immediate || due[2]) && count != 7'd0);
            assert (told == target);
        end
        if (was_sending && was_end && was_last)
            assert (!sending);
        if (was_sending && sending && was_end)
            assert (position == 17'd0);
    end

    wire [17:0] line  = {9'h1ff, 1'b1, data} >> place;  // the bit after this one lowest
    wire [8:0]  shift = line[8:0];
    // ---- the registers inside, for the induction
    always @* if (started) begin
        assert (sending == (state_q == 2'd2));
        if (sending) begin
            assert (end_q == (timer_q == 16'd1) && over_q == (end_q && bits_q == 4'd0));
            if (place != 4'd0 || position != 17'd0)
                assert (last_q == (bytes_q == 7'd1));
            assert (bytes_q != 7'd0 && bytes_q <= count && bits_q <= 4'd9);
            assert (place == 4'd9 - bits_q);
            assert (bit_number == 11'd10 * (count - bytes_q) + {7'd0, place});
            assert (fraction_q == rest_d[3:0]);
            assert (longer_q == (rest_d[4] && position == 17'd0));
            assert ({1'b0, timer_q} == {1'b0, ticks} - (rest_d[4] && position != 17'd0 ? position - 17'd1 : position));
            assert (shift_q == shift);
            assert (bit_number != 11'd0 || rest == 4'd0);
        end else
            assert ((bit_number == 11'd0 || was_sending || was_clear) && !end_q && !over_q);
        if (state_q >= 2'd2)
            assert (more_q == (bytes_q != 7'd0));
        if (state_q != 2'd0 || waits_q)
            assert (header_count_q == 4'd0);
        assert (waits_q || !ready_q);
        if (ready_q)
            assert ((&slots_q && &ticks_q && !beyond_q && running_q) == due[0]);
        if (state_q == 2'd1) begin
            assert (waits_q || !(start_q || late_q));
            if (waits_q)
                assert (bytes_q == count && more_q == (count != 7'd0) && told == target);
            if (start_q)
                assert ((immediate || due[1]) && count != 7'd0);
        end
    end

    always @* if (started) begin
        cover (was_sending && !sending && !was_clear && count == 7'd2 && !immediate && bit_number == 11'd20 && data == 8'h5a);
        cover (sending && immediate && !running_i && framing && place == 4'd9 && pull);
        cover (underrun && was_sending);
    end
endmodule
