// SPDX-FileCopyrightText: The phasebench authors
// SPDX-License-Identifier: Apache-2.0
//
// pb_receivers with fewer receivers than links against what was sent: up to as many lines at a time as there
// are receivers, at random bit times, back to back and with gaps, good and broken stop bits; each byte once,
// with the instant of its stop bit. Then more lines than receivers, and starts in the same clock: what comes
// and what is counted as missed are all there was.
`timescale 1ns / 1ps
`default_nettype none
`define NAME "tb_pb_receivers"

module tb_pb_receivers;
    localparam LIMIT_CLOCKS = 400000;
    localparam LINKS = 7, RECEIVERS = 2, AGE_BITS = 4;
`include "tb_pb_common.vh"

    reg  [LINKS-1:0]    line = {LINKS{1'b1}}, line_last = {LINKS{1'b1}}, mask = {LINKS{1'b1}};
    reg  [LINKS-1:0]    pin = {LINKS{1'b1}};
    always @(posedge clk) begin
        line <= pin;
        line_last <= line;
    end
    reg                 console = 1'b1, console_last = 1'b1;
    reg  [19:0]         period = 20'd384;
    wire                valid, over, from_console;
    wire [2:0]          link;
    wire [21:0]         value;
    wire [AGE_BITS-1:0] age;
    wire [3:0]          missed;
    pb_receivers #(.LINKS(LINKS), .RECEIVERS(RECEIVERS), .AGE_BITS(AGE_BITS), .COUNT_BITS(4)) dut (
        .clk(clk), .rst_i(rst), .line_i(line), .line_last_i(line_last), .mask_i(mask), .bit_period_i(period),
        .console_i(console), .console_last_i(console_last), .console_period_i(20'd200),
        .valid_o(valid), .over_o(over), .console_o(from_console), .link_o(link), .value_o(value), .age_o(age), .missed_o(missed));

    // ---- senders: {stop, data, start} of each line; what is due
    integer          now = 0, bit_ticks = 24;
    integer          start_at [0:LINKS-1];      // -1: quiet
    reg  [9:0]       frame [0:LINKS-1];
    reg  [8:0]       due_value [0:LINKS-1];     // {stop, data} that has to come; its start
    integer          due_start [0:LINKS-1], due_bits [0:LINKS-1];
    reg  [LINKS-1:0] due = 0;
    integer          got = 0, sent = 0, lost = 0, consoles = 0, i, k, at;
    reg              exact = 1'b1;              // nothing may be missed
    initial for (i = 0; i < LINKS; i = i + 1) start_at[i] = -1;

    always @(negedge clk) if (!rst) begin
        // The outputs show the lines of this clock.
        if (^{valid, missed} === 1'bx)
            fail("unknown output");
        lost = lost + missed;
        if (missed != 0 && exact)
            fail("missed although a receiver was free");
        if (valid && from_console)
            consoles = consoles + 1;
        else if (valid) begin
            got = got + 1;
            if (!due[link])
                fail("a byte that nobody sent");
            else if (exact) begin
                if (value[8:0] !== due_value[link])
                    fail("wrong byte");
                // Sample 9 is floor(9.5 * bit) ticks after the clock of the start edge.
                if (now - age != due_start[link] + 9 * due_bits[link] + due_bits[link] / 2)
                    fail("wrong instant");
            end
            due[link] = 1'b0;
        end
        if (over)
            fail("a byte was lost in a receiver");
        now = now + 1;
        #1 for (i = 0; i < LINKS; i = i + 1)
            if (start_at[i] >= 0) begin
                k = (now - start_at[i]) / bit_ticks;
                if (now == start_at[i]) begin
                    if (due[i] && exact)
                        fail("a byte did not come");
                    due[i] = 1'b1;
                    due_value[i] = frame[i][9:1];
                    due_start[i] = now;
                    due_bits[i] = bit_ticks;
                    sent = sent + 1;
                end
                if (now >= start_at[i])
                    pin[i] = k > 9 || frame[i][k];
                if (k >= 10)
                    start_at[i] = -1;
            end
    end

    task steps(input integer n);
        repeat (n) @(negedge clk) #2;
    endtask
    function quiet(input integer n);
        quiet = start_at[n] < 0;
    endfunction
    task send(input integer n, input integer delay, input bad_stop);
        begin
            frame[n] = {!bad_stop, 8'd0, 1'b0};
            frame[n][8:1] = random(0);
            start_at[n] = now + 1 + delay;
        end
    endtask
    // A start edge needs a high line; after a broken stop bit that takes a clock.
    task settle;
        begin
            steps(12 * bit_ticks);
            if (exact && due != 0)
                fail("a byte did not come at all");
            due = 0;
        end
    endtask

    integer n, a, b, c;
    initial begin
        steps(4);
        rst = 1'b0;
        steps(4);
        for (n = 0; n < 5; n = n + 1) begin
            bit_ticks = n == 0 ? 8 : n == 1 ? 24 : n == 2 ? 9 : n == 3 ? 13 : 40;
            period = 16 * bit_ticks;
            steps(20);
            for (a = 0; a < 60; a = a + 1) begin    // two lines, the second some time later; then the first again, back to back
                b = random(0) % LINKS;
                c = (b + 1 + random(0) % (LINKS - 1)) % LINKS;
                send(b, 0, random(0) % 8 == 0);
                send(c, 1 + random(0) % (9 * bit_ticks), random(0) % 8 == 0);
                for (at = 0; at < 3; at = at + 1) begin
                    while (!quiet(b)) steps(1);
                    if (pin[b])
                        send(b, 0, 1'b0);
                end
                settle;
            end
        end
        if (got != sent || sent < 500)
            fail("not every byte came");

        // A line that is not recorded takes no receiver.
        mask = 7'h7c;
        send(0, 0, 1'b0);
        send(1, 3, 1'b0);
        send(2, 7, 1'b0);
        send(3, 9, 1'b0);
        due = 0;
        steps(12 * bit_ticks);
        if (due != 7'h03)
            fail("the masked lines were heard, or hid the others");
        due = 0;
        mask = 7'h7f;

        // More than two at a time. All lines stay quiet until it is over, so that a missed start cannot be taken up late:
        // a byte of all ones has one falling edge, its start.
        exact = 1'b0;
        for (a = 0; a < 40; a = a + 1) begin
            got = 0;
            lost = 0;
            sent = 0;
            due = 0;
            for (b = 0; b < 5; b = b + 1) begin
                send(b, a < 20 ? 0 : 2 * b, 1'b0);
                frame[b] = 10'h3fe;
            end
            settle;
            if (sent != 5 || got + lost != sent || got != (a < 20 ? 1 : 2))
                fail("the books of the missed bytes do not balance");
        end
        verdict;
    end
endmodule
