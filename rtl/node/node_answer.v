// SPDX-FileCopyrightText: The phasebench authors
// SPDX-License-Identifier: Apache-2.0
//
// Sends one answer line of the console, from a table of texts with places for hexadecimal digits.
//
// Interface: start_i in a clock with busy_o low begins answer answer_i, a row of the text table
//            (names in node_console.v). busy_o is high until the UART has taken the last character.
//            sequence_i is read with start_i; address_i and dims_i are constant.
// Timing:    first character offered 3 clocks after start_i.
// Reset:     idle.
`default_nettype none

module node_answer (
    input  wire        clk,
    input  wire        rst_i,
    input  wire        start_i,
    input  wire [3:0]  answer_i,
    output wire        busy_o,
    // values of the places
    input  wire [11:0] address_i,
    input  wire [3:0]  dims_i,
    input  wire [3:0]  sequence_i,
    // to the UART
    output wire        valid_o,
    output wire [7:0]  byte_o,
    input  wire        ready_i
);
    // Rows of 32 characters, filled with NUL from the left, which is skipped; the first answer takes two rows.
    // \001 to \003 are the places of the address digits, \004 of dims, \005 of the sequence.
    localparam [8*64-1:0] IDENTITY = "+I node=ref addr=\001\002\003 dims=\004 fw=1\n";
    localparam [8*32-1:0] QUEUED = "+S \005\n";
    localparam [8*32-1:0] UNKNOWN = "-unknown\n";
    localparam [8*32-1:0] SYNTAX = "-syntax\n";
    localparam [8*32-1:0] RANGE = "-range\n";
    localparam [8*32-1:0] LENGTH = "-length\n";
    localparam [8*32-1:0] LONG = "-long\n";
    localparam [8*32-1:0] FULL = "-full\n";
    localparam [8*32-1:0] LOST = "-lost\n";
    localparam [8*32-1:0] EMPTY = "-empty\n";
    localparam ROWS = 11;
    localparam [8*32*ROWS-1:0] TEXT =
        {IDENTITY, QUEUED, UNKNOWN, SYNTAX, RANGE, LENGTH, LONG, FULL, LOST, EMPTY};

    reg [7:0] text[0:511];
    integer   i;
    initial
        for (i = 0; i < 512; i = i + 1)
            text[i] = i < 32 * ROWS ? TEXT[8*(32*ROWS-1-i) +: 8] : 8'h0A;

    reg       busy_q, fetched_q;
    reg [8:0] index_q;
    reg [7:0] char_q;
    reg [3:0] sequence_q;
    reg [3:0] digit;

    always @*
        case (char_q[2:0])
        3'd1:    digit = address_i[11:8];
        3'd2:    digit = address_i[7:4];
        3'd3:    digit = address_i[3:0];
        3'd4:    digit = dims_i;
        default: digit = sequence_q;
        endcase

    // NUL, and the leading zeros of the address
    wire skip = char_q == 8'd0 || (char_q == 8'd1 && address_i[11:8] == 4'd0) ||
                (char_q == 8'd2 && address_i[11:4] == 8'd0);
    wire place = char_q < 8'd6;
    wire end_of_line = char_q == 8'h0A;

    assign busy_o = busy_q;
    assign valid_o = busy_q && fetched_q && !skip;
    assign byte_o = !place ? char_q : digit < 4'd10 ? 8'h30 + {4'd0, digit} : 8'h37 + {4'd0, digit};

    always @(posedge clk) begin
        char_q <= text[index_q];
        fetched_q <= busy_q;
        if (!busy_q) begin
            busy_q <= start_i;
            index_q <= {answer_i, 5'd0};
            sequence_q <= sequence_i;
            fetched_q <= 1'b0;
        end else if (fetched_q && (skip || ready_i)) begin
            index_q <= index_q + 9'd1;
            fetched_q <= 1'b0;
            busy_q <= !end_of_line;
        end
        if (rst_i) begin
            busy_q <= 1'b0;
            fetched_q <= 1'b0;
            index_q <= 9'd0;
            sequence_q <= 4'd0;
        end
    end
endmodule

`default_nettype wire
