// SPDX-FileCopyrightText: The phasebench authors
// SPDX-License-Identifier: Apache-2.0
//
// What the simulation verilates: the core with both of its host ports, a byte stream (one byte a clock at most, like a
// synchronous FIFO) and the UART. uart_select_i chooses and uart_clks_per_bit_i sets the rate; they must not change
// while bytes are under way.
`default_nettype none

module sim_top #(
    parameter LINKS = 12,
    parameter LANES = 3,
    parameter NODES = 1,
    parameter FAULTS = 4,
    parameter [31:0] CLK_HZ = 48000000
) (
    input  wire             clk,
    input  wire             rst_i,

    input  wire             uart_select_i,
    input  wire [7:0]       uart_clks_per_bit_i,
    input  wire             uart_rx_i,
    output wire             uart_tx_o,
    input  wire             host_rx_valid_i,
    input  wire [7:0]       host_rx_data_i,
    output wire             host_rx_ready_o,
    output wire             host_tx_valid_o,
    output wire [7:0]       host_tx_data_o,
    input  wire             host_tx_ready_i,

    output wire             running_o,
    output wire             tdma_clk_o,
    output wire             tdma_sync_o,
    output wire             tdma_drive_o,
    input  wire             tdma_clk_i,
    input  wire             tdma_sync_i,
    input  wire [LINKS-1:0] link_i,
    output wire [LINKS-1:0] link_pull_o,
    output wire [LINKS-1:0] link_high_o,
    output wire [NODES-1:0] node_nrst_o,
    output wire [NODES-1:0] node_boot0_o,
    output wire [NODES-1:0] uart0_o,
    input  wire [NODES-1:0] uart0_i
);
    wire       uart_valid, uart_ready, core_tx_valid;
    wire [7:0] uart_data;
    assign host_tx_valid_o = core_tx_valid && !uart_select_i;

    pb_host_uart host_uart (
        .clk(clk), .rst_i(rst_i), .clks_per_bit_i(uart_clks_per_bit_i), .uart_rx_i(uart_rx_i), .uart_tx_o(uart_tx_o),
        .rx_valid_o(uart_valid), .rx_data_o(uart_data),
        .tx_valid_i(core_tx_valid && uart_select_i), .tx_data_i(host_tx_data_o), .tx_ready_o(uart_ready)
    );

    pb_core #(.LINKS(LINKS), .LANES(LANES), .NODES(NODES), .FAULTS(FAULTS), .CLK_HZ(CLK_HZ)) core (
        .clk(clk), .rst_i(rst_i),
        .host_rx_valid_i(uart_select_i ? uart_valid : host_rx_valid_i),
        .host_rx_data_i(uart_select_i ? uart_data : host_rx_data_i),
        .host_rx_ready_o(host_rx_ready_o),
        .host_tx_valid_o(core_tx_valid), .host_tx_data_o(host_tx_data_o),
        .host_tx_ready_i(uart_select_i ? uart_ready : host_tx_ready_i),
        .running_o(running_o), .tdma_clk_o(tdma_clk_o), .tdma_sync_o(tdma_sync_o), .tdma_drive_o(tdma_drive_o),
        .tdma_clk_i(tdma_clk_i), .tdma_sync_i(tdma_sync_i),
        .link_i(link_i), .link_pull_o(link_pull_o), .link_high_o(link_high_o),
        .node_nrst_o(node_nrst_o), .node_boot0_o(node_boot0_o), .uart0_o(uart0_o), .uart0_i(uart0_i)
    );
endmodule

`default_nettype wire
