// SPDX-FileCopyrightText: The phasebench authors
// SPDX-License-Identifier: Apache-2.0
//
// A clock from a pin to the global network of an iCE40. The pin must be one with a global buffer.
`default_nettype none

module pb_clock_pin (
    input  wire pin,
    output wire clk_o
);
`ifdef SYNTHESIS
    SB_GB_IO #(.PIN_TYPE(6'b0000_01)) cell_io (.PACKAGE_PIN(pin), .GLOBAL_BUFFER_OUTPUT(clk_o));
`else
    assign clk_o = pin;
`endif
endmodule

`default_nettype wire
