// SPDX-FileCopyrightText: The phasebench authors
// SPDX-License-Identifier: Apache-2.0
//
// Link fabric: decides for each link pin whether the bench pulls it low.
//
// Mode 0, listen only: never pulled. Mode 1, virtual neighbour: pulled by the slot player. Mode 2, joined: the pin and
// its partner behave as one open-drain wire; a low that comes from outside on one side is repeated on the other. The side
// that was pulled from outside first owns the wire; a side that the bench itself pulls is not a source, nor is it
// for blank_i ticks after the bench let go, while its pull-up raises it. When both sides fall in the same tick the
// lower-numbered pin owns.
//
// Latency: player to pull_o one clock, partner's pin (synchronised) to pull_o one clock. Registered, so no glitches.
// Reset and release_i: all released.
`default_nettype none

module pb_fabric #(
    parameter LINKS = 12  // 1..64
) (
    input  wire                clk,
    input  wire                rst_i,
    input  wire                release_i,

    input  wire [14*LINKS-1:0] config_i,   // per link: mode in 1..0, partner in 13..8
    input  wire [7:0]          blank_i,    // ticks
    input  wire [LINKS-1:0]    line_i,     // synchronised
    input  wire [LINKS-1:0]    player_pull_i,
    output reg  [LINKS-1:0]    pull_o
);
    localparam INDEX_BITS = LINKS > 1 ? $clog2(LINKS) : 1;

    localparam SLOTS = 1 << INDEX_BITS;

    wire [SLOTS-1:0] source;    // pulled low from outside; a partner that does not exist never is
    wire [LINKS-1:0] joined_pull;

    genvar i;
    generate for (i = LINKS; i < SLOTS; i = i + 1) begin : g_absent
        assign source[i] = 1'b0;
    end endgenerate
    generate for (i = 0; i < LINKS; i = i + 1) begin : g_link
        wire [1:0]            mode    = config_i[14*i +: 2];
        wire [INDEX_BITS-1:0] partner = config_i[14*i+8 +: INDEX_BITS];
        wire                  unused  = &{1'b0, config_i[14*i+2 +: 12]};
        reg                   blind_q;
        reg  [7:0]            blank_q;
        wire                  blank = blind_q && blank_q != 8'd0;
        wire                  count = blank && !pull_o[i];

        assign source[i]      = !line_i[i] && !pull_o[i] && !blank;
        // The comparison is a constant for the highest link, as it should be.
        /* verilator lint_off CMPCONST */
        assign joined_pull[i] = source[partner] && !(source[i] && i < {{(32-INDEX_BITS){1'b0}}, partner});
        /* verilator lint_on CMPCONST */

        always @(posedge clk) begin
            // While loading, the adder's operand is anything: so the counter takes one logic cell per bit.
            blank_q <= count ? blank_q + {8{count}} : blank_i;
            blind_q <= pull_o[i] || blank;
            pull_o[i] <= (mode == 2'd1 && player_pull_i[i]) || (mode == 2'd2 && joined_pull[i]);
            if (rst_i || release_i) begin
                pull_o[i] <= 1'b0;
                blind_q   <= 1'b0;
            end
        end
    end endgenerate
endmodule

`default_nettype wire
