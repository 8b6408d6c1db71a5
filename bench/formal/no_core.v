// SPDX-FileCopyrightText: The phasebench authors
// SPDX-License-Identifier: Apache-2.0
//
// Unconstrained stand-in for pb_core.
`default_nettype none

module pb_core #(
    parameter LINKS            = 12,
    parameter LANES            = 3,
    parameter NODES            = 1,
    parameter RECEIVERS        = LINKS,
    parameter JOIN             = 1,
    parameter FAULTS           = 4,
    parameter FAULT_FEEDBACK   = 1,
    parameter HALF_TICKS       = 0,
    parameter PLAY_DEPTH_LOG2  = 11,
    parameter EVENT_DEPTH_LOG2 = 9,
    parameter TDC_TAPS         = 0,
    parameter PIN_CLOCKS       = 0,
    parameter [31:0] CLK_HZ    = 48000000
) (
    input  wire             clk,
    input  wire             rst_i,
    input  wire             host_rx_valid_i,
    input  wire [7:0]       host_rx_data_i,
    output wire             host_rx_ready_o,
    output wire             host_tx_valid_o,
    output wire [7:0]       host_tx_data_o,
    input  wire             host_tx_ready_i,
    output wire             tdma_clk_o,
    output wire             tdma_sync_o,
    output wire             tdma_drive_o,
    input  wire             tdma_clk_i,
    input  wire             tdma_sync_i,
    input  wire             tdma_half_i,
    input  wire             sync_half_i,
    input  wire [LINKS-1:0] link_i,
    input  wire [LINKS-1:0] link_half_i,
    output wire [LINKS-1:0] link_pull_o,
    output wire [LINKS-1:0] link_high_o,
    input  wire [(TDC_TAPS > 0 ? TDC_TAPS : 1)-1:0] tdc_taps_i,
    output wire             tdc_enable_o,
    output wire             tdc_set_o,
    output wire             tdc_calibrate_o,
    output wire [5:0]       tdc_pin_o,
    output wire [NODES-1:0] node_nrst_o,
    output wire [NODES-1:0] node_boot0_o,
    output wire [NODES-1:0] uart0_o,
    input  wire [NODES-1:0] uart0_i,
    output wire             alive_o,
    output wire             running_o,
    output wire             fault_o
);
    (* anyseq *) reg [25+2*LINKS+3*NODES-1:0] any;
    assign {host_rx_ready_o, host_tx_valid_o, host_tx_data_o, tdma_clk_o, tdma_sync_o, tdma_drive_o, link_pull_o, link_high_o,
            tdc_enable_o, tdc_set_o, tdc_calibrate_o, tdc_pin_o, node_nrst_o, node_boot0_o, uart0_o, alive_o, running_o, fault_o} = any;
endmodule

`default_nettype wire
