// SPDX-FileCopyrightText: The phasebench authors
// SPDX-License-Identifier: Apache-2.0
//
// pb_fault_lines and pb_fabric, wired as in pb_core, for two units of any kinds and parameters, any lines,
// modes and settings. An OPEN line is neither pulled nor driven and reads high in every case. A STUCK_LOW
// line is pulled. After release no line is pulled. Without an active unit line_o is line_i, and only the
// fabric's own pulls are active. A line that no unit names has only the fabric's own pulls. Assumed, and
// proven by fault_unit.v: ready_i in the clock before active_i rises, and never with active_i; a unit's
// record is stable from that clock until active_i falls.
//
// sources: core/pb_fault_lines.v core/pb_fabric.v
// probe: at_link lines.g_some.at_link
// probe: at_other lines.g_some.at_other
// probe: opened lines.g_some.open
// probe: low_0 lines.g_some.g_unit[0].low_q
// probe: low_1 lines.g_some.g_unit[1].low_q
// probe: shorting_0 lines.g_some.g_unit[0].short_q
// probe: shorting_1 lines.g_some.g_unit[1].short_q
`default_nettype none
`include "pb_regs.vh"

module proof_fault_lines #(
    parameter LINKS = 3,
    parameter UNITS = 2
) (
    input wire                clk,
    input wire                rst_i,
    input wire                release_i,
    input wire [UNITS-1:0]    ready_i,
    input wire [UNITS-1:0]    active_i,
    input wire [5*UNITS-1:0]  kind_i,
    input wire [6*UNITS-1:0]  link_i,
    input wire [6*UNITS-1:0]  other_i,
    input wire [32*UNITS-1:0] parameter_i,
    input wire [2*LINKS-1:0]  mode_i,
    input wire [6*LINKS-1:0]  partner_i,
    input wire [7:0]          blank_i,
    input wire [LINKS-1:0]    line_i,
    input wire [LINKS-1:0]    player_pull_i,
    input wire [LINKS-1:0]    player_sending_i
);
    reg started = 1'b0;
    always @(posedge clk) started <= 1'b1;
    always @* if (!started) assume (rst_i);

    wire [LINKS-1:0] heard, fault_pull, fault_hold, cut, sending, pull, high, wanted, outside, contention;
    pb_fault_lines #(.LINKS(LINKS), .UNITS(UNITS), .COUNT_BITS(3)) lines (
        .clk(clk), .rst_i(rst_i), .release_i(release_i),
        .ready_i(ready_i), .active_i(active_i), .kind_i(kind_i), .link_i(link_i), .other_i(other_i), .parameter_i(parameter_i),
        .line_i(line_i), .wanted_i(wanted), .outside_i(outside),
        .line_o(heard), .pull_o(fault_pull), .hold_o(fault_hold), .cut_o(cut), .sending_o(sending)
    );
    pb_fabric #(.LINKS(LINKS)) fabric (
        .clk(clk), .rst_i(rst_i), .release_i(release_i), .mode_i(mode_i), .partner_i(partner_i), .blank_i(blank_i), .line_i(heard),
        .player_pull_i(player_pull_i), .player_sending_i(player_sending_i),
        .fault_pull_i(fault_pull), .fault_hold_i(fault_hold), .cut_i(cut),
        .pull_o(pull), .high_o(high), .wanted_o(wanted), .outside_o(outside), .contention_o(contention)
    );

    // ---- the past
    reg                was_release, was_rst;
    reg [UNITS-1:0]    was_ready, was_active;
    reg [5*UNITS-1:0]  was_kind;
    reg [6*UNITS-1:0]  was_link, was_other;
    reg [32*UNITS-1:0] was_parameter;
    always @(posedge clk) begin
        was_release   <= rst_i || release_i;
        was_rst       <= rst_i;
        was_ready     <= ready_i;
        was_active    <= active_i;
        was_kind      <= kind_i;
        was_link      <= link_i;
        was_other     <= other_i;
        was_parameter <= parameter_i;
    end
    genvar u;
    generate for (u = 0; u < UNITS; u = u + 1) begin : g_unit
        always @* if (active_i[u] || was_active[u]) begin
            assume (kind_i[5*u +: 5] == was_kind[5*u +: 5] && link_i[6*u +: 6] == was_link[6*u +: 6]);
            assume (other_i[6*u +: 6] == was_other[6*u +: 6] && parameter_i[32*u +: 32] == was_parameter[32*u +: 32]);
        end
        always @* if (active_i[u])
            assume (started && !ready_i[u] && (was_ready[u] || was_active[u]));
    end endgenerate

    // ---- activity at each line one clock ago
    reg [LINKS-1:0] open, stuck, named;
    integer         i, n;
    always @* begin
        open  = 0;
        stuck = 0;
        named = 0;
        for (n = 0; n < UNITS; n = n + 1)
            for (i = 0; i < LINKS; i = i + 1)
                if (was_active[n]) begin
                    if (was_link[6*n +: 6] == i) begin
                        named[i] = 1'b1;
                        if (was_kind[5*n +: 5] == `PB_FAULT_OPEN)
                            open[i] = 1'b1;
                        if (was_kind[5*n +: 5] == `PB_FAULT_STUCK_LOW || was_kind[5*n +: 5] == `PB_FAULT_GLITCH)
                            stuck[i] = 1'b1;
                    end
                    if (was_other[6*n +: 6] == i && was_kind[5*n +: 5] == `PB_FAULT_SHORT)
                        named[i] = 1'b1;
                end
    end

    always @* if (started) begin
        assert ((pull & high) == 0);
        if (was_release)
            assert (pull == 0 && high == 0);
        else begin
            assert (((pull | high) & open) == 0);
            assert ((stuck & ~open & ~pull) == 0);
            assert ((pull & ~named & ~wanted) == 0);
        end
        assert ((open & ~heard) == 0);
        if (active_i == 0)
            assert (fault_pull == 0 && fault_hold == 0 && cut == 0 && sending == 0);
        if (active_i == 0 && was_active == 0)
            assert (heard == line_i);
    end
    // ---- the decoded record inside, for the induction
    wire [LINKS*UNITS-1:0] at_link, at_other;
    wire [UNITS-1:0]       opened;
    wire                   low_0, low_1, shorting_0, shorting_1;
    wire [UNITS-1:0]       low      = {low_1, low_0};
    wire [UNITS-1:0]       shorting = {shorting_1, shorting_0};
    integer                v;
    always @* for (v = 0; v < UNITS; v = v + 1) if (active_i[v]) begin
        for (i = 0; i < LINKS; i = i + 1) begin
            assert (at_link[LINKS*v+i] == (link_i[6*v +: 6] == i));
            assert (at_other[LINKS*v+i] == (other_i[6*v +: 6] == i));
        end
        assert (opened[v] == (kind_i[5*v +: 5] == `PB_FAULT_OPEN));
        assert (low[v] == (kind_i[5*v +: 5] == `PB_FAULT_STUCK_LOW || kind_i[5*v +: 5] == `PB_FAULT_GLITCH));
        assert (shorting[v] == (kind_i[5*v +: 5] == `PB_FAULT_SHORT));
    end

    always @* if (started) begin
        cover (open[0] && stuck[0] && !line_i[0]);
        cover (stuck == 3'b011 && pull == 3'b011);
        cover (pull == 3'b110 && wanted == 3'b010 && was_active == 2'd1 && was_kind[4:0] == `PB_FAULT_SHORT);
    end
endmodule
