// SPDX-FileCopyrightText: The phasebench authors
// SPDX-License-Identifier: Apache-2.0
//
// Clock-loss detector: reports in the clk domain that other_clk has stopped.
//
// Interface: stopped_o is synchronous to clk; other_clk may be unrelated to clk.
// Timing:    one bit toggles every 2^BEAT_LOG2 periods of other_clk. stopped_o rises
//            2^STILL_LOG2 + 2 to 2^STILL_LOG2 + 3 cycles of clk after its last toggle, and falls
//            2 to 3 cycles after the next one.
// Reset:     none; stopped_o is 1 at power-up.
// Limits:    while other_clk runs, 2^BEAT_LOG2 of its periods must be longer than 1 and shorter
//            than 2^STILL_LOG2 periods of clk.
`default_nettype none

module pb_clock_stopped #(
    parameter BEAT_LOG2  = 4,   // 1..16
    parameter STILL_LOG2 = 6    // 3..16
) (
    input  wire clk,
    input  wire other_clk,
    output wire stopped_o
);
    reg [BEAT_LOG2:0]  beat_q  = 0;
    reg [2:0]          sync_q  = 3'd0;
    reg [STILL_LOG2:0] still_q = 1 << STILL_LOG2;
    always @(posedge other_clk)
        beat_q <= beat_q + 1'b1;
    always @(posedge clk) begin
        sync_q <= {sync_q[1:0], beat_q[BEAT_LOG2]};
        if (sync_q[2] != sync_q[1])
            still_q <= 0;
        else if (!stopped_o)
            still_q <= still_q + 1'b1;
    end
    assign stopped_o = still_q[STILL_LOG2];
endmodule

`default_nettype wire
