// SPDX-FileCopyrightText: The phasebench authors
// SPDX-License-Identifier: Apache-2.0
//
// One lane of the slot player: sends prepared slot frames at prepared times on one line after the other.
//
// The lane is fed with records of bytes, low byte first:
//     0      target: link 0..63, or 0x80 + node port for the UART0 receive pin of that node
//     1      bits 6..0 number of data bytes n, 1..127; bit 7 immediate: start at once, ignore phase and superframe
//     2..3   bits 8..0 phase; bits 15..13 mark: 0 none, n = the frame is the deliberate fault of kind PB_FAULT_WRONG_BYTES - 1 + n
//     4..5   superframe, low 16 bits
//     6..7   number for the receipts of a marked record, 15 bits
//     8..10  start offset from the phase edge, ticks
//     11..13 bit period, Q16.4 ticks, 20 bits
//     14..   n data bytes, sent 8N1, LSB first, without a gap
// Records of one lane must be in time order. A record that is complete before its instant starts exactly there: the
// falling start edge leaves pull_o one clock after the clock in which elapsed_i equals the offset. A record whose
// instant has passed is thrown away and reported by a one-clock pulse on underrun_o with its phase and superframe, which
// stay for 64 clocks more. A record that turns out incomplete while it is sent is cut off, skipped and reported likewise.
// While the phase clock stands, records wait. sending_o is high from the start edge to the end of the last stop bit.
// A marked record gives receipts, one-clock pulses: began_o in the first clock of its start edge, ended_o in the first one after
// sending_o, also when the record was cut off or cleared; mark, number and target stay for 64 clocks more, so the next
// start edge comes 79 clocks after ended_o at the earliest. Mark 2 (FRAMING) makes the stop bit of the last byte low; what else is wrong
// in a marked record is in its bytes, period and offset.
// Reset: line released, buffer empty. clear_i: the same, but receipts keep their 64 clocks.
`default_nettype none

module pb_player_lane #(
    parameter DEPTH_LOG2 = 11  // log2 of the buffer in bytes
) (
    input  wire                clk,
    input  wire                rst_i,
    input  wire                clear_i,

    input  wire                wr_i,
    input  wire [7:0]          wr_data_i,
    output wire [DEPTH_LOG2:0] level_o,

    input  wire                running_i,
    input  wire [8:0]          phase_i,
    input  wire [15:0]         superframe_i,
    input  wire [26:0]         elapsed_i,

    output reg                 pull_o,      // 1 = pull the target low
    output wire [7:0]          target_o,
    output reg                 underrun_o,
    output wire [8:0]          record_phase_o,
    output wire [12:0]         record_superframe_o,

    output wire                sending_o,
    output reg                 began_o,
    output reg                 ended_o,
    output wire [2:0]          mark_o,
    output wire [14:0]         number_o
);
    localparam [2:0] FRAMING = 3'd2;    // mark: PB_FAULT_FRAMING

    localparam [1:0] HEADER = 2'd0, WAIT = 2'd1, SEND = 2'd2, SKIP = 2'd3;

    reg  [1:0]   state_q;
    reg  [111:0] header_q;   // shifted in from the top; byte 0 ends at the bottom
    reg  [3:0]   header_count_q;
    reg  [6:0]   bytes_q;    // bytes that are not over yet
    reg  [8:0]   shift_q;    // rest of the byte being sent, stop bit last
    reg  [3:0]   bits_q;     // bits still to start in this byte
    reg  [15:0]  timer_q;
    reg  [3:0]   fraction_q;
    reg          longer_q;   // the bit that begins is one tick longer
    reg  [5:0]   hold_q;     // ticks in SKIP, up to 63

    wire         byte_valid;
    wire [7:0]   byte_data;
    wire         full;
    wire         unused = &{1'b0, full, header_q[28:25], header_q[63], header_q[111:108], frames_ahead[14:0]};

    wire         immediate = header_q[15];
    wire [8:0]   phase     = header_q[24:16];
    wire [15:0]  superframe = header_q[47:32];
    wire [23:0]  offset    = header_q[87:64];
    wire [19:0]  period    = header_q[107:88];
    assign target_o            = header_q[7:0];
    assign record_phase_o      = phase;
    assign record_superframe_o = superframe[12:0];
    assign mark_o              = header_q[31:29];
    assign number_o            = header_q[62:48];

    // How far the record is ahead of the present; negative: late. Superframes modulo 2^16.
    reg          late, start;
    reg  [15:0]  frames_ahead;
    always @* begin : instant
        reg same_frame, same_phase;
        late  = 1'bx;    // of meaning in WAIT alone
        start = 1'bx;
        {frames_ahead, same_frame, same_phase} = 18'dx;
        if (state_q == WAIT) begin
            frames_ahead = superframe - superframe_i;
            // Compared, not taken from a difference: the way to the pin must not lead through its carries.
            same_frame   = superframe == superframe_i;
            same_phase   = same_frame && phase == phase_i;
            late         = running_i && (frames_ahead[15] || (same_frame && phase < phase_i) || (same_phase && {3'd0, offset} < elapsed_i));
            start        = immediate || (running_i && same_phase && {3'd0, offset} == elapsed_i);
        end
    end

    // While the timer is loaded, the operand that leads to its adder is anything: so it takes one logic cell per bit.
    wire        bit_end    = state_q == SEND && timer_q == 16'd1;
    wire        load       = state_q != SEND || bit_end || longer_q;
    wire [15:0] timer_d    = timer_q + {16{!load}};
    wire        byte_end   = bit_end && bits_q == 4'd0;
    wire        last_byte  = bytes_q == 7'd1;
    wire        fill       = state_q == HEADER || state_q == WAIT;
    wire [6:0]  bytes_d    = bytes_q + {7{!fill}};
    wire [4:0]  fraction_d = {1'b0, fraction_q} + {1'b0, period[3:0]};
    wire        next_byte  = (state_q == WAIT && start) || (state_q == SEND && byte_end && !last_byte);
    wire        send       = state_q == SEND;
    wire        bit_next   = !send || bit_end;
    wire        skip       = state_q == SKIP && byte_valid && bytes_q != 7'd0;
    wire        pop        = byte_valid && (state_q == HEADER || skip || next_byte);
    wire        marked     = mark_o != 3'd0;
    wire        stop_low   = mark_o == FRAMING && last_byte && bits_q == 4'd1;
    assign      sending_o  = send;

    pb_fifo #(.WIDTH(8), .DEPTH_LOG2(DEPTH_LOG2)) buffer (
        .clk(clk), .rst_i(rst_i), .clear_i(clear_i),
        .wr_i(wr_i), .wr_data_i(wr_data_i), .full_o(full),
        .rd_valid_o(byte_valid), .rd_data_o(byte_data), .rd_ready_i(pop),
        .level_o(level_o)
    );

    // The data path, with its enables written out: a synthesizer finds them in a case of all states only in part.
    always @(posedge clk) begin
        timer_q  <= load ? period[19:4] : timer_d;
        longer_q <= bit_end && fraction_d[4];
        hold_q   <= state_q == SKIP ? hold_q + {5'd0, !(&hold_q)} : 6'd0;
        if (fill || byte_end || skip)
            bytes_q <= fill ? header_q[14:8] : bytes_d;
        if (bit_next) begin
            fraction_q <= send ? fraction_d[3:0] : period[3:0];
            bits_q     <= send && !byte_end ? bits_q - 4'd1 : 4'd9;
            shift_q    <= send && !byte_end ? {1'b1, shift_q[8:1]} : {1'b1, byte_data};
        end
        if (state_q == HEADER && byte_valid)
            header_q <= {byte_data, header_q[111:8]};
        if (clear_i)
            bytes_q <= 7'd0;
    end

    always @(posedge clk) begin
        underrun_o <= 1'b0;
        began_o    <= 1'b0;
        ended_o    <= 1'b0;
        case (state_q)
            HEADER: begin
                pull_o <= 1'b0;
                if (byte_valid) begin
                    header_count_q <= header_count_q + 4'd1;
                    if (header_count_q == 4'd13) begin
                        header_count_q <= 4'd0;
                        state_q        <= WAIT;
                    end
                end
            end
            WAIT:
                if (header_q[14:8] == 7'd0)
                    state_q <= HEADER;
                else if (byte_valid) begin
                    if (start) begin
                        state_q <= SEND;
                        pull_o  <= 1'b1;
                        began_o <= marked;
                    end else if (late) begin
                        state_q    <= SKIP;
                        underrun_o <= 1'b1;
                    end
                end
            SEND:
                if (byte_end) begin
                    pull_o <= !last_byte && byte_valid;
                    if (last_byte) begin
                        state_q <= marked ? SKIP : HEADER;
                        ended_o <= marked;
                    end else if (!byte_valid) begin
                        state_q    <= SKIP;
                        underrun_o <= 1'b1;
                        ended_o    <= marked;
                    end
                end else if (bit_end)
                    pull_o <= !shift_q[0] || stop_low;
            // Skips what is left of the record, and stays long enough for the capture to fetch the header.
            SKIP:
                if (bytes_q == 7'd0 && &hold_q)
                    state_q <= HEADER;
        endcase
        if (rst_i || clear_i) begin
            state_q        <= !rst_i && (state_q == SKIP || (send && marked)) ? SKIP : HEADER;
            header_count_q <= 4'd0;
            pull_o         <= 1'b0;
            underrun_o     <= 1'b0;
            began_o        <= 1'b0;
            ended_o        <= !rst_i && send && marked;
        end
    end
endmodule

`default_nettype wire
