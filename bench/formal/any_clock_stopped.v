// SPDX-FileCopyrightText: The phasebench authors
// SPDX-License-Identifier: Apache-2.0
//
// Unconstrained stand-in for pb_clock_stopped, in proofs that must hold for any output of it.
`default_nettype none

module pb_clock_stopped #(
    parameter BEAT_LOG2  = 4,
    parameter STILL_LOG2 = 6
) (
    input  wire clk,
    input  wire other_clk,
    output wire stopped_o
);
    wire any_stopped;   // no driver: the solver chooses
    assign stopped_o = any_stopped;
endmodule
