// SPDX-FileCopyrightText: The phasebench authors
// SPDX-License-Identifier: Apache-2.0
//
// Applies active line faults. Sits between the synchronised pins and all line consumers, and adds
// pull requests to pb_fabric. Effect of each kind: docs/design/rtl.md.
//
// Interface: kind, link, other and parameter of a unit are sampled while ready_i is high, at the
//            latest one clock before active_i rises. parameter is stable until active_i falls.
// Timing:    pull_o, hold_o and cut_o act in the clock of active_i, the pin one clock later; line_o
//            one clock later for OPEN and any end; SHORT 2 clocks to the pin; line_i to line_o
//            none.
// Reset:     reset and release_i: no owner, no stretched low; other pulls end with active_i.
// Limits:    the lowest COUNT_BITS of parameter count and must not be 0. UNITS = 0: no logic.
//            FEEDBACK = 0 leaves out SHORT and SLOW_RISE, and with them the longest paths.
`default_nettype none
`include "pb_sim_skip.vh"
`include "pb_regs.vh"

module pb_fault_lines #(
    parameter LINKS      = 12,  // 1..64
    parameter UNITS      = 1,   // 0..15
    parameter FEEDBACK   = 1,   // 0: SHORT and SLOW_RISE, whose pulls follow the level of a line, do nothing
    parameter COUNT_BITS = `PB_FAULT_TICKS_TICKS_WIDTH   // bits of `parameter` that count, 2..31
) (
    input  wire                                   clk,
    input  wire                                   rst_i,
    input  wire                                   release_i,

    // One field per unit; unused if UNITS is 0.
    input  wire [(UNITS > 0 ? UNITS : 1)-1:0]     ready_i,
    input  wire [(UNITS > 0 ? UNITS : 1)-1:0]     active_i,
    input  wire [(UNITS > 0 ? 5*UNITS : 5)-1:0]   kind_i,
    input  wire [(UNITS > 0 ? 6*UNITS : 6)-1:0]   link_i,
    input  wire [(UNITS > 0 ? 6*UNITS : 6)-1:0]   other_i,
    input  wire [(UNITS > 0 ? 32*UNITS : 32)-1:0] parameter_i,

    input  wire [LINKS-1:0]                       line_i,     // synchronised pins
    input  wire [LINKS-1:0]                       wanted_i,   // wanted_o of pb_fabric: its pulls without faults
    input  wire [LINKS-1:0]                       outside_i,  // outside_o of pb_fabric

    output wire [LINKS-1:0]                       line_o,     // line levels for all other modules
    output wire [LINKS-1:0]                       pull_o,     // to fault_pull_i of pb_fabric
    output wire [LINKS-1:0]                       hold_o,     // to fault_hold_i of pb_fabric
    output wire [LINKS-1:0]                       cut_o,      // to cut_i of pb_fabric
    output wire [LINKS-1:0]                       sending_o   // SECOND_DRIVER is active on this line
);
    generate if (UNITS == 0) begin : g_none
        wire unused = &{1'b0, clk, rst_i, release_i, ready_i, active_i, kind_i, link_i, other_i, parameter_i, wanted_i, outside_i};
        assign line_o = line_i;
        assign pull_o    = {LINKS{1'b0}};
        assign hold_o    = {LINKS{1'b0}};
        assign cut_o     = {LINKS{1'b0}};
        assign sending_o = {LINKS{1'b0}};
    end else begin : g_some
        wire [LINKS*UNITS-1:0] at_link, at_other;
        // Effect of each unit at its link, and of SHORT at the other link.
        wire [UNITS-1:0] force_link, short_link, short_other, stretch, delay, open, second;
        reg  [LINKS-1:0] forced, pulled, held, cut, sending, delayed, cut_q;
        assign pull_o    = pulled;
        assign hold_o    = held;
        assign cut_o     = cut;
        assign sending_o = sending;

        // Low for a reason other than a SHORT. With a single unit no other unit can force the line low.
        wire [LINKS-1:0] low = wanted_i | outside_i | (UNITS > 1 ? forced : {LINKS{1'b0}});

        genvar u;
        for (u = 0; u < UNITS; u = u + 1) begin : g_unit
            wire                  active = active_i[u];
            wire [4:0]            kind   = kind_i[5*u +: 5];
            wire [5:0]            link   = link_i[6*u +: 6];
            wire [5:0]            other  = other_i[6*u +: 6];
            wire [COUNT_BITS-1:0] ticks  = parameter_i[32*u +: COUNT_BITS];
            wire                  unused = &{1'b0, parameter_i[32*u+COUNT_BITS +: 32-COUNT_BITS]};

            // Decoded a clock ahead: the flip-flops cost no cells, and the paths through the fabric stay short.
            reg  [LINKS-1:0] at_link_q, at_other_q;
            reg              low_q, open_q, short_q, slow_q, second_q;
            integer          k;
            always @(posedge clk) if (ready_i[u]) begin
                for (k = 0; k < LINKS; k = k + 1) begin
                    at_link_q[k]  <= link == k[5:0];
                    at_other_q[k] <= other == k[5:0];
                end
                low_q    <= kind == `PB_FAULT_STUCK_LOW || kind == `PB_FAULT_GLITCH;
                open_q   <= kind == `PB_FAULT_OPEN;
                short_q  <= FEEDBACK != 0 && kind == `PB_FAULT_SHORT;
                slow_q   <= FEEDBACK != 0 && kind == `PB_FAULT_SLOW_RISE;
                second_q <= kind == `PB_FAULT_SECOND_DRIVER;
            end
            assign at_link[LINKS*u +: LINKS]  = at_link_q;
            assign at_other[LINKS*u +: LINKS] = at_other_q;
            assign open[u]                    = active && open_q;

            // ---- the unit's only counter: half a wave of the second driver, or the rest of a slow rise
            reg  [COUNT_BITS-1:0] count_q;
            reg                   wave_q;     // the low half
            reg                   rising_q;   // the line was low and still counts as low
            reg                   external_q;   // rising_q after a low from outside
            reg                   own_q;
            wire own    = (at_link_q & wanted_i) != 0;
            wire external = (at_link_q & outside_i) != 0 && (at_link_q & line_i) == 0;  // at the pin, not only in a held line_o
            wire nearly = count_q[COUNT_BITS-1:1] == 0;     // 1 or 0
            wire wave   = active && second_q;   // the second driver is active
            wire slow   = active && slow_q;
            // A don't-care for kinds that do not count, so that the adder does not depend on the kind.
            wire run    = slow_q ? rising_q && !own && !external : active && !nearly;
            always @(posedge clk) if (`PB_SIM_ACTIVE(ready_i[u] || active || rising_q || !wave_q || rst_i || release_i)) begin
                count_q  <= run ? count_q + {COUNT_BITS{run}} : ticks;
                wave_q   <= !wave || wave_q ^ nearly;
                rising_q <= slow && (own || external || (rising_q && !nearly));
                own_q    <= own;
                // line_i shows a pull of the bench two clocks later; until then line_o must not show a held rise.
                external_q <= external || (external_q && rising_q && !own_q);
                if (rst_i || release_i) begin
                    rising_q <= 1'b0;
                    external_q <= 1'b0;
                end
            end
            assign second[u]     = wave;
            assign force_link[u] = active && (low_q || (second_q && wave_q));
            assign stretch[u]    = slow && (own || (rising_q && !external_q && !nearly));
            assign delay[u]      = rising_q && external_q;

            // ---- short: at most one of the sides owns the wire
            reg  link_owns_q, other_owns_q;
            wire shorted   = active && short_q;
            wire link_owns = (at_link_q & low) != 0 && !other_owns_q;
            always @(posedge clk) if (`PB_SIM_ACTIVE(active || link_owns_q || other_owns_q || rst_i || release_i)) begin
                link_owns_q  <= shorted && link_owns;
                other_owns_q <= shorted && (at_other_q & low) != 0 && !link_owns;
                if (rst_i || release_i) begin
                    link_owns_q  <= 1'b0;
                    other_owns_q <= 1'b0;
                end
            end
            assign short_link[u]  = shorted && other_owns_q;
            assign short_other[u] = shorted && link_owns_q;
        end

        integer n;
        always @* begin
            forced  = {LINKS{1'b0}};
            pulled  = {LINKS{1'b0}};
            held    = {LINKS{1'b0}};
            cut     = {LINKS{1'b0}};
            sending = {LINKS{1'b0}};
            delayed = {LINKS{1'b0}};
            for (n = 0; n < UNITS; n = n + 1) begin
                // Simulation speed only: the condition skips idle units and adds no logic.
                if (active_i[n]) begin
                    forced  = forced | ({LINKS{force_link[n]}} & at_link[LINKS*n +: LINKS]);
                    pulled  = pulled | ({LINKS{short_link[n] || force_link[n]}} & at_link[LINKS*n +: LINKS]) |
                              ({LINKS{short_other[n]}} & at_other[LINKS*n +: LINKS]);
                    held    = held | ({LINKS{stretch[n]}} & at_link[LINKS*n +: LINKS]);
                    cut     = cut | ({LINKS{open[n]}} & at_link[LINKS*n +: LINKS]);
                    sending = sending | ({LINKS{second[n]}} & at_link[LINKS*n +: LINKS]);
                end
                if (delay[n])
                    delayed = delayed | at_link[LINKS*n +: LINKS];
            end
        end
        always @(posedge clk)
            cut_q <= cut;
        assign line_o = (line_i & ~delayed) | cut_q;
    end endgenerate
endmodule

`default_nettype wire
