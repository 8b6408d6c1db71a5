// SPDX-FileCopyrightText: The phasebench authors
// SPDX-License-Identifier: Apache-2.0
//
// Control console: reads command lines (`I`, `S DEST PAYLOAD`: docs/node.md) and executes each at
// its end.
//
// Interface: valid_i gives a character, without back-pressure. A character that arrives before the
//            last answer was sent is lost, and its line is refused. write_o asks for data_o at
//            offset_o of the console's slot until write_ready_i. push_o offers the slot to the
//            router until push_done_o; push_ok_i: taken. answer_start_o starts answer answer_o
//            while answer_busy_i is low.
// Timing:    answer_start_o at most payload_bytes_i + 10 clocks after the '\n', plus the router's.
// Reset:     at the start of a line; the sequence restarts at 0.
// Limits:    only the first error of a line is answered. The sequence counts the messages taken.
`default_nettype none

module node_console (
    input  wire        clk,
    input  wire        rst_i,
    input  wire [3:0]  dims_i,          // 1..12, constant
    input  wire [6:0]  payload_bytes_i, // 0..80, constant
    // from the UART
    input  wire        valid_i,
    input  wire        error_i,
    input  wire [7:0]  data_i,
    // to the slot memory
    output wire        write_o,
    output wire [6:0]  offset_o,
    output wire [7:0]  data_o,
    input  wire        write_ready_i,
    // to the router
    output wire        push_o,
    output wire [11:0] destination_o,
    input  wire        push_done_i,
    input  wire        push_ok_i,
    // to the answer
    output wire        answer_start_o,
    output wire [3:0]  answer_o,
    output wire [3:0]  sequence_o,
    input  wire        answer_busy_i
);
    // rows of the table in node_answer.v; 0 also means "no error so far"
    localparam [3:0] IDENTITY = 4'd0, QUEUED = 4'd2, UNKNOWN = 4'd3, SYNTAX = 4'd4, RANGE = 4'd5, LENGTH = 4'd6,
                     LONG = 4'd7, FULL = 4'd8, LOST = 4'd9, EMPTY = 4'd10;
    localparam [3:0] NO_ERROR = IDENTITY;

    // reading a line
    localparam [3:0] COMMAND = 4'd0, GAP = 4'd1, DESTINATION = 4'd2, HIGH_DIGIT = 4'd3, LOW_DIGIT = 4'd4,
                     BLANKS = 4'd5, REST = 4'd6, // to the end of a valid line, of an invalid line
    // executing it
                     PAD = 4'd7, HEADER0 = 4'd8, HEADER1 = 4'd9, PUSH = 4'd10, ANSWER = 4'd11;

    reg [3:0]  step_q;
    reg [3:0]  answer_q;      // an error, or the answer once the line has ended
    reg        overrun_q;     // a character was lost while acting
    reg [7:0]  length_q;      // characters of the line, stops at 255
    reg [11:0] destination_q;
    reg        sending_q;     // the line is an S with a destination
    reg [6:0]  count_q;       // payload bytes so far
    reg [3:0]  high_q;
    reg        store_q;       // a payload byte waits to be written
    reg [7:0]  byte_q;
    reg [3:0]  sequence_q;    // of the next message

    wire newline = data_i == 8'h0A;
    wire blank = data_i == 8'h20;
    wire decimal = data_i >= 8'h30 && data_i <= 8'h39;
    wire letter = (data_i >= 8'h41 && data_i <= 8'h46) || (data_i >= 8'h61 && data_i <= 8'h66);
    wire hex = decimal || letter;
    wire [3:0] digit = letter ? data_i[3:0] + 4'd9 : data_i[3:0];

    wire reading = step_q < PAD;
    wire character = valid_i && data_i != 8'h0D;
    wire padding = step_q == PAD && count_q != payload_bytes_i;

    // Payload bytes are written after the place of the two header bytes, which are written once the line is valid.
    wire header = step_q == HEADER0 || step_q == HEADER1;
    assign write_o = store_q || padding || header;
    assign offset_o = header ? {6'd0, step_q == HEADER1} : store_q ? count_q + 7'd1 : count_q + 7'd2;
    assign data_o = step_q == HEADER0 ? destination_q[7:0] :
                    step_q == HEADER1 ? {sequence_q, destination_q[11:8]} :
                    store_q ? byte_q : 8'd0;
    assign push_o = step_q == PUSH;
    assign destination_o = destination_q;
    assign answer_start_o = step_q == ANSWER && !answer_busy_i;
    assign answer_o = answer_q;
    assign sequence_o = sequence_q - 4'd1; // of the message just taken

    // Refuses the line, at once if the invalid character is its end.
    task fail(input [3:0] reason);
        begin
            answer_q <= reason;
            step_q <= newline ? ANSWER : REST;
        end
    endtask

    always @(posedge clk) begin
        if (store_q && write_ready_i)
            store_q <= 1'b0;

        if (reading && error_i && step_q != REST) begin
            answer_q <= SYNTAX;
            step_q <= REST;
        end
        if (reading && character) begin
            if (length_q != 8'd255)
                length_q <= length_q + 8'd1;
            case (step_q)
            COMMAND:
                if (data_i == "S")
                    step_q <= GAP;
                else if (data_i == "I")
                    step_q <= BLANKS;
                else if (!blank)
                    fail(newline ? EMPTY : UNKNOWN);
            GAP:
                if (blank)
                    step_q <= DESTINATION;
                else
                    fail(newline ? SYNTAX : UNKNOWN);
            DESTINATION:
                if (hex && destination_q[11:8] != 4'd0)
                    fail(RANGE);
                else if (hex) begin
                    sending_q <= 1'b1;
                    destination_q <= {destination_q[7:0], digit};
                end else if (sending_q && (blank || newline)) begin
                    if ((destination_q >> dims_i) != 12'd0)
                        fail(RANGE);
                    else
                        step_q <= newline ? PAD : HIGH_DIGIT;
                end else if (!blank)
                    fail(SYNTAX);
            HIGH_DIGIT:
                if (newline)
                    step_q <= PAD;
                else if (hex && count_q == payload_bytes_i)
                    fail(LENGTH);
                else if (hex) begin
                    high_q <= digit;
                    step_q <= LOW_DIGIT;
                end else if (!blank)
                    fail(SYNTAX);
                else if (count_q != 7'd0)
                    step_q <= BLANKS;
            LOW_DIGIT:
                if (hex) begin
                    byte_q <= {high_q, digit};
                    store_q <= 1'b1;
                    count_q <= count_q + 7'd1;
                    step_q <= HIGH_DIGIT;
                end else
                    fail(SYNTAX);
            BLANKS:
                if (newline)
                    step_q <= sending_q ? PAD : ANSWER;
                else if (!blank)
                    fail(SYNTAX);
            default: // REST
                if (newline)
                    step_q <= ANSWER;
            endcase
            if (length_q == 8'd255 && !newline && step_q != REST)
                fail(LONG);
        end

        case (step_q)
        PAD:
            if (!padding)
                step_q <= store_q ? PAD : HEADER0;
            else if (!store_q && write_ready_i)
                count_q <= count_q + 7'd1;
        HEADER0:
            if (write_ready_i)
                step_q <= HEADER1;
        HEADER1:
            if (write_ready_i)
                step_q <= PUSH;
        PUSH:
            if (push_done_i) begin
                answer_q <= push_ok_i ? QUEUED : FULL;
                if (push_ok_i)
                    sequence_q <= sequence_q + 4'd1;
                step_q <= ANSWER;
            end
        ANSWER:
            if (!answer_busy_i) begin
                answer_q <= overrun_q ? LOST : NO_ERROR;
                step_q <= overrun_q ? REST : COMMAND;
                overrun_q <= 1'b0;
                length_q <= 8'd0;
                destination_q <= 12'd0;
                sending_q <= 1'b0;
                count_q <= 7'd0;
            end
        default: ;
        endcase
        if (!reading && character)
            overrun_q <= 1'b1;

        if (rst_i) begin
            step_q <= COMMAND;
            answer_q <= NO_ERROR;
            overrun_q <= 1'b0;
            length_q <= 8'd0;
            destination_q <= 12'd0;
            sending_q <= 1'b0;
            count_q <= 7'd0;
            high_q <= 4'd0;
            store_q <= 1'b0;
            byte_q <= 8'd0;
            sequence_q <= 4'd0;
        end
    end
endmodule

`default_nettype wire
