// SPDX-FileCopyrightText: The phasebench authors
// SPDX-License-Identifier: Apache-2.0
//
// Command engine: carries out each checked packet, and answers it with one reply.
//
// Interface: packets and replies as in pb_packet_rx and pb_packet_tx; replies are those of
//            docs/reference/protocol.md.
//            request_o asks for the sender and holds it until the reply is out. good_o pulses once
//            for each packet, repetitions and refused ones included. addr_o is stable from 3 clocks
//            before wr_o to one clock after it.
// Timing:    the first byte of PLAY is carried out 10 clocks after packet_valid_i, that of WRITE
//            12, then one each clock. tx_ready_i is never high in two successive clocks.
// Reset:     idle, no credits, no last packet.
// Repeats:   a packet with the sequence and opcode of the last one is answered again, and carried
//            out again only if it is a READ.
`default_nettype none
`include "pb_sim_skip.vh"
`include "pb_regs.vh"

module pb_command #(
    parameter LANES            = 3,
    parameter PLAY_DEPTH_LOG2  = 11,
    parameter FAULTS           = 0,     // fault units, 0..15
    parameter FAULT_DEPTH_LOG2 = 8,     // log2 of the bytes of a fault unit's buffer
    parameter FAULT_PORTS      = FAULTS > 0 ? FAULTS : 1     // derived: at least 1, the smallest width of a port
) (
    input  wire        clk,
    input  wire        rst_i,

    input  wire        packet_valid_i,
    output reg  [7:0]  index_o,
    input  wire [7:0]  byte_i,
    output reg         done_o,

    output reg         request_o,
    input  wire        grant_i,
    output reg         tx_valid_o,
    output wire [7:0]  tx_data_o,
    output wire        tx_last_o,
    input  wire        tx_ready_i,

    output wire        wr_o,            // wdata_o goes to register addr_o one clock later
    output reg  [9:0]  addr_o,
    output reg  [31:0] wdata_o,
    input  wire [31:0] rdata_i,         // of register addr_o, as it was up to 6 clocks ago

    output reg  [LANES-1:0]  play_wr_o,
    output wire [7:0]        play_data_o,
    input  wire [(PLAY_DEPTH_LOG2+1)*LANES-1:0] play_level_i,
    output reg  [FAULT_PORTS-1:0] fault_wr_o,       // also takes play_data_o
    input  wire [(FAULT_DEPTH_LOG2+1)*FAULT_PORTS-1:0] fault_level_i,

    output reg  [15:0] credits_o,
    input  wire        credit_used_i,

    output reg         good_o
);
    localparam LEVEL_BITS = PLAY_DEPTH_LOG2 + 1;
    localparam FAULT_LEVEL_BITS = FAULT_DEPTH_LOG2 + 1;
    localparam [15:0] PLAY_BYTES  = 16'd1 << PLAY_DEPTH_LOG2;
    localparam [15:0] FAULT_BYTES = 16'd1 << FAULT_DEPTH_LOG2;

    localparam [3:0] IDLE = 4'd0, FETCH = 4'd1, CHECK = 4'd2, VERDICT = 4'd3, START = 4'd4, WORDS = 4'd5, PLAY = 4'd6,
                     REQUEST = 4'd7, HEAD = 4'd8, LOAD = 4'd9, DATA = 4'd10, LEVEL = 4'd11;

    reg  [3:0]  state_q;
    reg         is_read, is_write, is_play, is_credit;  // the opcode; all 0: unknown, or no packet yet
    reg  [7:0]  sequence_q;
    reg         same_q;          // not a READ, and the opcode of the last packet; after the sequence byte: a repetition
    reg         length_ok_q;
    reg         detail_ok_q;     // lane or mode is valid
    reg  [LANES-1:0]       lane_q;      // the addressed lane or fault unit
    reg  [FAULT_PORTS-1:0] unit_q;
    reg         fixed_q;
    reg  [1:0]  status_q;        // of the current packet; before its check, of the last one
    reg  [7:0]  left_q;          // bytes or words left, 0 after CREDIT; in the reply to WRITE the length of the packet
    reg  [2:0]  step_q;          // byte of the reply's head or of a word
    reg  [15:0] rest_q;          // level of the addressed lane or fault unit, complemented; for CREDIT the credits
    reg  [15:0] free_q;          // free bytes of that lane or unit; for CREDIT the credits
    reg         written_q;

    // wdata_o is the only shift register for bytes in transit, filled from the top: the first payload bytes, words to
    // write, bytes for the slot player, then words that were read.
    assign play_data_o = wdata_o[31:24];
    wire   last        = left_q == 8'd1;
    wire   has_data    = is_read && status_q == 2'd0;

    // ---- the packet
    wire       no_room = free_q[15:8] == 8'd0 && left_q > free_q[7:0];
    wire [7:0] verdict = !length_ok_q ? `PB_STATUS_LENGTH : !detail_ok_q ? `PB_STATUS_OPCODE :
                         is_play && no_room ? `PB_STATUS_BUSY : `PB_STATUS_OK;

    // ---- the reply
    wire       low    = step_q == (is_play ? 3'd5 : 3'd4);
    wire       high   = step_q == (is_play ? 3'd6 : 3'd5);
    wire       number = (is_play || is_credit) && (low || high);        // of free bytes, or credits
    wire       made   = step_q[2:1] == 2'd1 || (step_q == 3'd6 && !is_read);    // not a byte of the packet
    wire [5:0] words  = left_q[5:0] + 6'd1;         // and the head
    wire [7:0] length = has_data ? {words, 2'd0} : 8'd4;
    wire [7:0] counts = step_q[2] ? {2'd0, left_q[7:2]} : step_q[0] ? {6'd0, status_q} : length;
    wire [7:0] half   = low ? free_q[7:0] : free_q[15:8];
    wire [1:0] pick   = state_q != HEAD ? 2'd0 : number ? 2'd1 : made ? 2'd2 : 2'd3;
    assign tx_data_o  = pick[1] ? (pick[0] ? byte_i | {step_q == 3'd0, 7'd0} : counts) : (pick[0] ? half : wdata_o[7:0]);
    assign tx_last_o  = state_q == HEAD ? step_q == 3'd6 && !has_data : step_q[1:0] == 2'd3 && last;
    assign wr_o       = state_q == WORDS && step_q[1:0] == 2'd3;

    // Variables of the block: a simulator computes them only when it needs them; the logic is the same.
    integer n;
    always @(posedge clk) if (`PB_SIM_ACTIVE(state_q != IDLE || packet_valid_i || credit_used_i || done_o || good_o || rst_i)) begin : engine
        reg carried_out, now_write, now_play, now_credit, count_ok, words_ok, bytes_ok, length_ok, fetched, grants;
        reg payload, taken, shift, new_address, next_address, next_index, new_left, next_left;
        reg [LANES-1:0]       lane_d;
        reg [FAULT_PORTS-1:0] unit_d;
        reg [15:0]            level, size, granted;
        reg [7:0]             left_d;
        reg [9:0]             addr_d;

        carried_out = status_q == 2'd0 && !same_q;
        now_write   = byte_i == `PB_OPCODE_WRITE;
        now_play    = byte_i == `PB_OPCODE_PLAY;
        now_credit  = byte_i == `PB_OPCODE_CREDIT;
        // left_q is the count of READ (1..60), or the length: WRITE 3 + 4 * 1..60, PLAY 1 + 1..249.
        // Tested bit by bit: a comparison with a constant would be a carry chain.
        count_ok  = left_q != 8'd0 && left_q[7:6] == 2'd0 && !(left_q[5:2] == 4'hf && left_q[1:0] != 2'd0);
        words_ok  = left_q[1:0] == 2'd3 && left_q[7:2] != 6'd0 && !(left_q[7:4] == 4'hf && left_q[3:2] != 2'd0);
        bytes_ok  = left_q[7:1] != 7'd0 && !(left_q[7:3] == 5'h1f && left_q[2:0] > 3'd2);
        length_ok = is_read  ? left_q == 8'd4 :
                    is_write ? words_ok :
                    is_play  ? bytes_ok :
                               !is_credit || left_q == 8'd2;
        // Payload bytes fetched before the packet is checked: PLAY 1, CREDIT 2, WRITE 3, any other 4.
        fetched   = index_o[2] && index_o[1:0] == {!is_play && !is_credit, !is_play && !is_write};

        unit_d = 0;
        level  = 16'd0;
        for (n = 0; n < LANES; n = n + 1) begin
            lane_d[n] = byte_i == n[7:0];
            level     = level | {{(16-LEVEL_BITS){1'b0}}, play_level_i[LEVEL_BITS*n +: LEVEL_BITS] & {LEVEL_BITS{lane_q[n]}}};
        end
        for (n = 0; n < FAULTS; n = n + 1) begin
            unit_d[n] = byte_i == {1'b1, n[6:0]};
            level     = level | {{(16-FAULT_LEVEL_BITS){1'b0}},
                                 fault_level_i[FAULT_LEVEL_BITS*n +: FAULT_LEVEL_BITS] & {FAULT_LEVEL_BITS{unit_q[n]}}};
        end
        // Free bytes: size + ~level + 1. The same adder passes the credits through: -1 + credits + 1.
        size    = is_credit ? 16'hffff : unit_q != 0 ? FAULT_BYTES : PLAY_BYTES;
        grants  = state_q == START && is_credit && carried_out && !credit_used_i;
        granted = grants ? wdata_o[31:16] : {16{credit_used_i}};

        // ---- actions of several states
        payload      = state_q == FETCH && index_o[2];
        taken        = tx_ready_i && state_q == DATA;
        shift        = state_q == FETCH || state_q == WORDS || state_q == PLAY || taken;
        new_address  = payload && index_o[1:0] == 2'd2;
        next_address = (written_q || state_q == LOAD) && !fixed_q;
        next_index   = (state_q == FETCH && !fetched) || state_q == START || state_q == WORDS || state_q == PLAY ||
                       (state_q == HEAD && tx_ready_i && step_q != 3'd2);
        new_left     = (state_q == FETCH && index_o[2:0] == 3'd3) || (payload && index_o[1:0] == 2'd2 && is_read) ||
                       (state_q == HEAD && step_q == 3'd2 && is_write);
        next_left    = (payload && index_o[1:0] != 2'd3) || state_q == WORDS || state_q == PLAY || (taken && step_q[1:0] == 2'd3);
        // Load cycle: the adder operand is a don't-care, so each counter bit fits one logic cell.
        addr_d = addr_o + {9'd0, !new_address};
        left_d = left_q + {8{!new_left}};

        // ---- the registers
        done_o     <= 1'b0;
        play_wr_o  <= 0;
        fault_wr_o <= 0;
        good_o     <= 1'b0;
        written_q  <= wr_o;
        credits_o  <= credits_o + granted;
        rest_q     <= is_credit ? credits_o : ~level;
        if (!(state_q == HEAD && step_q[2]))    // holds while its two bytes are sent
            free_q <= size + rest_q + 16'd1;
        if (new_address || next_address)
            addr_o <= new_address ? wdata_o[25:16] : addr_d;
        if (shift || state_q == LOAD)
            wdata_o <= state_q == LOAD ? rdata_i : {byte_i, wdata_o[31:8]};
        if (new_left || next_left)
            left_q <= new_left ? byte_i : left_d;
        if (state_q == IDLE || state_q == REQUEST)
            index_o <= 8'd0;
        else if (next_index)
            index_o <= index_o + 8'd1;
        case (state_q)
            IDLE: if (packet_valid_i && !done_o) begin
                state_q <= FETCH;
                good_o  <= 1'b1;
            end
            // byte_i is that of the index one clock ago.
            FETCH: begin
                step_q <= 3'd0;
                if (fetched)
                    state_q <= LEVEL;
                case (index_o[2:0])
                    3'd1: begin
                        same_q    <= (now_write && is_write) || (now_play && is_play) || (now_credit && is_credit);
                        is_read   <= byte_i == `PB_OPCODE_READ;
                        is_write  <= now_write;
                        is_play   <= now_play;
                        is_credit <= now_credit;
                    end
                    3'd2: begin
                        same_q     <= same_q && byte_i == sequence_q;
                        sequence_q <= byte_i;
                    end
                    3'd4: begin
                        length_ok_q <= length_ok;
                        detail_ok_q <= is_credit || (is_play && {lane_d, unit_d} != 0);
                        lane_q      <= lane_d;
                        unit_q      <= unit_d;
                    end
                    3'd6: begin
                        fixed_q     <= byte_i[0];
                        detail_ok_q <= is_write && byte_i[7:1] == 7'd0;
                    end
                    3'd7: begin
                        length_ok_q <= length_ok_q && (!is_read || count_ok);
                        fixed_q     <= byte_i[0];
                        detail_ok_q <= is_read && byte_i[7:1] == 7'd0;
                    end
                    default: ;
                endcase
            end
            LEVEL: state_q <= CHECK;        // loads rest_q
            CHECK: state_q <= VERDICT;      // loads free_q
            VERDICT: begin
                state_q <= START;
                if (!same_q)
                    status_q <= verdict[1:0];
            end
            START: begin
                state_q <= REQUEST;
                if (carried_out) begin
                    if (is_write)
                        state_q <= WORDS;
                    if (is_play)
                        state_q <= PLAY;
                    if (is_credit && credit_used_i)
                        state_q <= START;   // one adder: wait for a clock in which no credit is used
                end
            end
            WORDS: begin
                step_q <= step_q + 3'd1;
                if (last)
                    state_q <= REQUEST;
            end
            PLAY: begin
                play_wr_o  <= lane_q;
                fault_wr_o <= unit_q;
                if (last)
                    state_q <= REQUEST;
            end
            REQUEST: begin
                request_o <= 1'b1;
                step_q    <= 3'd0;
                if (grant_i) begin
                    state_q    <= HEAD;     // the opcode was read in the clock of the request
                    tx_valid_o <= 1'b1;
                end
            end
            HEAD: if (tx_ready_i) begin
                step_q <= step_q + 3'd1;
                if (step_q == 3'd6) begin
                    tx_valid_o <= 1'b0;
                    state_q    <= LOAD;
                    if (!has_data) begin
                        request_o <= 1'b0;
                        done_o    <= 1'b1;
                        state_q   <= IDLE;
                    end
                end
            end
            // One read gives all four bytes, so a counter that changes is still consistent.
            LOAD: begin
                tx_valid_o <= 1'b1;
                step_q     <= 3'd0;
                state_q    <= DATA;
            end
            default: if (tx_ready_i) begin
                step_q <= step_q + 3'd1;
                if (step_q[1:0] == 2'd3) begin
                    tx_valid_o <= 1'b0;
                    state_q    <= LOAD;
                    if (last) begin
                        request_o <= 1'b0;
                        done_o    <= 1'b1;
                        state_q   <= IDLE;
                    end
                end
            end
        endcase
        if (rst_i) begin
            state_q    <= IDLE;
            {is_read, is_write, is_play, is_credit} <= 4'd0;
            request_o  <= 1'b0;
            tx_valid_o <= 1'b0;
            credits_o  <= 16'd0;
            done_o     <= 1'b0;
            play_wr_o  <= 0;
            fault_wr_o <= 0;
            good_o     <= 1'b0;
        end
    end

    wire unused = &{1'b0, verdict[7:2], fault_level_i};
endmodule

`default_nettype wire
