// SPDX-FileCopyrightText: The phasebench authors
// SPDX-License-Identifier: Apache-2.0
//
// pb_fault_unit: every clock of active_o and every receipt against the list of faults that must be made,
// computed from the records. The phase clock is made here: 4 phases of PHASE_TICKS.
`timescale 1ns / 1ps
`default_nettype none
`define NAME "tb_pb_fault_unit"

module tb_pb_fault_unit;
    localparam LIMIT_CLOCKS = 400000;
    localparam PHASE_TICKS = 1000;
    localparam NEVER = 32'h7fffffff;
`include "tb_pb_common.vh"

    reg         clear = 1'b0, wr = 1'b0, running = 1'b0;
    reg  [7:0]  wr_data = 8'd0;
    wire [8:0]  level;
    reg  [8:0]  phase = 9'd0;
    reg  [15:0] superframe = 16'd0, first_superframe = 16'd0;
    reg  [26:0] elapsed = 27'd0;
    wire        active, began, ended, late;
    wire [4:0]  kind;
    wire [5:0]  link, other;
    wire [31:0] parameter_value;
    wire [14:0] number;

    pb_fault_unit #(.DEPTH_LOG2(8)) dut (
        .clk(clk), .rst_i(rst), .clear_i(clear), .wr_i(wr), .wr_data_i(wr_data), .level_o(level), .running_i(running),
        .phase_i(phase), .superframe_i(superframe), .elapsed_i(elapsed), .active_o(active), .kind_o(kind), .link_o(link),
        .other_o(other), .parameter_o(parameter_value), .began_o(began), .ended_o(ended), .late_o(late), .number_o(number));

