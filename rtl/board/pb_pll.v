// SPDX-FileCopyrightText: The phasebench authors
// SPDX-License-Identifier: Apache-2.0
//
// PLL from the board clock to the core clock: clk_i * (DIVF + 1) / (2^DIVQ * (DIVR + 1)), values
// from icepll. PAD = 1: clk_i comes directly from the pin of the PLL (UP5K pin 35); else from any
// clock pin. locked_o is asynchronous. Simulations without the vendor's cells get clk_i.
`default_nettype none

module pb_pll #(
    parameter       PAD    = 0,
    parameter [3:0] DIVR   = 4'd0,
    parameter [6:0] DIVF   = 7'd63,
    parameter [2:0] DIVQ   = 3'd4,
    parameter [2:0] FILTER = 3'd1
) (
    input  wire clk_i,
    output wire clk_o,
    output wire locked_o
);
`ifdef SYNTHESIS
    generate if (PAD != 0) begin : g_pad
        SB_PLL40_PAD #(.FEEDBACK_PATH("SIMPLE"), .DIVR(DIVR), .DIVF(DIVF), .DIVQ(DIVQ), .FILTER_RANGE(FILTER)) pll (
            .PACKAGEPIN(clk_i), .PLLOUTGLOBAL(clk_o), .LOCK(locked_o), .RESETB(1'b1), .BYPASS(1'b0)
        );
    end else begin : g_core
        SB_PLL40_CORE #(.FEEDBACK_PATH("SIMPLE"), .DIVR(DIVR), .DIVF(DIVF), .DIVQ(DIVQ), .FILTER_RANGE(FILTER)) pll (
            .REFERENCECLK(clk_i), .PLLOUTGLOBAL(clk_o), .LOCK(locked_o), .RESETB(1'b1), .BYPASS(1'b0)
        );
    end endgenerate
`else
    reg locked_q = 1'b0;
    always @(posedge clk_i)
        locked_q <= 1'b1;
    assign clk_o    = clk_i;
    assign locked_o = locked_q;
    wire unused = &{1'b0, PAD[0], DIVR, DIVF, DIVQ, FILTER};
`endif
endmodule

`default_nettype wire
