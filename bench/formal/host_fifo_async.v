// SPDX-FileCopyrightText: The phasebench authors
// SPDX-License-Identifier: Apache-2.0
//
// pb_host_fifo_async at 48 MHz with the registers of its pads, at the pins of a chip with arbitrary bytes and
// room. RXF# and TXE# may be outdated for up to two clocks after a strobe (14 ns and the latency of the pads
// are less).
//   RD# falls only if the chip has a byte, WR# only if it has room; each is low for 2 clocks (41.7 ns). There are never two drivers, and
//   for a clock in between there is none. Data are stable from a clock before WR# to a clock after it.
//   In both directions each byte arrives once and in order.
//
// sources: core/pb_host_fifo_async.v
`default_nettype none

module proof_host_fifo_async (
    input wire       clk,
    input wire       rst_i,
    input wire       byte_i,        // the chip gets a byte from the host
    input wire       room_i,        // the chip gets room
    input wire [1:0] stale_i,       // RXF# and TXE# are still outdated
    input wire [7:0] data_i,
    input wire       rx_ready_i,
    input wire       tx_valid_i,
    input wire [7:0] tx_data_i
);
    reg started = 1'b0;
    always @(posedge clk) started <= 1'b1;
    always @* assume (rst_i == !started);

    wire       rxf_n, txe_n, rx_valid, tx_ready, rd_n, wr_n, siwu_n, drive;
    wire [7:0] rx_data, data;
    reg        rxf_n_q = 1'b1, txe_n_q = 1'b1, rd_pin = 1'b1, wr_pin = 1'b1, siwu_pin = 1'b1;
    reg  [7:0] data_q, data_pin;
    pb_host_fifo_async #(.CLK_HZ(48000000)) dut (
        .clk(clk), .rst_i(rst_i), .rx_valid_o(rx_valid), .rx_data_o(rx_data), .rx_ready_i(rx_ready_i),
        .tx_valid_i(tx_valid_i), .tx_data_i(tx_data_i), .tx_ready_o(tx_ready),
        .ft_rxf_n_i(rxf_n_q), .ft_txe_n_i(txe_n_q), .ft_rd_n_o(rd_n), .ft_wr_n_o(wr_n), .ft_siwu_n_o(siwu_n),
        .ft_data_i(data_q), .ft_data_o(data), .ft_drive_o(drive)
    );

    // ---- the chip: its byte and its room, and clocks for which RXF# and TXE# may be outdated
    reg       has = 1'b0, room = 1'b0;
    reg [1:0] rxf_stale = 2'd0, txe_stale = 2'd0;
    reg       rd_before = 1'b1, wr_before = 1'b1, drive_before = 1'b0;
    wire      rd_fell = rd_before && !rd_pin, rd_rose = !rd_before && rd_pin;
    wire      wr_fell = wr_before && !wr_pin, wr_rose = !wr_before && wr_pin;
    assign rxf_n = !(has || (rxf_stale != 2'd0 && stale_i[0]));
    assign txe_n = !(room || (txe_stale != 2'd0 && stale_i[1]));
    reg [7:0] data_before, rx_expected, tx_expected;
    reg       rx_owed = 1'b0, tx_owed = 1'b0;   // a byte in transit from pin to core, or from core to pin
    reg [2:0] low_rd = 3'd0, low_wr = 3'd0;
    always @(posedge clk) begin
        {rxf_n_q, txe_n_q, data_q}           <= {rxf_n, txe_n, data_i};
        {rd_pin, wr_pin, siwu_pin, data_pin} <= {rd_n, wr_n, siwu_n, data};
        rd_before    <= rd_pin;
        wr_before    <= wr_pin;
        drive_before <= drive;
        data_before  <= data_pin;
        has          <= byte_i && rxf_stale == 2'd0 && rd_pin ? 1'b1 : rd_rose ? 1'b0 : has;
        room         <= wr_fell ? 1'b0 : room || (room_i && txe_stale == 2'd0 && wr_pin);
        rxf_stale    <= rd_rose ? 2'd1 : rxf_stale - {1'b0, rxf_stale != 2'd0};
        txe_stale    <= wr_fell ? 2'd1 : txe_stale - {1'b0, txe_stale != 2'd0};
        low_rd       <= rd_pin ? 3'd0 : low_rd + {2'd0, low_rd != 3'd7};
        low_wr       <= wr_pin ? 3'd0 : low_wr + {2'd0, low_wr != 3'd7};
        // The level at the pads at the edge at which RD# rose.
        if (!rd_pin && rd_n)
            rx_expected <= data_i;
        rx_owed <= (!rd_pin && rd_n) || (rx_owed && !(rx_valid && rx_ready_i));
        if (tx_ready && tx_valid_i)
            tx_expected <= tx_data_i;
        tx_owed <= (tx_ready && tx_valid_i) || (tx_owed && !wr_fell);
    end
    always @* if (started) begin
        if (rd_fell)
            assert (has && !drive && !drive_before);
        if (!rd_pin)
            assert (!drive && wr_pin);
        if (drive && !drive_before)
            assert (rd_pin && rd_before);
        if (rd_rose)
            assert (low_rd == 3'd2);
        if (wr_fell)
            assert (room && drive && drive_before && tx_owed && data_pin == tx_expected && data_before == data_pin);
        if (!wr_pin || wr_rose)
            assert (drive && (wr_fell || data_pin == data_before));
        if (wr_rose)
            assert (low_wr == 3'd2);
        if (rx_valid)
            assert (rx_owed && rx_data == rx_expected);
        if (tx_ready && tx_valid_i)
            assert (!tx_owed || wr_fell);
        if (!rd_pin && rd_n)
            assert (!rx_owed || (rx_valid && rx_ready_i));
    end
    always @* if (started) begin
        cover (rx_valid && wr_rose);
        cover (!siwu_pin && rd_rose);
    end
endmodule
