// SPDX-FileCopyrightText: The phasebench authors
// SPDX-License-Identifier: Apache-2.0
//
// Stand-in for pb_fifo of any DEPTH_LOG2, in proofs of its users: three words in registers that a harness can
// read. fifo.v proves that pb_fifo is a queue.
`default_nettype none

module pb_fifo #(
    parameter WIDTH      = 8,
    parameter DEPTH_LOG2 = 9
) (
    input  wire                clk,
    input  wire                rst_i,
    input  wire                clear_i,
    input  wire                wr_i,
    input  wire [WIDTH-1:0]    wr_data_i,
    output wire                full_o,
    output wire                rd_valid_o,
    output wire [WIDTH-1:0]    rd_data_o,
    input  wire                rd_ready_i,
    output wire [DEPTH_LOG2:0] level_o
);
    reg [3*WIDTH-1:0] words;    // the next output is the lowest
    reg [2:0]         used;     // one bit per word
    assign full_o     = used[2];
    assign rd_valid_o = used[0];
    assign rd_data_o  = words[WIDTH-1:0];
    assign level_o    = {{DEPTH_LOG2{1'b0}}, used[0]} + {{DEPTH_LOG2{1'b0}}, used[1]} + {{DEPTH_LOG2{1'b0}}, used[2]};

    wire       write = wr_i && !full_o;
    wire       read  = rd_valid_o && rd_ready_i;
    wire [2:0] left  = read ? {1'b0, used[2:1]} : used;
    integer    n;
    always @(posedge clk) begin
        used <= write ? {left[1:0], 1'b1} : left;
        if (read)
            words <= words >> WIDTH;
        for (n = 0; n < 3; n = n + 1)
            if (write && !left[n] && (n == 0 || left[n > 0 ? n - 1 : 0]))
                words[WIDTH*n +: WIDTH] <= wr_data_i;
        if (rst_i || clear_i)
            used <= 3'd0;
    end
endmodule
