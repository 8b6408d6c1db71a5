// SPDX-FileCopyrightText: The phasebench authors
// SPDX-License-Identifier: Apache-2.0
//
// An input whose level may change as soon as the clock has its edge outside: a flip-flop of the
// fabric behind two cells that only delay (pb_fifo_pads says why). They are kept by name: without
// them the level is the same and too early.
//
// Latency:   one clock, as that of a register in the pad.
`default_nettype none

module pb_late_input (
    input  wire clk,
    input  wire pin_i,
    output reg  level_o
);
    wire delayed;
`ifdef SYNTHESIS
    wire first;
    (* keep *) SB_LUT4 #(.LUT_INIT(16'haaaa)) delay_1 (.O(first), .I0(pin_i), .I1(1'b0), .I2(1'b0), .I3(1'b0));
    (* keep *) SB_LUT4 #(.LUT_INIT(16'haaaa)) delay_2 (.O(delayed), .I0(first), .I1(1'b0), .I2(1'b0), .I3(1'b0));
`else
    assign delayed = pin_i;
`endif
    always @(posedge clk)
        level_o <= delayed;
endmodule

`default_nettype wire
