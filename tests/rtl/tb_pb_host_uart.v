// SPDX-FileCopyrightText: The phasebench authors
// SPDX-License-Identifier: Apache-2.0
//
// The host UART at 12 Mbaud against a sender with faults of the physical line: every byte must arrive, at
// each number of cycles a bit (3, 4, 5, 8, 12), at PHASES phases of the sender against clk, at three rates,
// with and without jitter of every edge and with and without rises (or falls) that come late. Sender and clk
// share an oscillator when the rate is exact: then a phase stays for all bytes. Idle gaps are whole bits for
// that reason. In return each byte of the transmitter is received by a model that samples in the middle of
// the bit.
`timescale 1ps / 1ps
`default_nettype none
`define NAME "tb_pb_host_uart"

module tb_pb_host_uart;
    localparam integer PHASES = 24, BYTES = 14, SHAPES = 6, RATES = 3;
    localparam integer BIT_PS = 83340;      // a multiple of 2, 3, 4, 5 and 12, near 12 Mbaud
    localparam integer JITTER_PS = 1500, LATE_PS = 2000, RATE_PPM = 15000;

    integer failures = 0;
    reg [31:0] noise = 32'h9e3779b9;
    function [31:0] random(input unused);
        begin
            noise = noise ^ (noise << 13);
            noise = noise ^ (noise >> 17);
            noise = noise ^ (noise << 5);
            random = noise;
        end
    endfunction

    // ---- the port, with the clock that has this many cycles in a bit
    integer    width = 3;
    reg  [7:0] clks_per_bit = 8'd3;
    reg        clk = 1'b0, rst = 1'b1, line = 1'b1;
    real       half_ps = BIT_PS / 6.0;
    always #(half_ps) clk = !clk;

    wire       tx, rx_valid, tx_ready;
    wire [7:0] rx_data;
    reg        tx_valid = 1'b0;
    reg  [7:0] tx_data = 8'd0;
    pb_host_uart uart (
        .clk(clk), .rst_i(rst), .clks_per_bit_i(clks_per_bit), .uart_rx_i(line), .uart_tx_o(tx),
        .rx_valid_o(rx_valid), .rx_data_o(rx_data), .tx_valid_i(tx_valid), .tx_data_i(tx_data), .tx_ready_o(tx_ready)
    );
    // The boards build the port with a timer that is just wide enough: it must do the same.
    wire narrow_valid, narrow_tx, narrow_ready;
    wire [7:0] narrow_data;
    pb_host_uart #(.TIMER_BITS(2)) narrow (
        .clk(clk), .rst_i(rst || width > 4), .clks_per_bit_i(clks_per_bit), .uart_rx_i(line), .uart_tx_o(narrow_tx),
        .rx_valid_o(narrow_valid), .rx_data_o(narrow_data), .tx_valid_i(1'b0), .tx_data_i(8'd0), .tx_ready_o(narrow_ready)
    );
    wire unused = &{1'b0, narrow_tx, narrow_ready};

    reg [7:0] sent [0:BYTES-1];
    integer   came;
    always @(negedge clk) if (!rst) begin
        if (rx_valid) begin
            if (came < BYTES && rx_data === sent[came])
                came = came + 1;
        end
        if (width <= 4 && (rx_valid !== narrow_valid || (rx_valid && rx_data !== narrow_data))) begin
            if (failures == 0)
                $display("%s: a timer of 2 bits makes a difference at %0d cycles a bit", `NAME, width);
            failures = failures + 1;
        end
    end

    // ---- the sender: each edge at its own instant
    integer rate_ppm, jitter_ps, rise_ps, fall_ps, shift_ps;
    reg     level;
    real    due_ps;                         // nominal instant of the bit that comes next
    real    at_ps;
    task edge_at(input high);
        begin
            at_ps = due_ps;
            if (high != level) begin
                if (jitter_ps != 0)
                begin
                    shift_ps = random(0) % (2 * JITTER_PS + 1);
                    at_ps    = at_ps + shift_ps - jitter_ps;
                end
                at_ps = at_ps + (high ? rise_ps : fall_ps);
                #(at_ps - $realtime) line = high;
                level = high;
            end
            due_ps = due_ps + BIT_PS * 1000000.0 / (1000000.0 + rate_ppm);
        end
    endtask

    integer i, b, gap;
    task send_all;
        for (i = 0; i < BYTES; i = i + 1) begin
            edge_at(1'b0);
            for (b = 0; b < 8; b = b + 1)
                edge_at(sent[i][b]);
            edge_at(1'b1);
            gap = i % 5 == 4 ? random(0) % 3 : 0;
            for (b = 0; b < gap; b = b + 1)
                edge_at(1'b1);
        end
    endtask

    task shape(input integer which);        // jitter and asymmetry
        begin
            jitter_ps = which[0] ? JITTER_PS : 0;
            rise_ps   = which[2:1] == 2'd1 ? LATE_PS : 0;
            fall_ps   = which[2:1] == 2'd2 ? LATE_PS : 0;
        end
    endtask

    // ---- the transmitter
    task receive(input [7:0] wanted);
        integer n;
        reg [7:0] got;
        begin
            @(negedge tx);
            #(BIT_PS / 2);
            for (n = 0; n < 8; n = n + 1) begin
                #(BIT_PS) got[n] = tx;
            end
            #(BIT_PS);
            if (got !== wanted || tx !== 1'b1) begin
                $display("%s: the port sent %02h for %02h at %0d cycles a bit", `NAME, got, wanted, width);
                failures = failures + 1;
            end
        end
    endtask
    task transmit_all;
        for (i = 0; i < BYTES; i = i + 1) begin
            @(negedge clk);
            while (!tx_ready) @(negedge clk);
            tx_data  = sent[i];
            tx_valid = 1'b1;
            fork
                receive(sent[i]);
                begin
                    @(negedge clk);
                    tx_valid = 1'b0;
                end
            join
        end
    endtask

    integer phase, which, rate, w, lost, runs;
    initial begin
        runs = 0;
        for (w = 0; w < 5; w = w + 1) begin
            width        = w == 0 ? 3 : w == 1 ? 4 : w == 2 ? 5 : w == 3 ? 8 : 12;
            clks_per_bit = width[7:0];
            half_ps      = BIT_PS / (2.0 * width);
            lost         = 0;
            rst          = 1'b1;
            repeat (4) @(negedge clk);
            rst          = 1'b0;
            for (i = 0; i < BYTES; i = i + 1)
                sent[i] = random(0);
            came = BYTES;
            transmit_all;
            for (which = 0; which < SHAPES; which = which + 1)
                for (rate = 0; rate < RATES; rate = rate + 1)
                    for (phase = 0; phase < PHASES; phase = phase + 1) begin
                        for (i = 0; i < BYTES; i = i + 1)
                            sent[i] = random(0);
                        sent[0] = 8'h00;    // the longest way from an edge to a sample, and edges at each bit
                        sent[1] = 8'h55;
                        sent[2] = 8'hff;
                        sent[3] = 8'h80;
                        rst   = 1'b1;
                        level = 1'b1;
                        line  = 1'b1;
                        came  = 0;
                        shape(which);
                        rate_ppm = (rate - 1) * RATE_PPM;
                        repeat (4) @(negedge clk);
                        rst = 1'b0;
                        repeat (4) @(posedge clk);
                        due_ps = $realtime + 2.0 * BIT_PS + phase * 2.0 * half_ps / PHASES;
                        send_all;
                        #(due_ps - $realtime + 2.0 * BIT_PS);
                        runs = runs + 1;
                        if (came != BYTES) begin
                            if (lost == 0)
                                $display("%s: byte %0d of %0d is lost at %0d cycles a bit: phase %0d/%0d, %0d ppm, jitter %0d, rise %0d, fall %0d ps late",
                                         `NAME, came, BYTES, width, phase, PHASES, rate_ppm, jitter_ps, rise_ps, fall_ps);
                            lost     = lost + 1;
                            failures = failures + 1;
                        end
                    end
            if (lost != 0)
                $display("%s: %0d of %0d streams incomplete at %0d cycles a bit", `NAME, lost, SHAPES * RATES * PHASES, width);
        end
        if (failures == 0 && runs == 5 * SHAPES * RATES * PHASES)
            $display("PASS %s", `NAME);
        else
            $display("FAIL %s: %0d failures in %0d streams", `NAME, failures, runs);
        $finish;
    end
endmodule

`default_nettype wire
