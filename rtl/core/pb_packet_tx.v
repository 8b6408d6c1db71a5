// SPDX-FileCopyrightText: The phasebench authors
// SPDX-License-Identifier: Apache-2.0
//
// Packet sender: adds flags, escapes and the FCS (see pb_packet_rx) to a header and payload handed in byte by byte.
//
// Handshake: the user raises valid_i with the first byte (opcode) and holds each byte until ready_o; last_i marks the last payload
// byte. The user counts the length itself. After the last byte the FCS and the closing flag follow.
// Reset: idle, nothing sent.
`default_nettype none

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
    localparam [2:0] IDLE = 3'd0, BODY = 3'd1, FCS_LOW = 3'd2, FCS_HIGH = 3'd3, CLOSE = 3'd4;

    reg  [2:0]  state_q;
    reg         escaped_q;  // the escape byte of the present byte is out
    reg  [15:0] fcs_q;
    wire [15:0] fcs_d;
    pb_fcs16 fcs (.fcs_i(fcs_q), .data_i(data_i), .fcs_o(fcs_d));

    wire [7:0] plain  = state_q == FCS_LOW ? ~fcs_q[7:0] : state_q == FCS_HIGH ? ~fcs_q[15:8] : data_i;
    wire       has    = (state_q == BODY && valid_i) || state_q == FCS_LOW || state_q == FCS_HIGH;
    wire       needs  = (plain == 8'h7e || plain == 8'h7d) && !escaped_q;
    wire       room   = !tx_valid_o || tx_ready_i;
    wire       step   = room && has && !needs;
    assign ready_o = step && state_q == BODY;

    always @(posedge clk) begin
        if (tx_ready_i)
            tx_valid_o <= 1'b0;
        if (room) case (state_q)
            IDLE: if (valid_i) begin
                tx_valid_o <= 1'b1;
                tx_data_o  <= 8'h7e;
                fcs_q      <= 16'hffff;
                state_q    <= BODY;
            end
            CLOSE: begin
                tx_valid_o <= 1'b1;
                tx_data_o  <= 8'h7e;
                state_q    <= IDLE;
            end
            default: if (has) begin
                tx_valid_o <= 1'b1;
                tx_data_o  <= needs ? 8'h7d : escaped_q ? plain ^ 8'h20 : plain;
                escaped_q  <= needs;
                if (step) begin
                    if (state_q == BODY) begin
                        fcs_q <= fcs_d;
                        if (last_i)
                            state_q <= FCS_LOW;
                    end else
                        state_q <= state_q == FCS_LOW ? FCS_HIGH : CLOSE;
                end
            end
        endcase
        if (rst_i) begin
            state_q    <= IDLE;
            escaped_q  <= 1'b0;
            tx_valid_o <= 1'b0;
        end
    end
endmodule

`default_nettype wire
