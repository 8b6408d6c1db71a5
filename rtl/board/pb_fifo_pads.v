// SPDX-FileCopyrightText: The phasebench authors
// SPDX-License-Identifier: Apache-2.0
//
// Pins of a 245 FIFO on an iCE40: each pin has an output and an input register, clocked by clk.
//
// Interface: the enable of the data pins has no register, so that they can be released when clk is
//            stopped (pb_host_fifo_sync). The user enables them a clock before their level counts.
// Limits:    registers are in the pads, except for the inputs of a synchronous FIFO (OE = 1). Its
//            chip may change them 0 ns after its clock. A register in the pad needs a hold time of
//            2.38 ns (HX8K, slow corner), the delay of the clock. So their registers are in the
//            fabric, after three delay cells: four nets, three cells and the pad, at least 3.7 ns.
// Power-up:  strobes high, no other pin driven. Simulations without the cells of the vendor use the
//            equivalent model below.
`default_nettype none

module pb_fifo_pads #(
    parameter OE = 1                // 0: the chip and the top module have no OE#
) (
    input  wire       clk,

    output wire       rxf_n_o,
    output wire       txe_n_o,
    input  wire       oe_n_i,
    input  wire       rd_n_i,
    input  wire       wr_n_i,
    input  wire       siwu_n_i,
    output wire [7:0] data_o,
    input  wire [7:0] data_i,
    input  wire       drive_i,      // not registered

    inout  wire       rxf_n,        // pins; the first two are inputs
    inout  wire       txe_n,
    output wire       oe_n,
    output wire       rd_n,
    output wire       wr_n,
    output wire       siwu_n,
    inout  wire [7:0] data
);
    generate if (OE == 0) begin : g_flags
        wire [3:0] unused_in;
        wire       unused = &{1'b0, unused_in};
        pb_pad pad_rxf_n (.clk(clk), .drive_i(1'b0), .level_i(1'b0), .level_o(rxf_n_o), .half_o(unused_in[0]), .raw_o(unused_in[2]), .pad(rxf_n));
        pb_pad pad_txe_n (.clk(clk), .drive_i(1'b0), .level_i(1'b0), .level_o(txe_n_o), .half_o(unused_in[1]), .raw_o(unused_in[3]), .pad(txe_n));
    end else begin : g_flags_late
        pb_late_input flag_rxf_n (.clk(clk), .pin_i(rxf_n), .level_o(rxf_n_o));
        pb_late_input flag_txe_n (.clk(clk), .pin_i(txe_n), .level_o(txe_n_o));
    end endgenerate
`ifdef SYNTHESIS
    genvar i;
    // Inverted after the register, which is low at power-up.
    localparam STROBES = OE != 0 ? 4 : 3;
    wire [3:0] strobe = ~{oe_n_i, rd_n_i, wr_n_i, siwu_n_i};
    wire [3:0] pin_out;
    assign {oe_n, rd_n, wr_n, siwu_n} = pin_out;
    generate for (i = 0; i < STROBES; i = i + 1) begin : g_out
        wire [1:0] unused_out;
        SB_IO #(.PIN_TYPE(6'b0111_00)) cell_io (
            .PACKAGE_PIN(pin_out[i]), .INPUT_CLK(clk), .OUTPUT_CLK(clk), .OUTPUT_ENABLE(1'b1), .D_OUT_0(strobe[i]), .D_OUT_1(1'b0),
            .D_IN_0(unused_out[0]), .D_IN_1(unused_out[1]), .CLOCK_ENABLE(1'b1), .LATCH_INPUT_VALUE(1'b0)
        );
    end
    if (OE == 0) begin : g_no_oe
        assign pin_out[3] = strobe[3];
    end endgenerate
    generate for (i = 0; i < 8; i = i + 1) begin : g_data
        wire level, unused_data;
        SB_IO #(.PIN_TYPE(OE == 0 ? 6'b1001_00 : 6'b1001_01)) cell_io (
            .PACKAGE_PIN(data[i]), .INPUT_CLK(clk), .OUTPUT_CLK(clk), .OUTPUT_ENABLE(drive_i), .D_OUT_0(data_i[i]), .D_OUT_1(1'b0),
            .D_IN_0(level), .D_IN_1(unused_data), .CLOCK_ENABLE(1'b1), .LATCH_INPUT_VALUE(1'b0)
        );
        if (OE == 0) begin : g_in
            assign data_o[i] = level;
        end else begin : g_in_late
            pb_late_input late (.clk(clk), .pin_i(level), .level_o(data_o[i]));
        end
    end endgenerate
`else
    reg [7:0] in_q, data_q;
    reg [3:0] out_q = 4'hf;
    always @(posedge clk) begin
        in_q   <= data;
        out_q  <= {oe_n_i, rd_n_i, wr_n_i, siwu_n_i};
        data_q <= data_i;
    end
    assign data_o = in_q;
    assign {oe_n, rd_n, wr_n, siwu_n} = {out_q[3] || OE == 0, out_q[2:0]};
    assign data   = drive_i ? data_q : 8'bz;
`endif
endmodule

`default_nettype wire
