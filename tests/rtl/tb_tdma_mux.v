// SPDX-FileCopyrightText: The phasebench authors
// SPDX-License-Identifier: Apache-2.0
//
// tdma_mux under random switching: no idle line is ever pulled, at any time and not only at clock edges; the
// selected link gets every bit; the receiver receives the selected link and nothing else.
//
// The expectation is kept apart from the module: a history of the last requests, from which the one pull that
// is allowed follows. Last line: PASS tb_tdma_mux or FAIL tb_tdma_mux: reason.
`timescale 1ns / 1ps
`default_nettype none

module tb_tdma_mux;
    localparam DIMS = 12;
    localparam SWITCHES = 20000;

    reg             clk = 1'b0;
    reg             rst = 1'b1;
    reg             enable = 1'b0, send = 1'b0, tx = 1'b1;
    reg  [3:0]      dim = 4'd0;
    reg  [DIMS-1:0] line = {DIMS{1'b1}};
    wire            rx;
    wire [DIMS-1:0] pull_low;

    tdma_mux #(.DIMS(DIMS)) mux (
        .clk(clk), .rst_i(rst), .enable_i(enable), .send_i(send), .dim_i(dim), .tx_i(tx), .rx_o(rx),
        .line_i(line), .pull_low_o(pull_low));

    always #5 clk = !clk;

    integer seed = 1;
    integer failures = 0;
    reg [8*40-1:0] reason;
    task fail(input [8*40-1:0] what);
        begin
            if (failures == 0)
                reason = what;
            failures = failures + 1;
        end
    endtask

    // Requests as the module samples them: [0] is that of the latest clock edge.
    reg [5:0] request0 = 6'd0, request1 = 6'd0;
    reg       tx0 = 1'b1;
    reg       started = 1'b0;
    integer   same = 0;      // clocks for which the request has been the same, at the latest edge
    integer   pulls = 0, heard = 0;
    reg [DIMS-1:0] allowed;
    reg [DIMS-1:0] pulled0 = {DIMS{1'b0}}, pulled1 = {DIMS{1'b0}};

    always @(posedge clk) begin
        same = (!rst && {enable, send, dim} == request0) ? same + 1 : 0;
        request1 = request0;
        request0 = rst ? 6'd0 : {enable, send, dim};
        tx0 = tx;
        started = 1'b1;
    end

    // Outputs may change only because of a clock edge, once.
    always @(pull_low)
        if (started && $time % 10 != 5)
            fail("pull_low moved between clock edges");

    // A pull needs two clocks of the same request to send; between pulls of different lines lie two of release.
    always @(negedge clk) if (started) begin
        allowed = {DIMS{1'b0}};
        if (request0[5] && request0[4] && request0 == request1 && !tx0 && request0[3:0] < DIMS)
            allowed[request0[3:0]] = 1'b1;
        if (^pull_low === 1'bx || ^rx === 1'bx)
            fail("unknown output");
        if ((pull_low & ~allowed) != 0)
            fail("idle line pulled");
        if (pull_low != 0 && ((pulled0 | pulled1) & ~pull_low) != 0)
            fail("no release between two lines");
        pulled1 = pulled0;
        pulled0 = pull_low;
        // A link that has been selected for longer than the switch takes gets every low bit.
        if (same >= 4 && pull_low !== allowed)
            fail("bit of the selected link lost");
        if (pull_low != 0)
            pulls = pulls + 1;
        // While sending, or with no link selected, nothing is received; nor in the clock after any switch.
        if ((same >= 4 && (request0[4] || !request0[5])) || same == 0)
            if (rx !== 1'b1)
                fail("heard a link that is not selected");
    end

    // The line changes away from the clock; what is received is the selected line two edges ago.
    reg [DIMS-1:0] line0 = {DIMS{1'b1}}, line1 = {DIMS{1'b1}};
    always @(posedge clk) begin
        line1 = line0;
        line0 = line;
    end
    always @(negedge clk)
        if (started && same >= 5 && request0[5] && !request0[4]) begin
            if (rx !== (request0[3:0] < DIMS ? line1[request0[3:0]] : 1'b1))
                fail("selected link not heard");
            if (!rx)
                heard = heard + 1;
        end

    integer n, i, hold;
    initial begin
        repeat (3) @(negedge clk);
        rst = 1'b0;
        for (n = 0; n < SWITCHES; n = n + 1) begin
            @(negedge clk);
            #1;
            // Switch one, two or all three parts of the request, at random distances down to one clock.
            i = $random(seed);
            if (i[0]) dim = $random(seed);
            if (i[1]) send = !send;
            if (i[4:2] == 3'd0) enable = !enable;
            rst = i[15:7] == 9'd0;
            hold = i[5] ? 0 : {$random(seed)} % 12;
            repeat (hold) begin
                tx = $random(seed);
                line = $random(seed);
                @(negedge clk);
                #1 rst = 1'b0;
            end
            tx = $random(seed);
            line = $random(seed);
        end
        if (pulls < SWITCHES / 100 || heard < SWITCHES / 100)
            fail("stimulus too weak");
        if (failures == 0)
            $display("PASS tb_tdma_mux");
        else
            $display("FAIL tb_tdma_mux: %0s (%0d failures)", reason, failures);
        $finish;
    end
endmodule

`default_nettype wire
