// SPDX-FileCopyrightText: The phasebench authors
// SPDX-License-Identifier: Apache-2.0
//
// Three LEDs at the dedicated pins of the UP5K's RGB driver, 2 mA each: lit while the bit is high.
`default_nettype none

module pb_rgb (
    input  wire [2:0] lit_i,
    output wire [2:0] pins      // sinks; high-impedance when not lit
);
`ifdef SYNTHESIS
    SB_RGBA_DRV #(
        .CURRENT_MODE("0b1"), .RGB0_CURRENT("0b000001"), .RGB1_CURRENT("0b000001"), .RGB2_CURRENT("0b000001")
    ) driver (
        .CURREN(1'b1), .RGBLEDEN(1'b1), .RGB0PWM(lit_i[0]), .RGB1PWM(lit_i[1]), .RGB2PWM(lit_i[2]),
        .RGB0(pins[0]), .RGB1(pins[1]), .RGB2(pins[2])
    );
`else
    assign pins[0] = lit_i[0] ? 1'b0 : 1'bz;
    assign pins[1] = lit_i[1] ? 1'b0 : 1'bz;
    assign pins[2] = lit_i[2] ? 1'b0 : 1'bz;
`endif
endmodule

`default_nettype wire
