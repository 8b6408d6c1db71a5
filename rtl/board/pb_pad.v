// SPDX-FileCopyrightText: The phasebench authors
// SPDX-License-Identifier: Apache-2.0
//
// One pin of an iCE40, both ways: a register in the pad on the way out and one on the way in, so
// that all pins of a board act in the same instant and none has a glitch. The pin has the level
// level_i while drive_i is high, else it is high-impedance. The input cell samples at both edges of
// the clock: half_o is the level half a clock before that of level_o.
//
// Latency:   one clock out, one clock in (level_o may be metastable: the core has a second
//            register).
// Power-up: not driven. Simulations without the cells of the vendor use the model below, which does
// the same.
`default_nettype none

module pb_pad #(
    parameter PULL_UP = 0   // 1: the pad's pull-up is on; its strength, where there is a choice, is in the constraints
) (
    input  wire clk,
    input  wire drive_i,
    input  wire level_i,
    output wire level_o,    // at the last rising edge of clk
    output wire half_o,     // at the falling edge before that one
    inout  wire pad
);
    wire fallen;    // at the last falling edge: at a rising edge it is newer than what level_o still is
    reg  half_q = 1'b0;
    always @(posedge clk)
        half_q <= fallen;
    assign half_o = half_q;
`ifdef SYNTHESIS
    SB_IO #(.PIN_TYPE(6'b1101_00), .PULLUP(PULL_UP != 0)) cell_io (
        .PACKAGE_PIN(pad), .INPUT_CLK(clk), .OUTPUT_CLK(clk), .OUTPUT_ENABLE(drive_i),
        .D_OUT_0(level_i), .D_OUT_1(1'b0), .D_IN_0(level_o), .D_IN_1(fallen), .CLOCK_ENABLE(1'b1), .LATCH_INPUT_VALUE(1'b0)
    );
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
    assign fallen  = fallen_q;
`endif
endmodule

`default_nettype wire
