// SPDX-FileCopyrightText: The phasebench authors
// SPDX-License-Identifier: Apache-2.0
//
// One byte step of the slot frame's CRC-8: polynomial 0x07, not reflected, no final XOR.
//
// Timing:    combinational. A frame starts with crc_i = 0; a frame followed by its CRC
//            leaves 0.
`default_nettype none

module node_crc8 (
    input  wire [7:0] crc_i,
    input  wire [7:0] data_i,
    output reg  [7:0] crc_o
);
    integer bit_index;

    always @* begin
        crc_o = crc_i ^ data_i;
        for (bit_index = 0; bit_index < 8; bit_index = bit_index + 1)
            crc_o = {crc_o[6:0], 1'b0} ^ (crc_o[7] ? 8'h07 : 8'h00);
    end
endmodule

`default_nettype wire
