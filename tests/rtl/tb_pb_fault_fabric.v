// SPDX-FileCopyrightText: The phasebench authors
// SPDX-License-Identifier: Apache-2.0
//
// pb_fault_lines and pb_fabric in the loop with open-drain wires (as in tb_pb_fabric): what a fault does at
// the pins, what is received, that nothing is repeated that came from the bench itself, and that all is
// released again.
//
// Clocks from a change of the board at a pin: two of synchroniser, one of the fabric; SHORT has one more for
// its owner.
`timescale 1ns / 1ps
`default_nettype none
`define NAME "tb_pb_fault_fabric"

module tb_pb_fault_fabric;
    localparam LIMIT_CLOCKS = 600000;
    localparam LINKS = 6, UNITS = 2;
    localparam [4:0] STUCK_LOW = 5'd1, OPEN = 5'd2, SHORT = 5'd3, SLOW_RISE = 5'd4, GLITCH = 5'd5, SECOND_DRIVER = 5'd6;
    localparam [1:0] LISTEN = 2'd0, PLAYER = 2'd1, JOINED = 2'd2, PUSH_PULL = 2'd3;
`include "tb_pb_common.vh"

`include "open_drain_wires.vh"
    reg  [UNITS-1:0]    active = 0;
    reg  [5*UNITS-1:0]  kind = 0;
    reg  [6*UNITS-1:0]  link = 0, other = 0;
    reg  [32*UNITS-1:0] parameters = 0;
    wire [LINKS-1:0]    heard, fault_pull, fault_hold, cut, second;

    pb_fault_lines #(.LINKS(LINKS), .UNITS(UNITS)) lines (
        .clk(clk), .rst_i(rst), .release_i(release_all), .ready_i({UNITS{1'b1}}), .active_i(active), .kind_i(kind), .link_i(link), .other_i(other),
        .parameter_i(parameters), .line_i(sync), .wanted_i(wanted), .outside_i(outside),
        .line_o(heard), .pull_o(fault_pull), .hold_o(fault_hold), .cut_o(cut), .sending_o(second));
    pb_fabric #(.LINKS(LINKS)) fabric (
        .clk(clk), .rst_i(rst), .release_i(release_all), .mode_i(link_mode), .partner_i(link_partner), .blank_i(blank), .line_i(heard),
        .player_pull_i(player), .player_sending_i(sending), .fault_pull_i(fault_pull), .fault_hold_i(fault_hold),
        .cut_i(cut), .pull_o(pull), .high_o(high), .wanted_o(wanted), .outside_o(outside));

    always @(negedge clk) if (!rst) begin
        if (^{heard, pull, high, wanted, outside, second} === 1'bx)
            fail("unknown output");
        if ((pull & high) != 0)
            fail("driven both ways");
    end
    task join_pins(input integer one, input integer two);
        begin
            configure(one, JOINED, two);
            configure(two, JOINED, one);
        end
    endtask
    task fault(input integer unit, input [4:0] k, input [5:0] l, input [5:0] o, input [31:0] p);
        begin
            kind[5*unit +: 5] = k;
            link[6*unit +: 6] = l;
            other[6*unit +: 6] = o;
            parameters[32*unit +: 32] = p;
            clocks(1);
            active[unit] = 1'b1;
        end
    endtask
    task heal;
        begin
            active = 0;
            board = 0;
            player = 0;
            clocks(60 + 2 * rise + blank);
            if (pull != 0 || high != 0 || heard !== {LINKS{1'b1}})
                fail("latched up");
        end
    endtask

    integer n, gap, t;
    // `from` is driven with a random waveform, by its board or by the player; each pin of `also` must follow: its pull falls
    // `fall` and rises `fall + later` clocks after the first change of the wire. No other pin than these and the player's is pulled.
    task drive(input integer from, input by_player, input [LINKS-1:0] also, input integer fall, input integer later,
               input integer edges);
        reg             low;
        reg [LINKS-1:0] expected;
        begin
            low = 1'b0;
            for (n = 0; n < edges; n = n + 1) begin
                low = !low;
                if (by_player)
                    player[from] = low;
                else
                    board[from] = low;
                gap = fall + later + (blank > rise ? blank : rise) + 4 + random(0) % 40;
                for (t = 0; t < gap; t = t + 1) begin
                    clocks(1);
                    expected = also & {LINKS{low ? t >= fall : t < fall + later}};
                    if (by_player)
                        expected = expected | ({5'd0, low} << from);
                    if (pull !== expected)
                        fail("the pull does not follow");
                end
            end
            board = 0;
            player = 0;
            clocks(60 + later + rise + blank);
            if (pull != 0)
                fail("latched up after driving");
        end
    endtask

    // Both ends of each slow wire at random for a while: whatever happens, it is free in the end.
    task chaos(input [LINKS-1:0] pins, input [LINKS-1:0] players, input integer count, input integer patience);
        begin
            for (n = 0; n < count; n = n + 1) begin
                if (random(0) % 12 == 0)
                    board = board ^ (random(0) & random(0) & pins);
                if (random(0) % 12 == 0)
                    player = player ^ (random(0) & random(0) & players);
                clocks(1);
            end
            board = 0;
            player = 0;
            clocks(patience);
            if (pull != 0 || heard !== {LINKS{1'b1}})
                fail("latched up after chaos");
        end
    endtask

    integer i, a, b, p, q;
    initial begin
        clocks(4);
        rst = 1'b0;
        clocks(4);

        // ---- SHORT of two lines, listened to, with virtual neighbours, driven high; rise times up to nearly the blanking time
        for (i = 0; i < 16; i = i + 1) begin
            link_config = 0;
            a = i[0] ? 4 : 1;
            b = i[0] ? 0 : 3;
            configure(a, i[2:1] == JOINED ? LISTEN : i[2:1], 6'd0);
            configure(b, i[3:2] == JOINED ? LISTEN : i[3:2], 6'd0);
            rise = i % 12;
            fault(i % UNITS, SHORT, a, b, 32'd0);
            drive(a, 1'b0, 1 << b, 3, rise, 10);
            drive(b, 1'b0, 1 << a, 3, rise, 10);
            if (i[2:1] == PLAYER || i[2:1] == PUSH_PULL) begin
                sending[a] = 1'b1;
                // the player's own clock, the owner, the other pin
                drive(a, 1'b1, 1 << b, 2, 0, 10);
                sending = 0;
                clocks(2);
            end
            chaos((1 << a) | (1 << b), (1 << a) | (1 << b), 1000, 60 + 2 * rise + blank);
            heal;
        end
        // One wire: while anyone holds either pin, both are low; the one that releases ignores the other no longer than specified.
        rise = 3;
        link_config = 0;
        fault(0, SHORT, 6'd2, 6'd5, 32'd0);
        board[5] = 1'b1;
        clocks(10);
        board[2] = 1'b1;
        clocks(30);
        if (pull !== 6'b000100 || pin !== 6'b011011)
            fail("the second pin owns a short");
        board[5] = 1'b0;
        n = 0;
        while (!pull[5] && n < 100) begin
            clocks(1);
            n = n + 1;
        end
        // rise and synchroniser, owner and fabric, blanking, and those two again
        if (n !== rise + 3 + 1 + blank + 2)
            fail("a short changes its owner at another time");
        clocks(30);
        if (pull !== 6'b100000)
            fail("a short has no owner");
        active = 0;
        clocks(2);
        if (pull != 0)
            fail("a short outlives its fault");
        heal;
        // Both in the same clock: the link owns, and holds until it releases.
        fault(0, SHORT, 6'd5, 6'd2, 32'd0);
        board = 6'b100100;
        for (n = 0; n < 60; n = n + 1) begin
            clocks(1);
            if (pull !== (n < 3 ? 6'b000000 : 6'b000100))
                fail("a tie has another owner");
        end
        heal;

        // ---- SHORT between two joined pairs: four pins are one wire
        rise = 2;
        link_config = 0;
        join_pins(0, 5);
        join_pins(1, 4);
        fault(0, SHORT, 6'd0, 6'd1, 32'd0);
        for (i = 0; i < 4; i = i + 1) begin
            a = i == 0 ? 0 : i == 1 ? 5 : i == 2 ? 1 : 4;
            for (p = 0; p < 6; p = p + 1) begin
                board[a] = 1'b1;
                clocks(20 + p);
                if (pin !== 6'b001100 || pull[a])
                    fail("the four pins are not one wire");
                board[a] = 1'b0;
                clocks(rise + 10);
                if (pin !== 6'b111111)
                    fail("the four pins are not free");
                clocks(blank);
            end
        end
        chaos(6'b110011, 6'd0, 2500, 100 + 2 * rise + 2 * blank);
        heal;

        // ---- SLOW_RISE of a joined pair at one end, at the other, at both; shorter and longer than the blanking time
        for (i = 0; i < 18; i = i + 1) begin
            link_config = 0;
            a = i[0] ? 5 : 1;
            b = i[0] ? 0 : 3;
            join_pins(a, b);
            rise = i % 9;
            p = i < 9 ? 1 + i : 10 * i;
            q = 0;
            if (i % 3 != 1) begin
                fault(0, SLOW_RISE, a, 6'd0, p);
                q = p;
            end
            if (i % 3 != 0) begin
                fault(1, SLOW_RISE, b, 6'd0, p + 3);
                q = q + p + 3;
            end
            drive(a, 1'b0, 1 << b, 2, rise + q, 6);
            drive(b, 1'b0, 1 << a, 2, rise + q, 6);
            chaos((1 << a) | (1 << b), 6'd0, 1500, 200 + 2 * q + 2 * rise + 2 * blank);
            // What is received of a pin: late by the delay, and not earlier than the pin.
            board[a] = 1'b1;
            clocks(50 + q);
            board[a] = 1'b0;
            clocks(rise + 2);
            n = 0;
            while (!heard[a] && n < 1000) begin
                n = n + 1;
                clocks(1);
            end
            if (n !== (i % 3 != 1 ? p : 0))
                fail("heard at another time");
            clocks(200 + 2 * q);
            heal;
        end
        // A virtual neighbour: its pull stays at the pin, and its echo is received as it is.
        link_config = 0;
        configure(2, PUSH_PULL, 6'd0);
        sending[2] = 1'b1;
        rise = 2;
        fault(1, SLOW_RISE, 6'd2, 6'd0, 32'd40);
        drive(2, 1'b1, 6'b000100, 0, 40, 20);
        sending = 0;
        chaos(6'b000100, 6'b000100, 2000, 200);
        heal;

        // ---- SLOW_RISE and SHORT of the same line
        link_config = 0;
        configure(2, PLAYER, 6'd0);
        join_pins(0, 5);
        fault(0, SHORT, 6'd2, 6'd5, 32'd0);
        fault(1, SLOW_RISE, 6'd5, 6'd0, 32'd33);
        chaos(6'b100101, 6'b000100, 4000, 300);
        heal;

        // ---- OPEN at one end of a pair: neither side of the bench reaches the other
        link_config = 0;
        join_pins(1, 3);
        fault(0, OPEN, 6'd1, 6'd0, 32'd0);
        for (i = 0; i < 3; i = i + 1) begin
            board[i == 1 ? 3 : 1] = i != 2;
            if (i == 1)
                board[1] = 1'b0;
            for (n = 0; n < 60; n = n + 1) begin
                clocks(1);
                if (pull != 0 || !heard[1] || !i && heard !== 6'b111111)
                    fail("an open line carries something");
            end
        end
        heal;
        drive(1, 1'b0, 6'b001000, 2, rise, 6);

        // ---- STUCK_LOW, GLITCH and SECOND_DRIVER on a pair: low on both sides, one clock after active, free one clock after
        for (i = 0; i < 3; i = i + 1) begin
            fault(1, i == 0 ? STUCK_LOW : i == 1 ? GLITCH : SECOND_DRIVER, i == 1 ? 6'd3 : 6'd1, 6'd0, 32'd30);
            if (pull != 0)
                fail("pulled too early");
            for (n = 0; n < 150; n = n + 1) begin
                clocks(1);
                if (pull !== (i < 2 || n / 30 % 2 == 0 ? 6'b001010 : 6'b000000))
                    fail("a fault is not on both sides");
            end
            active = 0;
            clocks(1);
            if (pull != 0)
                fail("a fault outlives its unit");
            heal;
        end

        // ---- release, in the middle of it all
        fault(0, SHORT, 6'd1, 6'd5, 32'd0);
        fault(1, SLOW_RISE, 6'd3, 6'd0, 32'd100);
        board[1] = 1'b1;
        clocks(30);
        board[1] = 1'b0;
        clocks(10);
        release_all = 1'b1;
        link_config = 0;            // as the registers do
        active = 0;
        clocks(1);
        if (pull != 0)
            fail("not released");
        release_all = 1'b0;
        clocks(1);
        if (pull != 0)
            fail("comes back after the release");
        heal;
        verdict;
    end
endmodule

`default_nettype wire
