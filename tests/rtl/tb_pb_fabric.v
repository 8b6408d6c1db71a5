// SPDX-FileCopyrightText: The phasebench authors
// SPDX-License-Identifier: Apache-2.0
//
// pb_fabric on open-drain wires: each pin is low when the bench or its board pulls it, stays low for RISE
// ticks after the last one released it, and reaches the fabric two clocks later. Modes, joined pairs in both
// directions, blanking, ties, faults, push-pull, release.
`timescale 1ns / 1ps
`default_nettype none
`define NAME "tb_pb_fabric"

module tb_pb_fabric;
    localparam LIMIT_CLOCKS = 400000;
    localparam LINKS = 6;
`include "tb_pb_common.vh"

`include "open_drain_wires.vh"
    reg  [LINKS-1:0]    fault = 0, hold = 0, cut = 0;

    pb_fabric #(.LINKS(LINKS)) dut (
        .clk(clk), .rst_i(rst), .release_i(release_all), .mode_i(link_mode), .partner_i(link_partner), .blank_i(blank), .line_i(sync),
        .player_pull_i(player), .player_sending_i(sending), .fault_pull_i(fault), .fault_hold_i(hold), .cut_i(cut),
        .pull_o(pull), .high_o(high), .wanted_o(wanted), .outside_o(outside));

    integer tick = 0;
    always @(posedge clk) tick <= tick + 1;
    // Outside: low, not pulled, and not released less than `blank` clocks ago.
    integer          quiet [0:LINKS-1];     // clocks since the bench released
    reg  [LINKS-1:0] high_before = 0, pull_before = 0;
    integer          o;
    initial for (o = 0; o < LINKS; o = o + 1) quiet[o] = 1000;
    always @(negedge clk) if (!rst) begin
        if (^{pull, high, wanted, outside} === 1'bx)
            fail("unknown output");
        if ((high & pull) != 0)
            fail("driven high and pulled at the same time");
        if ((high & ~high_before & pull_before) != 0)
            fail("driven high in the clock of the release");
        high_before = high;
        pull_before = pull;
        for (o = 0; o < LINKS; o = o + 1) begin
            if (release_all)
                quiet[o] = 1000;
            if (outside[o] !== (!sync[o] && !pull[o] && quiet[o] >= blank))
                fail("outside_o is wrong");
            quiet[o] = pull[o] ? 0 : quiet[o] + 1;
        end
    end

    integer i, n, bits, gap, a, b, fell, rose;
    reg [LINKS-1:0] player_modes, push_pull_modes, expected;

    // One side is driven with a random waveform; the other must repeat each low one latency later and no more.
    task drive(input integer from, input integer to, input integer edges);
        begin
            for (n = 0; n < edges; n = n + 1) begin
                board[from] = !board[from];
                gap = rise + 4 + random(0) % 60;
                for (bits = 0; bits < gap; bits = bits + 1) begin
                    clocks(1);
                    if (pull[from])
                        fail("echo on the driven side");
                    // two clocks of synchroniser, one of the fabric; the rise comes later by the rise time
                    if (bits < 2 && board[from] && pull[to])
                        fail("repeated too early");
                    if (bits >= 2 && board[from] && !pull[to])
                        fail("low not repeated");
                    if (!board[from] && pull[to] !== (bits < 2 + rise))
                        fail("high not repeated");
                    if ((pull & ~(1 << to)) != 0)
                        fail("another link was pulled");
                end
            end
            board[from] = 1'b0;
            clocks(40 + rise + blank);
            if (pull != 0)
                fail("latched up");
        end
    endtask

    // Both sides fall in the same tick: only the higher one may be pulled, and both are released again.
    task tie(input integer low, input integer high);
        begin
            board[low] = 1'b1;
            board[high] = 1'b1;
            for (n = 0; n < 20; n = n + 1) begin
                clocks(1);
                if (pull[low])
                    fail("the lower pin does not own a tie");
            end
            if (!pull[high])
                fail("the higher pin is not pulled in a tie");
            board[high] = 1'b0;
            clocks(10);
            if (!pull[high] || pull[low])
                fail("tie not held");
            board[low] = 1'b0;
            clocks(60 + rise);
            if (pull != 0)
                fail("tie latched up");
        end
    endtask

    initial begin
        clocks(4);
        rst = 1'b0;
        clocks(4);

        // Mode 0 is never pulled, whatever the player, the board and the partner do.
        for (i = 0; i < LINKS; i = i + 1)
            configure(i, 2'd0, LINKS - 1 - i);
        for (i = 0; i < 500; i = i + 1) begin
            player = random(0);
            board = random(0);
            clocks(1);
            if (pull != 0)
                fail("listen only is pulled");
        end

        // Mode 1 follows the player one clock later, and nothing else.
        for (i = 0; i < LINKS; i = i + 1)
            configure(i, i < 4 ? 2'd1 : 2'd0, LINKS - 1 - i);
        for (i = 0; i < 500; i = i + 1) begin
            player = random(0);
            board = random(0);
            clocks(1);
            if (pull !== (player & 6'b001111))
                fail("player not followed");
        end
        player = 0;
        board = 0;
        clocks(20);
        if (pull != 0)
            fail("player's low latched");

        // A joined pair (both orders of pins), rise times from none to nearly the blanking time, both directions in turn.
        for (i = 0; i < 24; i = i + 1) begin
            link_config = 0;
            a = i[0] ? 5 : 1;
            b = i[0] ? 0 : 3;
            configure(a, 2'd2, b);
            configure(b, 2'd2, a);
            player = random(0) & 6'b111111; // must not matter
            rise = i % 12;
            blank = 8'd16;
            drive(a, b, 24);
            drive(b, a, 24);
        end
        player = 0;

        // Blanking: a side that its board holds low when the bench releases it becomes a source blank ticks later.
        for (i = 0; i < 6; i = i + 1) begin
            rise = 2;
            blank = 8 + 20 * i;
            board[b] = 1'b1;
            clocks(20);
            board[a] = 1'b1;                        // hidden by the bench's own pull
            clocks(50);
            if (!pull[a] || pull[b])
                fail("wrong owner");
            board[b] = 1'b0;
            fell = 0;
            while (pull[a] && fell < 30) begin
                clocks(1);
                fell = fell + 1;
            end
            rose = 0;
            while (!pull[b] && rose < 300) begin
                clocks(1);
                rose = rose + 1;
            end
            if (rose != blank + 1)                  // one clock of the fabric after the blanking
                fail("blanking time is wrong");
            board[a] = 1'b0;
            clocks(200);
            if (pull != 0)
                fail("latched up after blanking");
        end

        // Too short a blanking time must not end in a latch-up either, once it is long enough for the wire.
        rise = 0;
        blank = 8'd4;
        drive(a, b, 20);

        // Ties, whichever way the pair is written down.
        rise = 3;
        blank = 8'd16;
        link_config = 0;
        configure(1, 2'd2, 4);
        configure(4, 2'd2, 1);
        tie(1, 4);
        link_config = 0;
        configure(5, 2'd2, 0);
        configure(0, 2'd2, 5);
        tie(0, 5);

        // One tick earlier owns, also against the order of the pins.
        board[5] = 1'b1;
        clocks(1);
        board[0] = 1'b1;
        for (n = 0; n < 20; n = n + 1) begin
            clocks(1);
            if (pull[5])
                fail("the second pin owns");
        end
        if (!pull[0])
            fail("the second pin is not pulled");
        board = 0;
        clocks(60);

        // Two pairs and a player at once do not disturb one another.
        configure(1, 2'd2, 2);
        configure(2, 2'd2, 1);
        configure(3, 2'd1, 0);
        player[3] = 1'b1;
        board[0] = 1'b1;
        board[2] = 1'b1;
        clocks(10);
        if (pull !== 6'b101010)
            fail("pairs disturb one another");
        player = 0;
        board = 0;
        clocks(60);

        // Faults and push-pull, in every mode without a partner: what was asked for a clock ago.
        link_config = 0;
        player_modes = 6'b101101;
        push_pull_modes = 6'b100100;
        for (i = 0; i < LINKS; i = i + 1)
            configure(i, push_pull_modes[i] ? 2'd3 : player_modes[i] ? 2'd1 : 2'd0, LINKS - 1 - i);
        for (i = 0; i < 2000; i = i + 1) begin
            player = random(0) & random(0);
            sending = random(0) | random(0);
            fault = random(0) & random(0) & random(0);
            hold = random(0) & random(0) & random(0);
            cut = random(0) & random(0);
            expected = ((player & player_modes) | fault | hold) & ~cut;
            n = push_pull_modes & sending & ~expected & ~pull & ~cut;
            clocks(1);
            if (pull !== expected)
                fail("faults and player do not make the pull");
            if (high !== n[LINKS-1:0])
                fail("push-pull level is wrong");
            if (wanted !== (player & player_modes))
                fail("wanted_o is not what the player wants");
        end
        player = 0; sending = 0; fault = 0; hold = 0; cut = 0;
        clocks(40);

        // A frame in push-pull: low at once, high one clock after the release, until the frame is over.
        sending[2] = 1'b1;
        player[2] = 1'b1;
        clocks(1);
        if (!pull[2] || high[2])
            fail("push-pull start edge");
        clocks(9);
        player[2] = 1'b0;
        clocks(1);
        if (pull[2] || high[2])
            fail("push-pull gap");
        clocks(1);
        if (!high[2] || high != 6'b000100)
            fail("push-pull high");
        sending[2] = 1'b0;
        clocks(1);
        if (high != 0)
            fail("push-pull high is left");

        // A joined pair: a fault on one side is received on both, a hold on its own only, a cut pin is left alone.
        link_config = 0;
        rise = 3;
        for (i = 0; i < 2; i = i + 1) begin
            a = i == 0 ? 1 : 4;
            b = 5 - a;
            configure(a, 2'd2, b);
            configure(b, 2'd2, a);
            clocks(5);
            fault[a] = 1'b1;
            clocks(1);
            if (pull !== 6'b010010)
                fail("a fault does not reach both sides");
            clocks(30);
            fault[a] = 1'b0;
            clocks(1);
            if (pull != 0)
                fail("a fault leaves something");
            // Both sides are blind now for the blanking time, also the one that only the fault pulled.
            board[a] = 1'b1;
            rose = 0;
            while (!pull[b] && rose < 100) begin
                clocks(1);
                rose = rose + 1;
            end
            if (rose != blank + 1)
                fail("blanking after a fault is wrong");
            // A fault on the side that owns goes on where the low of its board ends.
            fault[a] = 1'b1;
            clocks(10);
            board[a] = 1'b0;
            for (n = 0; n < 20; n = n + 1) begin
                clocks(1);
                if (pull !== 6'b010010)
                    fail("a fault over a low has a gap");
            end
            fault[a] = 1'b0;
            clocks(60);
            hold[a] = 1'b1;
            clocks(10);
            if (pull !== (1 << a) || wanted != 0)
                fail("a hold is repeated");
            hold[a] = 1'b0;
            clocks(60);
            board[b] = 1'b1;
            clocks(10);
            if (pull !== (1 << a) || wanted !== (1 << a))
                fail("pair dead after a hold");
            cut[a] = 1'b1;
            clocks(1);
            if (pull != 0)
                fail("a cut pin is pulled");
            clocks(50);
            if (pull != 0)
                fail("a cut pin is pulled later");
            cut[a] = 1'b0;
            clocks(1);
            if (pull !== (1 << a))
                fail("pair dead after a cut");
            board[b] = 1'b0;
            clocks(60);
        end
        if (pull != 0)
            fail("faults latched up");
        link_config = 0;
        configure(0, 2'd2, 5);
        configure(5, 2'd2, 0);

        // Release takes effect one clock later although the board still pulls; the pair works again afterwards.
        board[0] = 1'b1;
        clocks(10);
        release_all = 1'b1;
        sending[3] = 1'b1;
        fault[2] = 1'b1;
        configure(3, 2'd3, 0);
        clocks(1);
        if (pull != 0 || high != 0)
            fail("not released");
        clocks(5);
        if (pull != 0 || high != 0)
            fail("release not held");
        sending = 0;
        fault = 0;
        release_all = 1'b0;
        clocks(30);
        if (pull !== 6'b100000)
            fail("pair dead after release");
        rst = 1'b1;
        clocks(1);
        if (pull != 0)
            fail("reset does not release");
        verdict;
    end
endmodule

`default_nettype wire
