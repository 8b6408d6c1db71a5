// SPDX-FileCopyrightText: The phasebench authors
// SPDX-License-Identifier: Apache-2.0
//
// An input whose level may change at the clock edge at the pin: a flip-flop of the fabric after
// three delay cells (reason: pb_fifo_pads). Synthesis must keep these cells.
//
// Timing:    one clock, as with a register in the pad.
`default_nettype none

module pb_late_input (
    input  wire clk,
    input  wire pin_i,
    output reg  level_o
);
    wire delayed;
`ifdef SYNTHESIS
    wire first, second;
    (* keep *) SB_LUT4 #(.LUT_INIT(16'haaaa)) delay_1 (.O(first), .I0(pin_i), .I1(1'b0), .I2(1'b0), .I3(1'b0));
    (* keep *) SB_LUT4 #(.LUT_INIT(16'haaaa)) delay_2 (.O(second), .I0(first), .I1(1'b0), .I2(1'b0), .I3(1'b0));
    (* keep *) SB_LUT4 #(.LUT_INIT(16'haaaa)) delay_3 (.O(delayed), .I0(second), .I1(1'b0), .I2(1'b0), .I3(1'b0));
`else
    assign delayed = pin_i;
`endif
    always @(posedge clk)
        level_o <= delayed;
endmodule

`default_nettype wire
