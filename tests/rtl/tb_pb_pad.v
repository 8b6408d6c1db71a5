// SPDX-FileCopyrightText: The phasebench authors
// SPDX-License-Identifier: Apache-2.0
//
// Pads and core together: lines that a board changes at any time, in steps of a hundredth of a clock, must
// have the stamp of their clock and the half of it in which they changed; a pulse between two clock edges
// must pass undetected. What the bench pulls itself, at a clock edge that is known at the pin, says which
// clock is which. tests/rtl/run.sh runs it on the model of the pads and on the vendor's cells.
`timescale 1ns / 1ps
`default_nettype none
`define NAME "tb_pb_pad"
`include "pb_regs.vh"

module tb_pb_pad;
    localparam LIMIT_CLOCKS = 60000;
    localparam LINKS = 4, OWN = 3;      // the last link is the bench's own
    localparam [1:0] NEITHER = 2'd0, FIRST = 2'd1, SECOND = 2'd2;
`include "tb_pb_common.vh"

    wire [LINKS-1:0] link, level, half, pull;
    reg  [LINKS-2:0] board = 0;
    reg              own = 1'b0;
    genvar g;
    generate for (g = 0; g < LINKS; g = g + 1) begin : g_link
        pullup (link[g]);
        pb_pad pad (.clk(clk), .drive_i(pull[g]), .level_i(1'b0), .level_o(level[g]), .half_o(half[g]), .raw_o(), .pad(link[g]));
        if (g != OWN)
            assign link[g] = board[g] ? 1'b0 : 1'bz;
    end endgenerate
    assign pull = {own, 3'd0};

    // TDMA_CLK from outside
    wire clock_pin, clock_level, clock_half, sync_pin, sync_level, sync_half;
    reg  clock = 1'b0, sync = 1'b0;
    assign clock_pin = clock;
    assign sync_pin = sync;
    pb_pad sync_pad (.clk(clk), .drive_i(1'b0), .level_i(1'b0), .level_o(sync_level), .half_o(sync_half), .raw_o(), .pad(sync_pin));
    pb_pad clock_pad (.clk(clk), .drive_i(1'b0), .level_i(1'b0), .level_o(clock_level), .half_o(clock_half), .raw_o(), .pad(clock_pin));

    pb_core #(.LINKS(LINKS), .LANES(2), .FAULTS(0), .HALF_TICKS(1), .PIN_CLOCKS(2)) core (
        .clk(clk), .rst_i(rst), .host_rx_valid_i(1'b0), .host_rx_data_i(8'd0), .host_rx_ready_o(),
        .host_tx_valid_o(), .host_tx_data_o(), .host_tx_ready_i(1'b1),
        .tdma_clk_o(), .tdma_sync_o(), .tdma_drive_o(), .tdma_clk_i(clock_level), .tdma_sync_i(sync_level), .tdma_half_i(clock_half), .sync_half_i(sync_half),
        .link_i(level), .link_half_i(half), .link_pull_o(), .link_high_o(),
        .tdc_taps_i(1'b0), .tdc_enable_o(), .tdc_set_o(), .tdc_calibrate_o(), .tdc_pin_o(),
        .node_nrst_o(), .node_boot0_o(), .uart0_o(), .uart0_i(1'b1), .alive_o(), .running_o(), .fault_o());
    initial begin
        force core.ctrl        = 3'b010;    // the capture is on; no host is there to do it, nor to take the events
        force core.edge_mask   = 64'hf;
        force core.event_ready = 1'b1;
    end

    // ---- what came: one edge a link is in progress at a time
    reg  [LINKS-1:0] came = 0;
    reg  [1:0]       came_half [0:LINKS-1];
    reg              came_level [0:LINKS-1];
    integer          came_at [0:LINKS-1];
    wire [63:0]      word = core.event_word;
    integer          rises = 0, rise_at;
    reg  [1:0]       rise_half, rise_age_half;
    integer          rise_age;
    always @(posedge clk) if (!rst && core.event_valid && word[63:60] == `PB_EVENT_TDMA) begin
        rises     = rises + 1;
        rise_at   = word[31:0];
        rise_half = word[34:33];
        rise_age      = word[51:35];
        rise_age_half = word[53:52];
        if (word[32] !== sync || ^word === 1'bx)
            fail("wrong level of TDMA_SYNC");
    end
    always @(posedge clk) if (!rst && core.event_valid && word[63:60] == `PB_EVENT_EDGE) begin
        if (came[word[55:54]])
            fail("an edge too many");
        came[word[55:54]]       = 1'b1;
        came_level[word[55:54]] = word[32];
        came_half[word[55:54]]  = word[34:33];
        came_at[word[55:54]]    = word[31:0];
        if (word[53:35] != 0 || ^word === 1'bx)
            fail("other bits of the event are set");
    end

    // ---- the clock in which something happens: a rising edge is at its beginning, at 5 ns, 15 ns, …
    integer stamp_of_0;                     // what is to be added to that number to have a stamp
    function integer clock_of(input integer at_ps);
        clock_of = (at_ps - 5000) / 10000;
    endfunction
    task expect_edge(input integer k, input integer at_ps, input new_level, input [1:0] wanted);
        if (!came[k] || came_level[k] !== new_level)
            fail("an edge is missing");
        else begin
            if (came_at[k] != clock_of(at_ps) + stamp_of_0)
                fail("the stamp is not that of the clock");
            if (came_half[k] !== wanted)
                fail("the wrong half of the clock");
        end
    endtask
    task settle;
        begin
            repeat (18) @(posedge clk);
            #1;
        end
    endtask

    integer step, at, at_other, from_ps, rounds;
    initial begin
        repeat (4) @(negedge clk);
        rst = 1'b0;
        settle;

        // The bench's own edge leaves the register of its pad at a rising edge: it is there at the very beginning of a clock.
        @(negedge clk) own = 1'b1;
        @(negedge link[OWN]) at = $rtoi($realtime * 1000.0 + 0.5);
        if ((at - 5000) % 10000 != 0)
            fail("the bench changes a pin between two clock edges");
        settle;
        stamp_of_0 = came_at[OWN] - clock_of(at);
        expect_edge(OWN, at, 1'b0, FIRST);
        came = 0;

        // One edge at any time of a clock, down and up; the instants of the edges themselves are left out.
        for (step = 0; step < 100; step = step + 1) begin
            @(posedge clk);
            from_ps = $rtoi($realtime * 1000.0 + 0.5);
            #(0.05 + step * 0.1) board[0] = !board[0];
            settle;
            expect_edge(0, from_ps + 50 + step * 100, !board[0], step < 50 ? FIRST : SECOND);
            if (came[2:1] != 0)
                fail("an edge of another line");
            came = 0;
        end

        // TDMA_CLK at any time of a clock.
        for (step = 0; step < 100; step = step + 1) begin
            @(posedge clk);
            from_ps = $rtoi($realtime * 1000.0 + 0.5);
            #(0.05 + step * 0.1) clock = 1'b1;
            settle;
            if (rises != step + 1 || rise_at != clock_of(from_ps + 50 + step * 100) + stamp_of_0)
                fail("no edge of TDMA_CLK, or not with the stamp of its clock");
            if (rise_half !== (step < 50 ? FIRST : SECOND))
                fail("TDMA_CLK in the wrong half of the clock");
            if (rise_age != 17'h1ffff || rise_age_half !== NEITHER)
                fail("TDMA_SYNC has an age before it changed");
            clock = 1'b0;
            settle;
        end

        // TDMA_SYNC at any time of a clock before an edge of TDMA_CLK, in its clock or up to 40 clocks earlier.
        for (rounds = 0; rounds < 300; rounds = rounds + 1) begin
            at       = 50 + 100 * (random(0) % 100);
            at_other = at + (rounds % 3 == 0 ? 50 * (random(0) % ((9975 - at) / 50 + 1)) : 100 * (random(0) % 4000));
            if (at_other % 10000 == 0 || at_other % 10000 == 5000)
                at_other = at_other + 50;
            @(posedge clk);
            from_ps = $rtoi($realtime * 1000.0 + 0.5);
            #(at / 1000.0) sync = !sync;
            if (at_other != at)
                #((at_other - at) / 1000.0) clock = 1'b1;
            else
                clock = 1'b1;
            settle;
            if (rise_at != clock_of(from_ps + at_other) + stamp_of_0 ||
                rise_age != clock_of(from_ps + at_other) - clock_of(from_ps + at))
                fail("wrong age of TDMA_SYNC");
            if (rise_age_half !== (at < 5000 ? FIRST : SECOND))
                fail("TDMA_SYNC in the wrong half of the clock");
            clock = 1'b0;
            settle;
        end

        // Two in the same clock: both halves are known when they are the same.
        for (rounds = 0; rounds < 200; rounds = rounds + 1) begin
            at       = 50 + 100 * (random(0) % 100);
            at_other = at + 50 * (random(0) % ((9975 - at) / 50 + 1));
            @(posedge clk);
            from_ps = $rtoi($realtime * 1000.0 + 0.5);
            #(at / 1000.0) board[1] = !board[1];
            if (at_other == at)
                board[2] = !board[2];
            else
                #((at_other - at) / 1000.0) board[2] = !board[2];
            settle;
            if (at_other != 5000) begin
                expect_edge(1, from_ps + at, !board[1], at < 5000 && at_other > 5000 ? NEITHER : at < 5000 ? FIRST : SECOND);
                expect_edge(2, from_ps + at_other, !board[2], at < 5000 && at_other > 5000 ? NEITHER : at < 5000 ? FIRST : SECOND);
            end
            came = 0;
        end

        // In two clocks, the later one in the first half of its clock: each has its own.
        @(posedge clk);
        from_ps = $rtoi($realtime * 1000.0 + 0.5);
        #7 board[1] = !board[1];
        #5 board[2] = !board[2];
        settle;
        expect_edge(1, from_ps + 7000, !board[1], SECOND);
        expect_edge(2, from_ps + 12000, !board[2], FIRST);
        came = 0;

        // A pulse that only the falling edge of the clock sees is no edge.
        @(posedge clk);
        #2 board[0] = !board[0];
        #6 board[0] = !board[0];
        settle;
        if (came != 0)
            fail("a pulse shorter than a clock is told of");
        verdict;
    end
endmodule

`default_nettype wire
