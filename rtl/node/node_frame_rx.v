// SPDX-FileCopyrightText: The phasebench authors
// SPDX-License-Identifier: Apache-2.0
//
// Collects the bytes of one receive phase and checks whether they are one valid slot frame.
//
// Interface: good_o, seen_o and destination_o describe the phase that ends with tick_i and are read
//            in the clock of tick_i; destination_o holds until the first byte of the next frame.
//            write_o stores data_o at offset_o of the receive slot in the same clock.
// Timing:    write_o in the clock of valid_i; the result one clock after the last valid_i.
// Reset:     nothing seen.
// Limits:    good_o needs exactly payload_bytes_i + 3 bytes, no framing error and a matching CRC.
//            Header and payload are stored, not the CRC, and never a byte beyond the slot.
`default_nettype none

module node_frame_rx (
    input  wire        clk,
    input  wire        rst_i,
    input  wire        tick_i,
    input  wire [6:0]  payload_bytes_i, // 0..80; constant
    // from the UART
    input  wire        valid_i,
    input  wire        error_i,
    input  wire [7:0]  data_i,
    // to the slot memory
    output wire        write_o,
    output wire [6:0]  offset_o,
    output wire [7:0]  data_o,
    // result
    output wire        good_o,
    output wire        seen_o,          // a byte or a framing error came
    output reg  [11:0] destination_o
);
    reg  [6:0] count_q; // bytes received, stops one beyond a whole frame
    reg  [7:0] crc_q;
    reg        bad_q;   // framing error or too long
    wire [7:0] crc_next;

    node_crc8 crc (.crc_i(crc_q), .data_i(data_i), .crc_o(crc_next));

    wire [6:0] header_and_payload = payload_bytes_i + 7'd2;
    wire       whole = count_q == payload_bytes_i + 7'd3;

    assign write_o = valid_i && count_q < header_and_payload;
    assign offset_o = count_q;
    assign data_o = data_i;
    assign good_o = whole && crc_q == 8'd0 && !bad_q;
    assign seen_o = count_q != 7'd0 || bad_q;

    always @(posedge clk) begin
        if (valid_i) begin
            crc_q <= crc_next;
            if (whole)
                bad_q <= 1'b1;
            else
                count_q <= count_q + 7'd1;
            if (count_q == 7'd0)
                destination_o[7:0] <= data_i;
            if (count_q == 7'd1)
                destination_o[11:8] <= data_i[3:0];
        end
        if (error_i)
            bad_q <= 1'b1;
        if (rst_i || tick_i) begin
            count_q <= 7'd0;
            crc_q <= 8'd0;
            bad_q <= 1'b0;
        end
        if (rst_i)
            destination_o <= 12'd0;
    end
endmodule

`default_nettype wire
