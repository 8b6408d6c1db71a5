// SPDX-FileCopyrightText: The phasebench authors
// SPDX-License-Identifier: Apache-2.0
//
// LEDs of a board: host link active, alarm raised.
//
// Interface: alive_o is high from good_i to the second rise of beat_i, a slow square wave, after
//            it; fault_o from an alarm (raised_i) to the next abort_i.
// Timing:    one clock.
// Reset:     both low.
`default_nettype none

module pb_lights (
    input  wire clk,
    input  wire rst_i,
    input  wire beat_i,
    input  wire good_i,
    input  wire raised_i,
    input  wire abort_i,
    output wire alive_o,
    output reg  fault_o
);
    reg       beat_q;
    reg [1:0] alive_q;
    assign alive_o = alive_q != 2'd0;
    always @(posedge clk) begin
        beat_q <= beat_i;
        if (beat_i && !beat_q)
            alive_q <= {alive_q[0], 1'b0};
        if (good_i)
            alive_q[0] <= 1'b1;
        fault_o <= (fault_o || raised_i) && !abort_i;
        if (rst_i) begin
            alive_q <= 2'd0;
            fault_o <= 1'b0;
        end
    end
endmodule

`default_nettype wire
