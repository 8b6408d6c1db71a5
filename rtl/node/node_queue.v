// SPDX-FileCopyrightText: The phasebench authors
// SPDX-License-Identifier: Apache-2.0
//
// One first-in first-out queue of messages per dimension, by exchange of slots in an external
// memory.
//
// Interface: start_i in a clock with ready_o begins an operation on queue_i, done_o pulses at its
//            end. Push puts the caller's full slot at the tail and returns the free slot that was
//            there; pop returns the slot at the head and takes the caller's free slot for it. ok_o:
//            slot_o is the caller's new slot. Push to a full and pop from an empty queue change
//            nothing and give no ok_o. Inputs are read in the clock of start_i only.
// Timing:    done_o 3 clocks after start_i, whatever the length of a message; ready_o 1 clock
//            later.
// Reset:     all queues empty; ready_o is low for 16 * DEPTH clocks. Then the rings own the slots
//            queue * DEPTH + position; the callers own the slots from DIMS * DEPTH on.
`default_nettype none

module node_queue #(
    parameter DEPTH = 32 // messages per queue, a power of two, 2..256
) (
    input  wire                       clk,
    input  wire                       rst_i,
    output wire                       ready_o,
    input  wire                       start_i,
    input  wire                       pop_i,   // 1: pop, 0: push
    input  wire [3:0]                 queue_i,
    input  wire [3+$clog2(DEPTH):0]   slot_i,
    output wire                       done_o,
    output wire                       ok_o,
    output wire [3+$clog2(DEPTH):0]   slot_o
);
    generate
        if (DEPTH < 2 || DEPTH > 256 || (DEPTH & (DEPTH - 1)) != 0)
            DEPTH_must_be_a_power_of_two_from_2_to_256 stop ();
    endgenerate

    localparam POSITION_BITS = $clog2(DEPTH);
    localparam SLOT_BITS = 4 + POSITION_BITS;

    localparam [2:0] INIT = 3'd0, IDLE = 3'd1, FETCH_STATE = 3'd2, FETCH_SLOT = 3'd3, FINISH = 3'd4;

    reg [2:0]           step_q;
    reg [SLOT_BITS-1:0] init_q;
    reg                 pop_q;
    reg [3:0]           queue_q;
    reg [SLOT_BITS-1:0] slot_q;

    // head position and number of messages of each queue
    wire [2*POSITION_BITS:0]   state;
    wire [POSITION_BITS-1:0]   head = state[2*POSITION_BITS:POSITION_BITS+1];
    wire [POSITION_BITS:0]     count = state[POSITION_BITS:0];
    wire [POSITION_BITS-1:0]   tail = head + count[POSITION_BITS-1:0];

    wire                 refused = pop_q ? count == 0 : count[POSITION_BITS];
    wire [SLOT_BITS-1:0] place = {queue_q, pop_q ? head : tail};
    wire                 initialising = step_q == INIT;
    wire                 changes = step_q == FINISH && !refused;

    node_ram #(.WIDTH(2 * POSITION_BITS + 1), .WORDS(16)) states (
        .clk(clk),
        .write_i(initialising || changes),
        .write_address_i(initialising ? init_q[SLOT_BITS-1:POSITION_BITS] : queue_q),
        .data_i(initialising ? {(2*POSITION_BITS+1){1'b0}} :
                pop_q ? {head + 1'b1, count - 1'b1} : {head, count + 1'b1}),
        .address_i(queue_q),
        .data_o(state));

    node_ram #(.WIDTH(SLOT_BITS), .WORDS(16 * DEPTH)) rings (
        .clk(clk),
        .write_i(initialising || changes),
        .write_address_i(initialising ? init_q : place),
        .data_i(initialising ? init_q : slot_q),
        .address_i(place),
        .data_o(slot_o));

    assign ready_o = step_q == IDLE;
    assign done_o = step_q == FINISH;
    assign ok_o = !refused;

    always @(posedge clk)
        if (rst_i) begin
            step_q <= INIT;
            init_q <= {SLOT_BITS{1'b0}};
            pop_q <= 1'b0;
            queue_q <= 4'd0;
            slot_q <= {SLOT_BITS{1'b0}};
        end else
            case (step_q)
            INIT: begin
                init_q <= init_q + 1'b1;
                if (&init_q)
                    step_q <= IDLE;
            end
            IDLE:
                if (start_i) begin
                    pop_q <= pop_i;
                    queue_q <= queue_i;
                    slot_q <= slot_i;
                    step_q <= FETCH_STATE;
                end
            FETCH_STATE: step_q <= FETCH_SLOT;
            FETCH_SLOT:  step_q <= FINISH;
            default:     step_q <= IDLE;
            endcase
endmodule

`default_nettype wire
