// SPDX-FileCopyrightText: The phasebench authors
// SPDX-License-Identifier: Apache-2.0
//
// Arbiter of the alarms for the capture: one at a time, watchdog first, then clock, then lines.
// Each kind of clock alarm has one place to wait.
//
// Interface: trip_i and clock_alarm_i pulse with an alarm. watch_alarm_i is high until
//            watch_take_o, when watch_count_i pulses. valid_o is high with an alarm in value_o
//            until take_i.
// Timing:    valid_o one clock after a pulse; raised_o, any alarm, one clock; count_o two clocks.
// Reset:     no alarm waits, count_o 0.
// Limits:    a second alarm of the same kind that comes while the first waits is counted, not kept.
`include "pb_regs.vh"
`default_nettype none

module pb_alarms (
    input  wire        clk,
    input  wire        rst_i,

    input  wire        trip_i,              // of the watchdog
    input  wire        clock_alarm_i,
    input  wire [4:0]  clock_code_i,
    input  wire [16:0] clock_ticks_i,       // of PERIOD; unused for other codes
    input  wire        watch_alarm_i,
    input  wire [4:0]  watch_code_i,
    input  wire [5:0]  watch_link_i,
    input  wire        watch_count_i,
    output wire        watch_take_o,

    output wire        valid_o,
    output wire [27:0] value_o,             // bits 59..32 of the event
    input  wire        take_i,

    output wire        raised_o,
    output reg  [15:0] count_o
);
    reg         trip_waits;
    reg  [2:0]  clock_waits;    // NO_EDGE, SYNC, PERIOD: the lowest first
    reg  [16:0] clock_ticks;
    wire [2:0]  clock_raised = {3{clock_alarm_i}} & {clock_code_i == `PB_ALARM_NO_EDGE, clock_code_i == `PB_ALARM_SYNC,
                                                     clock_code_i == `PB_ALARM_PERIOD};
    reg  [1:0]  raised_q;       // alarms of the last clock
    wire        clock_any   = clock_waits != 3'd0;
    wire        clock_take  = take_i && !trip_waits;
    assign      watch_take_o = take_i && !trip_waits && !clock_any;
    assign      valid_o      = trip_waits || clock_any || watch_alarm_i;
    assign      raised_o     = raised_q != 2'd0;
    assign      value_o =
        trip_waits ? `PB_EVENT_TOLD_PACK(`PB_EVENT_LINK_CLOCK, `PB_EVENT_ALARM_PACK(17'd0, `PB_ALARM_WATCHDOG)) :
        clock_waits[0] ? `PB_EVENT_TOLD_PACK(`PB_EVENT_LINK_CLOCK, `PB_EVENT_ALARM_PACK(clock_ticks, `PB_ALARM_PERIOD)) :
        clock_waits[1] ? `PB_EVENT_TOLD_PACK(`PB_EVENT_LINK_CLOCK, `PB_EVENT_ALARM_PACK(17'd0, `PB_ALARM_SYNC)) :
        clock_waits[2] ? `PB_EVENT_TOLD_PACK(`PB_EVENT_LINK_CLOCK, `PB_EVENT_ALARM_PACK(17'd0, `PB_ALARM_NO_EDGE)) :
        `PB_EVENT_TOLD_PACK(watch_link_i, `PB_EVENT_ALARM_PACK(17'd0, watch_code_i));
    always @(posedge clk) begin
        trip_waits  <= trip_i || (trip_waits && !take_i);
        clock_waits <= (clock_take ? clock_waits & (clock_waits - 3'd1) : clock_waits) | clock_raised;
        if (clock_raised[0])
            clock_ticks <= clock_ticks_i;
        raised_q <= {1'b0, trip_i} + {1'b0, clock_alarm_i} + {1'b0, watch_count_i};
        count_o  <= count_o + {14'd0, raised_q};
        if (rst_i) begin
            raised_q    <= 2'd0;
            trip_waits  <= 1'b0;
            clock_waits <= 3'd0;
            count_o     <= 16'd0;
        end
    end
endmodule

`default_nettype wire
