// SPDX-FileCopyrightText: The phasebench authors
// SPDX-License-Identifier: Apache-2.0
//
// pb_clock_pins, every clock against its text: three clocks of latency, forced levels after one, delays
// worked out from the LFSR's polynomial one bit at a time and with a real multiplication. Apart from that,
// the delays seen at the pin are held against theory: range, mean, variance, correlation of neighbours; and
// against themselves when the same record comes again.
`timescale 1ns / 1ps
`default_nettype none
`define NAME "tb_pb_clock_pins"

module tb_pb_clock_pins;
    localparam LIMIT_CLOCKS = 3000000;
`include "tb_pb_common.vh"

    reg         abort = 1'b0, follow = 1'b0;
    reg         clk_in = 1'b0, sync_in = 1'b0, tick = 1'b0;
    reg         clk_low = 1'b0, clk_high = 1'b0, sync_low = 1'b0, sync_high = 1'b0;
    reg         jitter = 1'b0;
    reg  [31:0] parameters = 32'd0;
    wire        tdma_clk, tdma_sync, drive;

    pb_clock_pins dut (
        .clk(clk), .rst_i(rst), .abort_i(abort), .follow_i(follow),
        .tdma_clk_i(clk_in), .tdma_sync_i(sync_in), .tick_i(tick),
        .force_clk_low_i(clk_low), .force_clk_high_i(clk_high), .force_sync_low_i(sync_low), .force_sync_high_i(sync_high),
        .jitter_i(jitter), .jitter_parameter_i(parameters),
        .tdma_clk_o(tdma_clk), .tdma_sync_o(tdma_sync), .tdma_drive_o(drive));

    // ---- the delays: b[n] = b[n-16] ^ b[n-14] ^ b[n-13] ^ b[n-11], from the seed's highest bit on
    reg [15:0] bits;    // the last 16, the newest at the right
    reg        b;
    task next_bit;
        begin
            b = bits[15] ^ bits[13] ^ bits[12] ^ bits[10];
            bits = {bits[14:0], b};
        end
    endtask
    function [31:0] scaled(input [31:0] word);
        scaled = (word * ({20'd0, parameters[11:0]} + 32'd1)) >> 16;
    endfunction
    integer    g;
    reg [31:0] w0, w1, w2, w3, delay;
    task next_delay;
        begin
            {w0, w1, w2, w3} = 128'd0;
            for (g = 0; g < 16; g = g + 1) begin
                next_bit; w0[g] = b;
                next_bit; w1[g] = b;
                next_bit; w2[g] = b;
                next_bit; w3[g] = b;
            end
            // Four words of 14 bits: their sum divided by 4, of 2^14, is their sum of 2^16.
            delay = scaled(parameters[12] ? {18'd0, w0[13:0]} + {18'd0, w1[13:0]} + {18'd0, w2[13:0]} + {18'd0, w3[13:0]} : w3);
        end
    endtask

    // ---- every clock
    integer now = 0, ready_at = 0, hold = 0;
    reg [1:0] clk_before = 2'd0, sync_before = 2'd0;
    reg     tick_before = 1'b0, jitter_before = 1'b0, e_clk, e_sync;
    always @(negedge clk) begin
        now = now + 1;
        e_clk  = !clk_low && (clk_high || (clk_before[1] && hold == 0));
        e_sync = !sync_low && (sync_high || sync_before[1]);
        clk_before  = {clk_before[0], clk_in};
        sync_before = {sync_before[0], sync_in};
        if (hold > 0)
            hold = hold - 1;
        if (jitter && !jitter_before) begin
            bits = parameters[31:16] == 16'd0 ? 16'd1 : parameters[31:16];
            next_delay;
            ready_at = now + 17;
        end else if (jitter && tick_before && now >= ready_at) begin
            hold = delay;
            next_delay;
            ready_at = now + 17;
        end
        jitter_before = jitter;
        tick_before = tick;
        if (rst || abort) begin
            {e_clk, e_sync, clk_before, sync_before, tick_before, jitter_before} = 8'd0;
            hold = 0;
        end
        if (tdma_clk !== e_clk)
            fail("tdma_clk has the wrong level");
        if (tdma_sync !== e_sync)
            fail("tdma_sync has the wrong level");
        if (drive !== (!follow && !rst))
            fail("tdma_drive has the wrong level");
    end

    // ---- phases, and what came out: delay of each edge, one entry per phase, -1 without an edge
    integer seen [0:8191];
    integer phases = 0, since_tick = 0;
    reg     level = 1'b0;
    always @(negedge clk) #2 begin // outputs of this clock, inputs of the next
        if (tdma_clk && !level && phases > 0)
            seen[phases-1] = since_tick - 2;
        level = tdma_clk;
        since_tick = since_tick + 1;
        if (tick) begin
            since_tick = 0;
            seen[phases] = -1;
            phases = phases + 1;
        end
    end

    task phase(input integer period, input integer high);
        begin
            tick = 1'b1;
            clk_in = 1'b1;
            clocks(1);
            tick = 1'b0;
            clocks(high - 1);
            clk_in = 1'b0;
            clocks(period - high);
        end
    endtask
    // `n` phases under jitter, which rises half a phase before the first.
    task jittered(input integer n, input integer period, input integer high, input [31:0] record);
        integer c;
        begin
            parameters = record;
            jitter = 1'b1;
            clocks(20);
            phases = 0;
            for (c = 0; c < n; c = c + 1)
                phase(period, high);
            clocks(2);
            jitter = 1'b0;
            clocks(5);
        end
    endtask

    // Mean and variance in thousandths, integers: v12 is 12 times the variance that theory has, in squared ticks.
    integer j, most, least, count [0:255];
    reg signed [63:0] sum, squares, neighbours, mean, variance, correlation;
    task judge(input integer n, input integer most_ticks, input integer v12);
        begin
            sum = 0;
            squares = 0;
            neighbours = 0;
            most = 0;
            least = 4096;
            for (j = 0; j < n; j = j + 1) begin
                sum = sum + seen[j];
                squares = squares + seen[j] * seen[j];
                if (j > 0)
                    neighbours = neighbours + seen[j] * seen[j-1];
                if (seen[j] > most)
                    most = seen[j];
                if (seen[j] < least)
                    least = seen[j];
            end
            if (least < 0 || most > most_ticks)
                fail("a delay is out of range");
            mean = sum * 1000 / n;
            variance = (squares * 1000 - sum * mean) / n;
            correlation = (neighbours * 1000 / (n - 1) - sum * mean / n) * 1000 / variance;
            // Four standard errors of the mean at n = 1,500 of a uniform distribution are 6 % of half its width.
            if (mean < most_ticks * 470 || mean > most_ticks * 530)
                fail("the mean delay is not half the largest");
            if (variance * 12 < v12 * 900 || variance * 12 > v12 * 1100)
                fail("the variance is not that of the shape");
            if (correlation < -100 || correlation > 100)
                fail("neighbouring delays depend on each other");
        end
    endtask

    integer i, n, first [0:199], same;
    initial begin
        clocks(3);
        rst = 1'b0;
        clocks(2);

        // Latency, by hand: clock and SYNC rise together and are seen after three clocks; a forced level after one.
        clk_in = 1'b1;
        sync_in = 1'b1;
        clocks(2);
        if (tdma_clk || tdma_sync)
            fail("less than three clocks of latency");
        clocks(1);
        if (!tdma_clk || !tdma_sync)
            fail("more than three clocks of latency");
        clk_low = 1'b1;
        sync_low = 1'b1;
        clocks(1);
        if (tdma_clk || tdma_sync)
            fail("a line is not forced low at once");
        clk_high = 1'b1;
        sync_high = 1'b1;
        clocks(1);
        if (tdma_clk || tdma_sync)
            fail("low does not win");
        {clk_low, sync_low, clk_in, sync_in} = 4'd0;
        clocks(2);
        if (!tdma_clk || !tdma_sync)
            fail("a line is not forced high");
        {clk_high, sync_high} = 2'd0;

        // Anything at random, without jitter.
        for (i = 0; i < 3000; i = i + 1) begin
            {clk_in, sync_in} = random(0);
            clk_low   = random(0) % 8 == 0;
            clk_high  = random(0) % 8 == 0;
            sync_low  = random(0) % 8 == 0;
            sync_high = random(0) % 8 == 0;
            tick      = random(0) % 8 == 0;
            abort     = random(0) % 16 == 0;
            follow    = random(0) % 64 == 0 ? !follow : follow;
            clocks(1);
        end
        {clk_low, clk_high, sync_low, sync_high, tick, abort, follow, clk_in, sync_in} = 9'd0;

        // Uniform 0..31: variance (32^2 - 1) / 12, each delay about as often.
        jittered(1500, 70, 60, {16'hace1, 16'd31});
        judge(1500, 31, 1023);
        if (least != 0 || most != 31)
            fail("a delay never comes");
        for (i = 0; i < 32; i = i + 1)
            count[i] = 0;
        for (i = 0; i < 1500; i = i + 1)
            count[seen[i]] = count[seen[i]] + 1;
        for (i = 0; i < 32; i = i + 1)
            if (count[i] < 20 || count[i] > 80) // 47 each, five standard deviations
                fail("delays are not uniform");
        // Uniform 0..44: no power of two.
        jittered(1500, 70, 60, {16'h0, 16'd44});
        judge(1500, 44, 45 * 45 - 1);
        // Mean of four: a quarter of the variance, with 1/12 for the rounding to whole ticks.
        jittered(1500, 70, 60, {16'h1234, 16'h1000 | 16'd47});
        judge(1500, 47, (48 * 48) / 4 + 1);
        if (least < 1 || most > 46 || most - least < 26)
            fail("tails of the mean of four are wrong");    // beyond: once in 10^6 edges; within 13 of 23.5: less than one of 10^9
        jittered(1500, 70, 60, {16'hffff, 16'h1000 | 16'd54});
        judge(1500, 54, (55 * 55) / 4 + 1);

        // The same record again: the same delays. Another seed: others. Seed 0 is seed 1.
        for (n = 0; n < 5; n = n + 1) begin
            jittered(60, 64 + 7 * n, 50, {n == 1 ? 16'h2222 : n == 4 ? 16'd1 : n == 3 ? 16'd0 : 16'h5a5a, 16'd40});
            same = 0;
            for (i = 0; i < 60; i = i + 1) begin
                if (seen[i] == first[i])
                    same = same + 1;
                if (n == 0 || n == 3)
                    first[i] = seen[i];
            end
            if ((n == 2 || n == 4) && same != 60)
                fail("the same record gives other delays");
            if (n == 1 && same > 10)
                fail("another seed gives the same delays");
        end

        // Large delays; none at all; delays beyond the high time, which swallow the edge.
        jittered(40, 4200, 4150, {16'h7777, 16'd4095});
        most = 0;
        for (i = 0; i < 40; i = i + 1) begin
            if (seen[i] < 0 || seen[i] > 4095)
                fail("a delay is out of range");
            if (seen[i] > most)
                most = seen[i];
        end
        if (most < 3000)
            fail("no large delays"); // once in 500,000
        jittered(40, 1200, 1100, {16'h7777, 16'd1000});
        jittered(20, 64, 20, {16'h7777, 16'd0});
        for (i = 0; i < 20; i = i + 1)
            if (seen[i] != 0)
                fail("a delay where there is none");
        jittered(60, 64, 20, {16'h4321, 16'd40});
        same = 0;
        for (i = 0; i < 60; i = i + 1)
            if (seen[i] < 0)
                same = same + 1;
            else if (seen[i] >= 20)
                fail("an edge after the high time");
        if (same < 15 || same > 45) // 21 of 41
            fail("edges are not swallowed");

        // jitter_i that rises 15 clocks before tick_i is too late for it, 16 are enough; what has begun is finished.
        for (n = 14; n < 18; n = n + 1) begin
            parameters = {16'h8005, 16'd47};
            clocks(30);
            jitter = 1'b1;
            clocks(n);
            phases = 0;
            phase(64, 50);
            if (n < 16 && seen[0] != 0)
                fail("a delay that is not ready");
            if (n >= 16 && seen[0] == 0)
                fail("no delay");
            tick = 1'b1;
            clk_in = 1'b1;
            clocks(1);
            tick = 1'b0;
            clocks(1);
            jitter = 1'b0;
            clocks(49);
            clk_in = 1'b0;
            clocks(10);
            phase(64, 50);
            if (seen[1] == 0 || seen[2] != 0)
                fail("jitter does not end as it should");
        end

        // Abort while the clock is held, and jitter that goes on after it; forced levels in between.
        parameters = {16'hbeef, 16'd47};
        jitter = 1'b1;
        clocks(40);
        for (i = 0; i < 60; i = i + 1) begin
            tick = 1'b1;
            clk_in = 1'b1;
            clocks(1);
            tick = 1'b0;
            clocks(random(0) % 50);
            clk_high = random(0);
            clk_low  = random(0) % 4 == 0;
            abort    = random(0) % 4 == 0;
            clocks(1);
            {abort, clk_low} = 2'b00;
            clocks(4);
            clk_high = 1'b0;
            clocks(20);
            clk_in = 1'b0;
            jitter = random(0) % 8 != 0;
            clocks(random(0) % 40);
        end
        verdict;
    end
endmodule

`default_nettype wire
