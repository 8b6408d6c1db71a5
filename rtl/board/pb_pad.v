// SPDX-FileCopyrightText: The phasebench authors
// SPDX-License-Identifier: Apache-2.0
//
// One pin of an iCE40, both ways: a register in the pad on the way out and one on the way in, so that all pins of a board act
// in the same instant and none has a glitch. The pin has the level level_i while drive_i is high, else it is high-impedance.
//
// Latency: one clock out, one clock in (level_o may be metastable: the core has a second register).
// Power-up: not driven. Simulations without the cells of the vendor use the model below, which does the same.
`default_nettype none

module pb_pad (
    input  wire clk,
    input  wire drive_i,
    input  wire level_i,
    output wire level_o,
    inout  wire pad
);
`ifdef SYNTHESIS
    wire unused_in;
    SB_IO #(.PIN_TYPE(6'b1101_00)) cell_io (
        .PACKAGE_PIN(pad), .INPUT_CLK(clk), .OUTPUT_CLK(clk), .OUTPUT_ENABLE(drive_i),
        .D_OUT_0(level_i), .D_OUT_1(1'b0), .D_IN_0(level_o), .D_IN_1(unused_in), .CLOCK_ENABLE(1'b1), .LATCH_INPUT_VALUE(1'b0)
    );
`else
    reg drive_q = 1'b0, level_q = 1'b0, in_q = 1'b0;
    always @(posedge clk) begin
        drive_q <= drive_i;
        level_q <= level_i;
        in_q    <= pad;
    end
    assign pad     = drive_q ? level_q : 1'bz;
    assign level_o = in_q;
`endif
endmodule

`default_nettype wire
