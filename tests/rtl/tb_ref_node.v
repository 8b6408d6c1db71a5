// SPDX-FileCopyrightText: The phasebench authors
// SPDX-License-Identifier: Apache-2.0
//
// ref_node at address 0x2A3 of the 12-cube, against docs/node.md, at its pins: 10 kHz phases, 1 Mbaud, six
// bytes of payload, 16 MHz. Expected phases and dimensions are worked out by hand from the address; the CRC
// by long division. Last line: PASS tb_ref_node or FAIL tb_ref_node: reason.
`timescale 1ns / 1ps
`default_nettype none

module tb_ref_node;
    localparam PHASE_NS = 100000, BIT_NS = 1000, GUARD_CLOCKS = 80, GUARD_NS = 5000;
    localparam CLOCK_NS = 62.5;

    reg         clk = 1'b0;
    reg         nrst = 1'b0, tdma_clk = 1'b0, tdma_sync = 1'b0, key = 1'b1;
    reg  [11:0] neighbour = 12'd0; // lines the bench pulls low
    wire        answer;
    wire [11:0] pull_low;
    wire [15:0] delivered, bad_frames, queue_full, align_errors;

    ref_node #(.DIMS(12), .PAYLOAD_MAX(6), .QUEUE_DEPTH(32)) node (
        .clk(clk), .nrst_i(nrst), .tdma_clk_i(tdma_clk), .tdma_sync_i(tdma_sync), .uart0_rx_i(key), .uart0_tx_o(answer),
        .line_i(~(pull_low | neighbour)), .pull_low_o(pull_low),
        .address_i(12'h2A3), .dims_i(4'd12), .payload_bytes_i(7'd6), .link_period_i(20'd256),
        .console_period_i(20'd256), .guard_i(GUARD_CLOCKS[23:0]),
        .delivered_o(delivered), .bad_frames_o(bad_frames), .queue_full_o(queue_full), .align_errors_o(align_errors));

    always #(CLOCK_NS / 2) clk = !clk;

    integer failures = 0;
    reg [8*60-1:0] reason;
    task fail(input [8*60-1:0] what);
        begin
            if (failures == 0)
                reason = what;
            failures = failures + 1;
            $display("at %0d ns: %0s", $time, what);
        end
    endtask

    // ---- CRC by dividing the whole message polynomial by x^8 + x^2 + x + 1
    function [7:0] remainder(input [71:0] message, input integer bytes);
        reg [79:0] dividend;
        integer    b;
        begin
            dividend = {message, 8'd0};
            for (b = 8 * bytes + 7; b >= 8; b = b - 1)
                if (dividend[b])
                    dividend = dividend ^ ({71'd0, 9'h107} << (b - 8));
            remainder = dividend[7:0];
        end
    endfunction

    // A whole frame, first byte in the top bits.
    function [71:0] frame(input [11:0] destination, input [3:0] sequence, input [47:0] payload);
        reg [63:0] covered;
        begin
            covered = {destination[7:0], sequence, destination[11:8], payload};
            frame = {covered, remainder({8'd0, covered}, 8)};
        end
    endfunction

    // ---- TDMA: phase counts edges since the last SYNC edge; the bench decides on SYNC before each edge
    integer phase = 0, edges = 0;
    reg     running = 1'b0, sync_next = 1'b0;
    time    edge_ns = 0;
    always @(posedge running) begin
        #13.7; // the edges have no fixed relation to the node's clock
        while (running) begin
            phase = sync_next ? 0 : phase + 1;
            edges = edges + 1;
            edge_ns = $time;
            sent_count = 0;
            tdma_sync = sync_next;
            tdma_clk = 1'b1;
            #(PHASE_NS / 2) tdma_clk = 1'b0;
            sync_next = auto_sync && phase == 23;
            #(PHASE_NS / 2 + 3.1);
        end
    end
    reg auto_sync = 1'b0;

    // Returns 97 us into the given phase, when its frame, if any, is over.
    task finish_phase(input integer which);
        begin
            @(posedge tdma_clk);
            while (phase != which)
                @(posedge tdma_clk);
            #(97 * BIT_NS);
        end
    endtask

    // ---- what the node sends
    wire    any = |pull_low;
    integer sent_count = 0;  // bytes in this phase
    integer total = 0;       // bytes ever
    reg [71:0] sent;
    reg [7:0]  sent_byte;
    reg [11:0] sent_on;
    realtime   start_ns;
    integer    k;
    always @(posedge any) begin
        if (sent_count == 0) begin
            start_ns = $realtime - edge_ns;
            sent_on = pull_low;
        end
        #(BIT_NS / 2);
        if (!any)
            fail("start bit too short");
        for (k = 0; k < 8; k = k + 1) begin
            #(BIT_NS);
            sent_byte[k] = !any;
            if (any && pull_low != sent_on)
                fail("two lines in one frame");
        end
        #(BIT_NS);
        if (any)
            fail("no stop bit");
        sent = {sent[63:0], sent_byte};
        sent_count = sent_count + 1;
        total = total + 1;
    end

    task expect_frame(input integer dimension, input [71:0] bytes);
        begin
            if (sent_count != 9)
                fail("frame missing or of wrong length");
            else if (sent !== bytes)
                fail("wrong bytes");
            else if (sent_on !== (12'd1 << dimension))
                fail("wrong link");
            // Never before the guard is over, at most three clocks after.
            else if (start_ns < GUARD_NS - 1.0 || start_ns > GUARD_NS + 3 * CLOCK_NS + 1.0)
                fail("start not at the end of the head guard");
        end
    endtask
    task expect_silence;
        if (sent_count != 0 || pull_low != 12'd0)
            fail("a line was pulled that should be idle");
    endtask

    // Outputs are never unknown once the reset has had three clocks.
    reg watch = 1'b0;
    always @(posedge clk)
        if (watch && (^{pull_low, answer, delivered, bad_frames, queue_full, align_errors}) === 1'bx)
            fail("unknown output");
    always @(pull_low)
        if (watch && (pull_low & (pull_low - 12'd1)) != 12'd0)
            fail("two lines at once");

    // ---- what the bench sends: bytes 10 us after the edge of the phase that begins next
    task inject(input integer which, input integer dimension, input [79:0] bytes, input integer count);
        integer i, b;
        reg [7:0] value;
        begin
            @(posedge tdma_clk);
            while (phase != which)
                @(posedge tdma_clk);
            #(5 * BIT_NS);
            for (i = 0; i < count; i = i + 1) begin
                value = bytes >> (8 * (count - 1 - i));
                neighbour[dimension] = 1'b1;
                for (b = 0; b < 8; b = b + 1)
                    #(BIT_NS) neighbour[dimension] = !value[b];
                #(BIT_NS) neighbour[dimension] = 1'b0;
                #(BIT_NS);
            end
        end
    endtask

    // ---- console at 1 Mbaud
    task type_line(input [8*64-1:0] text);
        integer i, b;
        reg [9:0] bits;
        begin
            for (i = 63; i >= 0; i = i - 1)
                if (text[8*i +: 8] != 8'd0) begin
                    bits = {1'b1, text[8*i +: 8], 1'b0};
                    for (b = 0; b < 10; b = b + 1) begin
                        key = bits[b];
                        #(BIT_NS);
                    end
                end
        end
    endtask

    reg [8*64-1:0] line = 0, last_line = 0;
    reg [7:0]      letter;
    integer        lines = 0, j;
    always @(negedge answer) if (nrst) begin
        #(BIT_NS / 2);
        for (j = 0; j < 8; j = j + 1)
            #(BIT_NS) letter[j] = answer;
        #(BIT_NS);
        if (!answer)
            fail("console stop bit");
        line = {line[8*63-1:0], letter};
        if (letter == 8'h0A) begin
            last_line = line;
            line = 0;
            lines = lines + 1;
        end
    end

    task command(input [8*64-1:0] text, input [8*64-1:0] expected);
        integer before, waited;
        begin
            before = lines;
            type_line(text);
            waited = 0;
            while (lines == before && waited < 500) begin
                #(BIT_NS);
                waited = waited + 1;
            end
            if (lines == before)
                fail("no answer on the console");
            else if (last_line != expected) begin
                $display("answered %0s to %0s", last_line, text);
                fail("wrong answer on the console");
            end
        end
    endtask

    task reset;
        begin
            nrst = 1'b0;
            #(4 * CLOCK_NS) nrst = 1'b1;
            #(600 * CLOCK_NS); // the queues take 512 clocks
        end
    endtask

    task start_superframe; // the next edge is phase 0
        begin
            @(negedge tdma_clk);
            #1 sync_next = 1'b1;
            auto_sync = 1'b1;
        end
    endtask

    integer i, before;
    initial begin
        #300000000;
        $display("FAIL tb_ref_node: out of time");
        $finish;
    end
    initial begin
        if (remainder("123456789", 9) !== 8'hF4)
            fail("the bench's CRC is wrong");
        #(6 * CLOCK_NS) watch = 1'b1;
        reset;

        // Console
        command("I\n", "+I node=ref addr=2A3 dims=C fw=1\n");
        command("I\015\n", "+I node=ref addr=2A3 dims=C fw=1\n");
        command("T\n", "-unknown\n");
        command("\n", "-empty\n");
        command("S\n", "-syntax\n");
        command("S 9G\n", "-syntax\n");
        command("S 1000 01\n", "-range\n");
        command("S 91C 01020\n", "-syntax\n");
        command("S 91C 0102 03\n", "-syntax\n");
        command("S 91C 01020304050607\n", "-length\n");
        command("S 91C 0102030405060\n", "-length\n");
        type_line("S");
        for (i = 0; i < 4; i = i + 1)
            type_line({64{" "}});
        command("91C 010203040506\n", "-long\n");

        // Silent before the first SYNC. 0x2A3 ^ 0x91C = 0xBBF: dimension 0 comes first, and own bit 0 is 1: phase 1.
        command("S 91c 0a0B0c0D0e0F\n", "+S 0\n");
        running = 1'b1;
        repeat (26) begin
            @(posedge tdma_clk) #(97 * BIT_NS);
            expect_silence;
        end
        if (total != 0 || align_errors != 16'd0)
            fail("not silent before SYNC");

        // Sent in phase 1 and only there; two more for the same dimension follow in order, one per superframe.
        start_superframe;
        finish_phase(0);
        expect_silence;
        finish_phase(1);
        expect_frame(0, frame(12'h91C, 4'd0, 48'h0A0B0C0D0E0F));
        command("S 2A2\n", "+S 1\n");
        command("S 000 FF\n", "+S 2\n");
        for (i = 6; i < 24; i = i + 1) begin
            finish_phase(i);
            expect_silence;
        end
        finish_phase(0);
        expect_silence;
        finish_phase(1);
        expect_frame(0, frame(12'h2A2, 4'd1, 48'd0));
        finish_phase(2);
        expect_silence;
        finish_phase(1);
        expect_frame(0, frame(12'h000, 4'd2, 48'hFF0000000000));
        if (total != 27)
            fail("more frames than messages");

        // A received frame leaves in the very next phase (0 -> 1), later in the same superframe (dimension 1, own bit
        // 1, phase 3), or is delivered; the top dimension too (own bit 11 is 0: it listens in 23, sends in 22).
        inject(0, 0, frame(12'h91C, 4'd9, 48'h112233445566), 9);
        finish_phase(1);
        expect_frame(0, frame(12'h91C, 4'd9, 48'h112233445566));
        inject(0, 0, frame(12'h2A1, 4'd15, 48'hA5A5A5A5A5A5), 9);
        finish_phase(1);
        expect_silence;
        finish_phase(3);
        expect_frame(1, frame(12'h2A1, 4'd15, 48'hA5A5A5A5A5A5));
        inject(23, 11, frame(12'h2A3, 4'd1, 48'd1), 9);
        finish_phase(0);
        if (delivered != 16'd1)
            fail("frame for the node not delivered");
        inject(5, 2, frame(12'hAA3, 4'd0, 48'd2), 9);
        finish_phase(22);
        expect_frame(11, frame(12'hAA3, 4'd0, 48'd2));
        if (bad_frames != 16'd0)
            fail("good frame counted as bad");

        // Dropped: bad CRC, too short. Not received at all: another link, and the own phase.
        before = total;
        inject(0, 0, frame(12'h91C, 4'd9, 48'h112233445566) ^ 72'h01, 9);
        inject(2, 1, frame(12'h91C, 4'd9, 48'h112233445566) ^ 72'h000000000080000000, 9);
        inject(5, 2, {8'd0, frame(12'h91C, 4'd9, 48'h112233445566)} >> 8, 8);
        inject(9, 4, {frame(12'h91C, 4'd9, 48'd0), 8'd0} >> 8, 9);
        finish_phase(10);
        // 0x2A3 = 0010 1010 0011 listens in phases 0 2 5 7 9 10 13 14 17 18 21 23
        if (bad_frames != 16'd3)
            fail("bad frames not counted");
        if (queue_full != 16'd0 || delivered != 16'd1)
            fail("bad frame taken");
        finish_phase(1);
        expect_frame(0, frame(12'h91C, 4'd9, 48'd0));
        inject(2, 3, frame(12'h91C, 4'd9, 48'd0), 9);
        inject(6, 3, frame(12'h91C, 4'd9, 48'd0), 9);
        finish_phase(1);
        expect_silence;
        if (bad_frames != 16'd3 || delivered != 16'd1)
            fail("heard a link that is not its turn");

        // SYNC missing when due: counted once, silent until it comes again, then aligned at once.
        command("S 91C\n", "+S 3\n");
        auto_sync = 1'b0;
        finish_phase(23);
        sync_next = 1'b0;
        before = total;
        finish_phase(24);
        if (align_errors != 16'd1)
            fail("missing SYNC not counted");
        finish_phase(50);
        if (total != before || align_errors != 16'd1)
            fail("not silent after a missing SYNC");
        start_superframe;
        finish_phase(1);
        expect_frame(0, frame(12'h91C, 4'd3, 48'd0));
        // SYNC too early: counted, and phase 0 it is.
        command("S 91C 5A\n", "+S 4\n");
        finish_phase(4);
        sync_next = 1'b1;
        finish_phase(0);
        expect_silence;
        if (align_errors != 16'd2)
            fail("early SYNC not counted");
        finish_phase(1);
        expect_frame(0, frame(12'h91C, 4'd4, 48'h5A0000000000));

        // Reset in the middle of a frame releases the line and forgets the messages.
        command("S 91C\n", "+S 5\n");
        command("S 91C\n", "+S 6\n");
        @(posedge tdma_clk);
        while (phase != 1)
            @(posedge tdma_clk);
        @(posedge any) #(1.7 * BIT_NS);
        if (pull_low != 12'd1)
            fail("nothing to cut");
        nrst = 1'b0;
        #(4 * CLOCK_NS);
        if (pull_low != 12'd0)
            fail("reset does not release the line");
        @(posedge tdma_clk) nrst = 1'b1;
        before = total + 1; // the cut byte was counted by the decoder, or will be
        finish_phase(1);
        finish_phase(1);
        if (total > before)
            fail("sent a message from before the reset");

        // The 33rd message of a dimension finds the queue full; the sequence restarted with the reset.
        running = 1'b0;
        #(2 * PHASE_NS) reset;
        for (i = 0; i < 32; i = i + 1)
            command("S 91C\n", {"+S ", hex(i), "\n"});
        command("S 91C\n", "-full\n");
        command("S 2A3\n", "+S 0\n");
        if (queue_full != 16'd1 || delivered != 16'd1)
            fail("full queue not counted");
        command("S 2A1\n", "+S 1\n");

        if (failures == 0)
            $display("PASS tb_ref_node");
        else
            $display("FAIL tb_ref_node: %0s (%0d failures)", reason, failures);
        $finish;
    end

    function [7:0] hex(input integer number);
        hex = number % 16 < 10 ? "0" + number % 16 : "A" + number % 16 - 10;
    endfunction
endmodule

`default_nettype wire
