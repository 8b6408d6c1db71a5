// SPDX-FileCopyrightText: The phasebench authors
// SPDX-License-Identifier: Apache-2.0
//
// Stub of the PLL cells, for lint and for the simulation of a netlist: the clock passes unchanged, and is
// reported locked after a delay.
`default_nettype none
/* verilator lint_off UNUSEDSIGNAL */
/* verilator lint_off UNUSEDPARAM */
/* verilator lint_off DECLFILENAME */

module SB_PLL40_PAD #(
    parameter FEEDBACK_PATH = "SIMPLE",
    parameter [3:0] DIVR = 0,
    parameter [6:0] DIVF = 0,
    parameter [2:0] DIVQ = 0,
    parameter [2:0] FILTER_RANGE = 0
) (
    input  wire PACKAGEPIN,
    output wire PLLOUTGLOBAL,
    output reg  LOCK,
    input  wire RESETB,
    input  wire BYPASS
);
    assign PLLOUTGLOBAL = PACKAGEPIN;
    initial LOCK = 1'b0;
    always @(posedge PACKAGEPIN)
        LOCK <= 1'b1;
endmodule

module SB_PLL40_CORE #(
    parameter FEEDBACK_PATH = "SIMPLE",
    parameter [3:0] DIVR = 0,
    parameter [6:0] DIVF = 0,
    parameter [2:0] DIVQ = 0,
    parameter [2:0] FILTER_RANGE = 0
) (
    input  wire REFERENCECLK,
    output wire PLLOUTGLOBAL,
    output reg  LOCK,
    input  wire RESETB,
    input  wire BYPASS
);
    assign PLLOUTGLOBAL = REFERENCECLK;
    initial LOCK = 1'b0;
    always @(posedge REFERENCECLK)
        LOCK <= 1'b1;
endmodule

`default_nettype wire
