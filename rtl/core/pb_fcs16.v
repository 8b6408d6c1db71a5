// SPDX-FileCopyrightText: The phasebench authors
// SPDX-License-Identifier: Apache-2.0
//
// One byte of the 16-bit frame check sequence of RFC 1662 (CRC-16/X-25: polynomial 0x1021
// reflected, initial value 0xFFFF, sent complemented, low byte first). A valid frame, FCS included,
// leaves 0xF0B8. Combinational. fcs_o is not used while used_i is low.
`default_nettype none
`include "pb_sim_skip.vh"

module pb_fcs16 (
    input  wire [15:0] fcs_i,
    input  wire [7:0]  data_i,
    input  wire        used_i,
    output reg  [15:0] fcs_o
);
    integer n;
    always @* begin
        fcs_o = fcs_i ^ {8'd0, data_i};
        if (`PB_SIM_ACTIVE(used_i))
            for (n = 0; n < 8; n = n + 1)
                fcs_o = {1'b0, fcs_o[15:1]} ^ (fcs_o[0] ? 16'h8408 : 16'h0000);
    end
endmodule

`default_nettype wire
