// SPDX-FileCopyrightText: The phasebench authors
// SPDX-License-Identifier: Apache-2.0
//
// pb_command, with any packets in any order, any fill levels of the buffers and any sender. Each packet gets
// one reply and one pulse of good_o, and there is no reply without a packet. The request for the sender comes
// after a fixed number of clocks. The reply is, byte for byte, the reply of docs/reference/protocol.md. Only
// a valid WRITE writes registers, each word once, at its address. A PLAY gives all its bytes to the lane or
// fault unit that it names, in order and only if all have room. Credits are those granted less those used. A
// repetition is answered as before and not carried out.
//
// A packet has seven symbolic bytes, the only ones that decisions depend on, and one at a symbolic place,
// which represents any other byte. The remaining bytes are arbitrary.
//
// sources: core/pb_command.v
// probe: state_q dut.state_q
// probe: step_q dut.step_q
// probe: left_q dut.left_q
// probe: rest_q dut.rest_q
// probe: free_q dut.free_q
// probe: status_q dut.status_q
// probe: same_q dut.same_q
// probe: sequence_q dut.sequence_q
// probe: length_ok_q dut.length_ok_q
// probe: detail_ok_q dut.detail_ok_q
// probe: lane_q dut.lane_q
// probe: unit_q dut.unit_q
// probe: fixed_q dut.fixed_q
// probe: written_q dut.written_q
// probe: is_read dut.is_read
// probe: is_write dut.is_write
// probe: is_play dut.is_play
// probe: is_credit dut.is_credit
`default_nettype none
`include "pb_regs.vh"

