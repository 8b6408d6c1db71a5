// SPDX-FileCopyrightText: The phasebench authors
// SPDX-License-Identifier: Apache-2.0
//
// Packet sender: adds flags, escapes and the FCS (see pb_packet_rx) to a header and a payload.
//
// Interface: the user raises valid_i with the first byte (opcode) and holds each byte until
//            ready_o; last_i marks the last payload byte. The user supplies the length field. After
//            the last byte the FCS and the closing flag follow.
// Timing:    at most one byte per two clocks: ready_o is low for one clock after each byte, in
//            which the user selects the next one. An escaped byte takes three clocks. Latency two.
// Reset:     idle, nothing sent.
`default_nettype none
`include "pb_sim_skip.vh"

module pb_packet_tx (
    input  wire       clk,
    input  wire       rst_i,

    input  wire       valid_i,
    input  wire [7:0] data_i,
    input  wire       last_i,
    output wire       ready_o,

    output reg        tx_valid_o,
    output reg  [7:0] tx_data_o,
    input  wire       tx_ready_i
);
    localparam [2:0] IDLE = 3'd0, BODY = 3'd1, FCS_LOW = 3'd4, FCS_HIGH = 3'd5, CLOSE = 3'd6;

    reg  [2:0]  state_q;
    reg  [7:0]  byte_q;
    reg         full_q;     // byte_q is to be sent
    reg         last_q;     // byte_q is the last byte of the payload
    reg         escaped_q;  // the escape byte before byte_q was sent
    reg  [15:0] fcs_q;
    wire [15:0] fcs_d;
    pb_fcs16 fcs (.fcs_i(fcs_q), .data_i(byte_q), .used_i(full_q), .fcs_o(fcs_d));

    assign ready_o = !full_q && !state_q[2];
    wire   needs   = (byte_q == 8'h7e || byte_q == 8'h7d) && !escaped_q;
    wire   room    = !tx_valid_o || tx_ready_i;
    wire   fcs_now = state_q == FCS_LOW || state_q == FCS_HIGH;
    // After the FCS took in its own low byte, fcs_q[7:0] is its high byte with some bits inverted.
    wire [7:0] check = ~fcs_q[7:0] ^ (state_q == FCS_HIGH ? 8'h78 : 8'h00);

    always @(posedge clk) if (`PB_SIM_ACTIVE(state_q != IDLE || full_q || valid_i || tx_valid_o || rst_i)) begin
        if (tx_ready_i)
            tx_valid_o <= 1'b0;
        if (ready_o) begin
            byte_q <= data_i;
            last_q <= last_i;
            full_q <= valid_i;
        end else if (!full_q && fcs_now) begin
            byte_q <= check;
            full_q <= 1'b1;
        end
        if (state_q == IDLE)
            fcs_q <= 16'hffff;
        if (room) begin
            if (full_q && state_q != IDLE) begin
                tx_valid_o <= 1'b1;
                tx_data_o  <= needs ? 8'h7d : escaped_q ? byte_q ^ 8'h20 : byte_q;
                escaped_q  <= needs;
                if (!needs) begin
                    full_q <= 1'b0;
                    fcs_q  <= fcs_d;
                    case (state_q)
                        BODY: if (last_q) state_q <= FCS_LOW;
                        FCS_LOW: state_q <= FCS_HIGH;
                        default: state_q <= CLOSE;
                    endcase
                end
            end else if (state_q == CLOSE || full_q) begin
                tx_valid_o <= 1'b1;
                tx_data_o  <= 8'h7e;
                state_q    <= state_q == CLOSE ? IDLE : BODY;
            end
        end
        if (rst_i) begin
            state_q    <= IDLE;
            full_q     <= 1'b0;
            escaped_q  <= 1'b0;
            tx_valid_o <= 1'b0;
        end
    end
endmodule

`default_nettype wire
