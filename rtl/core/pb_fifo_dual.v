// SPDX-FileCopyrightText: The phasebench authors
// SPDX-License-Identifier: Apache-2.0
//
// Dual-clock FIFO for unrelated clocks, in block RAM, first-word fall-through.
//
// Interface: a word is taken at every edge of wr_clk with wr_i high. After wr_room_o fell the
//            writer may write MARGIN more words. rd_data_o is valid while rd_valid_o is high and is
//            consumed at an edge of rd_clk with rd_ready_i high.
// Timing:    from an empty buffer one cycle of wr_clk and four of rd_clk; wr_room_o lags as much.
// Reset:     none: it could not reach a side whose clock is stopped. Empty at power-up. While one
//            clock is stopped the other side sees a full or an empty buffer; no word is lost.
// Limits:    at least 2^DEPTH_LOG2 - MARGIN - 2 words fit. The bit skew of wr_gray_q, and of
//            rd_gray_q, into the other domain must not exceed one period of the source clock.
`default_nettype none

module pb_fifo_dual #(
    parameter WIDTH      = 8,   // bits, 1..16
    parameter DEPTH_LOG2 = 9,   // log2 of words, 2..14
    parameter MARGIN     = 0    // words, less than 2^DEPTH_LOG2 - 2
) (
    input  wire             wr_clk,
    input  wire             wr_i,
    input  wire [WIDTH-1:0] wr_data_i,
    output reg              wr_room_o,

    input  wire             rd_clk,
    output reg              rd_valid_o,
    output reg  [WIDTH-1:0] rd_data_o,
    input  wire             rd_ready_i
);
    localparam PTR = DEPTH_LOG2 + 1;
    localparam [31:0] MOST_WORDS = (1 << DEPTH_LOG2) - MARGIN - 2;   // less two for the lag of wr_room_o
    localparam [PTR-1:0] MOST = MOST_WORDS[PTR-1:0];

    reg [WIDTH-1:0] memory [0:(1 << DEPTH_LOG2)-1];

    function [PTR-1:0] binary(input [PTR-1:0] gray);
        integer n;
        begin
            binary[PTR-1] = gray[PTR-1];
            for (n = PTR - 2; n >= 0; n = n - 1)
                binary[n] = binary[n+1] ^ gray[n];
        end
    endfunction

    // ---- the writer's side
    reg  [PTR-1:0] wr_ptr_q  = 0;
    reg  [PTR-1:0] wr_gray_q = 0;
    reg  [PTR-1:0] wr_meta_q = 0, wr_sync_q = 0;    // rd_gray_q here
    reg  [PTR-1:0] wr_rd_q   = 0;
    reg  [PTR-1:0] rd_gray_q = 0;
    wire [PTR-1:0] wr_ptr_d  = wr_ptr_q + 1'b1;
    wire [PTR-1:0] wr_inside = wr_ptr_q - wr_rd_q;
    initial wr_room_o = 1'b0;
    always @(posedge wr_clk) begin
        wr_meta_q <= rd_gray_q;
        wr_sync_q <= wr_meta_q;
        wr_rd_q   <= binary(wr_sync_q);
        wr_room_o <= wr_inside < MOST + 1'b1;
        if (wr_i) begin
            memory[wr_ptr_q[DEPTH_LOG2-1:0]] <= wr_data_i;
            wr_ptr_q  <= wr_ptr_d;
            wr_gray_q <= wr_ptr_d ^ (wr_ptr_d >> 1);
        end
    end

    // ---- the reader's side
    reg  [PTR-1:0] rd_ptr_q  = 0;
    reg  [PTR-1:0] rd_meta_q = 0, rd_sync_q = 0;    // wr_gray_q here
    wire [PTR-1:0] rd_ptr_d  = rd_ptr_q + 1'b1;
    wire           rd_fetch  = rd_gray_q != rd_sync_q && (!rd_valid_o || rd_ready_i);
    initial rd_valid_o = 1'b0;
    always @(posedge rd_clk) begin
        rd_meta_q  <= wr_gray_q;
        rd_sync_q  <= rd_meta_q;
        rd_valid_o <= rd_fetch || (rd_valid_o && !rd_ready_i);
        if (rd_fetch) begin
            rd_data_o <= memory[rd_ptr_q[DEPTH_LOG2-1:0]];
            rd_ptr_q  <= rd_ptr_d;
            rd_gray_q <= rd_ptr_d ^ (rd_ptr_d >> 1);
        end
    end
endmodule

`default_nettype wire
