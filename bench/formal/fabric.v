// SPDX-FileCopyrightText: The phasebench authors
// SPDX-License-Identifier: Apache-2.0
//
// pb_fabric: which pins the bench pulls or drives high in each mode and under each fault, and that a joined
// pair is released. Lines and settings are arbitrary, except for the pair 0, 1 of the last property. That
// pair stays joined, and its pins follow two external drivers and the fabric's pulls through the core's
// synchroniser. A pin may stay low for `rise` clocks after its last release; JOIN_BLANK covers that time and
// the two clocks of the synchroniser.
//
// sources: core/pb_fabric.v
`default_nettype none

module proof_fabric #(
    parameter LINKS = 3
) (
    input wire                clk,
    input wire                rst_i,
    input wire                release_i,
    input wire [22*LINKS-1:0] config_i,
    input wire [LINKS-1:0]    anything_i,    // levels of the unconstrained lines
    input wire [LINKS-1:0]    player_pull_i,
    input wire [LINKS-1:0]    player_sending_i,
    input wire [LINKS-1:0]    fault_pull_i,
    input wire [LINKS-1:0]    fault_hold_i,
    input wire [LINKS-1:0]    cut_i,
    input wire [1:0]          outside_i,     // 1: no external driver pulls pin 0, 1
    input wire [1:0]          slow_i         // 1: pin 0, 1 has not yet risen, if it may
);
    (* anyconst *) reg       paired;         // the pair is wired as described above
    (* anyconst *) reg [7:0] blank;
    (* anyconst *) reg [1:0] rise;
    always @* if (paired) begin
        assume (blank >= {6'd0, rise} + 8'd2);
        assume (config_i[1:0] == 2'd2 && config_i[8 +: 2] == 2'd1);
        assume (config_i[23:22] == 2'd2 && config_i[30 +: 2] == 2'd0);
    end

    wire [2*LINKS-1:0] mode;        // the same in planes
    wire [6*LINKS-1:0] partner;
    genvar             q;
    generate for (q = 0; q < 6 * LINKS; q = q + 1) begin : g_plane
        assign partner[q] = config_i[22*(q%LINKS)+8+q/LINKS];
        if (q < 2 * LINKS)
            assign mode[q] = config_i[22*(q%LINKS)+q/LINKS];
    end endgenerate

    reg started = 1'b0;
    always @(posedge clk) started <= 1'b1;
    always @* if (!started) assume (rst_i);

    wire [LINKS-1:0] pull, high, wanted, outside;
    wire [LINKS-1:0] line;
    pb_fabric #(.LINKS(LINKS)) dut (
        .clk(clk), .rst_i(rst_i), .release_i(release_i), .mode_i(mode), .partner_i(partner), .blank_i(blank), .line_i(line),
        .player_pull_i(player_pull_i), .player_sending_i(player_sending_i),
        .fault_pull_i(fault_pull_i), .fault_hold_i(fault_hold_i), .cut_i(cut_i),
        .pull_o(pull), .high_o(high), .wanted_o(wanted), .outside_o(outside)
    );

    // ---- the pair
    genvar p;
    wire [1:0] seen;
    generate for (p = 0; p < 2; p = p + 1) begin : g_pin
        reg  [1:0] since;   // clocks since the last pull, up to 3
        reg        meta, sync;
        wire       driven = pull[p] || !outside_i[p];
        wire       level  = !driven && (since >= rise || !slow_i[p]);
        assign seen[p] = sync;
        always @(posedge clk) begin
            since <= driven ? 2'd0 : since + {1'b0, since != 2'd3};
            meta  <= rst_i || level;
            sync  <= rst_i || meta;
            if (rst_i)
                since <= 2'd0;
        end
    end endgenerate
    assign line = paired ? {anything_i[LINKS-1:2], seen} : anything_i;
    wire      fault = fault_pull_i[1:0] != 0 || fault_hold_i[1:0] != 0;
    reg [4:0] quiet;        // clocks without an external pull, a fault or a release_i at the pair
    always @(posedge clk)
        quiet <= rst_i || release_i || fault || outside_i != 2'b11 ? 5'd0 : quiet + {4'd0, quiet != 5'd31};

    // ---- the past
    reg                was_release, was_fault;
    reg [22*LINKS-1:0] was_config;
    reg [LINKS-1:0]    was_player, was_sending, was_line, was_pull, was_fault_pull, was_hold, was_cut;
    always @(posedge clk) begin
        was_release    <= rst_i || release_i;
        was_fault      <= fault;
        was_config     <= config_i;
        was_player     <= player_pull_i;
        was_sending    <= player_sending_i;
        was_line       <= line;
        was_pull       <= pull;
        was_fault_pull <= fault_pull_i;
        was_hold       <= fault_hold_i;
        was_cut        <= cut_i;
    end

    integer i, k;
    reg     partner_low;
    always @* if (started) begin
        if (was_release)
            assert (pull == 0 && high == 0 && wanted == 0);
        assert ((pull & high) == 0);
        assert ((was_pull & high) == 0);
        assert ((outside & (line | pull)) == 0);
        for (i = 0; i < LINKS; i = i + 1) begin
            // Joined: a pull repeats a fault of the partner, or a low of the partner that the bench did not pull.
            partner_low = 1'b0;
            for (k = 0; k < LINKS; k = k + 1)
                if (was_config[22*i+8 +: 2] == k)
                    partner_low = was_fault_pull[k] || (!was_line[k] && !was_pull[k]);
            if (!was_release)
                assert (pull[i] == ((wanted[i] || was_fault_pull[i] || was_hold[i]) && !was_cut[i]));
            case (was_config[22*i +: 2])
                2'd0: assert (!wanted[i]);
                2'd2: assert (!wanted[i] || partner_low);
                default: assert (wanted[i] == (was_player[i] && !was_release));
            endcase
            assert (!high[i] || (was_config[22*i +: 2] == 2'd3 && was_sending[i] && !was_cut[i]));
        end
        if (paired) begin
            assert (!(wanted[0] && wanted[1]) || was_fault);
            if (quiet >= {3'd0, rise} + 5'd4)
                assert (pull[1:0] == 2'b00 && wanted[1:0] == 2'b00);
        end
    end

    always @* if (started) begin
        cover (pull[0] && was_config[1:0] == 2'd1 && !was_fault && high[1]);
        cover (paired && pull[1] && quiet == 5'd2);
        cover (paired && quiet == 5'd8 && rise == 2'd3 && turn == 2'd2);
    end
    reg [1:0] turn;     // first pin 1 was pulled, then pin 0
    always @(posedge clk)
        if (rst_i)
            turn <= 2'd0;
        else if (paired && !was_fault && (turn == 2'd0 ? pull[1] : turn == 2'd1 && pull[0]))
            turn <= turn + 2'd1;
endmodule
