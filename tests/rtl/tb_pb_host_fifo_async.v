// SPDX-FileCopyrightText: The phasebench authors
// SPDX-License-Identifier: Apache-2.0
//
// pb_host_fifo_async at the pins of a chip (ft245_async_chip.vh), with pads that take 8 ns: core clocks of 12
// to 100 MHz, pauses of the chip, either direction and both; the rate that the header states; SIWU#; reset.
`timescale 1ns / 1ps
`default_nettype none
`define NAME "tb_pb_host_fifo_async"
`include "ft245_async_chip.vh"

// The port with its pads and a core that gives and takes, at one clock rate.
module async_rig #(
    parameter [31:0] CLK_HZ = 24000000
) (
    input wire       rst,
    input wire [7:0] chip_stall,
    input wire [7:0] core_stall
);
    localparam PAD = 8.0;
    localparam real HALF = 500000000.0 / CLK_HZ;
    reg clk = 1'b0;
    always begin
        #(HALF);
        clk = !clk;
    end

    wire       rxf_n, txe_n, chip_drive, rd_n, wr_n, siwu_n, drive;
    wire [7:0] chip_data, data;
    reg        rxf_n_q = 1'b1, txe_n_q = 1'b1, rd_pin = 1'b1, wr_pin = 1'b1, siwu_pin = 1'b1, drive_pin = 1'b0;
    reg  [7:0] data_q, data_pin = 8'd0;
    wire [7:0] bus = chip_drive ? chip_data : drive_pin ? data_pin : 8'hxx;
    always @(posedge clk) begin
        {rxf_n_q, txe_n_q, data_q} <= {rxf_n, txe_n, bus};
        {rd_pin, wr_pin, siwu_pin, data_pin} <= #(PAD) {rd_n, wr_n, siwu_n, data};
    end
    always @(drive) drive_pin <= #(PAD) drive === 1'b1;
    ft245_async_chip chip (
        .stall_i(chip_stall), .rxf_n_o(rxf_n), .txe_n_o(txe_n), .rd_n_i(rd_pin), .wr_n_i(wr_pin), .siwu_n_i(siwu_pin),
        .data_i(data_pin), .drive_i(drive_pin), .data_o(chip_data), .drive_o(chip_drive)
    );

    wire       rx_valid, tx_ready;
    wire [7:0] rx_data;
    reg        rx_ready = 1'b0, tx_valid = 1'b0;
    reg  [7:0] tx_data = 8'd0;
    pb_host_fifo_async #(.CLK_HZ(CLK_HZ)) dut (
        .clk(clk), .rst_i(rst), .rx_valid_o(rx_valid), .rx_data_o(rx_data), .rx_ready_i(rx_ready),
        .tx_valid_i(tx_valid), .tx_data_i(tx_data), .tx_ready_o(tx_ready),
        .ft_rxf_n_i(rxf_n_q), .ft_txe_n_i(txe_n_q), .ft_rd_n_o(rd_n), .ft_wr_n_o(wr_n), .ft_siwu_n_o(siwu_n),
        .ft_data_i(data_q), .ft_data_o(data), .ft_drive_o(drive)
    );

    integer to_give = 0, given = 0, taken = 0, wrong_bytes = 0, unknown = 0, clocks = 0;
    always @(posedge clk) begin
        clocks = clocks + 1;
        if (rx_valid && rx_ready) begin
            if (rx_data !== chip.code(taken))
                wrong_bytes = wrong_bytes + 1;
            taken = taken + 1;
        end
        if (tx_valid && tx_ready)
            given = given + 1;
        if (!rst && ^{rx_valid, tx_ready, rd_n, wr_n, siwu_n, drive} === 1'bx)
            unknown = unknown + 1;
    end
    always @(negedge clk) begin
        rx_ready <= {24'd0, core_stall} <= chip.random(0) % 256;
        tx_valid <= given < to_give && ((tx_valid && tx_data == chip.code(given)) || {24'd0, core_stall} <= chip.random(0) % 256);
        tx_data  <= chip.code(given);
    end
    wire done = taken == chip.to_send && chip.got == to_give;
    wire good = done && wrong_bytes == 0 && unknown == 0 && chip.altered == 0 && chip.errors == 0;
endmodule

module tb_pb_host_fifo_async;
    localparam LIMIT_CLOCKS = 3000000;
`include "tb_pb_common.vh"
    localparam RIGS = 5;
    reg  [7:0]      chip_stall = 8'd0, core_stall = 8'd0;
    wire [RIGS-1:0] good, done;
    async_rig #(.CLK_HZ(12000000)) at12 (.rst(rst), .chip_stall(chip_stall), .core_stall(core_stall));
    async_rig #(.CLK_HZ(18000000)) at18 (.rst(rst), .chip_stall(chip_stall), .core_stall(core_stall));
    async_rig #(.CLK_HZ(24000000)) at24 (.rst(rst), .chip_stall(chip_stall), .core_stall(core_stall));
    async_rig #(.CLK_HZ(47999999)) at48 (.rst(rst), .chip_stall(chip_stall), .core_stall(core_stall));
    async_rig #(.CLK_HZ(100000000)) at100 (.rst(rst), .chip_stall(chip_stall), .core_stall(core_stall));
    assign good = {at100.good, at48.good, at24.good, at18.good, at12.good};
    assign done = {at100.done, at48.done, at24.done, at18.done, at12.done};

    task settle(input integer ns);
        repeat (ns / 10) @(negedge clk);
    endtask
    integer spent, passed;
    task exchange(input integer from_host, input integer from_core);
        begin
            at12.chip.to_send  = at12.chip.to_send + from_host;
            at18.chip.to_send  = at18.chip.to_send + from_host;
            at24.chip.to_send  = at24.chip.to_send + from_host;
            at48.chip.to_send  = at48.chip.to_send + from_host;
            at100.chip.to_send = at100.chip.to_send + from_host;
            at12.to_give  = at12.to_give + from_core;
            at18.to_give  = at18.to_give + from_core;
            at24.to_give  = at24.to_give + from_core;
            at48.to_give  = at48.to_give + from_core;
            at100.to_give = at100.to_give + from_core;
            passed = at24.clocks;
            spent  = 0;
            @(negedge clk);
            while (!at24.done && spent < 500000) begin
                @(negedge clk);
                spent = spent + 1;
            end
            passed = at24.clocks - passed;
            while (!(&done) && spent < 500000) begin
                @(negedge clk);
                spent = spent + 1;
            end
            if (!(&done))
                fail("bytes did not arrive");
            else if (!(&good)) begin
                fail(at12.chip.errors != 0 ? at12.chip.error : at18.chip.errors != 0 ? at18.chip.error :
                    at24.chip.errors != 0 ? at24.chip.error : at48.chip.errors != 0 ? at48.chip.error :
                    at100.chip.errors != 0 ? at100.chip.error : "a byte is lost, doubled or changed");
            end
        end
    endtask

    integer i, pulses;
    initial begin
        settle(300);
        rst = 1'b0;
        exchange(300, 0);
        if (passed > 7 * 300 + 20)
            fail("slower than 7 clocks a byte from the host");
        exchange(0, 300);
        if (passed > 8 * 300 + 20)
            fail("slower than 8 clocks a byte to the host");
        exchange(300, 300);
        if (passed > 15 * 300 + 20)
            fail("the directions do not take turns");
        for (i = 0; i < 4; i = i + 1) begin
            chip_stall = random(0);
            core_stall = random(0) % 220;
            exchange(200, 200);
        end
        core_stall = 8'd0;
        chip_stall = 8'd0;
        settle(3000);
        pulses = at12.chip.pulses;
        i = at100.chip.pulses;
        exchange(5, 0);
        settle(3000);
        if (at12.chip.pulses != pulses)
            fail("SIWU# without bytes of the core");
        exchange(5, 5);
        settle(3000);
        if (at12.chip.pulses != pulses + 1 || at100.chip.pulses != i + 1)
            fail("not one SIWU# after bytes");

        // Reset: nothing moves; bytes of the chip wait in it.
        rst = 1'b1;
        settle(300);
        at24.chip.to_send = at24.chip.to_send + 3;
        at24.to_give      = at24.to_give + 3;
        settle(3000);
        if (at24.drive || !at24.rd_n || !at24.wr_n || at24.tx_ready || at24.rx_valid)
            fail("moves in reset");
        rst = 1'b0;
        settle(3000);
        if (!at24.good)
            fail("does not go on after reset");
        verdict;
    end
endmodule

`default_nettype wire
