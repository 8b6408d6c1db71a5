// SPDX-FileCopyrightText: The phasebench authors
// SPDX-License-Identifier: Apache-2.0
//
// pb_host_fifo_sync with the registers of its pads, at the pins of a chip that behaves arbitrarily at each
// edge of ft_clk. Stand-ins replace the clk domain: words arrive and leave, and stopped_o rises, at arbitrary
// times.
//   Bus: never two drivers, and a clock without a driver between them. RD# is low only if OE# was low a clock before, and at no more
//   than two successive edges with RXF# high. WR# is low only with the bus driven, and with OE# and RD# high.
//   To the chip: it takes the bytes in order, each once, and at most one is in transit.
//   To the core: exactly the bytes that the chip gave are written into the buffer, at most two after the room ended.
//   A waiting byte is transferred within BOUND edges at which the receiver could take it, whatever the other direction does. SIWU# falls
//   within a bounded time after the last byte and is low for 16 clocks.
//
// sources: core/pb_host_fifo_sync.v ./any_fifo_dual.v ./any_clock_stopped.v
// probe: tx_valid dut.tx_valid
// probe: tx_pop dut.tx_pop
// probe: tx_data dut.tx_data
// probe: rx_room dut.rx_room
// probe: rx_write dut.rx_take
// probe: stopped dut.stopped
// probe: halted dut.stopped_q
`default_nettype none

module proof_host_fifo_sync (
    input wire       ft_clk,
    input wire       rst_i,
    input wire       rxf_n_i,
    input wire       txe_n_i,
    input wire [7:0] data_i,
    input wire       rx_ready_i,
    input wire       tx_valid_i,
    input wire [7:0] tx_data_i,
    input wire       mark_i
);
    localparam SEND = 3, TURN = 2, BOUND = 16;
    wire       tx_valid, tx_pop, rx_room, rx_write, stopped;
    wire [1:0] halted;
    wire [7:0] tx_data;
    wire       rx_valid, tx_ready, oe_n, rd_n, wr_n, siwu_n, drive;
    wire [7:0] rx_data, data;

    // ---- pads
    reg       rxf_n = 1'b1, txe_n = 1'b1, oe_pin = 1'b1, rd_pin = 1'b1, wr_pin = 1'b1, siwu_pin = 1'b1;
    reg [7:0] data_in, data_pin;
    pb_host_fifo_sync #(.SEND_CLOCKS(SEND), .TURN_LOG2(TURN)) dut (
        .clk(ft_clk), .rst_i(rst_i), .rx_valid_o(rx_valid), .rx_data_o(rx_data), .rx_ready_i(rx_ready_i),
        .tx_valid_i(tx_valid_i), .tx_data_i(tx_data_i), .tx_ready_o(tx_ready),
        .ft_clk(ft_clk), .ft_rxf_n_i(rxf_n), .ft_txe_n_i(txe_n), .ft_oe_n_o(oe_n), .ft_rd_n_o(rd_n), .ft_wr_n_o(wr_n),
        .ft_siwu_n_o(siwu_n), .ft_data_i(data_in), .ft_data_o(data), .ft_drive_o(drive)
    );
    always @(posedge ft_clk) begin
        {rxf_n, txe_n, data_in}                     <= {rxf_n_i, txe_n_i, data_i};
        {oe_pin, rd_pin, wr_pin, siwu_pin, data_pin} <= {oe_n, rd_n, wr_n, siwu_n, data};
    end

    // ---- what the chip sees at an edge
    wire gave = !rd_pin && !rxf_n_i, took = !wr_pin && !txe_n_i;
    reg  gave_q = 1'b0, took_q = 1'b0, oe_before = 1'b1, drive_before = 1'b0;
    reg  [1:0] rxf_late = 2'd0;     // edges in a row with RD# low and RXF# high
    reg  popped = 1'b0;             // bytes taken from the buffer and not yet by the chip: 0 or 1
    reg  marked = 1'b0, over = 1'b0;
    reg [7:0] marked_data;
    reg [1:0] room_late = 2'd0;     // bytes written since the room ended
    reg [4:0] tx_waits = 5'd0, rx_waits = 5'd0;
    reg       unsent = 1'b0;        // the chip took bytes, and SIWU# has not gone low since
    reg [5:0] quiet = 6'd0;
    reg [4:0] low = 5'd0;           // clocks for which SIWU# has been low
    reg       lost = 1'b0;
    always @(posedge ft_clk) begin
        gave_q       <= gave;
        took_q       <= took;
        oe_before    <= oe_pin;
        drive_before <= drive;
        rxf_late     <= rd_pin || !rxf_n_i ? 2'd0 : rxf_late + {1'b0, rxf_late != 2'd3};
        room_late    <= rx_room ? 2'd0 : room_late + {1'b0, rx_write && room_late != 2'd3};
        popped       <= tx_pop || (popped && !took);
        lost         <= lost || (tx_pop && popped && !took) || (took && !popped);
        if (tx_pop && mark_i && !marked) begin
            marked      <= 1'b1;
            marked_data <= tx_data;
        end
        if (marked && took)
            over <= 1'b1;
        tx_waits <= halted != 2'd0 || txe_n_i || took || !(tx_valid || popped) ? 5'd0 : tx_waits + {4'd0, tx_waits != 5'd31};
        rx_waits <= halted != 2'd0 || rxf_n_i || gave || !rx_room ? 5'd0 : rx_waits + {4'd0, rx_waits != 5'd31};
        unsent   <= took || (unsent && (siwu_pin || low != 5'd0));
        quiet    <= tx_valid || popped || !unsent ? 6'd0 : quiet + {5'd0, quiet != 6'd63};
        low      <= siwu_pin ? 5'd0 : low + {4'd0, low != 5'd31};
    end

    always @* begin
        assert (!(drive && (!oe_pin || !oe_before)));
        assert (!(!oe_pin && drive_before && !stopped));
        if (!rd_pin)
            assert (!oe_pin && !oe_before);
        assert (rxf_late <= 2'd2);
        if (!wr_pin)
            assert ((drive || stopped) && oe_pin && rd_pin);
        assert (rx_write == gave_q);
        assert (room_late <= 2'd2);
        assert (!lost);
        if (marked && !over && took)
            assert (data_pin == marked_data);
        assert (tx_waits < BOUND);
        assert (rx_waits < BOUND);
        assert (quiet < SEND + 4 + 32);     // the last pulse, and its length again
        assert (low <= 5'd16);
        if (low != 5'd0 && low < 5'd16)
            assert (!siwu_pin);
    end
    always @* begin
        cover (over && !siwu_pin);
        cover (gave_q && marked && !popped);
    end
endmodule
