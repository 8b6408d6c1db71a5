// SPDX-FileCopyrightText: The phasebench authors
// SPDX-License-Identifier: Apache-2.0
//
// The host's side of the protocol (docs/reference/protocol.md), included inside the module of a bench. The bench defines the
// task put(value), which carries one byte to the core, and calls take(value) with each byte that comes from it. A command
// waits for its reply up to REPLY_CLOCKS. The functions that check what arrives never use a variable of those that send.
    localparam [7:0] FLAG = 8'h7e, ESCAPE = 8'h7d;

    // Frame check sequence of RFC 1662, a bit at a time.
    function [15:0] fcs_of(input [15:0] sum, input [7:0] value);
        integer at;
        begin
            fcs_of = sum ^ {8'd0, value};
            for (at = 0; at < 8; at = at + 1)
                fcs_of = (fcs_of >> 1) ^ (fcs_of[0] ? 16'h8408 : 16'h0000);
        end
    endfunction

    // ---- to the core
    reg [7:0]  payload [0:255], number = 8'd0;
    reg [15:0] fcs_out;
    integer    length = 0, n_out, p_out;

    // Appends the low bytes of a value to the payload, the lowest first.
    task add(input [31:0] value, input integer bytes);
        for (n_out = 0; n_out < bytes; n_out = n_out + 1) begin
            payload[length] = value >> (8 * n_out);
            length = length + 1;
        end
    endtask
    task put_escaped(input [7:0] value);
        if (value == FLAG || value == ESCAPE) begin
            put(ESCAPE);
            put(value ^ 8'h20);
        end else
            put(value);
    endtask
    task put_counted(input [7:0] value);
        begin
            fcs_out = fcs_of(fcs_out, value);
            put_escaped(value);
        end
    endtask
    // The payload as a packet with the current number and without its flags; `spoil` flips a bit of the FCS.
    task put_body(input [7:0] opcode, input spoil);
        begin
            fcs_out = 16'hffff;
            put_counted(opcode);
            put_counted(number);
            put_counted(length);
            for (p_out = 0; p_out < length; p_out = p_out + 1)
                put_counted(payload[p_out]);
            put_escaped(~fcs_out[7:0] ^ {7'd0, spoil});
            put_escaped(~fcs_out[15:8] ^ {7'd0, spoil});
        end
    endtask
    task put_packet(input [7:0] opcode, input spoil);
        begin
            if (replies > 1)
                fail("two replies to one command");
            replies = 0;
            put(FLAG);
            put_body(opcode, spoil);
            put(FLAG);
        end
    endtask

    // The one reply to a packet has this status.
    task await(input [7:0] opcode, input [7:0] status);
        begin
            for (p_out = 0; replies == 0 && p_out < REPLY_CLOCKS; p_out = p_out + 1)
                clocks(1);
            if (replies == 0)
                fail("no reply");
            else if (reply[0] !== (opcode | 8'h80) || reply[1] !== number || reply[3] !== status)
                fail("wrong reply");
            length = 0;
        end
    endtask
    task command(input [7:0] opcode, input [7:0] status);
        begin
            number = number + 8'd1;
            put_packet(opcode, 1'b0);
            await(opcode, status);
        end
    endtask
    task write(input [9:0] address, input [31:0] value);
        begin
            length = 0;
            add(address, 2);
            add(0, 1);
            add(value, 4);
            command(`PB_OPCODE_WRITE, `PB_STATUS_OK);
            if (reply[2] !== 8'd4 || reply[4] !== address[7:0] || reply[5] !== {6'd0, address[9:8]} || reply[6] !== 8'd1)
                fail("wrong reply to a write");
        end
    endtask
    task read(input [9:0] address, input [7:0] words, input fixed);
        begin
            length = 0;
            add(address, 2);
            add(words, 1);
            add(fixed, 1);
            command(`PB_OPCODE_READ, `PB_STATUS_OK);
            if (reply[2] !== 8'd4 + words * 8'd4 || reply[4] !== address[7:0] || reply[6] !== words)
                fail("wrong reply to a read");
        end
    endtask
    function [31:0] word(input integer n);
        word = {reply[10+4*n], reply[9+4*n], reply[8+4*n], reply[7+4*n]};
    endfunction
    task expect_register(input [9:0] address, input [31:0] value);
        begin
            read(address, 1, 1'b0);
            if (word(0) !== value)
                fail("register has another value");
        end
    endtask

    // A record of the slot player without its bytes; `at` counts phases from the start.
    task add_play(input [7:0] lane, input [7:0] target, input [7:0] bytes, input integer at, input integer phase_count,
                  input integer offset, input integer bit_q4);
        begin
            add(lane, 1);
            add(target, 1);
            add(bytes, 1);
            add(at % phase_count, 2);
            add(at / phase_count, 4);
            add(offset, 3);
            add(bit_q4, 3);
        end
    endtask

    // ---- from the core: `reply` is the last reply, event_word[i % EVENTS] the i-th event
    localparam EVENTS = 1024;
    reg [7:0]  packet [0:511], reply [0:511], event_packet = 8'd0;
    reg [63:0] event_word [0:EVENTS-1];
    reg [15:0] fcs_in;
    reg        escaped = 1'b0;
    integer    count = 0, replies = 0, refusals = 0, events = 0, n_in;
    task take_packet;
        begin
            fcs_in = 16'hffff;
            for (n_in = 0; n_in < count; n_in = n_in + 1)
                fcs_in = fcs_of(fcs_in, packet[n_in]);
            if (fcs_in != 16'hf0b8 || {24'd0, packet[2]} != count - 5)
                fail("the core sent a bad packet");
            if (packet[0] == `PB_OPCODE_EVENTS) begin
                if (packet[1] !== event_packet || {packet[6], packet[5], packet[4], packet[3]} != events || count % 8 != 1)
                    fail("event packet out of sequence");
                event_packet = event_packet + 8'd1;
                for (n_in = 7; n_in < count - 2; n_in = n_in + 8) begin
                    event_word[events % EVENTS] = {packet[n_in+7], packet[n_in+6], packet[n_in+5], packet[n_in+4],
                                                   packet[n_in+3], packet[n_in+2], packet[n_in+1], packet[n_in]};
                    events = events + 1;
                end
            end else begin
                for (n_in = 0; n_in < count; n_in = n_in + 1)
                    reply[n_in] = packet[n_in];
                replies = replies + 1;
                refusals = refusals + (reply[3] !== `PB_STATUS_OK);
            end
        end
    endtask
    task take(input [7:0] value);
        if (value == FLAG) begin
            if (count != 0)
                take_packet;
            count = 0;
            escaped = 1'b0;
        end else if (value == ESCAPE)
            escaped = 1'b1;
        else if (count < 512) begin
            packet[count] = escaped ? value ^ 8'h20 : value;
            escaped = 1'b0;
            count = count + 1;
        end
    endtask
