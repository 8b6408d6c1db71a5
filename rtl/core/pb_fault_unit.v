// SPDX-FileCopyrightText: The phasebench authors
// SPDX-License-Identifier: Apache-2.0
//
// Fault unit: schedules one fault after the other and signals begin and end of each for receipts.
//
// Interface: records of 20 bytes, low byte first (FAULT_RECORD in registers.md), in time order.
//            kind, link, other and parameter are valid from one clock before active_o to 64 clocks
//            after it. began_o, ended_o and late_o pulse for one clock; late_o is a record
//            discarded as too late.
// Timing:    active_o rises 3 clocks after the clock in which elapsed_i equals the offset, and is
//            high for length clocks. It falls 3 clocks after the phase clock stops, 1 after
//            clear_i. The next fault begins at least 87 clocks after ended_o or late_o.
// Reset:     idle, buffer empty. clear_i: the same, but an active fault gets its receipt.
// Limits:    while the phase clock is stopped records wait. Does not check kinds and links.
`default_nettype none
`include "pb_sim_skip.vh"
`include "pb_clocks.vh"
`include "pb_regs.vh"

module pb_fault_unit #(
    parameter DEPTH_LOG2 = 8  // log2 of the buffer in bytes
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

    output wire                ready_o,     // a record waits for its instant
    output wire                active_o,
    output wire [4:0]          kind_o,
    output wire [5:0]          link_o,
    output wire [5:0]          other_o,
    output wire [31:0]         parameter_o,

    output reg                 began_o,
    output reg                 ended_o,
    output reg                 late_o,
    output wire [14:0]         number_o
);
    localparam [1:0] FILL = 2'd0, WAIT = 2'd1, ACTIVE = 2'd2, HOLD = 2'd3;
    localparam HEAD_BITS = `PB_FAULT_RECORD_LENGTH_LSB;
    localparam [31:0] LAST = `PB_FAULT_RECORD_BITS / 8 - 1, WORD = HEAD_BITS / 32;
    localparam [5:0] LAST_BYTE   = LAST[5:0];
    localparam [2:0] LENGTH_WORD = WORD[2:0];
    localparam [`PB_FAULT_RECORD_BITS-1:0] SPARE = `PB_FAULT_RECORD_SPARE;

    reg  [1:0]  state_q;
    // The record, shifted in from the top; byte 0 ends at the bottom of header_q.
    reg  [HEAD_BITS-1:0] header_q;
    reg  [31:0] length_q;       // clocks left: less one from the second clock of WAIT on, less two while ACTIVE
    reg  [31:0] parameter_q;
    reg         endless_q;
    reg         complete_q;     // the record was completed one clock ago
    reg         borrow_q;       // the upper half of length_q is one too many
    reg  [1:0]  high_zero_q;    // the upper half was 0 one clock ago, two clocks ago
    reg  [5:0]  count_q;        // bytes in FILL, clocks in HOLD

    wire        byte_valid;
    wire [7:0]  byte_data;
    wire        full;
    wire        unused = &{1'b0, full, header_q & SPARE[HEAD_BITS-1:0]};

    wire        fill = state_q == FILL;
    wire        hold = state_q == HOLD;
    wire        pop  = fill && byte_valid;

    pb_fifo #(.WIDTH(8), .DEPTH_LOG2(DEPTH_LOG2)) buffer (
        .clk(clk), .rst_i(rst_i), .clear_i(clear_i),
        .wr_i(wr_i), .wr_data_i(wr_data_i), .full_o(full),
        .rd_valid_o(byte_valid), .rd_data_o(byte_data), .rd_ready_i(pop),
        .level_o(level_o)
    );

    assign ready_o     = state_q == WAIT;
    assign active_o    = state_q == ACTIVE;
    assign kind_o      = header_q[`PB_FAULT_RECORD_KIND_RANGE];
    assign link_o      = header_q[`PB_FAULT_RECORD_LINK_RANGE];
    assign number_o    = header_q[`PB_FAULT_RECORD_NUMBER_RANGE];
    assign other_o     = header_q[`PB_FAULT_RECORD_OTHER_RANGE];
    assign parameter_o = parameter_q;

    // Time left to the instant of the record one clock ago, in phases and in ticks; negative: late. Superframes are modulo 2^16.
    // The decision follows a clock later, so that subtraction and comparison do not share a clock.
    reg  [24:0] slots_q, ticks_q;
    reg         beyond_q;           // elapsed_i was larger than any offset
    reg         ready_q;            // a record waited
    reg  [1:0]  running_q;
    reg         start_q, late_q;    // from the time of two clocks ago
    wire        same_slot = slots_q == 25'd0;
    wire        compared  = ready_q && state_q == WAIT && running_q[0];

    always @(posedge clk) if (`PB_SIM_ACTIVE(state_q == WAIT)) begin
        slots_q  <= {header_q[`PB_FAULT_RECORD_SUPERFRAME_RANGE], header_q[`PB_FAULT_RECORD_PHASE_RANGE]} - {superframe_i, phase_i};
        `PB_IF_TIME
            ticks_q <= {1'b0, header_q[`PB_FAULT_RECORD_OFFSET_RANGE]} - {1'b0, elapsed_i[23:0]};
        beyond_q <= elapsed_i[26:24] != 3'd0;
    end

    // The lower half counts a clock ahead, the upper half a clock later: no long carry chain, and no logic after a chain in its clock.
    // Shift cycle: the adder operand is a don't-care, so each counter bit fits one logic cell.
    // The top bit of low_d is the borrow, a sum bit, so that its flip-flop shares the cell at the end of the chain.
    wire        count    = state_q == ACTIVE || (state_q == WAIT && (complete_q || start_q));
    wire [16:0] low_d    = {1'b0, length_q[15:0]} + {17{count}};
    wire [15:0] high_d   = length_q[31:16] + {16{borrow_q}};
    wire        last     = borrow_q && high_zero_q[1];      // while ACTIVE: the last clock
    wire        over     = last && !endless_q;

    wire         busy     = !fill || byte_valid || complete_q;
    always @(posedge clk) if (`PB_SIM_ACTIVE(busy || rst_i || clear_i)) begin
        running_q <= {running_q[0], running_i};
        ready_q   <= state_q == WAIT;
        start_q   <= compared && same_slot && ticks_q == 25'd0 && !beyond_q;
        late_q    <= compared && (slots_q[24] || (same_slot && (ticks_q[24] || beyond_q)));
    end

    always @(posedge clk) if (`PB_SIM_ACTIVE(busy || rst_i || clear_i)) begin
        complete_q <= pop && count_q == LAST_BYTE;
        if (pop) begin
            {parameter_q, header_q} <= {byte_data, parameter_q[31:8], length_q[7:0], header_q[HEAD_BITS-1:8]};
            if (count_q[4:2] == LENGTH_WORD)
                endless_q <= &byte_data && (endless_q || count_q[1:0] == 2'd0);
        end
        borrow_q    <= count && low_d[16];      // equal to low_d[16], but known in a simulator while length_q is not
        high_zero_q <= {high_zero_q[0], length_q[31:16] == 16'd0};
        if (pop || count)
            length_q[15:0] <= count ? low_d[15:0] : length_q[23:8];
        if (pop || borrow_q)
            length_q[31:16] <= borrow_q ? high_d : {parameter_q[7:0], length_q[31:24]};
        if (pop || hold)
            count_q <= fill && count_q == LAST_BYTE ? 6'd0 : count_q + 6'd1;
        if (rst_i || clear_i)
            count_q <= 6'd0;
    end

    always @(posedge clk) if (`PB_SIM_ACTIVE(busy || rst_i || clear_i)) begin
        began_o <= 1'b0;
        ended_o <= 1'b0;
        late_o  <= 1'b0;
        case (state_q)
            FILL:
                if (pop && count_q == LAST_BYTE && !clear_i)
                    state_q <= WAIT;
            WAIT:
                if (clear_i)
                    state_q <= FILL;
                else if (start_q) begin
                    state_q <= ACTIVE;
                    began_o <= 1'b1;
                end else if (late_q) begin
                    state_q <= HOLD;
                    late_o  <= 1'b1;
                end
            ACTIVE:
                if (over || !running_q[1] || clear_i) begin
                    state_q <= HOLD;
                    ended_o <= 1'b1;
                end
            HOLD:
                if (&count_q)
                    state_q <= FILL;
        endcase
        if (rst_i) begin
            state_q <= FILL;
            began_o <= 1'b0;
            ended_o <= 1'b0;
            late_o  <= 1'b0;
        end
    end
endmodule

`default_nettype wire