`include "phase_clock.vh"

    // ---- expected faults, in order: first clock and the clock after the last one. The receipts of late records in their order
    integer    first [0:255], after [0:255];
    reg [63:0] fields [0:255];                  // other, parameter, kind, link, number
    integer    faults = 0, at = 0;
    reg [25:0] late_fields [0:255];             // kind, link, number
    integer    lates = 0, reported = 0, hold = 0;
    reg [25:0] held_fields;
    reg        was_active = 1'b0, expected;
    always @(negedge clk) if (!rst) begin
        if (^{active, began, ended, late} === 1'bx)
            fail("unknown output");
        if (at < faults && tick >= after[at])
            at = at + 1;
        expected = at < faults && tick >= first[at];
        if (active !== expected)
            fail("active_o has the wrong level");
        if (active && {other, parameter_value, kind, link, number} !== fields[at])
            fail("active fault with other fields");
        if (began !== (expected && tick == first[at]))
            fail("receipt of the beginning is wrong");
        if (ended !== (at > 0 && tick == after[at - 1] ? 1'b1 : 1'b0))
            fail("receipt of the end is wrong");
        hold = hold > 0 ? hold - 1 : 0;
        if (ended && at > 0) begin
            held_fields = fields[at - 1];
            hold = 65;
        end
        if (late) begin
            if (reported >= lates)
                fail("unexpected late record");
            held_fields = late_fields[reported];
            reported = reported + 1;
            hold = 65;
        end
        if (hold > 0 && {kind, link, number} !== held_fields)
            fail("receipt not held for 64 clocks");
    end

    // ---- records
    task put(input [7:0] value);
        begin
            wr = 1'b1;
            wr_data = value;
            @(negedge clk) #2 wr = 1'b0;
        end
    endtask

    reg [31:0] p, noise_bits;
    reg [15:0] s, n;
    reg [7:0]  k, l, o;
    // Unused bits of the record are random; what was drawn stays in k, l, n, o and p.
    task put_record(input integer frame, input integer at_phase, input integer offset, input [31:0] length);
        begin
            while (level > 9'd200)
                to_tick(tick + 1);
            noise_bits = random(0);
            k = noise_bits[7:0];
            l = noise_bits[15:8];
            o = noise_bits[23:16];
            p = random(0);
            s = first_superframe + frame;
            noise_bits = random(0);
            n = noise_bits[15:0];
            put(k);
            put(l);
            put(at_phase);
            put({noise_bits[22:16], 1'b0});
            put(s[7:0]);
            put(s[15:8]);
            put(n[7:0]);
            put(n[15:8]);
            put(offset);
            put(offset >> 8);
            put(offset >> 16);
            put(o);
            put(length[7:0]);
            put(length[15:8]);
            put(length[23:16]);
            put(length[31:24]);
            put(p[7:0]);
            put(p[15:8]);
            put(p[23:16]);
            put(p[31:24]);
        end
    endtask

    // A fault that must be made: active from three clocks after its offset, for `length` clocks.
    task make(input integer frame, input integer at_phase, input integer offset, input [31:0] length);
        begin
            put_record(frame, at_phase, offset, length);
            first[faults] = instant(frame, at_phase, offset) + 3;
            after[faults] = length[31] ? NEVER : first[faults] + length;
            fields[faults] = {o[5:0], p, k[4:0], l[5:0], n[14:0]};
            faults = faults + 1;
        end
    endtask

    // A record that must be discarded.
    task miss(input integer frame, input integer at_phase, input integer offset);
        begin
            put_record(frame, at_phase, offset, 32'd100);
            late_fields[lates] = {k[4:0], l[5:0], n[14:0]};
            lates = lates + 1;
        end
    endtask

    task all_made;
        begin
            if (at < faults && after[at] <= tick || reported != lates)
                fail("a record is missing");
            if (level != 9'd0)
                fail("bytes left over");
        end
    endtask

    integer i, length;
    initial begin
        to_tick(4);
        rst = 1'b0;
        to_tick(10);

        // While the clock is stopped a record waits; it starts with the very first tick.
        put_record(0, 0, 0, 32'd1);
        to_tick(tick + 300);
        if (level != 9'd0)
            fail("the record is not fetched");
        start_clock(16'd0);
        first[0] = origin + 3;
        after[0] = origin + 4;
        fields[0] = {o[5:0], p, k[4:0], l[5:0], n[14:0]};
        faults = 1;

        // Lengths and offsets one by one, also at either end of a phase and across it.
        make(0, 0, 300, 32'd2);
        make(0, 0, 500, 32'd3);
        make(0, 0, 999, 32'd1);
        make(0, 1, 100, 32'd256);
        make(0, 1, 999, 32'd400);                        // into the next phase
        make(0, 2, 800, 32'd1500);                       // across a whole one
        make(1, 0, 500, 32'd4);
        to_tick(instant(1, 0, 700));
        all_made;
        for (i = 0; i < 40; i = i + 1) begin
            length = 1 + random(0) % 300;
            make(1 + (i + 4) / 8, (i + 4) / 2 % 4, 20 + i % 2 * 500 + random(0) % 80, length);
        end
        to_tick(instant(6, 2, 0));
        all_made;

        // A next one as soon as it can be: 64 clocks of receipt, 20 bytes, one clock of its own.
        make(6, 2, 500, 32'd10);                         // active in 503..512
        make(6, 2, 513 + 64 + 20, 32'd5);
        make(6, 2, 605 + 64 + 20, 32'd5);
        to_tick(instant(6, 3, 0));
        all_made;

        // Late by superframe, by phase, by offset, by one tick; because the fault before was still active; then in time again.
        to_tick(instant(7, 1, 200));
        miss(6, 3, 900);
        miss(7, 0, 999);
        miss(7, 1, 100);
        make(7, 1, 700, 32'd200);
        miss(7, 1, 800);
        miss(7, 1, 901);
        make(7, 2, 500, 32'd3);
        to_tick(instant(7, 3, 0));
        all_made;
        put_record(7, 3, 2, 32'd3);                      // complete long after tick 2, as it has 20 bytes
        late_fields[lates] = {k[4:0], l[5:0], n[14:0]};
        lates = lates + 1;
        to_tick(instant(8, 0, 0));
        all_made;

        // The last byte in time for the instant, and one clock too late: a byte takes two clocks through the buffer.
        to_tick(instant(8, 0, 100));
        make(8, 0, 122, 32'd7);
        to_tick(instant(8, 0, 300));
        miss(8, 0, 321);
        to_tick(instant(8, 1, 0));
        all_made;

        // A phase that is longer than any offset: what was missed is late there, too.
        held = 1'b1;
        elapsed = 27'h1000000;
        miss(8, 1, 500);
        to_tick(tick + 20);
        held = 1'b0;
        to_tick(instant(8, 2, 0));
        all_made;

        // Without an end: until the clock stops, with the receipt of the end.
        make(8, 2, 100, 32'hffffffff);
        to_tick(instant(10, 0, 0));
        running = 1'b0;
        after[faults - 1] = tick + 3;
        to_tick(tick + 200);
        all_made;
        // Lengths that only begin like that have an end: here the stop of the clock comes first.
        start_clock(16'd20);
        make(0, 0, 100, 32'h00ffffff);
        to_tick(instant(0, 1, 0));
        running = 1'b0;
        after[faults - 1] = tick + 3;
        to_tick(tick + 100);
        start_clock(16'd30);
        make(0, 0, 100, 32'h000000ff);
        make(0, 0, 600, 32'h000001ff);
        make(0, 2, 100, 32'h000003ff);
        to_tick(instant(1, 0, 0));
        all_made;

        // 2^32 clocks take too long: the counter is put near its end. Only the longest length goes on then.
        make(1, 0, 100, 32'hffffffff);
        to_tick(instant(1, 0, 300));
        dut.length_q = 32'd20;
        to_tick(instant(1, 0, 600));
        clear = 1'b1;
        after[faults - 1] = tick + 1;
        @(negedge clk) #2 clear = 1'b0;
        make(1, 1, 100, 32'hff0000ff);
        to_tick(instant(1, 1, 300));
        dut.length_q = 32'd20;                           // clocks after the next one
        after[faults - 1] = tick + 22;
        make(1, 1, 600, 32'hfeffffff);
        to_tick(instant(1, 1, 700));
        dut.length_q = 32'd20;
        after[faults - 1] = tick + 22;
        to_tick(instant(2, 0, 0));
        all_made;
        start_clock(16'd40);

        // Clear ends an active fault one clock later, forgets what follows, and leaves the receipt its 64 clocks.
        make(1, 0, 100, 32'd5000);
        make(1, 0, 600, 32'd5);
        faults = faults - 1;
        to_tick(instant(1, 0, 300));
        clear = 1'b1;
        after[faults - 1] = tick + 1;
        @(negedge clk) #2 clear = 1'b0;
        if (level != 9'd0)
            fail("clear does not empty the buffer");
        to_tick(tick + 10);
        clear = 1'b1;
        @(negedge clk) #2 clear = 1'b0;
        make(1, 0, 800, 32'd9);
        to_tick(instant(1, 1, 0));
        all_made;

        // Clear while a record waits, and in the middle of one.
        make(1, 1, 500, 32'd9);
        faults = faults - 1;
        to_tick(instant(1, 1, 200));
        clear = 1'b1;
        @(negedge clk) #2 clear = 1'b0;
        for (i = 0; i < 7; i = i + 1)
            put(8'd5);
        to_tick(tick + 10);
        clear = 1'b1;
        @(negedge clk) #2 clear = 1'b0;
        make(1, 1, 700, 32'd9);
        to_tick(instant(1, 2, 0));
        all_made;

        // The superframe number wraps at 16 bits.
        running = 1'b0;
        start_clock(16'hfffe);
        make(0, 1, 10, 32'd20);
        make(1, 1, 10, 32'd20);
        make(2, 1, 10, 32'd20);
        to_tick(instant(2, 2, 5));
        miss(1, 3, 0);
        to_tick(instant(3, 0, 0));
        all_made;

        // Reset ends without a receipt.
        make(3, 0, 200, 32'd500);
        to_tick(instant(3, 0, 300));
        rst = 1'b1;
        @(negedge clk) #2;
        if (active || ended || began || late)
            fail("reset does not end a fault");
        verdict;
    end
endmodule

`default_nettype wire
