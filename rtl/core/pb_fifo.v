// SPDX-FileCopyrightText: The phasebench authors
// SPDX-License-Identifier: Apache-2.0
//
// First-in first-out buffer in block RAM, first-word fall-through.
//
// Interface: a word is taken at every clock with wr_i high and full_o low; a write while full is
//            ignored. rd_data_o is valid while rd_valid_o is high and is consumed at a clock with
//            rd_ready_i high. level_o counts the words inside, the one at the output included.
// Timing:    two clocks from an empty buffer. Reset and clear_i: empty.
// Limits:    2^DEPTH_LOG2 words in RAM and one at the output.
`default_nettype none
`include "pb_clocks.vh"
`include "pb_sim_skip.vh"

module pb_fifo #(
    parameter WIDTH      = 8,   // bits, 1..256
    parameter DEPTH_LOG2 = 9    // log2 of words, 1..14
) (
    input  wire                clk,
    input  wire                rst_i,
    input  wire                clear_i,

    input  wire                wr_i,
    input  wire [WIDTH-1:0]    wr_data_i,
    output wire                full_o,

    output reg                 rd_valid_o,
    output reg  [WIDTH-1:0]    rd_data_o,
    input  wire                rd_ready_i,

    output reg  [DEPTH_LOG2:0] level_o
);
    reg [WIDTH-1:0]      memory [0:(1 << DEPTH_LOG2)-1];
    reg [DEPTH_LOG2-1:0] wr_ptr, rd_ptr;

    // The fill of the RAM follows from level_o, which is at most 2^DEPTH_LOG2 + 1.
    assign full_o = level_o[DEPTH_LOG2] && (level_o[0] || !rd_valid_o);
    reg  write, read, fetch;
    always @* begin
        {write, read, fetch} = 3'd0;
        if (`PB_SIM_ACTIVE(wr_i || (rd_valid_o ? rd_ready_i : level_o != 0))) begin
            write = wr_i && !full_o;
            read  = rd_valid_o && rd_ready_i;
            fetch = (level_o[DEPTH_LOG2:1] != 0 || (level_o[0] && !rd_valid_o)) && (!rd_valid_o || rd_ready_i);
        end
    end

    always @(posedge clk) begin
        // The simulated bench may undo a clock of no time, but not what it wrote here: a word that is still to be read.
        if (write `PB_AND_TIME)
            memory[wr_ptr] <= wr_data_i;
        if (fetch)
            rd_data_o <= memory[rd_ptr];
        // Never true. Without it synthesis adds logic for a word that is read while it is written.
        if (fetch && write && wr_ptr == rd_ptr)
            rd_data_o <= {WIDTH{1'bx}};
    end

    always @(posedge clk) if (`PB_SIM_ACTIVE(write || fetch || read || rst_i || clear_i)) begin
        wr_ptr     <= wr_ptr + {{(DEPTH_LOG2-1){1'b0}}, write};
        rd_ptr     <= rd_ptr + {{(DEPTH_LOG2-1){1'b0}}, fetch};
        rd_valid_o <= fetch || (rd_valid_o && !rd_ready_i);
        if (write != read)
            level_o <= level_o + {{DEPTH_LOG2{read}}, 1'b1};
        if (rst_i || clear_i) begin
            wr_ptr     <= 0;
            rd_ptr     <= 0;
            rd_valid_o <= 1'b0;
            level_o    <= 0;
        end
    end
endmodule

`default_nettype wire
