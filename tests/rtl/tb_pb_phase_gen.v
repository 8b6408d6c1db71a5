// SPDX-FileCopyrightText: The phasebench authors
// SPDX-License-Identifier: Apache-2.0
//
// pb_phase_gen against the rational number it is to make: phase k starts floor(k * (ticks + num / den)) ticks after
// phase 0. Every clock is checked while it runs and while it stands; then stop, limit, abort and restart.
`timescale 1ns / 1ps
`default_nettype none
`define NAME "tb_pb_phase_gen"

module tb_pb_phase_gen;
    localparam LIMIT_CLOCKS = 3000000;
`include "tb_pb_common.vh"

    reg         run = 1'b0, abort = 1'b0;
    reg  [9:0]  count = 10'd24;
    reg  [26:0] ticks = 27'd100, num = 27'd0, den = 27'd1, high = 27'd50;
    reg  [31:0] limit = 32'd0;
    wire        running, done, tick, tdma_clk, tdma_sync;
    wire [8:0]  phase;
    wire [31:0] superframe;
    wire [26:0] elapsed;

    pb_phase_gen dut (
        .clk(clk), .rst_i(rst), .run_i(run), .abort_i(abort), .phase_count_i(count), .period_ticks_i(ticks),
        .period_num_i(num), .period_den_i(den), .high_ticks_i(high), .limit_i(limit),
        .running_o(running), .done_o(done), .tick_o(tick), .phase_o(phase), .superframe_o(superframe),
        .elapsed_o(elapsed), .tdma_clk_o(tdma_clk), .tdma_sync_o(tdma_sync));

    // ---- the model: position in the run, from which all outputs follow
    integer    now = 0;         // clocks since phase 0 of superframe 0
    integer    k = 0;           // phases begun before this one
    integer    in_phase = 0;    // superframe * count + phase is k
    integer    phase_start = 0;
    integer    dones = 0, ticks_seen = 0;
    reg        expect_running = 1'b0;
    reg [63:0] next_start;

    function [63:0] start_of(input integer n);
        start_of = {32'd0, n[31:0]} * {37'd0, ticks} + {32'd0, n[31:0]} * {37'd0, num} / {37'd0, den};
    endfunction

    // Looked at just before the falling edge at which inputs change, so it sees a settled clock.
    always @(negedge clk) if (!rst) begin
        if (done)
            dones = dones + 1;
        if (^{running, done, tick, tdma_clk, tdma_sync, phase, superframe} === 1'bx)
            fail("unknown output");
        if (tick)
            ticks_seen = ticks_seen + 1;
        if (running && !expect_running) begin
            expect_running = 1'b1;
            now = 0;
            k = 0;
            phase_start = 0;
            if (!tick)
                fail("first clock is no tick");
        end else if (expect_running) begin
            now = now + 1;
            if (start_of(k + 1) == {32'd0, now[31:0]} && running) begin
                k = k + 1;
                phase_start = now;
            end
        end
        if (!running) begin
            expect_running = 1'b0;
            if (tick || tdma_clk || tdma_sync)
                fail("output high while stopped");
        end else begin
            in_phase = now - phase_start;
            if (tick !== (in_phase == 0))
                fail("tick at the wrong time");
            if ({5'd0, elapsed} !== in_phase)
                fail("elapsed is wrong");
            if ({23'd0, phase} !== k % {22'd0, count} || superframe !== k / {22'd0, count})
                fail("phase or superframe is wrong");
            if (tdma_clk !== (in_phase < {5'd0, high}))
                fail("tdma_clk has the wrong level");
            if (tdma_sync !== (k % {22'd0, count} == 0))
                fail("tdma_sync has the wrong level");
        end
    end

    task clocks(input integer n);
        repeat (n) @(negedge clk) #1;
    endtask

    // Runs `frames` superframes by the limit; checks their number and that it stops for good.
    task run_limited(input integer frames);
        integer guard;
        begin
            limit = frames;
            dones = 0;
            ticks_seen = 0;
            run = 1'b1;
            clocks(1);
            if (!running || !tick)
                fail("no start one clock after run");
            guard = 0;
            while (running && guard < 2000000) begin
                clocks(1);
                guard = guard + 1;
            end
            if (dones != 1 || ticks_seen != frames * count)
                fail("limit not kept");
            if ({32'd0, now[31:0]} != start_of(frames * count))
                fail("last phase has the wrong length");
            clocks(3);
            if (running)
                fail("starts again by itself");
            run = 1'b0;
            clocks(3);
        end
    endtask

    // Lets run fall `at` clocks after the start: the superframe in progress is completed.
    task run_stopped(input integer at);
        integer frame, guard;
        begin
            limit = 32'd0;
            dones = 0;
            run = 1'b1;
            clocks(1 + at);
            frame = k / count;
            run = 1'b0;
            guard = 0;
            while (running && guard < 2000000) begin
                clocks(1);
                guard = guard + 1;
            end
            if (dones != 1 || {32'd0, now[31:0]} != start_of((frame + 1) * count))
                fail("not stopped at the end of the superframe");
        end
    endtask

    task settings(input integer phases, input integer t, input integer n, input integer d, input integer h);
        begin
            count = phases;
            ticks = t;
            num = n;
            den = d;
            high = h;
        end
    endtask

    integer i;
    initial begin
        clocks(4);
        rst = 1'b0;
        clocks(3);
        if (running)
            fail("runs after reset");

        // 48 MHz / 7 Hz is 6857142 6/7 ticks: the same fraction on shorter phases. Others at the edges of the range.
        settings(24, 142, 6, 7, 71);
        run_limited(10);
        settings(2, 64, 0, 1, 1);
        run_limited(5);
        settings(3, 65, 1, 2, 64);
        run_limited(7);
        settings(512, 64, 134217726, 134217727, 63);
        run_limited(2);
        settings(511, 66, 1, 134217727, 10);
        run_limited(1);
        settings(2, 70001, 333, 1000, 70000);
        run_limited(2);
        for (i = 0; i < 30; i = i + 1) begin
            den = 1 + random(0) % (i < 15 ? 50 : 134217727);
            num = random(0) % den;
            count = 2 + random(0) % 40;
            ticks = 64 + random(0) % 100;
            high = 1 + random(0) % (ticks - 1);
            run_limited(1 + random(0) % 4);
        end

        // Stop in the middle, in the first and in the last clock of a superframe (4 x 80.25 ticks), and start again at once.
        settings(4, 80, 1, 4, 40);
        run_stopped(0);
        run_stopped(320);
        run_stopped(321);
        run_stopped(500);
        for (i = 0; i < 12; i = i + 1)
            run_stopped(random(0) % 1500);
        settings(3, 80, 1, 4, 40);
        run_stopped(200); // ends with a fraction of 3/4 in hand, which the next start must not inherit
        run_stopped(700);
        run_limited(1);

        // Abort: all low one clock later, position back to 0, one done, and no start before run rises again.
        for (i = 0; i < 8; i = i + 1) begin
            limit = 32'd0;
            run = 1'b1;
            clocks(1 + i * 83);
            dones = 0;
            abort = 1'b1;
            clocks(1);
            abort = 1'b0;
            if (running || superframe != 32'd0 || phase != 9'd0 || tdma_clk || tdma_sync)
                fail("abort is not at once");
            clocks(10);
            if (running || dones != 1)
                fail("runs on after an abort");
            run = 1'b0;
            clocks(1);
            run_limited(1);
        end

        // Reset in the middle.
        run = 1'b1;
        clocks(100);
        rst = 1'b1;
        run = 1'b0;
        clocks(1);
        if (running || tdma_clk || tdma_sync || tick)
            fail("reset does not stop the clock");
        rst = 1'b0;
        clocks(2);
        run_limited(2);
        verdict;
    end
endmodule

`default_nettype wire
