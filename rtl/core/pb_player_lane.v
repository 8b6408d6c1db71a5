// SPDX-FileCopyrightText: The phasebench authors
// SPDX-License-Identifier: Apache-2.0
//
// One lane of the slot player: sends prepared frames at scheduled times, on one line at a time.
//
// Interface: records of bytes, low byte first: a head (PLAY_RECORD in registers.md), then data,
//            sent 8N1, LSB first, without a gap. Receipts of a marked record, underrun_o and their
//            fields: docs/design/rtl.md.
// Timing:    the start edge leaves pull_o 3 clocks after the clock in which elapsed_i equals the
//            offset. sending_o is high from there to the end of the last stop bit. loaded_o is high
//            in the first clock in which target_o is that of the next record, at least 2 clocks
//            before sending_o.
// Reset:     line released, buffer empty. clear_i: the same, but receipts keep their 64 clocks.
// Limits:    records in time order; a bit of at least 2 ticks. While the phase clock is stopped
//            records wait.
`default_nettype none
`include "pb_sim_skip.vh"
`include "pb_clocks.vh"
`include "pb_regs.vh"

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

    output wire                loaded_o,
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
    localparam HEAD_BITS = `PB_PLAY_RECORD_BITS;
    localparam [31:0] LAST = HEAD_BITS / 8 - 1;
    localparam [3:0] LAST_BYTE = LAST[3:0];     // of the header

    localparam [1:0] HEADER = 2'd0, WAIT = 2'd1, SEND = 2'd2, SKIP = 2'd3;

    reg  [1:0]   state_q;
    reg  [HEAD_BITS-1:0] header_q;   // the complement of the header, shifted in from the top; byte 0 ends at the bottom
    reg  [3:0]   header_count_q;
    reg  [6:0]   bytes_q;    // bytes not completed
    reg  [8:0]   shift_q;    // rest of the byte being sent, stop bit last
    reg  [3:0]   bits_q;     // bits still to start in this byte
    reg  [15:0]  timer_q;
    reg  [3:0]   fraction_q;
    reg          longer_q;   // the bit that begins is one tick longer
    reg          end_q;      // this is the last tick of a bit
    reg          over_q;     // this is the last tick of a byte
    reg          last_q;     // bytes_q was 1 one clock ago
    reg          more_q;     // bytes_q is not 0
    reg  [5:0]   hold_q;     // ticks in SKIP, up to 63

    wire         byte_valid;
    wire [7:0]   byte_data;
    wire         full;
    wire [HEAD_BITS-1:0] header = ~header_q;
    wire         unused = &{1'b0, full, header & `PB_PLAY_RECORD_SPARE};

    wire         immediate = header[`PB_PLAY_RECORD_IMMEDIATE_LSB];
    wire [6:0]   count     = header[`PB_PLAY_RECORD_COUNT_RANGE];
    wire [8:0]   phase     = header[`PB_PLAY_RECORD_PHASE_RANGE];
    wire [15:0]  superframe = header[`PB_PLAY_RECORD_SUPERFRAME_RANGE];
    wire [23:0]  offset    = header[`PB_PLAY_RECORD_OFFSET_RANGE];
    wire [19:0]  period    = header[`PB_PLAY_RECORD_PERIOD_RANGE];
    assign target_o            = header[`PB_PLAY_RECORD_TARGET_RANGE];
    assign record_phase_o      = phase;
    assign record_superframe_o = superframe[12:0];
    assign mark_o              = header[`PB_PLAY_RECORD_MARK_RANGE];
    assign number_o            = header[`PB_PLAY_RECORD_NUMBER_RANGE];

    // Delay of the record one clock ago, less one, in phases and in ticks: -1 on time, lower: ahead. Superframes are modulo 2^16.
    // header_q has the complement, so that the subtraction needs no inverters.
    wire         waits     = state_q == WAIT;
    reg  [24:0]  slots_q, ticks_q;
    reg          beyond_q;  // elapsed_i was larger than any offset
    reg          running_q;
    reg          waits_q;   // a record waited one clock ago; bytes_q has its count now
    reg          ready_q;   // its first data byte was available also
    reg          start_q, late_q;   // decision on the record, from the time of two clocks ago
    wire         same_slot = &slots_q;
    wire         passed    = !slots_q[24] || (same_slot && (!ticks_q[24] || beyond_q));
    wire         now       = same_slot && &ticks_q && !beyond_q;
    // Idle without a record: the state left by the last record is loaded again while the next record arrives.
    wire         busy      = state_q != HEADER || byte_valid;
    assign       loaded_o  = waits && !waits_q;
    always @(posedge clk) if (`PB_SIM_ACTIVE(busy || rst_i || clear_i)) begin
        if (waits) begin
            slots_q  <= ~{superframe, phase} + {superframe_i, phase_i};
            `PB_IF_TIME
                ticks_q <= ~{1'b0, offset} + {1'b0, elapsed_i[23:0]};
            beyond_q <= elapsed_i[26:24] != 3'd0;
        end
        running_q <= running_i;
        waits_q   <= waits;
        ready_q   <= waits && byte_valid;
        start_q   <= ready_q && (immediate || (running_q && now));
        late_q    <= ready_q && running_q && passed;
    end

    // Load cycle: the adder operand is a don't-care, so each counter bit fits one logic cell.
    wire        send       = state_q == SEND;
    wire        load       = !send || end_q || longer_q;
    wire [15:0] timer_d    = timer_q + `PB_DOWN(16, !load);
    wire        end_d      = !load && timer_q == 16'd2;
    wire        one        = bytes_q == 7'd1;
    wire        fill       = state_q == HEADER || waits;
    wire [6:0]  bytes_d    = bytes_q + {7{!fill}};
    wire [4:0]  fraction_d = {1'b0, fraction_q} + {1'b0, period[3:0]};
    wire        next_byte  = (waits && start_q) || (over_q && !last_q);
    wire        bit_next   = !send || end_q;
    wire        skip       = state_q == SKIP && byte_valid && more_q;
    reg         next_q;     // the byte at byte_data was loaded one clock ago, at the border of two bits, and leaves the buffer now
    wire        pop        = byte_valid && (state_q == HEADER || skip || next_q);
    wire        marked     = mark_o != 3'd0;
    wire        stop_low   = mark_o == `PB_PLAY_MARK_FRAMING && last_q && bits_q == 4'd1;
    assign      sending_o  = send;

    pb_fifo #(.WIDTH(8), .DEPTH_LOG2(DEPTH_LOG2)) buffer (
        .clk(clk), .rst_i(rst_i), .clear_i(clear_i),
        .wr_i(wr_i), .wr_data_i(wr_data_i), .full_o(full),
        .rd_valid_o(byte_valid), .rd_data_o(byte_data), .rd_ready_i(pop),
        .level_o(level_o)
    );

    // The data path, with explicit enables: in a case of all states synthesis finds only some of them.
    always @(posedge clk) if (`PB_SIM_ACTIVE(busy || rst_i || clear_i)) begin
        timer_q  <= load ? period[19:4] : timer_d;
        longer_q <= end_q && fraction_d[4];
        end_q    <= end_d;
        over_q   <= end_d && bits_q == 4'd0;
        last_q   <= one;
        next_q   <= next_byte && byte_valid && !clear_i;
        hold_q   <= state_q == SKIP ? hold_q + {5'd0, !(&hold_q)} : 6'd0;
        if (fill || over_q || skip) begin
            bytes_q <= fill ? count : bytes_d;
            more_q  <= fill ? count != 7'd0 : !one;
        end
        if (bit_next) begin
            fraction_q <= send ? fraction_d[3:0] : period[3:0];
            bits_q     <= send && !over_q ? bits_q - 4'd1 : 4'd9;
            shift_q    <= send && !over_q ? {1'b1, shift_q[8:1]} : {1'b1, byte_data};
        end
        if (state_q == HEADER && byte_valid)
            header_q <= {~byte_data, header_q[HEAD_BITS-1:8]};
        if (clear_i) begin
            bytes_q <= 7'd0;
            more_q  <= 1'b0;
        end
        if (rst_i || clear_i) begin
            end_q  <= 1'b0;
            over_q <= 1'b0;
        end
    end

    always @(posedge clk) if (`PB_SIM_ACTIVE(busy || rst_i || clear_i)) begin
        underrun_o <= 1'b0;
        began_o    <= 1'b0;
        ended_o    <= 1'b0;
        case (state_q)
            HEADER: begin
                pull_o <= 1'b0;
                if (byte_valid) begin
                    header_count_q <= header_count_q + 4'd1;
                    if (header_count_q == LAST_BYTE) begin
                        header_count_q <= 4'd0;
                        state_q        <= WAIT;
                    end
                end
            end
            WAIT:
                if (waits_q && !more_q)
                    state_q <= HEADER;
                else if (start_q) begin
                    state_q <= SEND;
                    pull_o  <= 1'b1;
                    began_o <= marked;
                end else if (late_q) begin
                    state_q    <= SKIP;
                    underrun_o <= 1'b1;
                end
            SEND:
                if (over_q) begin
                    pull_o <= !last_q && byte_valid;
                    if (last_q) begin
                        state_q <= marked ? SKIP : HEADER;
                        ended_o <= marked;
                    end else if (!byte_valid) begin
                        state_q    <= SKIP;
                        underrun_o <= 1'b1;
                        ended_o    <= marked;
                    end
                end else if (end_q)
                    pull_o <= !shift_q[0] || stop_low;
            // Skips the rest of the record, and keeps the header until the capture has fetched it.
            SKIP:
                if (!more_q && &hold_q)
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
