// SPDX-FileCopyrightText: The phasebench authors
// SPDX-License-Identifier: Apache-2.0
//
// Command engine: carries out one checked packet after the other and answers each with exactly one reply.
//
// Reply payload: status, three bytes that depend on the opcode, then data.
//     READ    address low, high, word count, then the words
//     WRITE   address low, high, word count
//     PLAY    lane or 0x80 + fault unit, its free bytes low, high (after this packet)
//     CREDIT  credits low, high, 0 (after this packet)
// A packet with the sequence and opcode of the last one is a repetition after a lost reply: it is answered again but, unless it is
// a READ, not carried out again.
//
// good_o pulses once for each packet that was taken up, repetitions and refused ones among them: the host is alive.
//
// Handshake with pb_packet_rx and pb_packet_tx as described there; tx_busy_i is high while somebody else sends, request_o asks for
// the sender and holds it until the reply is out.
// Reset: idle, no credits, no last packet.
`default_nettype none
`include "pb_regs.vh"

module pb_command #(
    parameter LANES            = 3,
    parameter PLAY_DEPTH_LOG2  = 11,
    parameter FAULTS           = 0,     // fault units, 0..15
    parameter FAULT_DEPTH_LOG2 = 8,     // log2 of the bytes of a fault unit's buffer
    parameter FAULT_PORTS      = FAULTS > 0 ? FAULTS : 1     // follows from FAULTS: a port cannot have no width
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
    output reg  [7:0]  tx_data_o,
    output reg         tx_last_o,
    input  wire        tx_ready_i,

    output reg         wr_o,
    output reg  [9:0]  addr_o,
    output reg  [31:0] wdata_o,
    input  wire [31:0] rdata_i,

    output reg  [LANES-1:0]  play_wr_o,
    output wire [7:0]        play_data_o,
    input  wire [(PLAY_DEPTH_LOG2+1)*LANES-1:0] play_level_i,
    output reg  [FAULT_PORTS-1:0] fault_wr_o,       // takes play_data_o, too
    input  wire [(FAULT_DEPTH_LOG2+1)*FAULT_PORTS-1:0] fault_level_i,

    output reg  [15:0] credits_o,
    input  wire        credit_used_i,

    output reg         good_o
);
    localparam LEVEL_BITS = PLAY_DEPTH_LOG2 + 1;
    localparam [15:0] PLAY_BYTES = 16'd1 << PLAY_DEPTH_LOG2;
    localparam FAULT_LEVEL_BITS = FAULT_DEPTH_LOG2 + 1;
    localparam [15:0] FAULT_BYTES = 16'd1 << FAULT_DEPTH_LOG2;

    localparam [3:0] IDLE = 4'd0, FETCH = 4'd1, DECODE = 4'd2, WORDS = 4'd3, PLAY = 4'd4, LEVEL = 4'd5,
                     REQUEST = 4'd6, HEAD = 4'd7, LOAD = 4'd8, DATA = 4'd9, FINISH = 4'd10;

    reg  [3:0]  state_q;
    reg  [7:0]  opcode_q, sequence_q, length_q;
    reg  [15:0] address_q;       // first two payload bytes
    reg         fixed_q;
    reg         wait_q;          // the packet buffer's read latency
    reg  [1:0]  status_q;
    reg         repeat_q;
    reg         last_valid_q;
    reg  [7:0]  last_sequence_q, last_opcode_q;
    reg  [1:0]  last_status_q;
    reg  [7:0]  left_q;          // bytes or words left
    reg  [1:0]  part_q;          // byte of a word
    reg  [3:0]  head_q;          // byte of the reply's head

    // wdata_o is the one shift register for all bytes on their way, in from the top: the first four payload bytes, words to
    // be written, bytes for the slot player, then the reply's detail and the words that were read.
    wire [7:0]  count    = wdata_o[23:16];      // the third payload byte
    assign play_data_o   = wdata_o[31:24];
    wire        is_read  = opcode_q == `PB_OPCODE_READ;
    wire        is_write = opcode_q == `PB_OPCODE_WRITE;
    wire        is_play  = opcode_q == `PB_OPCODE_PLAY;
    wire        is_credit = opcode_q == `PB_OPCODE_CREDIT;
    wire [7:0]  words    = is_read ? count : (length_q - 8'd3) >> 2;

    reg  [15:0] level;           // bytes in the addressed lane or fault unit
    reg         lane_ok;
    integer     n;
    always @* begin
        level   = 16'd0;
        lane_ok = 1'b0;
        for (n = 0; n < LANES; n = n + 1)
            if (address_q[7:0] == n[7:0]) begin
                level   = {{(16-LEVEL_BITS){1'b0}}, play_level_i[LEVEL_BITS*n +: LEVEL_BITS]};
                lane_ok = 1'b1;
            end
        for (n = 0; n < FAULTS; n = n + 1)
            if (address_q[7:0] == {1'b1, n[6:0]}) begin
                level   = {{(16-FAULT_LEVEL_BITS){1'b0}}, fault_level_i[FAULT_LEVEL_BITS*n +: FAULT_LEVEL_BITS]};
                lane_ok = 1'b1;
            end
    end
    wire [15:0] size = FAULTS > 0 && address_q[7] ? FAULT_BYTES : PLAY_BYTES;
    wire [15:0] free = size - level;

    wire [7:0]  bytes    = length_q - 8'd1;
    wire        no_room  = {8'd0, bytes} > free;

    // Bit by bit: a comparison with a constant would be a carry chain. 3 mod 4 are 7..243, words 1..60, bytes 1..249.
    wire count_ok  = count != 8'd0 && count[7:6] == 2'd0 && !(count[5:2] == 4'hf && count[1:0] != 2'd0);
    wire words_ok  = length_q[1:0] == 2'd3 && length_q[7:2] != 6'd0 && !(length_q[7:4] == 4'hf && length_q[3:2] != 2'd0);
    wire bytes_ok  = length_q[7:1] != 7'd0 && !(length_q[7:3] == 5'h1f && length_q[2:0] > 3'd2);
    wire length_ok = is_read  ? length_q == 8'd4 && count_ok :
                     is_write ? words_ok :
                     is_play  ? bytes_ok :
                                length_q == 8'd2;
    wire opcode_ok = is_read || is_write || is_play || is_credit;
    wire detail_ok = is_read  ? wdata_o[31:25] == 7'd0 :
                     is_write ? count[7:1] == 7'd0 :
                                !is_play || lane_ok;

    wire [7:0] verdict  = !opcode_ok ? `PB_STATUS_OPCODE : !length_ok ? `PB_STATUS_LENGTH :
                          !detail_ok ? `PB_STATUS_OPCODE :
                          is_play && no_room ? `PB_STATUS_BUSY : `PB_STATUS_OK;

    wire [7:0]  data_words = is_read && status_q == 2'd0 ? words : 8'd0;
    wire [23:0] detail = is_play ? {free, address_q[7:0]} : is_credit ? {8'd0, credits_o} : {words, address_q};
    wire        grants  = state_q == LEVEL && is_credit && !repeat_q && status_q == 2'd0 && !credit_used_i;
    wire [15:0] granted = grants ? wdata_o[15:0] : {16{credit_used_i}};

    always @(posedge clk) begin
        done_o     <= 1'b0;
        wr_o       <= 1'b0;
        play_wr_o  <= 0;
        fault_wr_o <= 0;
        good_o     <= 1'b0;
        wait_q     <= 1'b0;
        credits_o  <= credits_o + granted;
        case (state_q)
            IDLE: begin
                index_o <= 8'd0;
                wait_q  <= 1'b1;
                if (packet_valid_i && wait_q && !done_o) begin
                    state_q <= FETCH;
                    good_o  <= 1'b1;
                end
            end
            // Reads opcode, sequence, length and four payload bytes: byte_i belongs to the index of one clock ago.
            FETCH: begin
                index_o <= index_o + 8'd1;
                case (index_o)
                    8'd0: ;
                    8'd1: opcode_q <= byte_i;
                    8'd2: sequence_q <= byte_i;
                    8'd3: length_q <= byte_i;
                    8'd6: address_q <= wdata_o[31:16];
                    default: ;
                endcase
                wdata_o <= {byte_i, wdata_o[31:8]};
                if (index_o == 8'd7)
                    state_q <= DECODE;
            end
            DECODE: begin
                repeat_q <= last_valid_q && sequence_q == last_sequence_q && opcode_q == last_opcode_q && !is_read;
                status_q <= verdict[1:0];
                addr_o   <= address_q[9:0];
                fixed_q  <= is_read ? wdata_o[24] : count[0];
                part_q   <= 2'd0;
                state_q  <= LEVEL;
            end
            LEVEL: begin
                state_q <= REQUEST;
                if (repeat_q)
                    status_q <= last_status_q;
                else if (status_q == 2'd0) begin
                    if (is_credit && credit_used_i)
                        state_q <= LEVEL;   // one adder: wait for the clock in which none is used
                    if (is_write) begin
                        state_q <= WORDS;
                        left_q  <= words;
                        index_o <= 8'd6;
                        wait_q  <= 1'b1;
                    end
                    if (is_play) begin
                        state_q <= PLAY;
                        left_q  <= bytes;
                        index_o <= 8'd4;
                        wait_q  <= 1'b1;
                    end
                end
            end
            WORDS: begin
                wdata_o <= {byte_i, wdata_o[31:8]};
                if (wr_o && !fixed_q)
                    addr_o <= addr_o + 10'd1;
                index_o <= index_o + 8'd1;
                if (!wait_q) begin
                    part_q <= part_q + 2'd1;
                    if (part_q == 2'd3) begin
                        wr_o    <= 1'b1;
                        left_q  <= left_q - 8'd1;
                        if (left_q == 8'd1)
                            state_q <= REQUEST;
                    end
                end
            end
            PLAY: begin
                wdata_o <= {byte_i, wdata_o[31:8]};
                index_o <= index_o + 8'd1;
                if (!wait_q) begin
                    play_wr_o   <= {{(LANES-1){1'b0}}, 1'b1} << address_q[7:0];
                    for (n = 0; n < FAULTS; n = n + 1)
                        fault_wr_o[n] <= address_q[7:0] == {1'b1, n[6:0]};
                    left_q      <= left_q - 8'd1;
                    if (left_q == 8'd1)
                        state_q <= REQUEST;
                end
            end
            REQUEST: begin
                request_o <= 1'b1;
                head_q    <= 4'd0;
                left_q    <= data_words;
                if (grant_i) begin
                    wdata_o    <= {detail, wdata_o[15:8]};  // taken once, so that a moving count cannot tear
                    state_q    <= HEAD;
                    tx_valid_o <= 1'b1;
                    tx_data_o  <= opcode_q | 8'h80;
                    tx_last_o  <= 1'b0;
                end
            end
            HEAD: if (tx_ready_i) begin
                head_q <= head_q + 4'd1;
                case (head_q)
                    4'd0: tx_data_o <= sequence_q;
                    4'd1: tx_data_o <= 8'd4 + {left_q[5:0], 2'd0};
                    4'd2: tx_data_o <= {6'd0, status_q};
                    4'd3, 4'd4, 4'd5: begin
                        tx_data_o <= wdata_o[15:8];
                        wdata_o   <= {byte_i, wdata_o[31:8]};
                        tx_last_o <= head_q == 4'd5 && left_q == 8'd0;
                    end
                    default: begin
                        tx_valid_o <= 1'b0;
                        tx_last_o  <= 1'b0;
                        state_q    <= left_q == 8'd0 ? FINISH : LOAD;
                        wait_q     <= 1'b1;
                    end
                endcase
            end
            // rdata_i follows addr_o by one clock; all four bytes are taken from one reading, so a counter cannot tear.
            LOAD: if (!wait_q) begin
                tx_valid_o <= 1'b1;
                tx_data_o  <= rdata_i[7:0];
                wdata_o    <= rdata_i;
                part_q     <= 2'd0;
                left_q     <= left_q - 8'd1;
                state_q    <= DATA;
                if (!fixed_q)
                    addr_o <= addr_o + 10'd1;
            end
            DATA: if (tx_ready_i) begin
                part_q    <= part_q + 2'd1;
                tx_data_o <= wdata_o[15:8];
                wdata_o   <= {byte_i, wdata_o[31:8]};
                tx_last_o <= part_q == 2'd2 && left_q == 8'd0;
                if (part_q == 2'd3) begin
                    tx_valid_o <= 1'b0;
                    tx_last_o  <= 1'b0;
                    state_q    <= left_q == 8'd0 ? FINISH : LOAD;
                end
            end
            default: begin
                request_o       <= 1'b0;
                done_o          <= 1'b1;
                last_valid_q    <= 1'b1;
                last_sequence_q <= sequence_q;
                last_opcode_q   <= opcode_q;
                last_status_q   <= status_q;
                state_q         <= IDLE;
            end
        endcase
        if (rst_i) begin
            state_q      <= IDLE;
            request_o    <= 1'b0;
            tx_valid_o   <= 1'b0;
            tx_last_o    <= 1'b0;
            last_valid_q <= 1'b0;
            credits_o    <= 16'd0;
            done_o       <= 1'b0;
            wr_o         <= 1'b0;
            play_wr_o    <= 0;
            fault_wr_o   <= 0;
            good_o       <= 1'b0;
        end
    end

    wire unused = &{1'b0, address_q[15:10], verdict[7:2], fault_level_i};
endmodule

`default_nettype wire
