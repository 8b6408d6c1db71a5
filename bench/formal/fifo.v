// SPDX-FileCopyrightText: The phasebench authors
// SPDX-License-Identifier: Apache-2.0
//
// pb_fifo: order and no loss, by a symbolic element. Any one written word is marked, and must come out after
// exactly the words that were ahead of it. A property of any word is a property of all. Also: level, full,
// valid.
//
// sources: core/pb_fifo.v
`default_nettype none

module proof_fifo #(
    parameter WIDTH = 2,
    parameter DEPTH_LOG2 = 2
) (
    input wire             clk,
    input wire             rst_i,
    input wire             clear_i,
    input wire             wr_i,
    input wire [WIDTH-1:0] wr_data_i,
    input wire             rd_ready_i,
    input wire             mark_i
);
    wire                full, valid;
    wire [WIDTH-1:0]    data;
    wire [DEPTH_LOG2:0] level;
    pb_fifo #(.WIDTH(WIDTH), .DEPTH_LOG2(DEPTH_LOG2)) dut (
        .clk(clk), .rst_i(rst_i), .clear_i(clear_i), .wr_i(wr_i), .wr_data_i(wr_data_i), .full_o(full),
        .rd_valid_o(valid), .rd_data_o(data), .rd_ready_i(rd_ready_i), .level_o(level)
    );

    reg started = 1'b0;
    always @(posedge clk) started <= 1'b1;
    always @* if (!started) assume (rst_i);

    wire write = wr_i && !full;
    wire read  = valid && rd_ready_i;

    reg                marked;      // a marked word is inside
    reg [DEPTH_LOG2:0] ahead;       // words to come out before it
    reg [WIDTH-1:0]    marked_data;
    reg [DEPTH_LOG2:0] inside;      // words, at most 2^DEPTH_LOG2 + 1
    reg [2:0]          waited;      // clocks with words inside and none at the output
    reg                marked_out;
    always @(posedge clk) begin
        marked_out <= started && !rst_i && marked && read && ahead == 0;
        inside     <= inside + {{DEPTH_LOG2{1'b0}}, write} - {{DEPTH_LOG2{1'b0}}, read};
        waited     <= inside != 0 && !valid ? waited + 3'd1 : 3'd0;
        if (marked && read) begin
            if (ahead == 0)
                marked <= 1'b0;
            ahead <= ahead - 1'b1;
        end
        if (!marked && mark_i && write) begin
            marked      <= 1'b1;
            marked_data <= wr_data_i;
            ahead       <= inside - {{DEPTH_LOG2{1'b0}}, read};
        end
        if (rst_i || clear_i) begin
            marked <= 1'b0;
            inside <= 0;
            waited <= 3'd0;
        end
    end

    always @* if (started) begin
        if (marked && valid && ahead == 0)
            assert (data == marked_data);
        if (marked)
            assert (ahead < inside);
        assert (level == inside);
        assert (waited <= 3'd1);
        if (valid)
            assert (inside != 0);
        if (full)
            assert (inside >= (1 << DEPTH_LOG2));
        if (inside == (1 << DEPTH_LOG2) + 1)
            assert (full && valid);
        assert (inside <= (1 << DEPTH_LOG2) + 1);
    end
    always @* if (started) begin
        cover (marked_out && inside == (1 << DEPTH_LOG2));
        cover (marked && ahead == 1 << DEPTH_LOG2);
    end
endmodule
