// SPDX-FileCopyrightText: The phasebench authors
// SPDX-License-Identifier: Apache-2.0
//
// One bidirectional pin of an iCE40 with an output and an input register in the pad. So all pins of
// a board change at the same time, and none has a glitch.
//
// Interface: the pin has the level level_i while drive_i is high, else it is high-impedance. The
//            input cell samples at both edges of clk: half_o is half a clock older than level_o.
// Timing:    one clock out, one clock in (level_o may be metastable: the core has a second
//            register).
// Power-up:  not driven. Simulations without the vendor's cells use the equivalent model below.
`default_nettype none

module pb_pad #(
    parameter RAW     = 0,  // 1: raw_o is the level itself, and the register of level_o is not in the pad
    parameter PULL_UP = 0   // 1: the pad's pull-up is on; its strength, if selectable, is in the constraints
) (
    input  wire clk,
    input  wire drive_i,
    input  wire level_i,
    output wire level_o,    // at the last rising edge of clk
    output wire half_o,     // at the falling edge before that one
    output wire raw_o,      // with RAW: the level of the pin, without a register; else level_o
    inout  wire pad
);
    wire fallen;    // at the last falling edge: at a rising edge of clk it is newer than level_o
    reg  half_q = 1'b0;
    always @(posedge clk)
        half_q <= fallen;
    assign half_o = half_q;
`ifdef SYNTHESIS
    SB_IO #(.PIN_TYPE(RAW != 0 ? 6'b1101_01 : 6'b1101_00), .PULLUP(PULL_UP != 0)) cell_io (
        .PACKAGE_PIN(pad), .INPUT_CLK(clk), .OUTPUT_CLK(clk), .OUTPUT_ENABLE(drive_i),
        .D_OUT_0(level_i), .D_OUT_1(1'b0), .D_IN_0(raw_o), .D_IN_1(fallen), .CLOCK_ENABLE(1'b1), .LATCH_INPUT_VALUE(1'b0)
    );
    generate if (RAW != 0) begin : g_raw
        reg raw_q = 1'b0;
        always @(posedge clk)
            raw_q <= raw_o;
        assign level_o = raw_q;
    end else begin : g_registered
        assign level_o = raw_o;
    end endgenerate
`else
    reg drive_q = 1'b0, level_q = 1'b0, in_q = 1'b0, fallen_q = 1'b0;
    always @(posedge clk) begin
        drive_q <= drive_i;
        level_q <= level_i;
        in_q    <= pad;
    end
    always @(negedge clk)
        fallen_q <= pad;
    generate if (PULL_UP != 0) begin : g_pull_up
        pullup (pad);
    end endgenerate
    assign pad     = drive_q ? level_q : 1'bz;
    assign level_o = in_q;
    assign raw_o   = RAW != 0 ? pad : in_q;
    assign fallen  = fallen_q;
`endif
endmodule

`default_nettype wire
