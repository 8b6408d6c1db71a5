// SPDX-FileCopyrightText: The phasebench authors
// SPDX-License-Identifier: Apache-2.0
//
// Delivers, queues or drops every message, and owns the three slots outside the queues: for the
// message being received, the message being sent and the message that the console fills.
//
// Interface: tick_i ends a phase. The router delivers, queues or drops the frame of the old phase
//            (rx_*, read in the clock of tick_i; rx_destination_i must hold 8 clocks longer). Then,
//            if send_i, load_o announces the oldest message for dim_i in tx_slot_o. The console
//            holds push_i until push_done_o; push_ok_o: the message was taken.
// Timing:    load_o at most 12 clocks after tick_i, later only while the queues initialise.
// Reset:     all messages are discarded.
// Limits:    slot memory must not be written through rx_slot_o in the 8 clocks after tick_i.
`default_nettype none

module node_router #(
    parameter DIMS = 12,  // largest number of dimensions, 1..12
    parameter DEPTH = 32  // messages per queue, a power of two, 2..256
) (
    input  wire                     clk,
    input  wire                     rst_i,
    input  wire [11:0]              address_i, // constant
    input  wire [3:0]               dims_i,    // 1..DIMS, constant
    // phase
    input  wire                     tick_i,
    input  wire                     send_i,
    input  wire [3:0]               dim_i,
    // receiving
    input  wire                     rx_good_i,
    input  wire                     rx_seen_i,
    input  wire [11:0]              rx_destination_i,
    output reg  [3+$clog2(DEPTH):0] rx_slot_o,
    // sending
    output wire                     load_o,
    output reg  [3+$clog2(DEPTH):0] tx_slot_o,
    // console
    input  wire                     push_i,
    input  wire [11:0]              push_destination_i,
    output wire                     push_done_o,
    output wire                     push_ok_o,
    output reg  [3+$clog2(DEPTH):0] push_slot_o,
    // events, one clock each
    output wire                     delivered_o,
    output wire                     bad_frame_o,   // wrong length, CRC or framing, or for a node that does not exist
    output wire                     queue_full_o
);
    localparam SLOT_BITS = 4 + $clog2(DEPTH);
    localparam [SLOT_BITS-1:0] FIRST_FREE = DIMS[SLOT_BITS-1:0] * DEPTH[SLOT_BITS-1:0];

    localparam [1:0] IDLE = 2'd0, RECEIVED = 2'd1, SENDING = 2'd2, CONSOLE = 2'd3;

    reg [1:0] job_q;               // source of the operation of the queue
    reg       rx_pending_q, tx_pending_q;

    wire                 queue_ready, queue_done, queue_ok;
    wire [SLOT_BITS-1:0] queue_slot;
    wire                 own, outside;
    wire [3:0]           first_dim;

    node_route route (
        .address_i(address_i),
        .destination_i(rx_pending_q ? rx_destination_i : push_destination_i),
        .dims_i(dims_i),
        .local_o(own),
        .outside_o(outside),
        .dim_o(first_dim));

    // One job at a time; the received frame goes first so that it can leave in the phase that begins.
    wire free = job_q == IDLE && queue_ready;
    wire take_rx = free && rx_pending_q;
    wire take_tx = free && !rx_pending_q && tx_pending_q;
    wire take_push = free && !rx_pending_q && !tx_pending_q && push_i;
    wire no_queue = own || outside;
    wire start = take_tx || ((take_rx || take_push) && !no_queue);

    node_queue #(.DEPTH(DEPTH)) queue (
        .clk(clk),
        .rst_i(rst_i),
        .ready_o(queue_ready),
        .start_i(start),
        .pop_i(take_tx),
        .queue_i(take_tx ? dim_i : first_dim),
        .slot_i(take_tx ? tx_slot_o : take_rx ? rx_slot_o : push_slot_o),
        .done_o(queue_done),
        .ok_o(queue_ok),
        .slot_o(queue_slot));

    // The slots are exchanged in the clock of queue_done; load_o comes with the new tx_slot_o.
    reg load_q;
    assign load_o = load_q;
    assign push_done_o = (take_push && no_queue) || (queue_done && job_q == CONSOLE);
    assign push_ok_o = job_q == CONSOLE ? queue_ok : own;
    assign delivered_o = (take_rx || take_push) && own;
    assign bad_frame_o = (tick_i && rx_seen_i && !rx_good_i) || (take_rx && outside);
    assign queue_full_o = queue_done && !queue_ok && job_q != SENDING;

    always @(posedge clk) begin
        load_q <= queue_done && queue_ok && job_q == SENDING && tx_pending_q && !tick_i;
        if (take_rx)
            rx_pending_q <= 1'b0;
        if (queue_done) begin
            job_q <= IDLE;
            if (job_q == SENDING)
                tx_pending_q <= 1'b0;
            if (queue_ok)
                case (job_q)
                RECEIVED: rx_slot_o <= queue_slot;
                SENDING:  tx_slot_o <= queue_slot;
                default:  push_slot_o <= queue_slot;
                endcase
        end else if (start)
            job_q <= take_tx ? SENDING : take_rx ? RECEIVED : CONSOLE;
        if (tick_i) begin
            rx_pending_q <= rx_good_i;
            tx_pending_q <= send_i;
        end
        if (rst_i) begin
            job_q <= IDLE;
            load_q <= 1'b0;
            rx_pending_q <= 1'b0;
            tx_pending_q <= 1'b0;
            rx_slot_o <= FIRST_FREE;
            tx_slot_o <= FIRST_FREE + 1'b1;
            push_slot_o <= FIRST_FREE + {{(SLOT_BITS-2){1'b0}}, 2'd2};
        end
    end
endmodule

`default_nettype wire
