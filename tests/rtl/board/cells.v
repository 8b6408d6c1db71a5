// SPDX-FileCopyrightText: The phasebench authors
// SPDX-License-Identifier: Apache-2.0
//
// Declarations of the vendor's cells that rtl/board/ uses, for lint: ports and parameters, no function. PLLs:
// pll_model.v.
`default_nettype none
/* verilator lint_off UNUSEDSIGNAL */
/* verilator lint_off UNUSEDPARAM */
/* verilator lint_off UNDRIVEN */
/* verilator lint_off DECLFILENAME */

module SB_IO #(
    parameter [5:0] PIN_TYPE = 6'd0,
    parameter [0:0] PULLUP   = 1'b0
) (
    inout  wire PACKAGE_PIN,
    input  wire LATCH_INPUT_VALUE,
    input  wire CLOCK_ENABLE,
    input  wire INPUT_CLK,
    input  wire OUTPUT_CLK,
    input  wire OUTPUT_ENABLE,
    input  wire D_OUT_0,
    input  wire D_OUT_1,
    output wire D_IN_0,
    output wire D_IN_1
);
endmodule

module SB_LUT4 #(
    parameter [15:0] LUT_INIT = 16'd0
) (
    output wire O,
    input  wire I0,
    input  wire I1,
    input  wire I2,
    input  wire I3
);
endmodule

module SB_CARRY (
    output wire CO,
    input  wire I0,
    input  wire I1,
    input  wire CI
);
endmodule

module SB_DFF (
    output wire Q,
    input  wire C,
    input  wire D
);
endmodule

module SB_GB_IO #(
    parameter [5:0] PIN_TYPE = 6'd0
) (
    input  wire PACKAGE_PIN,
    output wire GLOBAL_BUFFER_OUTPUT
);
endmodule

module SB_RGBA_DRV #(
    parameter CURRENT_MODE = "0b0",
    parameter RGB0_CURRENT = "0b000000",
    parameter RGB1_CURRENT = "0b000000",
    parameter RGB2_CURRENT = "0b000000"
) (
    input  wire CURREN,
    input  wire RGBLEDEN,
    input  wire RGB0PWM,
    input  wire RGB1PWM,
    input  wire RGB2PWM,
    output wire RGB0,
    output wire RGB1,
    output wire RGB2
);
endmodule

`default_nettype wire
