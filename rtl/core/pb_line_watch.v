// SPDX-FileCopyrightText: The phasebench authors
// SPDX-License-Identifier: Apache-2.0
//
// Watches every line while the phase clock runs and raises STUCK, CONTENTION, OUTSIDE_PHASE or
// GUARD, in this order of precedence (definitions: docs/design/rtl.md). A line has one alarm per
// phase, its first.
//
// Interface: alarm_o, code_o and link_o hold until ack_i, when count_o pulses. phase_wr_i writes
//            the phase of a link. phase_i must be stable for LAG clocks after tick_i.
// Timing:    line_i, outside_i, sending_i and contention_i lag tick_i, phase_i and elapsed_i by LAG
//            clocks. An alarm shows within LINKS + 3 clocks, later only while others wait for
//            ack_i.
// Reset:     no alarms; tick_i, first_i and live_i must be low.
// Limits:    an alarm that comes while the line's last one waits is lost. A phase of a link written
//            less than LINKS + 3 clocks before a phase begins acts one phase later.
`default_nettype none
`include "pb_clocks.vh"
`include "pb_regs.vh"

module pb_line_watch #(
    parameter LINKS = 12, // 1..64
    parameter LAG   = 4   // clocks, at least 4
) (
    input  wire               clk,
    input  wire               rst_i,

    input  wire               tick_i,
    input  wire               first_i,       // tick_i delayed by LAG - 1 clocks: the lines show the last tick of the phase before
    input  wire               live_i,        // the phase clock ran LAG - 1 clocks ago
    input  wire [8:0]         phase_i,
    input  wire [26:0]        elapsed_i,
    input  wire [23:0]        guard_head_i,  // ticks, 0: none
    input  wire [26:0]        guard_tail_i,  // ticks, more than a phase lasts: none

    input  wire               phase_wr_i,    // sets the phase of link phase_link_i to phase_data_i
    input  wire [5:0]         phase_link_i,
    input  wire [5:0]         phase_data_i,
    input  wire [LINKS-1:0]   phase_set_i,   // bit 0: the phase of the link is 0, whatever was written; changes only with restart_i
    input  wire               restart_i,

    input  wire [LINKS-1:0]   line_i,
    input  wire [LINKS-1:0]   outside_i,     // low from outside
    input  wire [LINKS-1:0]   sending_i,     // the bench sends on this line
    input  wire [LINKS-1:0]   contention_i,  // both sides of a joined pair are low from outside

    output reg                alarm_o,
    output wire [4:0]         code_o,
    output wire [5:0]         link_o,
    input  wire               ack_i,
    output wire               count_o
);
    // ---- common to all lines
    localparam TOP = LAG - 2;
    reg          head_q, tail_q;
    reg  [TOP:0] guard_q;
    wire       first = first_i;
    wire       guard = guard_q[TOP];
    // In a guard and at the border of two phases no line may be low.
    wire       clear    = guard || first;
    reg        first_q, live_q, clear_q, not_here_q;    // one clock later

    always @(posedge clk) begin
        head_q    <= (tick_i || head_q) && elapsed_i != {3'd0, guard_head_i};
        tail_q    <= (!tick_i && tail_q) || elapsed_i == guard_tail_i;
        guard_q   <= {guard_q[TOP-1:0], head_q || tail_q};
        first_q    <= first;
        live_q     <= live_i;
        clear_q    <= clear;
        not_here_q <= !guard || first;
    end

    // ---- round-robin arbitration
    reg  [LINKS-1:0] turn_q;
    reg  [5:0]       link_q;
    reg  [LINKS-1:0] wait_q, kind1_q, kind0_q;
    reg  [1:0]       kind_q;
    wire             found = (wait_q & turn_q) != 0;    // the selected line keeps the grant until its alarm is taken
    assign link_o  = link_q;
    assign count_o = alarm_o && ack_i;
    // The kinds are numbered like the codes, from 0.
    assign code_o  = {3'd0, kind_q} + `PB_ALARM_CONTENTION;
    always @(posedge clk) begin
        alarm_o <= found && !count_o && !rst_i;
        kind_q  <= {(kind1_q & turn_q) != 0, (kind0_q & turn_q) != 0};
    end

    generate if (LINKS == 1) begin : g_one
        always @(posedge clk) begin
            turn_q <= 1'b1;
            link_q <= 6'd0;
        end
    end else begin : g_turns
        always @(posedge clk)
            if (rst_i) begin
                turn_q <= {{(LINKS-1){1'b0}}, 1'b1};
                link_q <= 6'd0;
            end else if ((!found || count_o) `PB_AND_TIME) begin
                turn_q <= `PB_STEP({turn_q[LINKS-2:0], turn_q[LINKS-1]}, turn_q << `PB_TURNS | turn_q >> LINKS[6:0] - {1'b0, `PB_TURNS});
                link_q <= `PB_STEP(turn_q[LINKS-1] ? 6'd0 : link_q + 6'd1, link_q + `PB_TURNS - ({1'b0, link_q} + {1'b0, `PB_TURNS} < LINKS[6:0] ? 6'd0 : LINKS[5:0]));
            end
    end endgenerate

    // ---- links that may pull in the next phase
    localparam [6:0] SCAN_END = LINKS[6:0] + 7'd1;
    reg  [5:0]       memory [0:63];
    reg  [5:0]       memory_q;
    reg              set_q;
    reg  [6:0]       scan_q;        // link to read
    reg  [LINKS-1:0] next_q, zero_q;    // links that must not pull in the next phase, in phase 0; shifted in from the top
    wire             scanned = scan_q == SCAN_END;
    wire [5:0]       its     = memory_q & {6{set_q}};
    reg  [9:0]       coming;        // phase after the phase at the lines; phase_i is a phase ahead from tick_i to first_i
    wire             any     = &its;        // phase 63: may pull in any phase
    reg  [63:0]      all_set;
    always @* begin
        all_set = 64'd0;
        all_set[LINKS-1:0] = phase_set_i;
    end
    wire [LINKS:0]   next_d  = {!any && {4'd0, its} != coming, next_q};
    wire [LINKS:0]   zero_d  = {!any && its != 6'd0, zero_q};
    wire             unused  = &{1'b0, next_d[0], zero_d[0]};
    always @(posedge clk) begin
        if (phase_wr_i)
            memory[phase_link_i] <= phase_data_i;
        memory_q <= memory[scan_q[5:0]];
        if (phase_wr_i && phase_link_i == scan_q[5:0])
            memory_q <= 6'bx;   // read again after every write
        set_q    <= all_set[scan_q[5:0]];
        if (first)
            coming <= {1'b0, phase_i} + 10'd1;
        if (rst_i || restart_i || phase_wr_i || first)
            scan_q <= 7'd0;
        else if (!scanned)
            scan_q <= scan_q + 7'd1;
        if (!scanned) begin
            next_q <= next_d[LINKS:1];
            zero_q <= zero_d[LINKS:1];
        end
    end

    // ---- all lines at once, one bit each
    reg  [LINKS-1:0] foreign_q;     // this is a phase in which the node must not pull
    reg  [LINKS-1:0] done_q;        // no further alarm in this phase

    // Alarms, handled one clock later. Contention does not count in the first clock of a phase.
    reg  [LINKS-1:0] pulled, fight;
    wire [LINKS-1:0] alarm = (pulled | fight) & (first_q ? {LINKS{1'b1}} : ~done_q);

    always @(posedge clk) begin
        if (first)
            foreign_q <= (phase_i == 9'd0 ? zero_q : next_q) & {LINKS{scanned}};
        pulled  <= clear ? ~line_i : outside_i & foreign_q;
        fight   <= first ? {LINKS{1'b0}} : contention_i | (outside_i & sending_i);
        done_q  <= live_q ? (first_q ? {LINKS{1'b0}} : done_q) | pulled | fight : {LINKS{1'b1}};
        wait_q  <= (wait_q & ~(count_o ? turn_q : {LINKS{1'b0}})) | (~wait_q & alarm);
        kind1_q <= (wait_q & kind1_q) | (~wait_q & ~fight & {LINKS{clear_q}});
        kind0_q <= (wait_q & kind0_q) | (~wait_q & ~fight & {LINKS{not_here_q}});
        if (rst_i)
            wait_q <= {LINKS{1'b0}};
    end
endmodule

`default_nettype wire
