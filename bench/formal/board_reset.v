// SPDX-FileCopyrightText: The phasebench authors
// SPDX-License-Identifier: Apache-2.0
//
// pb_board, for any locked_i: the core's reset is high from power-up on, and each reset lasts at least 63
// clocks. Other proofs assume one clock of reset, event_tx.v two and line_watch.v four. Pins that are always
// driven are released from one clock after the begin of the reset to one clock after its end.
//
// sources: board/pb_board.v ./no_core.v ./no_pad.v
// probe: locked_q dut.locked_q
// probe: reset_q dut.reset_q
// probe: driven dut.driven
`default_nettype none

module proof_board_reset (
    input wire clk,
    input wire locked_i
);
    wire rst, tdma_clk, tdma_sync, nrst, boot0, uart0_rx, uart0_tx, rx_ready, tx_valid, alive, running, fault;
    wire [7:0] tx_data;
    wire [1:0] link;
    pb_board #(.LINKS(2), .LANES(2), .NODES(1)) dut (
        .clk(clk), .locked_i(locked_i), .rst_o(rst), .host_rx_valid_i(1'b0), .host_rx_data_i(8'd0), .host_rx_ready_o(rx_ready),
        .host_tx_valid_o(tx_valid), .host_tx_data_o(tx_data), .host_tx_ready_i(1'b0), .tdma_clk(tdma_clk), .tdma_sync(tdma_sync), .link(link),
        .nrst(nrst), .boot0(boot0), .uart0_rx(uart0_rx), .uart0_tx(uart0_tx), .alive_o(alive), .running_o(running), .fault_o(fault)
    );
    wire [1:0] locked_q;
    wire [5:0] reset_q;
    wire       driven;

    reg [6:0] held  = 7'd0;     // clocks for which the reset has been high, up to this one
    reg       first = 1'b1;     // the first clock from power-up on
    reg       was   = 1'b1;
    always @(posedge clk) begin
        first <= 1'b0;
        was   <= rst;
        held  <= !rst ? 7'd0 : held + {6'd0, held != 7'd127};
    end
    always @* begin
        assert (!first || rst);
        assert (rst || !was || held >= 7'd63);
        assert (driven == !was);
        // for the induction: the counter reaches 63 only while the reset is high
        assert (!rst || held >= {1'b0, reset_q} || reset_q == 6'd0);
    end
    always @* begin
        cover (!rst && !was);
        cover (rst && !was && !first);
    end
endmodule
