// SPDX-FileCopyrightText: The phasebench authors
// SPDX-License-Identifier: Apache-2.0
//
// Packet receiver: finds packets in the bytes from the host, checks them, holds up to two. Format
// and resynchronisation: docs/reference/protocol.md.
//
// Interface: while packet_valid_o is high a valid packet can be read at index_i (0 opcode,
//            1 sequence, 2 length, 3.. payload); byte_o follows one clock later. done_i frees it.
//            ready_o is low while both buffers are full and no packet is in progress, and in the
//            clock after a flag. A UART ignores ready_o; lost_o counts the packets lost by that.
// Timing:    bad_o and lost_o count two clocks after the flag.
// Reset:     empty, searching for a flag.
`default_nettype none
`include "pb_sim_skip.vh"

module pb_packet_rx (
    input  wire        clk,
    input  wire        rst_i,

    input  wire        valid_i,
    input  wire [7:0]  data_i,
    output wire        ready_o,

    output wire        packet_valid_o,
    input  wire [7:0]  index_i,
    output reg  [7:0]  byte_o,
    input  wire        done_i,

    output reg  [15:0] bad_o,
    output reg  [15:0] lost_o
);
    localparam [7:0] FLAG = 8'h7e, ESCAPE = 8'h7d;

    reg [7:0]  memory [0:511];  // two packets
    reg        write_half, read_half;
    reg [1:0]  full_q;          // which halves hold a packet
    reg [7:0]  count_q;
    reg        empty_q;         // count_q is 0
    reg        bad_q, lost_q;   // the last flag ended an invalid packet, a packet without room
    reg        escape_q;
    reg        spoiled_q;       // too long, or no room: ignore up to the next flag
    reg        no_room_q;       // no room; spoiled_q is high also
    reg [15:0] fcs_q;
    reg [7:0]  last_q;          // index of the packet's last byte by its length, FCS included; valid from its 4th byte on
    reg        ends_q;          // the last byte received has that index

    // A byte is classified in the clock in which it arrives, and used in the next one.
    reg         take_flag, take_data;
    reg         cut_q;          // the flag came after an escape byte
    reg  [7:0]  plain;
    wire [15:0] fcs_d;
    pb_fcs16 fcs (.fcs_i(fcs_q), .data_i(plain), .used_i(take_data), .fcs_o(fcs_d));

    wire no_room    = full_q[write_half];
    assign ready_o  = !take_flag && !(no_room && empty_q && !spoiled_q);
    wire whole      = ends_q && fcs_q == 16'hf0b8 && !cut_q && !spoiled_q;
    wire store      = take_data && !spoiled_q && !(no_room && empty_q);

    assign packet_valid_o = full_q[read_half];

    always @(posedge clk) begin
        if (store)
            memory[{write_half, count_q}] <= plain;
        byte_o <= memory[{read_half, index_i}];
        if (store && {write_half, count_q} == {read_half, index_i})
            byte_o <= 8'bx;     // never read while it is written: saves the logic for the old byte
    end

    always @(posedge clk) if (`PB_SIM_ACTIVE(valid_i || take_flag || take_data || done_i || bad_q || lost_q || rst_i)) begin
        bad_q  <= 1'b0;
        lost_q <= 1'b0;
        if (bad_q)
            bad_o <= bad_o + 16'd1;
        if (lost_q)
            lost_o <= lost_o + 16'd1;
        if (done_i) begin
            full_q[read_half] <= 1'b0;
            read_half         <= !read_half;
        end
        take_flag <= valid_i && data_i == FLAG;
        take_data <= valid_i && data_i != FLAG && (escape_q || data_i != ESCAPE);
        cut_q     <= escape_q;
        plain     <= escape_q ? data_i ^ 8'h20 : data_i;
        if (valid_i)
            escape_q <= data_i == ESCAPE && !escape_q;
        if (take_flag) begin
            lost_q <= no_room_q;
            if (whole) begin
                full_q[write_half] <= 1'b1;
                write_half         <= !write_half;
            end else
                bad_q <= !no_room_q && (!empty_q || spoiled_q || cut_q);
            count_q   <= 8'd0;
            empty_q   <= 1'b1;
            ends_q    <= 1'b0;
            spoiled_q <= 1'b0;
            no_room_q <= 1'b0;
            fcs_q     <= 16'hffff;
        end else if (take_data && !spoiled_q) begin
            if (no_room && empty_q) begin
                no_room_q <= 1'b1;
                spoiled_q <= 1'b1;
            end
            if (count_q == 8'd255)
                spoiled_q <= 1'b1;
            if (count_q == 8'd2)
                last_q <= plain + 8'd4;
            ends_q  <= count_q >= 8'd4 && count_q == last_q;
            count_q <= count_q + 8'd1;
            empty_q <= 1'b0;
            fcs_q   <= fcs_d;
        end
        if (rst_i) begin
            write_half <= 1'b0;
            read_half  <= 1'b0;
            full_q     <= 2'b00;
            count_q    <= 8'd0;
            empty_q    <= 1'b1;
            ends_q     <= 1'b0;
            bad_q      <= 1'b0;
            lost_q     <= 1'b0;
            take_flag  <= 1'b0;
            take_data  <= 1'b0;
            escape_q   <= 1'b0;
            spoiled_q  <= 1'b0;
            no_room_q  <= 1'b0;
            fcs_q      <= 16'hffff;
            bad_o      <= 16'd0;
            lost_o     <= 16'd0;
        end
    end
endmodule

`default_nettype wire
