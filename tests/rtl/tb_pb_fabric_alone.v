// SPDX-FileCopyrightText: The phasebench authors
// SPDX-License-Identifier: Apache-2.0
//
// pb_fabric without joined pairs against one with them, clock by clock: one sender at a time, on one link
// after the other, modes 0, 1 and 3, boards that pull at arbitrary times. When a bit lasts at least blank_i
// ticks no output differs. A link of mode 2 is only received.
`timescale 1ns / 1ps
`default_nettype none
`define NAME "tb_pb_fabric_alone"

module tb_pb_fabric_alone;
    localparam LIMIT_CLOCKS = 400000;
    localparam LINKS = 5;
`include "tb_pb_common.vh"

    reg                release_all = 1'b0;
    reg  [2*LINKS-1:0] mode = 0;        // in planes
    reg  [7:0]         blank = 8'd16;
    reg  [LINKS-1:0]   player = 0, sending = 0, board = 0;
    reg  [LINKS-1:0]   meta = {LINKS{1'b1}}, sync = {LINKS{1'b1}};
    wire [LINKS-1:0]   pull, high, wanted, outside, contention;
    wire [LINKS-1:0]   pull_2, high_2, wanted_2, outside_2, contention_2;
    pb_fabric #(.LINKS(LINKS), .JOIN(0)) dut (
        .clk(clk), .rst_i(rst), .release_i(release_all), .mode_i(mode), .partner_i({6*LINKS{1'b0}}), .blank_i(blank), .line_i(sync),
        .player_pull_i(player), .player_sending_i(sending), .fault_pull_i({LINKS{1'b0}}), .fault_hold_i({LINKS{1'b0}}),
        .cut_i({LINKS{1'b0}}),
        .pull_o(pull), .high_o(high), .wanted_o(wanted), .outside_o(outside), .contention_o(contention));
    pb_fabric #(.LINKS(LINKS)) full (
        .clk(clk), .rst_i(rst), .release_i(release_all), .mode_i(mode & ~joined), .partner_i({6*LINKS{1'b0}}), .blank_i(blank),
        .line_i(sync), .player_pull_i(player), .player_sending_i(sending), .fault_pull_i({LINKS{1'b0}}),
        .fault_hold_i({LINKS{1'b0}}), .cut_i({LINKS{1'b0}}),
        .pull_o(pull_2), .high_o(high_2), .wanted_o(wanted_2), .outside_o(outside_2), .contention_o(contention_2));
    // Links of mode 2 are of mode 0 in the other one.
    wire [LINKS-1:0]   two    = mode[2*LINKS-1:LINKS] & ~mode[LINKS-1:0];
    wire [2*LINKS-1:0] joined = {two, two};

    integer pulls = 0, outsides = 0;
    always @(posedge clk) begin
        meta <= ~(pull | board);
        sync <= meta;
    end
    always @(negedge clk) if (!rst) begin
        if (^{pull, high, wanted, outside, contention} === 1'bx)
            fail("unknown output");
        if ({pull, high, wanted, outside, contention} !== {pull_2, high_2, wanted_2, outside_2, contention_2})
            fail("not the same without joined pairs");
        pulls = pulls + (pull != 0);
        outsides = outsides + (outside != 0);
        #2 if (random(0) % 50 == 0)
            board = board ^ (1 << random(0) % LINKS);
    end

    task steps(input integer n);
        repeat (n) @(negedge clk) #3;
    endtask
    integer a, k, ticks, link;
    reg [9:0] frame;
    initial begin
        steps(4);
        rst = 1'b0;
        steps(2);
        for (a = 0; a < 400; a = a + 1) begin
            if (a % 20 == 0)
                mode = random(0);
            ticks = 8 + random(0) % 30;
            blank = random(0) % (ticks + 1);
            link = random(0) % LINKS;
            frame = {1'b1, 8'd0, 1'b0};
            frame[8:1] = random(0);
            sending = 1 << link;
            for (k = 0; k < 10; k = k + 1) begin
                player = {LINKS{!frame[k]}} & sending;
                steps(ticks);
            end
            sending = 0;
            if (random(0) % 20 == 0) begin
                release_all = 1'b1;
                steps(1);
                release_all = 1'b0;
            end
            steps(random(0) % 10);
        end
        if (pulls < 1000 || outsides < 1000)
            fail("too little happened");
        verdict;
    end
endmodule
