// SPDX-FileCopyrightText: The phasebench authors
// SPDX-License-Identifier: Apache-2.0
//
// iCEstick (iCE40HX1K): the reference node (rtl/node/ref_node.v) as a board of its own, as a bench
// does not fit. Wire this known node to a bench before the board under test. Address 0x2A3, 12
// dimensions, 6 bytes of payload, 1 Mbaud, guard 5 us, console at 115200 baud. Clock 12 MHz at
// pin 21, no PLL. LED5, green: out of reset.
`default_nettype none

module icestick (
    input  wire        CLK,
    inout  wire [11:0] LINK,
    input  wire        TDMA_CLK,
    input  wire        TDMA_SYNC,
    input  wire        NRST,
    input  wire        UART0_RX,
    output wire        UART0_TX,
    output wire        LED5
);
    localparam [19:0] LINK_PERIOD    = 20'd192;     // 12 MHz / 1 Mbaud, Q16.4
    localparam [19:0] CONSOLE_PERIOD = 20'd1667;    // 12 MHz / 115200 baud
    wire [11:0] pull, level, half, raw;
    wire [15:0] delivered, bad_frames, queue_full, align_errors;
    wire        unused = &{1'b0, half, raw, delivered, bad_frames, queue_full, align_errors};
    ref_node #(.DIMS(12), .PAYLOAD_MAX(6), .QUEUE_DEPTH(8)) node (
        .clk(CLK), .nrst_i(NRST), .tdma_clk_i(TDMA_CLK), .tdma_sync_i(TDMA_SYNC), .uart0_rx_i(UART0_RX), .uart0_tx_o(UART0_TX),
        .line_i(level), .pull_low_o(pull),
        .address_i(12'h2a3), .dims_i(4'd12), .payload_bytes_i(7'd6), .link_period_i(LINK_PERIOD),
        .console_period_i(CONSOLE_PERIOD), .guard_i(24'd60),
        .delivered_o(delivered), .bad_frames_o(bad_frames), .queue_full_o(queue_full), .align_errors_o(align_errors)
    );
    genvar i;
    generate for (i = 0; i < 12; i = i + 1) begin : g_link
        pb_pad #(.PULL_UP(1)) pad_link (.clk(CLK), .drive_i(pull[i]), .level_i(1'b0), .level_o(level[i]), .half_o(half[i]), .raw_o(raw[i]), .pad(LINK[i]));
    end endgenerate
    assign LED5 = NRST;
endmodule

`default_nettype wire
