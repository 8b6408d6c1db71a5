// SPDX-FileCopyrightText: The phasebench authors
// SPDX-License-Identifier: Apache-2.0
//
// pb_watchdog: when armed and not fed it trips once, more than ms and at most ms + 1 milliseconds and two
// clocks after it was last fed, armed or set. Fed in time it never trips. ms up to LONGEST, a millisecond of
// three clocks.
//
// sources: core/pb_watchdog.v
`default_nettype none

module proof_watchdog (
    input wire        clk,
    input wire        rst_i,
    input wire [11:0] ms_i,
    input wire        armed_i,
    input wire        feed_i
);
    localparam CLOCKS = 3, LONGEST = 5;
    reg started = 1'b0;
    always @(posedge clk) started <= 1'b1;
    always @* begin
        if (!started) assume (rst_i);
        assume (ms_i <= LONGEST);
    end

    wire trip;
    pb_watchdog #(.CLK_HZ(CLOCKS * 1000)) dut (
        .clk(clk), .rst_i(rst_i), .ms_i(ms_i), .armed_i(armed_i), .feed_i(feed_i), .trip_o(trip)
    );

    wire      off = rst_i || !armed_i || ms_i == 12'd0;
    reg       was_off;
    wire      begins = feed_i || off || was_off;    // the time starts, or does not run
    reg [5:0] since;        // clocks since `begins`
    reg [2:0] ms;           // value at `begins`
    reg       tripped;      // since `begins`
    always @(posedge clk) begin
        was_off <= off;
        since   <= begins ? 6'd1 : since + {5'd0, since != 6'd63};
        tripped <= !begins && (tripped || trip);
        if (begins)
            ms <= ms_i[2:0];
    end
    wire runs = !was_off;       // the time ran in the last clock
    always @* if (started) begin
        if (trip)
            assert (since > CLOCKS * ms && since <= CLOCKS * (ms + 1) + 2 && !tripped && ms != 3'd0);
        if (runs && since > CLOCKS * (ms + 1) + 2)
            assert (tripped);
    end
    reg fed_late;
    always @(posedge clk) fed_late <= !rst_i && (fed_late || (runs && feed_i && !tripped && since == CLOCKS * ms));
    always @* if (started) begin
        cover (trip && ms == LONGEST && fed_late);
        cover (tripped && since == 6'd30 && runs);
    end
endmodule
