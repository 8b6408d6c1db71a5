// SPDX-FileCopyrightText: The phasebench authors
// SPDX-License-Identifier: Apache-2.0
//
// pb_uart_rx: all bytes, bit periods of 8 to 5000 ticks with fractions, senders off by up to 3 %,
// framing errors, break, glitches, and the position of the last edge. The line is a list of edge times
// computed with the sender's own bit period; what the receiver must report follows from those times and the
// sample times of the header.
`timescale 1ns / 1ps
`default_nettype none
`define NAME "tb_pb_uart_rx"

module tb_pb_uart_rx;
    localparam LIMIT_CLOCKS = 3000000;
`include "tb_pb_common.vh"

    reg  [19:0] period = 20'd128;
    reg         line = 1'b1, line_last = 1'b1, ack = 1'b0;
    wire        done, stop_ok, lost;
    wire [7:0]  data, age;
    wire [12:0] edge_left;

    pb_uart_rx #(.AGE_BITS(8)) dut (
        .clk(clk), .rst_i(rst), .period_i(period),
        .line_i(line), .line_last_i(line_last), .done_o(done), .ack_i(ack), .data_o(data), .stop_ok_o(stop_ok),
        .edge_left_o(edge_left), .age_o(age), .lost_o(lost));

    integer tick = 0;   // number of the present clock
    integer dones = 0, done_tick = 0;
    reg     done_q = 1'b0;
    always @(posedge clk) begin
        line_last <= line;
        tick <= tick + 1;
    end
    always @(negedge clk) if (!rst) begin
        if (done && !done_q) begin
            dones = dones + 1;
            done_tick = tick;
        end
        done_q = done;
        if (^{done, lost} === 1'bx || (done && ^{data, stop_ok, edge_left, age} === 1'bx))
            fail("unknown output");
    end

    function integer sample_of(input integer k); // ticks after the start edge
        sample_of = ((2 * k + 1) * {12'd0, period}) / 32;
    endfunction

    // Boundary of bit j of a sender that is off by `off` parts in 1000, in whole ticks from the start edge.
    function integer boundary(input integer j, input integer off);
        reg [63:0] bit_number, scale;
        begin
            bit_number = j;
            scale = 1000 + off;
            boundary = bit_number * {44'd0, period} * scale / 16000;
        end
    endfunction

    // A byte can be fetched while the next one is being sent: at tick fetch_at, when it must still be fetched_value.
    integer   fetch_at = -1;
    reg [7:0] fetched_value;
    task to_tick(input integer t);
        while (tick < t) begin
            @(negedge clk) #1;
            if (ack && tick == fetch_at + 1)
                ack = 1'b0;
            if (tick == fetch_at) begin
                if (!done || data !== fetched_value)
                    fail("waiting byte changed");
                ack = 1'b1;
            end
        end
    endtask

    // Sends start, 8 data bits and `stop`; keeps the expectation of the last edge. Ends `tail` ticks into the stop bit.
    integer start, last_edge, j, k, left;
    task send(input [7:0] value, input stop, input integer off, input integer tail);
        reg [9:0] bits;
        begin
            bits = {stop, value, 1'b0};
            to_tick(tick + 1);
            start = tick;
            line = 1'b0;
            last_edge = -1;
            for (j = 1; j < 10; j = j + 1) begin
                to_tick(start + boundary(j, off));
                if (line != bits[j] && boundary(j, off) <= sample_of(9))
                    last_edge = boundary(j, off);
                line = bits[j];
            end
            to_tick(start + boundary(9, off) + tail);
        end
    endtask

    // The byte must have been reported exactly at its stop bit's sample; fetches it after a wait.
    task expect_byte(input [7:0] value, input stop, input integer wait_ticks);
        begin
            to_tick(start + sample_of(9) + 1);
            if (!done || done_tick != start + sample_of(9) + 1)
                fail("no byte one tick after the stop sample");
            left = 8191;
            if (last_edge >= 0)
                for (k = 9; k >= 0; k = k - 1)
                    if (sample_of(k) >= last_edge)
                        left = sample_of(k) - last_edge;
            if (left > 8191)
                left = 8191;
            if (data !== value || stop_ok !== stop)
                fail("wrong byte");
            if ({19'd0, edge_left} !== left)
                fail("wrong position of the last edge");
            to_tick(tick + wait_ticks);
            if ({24'd0, age} != (tick - start - sample_of(9)) % 256)
                fail("wrong age");
            ack = 1'b1;
            @(negedge clk) #1 ack = 1'b0;
            if (done)
                fail("acknowledge ignored");
        end
    endtask

    // One byte after the other without a gap.
    task exchange(input [7:0] value, input integer off);
        begin
            send(value, 1'b1, off, 0);
            expect_byte(value, 1'b1, 0);
            to_tick(start + boundary(10, off) - 1);
        end
    endtask

    integer i, n, earlier;
    initial begin
        to_tick(4);
        rst = 1'b0;
        to_tick(10);
        if (done || lost)
            fail("reports something after reset");

        // Every byte at three speeds with three kinds of sender.
        for (n = 0; n < 3; n = n + 1) begin
            period = n == 0 ? 20'd131 : n == 1 ? 20'd333 : 20'd768; // 8 3/16, 20 13/16 and 48 ticks
            for (i = 0; i < 256; i = i + 1)
                exchange(i[7:0], n == 0 ? 0 : random(0) % 61 - 30);
        end
        // Every fraction, slow lines, the largest edge distance.
        for (i = 0; i < 32; i = i + 1) begin
            period = 160 + i;
            exchange(random(0), 0);
            exchange(8'h55, 30);
            exchange(8'haa, -30);
        end
        period = 20'd79999;                                 // 4999 15/16 ticks
        exchange(8'h7e, -30);
        exchange(8'h81, 30);
        period = 20'd320000;                                // 20000 ticks: more than edge_left_o can say
        exchange(8'h00, 0);
        period = 20'd128;
        for (i = 0; i < 50; i = i + 1)
            exchange(random(0), 0);

        // Framing error and break: one report each, then quiet until the line has risen and fallen again.
        period = 20'd256;
        line = 1'b1;
        to_tick(tick + 200);
        send(8'h5a, 1'b0, 0, 0);
        expect_byte(8'h5a, 1'b0, 3);
        line = 1'b1;
        to_tick(tick + 40);
        earlier = dones;
        send(8'h00, 1'b0, 0, 0);
        expect_byte(8'h00, 1'b0, 300);
        to_tick(tick + 2000);
        if (dones != earlier + 1)
            fail("a break is more than one byte");
        line = 1'b1;
        to_tick(tick + 20);
        exchange(8'hc3, 0);

        // A low of less than half a bit is no start; one tick more is.
        earlier = dones;
        to_tick(tick + 50);
        for (i = 1; i <= 8; i = i + 1) begin                // half of 16 ticks is 8: sampled high at tick 8
            line = 1'b0;
            to_tick(tick + i);
            line = 1'b1;
            to_tick(tick + 200);
        end
        if (dones != earlier)
            fail("a glitch became a byte");
        @(negedge clk) #1;
        start = tick;
        line = 1'b0;
        to_tick(start + 9);
        line = 1'b1;
        last_edge = 9;
        expect_byte(8'hff, 1'b1, 5);
        exchange(8'h3c, 0);

        // Fetched within a bit period: neither the byte nor the next one, which has begun, suffers.
        for (i = 1; i <= 16; i = i + 1) begin
            to_tick(tick + 50);
            fetched_value = random(0);
            send(fetched_value, 1'b1, 0, 8);
            fetch_at = start + sample_of(9) + 1 + i;
            to_tick(start + boundary(10, 0) - 1);
            n = random(0) % 256;
            send(n[7:0], 1'b1, 0, 0);
            expect_byte(n[7:0], 1'b1, 0);
        end

        // Not fetched: the first data bit of the next byte overwrites it; lost_o stays high until it is fetched.
        to_tick(tick + 50);
        fetch_at = -1;
        send(8'h11, 1'b1, 0, 20);
        @(negedge clk) #1;
        line = 1'b0;
        start = tick;
        to_tick(start + sample_of(1));
        if (lost || !done || data !== 8'h11)
            fail("lost too early");
        to_tick(start + sample_of(1) + 1);
        if (!lost)
            fail("loss not told");
        to_tick(start + boundary(2, 0));
        line = 1'b1;
        to_tick(start + boundary(4, 0));
        if (!lost || !done)
            fail("loss forgotten before the byte was fetched");
        ack = 1'b1;
        to_tick(tick + 1);
        ack = 1'b0;
        if (lost || done)
            fail("acknowledge ignored");
        to_tick(start + sample_of(9) + 1);
        if (!done || lost || data !== 8'hfe || !stop_ok)
            fail("byte after a lost one is wrong");
        ack = 1'b1;
        to_tick(tick + 1);
        ack = 1'b0;
        to_tick(tick + 50);

        // Reset in the middle of a byte forgets it.
        earlier = dones;
        line = 1'b0;
        to_tick(tick + 40);
        rst = 1'b1;
        line = 1'b1;
        to_tick(tick + 2);
        rst = 1'b0;
        to_tick(tick + 400);
        if (dones != earlier)
            fail("reset does not drop a byte");
        exchange(8'h99, 0);
        verdict;
    end
endmodule

`default_nettype wire
