// SPDX-FileCopyrightText: The phasebench authors
// SPDX-License-Identifier: Apache-2.0
//
// Watchdog of the host link: trips when the core is armed and no feed_i came for ms_i milliseconds.
//
// Interface: trip_o is high for one clock, then low until fed or armed again and due once more. A
//            new ms_i counts from the next feed_i on; 0 is off at once. feed_i in the clock before
//            trip_o prevents it.
// Timing:    trip_o comes more than ms_i and at most ms_i + 1 milliseconds and 2 clocks after the
//            last of feed_i, the rise of armed_i and ms_i becoming other than 0. A millisecond is
//            floor(CLK_HZ / 1000) clocks, counted without regard to feed_i.
// Reset:     as if not armed.
`default_nettype none
`include "pb_clocks.vh"

module pb_watchdog #(
    parameter [31:0] CLK_HZ = 48000000  // rate of clk, at least 2000
) (
    input  wire        clk,
    input  wire        rst_i,

    input  wire [11:0] ms_i,     // 0: off
    input  wire        armed_i,
    input  wire        feed_i,   // one clock: the host is alive
    output reg         trip_o
);
    localparam [31:0] CLOCKS = CLK_HZ / 1000;   // a millisecond
    localparam        BITS   = $clog2(CLOCKS);
    localparam [31:0] LAST   = CLOCKS - 32'd2;   // the reload comes a clock after 0

    reg [BITS-1:0] clocks_q;
    reg            beat_q;      // a millisecond is over
    reg [11:0]     left_q;      // whole milliseconds left
    reg            live_q;      // not tripped
    reg            off_q;       // the last clock was off: ms_i is new

    wire [BITS:0] clocks_d = {1'b0, clocks_q} - `PB_ONE(BITS + 1, 1'b1);   // top bit: clocks_q was 0

    wire off  = !armed_i || ms_i == 12'd0;
    wire load = feed_i || off || off_q;
    // Load cycle: the adder operand is a don't-care, so each counter bit fits one logic cell.
    wire [11:0] left_d = left_q + {12{!load}};

    always @(posedge clk) begin
        beat_q   <= clocks_d[BITS];
        clocks_q <= beat_q ? `PB_MS(BITS, LAST) : clocks_d[BITS-1:0];
        off_q    <= off;
        trip_o   <= 1'b0;
        if (load || beat_q)
            left_q <= load ? ms_i : left_d;
        if (load)
            live_q <= 1'b1;
        else if (beat_q && left_q == 12'd0) begin
            live_q <= 1'b0;
            trip_o <= live_q;
        end
        if (rst_i) begin
            clocks_q <= `PB_MS(BITS, LAST);
            beat_q   <= 1'b0;
            off_q    <= 1'b1;
            live_q   <= 1'b0;
            trip_o   <= 1'b0;
        end
    end
endmodule

`default_nettype wire
