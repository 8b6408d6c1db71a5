// SPDX-FileCopyrightText: The phasebench authors
// SPDX-License-Identifier: Apache-2.0
//
// Sends the frame of one slot, a head guard after the phase edge, and appends its CRC.
//
// Interface: tick_i starts the guard. load_i, in a later clock of the same phase: slot memory holds
//            a frame to send, read through offset_o and data_i (data one clock after the offset).
//            The UART takes byte_o in a clock with valid_o and ready_i.
// Timing:    the line falls between guard_i and guard_i + 1 clocks after the TDMA_CLK edge at the
//            pin: LATENCY, the fixed path from pin to line, is subtracted. If the guard is shorter
//            than that path plus the wait for load_i, the start is late, never early.
// Reset:     nothing to send. A tick_i while sending drops the rest of the frame.
`default_nettype none

module node_frame_tx (
    input  wire        clk,
    input  wire        rst_i,
    input  wire        tick_i,
    input  wire [23:0] guard_i,         // head guard, clocks; constant
    input  wire [6:0]  payload_bytes_i, // 0..80; constant
    input  wire        load_i,
    // slot memory
    output reg  [6:0]  offset_o,
    input  wire [7:0]  data_i,
    // to the UART
    output wire        valid_o,
    output wire [7:0]  byte_o,
    input  wire        ready_i
);
    // Clock edges from the first sample of TDMA_CLK high to the edge that pulls the line, without a wait:
    // synchroniser, edge and tick 3; this module 1; UART 1; mux 1.
    localparam [23:0] LATENCY = 24'd6;

    reg  [23:0] wait_q;
    reg         armed_q, fetched_q;
    reg  [7:0]  crc_q;
    wire [7:0]  crc_next;

    node_crc8 crc (.crc_i(crc_q), .data_i(data_i), .crc_o(crc_next));

    wire last = offset_o == payload_bytes_i + 7'd2;

    assign valid_o = armed_q && fetched_q && wait_q == 24'd0;
    assign byte_o = last ? crc_q : data_i;

    always @(posedge clk) begin
        if (wait_q != 24'd0)
            wait_q <= wait_q - 24'd1;
        fetched_q <= armed_q;
        if (valid_o && ready_i) begin
            offset_o <= offset_o + 7'd1;
            crc_q <= crc_next;
            fetched_q <= 1'b0;
            armed_q <= !last;
        end
        if (load_i) begin
            offset_o <= 7'd0;
            crc_q <= 8'd0;
            fetched_q <= 1'b0;
            armed_q <= 1'b1;
        end
        if (tick_i) begin
            wait_q <= guard_i > LATENCY ? guard_i - LATENCY : 24'd0;
            armed_q <= 1'b0;
        end
        if (rst_i) begin
            wait_q <= 24'd0;
            armed_q <= 1'b0;
            fetched_q <= 1'b0;
            offset_o <= 7'd0;
            crc_q <= 8'd0;
        end
    end
endmodule

`default_nettype wire
