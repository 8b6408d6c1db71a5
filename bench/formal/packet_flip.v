// SPDX-FileCopyrightText: The phasebench authors
// SPDX-License-Identifier: Apache-2.0
//
// Host port codec: a packet with one bit flipped on the line, flags and escapes included, is never received.
// Bounded: one packet of any header and up to one byte of payload after reset. With four or more bytes of
// payload the property would be false: a flip can turn 0x7F into a flag, and the bytes after it may be a
// packet with a matching FCS.
//
// sources: core/pb_packet_tx.v core/pb_packet_rx.v core/pb_fcs16.v ./packet.v
// probe: fcs p.rx.fcs_q
// probe: plain p.rx.plain
// probe: take p.rx.take_data
// probe: good_fcs good.fcs_q
// probe: good_plain good.plain
// probe: good_take good.take_data
// probe: valid p.pass
// probe: data p.data
// probe: rst p.rst
`default_nettype none

module proof_packet_flip (
    input wire clk
);
    proof_packet #(.PAYLOAD(1), .PAUSES(0), .FLIP(1)) p (.clk(clk), .pause_i(1'b0));

    // A second receiver gets the stream without the flip. While both take the same bytes, the difference of their FCS depends only on
    // itself. Without this lemma no solver finishes.
    wire        rst, valid, take, good_take, good_ready, good_valid;
    wire [7:0]  data, plain, good_plain, good_byte;
    wire [15:0] fcs, good_fcs, good_bad, good_lost;
    pb_packet_rx good (
        .clk(clk), .rst_i(rst), .valid_i(valid), .data_i(data), .ready_o(good_ready),
        .packet_valid_o(good_valid), .index_i(8'd0), .byte_o(good_byte), .done_i(1'b0), .bad_o(good_bad), .lost_o(good_lost)
    );
    wire [15:0] next;
    pb_fcs16 step (.fcs_i(fcs ^ good_fcs), .data_i(plain ^ good_plain), .used_i(1'b1), .fcs_o(next));
    reg [15:0] difference;
    reg        same = 1'b0;
    always @(posedge clk) begin
        same       <= !rst && valid && take && good_take;
        difference <= next;
    end
    always @* if (same)
        assert ((fcs ^ good_fcs) == difference);
endmodule
