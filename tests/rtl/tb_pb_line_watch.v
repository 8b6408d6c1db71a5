// SPDX-FileCopyrightText: The phasebench authors
// SPDX-License-Identifier: Apache-2.0
//
// pb_line_watch: single lows placed on ticks of a phase by hand, at both sides of each border, then random
// lines, guards and phases compared with a model. Lines are described in the time of the pins and reach the
// module four clocks after the ideal phase.
`timescale 1ns / 1ps
`default_nettype none
`define NAME "tb_pb_line_watch"
`include "pb_regs.vh"

module tb_pb_line_watch;
    localparam LIMIT_CLOCKS = 1000000;
    localparam LINKS = 12;
    localparam LAG = 4;
`include "tb_pb_common.vh"

    localparam [4:0] CONTENTION = `PB_ALARM_CONTENTION, OUTSIDE_PHASE = `PB_ALARM_OUTSIDE_PHASE, GUARD = `PB_ALARM_GUARD,
                     STUCK = `PB_ALARM_STUCK;

    // ---- phases: period ticks, count phases; changes take effect with the next phase
    reg         run = 1'b0, running = 1'b0, tick = 1'b0;
    reg  [8:0]  phase = 9'd0;
    reg  [26:0] elapsed = 27'd0;
    integer     period = 100, count = 9;
    always @(posedge clk) begin
        tick <= 1'b0;
        if (!running || elapsed + 1 == period) begin
            running <= run;
            tick    <= run;
            phase   <= running && phase + 1 < count ? phase + 9'd1 : 9'd0;
            elapsed <= 27'd0;
        end else
            elapsed <= elapsed + 27'd1;
    end

    // ---- lines, as they are at the pins in the tick `elapsed`
    reg  [23:0]        head = 24'd0;
    reg  [26:0]        tail = 27'h7ffffff;
    reg  [6*LINKS-1:0] own = {LINKS{6'd63}};
    // Written a link a clock when it has changed, 64 in all for the largest of the modules.
    reg  [6*LINKS-1:0] written = 0;
    reg  [6:0]         sweep = 7'd0;
    wire               phase_wr = sweep != 7'd64;
    always @(posedge clk) begin
        sweep <= sweep + {6'd0, phase_wr};
        if (written !== own) begin
            written <= own;
            sweep   <= 7'd0;
        end
    end
    wire [5:0]         data12 = written[6*(sweep%LINKS) +: 6];
    reg  [LINKS-1:0]   outside = 0, pull = 0, sending = 0, joined = 0;
    wire [LINKS-1:0]   line = ~(outside | pull);
    reg  [4*LINKS-1:0] lag [0:LAG-1];
    reg  [38:0]        ideal [0:LAG-1];     // {running, tick, phase, elapsed}
    integer            s;
    initial for (s = 0; s < LAG; s = s + 1) begin
        lag[s] = {{LINKS{1'b1}}, {3*LINKS{1'b0}}};
        ideal[s] = 39'd0;
    end
    always @(posedge clk) begin
        lag[0]   <= {line, outside, sending, joined};
        ideal[0] <= {running, tick, phase, elapsed};
        for (s = 1; s < LAG; s = s + 1) begin
            lag[s]   <= lag[s-1];
            ideal[s] <= ideal[s-1];
        end
    end
    wire [LINKS-1:0] line_i, outside_i, sending_i, joined_i;
    assign {line_i, outside_i, sending_i, joined_i} = lag[LAG-1];

    wire       alarm, counted;
    wire [4:0] code;
    wire [5:0] link;
    reg        ack = 1'b1;
    pb_line_watch #(.LINKS(LINKS)) dut (
        .clk(clk), .rst_i(rst), .tick_i(tick), .first_i(ideal[LAG-2][36]), .live_i(ideal[LAG-2][37]), .phase_i(phase), .elapsed_i(elapsed),
        .guard_head_i(head), .guard_tail_i(tail), .phase_wr_i(phase_wr && sweep < LINKS), .phase_link_i(sweep[5:0]), .phase_data_i(data12),
        .phase_set_i({LINKS{1'b1}}), .restart_i(1'b0),
        .line_i(line_i), .outside_i(outside_i), .sending_i(sending_i), .contention_i(joined_i),
        .alarm_o(alarm), .code_o(code), .link_o(link), .ack_i(ack), .count_o(counted));

    // The smallest and the largest, with the first line on all of theirs.
    wire       alarm1, alarm64, counted1, counted64;
    wire [4:0] code1, code64;
    wire [5:0] link1, link64;
    pb_line_watch #(.LINKS(1)) dut1 (
        .clk(clk), .rst_i(rst), .tick_i(tick), .first_i(ideal[LAG-2][36]), .live_i(ideal[LAG-2][37]), .phase_i(phase), .elapsed_i(elapsed),
        .guard_head_i(head), .guard_tail_i(tail), .phase_wr_i(phase_wr && sweep == 0), .phase_link_i(6'd0), .phase_data_i(written[5:0]),
        .phase_set_i(1'b1), .restart_i(1'b0),
        .line_i(line_i[0]), .outside_i(outside_i[0]), .sending_i(sending_i[0]), .contention_i(joined_i[0]),
        .alarm_o(alarm1), .code_o(code1), .link_o(link1), .ack_i(1'b1), .count_o(counted1));
    pb_line_watch #(.LINKS(64)) dut64 (
        .clk(clk), .rst_i(rst), .tick_i(tick), .first_i(ideal[LAG-2][36]), .live_i(ideal[LAG-2][37]), .phase_i(phase), .elapsed_i(elapsed),
        .guard_head_i(head), .guard_tail_i(tail), .phase_wr_i(phase_wr), .phase_link_i(sweep[5:0]), .phase_data_i(written[5:0]),
        .phase_set_i({64{1'b1}}), .restart_i(1'b0),
        .line_i({64{line_i[0]}}), .outside_i({64{outside_i[0]}}), .sending_i({64{sending_i[0]}}), .contention_i({64{joined_i[0]}}),
        .alarm_o(alarm64), .code_o(code64), .link_o(link64), .ack_i(1'b1), .count_o(counted64));
    integer    got1 = 0, got64 = 0;
    reg [63:0] links64 = 64'd0;
    reg [4:0]  last1, last64;

    // ---- the model: one place per line for an alarm that is to come
    wire        was_running, was_tick;
    wire [8:0]  was_phase;
    wire [26:0] was_elapsed;
    assign {was_running, was_tick, was_phase, was_elapsed} = ideal[LAG-1];
    wire        border = ideal[LAG-2][36];  // the lines show the tick before a phase
    reg  [4:0]  due [0:LINKS-1], later [0:LINKS-1], now_due, seen;
    integer     age [0:LINKS-1];
    reg  [LINKS-1:0] told = 0;  // in this phase
    integer     m, got = 0, dues = 0, patience = 1000000;
    reg         in_guard, held = 1'b0;
    reg  [10:0] held_what;
    reg  [4:0]  last_code;
    reg  [5:0]  last_link, its_phase;
    initial for (m = 0; m < LINKS; m = m + 1) begin
        due[m] = 5'd0;
        later[m] = 5'd0;
        age[m] = 0;
    end
    always @(posedge clk) if (!rst) begin
        if (^{alarm, counted, alarm1, alarm64} === 1'bx || counted !== (alarm && ack))
            fail("alarm or count is wrong");
        if (held && (!alarm || {code, link} !== held_what))
            fail("an alarm does not stay until it is taken");
        held = alarm && !ack;
        held_what = {code, link};
        in_guard = was_elapsed < head || was_elapsed >= tail;
        for (m = 0; m < LINKS; m = m + 1) begin
            its_phase = own[6*m +: 6];
            now_due = 5'd0;
            if (border) begin
                told[m] = 1'b0;
                if (!line_i[m])
                    now_due = STUCK;
            end else if (was_running) begin
                if ((outside_i[m] && sending_i[m]) || joined_i[m])
                    now_due = CONTENTION;
                else if (outside_i[m] && !in_guard && its_phase != 63 && its_phase != was_phase)
                    now_due = OUTSIDE_PHASE;
                else if (!line_i[m] && in_guard)
                    now_due = GUARD;
            end
            if (told[m])
                now_due = 5'd0;
            if (now_due != 5'd0)
                told[m] = 1'b1;
            seen = now_due;     // it is dealt with in the next clock
            now_due = later[m];
            later[m] = seen;
            age[m] = age[m] + 1;
            if (due[m] != 5'd0) begin
                now_due = 5'd0;     // lost in the one that waits
                if (age[m] > patience)
                    fail("an alarm does not come");
            end
            if (alarm && ack && link == m) begin
                if (due[m] == 5'd0)
                    fail("an alarm too much");
                else if (due[m] !== code)
                    fail("code is wrong");
                due[m] = 5'd0;
            end
            if (now_due != 5'd0) begin
                due[m] = now_due;
                age[m] = 0;
                dues = dues + 1;
            end
        end
        if (alarm && ack) begin
            got = got + 1;
            last_code = code;
            last_link = link;
            if (link >= LINKS)
                fail("no such link");
        end
        if (alarm1) begin
            got1 = got1 + 1;
            last1 = code1;
            if (link1 !== 6'd0)
                fail("no such link");
        end
        if (alarm64) begin
            got64 = got64 + 1;
            last64 = code64;
            links64[link64] = 1'b1;
        end
    end

    task until_tick(input integer at_phase, input integer at);
        begin
            clocks(1);
            while (!(phase == at_phase && elapsed == at))
                clocks(1);
        end
    endtask

    localparam [1:0] BY_NODE = 2'd0, BY_BENCH = 2'd1, BY_BOTH = 2'd2, BY_JOINED = 2'd3;
    // Line 5 is low for `n` ticks from tick `at` of a phase on; `wanted` (0: none) is the first alarm, `alarms` how many there are.
    integer before;
    task low(input integer at_phase, input integer at, input integer n, input [1:0] by, input [4:0] wanted, input integer alarms);
        begin
            until_tick(at_phase, at);
            before = got;
            last_code = 5'd0;
            outside[5] = by != BY_BENCH;
            pull[5]    = by == BY_BENCH;
            sending[5] = by == BY_BENCH || by == BY_BOTH;
            joined[5]  = by == BY_JOINED;
            clocks(n);
            {outside[5], pull[5], sending[5], joined[5]} = 4'd0;
            clocks(50);
            if (got - before != alarms)
                fail("more or fewer alarms than there should be");
            else if (alarms > 0 && (last_link != 6'd5 || last_code != wanted))
                fail("not the alarm that should be");
        end
    endtask

    integer i, n, w;
    initial begin
        clocks(3);
        rst = 1'b0;
        clocks(3);
        // Before the clock runs nothing is wrong.
        outside = {LINKS{1'b1}};
        sending = {LINKS{1'b1}};
        joined  = {LINKS{1'b1}};
        head = 24'd10;
        tail = 27'd90;
        own[35:30] = 6'd3;
        clocks(300);
        {outside, sending, joined} = 0;
        clocks(20);
        if (got != 0)
            fail("an alarm while the clock stands");
        run = 1'b1;
        patience = 2 * LINKS + 2;

        // Phases of 100 ticks, guards 0..9 and 90..99. Line 5 has phase 3: there only guards and borders count.
        low(3, 8, 1, BY_NODE, GUARD, 1);
        low(3, 9, 1, BY_NODE, GUARD, 1);
        low(3, 10, 1, BY_NODE, 0, 0);
        low(3, 10, 80, BY_NODE, 0, 0);
        low(3, 89, 1, BY_NODE, 0, 0);
        low(3, 90, 1, BY_NODE, GUARD, 1);
        low(3, 89, 2, BY_NODE, GUARD, 1);
        low(3, 9, 85, BY_NODE, GUARD, 1);           // two guards, one alarm
        low(7, 0, 1, BY_BENCH, GUARD, 1);           // the bench itself counts in a guard
        low(7, 10, 80, BY_BENCH, 0, 0);             // but not in another phase
        low(7, 10, 1, BY_NODE, OUTSIDE_PHASE, 1);
        low(2, 89, 1, BY_NODE, OUTSIDE_PHASE, 1);
        low(4, 10, 1, BY_NODE, OUTSIDE_PHASE, 1);   // the next phase is the wrong one
        low(8, 50, 20, BY_NODE, OUTSIDE_PHASE, 1);
        low(7, 9, 60, BY_NODE, GUARD, 1);           // in a guard it is a guard's, and the first counts
        low(3, 40, 1, BY_BOTH, CONTENTION, 1);      // even in its own phase
        low(7, 40, 1, BY_BOTH, CONTENTION, 1);      // before OUTSIDE_PHASE
        low(7, 5, 1, BY_BOTH, CONTENTION, 1);       // and GUARD
        low(3, 40, 1, BY_JOINED, CONTENTION, 1);
        low(7, 95, 1, BY_JOINED, CONTENTION, 1);
        own[35:30] = 6'd63;                         // not watched: guards and contention stay
        low(8, 40, 20, BY_NODE, 0, 0);
        low(8, 0, 20, BY_NODE, GUARD, 1);
        low(8, 50, 20, BY_BOTH, CONTENTION, 1);
        own[35:30] = 6'd3;

        // Borders, without guards: low in the last tick of a phase is STUCK, in the first of the next it is not.
        head = 24'd0;
        tail = 27'd100;
        until_tick(2, 99);
        low(3, 0, 1, BY_NODE, 0, 0);
        low(3, 98, 1, BY_NODE, 0, 0);
        low(3, 99, 1, BY_NODE, STUCK, 1);
        low(3, 50, 60, BY_BENCH, STUCK, 1);
        low(3, 99, 1, BY_BOTH, STUCK, 1);           // before CONTENTION
        low(2, 50, 60, BY_NODE, STUCK, 2);          // after OUTSIDE_PHASE
        low(2, 98, 60, BY_NODE, OUTSIDE_PHASE, 1);  // one tick before the border: STUCK is lost in what still waits
        low(2, 99, 60, BY_NODE, STUCK, 1);
        low(2, 0, 1, BY_NODE, OUTSIDE_PHASE, 1);
        low(4, 0, 1, BY_NODE, OUTSIDE_PHASE, 1);
        low(3, 60, 240, BY_BENCH, STUCK, 3);        // three borders, one alarm each

        // All lines at once take turns, at all sizes.
        own = {LINKS{6'd1}};
        clocks(300);
        until_tick(5, 20);
        got = 0;
        got1 = 0;
        got64 = 0;
        outside = {LINKS{1'b1}};
        clocks(1);
        outside = 0;
        clocks(140);
        if (got != LINKS || got1 != 1 || got64 != 64 || links64 != {64{1'b1}} || last1 != OUTSIDE_PHASE || last64 != OUTSIDE_PHASE)
            fail("not one alarm from every line");
        until_tick(6, 99);
        outside = {LINKS{1'b1}};
        clocks(1);
        outside = 0;
        clocks(140);
        if (got != 2 * LINKS || got1 != 2 || got64 != 128 || last_code != STUCK || last1 != STUCK || last64 != STUCK)
            fail("not one alarm from every line at a border");

        // Alarms stay until they are taken.
        ack = 1'b0;
        patience = 1000000;
        until_tick(3, 30);
        outside[2] = 1'b1;
        outside[7] = 1'b1;
        clocks(10);
        outside = 0;
        clocks(350);
        if (!alarm || got != 2 * LINKS)
            fail("an alarm is gone before it was taken");
        ack = 1'b1;
        clocks(30);
        if (got != 2 * LINKS + 2)
            fail("waiting alarms do not come");

        // Anything at random, with runs that end and begin.
        for (i = 0; i < 25; i = i + 1) begin
            run = 1'b0;
            while (running)
                clocks(1);
            clocks(random(0) % 8 + 5);
            if (random(0) % 2 == 0)
                clocks(40);
            period = 64 + random(0) % 60;
            count = 2 + random(0) % (i == 7 ? 510 : 9);
            head = random(0) % 4 == 0 ? 0 : random(0) % 20;
            tail = random(0) % 4 == 0 ? 27'h7ffffff : random(0) % (period + 2);
            for (w = 0; w < LINKS; w = w + 1)
                own[6*w +: 6] = random(0) % 4 == 0 ? 6'd63 : i == 7 ? random(0) : random(0) % 10;
            patience = i % 2 == 0 ? 2 * LINKS + 2 : 1000000;
            clocks(2 * LINKS + 5);  // till they are known
            run = 1'b1;
            for (n = 0; n < 1000; n = n + 1) begin
                ack = i % 2 == 0 || random(0) % 3 == 0;
                for (w = 0; w < LINKS; w = w + 1) begin
                    noise = random(0);
                    if (noise[5:0] < 2)
                        outside[w] = !outside[w] && noise[6];
                    else if (noise[5:0] < 8)
                        outside[w] = 1'b0;
                    if (noise[11:7] == 0)
                        {sending[w], pull[w]} = {noise[12], noise[12] && noise[13]};
                    joined[w] = outside[w] && noise[17:12] == 0;
                end
                clocks(1);
            end
            {outside, pull, sending, joined} = 0;
            ack = 1'b1;
        end
        run = 1'b0;
        clocks(1000);
        for (w = 0; w < LINKS; w = w + 1)
            if (due[w] != 5'd0)
                fail("an alarm never came");
        if (dues < 1000)
            fail("hardly any alarms");
        verdict;
    end
endmodule

`default_nettype wire
