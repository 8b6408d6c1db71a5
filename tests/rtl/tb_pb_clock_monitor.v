// SPDX-FileCopyrightText: The phasebench authors
// SPDX-License-Identifier: Apache-2.0
//
// pb_clock_monitor: edges of TDMA_CLK at instants worked out by hand, each followed by the alarms it must
// bring and no other; then random edges compared with a model in absolute time, which checks every clock of
// all the runs.
`timescale 1ns / 1ps
`default_nettype none
`define NAME "tb_pb_clock_monitor"
`include "pb_regs.vh"

module tb_pb_clock_monitor;
    localparam LIMIT_CLOCKS = 3000000;
`include "tb_pb_common.vh"

    reg         clk_in = 1'b0, sync_in = 1'b0, follow = 1'b0, running = 1'b0;
    reg  [26:0] period = 27'd100;
    reg  [15:0] tolerance = 16'd2;
    reg  [9:0]  count = 10'd4;
    wire        rises, rises_sync, alarm;
    wire [4:0]  code;
    wire [16:0] ticks;

    pb_clock_monitor dut (
        .clk(clk), .rst_i(rst), .clk_i(clk_in), .sync_i(sync_in), .follow_i(follow), .running_i(running),
        .period_ticks_i(period), .tolerance_i(tolerance), .phase_count_i(count),
        .edge_o(rises), .edge_sync_o(rises_sync), .alarm_o(alarm), .code_o(code), .ticks_o(ticks));

    // ---- the model, in absolute clocks; an alarm is due in one clock exactly
    integer    now = 0, last = 0, position = 0, none_at = 0, deviation = 0, limit = 0;
    reg [4:0]  period_due = 5'd0, sync_due = 5'd0;  // bit n: in n clocks from now
    wire       period_now = period_due[0], sync_now = sync_due[0];
    reg        before = 1'b0, opened = 1'b0, due = 1'b0, skipped = 1'b0;
    reg [16:0] e_ticks [0:4];
    integer    got = 0, read = 0;
    reg [21:0] alarms [0:63];   // code and ticks of all alarms, in turn
    always @(posedge clk) if (!rst) begin
        now = now + 1;
        if (rises !== (clk_in && !before) || (rises && rises_sync !== sync_in))
            fail("edge is wrong");
        if (alarm !== (period_now || sync_now || now == none_at))
            fail("an alarm too much or too few");
        if (alarm) begin
            alarms[got % 64] = {code, period_now ? ticks : 17'd0};
            got = got + 1;
            if (code !== (period_now ? `PB_ALARM_PERIOD : sync_now ? `PB_ALARM_SYNC : `PB_ALARM_NO_EDGE))
                fail("code is wrong");
            if (period_now && ticks !== e_ticks[0])
                fail("ticks are wrong");
        end
        if (!running)
            opened = 1'b0;
        if (clk_in && !before) begin
            deviation = now - last - period;
            limit = tolerance;  // signed
            if (skipped)
                deviation = 65535;
            if (running && (follow || opened) && (deviation > limit || -deviation > limit)) begin
                period_due[3] = 1'b1;
                e_ticks[3] = {deviation < 0 ? -deviation : deviation, deviation < 0};
                if (deviation > 65535 || deviation < -65535)
                    e_ticks[3][16:1] = 16'hffff;
            end
            due = position + 1 == count || (!follow && !opened);
            if (running && sync_in != due)
                sync_due[4] = 1'b1;
            position = sync_in || due ? 0 : position + 1;
            opened = running;
            last = now;
            if (none_at > now + 1)
                none_at = 0;
            skipped = 1'b0;
        end else if (!running && !follow) begin
            last = now + 1;     // a run without any edge counts from its first clock
            none_at = 0;
        end else if (running && now == last + 2 * period)
            none_at = now + 4;
        before = clk_in;
        period_due = period_due >> 1;
        sync_due = sync_due >> 1;
        e_ticks[0] = e_ticks[1];
        e_ticks[1] = e_ticks[2];
        e_ticks[2] = e_ticks[3];
    end

    // Alarms are looked for five clocks after an edge; three of them count towards the next edge.
    integer extra = 0, after;
    // TDMA_CLK rises `ticks_after` clocks after its last rise (or after the last call), and is high for 1 clock at least.
    task rise(input integer ticks_after, input sync);
        begin
            after = ticks_after - extra;
            extra = 0;
            if (after > 2)
                clocks(after / 2 - 1);
            clk_in = 1'b0;
            clocks(after > 2 ? after - after / 2 : 1);
            clk_in = 1'b1;
            sync_in = sync;
            clocks(1);
        end
    endtask
    task is(input [4:0] a_code, input integer size, input short);
        begin
            clocks(5);  // PERIOD after three clocks, SYNC after four
            extra = extra + 2;
            if (read == got)
                fail("an alarm did not come");
            else if (alarms[read % 64] !== {a_code, size[15:0], short})
                fail("another alarm came");
            read = read + 1;
            clk_in = 1'b0;
        end
    endtask
    task quiet;
        begin
            clocks(5);
            extra = extra + 2;
            if (read != got)
                fail("an alarm came where none belongs");
            read = got;
        end
    endtask
    localparam [4:0] PERIOD = `PB_ALARM_PERIOD, NO_EDGE = `PB_ALARM_NO_EDGE, SYNC = `PB_ALARM_SYNC;

    task start;
        begin
            running = 1'b0;
            clk_in = 1'b0;
            clocks(10);
            extra = 0;
            running = 1'b1;
        end
    endtask

    integer i, n;
    initial begin
        clocks(3);
        rst = 1'b0;
        clocks(300);
        rise(50, 1'b0);
        rise(77, 1'b1);
        quiet;                                              // not running: nothing is judged

        // The bench drives. clocks(3) of `is` and `quiet` count in the time to the next edge.
        start;
        rise(5, 1'b1);   quiet;                             // the first: no period yet
        rise(97, 1'b0);  quiet;
        rise(98, 1'b0);  quiet;                             // 101
        rise(99, 1'b0);  quiet;                             // 102
        rise(95, 1'b1);  quiet;                             // 98
        rise(100, 1'b0); is(PERIOD, 3, 0);                  // 103
        rise(94, 1'b0);  is(PERIOD, 3, 1);                  // 97
        rise(107, 1'b0); is(PERIOD, 10, 0);                 // late by 10, and the next is short
        rise(87, 1'b1);  is(PERIOD, 10, 1);
        rise(96, 1'b0);  quiet;                             // 99
        rise(47, 1'b0);  is(PERIOD, 50, 1);                 // an extra edge: by count SYNC comes two edges later, but really three
        rise(47, 1'b0);  is(PERIOD, 50, 1);
        rise(97, 1'b0);  is(SYNC, 0, 0);
        rise(97, 1'b1);  is(SYNC, 0, 0); quiet;             // high where it is not due; a new count
        for (i = 0; i < 3; i = i + 1) begin
            rise(94 + 3 * (i > 0), 1'b0); quiet;
        end
        rise(97, 1'b1);  quiet;
        rise(197, 1'b0); is(PERIOD, 100, 0); quiet;         // one missing: 200
        rise(94, 1'b0);  quiet;
        rise(97, 1'b1);  is(SYNC, 0, 0);                    // so SYNC comes after 3 edges
        rise(199, 1'b0); is(PERIOD, 102, 0); quiet;         // 202: two periods, each longer by a tick
        rise(197, 1'b0); is(NO_EDGE, 0, 0); is(PERIOD, 103, 0); // 203
        rise(991, 1'b0); is(NO_EDGE, 0, 0); is(PERIOD, 897, 0); // 997: only once
        rise(94, 1'b0);  is(SYNC, 0, 0);                    // missing SYNC: the count goes on
        rise(97, 1'b0);  quiet;
        rise(97, 1'b0);  quiet;
        rise(97, 1'b0);  quiet;
        rise(97, 1'b1);  quiet;
        rise(47, 1'b1);  is(PERIOD, 50, 1); is(SYNC, 0, 0); // both of one edge
        rise(94, 1'b0);  quiet;
        // A glitch: edges two clocks apart, low for one; both alarms of both.
        rise(97, 1'b1);
        rise(2, 1'b1);
        clocks(1);
        is(SYNC, 0, 0);
        is(PERIOD, 98, 1);
        is(SYNC, 0, 0);
        running = 1'b0;
        clocks(500);
        rise(50, 1'b1);
        quiet;

        // A run whose clock never comes; alarm 204 clocks after its start. One that comes at last is the first.
        start;
        clocks(203);
        if (got != read)
            fail("NO_EDGE too early");
        clocks(1);
        is(NO_EDGE, 0, 0);
        clocks(3000);
        quiet;
        rise(10, 1'b0);  is(SYNC, 0, 0); quiet;             // it must begin a superframe
        rise(97, 1'b0);  is(PERIOD, 3, 0);

        // The ends of the range of ticks.
        tolerance = 16'd1;
        start;
        rise(5, 1'b1);
        rise(100, 1'b0); quiet;
        rise(98, 1'b0);  quiet;                             // 101
        rise(96, 1'b0);  quiet;                             // 99
        rise(99, 1'b1);  is(PERIOD, 2, 0);
        rise(95, 1'b0);  is(PERIOD, 2, 1);
        tolerance = 16'd65534;
        rise(65100, 1'b0); clocks(100); read = got;
        rise(65534, 1'b0); is(NO_EDGE, 0, 0); quiet;        // 65,634: as much as is tolerated
        rise(65632, 1'b1); is(NO_EDGE, 0, 0); is(PERIOD, 65535, 0);
        rise(65630, 1'b0); is(NO_EDGE, 0, 0); is(PERIOD, 65535, 0); // 65,636
        start;
        period = 27'd66000;
        rise(5, 1'b1);
        rise(466, 1'b0); quiet;                           // shorter by 65,534
        rise(462, 1'b0); is(PERIOD, 65535, 1);            // by 65,535
        rise(461, 1'b0); is(PERIOD, 65535, 1);            // by 65,536
        rise(20, 1'b1);    is(PERIOD, 65535, 1);
        // Years later: the counter saturates. The ticks between are skipped by setting it.
        period = 27'd100;
        start;
        rise(5, 1'b1);
        rise(100, 1'b0);
        clocks(300);
        read = got;
        dut.time_q = 29'h7fffff0;
        skipped = 1'b1;
        clocks(100);
        if (dut.time_q !== 29'h8000000)
            fail("the counter does not stand");
        rise(100, 1'b0); is(PERIOD, 65535, 0);

        // The bench follows: edges before the run count, so the second edge is judged in full.
        tolerance = 16'd2;
        running = 1'b0;
        follow = 1'b1;
        rise(500, 1'b0);
        rise(100, 1'b1);
        clocks(1);
        running = 1'b1;
        rise(97, 1'b0);  quiet;                             // 98
        rise(97, 1'b0);  quiet;
        rise(97, 1'b0);  quiet;
        rise(97, 1'b1);  quiet;
        running = 1'b0;
        rise(100, 1'b0);
        rise(100, 1'b1);
        clocks(2);
        running = 1'b1;
        rise(108, 1'b1); is(PERIOD, 10, 0); is(SYNC, 0, 0);
        clocks(400);
        is(NO_EDGE, 0, 0);
        quiet;
        running = 1'b0;

        // At random, with what fits in between.
        for (i = 0; i < 60; i = i + 1) begin
            running = 1'b0;
            clocks(5);
            follow = random(0);
            period = 64 + random(0) % 100;
            count = i == 0 ? 512 : 2 + random(0) % 6;
            tolerance = 1 + random(0) % 8;
            clk_in = 1'b0;
            clocks(5);
            if (follow) begin
                rise(10, 1'b1);
                clocks(1 + random(0) % 5);
            end
            running = 1'b1;
            for (n = 0; n < (i == 0 ? 1600 : 60); n = n + 1)
                rise(random(0) % 4 != 0 ? period + random(0) % 12 - 6 : 2 + random(0) % (3 * period),
                     (position + 1 == count) ^ (random(0) % 8 == 0));
        end
        verdict;
    end
endmodule

`default_nettype wire
