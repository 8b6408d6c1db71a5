// SPDX-FileCopyrightText: The phasebench authors
// SPDX-License-Identifier: Apache-2.0
//
// pb_host_uart, for every clks_per_bit_i from 3 to 255.
// Receiver: for any waveform at the pin, bit k is the level of the pin k * clks + 1 + floor((clks - 2) / 2)
// clock edges after the edge that sampled the start bit first. rx_valid_o pulses two edges after the stop
// bit's sample, exactly once for each byte with a high stop bit, with the eight samples as data. The next
// start edge counts from the stop bit's sample on. Sender: each byte taken leaves as a low start bit, its
// eight bits (lowest first) and a high stop bit, each clks clocks long, from two clocks after it was taken.
// tx_ready_o is high exactly while no byte is in progress. The idle line is high.
//
// sources: core/pb_host_uart.v
// probe: sync_q dut.sync_q
// probe: rx_busy_q dut.rx_busy_q
// probe: rx_timer_q dut.rx_timer_q
// probe: rx_bit_q dut.rx_bit_q
// probe: rx_shift_q dut.rx_shift_q
// probe: tx_shift_q dut.tx_shift_q
// probe: tx_left_q dut.tx_left_q
// probe: tx_timer_q dut.tx_timer_q
`default_nettype none

module proof_host_uart (
    input wire       clk,
    input wire       rst_i,
    input wire       pin_i,
    input wire       tx_valid_i,
    input wire [7:0] tx_data_i
);
    reg started = 1'b0;
    always @(posedge clk) started <= 1'b1;
    always @* if (!started) assume (rst_i);

    (* anyconst *) reg [7:0] clks;
    always @* assume (clks >= 8'd3);

    wire       line, rx_valid, tx_ready;
    wire [7:0] rx_data;
    pb_host_uart dut (
        .clk(clk), .rst_i(rst_i), .clks_per_bit_i(clks), .uart_rx_i(pin_i), .uart_tx_o(line),
        .rx_valid_o(rx_valid), .rx_data_o(rx_data), .tx_valid_i(tx_valid_i), .tx_data_i(tx_data_i), .tx_ready_o(tx_ready)
    );
    wire [2:0] sync_q;
    wire       rx_busy_q;
    wire [7:0] rx_timer_q, rx_shift_q, tx_timer_q;
    wire [3:0] rx_bit_q, tx_left_q;
    wire [9:0] tx_shift_q;

    // ---- the receiver by its header, two edges late: pin_2 is the level that the edge before the last one sampled
    reg         pin_1, pin_2, pin_3;
    reg         hears;          // a byte is in progress
    reg  [11:0] since;          // edges since the edge that sampled the start bit first
    reg  [11:0] due;            // edge of the next sample, in the same count
    reg  [3:0]  bits;           // bit number of the next sample
    reg  [7:0]  samples;
    reg         is_byte;        // the last edge was the sample of a high stop bit
    wire        sample = hears && since == due;
    always @(posedge clk) begin
        {pin_1, pin_2, pin_3} <= {pin_i, pin_1, pin_2};
        is_byte <= sample && bits == 4'd9 && pin_2;
        since   <= since + 12'd1;
        if (!hears) begin
            hears <= pin_3 && !pin_2;
            since <= 12'd1;
            due   <= 12'd1 + (({4'd0, clks} - 12'd2) >> 1);
            bits  <= 4'd0;
        end else if (sample) begin
            due  <= due + {4'd0, clks};
            bits <= bits + 4'd1;
            if (bits == 4'd0 ? pin_2 : bits == 4'd9)
                hears <= 1'b0;
            if (bits != 4'd9)
                samples <= {pin_2, samples[7:1]};
        end
        if (rst_i) begin
            {pin_1, pin_2, pin_3} <= 3'b111;
            hears   <= 1'b0;
            is_byte <= 1'b0;
        end
    end
    always @* if (started) begin
        assert (rx_valid == is_byte);
        if (is_byte)
            assert (rx_data == samples);
    end

    // ---- the sender: bit number tx_bit of the frame, sent for tx_age clocks
    reg        sends, high;
    reg  [7:0] data, tx_age;
    reg  [3:0] tx_bit;
    wire [9:0] frame = {1'b1, data, 1'b0};
    always @(posedge clk) begin
        high   <= !sends || frame[tx_bit];
        tx_age <= tx_age + 8'd1;
        if (!sends) begin
            sends  <= tx_valid_i;
            data   <= tx_data_i;
            tx_bit <= 4'd0;
            tx_age <= 8'd1;
        end else if (tx_age == clks) begin
            tx_age <= 8'd1;
            tx_bit <= tx_bit + 4'd1;
            sends  <= tx_bit != 4'd9;
        end
        if (rst_i) begin
            sends <= 1'b0;
            high  <= 1'b1;
        end
    end
    always @* if (started) begin
        assert (tx_ready == !sends);
        assert (line == high);
    end

    // ---- the registers inside, for the induction
    always @* if (started) begin
        assert (sync_q == {pin_3, pin_2, pin_1});
        assert (rx_busy_q == hears);
        if (hears) begin
            assert (rx_bit_q == bits && bits <= 4'd9);
            assert (rx_timer_q < clks && due == since + {4'd0, rx_timer_q});
            assert (((rx_shift_q ^ samples) & ~(8'hff >> bits)) == 8'd0);   // the samples so far
        end
        if (sends) begin
            assert (tx_left_q == 4'd10 - tx_bit && tx_bit <= 4'd9);
            assert (tx_age != 8'd0 && tx_age <= clks && tx_timer_q == clks - tx_age);
            assert (tx_shift_q == frame >> tx_bit);
        end
    end

    reg [1:0] heard;    // bytes
    always @(posedge clk) heard <= rst_i ? 2'd0 : heard + {1'b0, rx_valid && heard != 2'd3};
    always @* if (started) begin
        cover (rx_valid && rx_data == 8'h5a && clks == 8'd4 && heard == 2'd1);
        cover (sends && data == 8'ha5 && tx_bit == 4'd9 && clks == 8'd3);
        cover (bits == 4'd1 && !hears);
    end
endmodule