module proof_command #(
    parameter LANES      = 2,
    parameter PLAY_LOG2  = 8,
    parameter FAULTS     = 1,
    parameter FAULT_LOG2 = 5
) (
    input wire              clk,
    input wire              rst_i,
    input wire              come_i,         // a packet arrives as soon as the last one is done
    input wire [55:0]       head_i,         // its first seven bytes, the first in the low bits
    input wire [7:0]        far_i,          // its byte at `place`
    input wire [7:0]        any_i,          // another byte
    input wire              grant_i,
    input wire              ready_i,
    input wire [31:0]       rdata_i,
    input wire              used_i,         // a credit
    input wire              clear_i,        // the safe state empties all buffers
    input wire [LANES:0]    pop_i           // a byte leaves the buffer; the fault unit is on top
);
    localparam [3:0] IDLE = 4'd0, FETCH = 4'd1, CHECK = 4'd2, VERDICT = 4'd3, START = 4'd4, WORDS = 4'd5, PLAY = 4'd6,
                     REQUEST = 4'd7, HEAD = 4'd8, LOAD = 4'd9, DATA = 4'd10, LEVEL = 4'd11;
    localparam [15:0] PLAY_BYTES = 16'd1 << PLAY_LOG2, FAULT_BYTES = 16'd1 << FAULT_LOG2;

    reg started = 1'b0;
    always @(posedge clk) started <= 1'b1;
    always @* assume (rst_i == !started);

    // ---- the packet
    (* anyconst *) reg [7:0] place;         // of the byte that represents any other; at least 7
    always @* assume (place > 8'd6);
    reg         here;                       // a packet is present
    reg  [55:0] head;
    reg  [7:0]  far;
    wire [7:0]  index;
    reg  [7:0]  index_before, byte_q;
    wire        done, good;
    always @(posedge clk) begin
        if (rst_i || done || !here) begin
            here <= !rst_i && come_i;
            head <= head_i;
            far  <= far_i;
        end
        index_before <= index;
        byte_q <= index == place ? far : index < 8'd7 ? head[8*index[2:0] +: 8] : any_i;
    end

    // ---- the buffers
    reg  [PLAY_LOG2:0]  level [0:LANES-1];
    reg  [FAULT_LOG2:0] fault_level;
    wire [LANES-1:0]    play_wr;
    wire                fault_wr;
    wire [(PLAY_LOG2+1)*LANES-1:0] levels;
    genvar l;
    generate for (l = 0; l < LANES; l = l + 1) begin : g_lane
        assign levels[(PLAY_LOG2+1)*l +: PLAY_LOG2+1] = level[l];
        always @(posedge clk)
            level[l] <= rst_i || clear_i ? 0 : level[l] + {{PLAY_LOG2{1'b0}}, play_wr[l]} - {{PLAY_LOG2{1'b0}}, pop_i[l] && level[l] != 0};
    end endgenerate
    always @(posedge clk)
        fault_level <= rst_i || clear_i ? 0 : fault_level + {{FAULT_LOG2{1'b0}}, fault_wr} - {{FAULT_LOG2{1'b0}}, pop_i[LANES] && fault_level != 0};

    wire        request, valid, last, wr;
    wire [7:0]  data, play_data;
    wire [9:0]  addr;
    wire [31:0] wdata;
    wire [15:0] credits;
    pb_command #(.LANES(LANES), .PLAY_DEPTH_LOG2(PLAY_LOG2), .FAULTS(FAULTS), .FAULT_DEPTH_LOG2(FAULT_LOG2)) dut (
        .clk(clk), .rst_i(rst_i), .packet_valid_i(here), .index_o(index), .byte_i(byte_q), .done_o(done),
        .request_o(request), .grant_i(grant_i), .tx_valid_o(valid), .tx_data_o(data), .tx_last_o(last), .tx_ready_i(ready_i),
        .wr_o(wr), .addr_o(addr), .wdata_o(wdata), .rdata_i(rdata_i),
        .play_wr_o(play_wr), .play_data_o(play_data), .play_level_i(levels), .fault_wr_o(fault_wr), .fault_level_i(fault_level),
        .credits_o(credits), .credit_used_i(used_i), .good_o(good)
    );
    wire [3:0]  state_q;
    wire [2:0]  step_q;
    wire [7:0]  left_q;
    wire [15:0] rest_q, free_q;
    wire [1:0]  status_q;
    wire        same_q, length_ok_q, detail_ok_q, fixed_q, written_q, is_read, is_write, is_play, is_credit, unit_q;
    wire [7:0]  sequence_q;
    wire [LANES-1:0] lane_q;

    // The sender: granted only on request, no two bytes in successive clocks.
    wire take = valid && ready_i;
    reg  was_take;
    always @* assume ((!grant_i || request) && !(was_take && ready_i));
    // A credit is used only if one is left.
    always @* assume (!used_i || credits != 16'd0);

    // ---- the packet, by docs/reference/protocol.md
    wire [7:0] opcode = head[7:0], sequence = head[15:8], length = head[23:16];
    wire       read   = opcode == `PB_OPCODE_READ, write = opcode == `PB_OPCODE_WRITE;
    wire       play   = opcode == `PB_OPCODE_PLAY, credit = opcode == `PB_OPCODE_CREDIT;
    wire [9:0] address = head[33:24];
    wire [7:0] count  = read ? head[47:40] : (length - 8'd3) >> 2;      // words
    wire       fixed  = read ? head[48] : head[40];
    wire       length_ok = read   ? length == 8'd4 && count >= 8'd1 && count <= 8'd60 :
                           write  ? length >= 8'd7 && length <= 8'd243 && length[1:0] == 2'd3 :
                           play   ? length >= 8'd2 && length <= 8'd250 :
                           credit ? length == 8'd2 : 1'b1;
    wire [LANES-1:0] lane;
    generate for (l = 0; l < LANES; l = l + 1) begin : g_named
        assign lane[l] = head[31:24] == l;
    end endgenerate
    wire       unit      = head[31:24] == 8'h80;
    wire       detail_ok = read ? head[55:49] == 7'd0 : write ? head[47:41] == 7'd0 : play ? unit || lane != 0 : credit;
    wire [7:0] bytes     = length - 8'd1;       // of PLAY
    reg  [15:0] room;                           // of the named lane or unit
    integer n;
    always @* begin
        room = unit ? FAULT_BYTES - fault_level : PLAY_BYTES;
        for (n = 0; n < LANES; n = n + 1)
            if (lane[n])
                room = PLAY_BYTES - levels[(PLAY_LOG2+1)*n +: PLAY_LOG2+1];
    end
    reg        full;                            // there was no room at the check
    wire [1:0] verdict = !length_ok ? 2'd2 : !detail_ok ? 2'd3 : play && full ? 2'd1 : 2'd0;

    // ---- the last packet
    reg        had;
    reg  [7:0] last_opcode, last_sequence;
    reg  [1:0] last_status;
    wire       repeats = had && opcode == last_opcode && sequence == last_sequence && (write || play || credit);
    wire [1:0] status  = repeats ? last_status : verdict;
    wire       carries = status == 2'd0 && !repeats;

    // ---- progress of this packet
    reg         taken_up;       // good_o has pulsed
    reg  [7:0]  played, words;  // bytes to the lane or unit, words to registers
    reg  [8:0]  out;            // bytes of the reply
    reg         granted;        // credits
    reg  [15:0] account;        // all credits granted, less those used
    reg  [31:0] reading;
    reg         was_wr;
    reg  [9:0]  addr_1, addr_2;             // the address one and two clocks ago
    reg  [15:0] room_1, room_2, credits_1, credits_2;
    reg  [1:0]  calm;           // clocks since a byte went to a lane or unit
    reg  [8:0]  age;            // clocks since the packet arrived, without clocks in which credits were used
    wire [8:0]  reply  = read && status == 2'd0 ? {1'b0, 6'd0, 2'd0} + 9'd7 + {count[6:0], 2'd0} : 9'd7;
    wire [1:0]  lane_byte = out[1:0] - 2'd3;    // of a word of the reply
    wire        grant_now = state_q == START && credit && carries && !used_i;
    reg  [7:0]  want;
    always @* case (out)
        9'd0: want = opcode | 8'h80;
        9'd1: want = sequence;
        9'd2: want = reply[7:0] - 8'd3;
        9'd3: want = {6'd0, status};
        9'd4: want = credit ? free_q[7:0] : head[31:24];
        9'd5: want = play ? free_q[7:0] : credit ? free_q[15:8] : head[39:32];
        9'd6: want = play ? free_q[15:8] : read ? head[47:40] : (write ? length : credit ? length - 8'd2 : length - 8'd3) >> 2;
        default: want = reading >> {lane_byte, 3'd0};
    endcase
    wire [LANES:0] into = {fault_wr, play_wr};
    wire working = state_q != IDLE && state_q != REQUEST && state_q != HEAD && state_q != LOAD && state_q != DATA;
    always @(posedge clk) begin
        was_take    <= take && !rst_i;
        {addr_2, addr_1} <= {addr_1, addr};
        {room_2, room_1} <= {room_1, room};
        {credits_2, credits_1} <= {credits_1, credits};
        calm <= into != 0 ? 2'd0 : calm + {1'b0, calm != 2'd3};
        if (state_q == LEVEL)
            full <= room < {8'd0, bytes};
        if (state_q == LOAD)
            reading <= rdata_i;
        if (good)
            taken_up <= 1'b1;
        played <= played + {7'd0, play_wr != 0 || fault_wr};
        was_wr <= wr && !rst_i;
        words  <= words + {7'd0, was_wr};
        out    <= out + {8'd0, take};
        age    <= !working ? 9'd0 : age + {8'd0, !(state_q == START && credit && used_i)};
        if (grant_now)
            granted <= 1'b1;
        account <= account - {15'd0, used_i} + (grant_now ? head[39:24] : 16'd0);
        if (done) begin
            {taken_up, granted} <= 2'd0;
            {played, words} <= 16'd0;
            out <= 9'd0;
            had <= 1'b1;
            last_opcode   <= opcode;
            last_sequence <= sequence;
            last_status   <= status;
        end
        if (rst_i) begin
            {taken_up, granted, had} <= 3'd0;
            {played, words} <= 16'd0;
            out <= 9'd0;
            age <= 9'd0;
            account <= 16'd0;
        end
    end

    // ---- the properties
    always @* if (started) begin
        // one reply to a packet, and none without
        if (valid || request || good || wr || into != 0)
            assert (here && !done);
        assert (done == (out == reply && here && state_q == IDLE));
        if (done)
            assert (taken_up && played == (play && carries ? bytes : 8'd0) && words == (write && carries ? count : 8'd0) &&
                    granted == (credit && carries));
        if (good)
            assert (!taken_up);
        if (valid)
            assert (request && out < reply);
        if (take)
            assert (data == want && last == (out + 9'd1 == reply));
        assert (age <= 9'd264);
        // registers
        if (wr)
            assert (write && carries && words < count && addr == addr_1 && addr == addr_2);
        if (was_wr) begin
            assert (addr == address + (fixed ? 10'd0 : {2'd0, words}));
            for (n = 0; n < 4; n = n + 1) begin
                if ({words, 2'd0} + 10'd6 + n == {2'd0, place})
                    assert (wdata[8*n +: 8] == far);
                if (words == 8'd0 && n == 0)
                    assert (wdata[7:0] == head[55:48]);
            end
        end
        if (state_q == LOAD)
            assert (read && status == 2'd0 && addr == address + (fixed ? 10'd0 : {2'd0, count} - {2'd0, left_q}) &&
                    out == 9'd7 + {count[6:0] - left_q[6:0], 2'd0});
        // lanes and fault units
        if (into != 0) begin
            assert (play && carries && into == {unit, lane} && played < bytes && room != 16'd0);
            if (played < 8'd3)
                assert (play_data == head[8*(played[1:0] + 4) +: 8]);
            if (played + 8'd4 == place)
                assert (play_data == far);
        end
        // credits
        assert (credits == account);
    end
    // The reply reports at most the room that is left, and at least the credits that are left.
    always @* if (started && state_q == HEAD && step_q[2] && status == 2'd0) begin
        if (play)
            assert (free_q <= room);
        if (credit)
            assert (free_q >= credits);
    end

    // ---- the registers inside, for the induction
    wire [7:0] fetch  = play ? 8'd4 : credit ? 8'd5 : write ? 8'd6 : 8'd7;  // index at which the fetch ends
    wire       judged = state_q == LEVEL || state_q == CHECK || state_q == VERDICT || state_q == START;
    wire       busy   = state_q != IDLE;
    wire       parsed = busy && (state_q != FETCH || index >= 8'd3);        // opcode and sequence are taken
    wire       past   = busy && state_q != FETCH;
    wire       replies = state_q == REQUEST || state_q == HEAD || state_q == LOAD || state_q == DATA;
    wire       settled = state_q == START || state_q == WORDS || state_q == PLAY || replies;
    wire [7:0] moved  = (write ? length - 8'd3 : bytes) - left_q;           // bytes of WRITE or PLAY that were passed on
    wire [15:0] size  = credit ? 16'hffff : unit ? FAULT_BYTES : PLAY_BYTES;
    wire [15:0] sum   = size + rest_q + 16'd1;
    function [7:0] of_head(input [7:0] k);      // byte k
        of_head = k < 8'd7 ? head[8*k[2:0] +: 8] : far;
    endfunction
    // known(k): byte k is symbolic
    function known(input [7:0] k);
        known = k < 8'd7 || k == place;
    endfunction
    always @* if (started) begin
        assert (state_q <= LEVEL && (!here || written_q == was_wr));
        if (busy) begin
            assert (here && (!known(index_before) || byte_q == of_head(index_before)));
            assert (good ? !taken_up && state_q == FETCH && index == 8'd0 : taken_up);
        end else begin
            assert (!valid && !request && !good && !was_wr && into == 0 && taken_up == done);
            if (here && !done)
                assert (index == 8'd0);
            if (!done)
                assert (played == 8'd0 && words == 8'd0 && out == 9'd0 && !granted);
            if (done)
                assert (here && out == reply);
        end
        // values kept from the last packet, and those already replaced by this one
        if (parsed || done) begin
            assert ({is_read, is_write, is_play, is_credit} == {read, write, play, credit} && sequence_q == sequence);
            assert (!busy || same_q == repeats);
        end else if (state_q == FETCH && index == 8'd2) begin
            assert ({is_read, is_write, is_play, is_credit} == {read, write, play, credit} && (!had || sequence_q == last_sequence));
            assert (same_q == (had && opcode == last_opcode && !read && {write, play, credit} != 3'd0));
        end else begin
            assert ({is_read, is_write, is_play, is_credit} == ({4{had}} & {last_opcode == `PB_OPCODE_READ,
                last_opcode == `PB_OPCODE_WRITE, last_opcode == `PB_OPCODE_PLAY, last_opcode == `PB_OPCODE_CREDIT}));
            assert (!had || sequence_q == last_sequence);
        end
        if (settled || done)
            assert (status_q == status);
        else
            assert (!had || status_q == last_status);
        if (state_q == FETCH) begin
            assert (index < 8'd2 || index <= fetch);
            assert (index == 8'd0 || (index_before == index - 8'd1 && step_q == 3'd0));
            assert (age == {1'b0, index});
            assert (index != 8'd2 || wdata[31:24] == opcode);
            if (index >= 8'd3)
                assert (wdata[31:16] == {of_head(index - 8'd2), of_head(index - 8'd3)});
            if (index >= 8'd4)
                assert (left_q == (index == 8'd7 && read ? count : length + 8'd4 - index));
            if (index >= 8'd5)
                assert (lane_q == lane && unit_q == unit && length_ok_q == (read ? length == 8'd4 : length_ok));
            if (index == 8'd5 || index == 8'd6)
                assert (detail_ok_q == credit);
            if (index == 8'd7)
                assert (addr == address);
        end
        if (past)
            assert (length_ok_q == length_ok && detail_ok_q == detail_ok && lane_q == lane && unit_q == unit &&
                    (!(read || write) || fixed_q == fixed));
        if (judged) begin
            assert (((index == fetch && index_before == fetch) || (state_q == START && credit)) && step_q == 3'd0);
            assert (left_q == (read ? count : play ? bytes : credit ? length - 8'd2 : length - 8'd3));
            assert (age == {1'b0, fetch} + (state_q == LEVEL ? 9'd1 : state_q == CHECK ? 9'd2 : state_q == VERDICT ? 9'd3 : 9'd4));
            assert (!(read || write) || addr == address);
            assert (!credit || wdata[31:16] == head[39:24]);
        end
        if (!settled && !done || state_q == START)
            assert (played == 8'd0 && words == 8'd0 && out == 9'd0 && !granted && !was_wr && into == 0 && !valid && !request);
        else
            assert (granted == (credit && carries));
        // room
        if (past && state_q != LEVEL && (play || credit))
            assert (sum == (play ? room_1 : credits_1));
        if ((state_q == VERDICT || state_q == START || state_q == WORDS || state_q == PLAY || state_q == REQUEST ||
             (state_q == HEAD && !step_q[2])) && (play || credit))
            assert (free_q == (play ? room_2 : credits_2));
        if (play && state_q == CHECK)
            assert (full == (room_1 < {8'd0, bytes}));
        if (play && state_q == VERDICT)
            assert (full == (room_2 < {8'd0, bytes}));
        if (play && (unit || lane != 0) && !full && (state_q == CHECK || state_q == VERDICT || state_q == START))
            assert (room >= {8'd0, bytes});
        for (n = 0; n < LANES; n = n + 1)
            assert (levels[(PLAY_LOG2+1)*n +: PLAY_LOG2+1] <= PLAY_BYTES);
        assert (fault_level <= FAULT_BYTES);
        // a WRITE and a PLAY in progress
        if (state_q == WORDS) begin
            assert (write && carries && played == 8'd0 && into == 0 && left_q != 8'd0 && left_q <= length - 8'd3 && step_q == moved[2:0]);
            assert (index == 8'd7 + moved && index_before == index - 8'd1 && age == 9'd11 + moved && !valid && !request && out == 9'd0);
            assert (was_wr == (moved[1:0] == 2'd0 && moved != 8'd0));
            assert (moved[1:0] < 2'd2 || addr == addr_1);
            assert (moved[1:0] < 2'd3 || addr == addr_2);
        end
        if (state_q == PLAY) begin
            assert (play && carries && words == 8'd0 && !was_wr && left_q != 8'd0 && left_q <= bytes);
            assert (index == 8'd5 + moved && index_before == index - 8'd1 && age == 9'd9 + moved && !valid && !request && out == 9'd0);
            assert ((into != 0) == (moved != 8'd0) && room >= {8'd0, left_q} + {15'd0, into != 0});
        end
        if (was_wr)
            assert (write && carries && (state_q == WORDS || (state_q == REQUEST && !request)));
        if (state_q == WORDS || (state_q == REQUEST && write && carries)) begin
            assert (words + {7'd0, was_wr} == moved >> 2 && addr == address + (fixed ? 10'd0 : {2'd0, words}));
            for (n = 1; n <= 4; n = n + 1)
                if (moved >= n && known(8'd6 + moved - n) && (state_q == WORDS || was_wr))
                    assert (wdata[32-8*n +: 8] == of_head(8'd6 + moved - n));
        end
        if (into != 0) begin
            assert (play && carries && (state_q == PLAY || (state_q == REQUEST && !request)));
            if (known(8'd3 + moved))
                assert (play_data == of_head(8'd3 + moved));
        end
        if (state_q == PLAY || (state_q == REQUEST && play && carries))
            assert (played + {7'd0, into != 0} == moved && room >= {15'd0, into != 0});
        // the reply
        if (replies) begin
            if (state_q != HEAD || !write || step_q < 3'd2)
                assert (left_q == (read && state_q != REQUEST && state_q != HEAD ? left_q : read ? count :
                                   play ? (carries ? 8'd0 : bytes) : credit ? length - 8'd2 : write && carries ? 8'd0 : length - 8'd3));
            assert (out == 9'd0 || state_q != REQUEST);
            if (state_q == REQUEST)
                assert (!valid && (!request || index == 8'd0));
            else
                assert (request && into == 0 && !was_wr && played == (play && carries ? bytes : 8'd0) &&
                        words == (write && carries ? count : 8'd0));
        end
        if (replies && !(write && carries) && !was_wr)
            assert (words == 8'd0);
        if (replies && !(play && carries))
            assert (played == 8'd0 && into == 0);
        if (state_q == HEAD) begin
            assert (valid && out == {6'd0, step_q} && step_q != 3'd7);
            assert (index == {5'd0, step_q} - {7'd0, step_q >= 3'd3} && (was_take || index_before == index));
            assert (!write || step_q < 3'd3 || left_q == length);
            assert (calm >= (step_q == 3'd0 ? 2'd1 : step_q == 3'd1 ? 2'd2 : 2'd3));
            assert (!was_take || step_q != 3'd0);
        end
        if (play && calm != 2'd0 && busy && (past || index != 8'd0))
            assert (room >= room_1 && (calm == 2'd1 || (state_q == FETCH && index == 8'd1) || room_1 >= room_2));
        if (credit && replies && (state_q != REQUEST || request))
            assert (credits_1 >= credits && (state_q == REQUEST || credits_2 >= credits_1));
        if (play && replies && state_q == HEAD && step_q[2])
            assert (free_q <= room_2);
        if (credit && replies && state_q == HEAD && step_q[2])
            assert (free_q >= credits_2);
        if (read && (state_q == REQUEST || state_q == HEAD))
            assert (addr == address);
        if (state_q == LOAD || state_q == DATA)
            assert (read && status == 2'd0 && left_q != 8'd0 && left_q <= count);
        if (state_q == LOAD)
            assert (!valid);
        if (state_q == DATA) begin
            assert (valid && step_q < 3'd4 && out == 9'd7 + {count[6:0] - left_q[6:0], step_q[1:0]});
            assert (addr == address + (fixed ? 10'd0 : {2'd0, count} - {2'd0, left_q} + 10'd1));
            for (n = 0; n < 4; n = n + 1)
                if (n >= step_q)
                    assert (wdata[8*(n - step_q) +: 8] == reading[8*n +: 8]);
        end
    end
    always @* if (started) begin
        cover (done && write && carries && words == 8'd2);
        cover (done && play && carries && unit && bytes == 8'd3);
        cover (done && repeats && credit && status == 2'd0);
        cover (done && read && out == 9'd11);
        cover (done && play && full && !repeats && unit);
    end
endmodule
