// SPDX-FileCopyrightText: The phasebench authors
// SPDX-License-Identifier: Apache-2.0
//
// Sample timing of a receiver from a bit period in Q16.4 ticks. Combinational, shared by all receivers with the same period.
//
// Sample k lies floor((2k + 1) * period / 32) ticks after the start edge (period in sixteenths of a tick). With
// period = 32 q + r that is (2k + 1) q + floor((2k + 1) r / 32), so the step from sample k-1 to k is bit_ticks_o or one more,
// and carry_o says which from r alone. carry_o[0] is not used.
`default_nettype none

module pb_bit_timing (
    input  wire [19:0] period_i,      // Q16.4 ticks
    output wire [15:0] bit_ticks_o,
    output wire [15:0] half_ticks_o,
    output wire [9:0]  carry_o
);
    assign bit_ticks_o  = period_i[19:4];
    assign half_ticks_o = {1'b0, period_i[19:5]};
    assign carry_o[0]   = 1'b0;

    genvar k;
    generate for (k = 1; k < 10; k = k + 1) begin : g_carry
        wire [9:0] here   = {5'd0, period_i[4:0]} * (2 * k + 1);
        wire [9:0] prior = {5'd0, period_i[4:0]} * (2 * k - 1);
        wire [4:0] step   = here[9:5] - prior[9:5] - {4'd0, period_i[4]};
        assign carry_o[k] = step[0];
        wire unused = &{1'b0, step[4:1], here[4:0], prior[4:0]};
    end endgenerate
endmodule

`default_nettype wire
