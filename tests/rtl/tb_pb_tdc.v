// SPDX-FileCopyrightText: The phasebench authors
// SPDX-License-Identifier: Apache-2.0
//
// pb_tdc with random chains: every edge with 31 quiet clocks before it is reported once, with the number of
// ones that is counted here bit by bit, whatever their order, and with its stamp; all others are counted, and
// change no report. A report waits as long as it is not taken. A chain of nine times the taps, which is
// counted in wider slices, runs in parallel.
`timescale 1ns / 1ps
`default_nettype none
`define NAME "tb_pb_tdc"
`include "pb_regs.vh"

module tb_pb_tdc;
    localparam LIMIT_CLOCKS = 600000;
    localparam TAPS = 40;
`include "tb_pb_common.vh"

    reg             enable = 1'b0, set = 1'b0, take = 1'b0, level = 1'b0;
    reg  [TAPS-1:0] taps = 0;
    reg  [7:0]      now = 8'd0;
    wire            valid;
    wire [21:0]     value;
    wire [7:0]      stamp;
    pb_tdc #(.TAPS(TAPS), .STAMP_BITS(8)) dut (
        .clk(clk), .rst_i(rst), .enable_i(enable), .set_i(set), .taps_i(taps), .now_i(now),
        .valid_o(valid), .value_o(value), .stamp_o(stamp), .take_i(take));
    localparam WIDE = 9 * TAPS, SLOWEST = 22;
    reg  [WIDE-1:0] taps_wide = 0;
    wire            valid_wide;
    wire [21:0]     value_wide;
    wire [7:0]      stamp_wide;
    pb_tdc #(.TAPS(WIDE), .STAMP_BITS(8)) dut_wide (
        .clk(clk), .rst_i(rst), .enable_i(enable), .set_i(set), .taps_i(taps_wide), .now_i(now),
        .valid_o(valid_wide), .value_o(value_wide), .stamp_o(stamp_wide), .take_i(take));
    integer w;
    always @* for (w = 0; w < WIDE; w = w + 1)
        taps_wide[w] = taps[w/9];
    integer count = 0, last = 0;    // clocks, and those at the last edge or setting
    always @(posedge clk) begin
        now   <= now + 8'd1;
        count <= count + 1;
    end

    integer n, ones, passed, edges = 0, reports = 0, missed = 0, bubbles = 0;
    integer ones_wide, over_wide;
    reg     swapped, bubble_wide;
    // The chain when an edge has passed `passed` taps; the two taps at its front are swapped or not.
    task fill(input new_level, input swap);
        begin
            for (n = 0; n < TAPS; n = n + 1)
                taps[n] = n < passed ? new_level : !new_level;
            swapped = swap && passed > 1 && passed < TAPS;
            if (swapped) begin
                taps[passed-1] = !new_level;
                taps[passed]   = new_level;
            end
            ones = 0;
            for (n = 0; n < TAPS; n = n + 1)
                ones = ones + taps[n];
            ones_wide = 0;
            over_wide = 0;
            for (n = 0; n < WIDE; n = n + 1) begin
                ones_wide = ones_wide + taps[n/9];
                over_wide = over_wide + (n % 2 == 0 ? taps[n/9] : -taps[n/9]);
            end
            bubble_wide = over_wide != 0 && over_wide != (new_level ? 1 : -1);
        end
    endtask

    reg [7:0] edge_stamp;
    reg       expected;
    // An edge; unless next_clocks is 0 another one, next_clocks + 1 clocks later; then the report of the first, which must come in time
    // and stay until it is taken.
    task one_edge(input integer wait_clocks, input integer next_clocks);
        begin
            expected = count - last >= 32;
            last   = count;
            level  = !level;
            passed = 1 + random(0) % TAPS;
            fill(level, random(0) % 4 == 0);
            edge_stamp = now + 8'd2;
            edges  = edges + 1;
            clocks(1);
            taps = {TAPS{level}};
            if (next_clocks != 0) begin
                clocks(next_clocks);
                last   = count;
                taps   = {TAPS{!level}};
                missed = missed + 1;
                edges  = edges + 1;
            end
            clocks(SLOWEST - next_clocks);
            if (valid != expected || valid_wide != expected)
                fail("no report, or one of a close edge");
            if (expected) begin
                clocks(wait_clocks);
                if (!valid || value[8:0] != ones || value[9] != level || value[10] != swapped || stamp != edge_stamp)
                    fail("wrong report");
                if (!valid_wide || value_wide[8:0] != ones_wide || value_wide[9] != level || value_wide[10] != bubble_wide ||
                    value_wide[14:11] != value[14:11] || stamp_wide != edge_stamp)
                    fail("wrong report of the wide chain");
                if (value[14:11] != (missed > 15 ? 15 : missed) || value[21:15] != 0)
                    fail("wrong number of missed edges");
                reports = reports + 1;
                bubbles = bubbles + swapped;
                missed  = 0;
                take = 1'b1;
                clocks(1);
                take = 1'b0;
                if (valid || valid_wide)
                    fail("a report came twice");
            end else
                missed = missed + 1;
            level = taps[0];
        end
    endtask

    integer c, most;
    initial begin
        clocks(3);
        rst = 1'b0;
        // not enabled: nothing
        for (c = 0; c < 4; c = c + 1) begin
            taps = ~taps;
            clocks(40);
            if (valid)
                fail("report while off");
        end
        set    = 1'b1;
        enable = 1'b1;
        clocks(3);
        set  = 1'b0;
        last = count;
        clocks(20);
        one_edge(0, 0);
        for (c = 0; c < 4000; c = c + 1) begin
            most = random(0) % 3 == 0 ? 20 : 60;
            clocks(random(0) % most);
            one_edge(random(0) % 12, random(0) % 4 == 0 ? 1 + random(0) % (SLOWEST - 2) : 0);
        end
        // the last distance without a report and the first with one
        for (c = 31; c < 33; c = c + 1) begin
            clocks(40);
            one_edge(0, 5);
            clocks(c - (count - last));
            one_edge(0, 0);
        end
        // many missed edges saturate
        clocks(40);
        one_edge(0, 0);
        for (c = 0; c < 20; c = c + 1)
            one_edge(0, 0);
        clocks(40);
        one_edge(0, 0);
        // an edge while a report waits is missed
        clocks(40);
        level = !level;
        taps  = {TAPS{level}};
        clocks(40);
        if (!valid)
            fail("no report");
        level = !level;
        taps  = {TAPS{level}};
        clocks(40);
        if (!valid || value[9] == level || value[14:11] != 1)
            fail("a waiting report was overwritten");
        // a new setting discards it
        set = 1'b1;
        clocks(1);
        set = 1'b0;
        clocks(1);
        if (valid)
            fail("a report of an earlier setting");
        if (reports < 1000 || edges - reports < 1000 || bubbles < 100)
            fail("too few cases");
        verdict;
    end
endmodule

`default_nettype wire
