// SPDX-FileCopyrightText: The phasebench authors
// SPDX-License-Identifier: Apache-2.0
//
// pb_alarms: each kind of alarm of the watchdog and of the clock has one place. An alarm is offered from the
// clock after its pulse until it is taken: that of the watchdog first, then PERIOD, SYNC, NO_EDGE, then the
// lines, each with its code, link and ticks. Only a line's alarm that is taken is acknowledged to the line
// watch. raised_o follows each alarm by one clock, and count_o has the number of all of them. Assumed: take_i
// only with valid_o; a code of the clock is one of its three.
//
// sources: core/pb_alarms.v
// probe: raised_q dut.raised_q
// probe: trip_waits dut.trip_waits
// probe: clock_waits dut.clock_waits
// probe: clock_ticks dut.clock_ticks
`default_nettype none
`include "pb_regs.vh"

module proof_alarms (
    input wire        clk,
    input wire        rst_i,
    input wire        trip_i,
    input wire        clock_alarm_i,
    input wire [4:0]  clock_code_i,
    input wire [16:0] clock_ticks_i,
    input wire        watch_alarm_i,
    input wire [4:0]  watch_code_i,
    input wire [5:0]  watch_link_i,
    input wire        watch_count_i,
    input wire        take_i
);
    reg started = 1'b0;
    always @(posedge clk) started <= 1'b1;

    wire        valid, watch_take, raised;
    wire [27:0] value;
    wire [15:0] count;
    wire [1:0]  raised_q;
    wire        trip_waits;
    wire [2:0]  clock_waits;
    wire [16:0] clock_ticks;
    pb_alarms dut (
        .clk(clk), .rst_i(rst_i), .trip_i(trip_i), .clock_alarm_i(clock_alarm_i), .clock_code_i(clock_code_i), .clock_ticks_i(clock_ticks_i),
        .watch_alarm_i(watch_alarm_i), .watch_code_i(watch_code_i), .watch_link_i(watch_link_i), .watch_count_i(watch_count_i),
        .watch_take_o(watch_take), .valid_o(valid), .value_o(value), .take_i(take_i), .raised_o(raised), .count_o(count)
    );
    wire period = clock_alarm_i && clock_code_i == `PB_ALARM_PERIOD;
    wire sync   = clock_alarm_i && clock_code_i == `PB_ALARM_SYNC;
    wire edges  = clock_alarm_i && clock_code_i == `PB_ALARM_NO_EDGE;
    always @* begin
        if (!started)
            assume (rst_i);
        assume (!take_i || valid);
        assume (!clock_alarm_i || period || sync || edges);
    end

    // ---- what waits: watchdog, PERIOD, SYNC, NO_EDGE
    reg [3:0]  waits;
    reg [16:0] ticks;
    reg        first;
    reg [3:0]  served;          // the one that is offered, if any of these
    always @* begin
        served = 4'd0;
        if (waits[3])
            served = 4'b1000;
        else if (waits[2])
            served = 4'b0100;
        else if (waits[1])
            served = 4'b0010;
        else if (waits[0])
            served = 4'b0001;
    end
    reg [15:0] all, all_before;     // alarms up to the last clock, up to the one before
    always @(posedge clk) begin
        waits <= (waits & ~(take_i ? served : 4'd0)) | {trip_i, period, sync, edges};
        if (period)
            ticks <= clock_ticks_i;
        all        <= all + {15'd0, trip_i} + {15'd0, clock_alarm_i} + {15'd0, watch_count_i};
        all_before <= all;
        first      <= trip_i || clock_alarm_i || watch_count_i;
        if (rst_i)
            {waits, all, all_before, first} <= 37'd0;
    end

    wire [27:0] clock_value = {`PB_EVENT_LINK_CLOCK, 22'd0};
    always @* if (started) begin
        assert (valid == (waits != 4'd0 || watch_alarm_i));
        assert (watch_take == (take_i && waits == 4'd0));
        assert (raised == first);
        assert (count == all_before);
        case (served)
            4'b1000: assert (value == (clock_value | `PB_EVENT_ALARM_PACK(17'd0, `PB_ALARM_WATCHDOG)));
            4'b0100: assert (value == (clock_value | `PB_EVENT_ALARM_PACK(ticks, `PB_ALARM_PERIOD)));
            4'b0010: assert (value == (clock_value | `PB_EVENT_ALARM_PACK(17'd0, `PB_ALARM_SYNC)));
            4'b0001: assert (value == (clock_value | `PB_EVENT_ALARM_PACK(17'd0, `PB_ALARM_NO_EDGE)));
            default: assert (!watch_alarm_i || value == {watch_link_i, `PB_EVENT_ALARM_PACK(17'd0, watch_code_i)});
        endcase
        // For the induction.
        assert (all - all_before == {14'd0, raised_q});
        assert ({trip_waits, clock_waits[0], clock_waits[1], clock_waits[2]} == waits);
        assert (!waits[2] || clock_ticks == ticks);
    end
    always @* if (started) begin
        cover (served == 4'b0001 && take_i && all == 16'd4);
        cover (watch_take && all > 16'd2);
    end
endmodule
