// SPDX-FileCopyrightText: The phasebench authors
// SPDX-License-Identifier: Apache-2.0
//
// Control pins of the nodes: NRST, BOOT0 and the console.
//
// Interface: reset_i, boot_i and console_pull_i drive the pins of each node; console_o is the level
//            of the transmit pin that select_i chooses, high if there is no such node.
// Timing:    one clock to the pins, two clocks of synchroniser from uart0_i to console_o.
// Reset:     no pin active, as at power-up: no node sees NRST, BOOT0 or UART0_RX active before the
//            reset of the core. Each register is 0 at rest, as iCE40 registers are after
//            configuration.
`default_nettype none

module pb_node_pins #(
    parameter NODES = 1
) (
    input  wire             clk,
    input  wire             rst_i,
    input  wire [NODES-1:0] reset_i,
    input  wire [NODES-1:0] boot_i,
    input  wire [NODES-1:0] console_pull_i,
    input  wire [5:0]       select_i,
    output reg              console_o,

    output wire [NODES-1:0] node_nrst_o,
    output wire [NODES-1:0] node_boot0_o,
    output wire [NODES-1:0] uart0_o,
    input  wire [NODES-1:0] uart0_i         // asynchronous
);
    reg              console_meta, console_pin;
    reg  [NODES-1:0] node_held   = {NODES{1'b0}};
    reg  [NODES-1:0] node_boots  = {NODES{1'b0}};
    reg  [NODES-1:0] console_low = {NODES{1'b0}};
    assign node_nrst_o  = ~node_held;
    assign node_boot0_o = node_boots;
    assign uart0_o      = ~console_low;
    integer c;
    always @* begin
        console_pin = 1'b1;
        for (c = 0; c < NODES; c = c + 1)
            if (select_i == c[5:0])
                console_pin = uart0_i[c];
    end
    always @(posedge clk) begin
        console_low  <= console_pull_i;
        node_held    <= reset_i;
        node_boots   <= boot_i;
        console_meta <= console_pin;
        console_o    <= console_meta;
        if (rst_i) begin
            console_low  <= {NODES{1'b0}};
            node_held    <= {NODES{1'b0}};
            node_boots   <= {NODES{1'b0}};
            console_meta <= 1'b1;
            console_o    <= 1'b1;
        end
    end
endmodule

`default_nettype wire
