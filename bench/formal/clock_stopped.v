// SPDX-FileCopyrightText: The phasebench authors
// SPDX-License-Identifier: Apache-2.0
//
// pb_clock_stopped, with two clocks whose edges come at arbitrary times, so at any ratio of their rates. A
// beat is 2^BEAT_LOG2 edges of other_clk. Proven: stopped_o is low exactly in the cycles from 2 to
// 2^STILL_LOG2 + 2 after an edge of clk that is the first after the end of a beat. So a clock whose beats
// each hold 1 to 2^STILL_LOG2 edges of clk is never reported as stopped, a slower one is, and a clock that
// stops is reported 2^STILL_LOG2 + 2 cycles after the first edge of clk that follows its last beat.
//
// clocks: any
// sources: core/pb_clock_stopped.v
`default_nettype none

module proof_clock_stopped (
    input wire clk,
    input wire other_clk
);
    localparam BEAT = 1, STILL = 3;
    localparam [3:0] MOST = 4'd15;
    wire stopped;
    pb_clock_stopped #(.BEAT_LOG2(BEAT), .STILL_LOG2(STILL)) dut (.clk(clk), .other_clk(other_clk), .stopped_o(stopped));

    reg [3:0] edges = 4'd0;     // of other_clk, modulo 16
    always @(posedge other_clk) edges <= edges + 4'd1;

    wire [3:BEAT] beats = edges[3:BEAT];
    reg  [3:BEAT] seen  = 0;    // beats at the last edge of clk
    // Edges of clk since the first one after the last end of a beat, with it: now, one and two edges ago. Before the first beat: MOST.
    reg [3:0] age = MOST, age1 = MOST, age2 = MOST;
    reg       fast = 1'b0;      // more than one beat ended in a cycle of clk, once: one bit cannot distinguish two beats from none
    reg [3:0] run = 4'd0;       // beats one after the other, each with 1 to 2^STILL edges of clk
    always @(posedge clk) begin
        seen <= beats;
        age  <= beats != seen ? 4'd1 : age + {3'd0, age != MOST};
        age1 <= age;
        age2 <= age1;
        fast <= fast || (beats != seen && beats != seen + 1'b1);
        if (beats != seen)
            run <= age > (1 << STILL) ? 4'd0 : run + {3'd0, run != MOST};
    end
    always @* if (!fast)
        assert (stopped == (age2 > (1 << STILL)));
    always @* begin
        cover (!fast && run > 4 && age2 == (1 << STILL));       // the slowest clock that runs
        cover (!fast && run > 4 && age == 1 && age2 == 1);      // the fastest
        cover (!fast && run == 0 && age2 > (1 << STILL) && age1 == 1);
    end
endmodule
