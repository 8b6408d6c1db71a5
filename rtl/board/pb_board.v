// SPDX-FileCopyrightText: The phasebench authors
// SPDX-License-Identifier: Apache-2.0
//
// Common part of all boards: the core, the pads of the node boards and the reset.
//
// Interface: the host port is outside: a UART in pb_board_uart, a FIFO in the top modules with a
//            FIFO. It exchanges bytes as pb_core defines, and rst_o resets it. A link pin is open
//            drain; in push-pull mode it is also driven high. nrst is open drain: a high pin would
//            feed a node without supply. boot0 and uart0_rx are driven both ways. LEDs, 1 is lit:
//            alive_o host link active, running_o phase clock running, fault_o alarm since the last
//            ABORT.
// Reset:     from power-up until 64 clocks after the PLL has locked; until then all pins but those
//            of the host port are released.
`default_nettype none

module pb_board #(
    parameter LINKS            = 12,
    parameter LANES            = 3,
    parameter NODES            = 1,
    parameter RECEIVERS        = LINKS,
    parameter JOIN             = 1,
    parameter FAULTS           = 0,
    parameter FAULT_FEEDBACK   = 0,
    parameter CONTROL          = 1,         // 0: no pins nrst and boot0
    parameter HALF_TICKS       = 0,
    parameter TDC_TAPS         = 0,         // of pb_tdc_chain; 0: no time-to-digital converter
    parameter TDC_STEP         = 4,
    parameter PLAY_DEPTH_LOG2  = 11,
    parameter EVENT_DEPTH_LOG2 = 9,
    parameter [31:0] CLK_HZ    = 24000000
) (
    input  wire             clk,
    input  wire             locked_i,       // asynchronous

    output wire             rst_o,
    input  wire             host_rx_valid_i,
    input  wire [7:0]       host_rx_data_i,
    output wire             host_rx_ready_o,
    output wire             host_tx_valid_o,
    output wire [7:0]       host_tx_data_o,
    input  wire             host_tx_ready_i,

    inout  wire             tdma_clk,
    inout  wire             tdma_sync,
    inout  wire [LINKS-1:0] link,
    inout  wire [NODES-1:0] nrst,           // pulled low or released
    inout  wire [NODES-1:0] boot0,
    inout  wire [NODES-1:0] uart0_rx,       // to the node
    inout  wire [NODES-1:0] uart0_tx,       // from the node

    output wire             alive_o,
    output wire             running_o,
    output wire             fault_o
);
    // Power-up values, as there is no reset for the reset itself.
    reg [1:0] locked_q = 2'd0;
    reg [5:0] reset_q  = 6'd0;
    reg       rst      = 1'b1;
    always @(posedge clk) begin
        locked_q <= {locked_q[0], locked_i};
        reset_q  <= locked_q[1] ? reset_q + {5'd0, rst} : 6'd0;
        rst      <= !(&reset_q) && (rst || !locked_q[1]);
    end

    assign rst_o = rst;

    // Pins that are always driven wait for the end of the reset, as the core's levels are invalid before.
    reg driven = 1'b0;
    always @(posedge clk)
        driven <= !rst;

    wire             tdma_clk_out, tdma_clk_in, tdma_sync_out, tdma_sync_in, tdma_drive;
    wire [LINKS-1:0] link_in, link_half, link_pull, link_high;
    wire             tdma_half, sync_half, unused_raw;
    wire             unused = &{1'b0, unused_raw};
    wire [NODES-1:0] nrst_out, boot0_out, uart0_out, uart0_in;
    pb_core #(
        .LINKS(LINKS), .LANES(LANES), .NODES(NODES), .RECEIVERS(RECEIVERS), .JOIN(JOIN), .FAULTS(FAULTS), .FAULT_FEEDBACK(FAULT_FEEDBACK),
        .HALF_TICKS(HALF_TICKS), .TDC_TAPS(TDC_TAPS), .PLAY_DEPTH_LOG2(PLAY_DEPTH_LOG2), .EVENT_DEPTH_LOG2(EVENT_DEPTH_LOG2), .PIN_CLOCKS(2), .CLK_HZ(CLK_HZ)
    ) core (
        .clk(clk), .rst_i(rst),
        .host_rx_valid_i(host_rx_valid_i), .host_rx_data_i(host_rx_data_i), .host_rx_ready_o(host_rx_ready_o),
        .host_tx_valid_o(host_tx_valid_o), .host_tx_data_o(host_tx_data_o), .host_tx_ready_i(host_tx_ready_i),
        .tdma_clk_o(tdma_clk_out), .tdma_sync_o(tdma_sync_out), .tdma_drive_o(tdma_drive),
        .tdma_clk_i(tdma_clk_in), .tdma_sync_i(tdma_sync_in), .tdma_half_i(tdma_half), .sync_half_i(sync_half),
        .link_i(link_in), .link_half_i(link_half), .link_pull_o(link_pull), .link_high_o(link_high),
        .tdc_taps_i(tdc_taps), .tdc_enable_o(tdc_enable), .tdc_set_o(tdc_set), .tdc_calibrate_o(tdc_calibrate), .tdc_pin_o(tdc_pin),
        .node_nrst_o(nrst_out), .node_boot0_o(boot0_out), .uart0_o(uart0_out), .uart0_i(uart0_in),
        .alive_o(alive_o), .running_o(running_o), .fault_o(fault_o)
    );

    localparam TDC = TDC_TAPS > 0 ? 1 : 0;
    wire             tdc_enable, tdc_set, tdc_calibrate, tdma_raw;
    wire [5:0]       tdc_pin;
    wire [LINKS-1:0] link_raw;
    wire [(TDC_TAPS > 0 ? TDC_TAPS : 1)-1:0] tdc_taps;
    generate if (TDC_TAPS > 0) begin : g_tdc
        pb_tdc_chain #(.LINKS(LINKS), .TAPS(TDC_TAPS), .STEP(TDC_STEP)) chain (
            .clk(clk), .link_i(link_raw), .tdma_clk_i(tdma_raw), .set_i(tdc_set), .pin_i(tdc_pin), .calibrate_i(tdc_calibrate), .taps_o(tdc_taps)
        );
        wire unused_tdc = &{1'b0, tdc_enable};
    end else begin : g_no_tdc
        assign tdc_taps = 1'b0;
        wire unused_tdc = &{1'b0, tdc_enable, tdc_set, tdc_calibrate, tdc_pin, tdma_raw, link_raw};
    end endgenerate

    pb_pad #(.RAW(TDC)) pad_tdma_clk (
        .clk(clk), .drive_i(tdma_drive), .level_i(tdma_clk_out), .level_o(tdma_clk_in), .half_o(tdma_half), .raw_o(tdma_raw),
        .pad(tdma_clk)
    );
    pb_pad pad_tdma_sync (.clk(clk), .drive_i(tdma_drive), .level_i(tdma_sync_out), .level_o(tdma_sync_in), .half_o(sync_half),
                          .raw_o(unused_raw), .pad(tdma_sync));
    genvar i;
    generate for (i = 0; i < LINKS; i = i + 1) begin : g_link
        pb_pad #(.PULL_UP(1), .RAW(TDC)) pad_link (
            .clk(clk), .drive_i(link_pull[i] || link_high[i]), .level_i(link_high[i]), .level_o(link_in[i]), .half_o(link_half[i]),
            .raw_o(link_raw[i]), .pad(link[i])
        );
    end endgenerate
    generate for (i = 0; i < NODES; i = i + 1) begin : g_node
        wire [10:0] unused_in;
        if (CONTROL != 0) begin : g_control
            pb_pad pad_nrst (
                .clk(clk), .drive_i(driven && !nrst_out[i]), .level_i(1'b0), .level_o(unused_in[0]), .half_o(unused_in[3]), .raw_o(unused_in[7]), .pad(nrst[i])
            );
            pb_pad pad_boot0 (
                .clk(clk), .drive_i(driven), .level_i(boot0_out[i]), .level_o(unused_in[1]), .half_o(unused_in[4]), .raw_o(unused_in[8]), .pad(boot0[i])
            );
        end else begin : g_none
            assign {unused_in[8:7], unused_in[4:3], unused_in[1:0]} = {4'd0, nrst_out[i], boot0_out[i]};
        end
        pb_pad pad_uart0_rx (
            .clk(clk), .drive_i(driven), .level_i(uart0_out[i]), .level_o(unused_in[2]), .half_o(unused_in[5]), .raw_o(unused_in[9]), .pad(uart0_rx[i])
        );
        pb_pad #(.PULL_UP(1)) pad_uart0_tx (
            .clk(clk), .drive_i(1'b0), .level_i(1'b0), .level_o(uart0_in[i]), .half_o(unused_in[6]), .raw_o(unused_in[10]), .pad(uart0_tx[i])
        );
        wire unused_node = &{1'b0, unused_in};
    end endgenerate
endmodule

`default_nettype wire
