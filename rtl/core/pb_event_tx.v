// SPDX-FileCopyrightText: The phasebench authors
// SPDX-License-Identifier: Apache-2.0
//
// Event sender: packs captured events into packets of up to 30 while the host grants credits.
//
// Interface: request_o asks for the sender and holds it for one packet; credit_used_o pulses once a
//            packet. Payload: the sequence number of the first event (4 bytes), then the events,
//            low byte first. The sequence counts every event, lost ones included: an overflow event
//            that reports n lost events has the number of its predecessor plus n + 1.
// Timing:    a packet starts when 30 events wait, or FLUSH_TICKS after the first one arrived; 17
//            clocks per event. tx_ready_i is never high in two successive clocks (pb_packet_tx):
//            the clock between selects a byte.
// Reset:     sequence 0.
`default_nettype none
`include "pb_clocks.vh"
`include "pb_regs.vh"

module pb_event_tx #(
    parameter DEPTH_LOG2  = 9,
    parameter FLUSH_TICKS = 4096  // power of two
) (
    input  wire        clk,
    input  wire        rst_i,

    input  wire        event_valid_i,
    input  wire [63:0] event_i,
    output reg         event_ready_o,
    input  wire [DEPTH_LOG2:0] event_level_i,

    input  wire        credit_i,        // at least one credit
    output reg         credit_used_o,

    output reg         request_o,
    input  wire        grant_i,
    output reg         tx_valid_o,
    output wire [7:0]  tx_data_o,
    output wire [31:0] sequence_o,      // of the next event to be sent; valid while this module does not hold the sender
    output wire        tx_last_o,
    input  wire        tx_ready_i
);
    localparam [7:0] PACKET_EVENTS = `PB_PACKET_EVENTS_MAX;
    localparam [4:0] EVENTS_MAX = PACKET_EVENTS[4:0];
    localparam TIMER_BITS = $clog2(FLUSH_TICKS);
    localparam [1:0] IDLE = 2'd0, HEAD = 2'd1, LOAD = 2'd2, BODY = 2'd3;

    reg  [1:0]            state_q;
    reg  [TIMER_BITS-1:0] timer_q;
    reg  [7:0]            packet_q;     // sequence of packets
    reg  [31:0]           sequence_q;   // of the next event; rotates once around while an event or a header is sent
    reg  [4:0]            left_q;       // events left in the packet
    reg  [2:0]            step_q;       // byte of the event; a header begins at 1, and its last four are the sequence
    reg  [7:0]            byte_q;       // that byte of the current event
    reg                   overflow_q;
    reg                   carry_q;
    wire     plenty   = event_level_i[DEPTH_LOG2:5] != 0 || &event_level_i[4:1];   // at least 30
    wire [4:0] amount = plenty ? EVENTS_MAX : event_level_i[4:0];
    wire     head     = state_q == HEAD;
    wire     none     = left_q == 5'd0;
    assign   sequence_o = sequence_q;

    // Byte by byte, the four of the sequence with the upper four of the event. The number of an overflow event includes its losses.
    // So the header adds the losses of its first event to the number sent. Each event adds its own losses, and 1, to the sequence.
    wire [7:0] count = byte_q & {8{overflow_q}} & {{`PB_EVENT_KIND_WIDTH{step_q != 3'd7}}, {(8-`PB_EVENT_KIND_WIDTH){1'b1}}};
    wire [9:0] sum   = {1'b0, sequence_q[7:0], 1'b1} + {1'b0, count, carry_q};
    wire       unused = &{1'b0, sum[0]};

    wire [7:0] header_byte = !step_q[1] ? `PB_OPCODE_EVENTS : !step_q[0] ? packet_q : {left_q, 3'd4};
    assign tx_data_o = !head ? byte_q : step_q[2] ? sum[8:1] : header_byte;
    assign tx_last_o = !head && none && step_q == 3'd7;

    always @(posedge clk) begin
        event_ready_o <= 1'b0;
        credit_used_o <= 1'b0;
        byte_q        <= event_i[8 * step_q +: 8];
        overflow_q    <= event_i[`PB_EVENT_KIND_RANGE] == `PB_EVENT_OVERFLOW;
        if (step_q[2] && tx_ready_i) begin
            sequence_q <= {head ? sequence_q[7:0] : sum[8:1], sequence_q[31:8]};
            carry_q    <= sum[9];
        end else if (!step_q[2])
            carry_q <= !head;
        if (!event_valid_i || state_q != IDLE)
            timer_q <= 0;
        else if (!(&timer_q))
            timer_q <= timer_q + `PB_ONE(TIMER_BITS, 1'b1);
        case (state_q)
            IDLE: begin
                request_o <= event_valid_i && credit_i && (plenty || &timer_q || request_o);
                step_q    <= 3'd1;
                left_q    <= amount;
                if (request_o && grant_i) begin
                    state_q       <= HEAD;
                    credit_used_o <= 1'b1;
                    tx_valid_o    <= 1'b1;
                end
            end
            LOAD: if (none) begin
                state_q   <= IDLE;
                request_o <= 1'b0;
                packet_q  <= packet_q + 8'd1;
            end else if (event_valid_i && !event_ready_o) begin
                tx_valid_o <= 1'b1;
                left_q     <= left_q - 5'd1;
                state_q    <= BODY;
            end
            default: if (tx_ready_i) begin
                step_q <= step_q + 3'd1;
                if (step_q == 3'd7) begin
                    tx_valid_o    <= 1'b0;
                    event_ready_o <= !head;
                    state_q       <= LOAD;
                end
            end
        endcase
        if (rst_i) begin
            state_q       <= IDLE;
            request_o     <= 1'b0;
            tx_valid_o    <= 1'b0;
            event_ready_o <= 1'b0;
            credit_used_o <= 1'b0;
            sequence_q    <= 32'd0;
            packet_q      <= 8'd0;
        end
    end
endmodule

`default_nettype wire
