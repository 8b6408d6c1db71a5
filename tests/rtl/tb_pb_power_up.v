// SPDX-FileCopyrightText: The phasebench authors
// SPDX-License-Identifier: Apache-2.0
//
// The pins of a board from the instant of configuration on, before the clock runs, under reset, and after it:
// NRST and UART0_RX high, BOOT0 low, no link pulled, the clock pins not driven. A register without a power-up
// value is x here, and so would be its pin: each pin must have its level of rest at every instant, x and z
// are wrong. Each pin has the resistor of docs/start/wiring.md. One board starts with its PLL locked, one
// locks late.
`timescale 1ns / 1ps
`default_nettype none
`define NAME "tb_pb_power_up"

module tb_pb_power_up;
    localparam LIMIT_CLOCKS = 4000;
    localparam LINKS = 4, NODES = 2;
`include "tb_pb_common.vh"
    reg  locked = 1'b0;
    wire unused = &{1'b0, rst, noise};

    genvar b, i;
    generate for (b = 0; b < 2; b = b + 1) begin : g_board
        wire             tdma_clk, tdma_sync, alive, running, fault, tx;
        wire [LINKS-1:0] link;
        wire [NODES-1:0] nrst, boot0, uart0_rx, uart0_tx;
        pulldown (tdma_clk);
        pulldown (tdma_sync);
        for (i = 0; i < LINKS; i = i + 1) begin : g_link
            pullup (link[i]);
        end
        for (i = 0; i < NODES; i = i + 1) begin : g_node
            pullup (nrst[i]);
            pulldown (boot0[i]);
            pullup (uart0_rx[i]);
            pullup (uart0_tx[i]);
        end
        pb_board_uart #(.LINKS(LINKS), .LANES(2), .NODES(NODES)) board (
            .clk(clk), .locked_i(b == 0 || locked), .host_rx_i(1'b1), .host_tx_o(tx),
            .tdma_clk(tdma_clk), .tdma_sync(tdma_sync), .link(link), .nrst(nrst), .boot0(boot0),
            .uart0_rx(uart0_rx), .uart0_tx(uart0_tx), .alive_o(alive), .running_o(running), .fault_o(fault)
        );
        wire unused_board = &{1'b0, tx, alive, running, fault};
        wire drives = board.board.tdma_drive;
        always @(nrst or uart0_rx or boot0 or link or tdma_clk or tdma_sync or drives)
            if ($realtime > 0.0)    // in the instant 0 the simulator is still setting values up
                look;
        task look;
            begin
                if (nrst !== {NODES{1'b1}})
                    fail("NRST is not released");
                if (uart0_rx !== {NODES{1'b1}})
                    fail("UART0_RX is not high");
                if (boot0 !== {NODES{1'b0}})
                    fail("BOOT0 is not low");
                if (link !== {LINKS{1'b1}})
                    fail("a link is not released");
                if (tdma_clk !== 1'b0 || tdma_sync !== 1'b0)
                    fail("a clock pin is not low");
                // Pads are not driven before the reset is over, for any output of the core: its outputs are checked themselves.
                if (board.board.nrst_out !== {NODES{1'b1}} || board.board.boot0_out !== {NODES{1'b0}} ||
                    board.board.uart0_out !== {NODES{1'b1}})
                    fail("the core has a node's pin active");
                if (drives !== 1'b0)
                    fail("the clock pins are driven");
            end
        endtask
    end endgenerate

    integer n;
    initial begin
        #0.001;
        g_board[0].look;
        g_board[1].look;
        for (n = 0; n < 3000; n = n + 1) begin
            @(negedge clk);
            locked = n >= 1000;
            g_board[0].look;
            g_board[1].look;
        end
        if (g_board[0].board.board.rst !== 1'b0 || g_board[1].board.board.rst !== 1'b0)
            fail("a board is still in reset");
        verdict;
    end
endmodule

`default_nettype wire
