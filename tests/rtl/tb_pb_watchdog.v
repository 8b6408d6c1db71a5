// SPDX-FileCopyrightText: The phasebench authors
// SPDX-License-Identifier: Apache-2.0
//
// pb_watchdog with a millisecond of 20 clocks (20,999 Hz: rounded down): every trip must fall into its window
// after the last feed, arming or switching on, whatever the phase of the millisecond, and there must be no
// other.
`timescale 1ns / 1ps
`default_nettype none
`define NAME "tb_pb_watchdog"

module tb_pb_watchdog;
    localparam LIMIT_CLOCKS = 1000000;
    localparam MS = 20;
`include "tb_pb_common.vh"

    reg  [11:0] ms = 12'd3;
    reg         armed = 1'b0, feed = 1'b0;
    wire        trip;
    pb_watchdog #(.CLK_HZ(20999)) dut (.clk(clk), .rst_i(rst), .ms_i(ms), .armed_i(armed), .feed_i(feed), .trip_o(trip));

    integer trips = 0, since = 0;   // clocks since the bench last called `restart`
    always @(negedge clk) begin
        since = since + 1;
        if (!rst && trip !== 1'b0)
            trips = trips + 1;
        if (!rst && trip === 1'bx)
            fail("unknown output");
    end
    task restart;   // the clock that follows is the one of the feed
        begin
            since = 0;
            trips = 0;
        end
    endtask
    task feed_now;
        begin
            feed = 1'b1;
            restart;
            clocks(1);
            feed = 1'b0;
        end
    endtask

    // One trip more than n milliseconds and at most n + 1 and 2 clocks after the restart, for one clock, and no second one.
    task window(input integer n);
        begin
            clocks(n * MS - since);
            if (trips != 0)
                fail("trips too early");
            while (trips == 0 && since < (n + 2) * MS)
                clocks(1);
            if (since - 1 > (n + 1) * MS + 2)
                fail("trips too late");
            clocks((n + 3) * MS);
            if (trips != 1)
                fail("not one trip of one clock");
        end
    endtask

    integer i, earliest, latest;
    initial begin
        clocks(3);
        rst = 1'b0;
        clocks(5 * MS);
        if (trips != 0)
            fail("trips while not armed");

        // Arming starts it, at every phase of the millisecond; once only until armed again.
        earliest = 1000000;
        latest = 0;
        for (i = 0; i < 2 * MS; i = i + 1) begin
            armed = 1'b0;
            clocks(1 + i);
            armed = 1'b1;
            restart;
            while (trips == 0 && since < 200)
                clocks(1);
            if (since < earliest)
                earliest = since;
            if (since > latest)
                latest = since;
            clocks(10 * MS);
            if (trips != 1)
                fail("not one trip of one clock");
        end
        // All phases were there, so both ends of the window were: 3 ms + 1 and 4 ms, after up to 2 clocks of latency.
        if (latest - earliest != MS - 1 || earliest < 3 * MS + 1 || latest > 4 * MS + 2)
            fail("the window is not a millisecond");

        // Fed in time: quiet for ever; then one trip; fed again: one more.
        for (i = 0; i < 100; i = i + 1) begin
            feed_now;
            clocks(random(0) % (3 * MS - 1));
            if (trips != 0)
                fail("trips though fed");
        end
        for (i = 0; i < 40; i = i + 1) begin
            ms = 1 + random(0) % 12;
            clocks(1);
            feed_now;
            clocks(random(0) % MS);
            feed_now;
            window(ms);
        end
        ms = 12'd4095;
        clocks(1);
        feed_now;
        window(4095);

        // A shorter time counts from the next feed on. 0 is off, at once and for good; switching on starts it.
        ms = 12'd6;
        clocks(1);
        feed_now;
        ms = 12'd2;
        window(6);
        feed_now;
        window(2);
        feed_now;
        clocks(2 * MS);
        ms = 12'd0;
        clocks(100 * MS);
        if (trips != 0)
            fail("trips while off");
        for (i = 0; i < MS; i = i + 1) begin
            ms = 12'd5;
            restart;
            window(5);
            ms = 12'd0;
            clocks(1 + i);
        end

        // Disarmed in time: quiet. Reset: quiet, and armed counts from there.
        ms = 12'd2;
        armed = 1'b0;
        clocks(1);
        armed = 1'b1;
        restart;
        clocks(2 * MS);
        armed = 1'b0;
        clocks(10 * MS);
        if (trips != 0)
            fail("trips while not armed");
        armed = 1'b1;
        clocks(MS);
        rst = 1'b1;
        clocks(3);
        rst = 1'b0;
        restart;
        window(2);
        verdict;
    end
endmodule

`default_nettype wire
