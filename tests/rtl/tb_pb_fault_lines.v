// SPDX-FileCopyrightText: The phasebench authors
// SPDX-License-Identifier: Apache-2.0
//
// pb_fault_lines alone: every output in every clock, for each kind on each line, against what the kind says;
// units together; no unit at all. The loop through the fabric and the pins is in tb_pb_fault_fabric.
`timescale 1ns / 1ps
`default_nettype none
`define NAME "tb_pb_fault_lines"

module tb_pb_fault_lines;
    localparam LIMIT_CLOCKS = 200000;
    localparam LINKS = 6, UNITS = 3;
    localparam [4:0] STUCK_LOW = 5'd1, OPEN = 5'd2, SHORT = 5'd3, SLOW_RISE = 5'd4, GLITCH = 5'd5, SECOND_DRIVER = 5'd6;
`include "tb_pb_common.vh"

    reg                 release_all = 1'b0;
    reg  [UNITS-1:0]    active = 0;
    reg  [5*UNITS-1:0]  kind = 0;
    reg  [6*UNITS-1:0]  link = 0, other = 0;
    reg  [32*UNITS-1:0] parameters = 0;
    reg  [LINKS-1:0]    line = {LINKS{1'b1}}, wanted = 0, outside = 0;
    wire [LINKS-1:0]    heard, pull, hold, cut, sending;
    wire [LINKS-1:0]    heard_0, pull_0, hold_0, cut_0, sending_0;

    pb_fault_lines #(.LINKS(LINKS), .UNITS(UNITS)) dut (
        .clk(clk), .rst_i(rst), .release_i(release_all), .ready_i({UNITS{1'b1}}), .active_i(active), .kind_i(kind), .link_i(link), .other_i(other),
        .parameter_i(parameters), .line_i(line), .wanted_i(wanted), .outside_i(outside),
        .line_o(heard), .pull_o(pull), .hold_o(hold), .cut_o(cut), .sending_o(sending));
    pb_fault_lines #(.LINKS(LINKS), .UNITS(0)) none (
        .clk(clk), .rst_i(rst), .release_i(release_all), .ready_i(1'b1), .active_i(active[0]), .kind_i(kind[4:0]), .link_i(link[5:0]),
        .other_i(other[5:0]), .parameter_i(parameters[31:0]), .line_i(line), .wanted_i(wanted), .outside_i(outside),
        .line_o(heard_0), .pull_o(pull_0), .hold_o(hold_0), .cut_o(cut_0), .sending_o(sending_0));

    always @(negedge clk) #2 if (!rst) begin
        if (^{heard, pull, hold, cut, sending} === 1'bx)
            fail("unknown output");
        if (heard_0 !== line || {pull_0, hold_0, cut_0, sending_0} !== 0)
            fail("without units something happens");
    end

    // Settings are valid one clock before a unit becomes active.
    task set(input integer unit, input [4:0] k, input [5:0] l, input [5:0] o, input [31:0] p);
        begin
            kind[5*unit +: 5] = k;
            link[6*unit +: 6] = l;
            other[6*unit +: 6] = o;
            parameters[32*unit +: 32] = p;
            clocks(1);
        end
    endtask

    task look(input [LINKS-1:0] line_level, input [LINKS-1:0] pulls, input [LINKS-1:0] holds, input [LINKS-1:0] cuts,
              input [LINKS-1:0] sends);
        begin
            #1;
            if (heard !== line_level)
                fail("line_o is wrong");
            if (pull !== pulls)
                fail("pull_o is wrong");
            if (hold !== holds)
                fail("hold_o is wrong");
            if (cut !== cuts)
                fail("cut_o is wrong");
            if (sending !== sends)
                fail("sending_o is wrong");
        end
    endtask

    task noise_in;
        begin
            line = random(0);
            wanted = random(0);
            outside = random(0);
        end
    endtask

    task quiet;
        begin
            active = 0;
            line = {LINKS{1'b1}};
            wanted = 0;
            outside = 0;
            clocks(4);
            look(line, 0, 0, 0, 0);
        end
    endtask

    integer u, l, o, n, k, half, age, since_low, since_own, extra;
    reg [LINKS-1:0] bit_l, bit_o, both;

    initial begin
        clocks(4);
        rst = 1'b0;
        clocks(4);

        // Idle units, and active ones with kinds that are none of lines: nothing happens.
        for (n = 0; n < 64; n = n + 1) begin
            active = 0;
            set(n % UNITS, n, n % LINKS, (n + 1) % LINKS, 32'd5);
            if (n > 31 && (n % 32 < 1 || n % 32 > 6))
                active[n % UNITS] = 1'b1;
            repeat (6) begin
                noise_in;
                look(line, 0, 0, 0, 0);
                clocks(1);
            end
        end
        quiet;

        // Every simple kind with every unit on every line, and on a line that is not there.
        for (u = 0; u < UNITS; u = u + 1)
            for (l = 0; l <= LINKS; l = l + 1) begin
                bit_l = l < LINKS ? 1 << l : 0;
                for (k = 0; k < 2; k = k + 1) begin
                    set(u, k ? STUCK_LOW : GLITCH, l == LINKS ? 6'd32 : l, 6'd2, 32'd1);
                    noise_in;
                    look(line, 0, 0, 0, 0);
                    active[u] = 1'b1;
                    repeat (5) begin
                        noise_in;
                        look(line, bit_l, 0, 0, 0);
                        clocks(1);
                    end
                    active[u] = 1'b0;
                    look(line, 0, 0, 0, 0);
                end
                // A cut acts at once on what the bench does, a clock later on what it receives, and ends as much later.
                set(u, OPEN, l == LINKS ? 6'd33 : l, 6'd2, 32'd1);
                active[u] = 1'b1;
                for (n = 0; n < 6; n = n + 1) begin
                    noise_in;
                    look(n > 0 ? line | bit_l : line, 0, 0, bit_l, 0);
                    clocks(1);
                end
                active[u] = 1'b0;
                look(line | bit_l, 0, 0, 0, 0);
                clocks(1);
                look(line, 0, 0, 0, 0);
                // The wave: low first, both halves of the same length.
                half = u == 0 ? 1 : u == 1 ? 2 : 1 + random(0) % 20;
                set(u, SECOND_DRIVER, l == LINKS ? 6'd34 : l, 6'd2, half);
                noise_in;
                clocks(random(0) % 5);
                active[u] = 1'b1;
                for (n = 0; n < 7 * half + half / 2; n = n + 1) begin
                    noise_in;
                    look(line, n / half % 2 == 0 ? bit_l : 0, 0, 0, bit_l);
                    clocks(1);
                end
                active[u] = 1'b0;
                look(line, 0, 0, 0, 0);
                quiet;
            end
        // A long wave.
        set(1, SECOND_DRIVER, 6'd3, 6'd0, 32'h00004321);
        active[1] = 1'b1;
        for (n = 0; n < 32'h4321 + 10; n = n + 1) begin
            look(line, n < 32'h4321 ? 6'b001000 : 0, 0, 0, 6'b001000);
            clocks(1);
        end
        quiet;

        // Slow rise. Received: low while the pin is low, and `extra` clocks more. At the pin: a pull holds for `extra` clocks more,
        // counted at pull_o of the fabric, which is the hold or the wish of a clock ago.
        for (u = 0; u < 30; u = u + 1) begin
            l = u % LINKS;
            bit_l = 1 << l;
            extra = u < 6 ? 1 + u : 1 + random(0) % 60;
            set(u % UNITS, SLOW_RISE, l, 6'd0, extra);
            clocks(2);
            active[u % UNITS] = 1'b1;
            since_low = 1000;
            for (n = 0; n < 600; n = n + 1) begin
                if (random(0) % (n % 200 < 100 ? 40 : 8) == 0)
                    line[l] = !line[l];
                line = (random(0) & ~bit_l) | (line & bit_l);
                since_low = line[l] ? since_low + 1 : 0;    // clocks since the pin was low
                outside = random(0) & ~bit_l;
                if (since_low <= extra)
                    outside = outside | bit_l;              // as the fabric reports it: received low, and not by the bench
                look(line & (since_low <= extra ? ~bit_l : {LINKS{1'b1}}), 0, 0, 0, 0);
                clocks(1);
            end
            line = {LINKS{1'b1}};
            outside = 0;
            clocks(100);
            since_own = 1000;
            for (n = 0; n < 600; n = n + 1) begin
                if (random(0) % (n % 200 < 100 ? 40 : 8) == 0)
                    wanted[l] = !wanted[l];
                wanted = (random(0) & ~bit_l) | (wanted & bit_l);
                // The pin follows the bench, and is received as it is.
                line = random(0);
                since_own = wanted[l] ? 0 : since_own + 1;
                look(line, 0, since_own < extra ? bit_l : 0, 0, 0);
                clocks(1);
            end
            quiet;
        end
        // A pull of the bench over a rise that is held: received low all the time, until its own end is received.
        set(0, SLOW_RISE, 6'd2, 6'd0, 32'd50);
        active[0] = 1'b1;
        line[2] = 1'b0;
        outside[2] = 1'b1;
        clocks(20);
        line[2] = 1'b1;
        clocks(20);
        wanted[2] = 1'b1;
        outside[2] = 1'b0;
        for (n = 0; n < 100; n = n + 1) begin
            line[2] = n < 2;        // two clocks of synchroniser
            look(6'b111011, 0, 6'b000100, 0, 0);
            clocks(1);
        end
        wanted[2] = 1'b0;
        for (n = 0; n < 100; n = n + 1) begin
            line[2] = n >= 52;
            look(n >= 52 ? 6'b111111 : 6'b111011, 0, n < 49 ? 6'b000100 : 0, 0, 0);
            clocks(1);
        end
        quiet;

        // Short: either side, either reason, with one clock of the owner's flip-flop; then a tie; then a change of owner.
        for (u = 0; u < 24; u = u + 1) begin
            l = u % LINKS;
            o = (l + 1 + u / LINKS) % LINKS;
            bit_l = 1 << l;
            bit_o = 1 << o;
            both = bit_l | bit_o;
            set(u % UNITS, SHORT, l, o, 32'd0);
            outside = ~both;
            wanted = ~both;
            active[u % UNITS] = 1'b1;
            for (k = 0; k < 4; k = k + 1) begin
                if (k[1]) wanted = wanted | (k[0] ? bit_o : bit_l);
                else outside = outside | (k[0] ? bit_o : bit_l);
                look(line, 0, 0, 0, 0);
                clocks(1);
                for (n = 0; n < 5; n = n + 1) begin
                    look(line, k[0] ? bit_l : bit_o, 0, 0, 0);
                    clocks(1);
                end
                outside = ~both;
                wanted = ~both;
                look(line, k[0] ? bit_l : bit_o, 0, 0, 0);
                clocks(1);
                look(line, 0, 0, 0, 0);
                clocks(2);
            end
            outside = both;
            clocks(1);
            look(line, bit_o, 0, 0, 0);
            outside = bit_l;        // the other side is ours now
            clocks(3);
            look(line, bit_o, 0, 0, 0);
            outside = bit_o;        // the owner released, and the other side is low by itself
            clocks(1);
            look(line, bit_l, 0, 0, 0);
            outside = 0;
            wanted = bit_l;
            clocks(1);
            look(line, 0, 0, 0, 0);
            clocks(1);
            look(line, bit_o, 0, 0, 0);
            // Over at once, and nothing left for the next time.
            active[u % UNITS] = 1'b0;
            look(line, 0, 0, 0, 0);
            clocks(1);
            wanted = 0;
            active[u % UNITS] = 1'b1;
            look(line, 0, 0, 0, 0);
            clocks(1);
            // Release forgets the owner, and holds it off.
            wanted = bit_o;
            clocks(2);
            look(line, bit_l, 0, 0, 0);
            release_all = 1'b1;
            clocks(1);
            look(line, 0, 0, 0, 0);
            clocks(1);
            look(line, 0, 0, 0, 0);
            release_all = 1'b0;
            clocks(1);
            look(line, bit_l, 0, 0, 0);
            // The same with the other side as the owner.
            wanted = bit_l;
            clocks(3);
            look(line, bit_o, 0, 0, 0);
            release_all = 1'b1;
            clocks(1);
            look(line, 0, 0, 0, 0);
            release_all = 1'b0;
            quiet;
        end

        // Together: a low that another unit makes goes through a short; a short is no reason for another one; OPEN is reported as well.
        set(0, STUCK_LOW, 6'd1, 6'd0, 32'd0);
        set(1, SHORT, 6'd4, 6'd1, 32'd0);
        set(2, SHORT, 6'd4, 6'd5, 32'd0);
        active = 3'b111;
        look(line, 6'b000010, 0, 0, 0);
        clocks(1);
        look(line, 6'b010010, 0, 0, 0);
        clocks(5);
        look(line, 6'b010010, 0, 0, 0);
        active = 3'b110;
        clocks(2);
        look(line, 0, 0, 0, 0);
        quiet;
        set(0, OPEN, 6'd3, 6'd0, 32'd0);
        set(1, SECOND_DRIVER, 6'd3, 6'd0, 32'd4);
        set(2, GLITCH, 6'd0, 6'd0, 32'd0);
        active = 3'b111;
        line = 0;
        look(6'b000000, 6'b001001, 0, 6'b001000, 6'b001000);
        clocks(1);
        look(6'b001000, 6'b001001, 0, 6'b001000, 6'b001000);
        quiet;
        verdict;
    end
endmodule

`default_nettype wire
