// SPDX-FileCopyrightText: The phasebench authors
// SPDX-License-Identifier: Apache-2.0
//
// Two-flip-flop synchroniser for one asynchronous pin.
//
// Timing:    level_o follows pin_i after 2 clocks (1 to 2 clock periods plus the settling of the
//            first stage).
// Reset:     none; level_o is INITIAL at power-up.
// Limits:    does not filter glitches; a pulse shorter than a clock may or may not be seen.
`default_nettype none

module node_sync #(
    parameter INITIAL = 1'b1 // level at power-up: the idle level of the pin
) (
    input  wire clk,
    input  wire pin_i,
    output wire level_o
);
    reg meta_q = INITIAL;
    reg level_q = INITIAL;

    always @(posedge clk) begin
        meta_q <= pin_i;
        level_q <= meta_q;
    end

    assign level_o = level_q;
endmodule

`default_nettype wire
