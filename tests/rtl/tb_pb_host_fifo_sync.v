// SPDX-FileCopyrightText: The phasebench authors
// SPDX-License-Identifier: Apache-2.0
//
// pb_host_fifo_sync at the pins of a chip (ft245_sync_chip.vh), with pads that take 5 ns: core clocks slower
// and faster than the chip's and nearly equal to it, random stalls of either side; rates; both directions at
// once; SIWU#; the chip's clock stopped in quiet and in the middle of bytes.
`timescale 1ns / 1ps
`default_nettype none
`define NAME "tb_pb_host_fifo_sync"
`include "ft245_sync_chip.vh"

module tb_pb_host_fifo_sync;
    localparam LIMIT_CLOCKS = 1000000;
`include "tb_pb_common.vh"
    localparam PAD = 5.0;

    realtime half = 10.0;           // of a period of the core's clock
    reg      core = 1'b0;
    always begin
        #(half);
        core = !core;
    end

    reg        run = 1'b1;
    reg  [7:0] rxf_stall = 8'd0, txe_stall = 8'd0, valid_stall = 8'd0, ready_stall = 8'd0;
    wire       ft_clk, rxf_n, txe_n, chip_drive, oe_n, rd_n, wr_n, siwu_n, drive;
    wire [7:0] chip_data, data;
    reg        rxf_n_q = 1'b1, txe_n_q = 1'b1, oe_pin = 1'b1, rd_pin = 1'b1, wr_pin = 1'b1, siwu_pin = 1'b1;
    reg  [7:0] data_q, data_pin;
    reg        drive_pin = 1'b0;
    wire [7:0] bus = chip_drive ? chip_data : drive_pin ? data_pin : 8'hxx;
    always @(posedge ft_clk) begin
        {rxf_n_q, txe_n_q, data_q} <= {rxf_n, txe_n, bus};
        {oe_pin, rd_pin, wr_pin, siwu_pin, data_pin} <= #(PAD) {oe_n, rd_n, wr_n, siwu_n, data};
    end
    always @(drive) drive_pin <= #(PAD) drive;

    ft245_sync_chip chip (
        .run_i(run), .rxf_stall_i(rxf_stall), .txe_stall_i(txe_stall), .clkout_o(ft_clk), .rxf_n_o(rxf_n), .txe_n_o(txe_n),
        .oe_n_i(oe_pin), .rd_n_i(rd_pin), .wr_n_i(wr_pin), .siwu_n_i(siwu_pin), .data_i(data_pin), .drive_i(drive_pin),
        .data_o(chip_data), .drive_o(chip_drive)
    );

    wire       rx_valid, tx_ready;
    wire [7:0] rx_data;
    reg        rx_ready = 1'b0, tx_valid = 1'b0;
    reg  [7:0] tx_data = 8'd0;
    pb_host_fifo_sync #(.DEPTH_LOG2(5)) dut (
        .clk(core), .rst_i(rst), .rx_valid_o(rx_valid), .rx_data_o(rx_data), .rx_ready_i(rx_ready),
        .tx_valid_i(tx_valid), .tx_data_i(tx_data), .tx_ready_o(tx_ready),
        .ft_clk(ft_clk), .ft_rxf_n_i(rxf_n_q), .ft_txe_n_i(txe_n_q), .ft_oe_n_o(oe_n), .ft_rd_n_o(rd_n), .ft_wr_n_o(wr_n),
        .ft_siwu_n_o(siwu_n), .ft_data_i(data_q), .ft_data_o(data), .ft_drive_o(drive)
    );

    // ---- the core: takes and gives at rising edges, changes its mind at falling ones
    integer to_give = 0, given = 0, taken = 0, wrong_bytes = 0, core_clocks = 0, dump = 0;
    reg [8*80-1:0] path;
    always @(posedge core) begin
        core_clocks = core_clocks + 1;
        if (rx_valid && rx_ready) begin
            if (rx_data !== chip.code(taken))
                wrong_bytes = wrong_bytes + 1;
            taken = taken + 1;
            if (dump != 0)
                $fdisplay(dump, "%h", rx_data);
        end
        if (tx_valid && tx_ready)
            given = given + 1;
        if (^{rx_valid, tx_ready, oe_n, rd_n, wr_n, siwu_n, drive} === 1'bx)
            fail("unknown output");
    end
    always @(negedge core) begin
        rx_ready <= {24'd0, ready_stall} <= random(0) % 256;
        // A byte that has been offered stays.
        if (!(tx_valid && given < to_give && tx_data == chip.code(given))) begin
            tx_valid <= given < to_give && {24'd0, valid_stall} <= random(0) % 256;
            tx_data  <= chip.code(given);
        end else
            tx_valid <= given < to_give;
    end

    task settle(input integer ns);
        repeat (ns / 10) @(negedge clk);
    endtask

    // This many bytes in each direction; all must arrive within the time, in order.
    integer chip_start, spent;
    task exchange(input integer from_host, input integer from_core, input integer limit_us);
        begin
            chip.to_send = chip.to_send + from_host;
            to_give      = to_give + from_core;
            spent        = 0;
            while ((taken < chip.to_send || chip.got < to_give) && spent < limit_us * 100) begin
                @(negedge clk);
                spent = spent + 1;
            end
            if (taken !== chip.to_send)
                fail("bytes of the host did not arrive");
            if (chip.got !== to_give)
                fail("bytes of the core did not arrive");
            if (wrong_bytes != 0 || chip.altered != 0)
                fail("a byte is lost, doubled or changed");
            if (chip.errors != 0)
                fail(chip.error);
        end
    endtask

    integer i, pulses, earlier, stopped_at;
    initial begin
        if ($value$plusargs("dump=%s", path))
            dump = $fopen(path, "w");
        settle(200);
        rst = 1'b0;

        // Periods of 5 to 60 ns, one of them that of the chip except for a part in a thousand.
        for (i = 0; i < 6; i = i + 1) begin
            case (i)
            0: half = 2.5;
            1: half = 8.325;
            2: half = 13.889;
            3: half = 27.778;
            default: half = 2.5 + (random(0) % 27500) / 1000.0;
            endcase
            rxf_stall   = i == 0 ? 8'd0 : random(0) % 160;
            txe_stall   = i == 0 ? 8'd0 : random(0) % 160;
            valid_stall = i == 0 ? 8'd0 : random(0) % 160;
            ready_stall = i == 0 ? 8'd0 : random(0) % 160;
            settle(2000);
            exchange(500, 0, 1000);
            exchange(0, 500, 1000);
            exchange(600, 600, 2000);
        end

        // Rates without stalls: a byte a clock from the host, a byte every second clock to it; 1500 bytes are 25 and 50 us.
        half = 4.0;
        rxf_stall = 8'd0; txe_stall = 8'd0; valid_stall = 8'd0; ready_stall = 8'd0;
        exchange(1500, 0, 27);
        exchange(0, 1500, 52);
        // Both at once: neither starves, and 4 of 68 clocks go for each change of direction.
        exchange(1500, 1500, 86);

        // SIWU#: once after bytes, not without.
        half = 13.889;
        settle(5000);
        pulses = chip.pulses;
        settle(20000);
        if (chip.pulses != pulses)
            fail("SIWU# without bytes");
        for (i = 1; i <= 20; i = i + 1) begin
            exchange(i, i, 100);
            settle(3000);
            if (chip.pulses != pulses + i)
                fail("not one SIWU# after bytes");
        end

        // CLKOUT stops while no byte is in flight: the core's bytes wait, nothing is lost.
        for (i = 0; i < 6; i = i + 1) begin
            run = 1'b0;
            settle(100 << i);
            to_give = to_give + 100;
            settle(10000);
            if (i == 5 && (given == to_give || tx_ready || rx_valid || drive))
                fail("something goes while CLKOUT stands");
            run = 1'b1;
            exchange(50, 0, 400);
        end
        // In the middle of bytes: the bus is released after 67 clocks of the core, and at most one byte is lost or corrupted.
        for (i = 0; i < 8; i = i + 1) begin
            half = 4.0 + (random(0) % 20000) / 1000.0;
            chip.to_send = chip.to_send + 300;
            to_give      = to_give + 300;
            settle(1000 + random(0) % 3000);
            run = 1'b0;
            @(negedge core);
            stopped_at = core_clocks;
            while (core_clocks < stopped_at + 72)
                @(negedge core);
            if (drive)
                fail("drives the bus while CLKOUT stands");
            settle(random(0) % 3000);
            run = 1'b1;
            settle(20000);
            if (chip.altered > 1 || chip.got + 1 < to_give || chip.got > to_give + 1 || taken !== chip.to_send || wrong_bytes != 0)
                fail("CLKOUT stood, and more than a byte suffers");
            chip.altered  = 0;
            chip.got      = to_give;
            chip.expected = to_give;
        end
        if (chip.errors != 0)
            fail(chip.error);
        exchange(1000, 1000, 1000);

        // Reset: the core's side does not advance, waiting bytes stay.
        rst = 1'b1;
        chip.to_send = chip.to_send + 10;
        earlier = taken;
        settle(3000);
        if (taken != earlier || tx_ready || rx_valid)
            fail("gives or takes in reset");
        rst = 1'b0;
        exchange(0, 10, 100);
        verdict;
    end
endmodule

`default_nettype wire
