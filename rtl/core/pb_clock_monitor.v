// SPDX-FileCopyrightText: The phasebench authors
// SPDX-License-Identifier: Apache-2.0
//
// Watches TDMA_CLK and TDMA_SYNC at the pins: reports each rising edge, and raises an alarm when
// one comes at the wrong time, not at all, or with the wrong level of TDMA_SYNC (codes:
// rtl/proto/regs.def).
//
// Interface: edge_o is high in the first clock in which clk_i is high, edge_sync_o is sync_i in
//            that clock. code_o is valid with alarm_o, ticks_o with the alarm PERIOD.
// Timing:    alarm_o is high for one clock: PERIOD 3 clocks after its edge, SYNC 4 clocks, NO_EDGE
//            2 * period_ticks_i + 4 clocks after the last edge. A SYNC may follow a PERIOD at once.
// Reset:     no edge seen; clk_i counts as low.
// Limits:    settings must not change while running_i is high. Neither synchronises nor filters.
//            Rules for the edges to check: docs/design/rtl.md.
`default_nettype none
`include "pb_clocks.vh"
`include "pb_regs.vh"

module pb_clock_monitor (
    input  wire        clk,
    input  wire        rst_i,

    input  wire        clk_i,           // TDMA_CLK, synchronised
    input  wire        sync_i,          // TDMA_SYNC, synchronised
    input  wire        follow_i,
    input  wire        running_i,
    input  wire [26:0] period_ticks_i,
    input  wire [15:0] tolerance_i,     // ticks, at least 1; 65535: no PERIOD alarm
    input  wire [9:0]  phase_count_i,   // 2..512

    output wire        edge_o,
    output wire        edge_sync_o,
    output wire        alarm_o,
    output wire [4:0]  code_o,
    output wire [16:0] ticks_o
);
    localparam [9:0] DUE = 10'h3fe; // count_q at which the next edge must begin a superframe

    reg         clk_q;
    reg         edge_q;     // an edge one clock ago; level_q and runs_q: sync_i and running_i of its clock
    reg         level_q;
    reg         runs_q;
    reg         after_q;    // one clock after edge_q
    reg         load_q;     // edge_q, or no run outside follow mode
    reg  [28:0] time_q;     // signed deviation d of an edge in this clock: d - 1 up to d = 1, then d; saturates at 2^27
    reg         twice_q;    // time_q steps by two
    reg         first_q;    // no edge in this run yet
    reg  [9:0]  count_q;    // edges since a superframe began - phase_count_i - 2, modulo 2^10
    reg  [15:0] size_n_q;   // complement of the deviation's size; size 0 if the period is not judged; holds until the next edge
    reg         short_q;
    reg         period_q;   // an alarm
    reg  [2:0]  wrong_q;    // TDMA_SYNC had the wrong level: bit 0 with after_q, bits 1 and 2 one and two clocks later
    reg  [2:0]  late_q;     // two periods of whole ticks ended without an edge 1, 2, 3 clocks ago

    assign edge_o      = clk_i && !clk_q;
    assign edge_sync_o = sync_i;

    // A negative deviation less one is the complement of its size. The counter steps by two after it passed 0: 1 reads as 0, which
    // a tolerance of at least 1 hides. It also steps by two after a load, to compensate for the clock of the load.
    // Load cycle: the adder operand is a don't-care, so each counter bit fits one logic cell.
    wire        early  = time_q[28];
    wire [28:0] time_d = time_q + {{28{load_q}}, twice_q} + `PB_ONE(29, 29'd1);
    wire        passes = &time_q[28:1] && (time_q[0] || twice_q);   // the carry out of that sum
    wire        full   = !early && time_q[27];
    wire        opening = first_q && !follow_i;
    wire        judged = runs_q && !opening;
    wire        out_of_range   = time_q[27:16] != {12{early}};
    wire        due    = opening || count_q == DUE;
    wire        renew  = edge_q && (level_q || due);
    wire [9:0]  count_d = count_q + {10{renew}} + {9'd0, edge_q};

    wire [15:0] size   = ~size_n_q;     // stored complemented, so that the comparison needs no inverters

    assign alarm_o = period_q || wrong_q[2] || late_q[2];
    assign code_o  = late_q[2] ? `PB_ALARM_NO_EDGE : wrong_q[2] ? `PB_ALARM_SYNC : `PB_ALARM_PERIOD;
    assign ticks_o = `PB_ALARM_PERIOD_PACK(size, short_q);

    always @(posedge clk) begin
        clk_q    <= clk_i;
        edge_q   <= edge_o;
        level_q  <= sync_i;
        runs_q   <= running_i;
        after_q  <= edge_q;
        twice_q  <= edge_q || (passes && !load_q);
        load_q   <= edge_o || (!running_i && !follow_i);
        if (load_q || !full)
            // An OR loads the ones: flip-flops with a set input would not share tiles with the others, which splits the adder.
            time_q <= {time_d[28:27] | {2{load_q}}, load_q ? ~period_ticks_i : time_d[26:0]};
        first_q <= !runs_q || (first_q && !edge_q);

        if (edge_q) begin
            size_n_q <= ~((time_q[15:0] ^ {16{early}} | {16{out_of_range}}) & {16{judged}});
            short_q  <= early;
        end
        period_q <= after_q && tolerance_i < size;

        late_q  <= {late_q[1:0], time_q == {2'b00, period_ticks_i} && runs_q} & {3{!edge_q}};

        count_q <= renew ? ~phase_count_i : count_d;
        wrong_q <= {wrong_q[1:0], edge_q && runs_q && level_q != due};

        if (rst_i) begin
            clk_q   <= 1'b0;
            edge_q  <= 1'b0;
            after_q <= 1'b0;
            first_q <= 1'b1;
            period_q <= 1'b0;
            wrong_q <= 3'd0;
            late_q  <= 3'd0;
        end
    end
endmodule

`default_nettype wire
