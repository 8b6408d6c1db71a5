// SPDX-FileCopyrightText: The phasebench authors
// SPDX-License-Identifier: Apache-2.0
//
// Link fabric: decides for each link pin whether the bench pulls it low.
//
// Interface: mode 0 listens; 1 is the virtual neighbour, pulled by the slot player; 3 adds a high
//            drive between its pulls; 2 joins the pin with its partner to one open-drain wire.
//            outside_o (low, but not by the bench) and contention_o (both sides of a pair have a
//            source of their own) are combinational. wanted_o: the pull without the pin's faults.
// Timing:    one clock from player, faults and the partner's pin to pull_o. Outputs are registers;
//            high_o rises at least one clock after pull_o fell.
// Reset:     reset and release_i: all released.
// Limits:    JOIN = 0 saves area: mode 2 becomes listen-only, and all links share one counter of
//            blank_i. Owner of a joined wire, effect of faults: docs/design/rtl.md.
`default_nettype none
`include "pb_sim_skip.vh"
`include "pb_clocks.vh"

module pb_fabric #(
    parameter LINKS = 12, // 1..64
    parameter JOIN  = 1   // 0: no joined pairs
) (
    input  wire                clk,
    input  wire                rst_i,
    input  wire                release_i,

    // Bit b of the field of link i is bit b * LINKS + i, so that one operation serves all links.
    input  wire [2*LINKS-1:0]  mode_i,
    input  wire [6*LINKS-1:0]  partner_i,
    input  wire [7:0]          blank_i,    // ticks
    input  wire [LINKS-1:0]    line_i,     // synchronised
    input  wire [LINKS-1:0]    player_pull_i,
    input  wire [LINKS-1:0]    player_sending_i,
    input  wire [LINKS-1:0]    fault_pull_i,
    input  wire [LINKS-1:0]    fault_hold_i,
    input  wire [LINKS-1:0]    cut_i,
    output reg  [LINKS-1:0]    pull_o,
    output reg  [LINKS-1:0]    high_o,
    output reg  [LINKS-1:0]    wanted_o,
    output wire [LINKS-1:0]    outside_o,
    output wire [LINKS-1:0]    contention_o
);
    localparam INDEX_BITS = LINKS > 1 ? $clog2(LINKS) : 1;

    localparam SLOTS = 1 << INDEX_BITS;

    // Modes 1 and 3 have bit 0, modes 2 and 3 bit 1.
    wire [LINKS-1:0] player    = mode_i[LINKS-1:0];
    wire [LINKS-1:0] push_pull = mode_i[2*LINKS-1:LINKS] & player;
    wire [LINKS-1:0] joined    = mode_i[2*LINKS-1:LINKS] & ~player;

    reg  [LINKS-1:0]   blank_q;     // the bench pulled one clock ago, or released the pin less than blank_i ticks ago
    wire [LINKS-1:0]   last_blank;  // the last tick of blank_q
    wire [LINKS-1:0]   joined_pull;

    assign outside_o = ~line_i & ~pull_o & ~blank_q;

    // Pulled from outside or by a fault; a partner that does not exist never is.
    wire [LINKS-1:0] source = outside_o | fault_pull_i;
    generate if (JOIN == 0) begin : g_alone
        reg  [7:0] left_q;
        wire       count = pull_o == {LINKS{1'b0}};
        always @(posedge clk)
            left_q <= count ? left_q + {8{count}} : blank_i;
        assign last_blank = {LINKS{left_q == 8'd1}};
        assign joined_pull  = {LINKS{1'b0}};
        assign contention_o = {LINKS{1'b0}};
        wire unused_alone = &{1'b0, joined, source};
    end else begin : g_join
        wire [SLOTS-1:0] sources;
        if (SLOTS > LINKS) begin : g_absent
            assign sources = {{(SLOTS-LINKS){1'b0}}, source};
        end else begin : g_all
            assign sources = source;
        end

        reg [LINKS-1:0]      repeated, fight;
        reg [INDEX_BITS-1:0] partner;
        integer              i, b;
        assign joined_pull  = repeated;
        assign contention_o = fight;
        always @* begin
            repeated = {LINKS{1'b0}};
            fight    = {LINKS{1'b0}};
            partner  = {INDEX_BITS{1'b0}};
            for (i = 0; i < LINKS; i = i + 1)
                if (joined[i]) begin
                    for (b = 0; b < INDEX_BITS; b = b + 1)
                        partner[b] = partner_i[b*LINKS+i];
                    // For the highest link the comparison is a constant, as intended.
                    /* verilator lint_off CMPCONST */
                    repeated[i] = sources[partner] && !(source[i] && i < {{(32-INDEX_BITS){1'b0}}, partner});
                    /* verilator lint_on CMPCONST */
                    fight[i] = sources[partner] && source[i];
                end
        end

        reg [8*LINKS-1:0] left_q;   // ticks left of blank_q, at least 1
        reg [LINKS-1:0]   last;
        integer           m, n;
        assign last_blank = last;
        always @* begin
            last = {LINKS{1'b0}};
            for (m = 0; m < LINKS; m = m + 1)
                if (`PB_SIM_ACTIVE(blank_q[m]))
                    last[m] = left_q[8*m +: 8] == 8'd1;
        end
        always @(posedge clk)
            if ((pull_o | blank_q) != 0)
                for (n = 0; n < LINKS; n = n + 1) begin : g_blank
                    reg count;
                    count = blank_q[n] && !pull_o[n];
                    // Load cycle: the adder operand is a don't-care, so each counter bit fits one logic cell.
                    left_q[8*n +: 8] <= count ? left_q[8*n +: 8] + `PB_DOWN_FEW(8, count) : blank_i;
                end
    end endgenerate

    // Released from configuration on, so that no line is pulled in the clock before the reset.
    initial begin
        pull_o = {LINKS{1'b0}};
        high_o = {LINKS{1'b0}};
    end

    wire [LINKS-1:0] wanted = (player & player_pull_i) | joined_pull;
    wire [LINKS-1:0] pull   = (wanted | fault_pull_i | fault_hold_i) & ~cut_i;

    always @(posedge clk) begin
        pull_o   <= pull;
        wanted_o <= wanted;
        // A link in mode 3 is not joined, so that its other pulls are not on a critical path.
        high_o   <= push_pull & player_sending_i & ~(player_pull_i | fault_pull_i | fault_hold_i) & ~pull_o & ~cut_i;
        blank_q  <= !`PB_SIM_ACTIVE((pull_o | blank_q) != 0) ? {LINKS{1'b0}} :
                    (pull_o & {LINKS{blank_i != 8'd0}}) | (~pull_o & blank_q & ~last_blank);
        if (rst_i || release_i) begin
            pull_o   <= {LINKS{1'b0}};
            wanted_o <= {LINKS{1'b0}};
            high_o   <= {LINKS{1'b0}};
            blank_q  <= {LINKS{1'b0}};
        end
    end

    wire unused = &{1'b0, partner_i};
endmodule

`default_nettype wire
