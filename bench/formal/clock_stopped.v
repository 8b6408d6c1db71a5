// SPDX-FileCopyrightText: The phasebench authors
// SPDX-License-Identifier: Apache-2.0
//
// pb_clock_stopped, with two clocks whose edges come at arbitrary times. Proven: stopped_o is high once other_clk has had no edge for
// more than 2^STILL_LOG2 + 3 cycles of clk, and low once it has had exactly one edge in each of more than 8 successive cycles.
//
// clocks: any
// sources: core/pb_clock_stopped.v
`default_nettype none

module proof_clock_stopped (
    input wire clk,
    input wire other_clk
);
    localparam STILL = 3;
    wire stopped;
    pb_clock_stopped #(.BEAT_LOG2(1), .STILL_LOG2(STILL)) dut (.clk(clk), .other_clk(other_clk), .stopped_o(stopped));

    reg [3:0] edges = 4'd0, seen = 4'd0;    // edges of other_clk, modulo 16; the same at the last edge of clk
    reg [3:0] without = 4'd0, with = 4'd0;  // successive cycles of clk with no edge (or 16 edges) of other_clk; with exactly one
    always @(posedge other_clk) edges <= edges + 4'd1;
    always @(posedge clk) begin
        seen    <= edges;
        without <= edges != seen ? 4'd0 : without + {3'd0, without != 4'd15};
        with    <= edges != seen + 4'd1 ? 4'd0 : with + {3'd0, with != 4'd15};
    end
    always @* begin
        if (without > (1 << STILL) + 3)
            assert (stopped);
        if (with > 8)
            assert (!stopped);
    end
    always @* begin
        cover (without > (1 << STILL) + 3);
        cover (with > 8);
    end
endmodule
