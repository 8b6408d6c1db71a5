// SPDX-FileCopyrightText: The phasebench authors
// SPDX-License-Identifier: Apache-2.0
//
// Connects the single UART of a node to the link of the current dimension.
// Interface: enable_i, send_i and dim_i are levels that may change in any clock. A change first
//            releases all links for one clock, then selects the new link. pull_low_o comes directly
//            from flip-flops.
// Timing:    request to selection 1 clock from no link, 2 clocks from another link; selection to
//            the first possible pull 1 clock; tx_i to pull_low_o 1 clock; line to rx_o 2 clocks
//            (the synchroniser is inside).
// Reset:     no link selected, no line pulled, rx_o idle (high).
// Limits:    a line not selected for sending is never pulled. A dim_i of DIMS or more selects no
//            link. A change of the request in the middle of a byte cuts the byte.
`default_nettype none

module tdma_mux #(
    parameter DIMS = 12 // number of links, 1..12
) (
    input  wire            clk,
    input  wire            rst_i,
    // request
    input  wire            enable_i,  // 0: release all
    input  wire            send_i,    // 1: the UART sends on the link, 0: it receives
    input  wire [3:0]      dim_i,
    // UART
    input  wire            tx_i,      // level, idle high
    output wire            rx_o,      // level, idle high
    // links, open drain
    input  wire [DIMS-1:0] line_i,    // level at the pin, asynchronous
    output reg  [DIMS-1:0] pull_low_o
);
    generate
        if (DIMS < 1 || DIMS > 12)
            DIMS_must_be_1_to_12 stop ();
    endgenerate

    reg            enable_q, send_q;
    reg [3:0]      dim_q;
    reg [DIMS-1:0] talk_q, hear_q; // at most one bit of both together
    reg            rx_meta_q, rx_q;

    wire stays = enable_q && enable_i && send_i == send_q && dim_i == dim_q;
    wire heard = !(|(hear_q & ~line_i));

    reg [DIMS-1:0] wanted;
    integer d;
    always @*
        for (d = 0; d < DIMS; d = d + 1)
            wanted[d] = dim_i == d[3:0];

    always @(posedge clk) begin
        if (rst_i || !stays) begin
            enable_q <= !rst_i && !enable_q && enable_i;
            send_q <= send_i;
            dim_q <= dim_i;
            talk_q <= !rst_i && !enable_q && enable_i && send_i ? wanted : {DIMS{1'b0}};
            hear_q <= !rst_i && !enable_q && enable_i && !send_i ? wanted : {DIMS{1'b0}};
            pull_low_o <= {DIMS{1'b0}};
            rx_meta_q <= 1'b1;
            rx_q <= 1'b1;
        end else begin
            pull_low_o <= tx_i ? {DIMS{1'b0}} : talk_q;
            rx_meta_q <= heard;
            rx_q <= rx_meta_q;
        end
    end

    assign rx_o = rx_q;

`ifdef FORMAL
    // Properties of the module, in terms of its ports.
    reg       past_valid = 1'b0, past2_valid = 1'b0;
    reg       was_enable, was_send, was_tx, was_rst, was2_enable, was2_send, was2_rst;
    reg [3:0] was_dim, was2_dim;
    reg [DIMS-1:0] was_pull, was2_pull;
    always @(posedge clk) begin
        past_valid <= 1'b1;
        past2_valid <= past_valid;
        {was_enable, was_send, was_dim, was_tx, was_rst} <= {enable_i, send_i, dim_i, tx_i, rst_i};
        {was2_enable, was2_send, was2_dim, was2_rst} <= {was_enable, was_send, was_dim, was_rst};
        was_pull <= pull_low_o;
        was2_pull <= was_pull;
    end

    initial assume (rst_i);
    integer f;
    always @* begin
        if (past_valid) begin
            // At most one line is pulled.
            assert ((pull_low_o & (pull_low_o - 1'b1)) == 0);
            // No line is received while sending; talk_q and hear_q exclude each other and match the selection.
            assert (talk_q == 0 || hear_q == 0);
            assert (enable_q || (talk_q == 0 && hear_q == 0));
            assert (!was_rst || pull_low_o == 0);
            for (f = 0; f < DIMS; f = f + 1) begin
                assert (!talk_q[f] || (send_q && dim_q == f));
                assert (!hear_q[f] || (!send_q && dim_q == f));
                // A pull follows a low tx_i, and exactly this link was requested for sending in the last two clocks.
                if (pull_low_o[f])
                    assert (was_enable && was_send && was_dim == f && !was_tx && !was_rst);
                if (pull_low_o[f] && past2_valid)
                    assert (was2_enable && was2_send && was2_dim == f && !was2_rst);
                // Between pulls of two different lines all lines are released for at least two clocks.
                if (pull_low_o[f] && past2_valid)
                    assert ((was_pull == 0 || was_pull == pull_low_o) && (was2_pull == 0 || was2_pull == pull_low_o));
            end
        end
    end
`endif
endmodule

`default_nettype wire
