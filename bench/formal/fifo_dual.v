// SPDX-FileCopyrightText: The phasebench authors
// SPDX-License-Identifier: Apache-2.0
//
// pb_fifo_dual between any two clocks: each may have an edge at any instant, also simultaneous ones, and may
// stop for ever. Order and no loss by a symbolic element: any one written word is marked, and must come out
// after exactly the words that were ahead of it. A word is never overwritten if the writer writes at most
// MARGIN words after wr_room_o fell. Gray code: at most one bit that crosses changes per edge.
//
// clocks: any
// sources: core/pb_fifo_dual.v
// probe: wr_gray dut.wr_gray_q
// probe: rd_gray dut.rd_gray_q
`default_nettype none

module proof_fifo_dual #(
    parameter WIDTH = 1,
    parameter DEPTH_LOG2 = 2,
    parameter MARGIN = 1
) (
    input wire             wr_clk,
    input wire             rd_clk,
    input wire             wr_i,
    input wire [WIDTH-1:0] wr_data_i,
    input wire             rd_ready_i,
    input wire             mark_i
);
    localparam WORDS = 1 << DEPTH_LOG2;
    wire                room, valid;
    wire [WIDTH-1:0]    data;
    wire [DEPTH_LOG2:0] wr_gray, rd_gray;
    wire                write;
    pb_fifo_dual #(.WIDTH(WIDTH), .DEPTH_LOG2(DEPTH_LOG2), .MARGIN(MARGIN)) dut (
        .wr_clk(wr_clk), .wr_i(write), .wr_data_i(wr_data_i), .wr_room_o(room),
        .rd_clk(rd_clk), .rd_valid_o(valid), .rd_data_o(data), .rd_ready_i(rd_ready_i)
    );

    // The writer: up to MARGIN words since wr_room_o went low.
    reg  [1:0] late = 2'd0;
    assign write = wr_i && (room || late < MARGIN);
    reg                marked = 1'b0;           // a word has been chosen
    reg [WIDTH-1:0]    marked_data;
    reg [DEPTH_LOG2:0] number = 0;              // words written; modulo 8, as 0 to 5 words can be inside
    reg [DEPTH_LOG2:0] marked_number;
    reg [DEPTH_LOG2:0] gray_before = 0;
    always @(posedge wr_clk) begin
        late        <= room ? 2'd0 : late + {1'b0, write};
        gray_before <= wr_gray;
        if (write) begin
            number <= number + 1'b1;
            if (!marked && mark_i) begin
                marked        <= 1'b1;
                marked_data   <= wr_data_i;
                marked_number <= number;
            end
        end
    end

    reg [DEPTH_LOG2:0] taken = 0;               // words that came out, likewise
    reg                  over  = 1'b0;          // the marked word is one of them
    reg [DEPTH_LOG2:0]   rd_gray_before = 0;
    always @(posedge rd_clk) begin
        rd_gray_before <= rd_gray;
        if (valid && rd_ready_i) begin
            taken <= taken + 1'b1;
            if (marked && taken == marked_number)
                over <= 1'b1;
        end
    end

    wire [DEPTH_LOG2:0]   inside = number - taken;
    wire [DEPTH_LOG2:0]   wr_step = wr_gray ^ gray_before;
    wire [DEPTH_LOG2:0]   rd_step = rd_gray ^ rd_gray_before;
    always @* begin
        if (valid && marked && !over && taken == marked_number)
            assert (data == marked_data);
        if (marked && !over)
            assert (marked_number - taken < inside);    // it is inside
        if (valid)
            assert (inside != 0);
        assert (inside <= WORDS + 1);
        assert (inside - {{DEPTH_LOG2{1'b0}}, valid} <= WORDS);   // no word in memory is overwritten
        assert ((wr_step & (wr_step - 1'b1)) == 0);
        assert ((rd_step & (rd_step - 1'b1)) == 0);
    end
    always @* begin
        cover (over && inside == 3);
        cover (over && marked_number == 2);
    end
endmodule
