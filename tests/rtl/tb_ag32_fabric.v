// SPDX-FileCopyrightText: The phasebench authors
// SPDX-License-Identifier: Apache-2.0
//
// ag32_fabric at its bus and pins: captured edges, the start gate at its clock, and under random
// switching no idle line pulled, at any time, and no start bit at the receiver out of nothing.
//
// TIME is expected from a counter of the bench, edges from the clock in which the bench drove them.
// Last line: PASS tb_ag32_fabric or FAIL tb_ag32_fabric: reason.
`timescale 1ns / 1ps
`default_nettype none

module tb_ag32_fabric;
    localparam [4:0] ID = 5'h00, TIME = 5'h04, EDGE = 5'h08, STATUS = 5'h0C, SELECT = 5'h10, START = 5'h14;

    reg         clk = 1'b0, rst = 1'b1;
    reg         sel = 1'b0, write = 1'b0;
    reg  [4:0]  addr = 5'd0;
    reg  [31:0] wdata = 32'd0;
    wire [31:0] rdata;
    wire        ready, resp, irq, rx, cts_n;
    reg         tx = 1'b1, tdma_clk = 1'b1, tdma_sync = 1'b0;
    reg  [11:0] line = 12'hFFF;
    wire [11:0] pull_low;

    ag32_fabric dut (
        .clk(clk), .rst_i(rst), .hsel_i(sel), .haddr_i(addr), .htrans_i({sel, 1'b0}),
        .hwrite_i(write), .hready_i(ready), .hwdata_i(wdata), .hrdata_o(rdata), .hreadyout_o(ready),
        .hresp_o(resp), .irq_o(irq), .tx_i(tx), .rx_o(rx), .cts_n_o(cts_n), .tdma_clk_i(tdma_clk),
        .tdma_sync_i(tdma_sync), .line_i(line), .pull_low_o(pull_low));

    always #5 clk = !clk;
    reg [31:0] clocks = 32'd0; // rising edges so far
    always @(posedge clk) clocks <= clocks + 32'd1;

    integer failures = 0;
    reg [8*48-1:0] reason;
    task fail(input [8*48-1:0] what);
        begin
            if (failures == 0)
                reason = what;
            failures = failures + 1;
        end
    endtask

    // A transfer each: address phase in one clock, data in the next.
    task put(input [4:0] to, input [31:0] value);
        begin
            @(negedge clk) {sel, write, addr} = {2'b11, to};
            @(negedge clk) {sel, write} = 2'b00;
            wdata = value;
            if (!ready || resp)
                fail("transfer with a wait or an error");
            @(negedge clk) wdata = 32'hDEADBEEF;
        end
    endtask
    reg [31:0] got;
    task get(input [4:0] from);
        begin
            @(negedge clk) {sel, write, addr} = {2'b10, from};
            @(negedge clk) sel = 1'b0;
            got = rdata;
        end
    endtask

    // ---- lines: which one the last writes of SELECT allow to be pulled
    reg [9:0] select = 10'd0, select_before = 10'd0;
    integer   stable = 0;         // clocks since the last write
    reg       tx_sampled = 1'b1;
    always @(posedge clk) tx_sampled <= tx;
    reg [11:0] allowed;
    always @(negedge clk) begin
        stable = stable + 1;
        allowed = 12'd0;
        if (select[9] && select[8] && select[3:0] < 12)
            allowed[select[3:0]] = 1'b1;
        if (stable <= 3 && select_before[9] && select_before[8] && select_before[3:0] < 12)
            allowed[select_before[3:0]] = 1'b1;
        if (clocks > 4) begin
            if (^pull_low === 1'bx || ^{rx, cts_n, irq, rdata} === 1'bx)
                fail("unknown output");
            if ((pull_low & ~allowed) != 12'd0)
                fail("idle line pulled");
            if (stable > 6 && select[9] && select[8] && select[3:0] < 12 &&
                pull_low[select[3:0]] !== !tx_sampled)
                fail("bit of the selected link lost");
            if (stable > 6 && !(select[9] && !select[8]) && !rx)
                fail("heard a link that is not selected");
        end
    end
    always @(pull_low)
        if (clocks > 4 && $time % 10 != 5)
            fail("pull_low moved between clock edges");
    // With all lines high no switching makes a start bit.
    reg quiet = 1'b0;
    always @(negedge rx)
        if (quiet && clocks > 4)
            fail("start bit out of nothing");

    task choose(input [9:0] value);
        begin
            put(SELECT, {22'd0, value});
            select_before = select;
            select = value;
            stable = 0;
        end
    endtask

    integer seed = 1, n, wait_clocks;
    reg [31:0] offset, edge_clock, now;
    initial begin
        repeat (4) @(negedge clk);
        rst = 1'b0;
        repeat (8) @(negedge clk);
        if (irq || !cts_n || pull_low != 0 || !rx)
            fail("not idle after reset");
        get(ID);
        if (got !== 32'h31474250)
            fail("wrong ID");
        // TIME counts every clock: `clocks` is that of the address phase.
        get(TIME);
        offset = got - (clocks - 32'd1);
        repeat (100) @(negedge clk);
        get(TIME);
        if (got !== clocks - 32'd1 + offset)
            fail("TIME does not count clocks");

        // Edges of TDMA_CLK, anywhere within a clock; SYNC as it is when read.
        for (n = 0; n < 500; n = n + 1) begin
            tdma_clk = 1'b0;
            repeat (6) @(negedge clk);
            if (irq)
                fail("interrupt by a falling edge");
            #({$random(seed)} % 9);
            tdma_sync = n % 7 == 0;
            tdma_clk = 1'b1;
            edge_clock = clocks; // the clock edge after this one samples it
            repeat (5) @(negedge clk);
            if (!irq)
                fail("no interrupt by a rising edge");
            get(STATUS);
            if (got[1:0] !== {tdma_sync, 1'b1})
                fail("STATUS: SYNC or interrupt");
            get(EDGE);
            if (got !== edge_clock + 32'd2 + offset)
                fail("EDGE is not 2 after the sampling clock");
            @(negedge clk);
            if (irq)
                fail("read of EDGE keeps the interrupt");
        end

        // The gate: opens at its clock; at once when late. A write of SELECT closes it.
        for (n = 0; n < 300; n = n + 1) begin
            wait_clocks = {$random(seed)} % 200 - 50;
            get(TIME);
            now = got;
            put(START, now + wait_clocks);
            if (!cts_n)
                fail("START leaves the gate open");
            while (cts_n && clocks + offset < now + 400) @(negedge clk);
            if (cts_n)
                fail("gate did not open");
            // The edge that opened it is the last one counted: TIME before it.
            if (wait_clocks >= 6 && clocks - 32'd1 + offset !== now + wait_clocks)
                fail("gate opened at another clock");
            get(STATUS);
            if (got[4] !== (wait_clocks < 4) && (wait_clocks < 3 || wait_clocks > 4))
                fail("STATUS: late");
            if (!got[3] || got[2])
                fail("STATUS: gate");
            choose(10'd0);
            @(negedge clk);
            if (!cts_n)
                fail("SELECT leaves the gate open");
        end

        // Random switching with all lines high, the transmitter busy.
        quiet = 1'b1;
        for (n = 0; n < 3000; n = n + 1) begin
            choose({$random(seed)} % 1024 & 10'h30F);
            get(SELECT);
            if (got[9:0] !== select)
                fail("SELECT does not read back");
            repeat ({$random(seed)} % 12) begin
                @(negedge clk) tx = $random(seed);
            end
        end
        quiet = 1'b0;
        // The selected link reaches the receiver two clocks later, others do not.
        for (n = 0; n < 500; n = n + 1) begin
            choose(10'h200 | n % 12);
            repeat (6) @(negedge clk);
            line = ~(12'd1 << n % 12);
            repeat (2) @(negedge clk);
            if (rx)
                fail("selected link not heard");
            line = 12'd1 << n % 12;
            repeat (2) @(negedge clk);
            if (!rx)
                fail("other links heard");
            line = 12'hFFF;
        end
        // Reset releases all.
        choose(10'h305);
        tx = 1'b0;
        repeat (8) @(negedge clk);
        if (pull_low !== 12'h020)
            fail("link 5 not pulled");
        rst = 1'b1;
        select = 10'd0;
        select_before = 10'd0;
        #6;
        if (pull_low !== 12'd0)
            fail("reset keeps a line");
        if (failures == 0)
            $display("PASS tb_ag32_fabric");
        else
            $display("FAIL tb_ag32_fabric: %0s (%0d failures)", reason, failures);
        $finish;
    end
endmodule

`default_nettype wire
