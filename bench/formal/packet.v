// SPDX-FileCopyrightText: The phasebench authors
// SPDX-License-Identifier: Apache-2.0
//
// Host port codec: pb_packet_rx receives the packet of pb_packet_tx byte for byte, with escapes and pauses.
// Bounded: one packet of any header and up to PAYLOAD bytes after reset, which fits into the bound.
// packet_flip.v is the same with FLIP = 1.
//
// sources: core/pb_packet_tx.v core/pb_packet_rx.v core/pb_fcs16.v
// probe: rx_fcs rx.fcs_q
// probe: rx_count rx.count_q
// probe: tx_fcs tx.fcs_q
// probe: tx_state tx.state_q
// probe: tx_full tx.full_q
`default_nettype none

module proof_packet #(
    parameter PAYLOAD = 2,
    parameter PAUSES  = 2,      // clocks in which the line takes no byte
    parameter FLIP    = 0       // 1: one bit of the stream is flipped on the line, and no packet must be received
) (
    input wire clk,
    input wire pause_i
);
    reg started = 1'b0;
    always @(posedge clk) started <= 1'b1;
    wire rst = !started;

    // ---- the packet and the flip
    (* anyconst *) reg [7:0]           opcode, sequence;
    (* anyconst *) reg [1:0]           length;
    (* anyconst *) reg [8*PAYLOAD-1:0] payload;
    (* anyconst *) reg [4:0]           flip_byte;   // byte of the stream, the first flag is 0
    (* anyconst *) reg [2:0]           flip_bit;
    (* anyconst *) reg [2:0]           index;       // the byte that is compared
    always @* assume (length <= PAYLOAD);
    wire [8*(PAYLOAD+3)-1:0] packet = {payload, 6'd0, length, sequence, opcode};

    // ---- sender
    reg  [2:0] given = 3'd0;    // bytes taken by the sender
    reg        ended = 1'b0;
    reg  [2:0] pauses = 3'd0;
    wire       give  = !rst && !ended;
    wire       last  = given == {1'b0, length} + 3'd2;
    wire       taken, valid;
    wire [7:0] data;
    wire       line_ready;
    wire       go    = line_ready && !pause_i;
    always @* assume (!pause_i || pauses < PAUSES);
    pb_packet_tx tx (
        .clk(clk), .rst_i(rst), .valid_i(give), .data_i(packet >> {given, 3'd0}), .last_i(last), .ready_o(taken),
        .tx_valid_o(valid), .tx_data_o(data), .tx_ready_i(go)
    );

    // ---- line
    reg  [4:0] sent = 5'd0;     // bytes
    wire       pass = !rst && valid && go;
    wire       hit  = FLIP && sent == flip_byte;
    wire [7:0] line = hit ? data ^ (8'd1 << flip_bit) : data;
    reg        flipped = 1'b0;
    wire [2:0] tx_state;
    reg  [1:0] quiet = 2'd0;    // clocks after the last byte
    always @(posedge clk) begin
        if (give && taken) begin
            given <= given + 3'd1;
            ended <= last;
        end
        if (pause_i)
            pauses <= pauses + 3'd1;
        if (pass) begin
            sent    <= sent + 5'd1;
            flipped <= flipped || hit;
        end
        if (ended && tx_state == 3'd0 && !valid)
            quiet <= quiet + {1'b0, quiet != 2'd3};
    end

    // ---- receiver
    wire        received;
    wire [7:0]  got;
    wire [15:0] bad, lost;
    pb_packet_rx rx (
        .clk(clk), .rst_i(rst), .valid_i(pass), .data_i(line), .ready_o(line_ready),
        .packet_valid_o(received), .index_i({5'd0, index}), .byte_o(got), .done_i(1'b0), .bad_o(bad), .lost_o(lost)
    );
    reg         was_received = 1'b0;
    always @(posedge clk) was_received <= !rst && received;

    always @* if (started) begin
        if (flipped)
            assert (!received);
        if (quiet != 2'd0 && !FLIP)
            assert (received && bad == 16'd0 && lost == 16'd0);
        if (was_received && index < {1'b0, length} + 3'd3)
            assert (got == packet[8*index +: 8]);
        assert (sent <= 2 * (PAYLOAD + 5) + 2);
    end
    wire [15:0] rx_fcs, tx_fcs;
    wire [7:0]  rx_count;
    wire        tx_full;
    wire [2:0]  gone = tx_state == 3'd1 ? given - {2'd0, tx_full} :             // bytes that left the sender, FCS included
                       tx_state == 3'd4 ? {1'b0, length} + 3'd3 : tx_state == 3'd5 ? {1'b0, length} + 3'd4 : 3'd7;
    genvar n;
    generate if (FLIP) begin : g_flip
        always @* if (started)
            cover (quiet == 2'd2 && flipped && length == PAYLOAD && sent == 5'd9);
    end else begin : g_clean
        // Lemma that removes the exclusive ors for the solver: both ends have the FCS of the first n bytes of the packet.
        for (n = 0; n < PAYLOAD + 5; n = n + 1) begin : g_sum
            wire [15:0] before, after;
            if (n == 0) begin : g_first
                assign before = 16'hffff;
            end else begin : g_next
                assign before = g_sum[n-1].after;
            end
            wire [7:0] plain = n < length + 3 ? packet[8*n +: 8] : n == length + 3 ? ~before[7:0] : ~g_sum[n > 0 ? n - 1 : 0].before[15:8];
            pb_fcs16 fcs (.fcs_i(before), .data_i(plain), .used_i(1'b1), .fcs_o(after));
            always @* if (started) begin
                if (rx_count == n && sent != 5'd0 && !received)
                    assert (rx_fcs == before);
                if (gone == n)
                    assert (tx_fcs == before);
            end
        end
        always @* if (started) begin
            cover (was_received && sent == 5'd10 && length == 2'd1 && pauses == PAUSES);
            cover (quiet == 2'd2 && length == PAYLOAD && sent >= 5'd12);
        end
    end endgenerate
endmodule
