// SPDX-FileCopyrightText: The phasebench authors
// SPDX-License-Identifier: Apache-2.0
//
// pb_receipts and pb_capture together: receipts of many sources, edges of TDMA_CLK and alarms at random
// instants, among line edges and phases. Every one comes out once, with its stamp and content; nothing is
// lost while there is room, and what finds the buffer full is counted.
`timescale 1ns / 1ps
`default_nettype none
`define NAME "tb_pb_receipts"
`include "pb_regs.vh"

module tb_pb_receipts;
    localparam LIMIT_CLOCKS = 400000;
    localparam LINKS = 4, LANES = 2, SOURCES = 7, DEPTH_LOG2 = 6, DELAY = 3;
`include "tb_pb_common.vh"

    reg                   ready = 1'b1, tick = 1'b0, tdma = 1'b0, tdma_sync = 1'b0, alarm = 1'b0;
    reg  [LINKS-1:0]      line = {LINKS{1'b1}};
    reg  [SOURCES-1:0]    began = 0, ended = 0, late = 0;
    reg  [5*SOURCES-1:0]  kind = 0;
    reg  [6*SOURCES-1:0]  link = 0;
    reg  [15*SOURCES-1:0] number = 0;
    reg  [27:0]           alarm_value = 28'd0;
    reg  [18:0]           tdma_age = 19'd0, tdma_age_due = 19'd0;   // valid from the second clock after an edge on
    reg                   tdma_before = 1'b0;
    always @(posedge clk) begin
        tdma_before <= tdma;
        if (tdma_before)
            tdma_age <= tdma_age_due;
    end
    wire                  alarm_take, receipt_valid, receipt_take, valid;
    wire [27:0]           receipt_value;
    wire [7:0]            receipt_stamp;
    wire [53:0]           stamp;
    wire [63:0]           word;
    wire [31:0]           lost;

    pb_receipts #(.SOURCES(SOURCES), .STAMP_BITS(8), .DELAY(DELAY)) receipts (
        .clk(clk), .rst_i(rst), .now_i(stamp[7:0]), .began_i(began), .ended_i(ended), .late_i(late),
        .kind_i(kind), .link_i(link), .number_i(number),
        .valid_o(receipt_valid), .value_o(receipt_value), .stamp_o(receipt_stamp), .take_i(receipt_take));
    pb_capture #(.LINKS(LINKS), .LANES(LANES), .DEPTH_LOG2(DEPTH_LOG2)) capture (
        .clk(clk), .rst_i(rst), .enable_i(1'b1), .stamp_o(stamp),
        .tick_i(tick), .phase_i(9'd5), .superframe_i(13'd77), .running_i(1'b0),
        .line_i(line), .second_i({LINKS{1'b0}}), .edge_mask_i({LINKS{1'b1}}), .byte_mask_i({LINKS{1'b0}}), .bit_period_i(20'd768),
        .console_i(1'b1), .console_period_i(20'd768),
        .underrun_i(2'd0), .underrun_phase_i(18'd0), .underrun_superframe_i(26'd0),
        .tdma_i(tdma), .tdma_sync_i(tdma_sync), .tdma_second_i(1'b0), .tdma_age_i(tdma_age[16:0]), .tdma_age_half_i(tdma_age[18:17]),
        .receipt_valid_i(receipt_valid), .receipt_tdc_i(1'b0), .receipt_value_i(receipt_value), .receipt_stamp_i(receipt_stamp),
        .receipt_take_o(receipt_take), .alarm_valid_i(alarm), .alarm_value_i(alarm_value), .alarm_take_o(alarm_take),
        .event_valid_o(valid), .event_o(word), .event_ready_i(ready), .event_level_o(), .lost_o(lost));

    // ---- what is due: per source {stamp, what}, one beginning and one end at a time; the clock in which an input is high is `now`
    integer    now = 0;
    always @(posedge clk) now <= rst ? 0 : now + 1;
    integer    due_began [0:SOURCES-1], due_ended [0:SOURCES-1], rest [0:SOURCES-1];
    reg        due_late [0:SOURCES-1];
    integer    due_tdma = -1, tdma_level = 0, due_alarm = -1, alarms_taken = 0, alarms_told = 0;
    reg [59:0] taken [0:4095];    // {clock of the beginning, value}
    integer    s, t, made = 0, told = 0, told_lost = 0, edges = 0;
    initial for (s = 0; s < SOURCES; s = s + 1) begin
        due_began[s] = -1;
        due_ended[s] = -1;
        rest[s] = 0;
    end

    integer who;
    reg     strict = 1'b1;      // nothing may be lost, and each content is checked
    always @(posedge clk) if (!rst && valid && ready) begin
        who = 0;
        while (who < SOURCES && number[15*who +: 15] != word[53:39])
            who = who + 1;
        case (word[63:60])
            `PB_EVENT_FAULT: begin
                told = told + 1;
                if (!strict)
                    ;
                else if (who >= SOURCES)
                    fail("receipt of nobody");
                else if (word[36:32] != kind[5*who +: 5] || word[59:54] != link[6*who +: 6] || word[53:39] != number[15*who +: 15])
                    fail("receipt with another content");
                else if (word[38:37] == 2'd1) begin
                    if (word[31:0] != due_began[who])
                        fail("beginning with a wrong stamp");
                    due_began[who] = -1;
                end else begin
                    if (word[31:0] != due_ended[who] || word[38:37] != (due_late[who] ? 2'd2 : 2'd0))
                        fail("end with a wrong stamp");
                    if (due_began[who] != -1)
                        fail("end before the beginning");
                    due_ended[who] = -1;
                end
            end
            `PB_EVENT_TDMA: begin
                told = told + 1;
                if (strict && (word[31:0] != due_tdma || word[59:32] != {6'd0, tdma_age_due, 2'd0, tdma_level[0]}))
                    fail("wrong edge of TDMA_CLK");
                due_tdma = -1;
            end
            `PB_EVENT_ALARM: begin
                told = told + 1;
                if (strict && (word[59:32] != taken[alarms_told][27:0] || word[31:0] < taken[alarms_told][59:28] ||
                               word[31:0] > taken[alarms_told][59:28] + 40))
                    fail("wrong alarm");
                alarms_told = alarms_told + 1;
            end
            `PB_EVENT_OVERFLOW: told_lost = told_lost + word[59:32];
            `PB_EVENT_EDGE: edges = edges + 1;
            `PB_EVENT_PHASE, `PB_EVENT_HEARTBEAT: ;
            default: fail("unknown kind of event");
        endcase
    end

    integer c, quiet;
    task stir(input integer clocks_in_all, input integer density);
        for (c = 0; c < clocks_in_all; c = c + 1) begin
            began = 0;
            ended = 0;
            late = 0;
            tdma = 1'b0;
            for (s = 0; s < SOURCES; s = s + 1) begin
                if (rest[s] == 0 && random(0) % density == 0) begin
                    // content changes only here; the low bits make the number unique
                    kind[5*s +: 5] = random(0);
                    link[6*s +: 6] = random(0);
                    number[15*s +: 15] = {random(0), 3'd0} | s;
                    due_late[s] = random(0) % 4 == 0;
                    if (due_late[s]) begin
                        late[s] = 1'b1;
                        due_ended[s] = now + DELAY;
                        rest[s] = 64;
                        made = made + 1;
                    end else begin
                        began[s] = 1'b1;
                        due_began[s] = now + DELAY;
                        rest[s] = 64 + 1 + random(0) % 40;
                        made = made + 2;
                    end
                end else if (rest[s] > 0) begin
                    if (!due_late[s] && rest[s] == 64) begin
                        ended[s] = 1'b1;
                        due_ended[s] = now + DELAY;
                    end
                    rest[s] = rest[s] - 1;
                    if (rest[s] == 0 && strict && (due_began[s] != -1 || due_ended[s] != -1))
                        fail("receipt did not come within 64 clocks");
                end
            end
            if (c % 18 == 0 && random(0) % 3 != 0) begin
                if (strict && due_tdma != -1)
                    fail("edge of TDMA_CLK did not come");
                tdma = 1'b1;
                tdma_sync = random(0);
                tdma_level = tdma_sync;
                due_tdma = now;
                tdma_age_due = now * 40503;     // differs from edge to edge
                made = made + 1;
            end
            if (!alarm && density < 1 << 30 && random(0) % 20 == 0) begin
                alarm = 1'b1;
                alarm_value = random(0);
                due_alarm = now;
                made = made + 1;
            end
            tick = c % 70 == 3;
            if (random(0) % 9 == 0)
                line = random(0);
            #1;
            t = alarm_take;
            if (t) begin
                taken[alarms_taken] = {due_alarm, alarm_value};
                alarms_taken = alarms_taken + 1;
            end
            clocks(1);
            if (t)
                alarm = 1'b0;
        end
    endtask
    task settle;
        begin
            ready = 1'b1;
            stir(200, 1 << 30);
            for (quiet = 0; quiet < 200; quiet = valid ? 0 : quiet + 1)
                clocks(1);
        end
    endtask
    initial begin
        clocks(4);
        rst = 1'b0;
        clocks(3);
        stir(20000, 100);
        stir(3000, 1);          // all sources as often as they may
        settle;
        if (told != made || lost != 0)
            fail("not all came, or something was lost");
        // Full: what does not fit is counted.
        strict = 1'b0;
        ready = 1'b0;
        stir(600, 30);
        ready = 1'b1;
        clocks(2);
        if (lost == 0)
            fail("the buffer should be full");
        settle;
        if (lost != told_lost)
            fail("loss is not told exactly");
        // An external clock that rises every other clock while phases and edges compete for each: reported or counted.
        made = told + lost;
        for (c = 0; c < 60; c = c + 1) begin
            tdma = 1'b1;
            tick = c % 2 == 0;
            clocks(1);
        end
        tdma = 1'b0;
        tick = 1'b0;
        settle;
        if (told + lost != made + 60 || lost != told_lost || lost == 0)
            fail("edges of a mad clock are not accounted for");
        verdict;
    end
endmodule

`default_nettype wire
