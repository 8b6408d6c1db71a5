// SPDX-FileCopyrightText: The phasebench authors
// SPDX-License-Identifier: Apache-2.0
//
// pb_packet_rx, pb_packet_tx and pb_fcs16: the vectors of rtl/proto/vectors.def (or +vectors=FILE) in both
// directions, random packets from sender to receiver with stalls everywhere, garbage, flipped bits, too many
// and too long packets.
`timescale 1ns / 1ps
`default_nettype none
`define NAME "tb_pb_packet"

module tb_pb_packet;
    localparam LIMIT_CLOCKS = 1500000;
    localparam [7:0] FLAG = 8'h7e, ESCAPE = 8'h7d;
`include "tb_pb_common.vh"

    // ---- receiver, fed by `feed` or by the sender
    reg        loop = 1'b0;
    reg        feed_valid = 1'b0, tx_ready = 1'b0, done = 1'b0;
    reg  [7:0] feed_data = 8'd0, index = 8'd0;
    wire       rx_ready, packet_valid, tx_valid;
    wire [7:0] packet_byte, tx_data;
    wire [15:0] bad, lost;
    wire        stall = loop && !tx_ready;
    // A port with back-pressure offers nothing while the receiver is not ready.
    pb_packet_rx rx (
        .clk(clk), .rst_i(rst), .valid_i(loop ? tx_valid && rx_ready && !stall : feed_valid),
        .data_i(loop ? tx_data : feed_data), .ready_o(rx_ready), .packet_valid_o(packet_valid), .index_i(index),
        .byte_o(packet_byte), .done_i(done), .bad_o(bad), .lost_o(lost));

    // ---- sender
    reg        send_valid = 1'b0, send_last = 1'b0;
    reg  [7:0] send_data = 8'd0;
    wire       send_ready;
    pb_packet_tx tx (
        .clk(clk), .rst_i(rst), .valid_i(send_valid), .data_i(send_data), .last_i(send_last), .ready_o(send_ready),
        .tx_valid_o(tx_valid), .tx_data_o(tx_data), .tx_ready_i(loop ? tx_ready && rx_ready : tx_ready));

    reg  [15:0] fcs_in = 16'd0;
    reg  [7:0]  fcs_data = 8'd0;
    wire [15:0] fcs_out;
    pb_fcs16 fcs (.fcs_i(fcs_in), .data_i(fcs_data), .used_i(1'b1), .fcs_o(fcs_out));

    always @(negedge clk) if (!rst)
        if (^{packet_valid, tx_valid, send_ready, bad, lost} === 1'bx || (tx_valid && ^tx_data === 1'bx))
            fail("unknown output");

    // What the sender put on the wire; a byte that waits must not change.
    reg [7:0] sent [0:1023];
    integer   sent_count = 0;
    reg       waiting = 1'b0;
    reg [7:0] waiting_data = 8'd0;
    always @(posedge clk) if (!rst) begin
        if (waiting && (!tx_valid || tx_data !== waiting_data))
            fail("byte changed before it was taken");
        waiting = tx_valid && !(loop ? tx_ready && rx_ready : tx_ready);
        waiting_data = tx_data;
        if (tx_valid && !waiting && sent_count < 1024) begin
            sent[sent_count] = tx_data;
            sent_count = sent_count + 1;
        end
    end

    integer stall_odds = 1;             // ready in one clock of this many
    always @(posedge clk) #1 tx_ready = random(0) % stall_odds == 0;

    task feed(input [7:0] value);
        begin
            feed_valid = 1'b1;
            feed_data = value;
            clocks(1);
            feed_valid = 1'b0;
            if (random(0) % 4 == 0)
                clocks(1);
        end
    endtask

    reg [7:0] plain [0:511], wire_bytes [0:1023];
    integer   plain_count, wire_count, i, j, n;

    // The packet at the receiver must be `plain`; frees it.
    task expect_packet;
        begin
            i = 0;
            while (!packet_valid && i < 20000) begin
                clocks(1);
                i = i + 1;
            end
            if (!packet_valid)
                fail("packet not received");
            for (i = 0; i < plain_count; i = i + 1) begin
                index = i;
                clocks(1);
                if (packet_byte !== plain[i])
                    fail("received another byte");
            end
            done = 1'b1;
            clocks(1);
            done = 1'b0;
        end
    endtask
    task expect_none;
        begin
            clocks(3);
            if (packet_valid)
                fail("received what was no packet");
        end
    endtask

    task give(input integer from, input integer to); // hands bytes of `plain` to the sender
        for (j = from; j < to; j = j + 1) begin
            send_valid = 1'b1;
            send_data = plain[j];
            send_last = j == plain_count - 1;
            #1 while (!send_ready)
                clocks(1);
            clocks(1);
            send_valid = 1'b0;
            send_last = 1'b0;
            if (random(0) % 8 == 0)
                clocks(3);
        end
    endtask

    // ---- the vector file
    integer file, letter, earlier, field, digits, vectors = 0;
    reg       quoted;
    reg [4:0] nibble;
    reg [7:0] value;
    reg [8*256-1:0] path;
    function [4:0] hex(input integer c);
        hex = c >= "0" && c <= "9" ? c - "0" : c >= "a" && c <= "f" ? c - "a" + 10 : 5'd16;
    endfunction

    // Reads the next entry into plain and wire_bytes; file ends: letter is negative.
    task read_vector;
        begin
            earlier = 10;
            letter = $fgetc(file);
            while (letter >= 0 && !(earlier == 10 && letter == "V")) begin
                earlier = letter;
                letter = $fgetc(file);
            end
            plain_count = 0;
            wire_count = 0;
            field = 0;
            quoted = 1'b0;
            digits = 0;
            while (letter >= 0 && !(letter == ")" && !quoted)) begin
                letter = $fgetc(file);
                nibble = hex(letter);
                if (letter == 34)
                    quoted = !quoted;
                else if (!quoted && letter == ",")
                    field = field + 1;
                else if (quoted && !nibble[4]) begin
                    value = {value[3:0], nibble[3:0]};
                    digits = digits + 1;
                    if (digits % 2 == 0) begin
                        if (field == 1) begin
                            plain[plain_count] = value;
                            plain_count = plain_count + 1;
                        end else begin
                            wire_bytes[wire_count] = value;
                            wire_count = wire_count + 1;
                        end
                    end
                end
            end
        end
    endtask

    task random_packet(input integer length, input integer specials);
        begin
            plain_count = 3 + length;
            for (i = 0; i < plain_count; i = i + 1)
                plain[i] = random(0) % 100 < specials ? (i[0] ? FLAG : ESCAPE) : random(0);
            plain[2] = length;
        end
    endtask

    // The wire form of `plain` with its own idea of the FCS: bits of the polynomial division, one at a time.
    reg [15:0] remainder;
    reg        feedback;
    task put_wire(input [7:0] b);
        begin
            if (b == FLAG || b == ESCAPE) begin
                wire_bytes[wire_count] = ESCAPE;
                wire_count = wire_count + 1;
                wire_bytes[wire_count] = {b[7:6], !b[5], b[4:0]};
            end else
                wire_bytes[wire_count] = b;
            wire_count = wire_count + 1;
        end
    endtask
    task build_wire;
        begin
            remainder = 16'hffff;
            for (i = 0; i < plain_count; i = i + 1)
                for (j = 0; j < 8; j = j + 1) begin
                    feedback = remainder[15] ^ plain[i][j];
                    remainder = {remainder[14:0], 1'b0} ^ (feedback ? 16'h1021 : 16'h0000);
                end
            wire_count = 1;
            wire_bytes[0] = FLAG;
            for (i = 0; i < plain_count; i = i + 1)
                put_wire(plain[i]);
            value = 8'd0;
            for (i = 0; i < 8; i = i + 1)
                value[i] = !remainder[15 - i];
            put_wire(value);
            for (i = 0; i < 8; i = i + 1)
                value[i] = !remainder[7 - i];
            put_wire(value);
            wire_bytes[wire_count] = FLAG;
            wire_count = wire_count + 1;
        end
    endtask
    task feed_wire;
        for (n = 0; n < wire_count; n = n + 1)
            feed(wire_bytes[n]);
    endtask

    integer k, bits, counted, packets;
    reg [8*9-1:0] digits_text;
    initial begin
        clocks(4);
        rst = 1'b0;
        clocks(2);

        digits_text = "123456789";
        fcs_in = 16'hffff;
        for (k = 8; k >= 0; k = k - 1) begin
            fcs_data = digits_text[8*k +: 8];
            #1 fcs_in = fcs_out;
        end
        if (~fcs_in !== 16'h906e)
            fail("FCS check value");
        clocks(1);

        // Vectors, both directions, the sender stalled more and more.
        if (!$value$plusargs("vectors=%s", path))
            path = "rtl/proto/vectors.def";
        file = $fopen(path, "r");
        if (file == 0)
            fail("cannot open the vectors");
        else begin
            read_vector;
            while (letter >= 0) begin
                vectors = vectors + 1;
                feed_wire;
                expect_packet;
                sent_count = 0;
                stall_odds = 1 + vectors % 4;
                give(0, plain_count);
                k = 0;
                while (sent_count < wire_count && k < 20000) begin
                    clocks(1);
                    k = k + 1;
                end
                clocks(20);
                if (sent_count != wire_count)
                    fail("sender made another number of bytes");
                for (k = 0; k < wire_count; k = k + 1)
                    if (sent[k] !== wire_bytes[k])
                        fail("sender made another byte");
                read_vector;
            end
            $fclose(file);
        end
        if (vectors < 15 || bad != 0 || lost != 0)
            fail("vectors missing or counted as bad");

        // Sender to receiver with stalls on both sides: nothing is lost, nothing is bad.
        loop = 1'b1;
        for (packets = 0; packets < 60; packets = packets + 1) begin
            stall_odds = 1 + random(0) % 3;
            random_packet(packets < 3 ? packets : packets == 3 ? 250 : random(0) % 251, packets % 5 * 25);
            give(0, plain_count);
            if (packets % 3 != 0)
                clocks(random(0) % 300);
            expect_packet;
        end
        // Two wait inside; the third is held back until there is room, not lost.
        stall_odds = 1;
        random_packet(5, 0);
        give(0, plain_count);
        give(0, plain_count);
        clocks(50);
        give(0, 1);
        clocks(50);
        if (lost != 0)
            fail("lost in spite of back-pressure");
        expect_packet;
        expect_packet;
        give(1, plain_count);
        expect_packet;
        if (bad != 0 || lost != 0)
            fail("held back packet counted");
        expect_none;
        loop = 1'b0;
        stall_odds = 1;
        clocks(20);

        // Without back-pressure the third packet is counted as lost, and only it.
        random_packet(4, 0);
        build_wire;
        counted = bad;
        feed_wire;
        feed_wire;
        feed_wire;
        expect_packet;
        expect_packet;
        expect_none;
        if (lost != 1 || bad != counted)
            fail("lost packet not counted");
        feed_wire;
        expect_packet;

        // Every single flipped bit is refused (a flip may make a flag: then there are two bad stretches).
        random_packet(6, 0);
        plain[3] = 8'h7f;
        plain[4] = 8'h5d;
        build_wire;
        for (bits = 8; bits < 8 * (wire_count - 1); bits = bits + 1) begin
            counted = bad;
            wire_bytes[bits / 8][bits % 8] = !wire_bytes[bits / 8][bits % 8];
            feed_wire;
            wire_bytes[bits / 8][bits % 8] = !wire_bytes[bits / 8][bits % 8];
            expect_none;
            if (bad == counted)
                fail("flipped bit not counted");
            feed_wire;
            expect_packet;
        end

        // Garbage, an abandoned packet, one flag shared by two packets, idle flags, an escaped flag, too long, FCS only.
        for (k = 0; k < 40; k = k + 1) begin
            for (n = 0; n < 300; n = n + 1)
                feed(random(0));
            feed(FLAG);
            random_packet(k, 40);
            build_wire;
            feed_wire;
            expect_packet;
            expect_none;
        end
        counted = bad;
        for (n = 0; n < wire_count - 1; n = n + 1)
            feed(wire_bytes[n]);
        for (n = 1; n < wire_count; n = n + 1)
            feed(n == 1 ? FLAG : wire_bytes[n - 1]);
        feed(FLAG);
        expect_packet;
        if (packet_valid)
            expect_packet;
        if (bad > counted + 1)
            fail("shared flag not understood");
        counted = bad;
        for (n = 0; n < 5; n = n + 1)
            feed(FLAG);
        clocks(2);
        if (bad != counted)
            fail("idle flags counted");
        feed(ESCAPE);
        feed(FLAG);
        clocks(2);
        if (bad != counted + 1)
            fail("lone escape not counted");
        for (n = 0; n < wire_count - 1; n = n + 1)
            feed(wire_bytes[n]);
        feed(ESCAPE);
        feed(FLAG);
        clocks(2);
        if (bad != counted + 2)
            fail("packet that ends in an escape not counted");
        expect_none;
        for (n = 0; n < 300; n = n + 1)
            feed(8'd0);
        feed(FLAG);
        for (n = 0; n < 256 + 9; n = n + 1)     // as long as a packet whose count would wrap
            feed(n == 258 ? 8'd4 : 8'd1);
        feed(FLAG);
        feed(8'h01);
        feed(8'h02);
        feed(FLAG);
        clocks(2);
        if (bad != counted + 5)
            fail("wrong lengths not counted");
        expect_none;
        feed_wire;
        expect_packet;

        // A correct FCS does not excuse a wrong length byte, one that fits modulo 256 included.
        counted = bad;
        for (k = 0; k < 3; k = k + 1) begin
            random_packet(20, 10);
            plain[2] = k == 0 ? 8'd19 : k == 1 ? 8'd21 : 8'd20;
            if (k == 2)
                for (plain_count = 23; plain_count < 256 + 23; plain_count = plain_count + 1)
                    plain[plain_count] = 8'd20; // byte 258 is where a length byte would be after the wrap
            build_wire;
            feed_wire;
            expect_none;
            if (bad != counted + k + 1)
                fail("wrong length not counted");
        end
        random_packet(9, 10);
        build_wire;
        feed_wire;
        expect_packet;

        // Reset in the middle.
        for (n = 0; n < 6; n = n + 1)
            feed(wire_bytes[n]);
        rst = 1'b1;
        clocks(1);
        rst = 1'b0;
        if (bad != 0 || lost != 0 || packet_valid || tx_valid)
            fail("reset does not clear");
        feed_wire;
        expect_packet;
        verdict;
    end
endmodule

`default_nettype wire
