// SPDX-FileCopyrightText: The phasebench authors
// SPDX-License-Identifier: Apache-2.0
//
// Reference node: a node of the hypercube in hardware, with slot frames and the e-cube rule
// (docs/node.md).
// Interface: the pins of a node, with a clock of its own. All other ports are configuration,
//            constant while nrst_i is high, and counters.
// Timing:    a transmission starts between guard_i and guard_i + 1 clocks after the TDMA_CLK edge
//            for a guard of at least 20 clocks; with a shorter guard as soon as the message is
//            ready. A received frame is checked at the next TDMA_CLK edge and can leave in the
//            phase that begins then.
// Reset:     nrst_i low, synchronised (2 to 3 clocks), and power-up: links released, queues and
//            counters cleared. Messages are taken 16 * QUEUE_DEPTH clocks after its end.
// Limits:    no test modes, no statistics on the console, no StarC frame. Only TDMA_SYNC detects
//            lost TDMA_CLK edges; a message cut short by such an edge is lost.
`default_nettype none

module ref_node #(
    parameter DIMS = 12,          // links, 1..12
    parameter PAYLOAD_MAX = 80,   // largest number of payload bytes of a message, 1..80
    parameter QUEUE_DEPTH = 32     // messages per dimension, a power of two, 2..256
) (
    input  wire            clk,
    // pins
    input  wire            nrst_i,
    input  wire            tdma_clk_i,
    input  wire            tdma_sync_i,
    input  wire            uart0_rx_i,
    output wire            uart0_tx_o,
    input  wire [DIMS-1:0] line_i,
    output wire [DIMS-1:0] pull_low_o,
    // configuration
    input  wire [11:0]     address_i,        // below 2^dims_i
    input  wire [3:0]      dims_i,           // dimensions in use, 1..DIMS
    input  wire [6:0]      payload_bytes_i,  // 0..PAYLOAD_MAX
    input  wire [19:0]     link_period_i,    // bit period of the links, Q16.4 clocks, 8 clocks or more
    input  wire [19:0]     console_period_i, // bit period of UART0, Q16.4 clocks, 16 clocks or more
    input  wire [23:0]     guard_i,          // head guard, clocks
    // counters, modulo 2^16
    output reg  [15:0]     delivered_o,
    output reg  [15:0]     bad_frames_o,
    output reg  [15:0]     queue_full_o,
    output reg  [15:0]     align_errors_o
);
    generate
        if (DIMS < 1 || DIMS > 12)
            DIMS_must_be_1_to_12 stop ();
        if (PAYLOAD_MAX < 1 || PAYLOAD_MAX > 80)
            PAYLOAD_MAX_must_be_1_to_80 stop ();
    endgenerate

    localparam SLOT_BITS = 4 + $clog2(QUEUE_DEPTH);
    localparam OFFSET_BITS = $clog2(PAYLOAD_MAX + 2); // header and payload
    localparam SLOTS = DIMS * QUEUE_DEPTH + 3;        // slots of the queues, and one each to receive, send and fill

    // The pin is the only reset. Its synchroniser has no reset and powers up in the reset level.
    wire nrst, rst;
    node_sync #(.INITIAL(1'b0)) nrst_sync (.clk(clk), .pin_i(nrst_i), .level_o(nrst));
    assign rst = !nrst;

    // Phase
    wire       tick, aligned, direction, align_error;
    wire [3:0] dim;
    node_phase phase (
        .clk(clk),
        .rst_i(rst),
        .tdma_clk_i(tdma_clk_i),
        .tdma_sync_i(tdma_sync_i),
        .dims_i(dims_i),
        .tick_o(tick),
        .aligned_o(aligned),
        .dim_o(dim),
        .direction_o(direction),
        .align_error_o(align_error));

    wire [15:0] address_bits = {4'd0, address_i};
    wire        send = aligned && address_bits[dim] == direction;

    // The UART and its connection to the link
    wire       tx, rx, tx_valid, tx_ready, rx_valid, rx_error;
    wire [7:0] tx_byte, rx_byte;
    tdma_mux #(.DIMS(DIMS)) mux (
        .clk(clk),
        .rst_i(rst),
        .enable_i(aligned),
        .send_i(send),
        .dim_i(dim),
        .tx_i(tx),
        .rx_o(rx),
        .line_i(line_i),
        .pull_low_o(pull_low_o));

    node_uart_tx link_tx (
        .clk(clk),
        .rst_i(rst),
        .clear_i(tick),
        .period_i(link_period_i),
        .valid_i(tx_valid),
        .data_i(tx_byte),
        .ready_o(tx_ready),
        .tx_o(tx));

    node_uart_rx link_rx (
        .clk(clk),
        .rst_i(rst),
        .clear_i(tick),
        .period_i(link_period_i),
        .rx_i(rx),
        .data_o(rx_byte),
        .valid_o(rx_valid),
        .error_o(rx_error));

    // Frames
    wire        rx_write, rx_good, rx_seen, tx_load;
    wire [6:0]  rx_offset, tx_offset;
    wire [7:0]  rx_data, slot_data;
    wire [11:0] rx_destination;
    node_frame_rx frame_rx (
        .clk(clk),
        .rst_i(rst),
        .tick_i(tick),
        .payload_bytes_i(payload_bytes_i),
        .valid_i(rx_valid),
        .error_i(rx_error),
        .data_i(rx_byte),
        .write_o(rx_write),
        .offset_o(rx_offset),
        .data_o(rx_data),
        .good_o(rx_good),
        .seen_o(rx_seen),
        .destination_o(rx_destination));

    node_frame_tx frame_tx (
        .clk(clk),
        .rst_i(rst),
        .tick_i(tick),
        .guard_i(guard_i),
        .payload_bytes_i(payload_bytes_i),
        .load_i(tx_load),
        .offset_o(tx_offset),
        .data_i(slot_data),
        .valid_o(tx_valid),
        .byte_o(tx_byte),
        .ready_i(tx_ready));

    // Messages
    wire                 push, push_done, push_ok, delivered, bad_frame, queue_full;
    wire [11:0]          push_destination;
    wire [SLOT_BITS-1:0] rx_slot, tx_slot, push_slot;
    node_router #(.DIMS(DIMS), .DEPTH(QUEUE_DEPTH)) router (
        .clk(clk),
        .rst_i(rst),
        .address_i(address_i),
        .dims_i(dims_i),
        .tick_i(tick),
        .send_i(send),
        .dim_i(dim),
        .rx_good_i(rx_good),
        .rx_seen_i(rx_seen),
        .rx_destination_i(rx_destination),
        .rx_slot_o(rx_slot),
        .load_o(tx_load),
        .tx_slot_o(tx_slot),
        .push_i(push),
        .push_destination_i(push_destination),
        .push_done_o(push_done),
        .push_ok_o(push_ok),
        .push_slot_o(push_slot),
        .delivered_o(delivered),
        .bad_frame_o(bad_frame),
        .queue_full_o(queue_full));

    // Slot memory: the link writes first, since it cannot wait; only the transmitter reads.
    wire       console_write;
    wire [6:0] console_offset;
    wire [7:0] console_data;
    // The top bits of slot and offset are constant 0 for fewer dimensions and a smaller payload.
    localparam ADDRESS_BITS = $clog2(SLOTS << OFFSET_BITS);
    /* verilator lint_off UNUSEDSIGNAL */
    wire [6:0] write_offset = rx_write ? rx_offset : console_offset;
    wire [6:0] read_offset = tx_offset;
    wire [SLOT_BITS+OFFSET_BITS-1:0] write_address =
        {rx_write ? rx_slot : push_slot, write_offset[OFFSET_BITS-1:0]};
    wire [SLOT_BITS+OFFSET_BITS-1:0] read_address = {tx_slot, read_offset[OFFSET_BITS-1:0]};
    /* verilator lint_on UNUSEDSIGNAL */
    node_ram #(.WIDTH(8), .WORDS(SLOTS << OFFSET_BITS)) slots (
        .clk(clk),
        .write_i(rx_write || console_write),
        .write_address_i(write_address[ADDRESS_BITS-1:0]),
        .data_i(rx_write ? rx_data : console_data),
        .address_i(read_address[ADDRESS_BITS-1:0]),
        .data_o(slot_data));

    // Console
    wire       console_rx, key_valid, key_error, answer_start, answer_busy, letter_valid, letter_ready;
    wire [7:0] key, letter;
    wire [3:0] answer, answer_sequence;
    node_sync #(.INITIAL(1'b1)) console_sync (.clk(clk), .pin_i(uart0_rx_i), .level_o(console_rx));

    node_uart_rx console_receiver (
        .clk(clk),
        .rst_i(rst),
        .clear_i(1'b0),
        .period_i(console_period_i),
        .rx_i(console_rx),
        .data_o(key),
        .valid_o(key_valid),
        .error_o(key_error));

    node_console console (
        .clk(clk),
        .rst_i(rst),
        .dims_i(dims_i),
        .payload_bytes_i(payload_bytes_i),
        .valid_i(key_valid),
        .error_i(key_error),
        .data_i(key),
        .write_o(console_write),
        .offset_o(console_offset),
        .data_o(console_data),
        .write_ready_i(!rx_write),
        .push_o(push),
        .destination_o(push_destination),
        .push_done_i(push_done),
        .push_ok_i(push_ok),
        .answer_start_o(answer_start),
        .answer_o(answer),
        .sequence_o(answer_sequence),
        .answer_busy_i(answer_busy));

    node_answer answer_line (
        .clk(clk),
        .rst_i(rst),
        .start_i(answer_start),
        .answer_i(answer),
        .busy_o(answer_busy),
        .address_i(address_i),
        .dims_i(dims_i),
        .sequence_i(answer_sequence),
        .valid_o(letter_valid),
        .byte_o(letter),
        .ready_i(letter_ready));

    node_uart_tx console_transmitter (
        .clk(clk),
        .rst_i(rst),
        .clear_i(1'b0),
        .period_i(console_period_i),
        .valid_i(letter_valid),
        .data_i(letter),
        .ready_o(letter_ready),
        .tx_o(uart0_tx_o));

    always @(posedge clk) begin
        delivered_o <= rst ? 16'd0 : delivered_o + {15'd0, delivered};
        bad_frames_o <= rst ? 16'd0 : bad_frames_o + {15'd0, bad_frame};
        queue_full_o <= rst ? 16'd0 : queue_full_o + {15'd0, queue_full};
        align_errors_o <= rst ? 16'd0 : align_errors_o + {15'd0, align_error};
    end
endmodule

`default_nettype wire
