// SPDX-FileCopyrightText: The phasebench authors
// SPDX-License-Identifier: Apache-2.0
//
// pb_phase_gen against the rational number it is to make: phase k starts k * ticks + floor(k * num / den) +
// floor(k * drift / 2^16) ticks after phase 0. Every clock is checked while it runs and while it is stopped;
// then stop, limit, abort and restart. In follow mode every external edge is one of a script with the phase
// that it must begin, or of a random run compared with a model.
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
    reg  [23:0] drift = 24'd0;
    reg         follow = 1'b0, edge_in = 1'b0, edge_sync = 1'b0;
    wire        running, done, tick, tdma_clk, tdma_sync;
    wire [8:0]  phase;
    wire [31:0] superframe;
    wire [26:0] elapsed;

    // The memory with the settings: a clock late, with something else above them, and at times it is busy for a clock.
    wire [9:0]  setting_addr;
    reg  [31:0] setting;
    reg  [3:0]  busy = 4'd0;
    reg  [15:0] beat = 16'h1d2b;
    always @(posedge clk) begin
        beat <= {beat[14:0], beat[15] ^ beat[13] ^ beat[12] ^ beat[10]};
        busy <= {busy[2:0], beat[0] && busy[2:0] == 3'd0};
        if (!busy[0])
            case (setting_addr)
                10'h022: setting <= {5'h15, num};
                10'h023: setting <= {5'h0a, den};
                10'h024: setting <= {5'h1f, high};
                10'h025: setting <= limit;
                default: setting <= 32'hx;
            endcase
    end

    pb_phase_gen dut (
        .clk(clk), .rst_i(rst), .run_i(run), .abort_i(abort), .phase_count_i(count), .period_ticks_i(ticks),
        .setting_o(setting_addr), .setting_i(setting), .drift_i(drift),
        .follow_i(follow), .edge_i(edge_in), .edge_sync_i(edge_sync),
        .running_o(running), .done_o(done), .tick_o(tick), .phase_o(phase), .superframe_o(superframe),
        .elapsed_o(elapsed), .tdma_clk_o(tdma_clk), .tdma_sync_o(tdma_sync));

    // ---- the model: position in the run, from which all outputs follow
    integer    now = 0;         // clocks since phase 0 of superframe 0
    integer    k = 0;           // phases begun before this one
    integer    k_phase = 0, k_frame = 0;
    integer    in_phase = 0;    // superframe * count + phase is k
    integer    phase_start = 0;
    integer    dones = 0, ticks_seen = 0;
    integer    length = 0;      // of this phase
    reg        clk_due = 1'b0, sync_due = 1'b0;
    reg        expect_running = 1'b0, unchecked = 1'b0, short_phases = 1'b0;
    reg signed [63:0] drift_sum = 0;

    function [63:0] fraction_of(input integer n);
        fraction_of = {32'd0, n[31:0]} * {37'd0, num} / {37'd0, den};
    endfunction
    function signed [63:0] drift_of(input integer n);   // >>> rounds down
        drift_of = ($signed({{32{n[31]}}, n[31:0]}) * $signed({{40{drift[23]}}, drift})) >>> 16;
    endfunction
    function [63:0] start_of(input integer n);
        start_of = {32'd0, n[31:0]} * {37'd0, ticks} + fraction_of(n) + drift_of(n);
    endfunction

    // Sampled just before the falling edge at which inputs change, so it sees a settled clock.
    always @(negedge clk) if (!rst) begin
        if (done)
            dones = dones + 1;
        if (^{running, done, tick, tdma_clk, tdma_sync, phase, superframe} === 1'bx)
            fail("unknown output");
        if (tick)
            ticks_seen = ticks_seen + 1;
        if (follow || unchecked)
            expect_running = 1'b0;
        else if (running && !expect_running) begin
            expect_running = 1'b1;
            now = 0;
            k = 0;
            k_phase = 0;
            k_frame = 0;
            phase_start = 0;
            length = ticks + fraction_of(1);
            drift_sum = 0;
            if (!tick)
                fail("first clock is no tick");
        end else if (expect_running) begin
            now = now + 1;
            in_phase = now - phase_start;
            if (in_phase == 34) begin   // the drift of the clock before
                length = length - (drift_sum >>> 16);
                drift_sum = drift_sum + $signed({{40{drift[23]}}, drift});
                length = length + (drift_sum >>> 16);
                if (length < 64)
                    length = 64;
            end
            if (in_phase == length && running) begin
                k = k + 1;
                k_phase = k % count;
                k_frame = k / count;
                phase_start = now;
                length = ticks + fraction_of(k + 1) - fraction_of(k);
            end
        end
        if (!running) begin
            expect_running = 1'b0;
            {clk_due, sync_due} = 2'b00;
            if (tick || tdma_clk || tdma_sync)
                fail("output high while stopped");
        end else if (expect_running) begin
            in_phase = now - phase_start;
            if (tick !== (in_phase == 0))
                fail("tick at the wrong time");
            if ({5'd0, elapsed} !== in_phase)
                fail("elapsed is wrong");
            if ({23'd0, phase} !== k_phase || superframe !== k_frame)
                fail("phase or superframe is wrong");
            if (tdma_clk !== clk_due)
                fail("tdma_clk has the wrong level");
            if (tdma_sync !== sync_due)
                fail("tdma_sync has the wrong level");
            clk_due = in_phase < {5'd0, high};      // a clock later
            sync_due = k_phase == 0;
        end
    end

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
            if ({32'd0, now[31:0]} != (short_phases ? 64 * frames * count : start_of(frames * count)))
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
            clocks(4);
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
        run_limited(1);
        for (i = 0; i < 30; i = i + 1) begin
            den = 1 + random(0) % (i < 15 ? 50 : 134217727);
            num = random(0) % den;
            count = 2 + random(0) % 40;
            ticks = 64 + random(0) % 100;
            high = 1 + random(0) % (ticks - 1);
            clocks(4);
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
        clocks(4);
        run_limited(2);

        drifts;
        following;
        verdict;
    end

    // ---- drift
    task drifts;
        begin
            // 1,536 phases: 43 * 1536 / 65536 is 1.008 ticks, so they are 1 tick longer, or 2 shorter.
            settings(512, 64, 0, 1, 32);
            drift = 24'd43;
            run_limited(3);
            settings(512, 66, 0, 1, 32);
            drift = -24'd43;
            run_limited(3);
            settings(300, 65, 2, 3, 32);
            drift = 24'd43691;                  // 2/3 of a tick, rounded up: two fractions at once
            run_limited(3);
            drift = -24'd43691;
            run_limited(3);
            settings(24, 200, 1, 7, 100);
            drift = 24'h7fffff;                 // 127.99998 ticks
            run_limited(4);
            drift = 24'h800000;                 // -128 ticks: 72 and 73 are left
            run_limited(4);
            settings(24, 70, 1, 2, 35);
            drift = -24'd393216;                // -6 ticks: 64 and 65
            run_limited(4);
            short_phases = 1'b1;
            drift = -24'd458752;                // -7 ticks: would be 63 and 64
            run_limited(4);
            settings(24, 65, 0, 1, 35);
            drift = -24'd4194304;               // -64 ticks: would be 1
            run_limited(4);
            drift = 24'h800000;                 // would be -63
            run_limited(4);
            settings(24, 64, 0, 1, 35);
            drift = -24'd3932160;               // -60 ticks: would be 4, as many as have passed when that is known
            run_limited(4);
            short_phases = 1'b0;
            for (i = 0; i < 8; i = i + 1) begin
                den = 1 + random(0) % 100;
                num = random(0) % den;
                count = 2 + random(0) % 40;
                ticks = 192 + random(0) % 100;
                high = 1 + random(0) % 60;
                drift = random(0);
                clocks(4);
                run_limited(1 + random(0) % 4);
            end
            // Drift that comes, changes and goes, near the limit too: the per-clock model knows.
            for (i = 0; i < 6; i = i + 1) begin
                limit = 32'd0;
                settings(7, 66 + 20 * i, 3, 5, 30);
                run = 1'b1;
                repeat (60) begin
                    clocks(1 + random(0) % 150);
                    drift = random(0) % 3 == 0 ? 0 : {{4{noise[31]}}, noise[30:11]};
                end
                run = 1'b0;
                drift = 24'd0;
                while (running)
                    clocks(1);
            end
            run_limited(2); // nothing is left of the drift of the run before

            // A phase can not be longer than 2^27 ticks. The ticks between are skipped by setting the counter.
            unchecked = 1'b1;
            settings(2, 134217727, 0, 1, 30);
            drift = 24'h7fffff;
            limit = 32'd1;
            run = 1'b1;
            clocks(101);
            dut.elapsed_o = 27'h7fffff0;
            clocks(15);
            if (tick || elapsed != 27'h7ffffff)
                fail("the longest phase ends too early");
            clocks(1);
            if (!tick || phase != 9'd1 || elapsed != 27'd0)
                fail("the longest phase has no end");
            abort = 1'b1;
            run = 1'b0;
            clocks(1);
            abort = 1'b0;
            drift = 24'd0;
            clocks(2);
            unchecked = 1'b0;
        end
    endtask

    // ---- follow mode
    reg        m_running, m_armed, was;
    integer    m_phase, m_frame, gap, n;
    reg        level;

    // The next edge, `ticks_after` clocks after the last thing that happened: running, phase and superframe that it must bring.
    task outside(input integer ticks_after, input sync, input goes, input integer at_phase, input integer at_frame);
        begin
            clocks(ticks_after - 2);
            was = running;
            if (tick && ticks_after > 2)
                fail("tick without an edge");
            if (running && ticks_after > 3 && tdma_sync !== (phase == 9'd0))
                fail("follow: tdma_sync is wrong");
            ticks_seen = 0;
            edge_in = 1'b1;
            edge_sync = sync;
            clocks(1);
            edge_in = 1'b0;
            edge_sync = random(0);  // sampled only with the edge
            clocks(1);
            if (running !== goes || tick !== goes || done !== (was && !goes))
                fail("follow: running, tick or done is wrong");
            if (goes && (phase !== at_phase || superframe !== at_frame || elapsed !== 27'd0))
                fail("follow: phase or superframe is wrong");
        end
    endtask

    task following;
        begin
            settings(3, 100, 1, 2, 50);
            limit = 32'd0;
            follow = 1'b1;
            clocks(2);
            outside(50, 1'b1, 1'b0, 0, 0);      // not asked to run
            run = 1'b1;
            clocks(1);
            if (running)
                fail("follow: runs without an edge");
            outside(30, 1'b0, 1'b0, 0, 0);      // no SYNC: waits on
            outside(100, 1'b0, 1'b0, 0, 0);
            outside(900, 1'b1, 1'b1, 0, 0);     // here it starts
            outside(100, 1'b0, 1'b1, 1, 0);
            clocks(49);
            if (elapsed != 27'd49)
                fail("follow: elapsed is wrong");
            outside(51, 1'b0, 1'b1, 2, 0);
            outside(101, 1'b1, 1'b1, 0, 1);
            outside(70, 1'b0, 1'b1, 1, 1);      // early
            outside(150, 1'b0, 1'b1, 2, 1);     // late
            outside(100, 1'b0, 1'b1, 0, 2);     // no SYNC after the last phase: by count
            outside(100, 1'b0, 1'b1, 1, 2);
            outside(100, 1'b1, 1'b1, 0, 3);     // SYNC after two phases
            outside(2, 1'b1, 1'b1, 0, 4);       // and again, as soon as can be
            outside(100, 1'b0, 1'b1, 1, 4);
            outside(1000, 1'b0, 1'b1, 2, 4);    // the clock pauses: the run does not end while it is asked for
            run = 1'b0;
            outside(100, 1'b1, 1'b0, 0, 0);     // the end is the edge that would begin the next superframe
            outside(100, 1'b0, 1'b0, 0, 0);
            outside(100, 1'b1, 1'b0, 0, 0);

            limit = 32'd2;                      // the limit ends it, even by count
            run = 1'b1;
            outside(10, 1'b1, 1'b1, 0, 0);
            outside(100, 1'b0, 1'b1, 1, 0);
            outside(100, 1'b0, 1'b1, 2, 0);
            outside(100, 1'b1, 1'b1, 0, 1);
            outside(100, 1'b0, 1'b1, 1, 1);
            outside(100, 1'b0, 1'b1, 2, 1);
            outside(100, 1'b0, 1'b0, 0, 0);
            outside(100, 1'b1, 1'b0, 0, 0);     // not again before run_i rises again
            run = 1'b0;
            clocks(1);
            limit = 32'd0;

            // Given up while it waits: at once and for good.
            run = 1'b1;
            clocks(20);
            run = 1'b0;
            outside(1, 1'b1, 1'b0, 0, 0);
            outside(100, 1'b1, 1'b0, 0, 0);
            run = 1'b1;
            clocks(20);
            abort = 1'b1;
            clocks(1);
            abort = 1'b0;
            outside(100, 1'b1, 1'b0, 0, 0);
            run = 1'b0;
            clocks(1);

            // A clock that dies: run_i falls 30 clocks after the last edge, the run ends 2 * 100 + 2 after it; or at once when later.
            for (i = 0; i < 3; i = i + 1) begin
                dones = 0;
                run = 1'b1;
                outside(10, 1'b1, 1'b1, 0, 0);
                outside(100, 1'b0, 1'b1, 1, 0);
                clocks(i == 0 ? 30 : i == 1 ? 200 : 700);
                run = 1'b0;
                clocks(i == 0 ? 171 : i == 1 ? 1 : 0);
                if (!running || dones != 0 || elapsed != (i == 2 ? 27'd700 : 27'd201))
                    fail("follow: a dead clock ends the run too early");
                clocks(1);
                if (running || !done)
                    fail("follow: a dead clock does not end the run");
                clocks(1);
                if (dones != 1)
                    fail("follow: no end told of a dead clock");
                outside(100, 1'b1, 1'b0, 0, 0);
            end
            // An edge in the very clock in which it would be given up goes on.
            run = 1'b1;
            outside(10, 1'b1, 1'b1, 0, 0);
            clocks(30);
            run = 1'b0;
            outside(171, 1'b0, 1'b1, 1, 0);
            outside(100, 1'b0, 1'b1, 2, 0);
            outside(100, 1'b0, 1'b0, 0, 0);
            // run_i that falls and rises again in a superframe changes nothing, then or later.
            run = 1'b1;
            outside(10, 1'b1, 1'b1, 0, 0);
            run = 1'b0;
            clocks(5);
            run = 1'b1;
            outside(95, 1'b0, 1'b1, 1, 0);
            run = 1'b0;
            outside(100, 1'b1, 1'b0, 0, 0);
            outside(100, 1'b1, 1'b0, 0, 0);

            limit = 32'd1;
            run = 1'b1;
            outside(10, 1'b1, 1'b1, 0, 0);
            run = 1'b0;
            clocks(5);
            run = 1'b1;
            outside(95, 1'b0, 1'b1, 1, 0);
            outside(100, 1'b1, 1'b0, 0, 0);
            outside(100, 1'b1, 1'b0, 0, 0);
            run = 1'b0;
            limit = 32'd0;
            clocks(1);

            // elapsed_o stays at its end, which also is the end of a run whose two periods are beyond it.
            ticks = 27'h7ffffff;
            run = 1'b1;
            outside(10, 1'b1, 1'b1, 0, 0);
            clocks(5);
            dut.elapsed_o = 27'h7fffffa;
            clocks(20);
            if (!running || elapsed != 27'h7ffffff || phase != 9'd0)
                fail("follow: elapsed does not stay at its end");
            outside(10, 1'b0, 1'b1, 1, 0);
            dut.elapsed_o = 27'h7fffffa;
            clocks(20);
            run = 1'b0;
            clocks(1);
            if (running)
                fail("follow: no end of a run with a very long period");

            // Random edges, run_i, settings; the model is the text of the header.
            for (i = 0; i < 40; i = i + 1) begin
                settings(2 + random(0) % 6, 64, 0, 1, 20);
                limit = random(0) % 4;
                m_running = 1'b0;
                m_armed = 1'b1;
                m_phase = 0;
                m_frame = 0;
                run = 1'b0;
                clocks(2);
                run = 1'b1;
                clocks(2);
                for (n = 0; n < 40; n = n + 1) begin
                    gap = 2 + random(0) % 150;
                    level = random(0) % 4 == 0;
                    if (m_running && run && random(0) % 16 == 0)
                        run = 1'b0;
                    if (m_running && !run && gap > 130) begin   // given up two periods and two clocks after the edge before
                        clocks(130);
                        if (running)
                            fail("follow: a dead clock does not end the run");
                        m_running = 1'b0;
                        gap = gap - 130;
                    end
                    if (m_armed && level) begin
                        m_running = 1'b1;
                        m_armed = 1'b0;
                        m_phase = 0;
                        m_frame = 0;
                    end else if (m_running && (level || m_phase + 1 == count)) begin
                        m_phase = 0;
                        m_frame = m_frame + 1;
                        m_running = run && m_frame != limit;
                    end else
                        m_phase = m_phase + 1;
                    outside(gap, level, m_running, m_phase, m_frame);
                end
                run = 1'b0;
                abort = 1'b1;
                clocks(1);
                abort = 1'b0;
            end
            follow = 1'b0;
            clocks(3);
            settings(4, 80, 1, 4, 40);
            run_limited(2);
        end
    endtask
endmodule

`default_nettype wire
