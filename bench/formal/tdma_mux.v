// SPDX-FileCopyrightText: The phasebench authors
// SPDX-License-Identifier: Apache-2.0
//
// tdma_mux: no idle line is ever driven, before, during or after a switch. The module itself holds the
// properties, in terms of its ports. After a reset its inputs are arbitrary.
//
// sources: node/tdma_mux.v
`default_nettype none

module proof_tdma_mux #(
    parameter DIMS = 12
) (
    input wire            clk,
    input wire            rst_i,
    input wire            enable_i,
    input wire            send_i,
    input wire [3:0]      dim_i,
    input wire            tx_i,
    input wire [DIMS-1:0] line_i
);
    wire            rx;
    wire [DIMS-1:0] pull;
    tdma_mux #(.DIMS(DIMS)) dut (
        .clk(clk), .rst_i(rst_i), .enable_i(enable_i), .send_i(send_i), .dim_i(dim_i), .tx_i(tx_i), .rx_o(rx), .line_i(line_i),
        .pull_low_o(pull)
    );

    reg started = 1'b0;
    reg pulled_first = 1'b0, heard_low = 1'b0;
    always @(posedge clk) begin
        started      <= 1'b1;
        pulled_first <= pulled_first || pull[0];
        heard_low    <= heard_low || (started && !rx);
    end
    always @* if (started) begin
        cover (pulled_first && pull[DIMS-1]);
        cover (heard_low && pull[1]);
    end
endmodule
