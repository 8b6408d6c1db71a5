// SPDX-FileCopyrightText: The phasebench authors
// SPDX-License-Identifier: Apache-2.0
//
// pb_clock_monitor, for every period, tolerance and phase count, with the bench's or an external clock and
// any waveform: edge_o with each rising edge, and only these alarms, each for one clock and with its code.
//   PERIOD  three clocks after an edge whose distance from the last one differs from period_ticks_i by more than tolerance_i, with the
//           size of the difference (at most 65535) and its sign.
//   NO_EDGE 2 * period_ticks_i + 4 clocks after an edge or the first clock of the run, if the next 2 * period_ticks_i + 2 clocks have
//           no edge and the run lasts for 2 * period_ticks_i of them.
//   SYNC    four clocks after an edge with the wrong level of TDMA_SYNC.
//
// sources: core/pb_clock_monitor.v
// probe: clk_q dut.clk_q
// probe: edge_q dut.edge_q
// probe: level_q dut.level_q
// probe: runs_q dut.runs_q
// probe: after_q dut.after_q
// probe: load_q dut.load_q
// probe: time_q dut.time_q
// probe: twice_q dut.twice_q
// probe: first_q dut.first_q
// probe: count_q dut.count_q
// probe: size_n_q dut.size_n_q
// probe: short_q dut.short_q
// probe: period_q dut.period_q
// probe: wrong_q dut.wrong_q
// probe: late_q dut.late_q
`default_nettype none
`include "pb_regs.vh"

module proof_clock_monitor (
    input wire clk,
    input wire rst_i,
    input wire clk_i,
    input wire sync_i,
    input wire running_i
);
    reg started = 1'b0;
    always @(posedge clk) started <= 1'b1;
    always @* assume (rst_i == !started);

    (* anyconst *) reg        follow;
    (* anyconst *) reg [26:0] period;
    (* anyconst *) reg [15:0] tolerance;
    (* anyconst *) reg [9:0]  phases;
    always @* assume (tolerance != 16'd0 && tolerance != 16'hffff && phases >= 10'd2 && phases <= 10'd512 && period >= 27'd2);
    // The phase generator starts after reset at the earliest.
    always @* if (rst_i) assume (!running_i);

    wire        edge_seen, edge_sync, alarm;
    wire [4:0]  code;
    wire [16:0] ticks;
    pb_clock_monitor dut (
        .clk(clk), .rst_i(rst_i), .clk_i(clk_i), .sync_i(sync_i), .follow_i(follow), .running_i(running_i),
        .period_ticks_i(period), .tolerance_i(tolerance), .phase_count_i(phases),
        .edge_o(edge_seen), .edge_sync_o(edge_sync), .alarm_o(alarm), .code_o(code), .ticks_o(ticks)
    );
    wire        clk_q, edge_q, level_q, runs_q, after_q, load_q, twice_q, first_q, short_q, period_q;
    wire [28:0] time_q;
    wire [9:0]  count_q;
    wire [15:0] size_n_q;
    wire [2:0]  wrong_q, late_q;

    // ---- the edge in this clock, by the rules of the header
    reg         last;           // clk_i of one clock ago
    wire        rises   = clk_i && !last && !rst_i;
    reg         known;          // `distance` is valid: an edge since reset, or the bench was about to begin a run
    reg  [28:0] distance;       // clocks since then, or since the first clock of the run; saturates at 2^28
    reg         fresh;          // no edge in this run yet
    wire        opening = fresh && !follow;
    wire [29:0] apart   = {1'b0, distance} - {3'd0, period};
    wire        early   = apart[29];
    wire [29:0] size    = early ? -apart : apart;
    wire        judged  = rises && running_i && !opening && known;
    wire        off     = judged && size > {14'd0, tolerance};
    reg         counts;         // a superframe began since reset
    reg  [9:0]  edges;          // since it began
    wire        due     = opening || edges == phases;
    wire        odd     = rises && running_i && (opening || counts) && sync_i != due;
    wire        begins  = rises && (sync_i || due);
    // In follow mode running_i rises after the edge that begins the run.
    always @* assume (!(follow && running_i) || (known && counts));
    wire        silent  = !rises && running_i && known && distance == {1'b0, period, 1'b0};    // so far
    // The same, some clocks later.
    reg  [2:0]  off_q;
    reg  [3:0]  odd_q;
    reg  [3:0]  silent_q;
    reg  [16:0] differs, differs_1, differs_2;  // size, sign
    wire [16:0] differs_now = {size > 30'd65535 ? 16'hffff : size[15:0], early};
    always @(posedge clk) begin
        last     <= clk_i && !rst_i;
        off_q    <= rst_i ? 3'd0 : {off_q[1:0], off};
        odd_q    <= rst_i ? 4'd0 : {odd_q[2:0], odd};
        silent_q <= rst_i ? 4'd0 : {silent_q[2:0] & {1'b1, {2{!rises}}}, silent};
        if (rises || (!running_i && !follow)) begin
            distance <= {28'd0, rises};
            known    <= 1'b1;
        end else
            distance <= distance + {28'd0, !distance[28]};
        fresh <= !running_i || (fresh && !rises);
        if (begins)
            {counts, edges} <= {counts || sync_i || opening, 10'd1};
        else
            edges <= edges + {9'd0, rises};
        {differs, differs_1, differs_2} <= {differs_1, differs_2, differs_now};
        if (rst_i) begin
            known    <= !follow;
            distance <= 29'd0;
            fresh    <= 1'b1;
            counts   <= 1'b0;
        end
    end
    always @* if (started) begin
        assert (edge_seen == rises && edge_sync == sync_i);
        assert (alarm == (off_q[2] || odd_q[3] || silent_q[3]));
        assert (off_q[2] + odd_q[3] + silent_q[3] <= 2'd1);
        if (off_q[2])
            assert (code == `PB_ALARM_PERIOD && ticks == differs);
        if (odd_q[3])
            assert (code == `PB_ALARM_SYNC);
        if (silent_q[3])
            assert (code == `PB_ALARM_NO_EDGE);
    end

    // ---- the registers inside, in terms of values of one clock ago: for the induction
    reg         rises_1, rises_2, rises_3, rises_4, runs_1, level_1, known_1, fresh_1, counts_1;
    reg  [28:0] distance_1;
    reg  [9:0]  edges_1;
    always @(posedge clk) begin
        {rises_1, rises_2, rises_3, rises_4} <= rst_i ? 4'd0 : {rises, rises_1, rises_2, rises_3};
        {runs_1, level_1}            <= {running_i, sync_i};
        {known_1, fresh_1, counts_1} <= rst_i ? {!follow, 2'b10} : {known, fresh, counts};
        distance_1                   <= rst_i ? 29'd0 : distance;
        edges_1                      <= edges;
    end
    wire [29:0] apart_1   = {1'b0, distance_1} - {3'd0, period};
    wire        early_1   = apart_1[29];
    wire [29:0] size_1    = early_1 ? -apart_1 : apart_1;
    wire        opening_1 = fresh_1 && !follow;
    // time_q: the difference; less one up to 0, 0 for 1; one less in the clock after it was loaded for an edge
    wire [29:0] coded     = apart_1 - {29'd0, early_1 || apart_1 <= 30'd1};
    wire        vast_1    = !early_1 && apart_1 >= 30'h8000000;
    reg settled = 1'b0;     // the counter was loaded after reset
    always @(posedge clk) settled <= started;
    always @* if (settled) begin
        assert (clk_q == last && edge_q == rises_1 && after_q == rises_2);
        assert (runs_q == runs_1 && level_q == level_1 && first_q == fresh_1);
        assert (load_q == (rises_1 || (!runs_1 && !follow)));
        assert (!(rises_1 && rises_2) && (!rises_1 || last));
        assert (distance <= 29'h10000000 && distance_1 <= 29'h10000000);
        assert (!(rises_2 && rises_3) && !(rises_3 && rises_4));
        assert ((~{rises_3, rises_2, rises_1} & off_q) == 3'd0 && (~{rises_4, rises_3, rises_2, rises_1} & odd_q) == 4'd0);
        assert (!(silent_q[1] && (rises_1 || rises_2)) && !(silent_q[2] && (rises_1 || rises_2 || rises_3)));
        assert (!(silent_q[3] && (rises_2 || rises_3 || rises_4)));
        assert (follow || known_1);
        assert (follow || fresh_1 || counts_1);
        assert (known == (known_1 || rises_1 || (!runs_1 && !follow)));
        assert (!known || distance == (rises_1 ? 29'd1 : !runs_1 && !follow ? 29'd0 : distance_1 + {28'd0, !distance_1[28]}));
        assert (fresh == (!runs_1 || (fresh_1 && !rises_1)));
        assert (!rises_2 || (known_1 && distance_1 == 29'd1));
        if (known_1) begin
            assert (time_q == (vast_1 ? 29'h8000000 : coded[28:0] - {28'd0, rises_2}));
            assert (vast_1 || twice_q == (rises_2 || apart_1 == 30'd1));
        end
        assert (!(follow && runs_1) || (known_1 && counts_1));
        assert (silent_q[0] == (!rises_1 && runs_1 && known_1 && distance_1 == {1'b0, period, 1'b0}));
        assert (silent_q[1] == (late_q[0] && !rises_1) && silent_q[2] == (late_q[1] && !rises_1) && silent_q[3] == late_q[2]);
        assert (differs_2 == {size_1 > 30'd65535 ? 16'hffff : size_1[15:0], early_1});
        assert (off_q[0] == (rises_1 && runs_1 && !opening_1 && known_1 && size_1 > {14'd0, tolerance}));
        assert (off_q[1] == (after_q && tolerance < ~size_n_q) && off_q[2] == period_q);
        if (off_q[1])
            assert (ticks == differs_1);
        assert (!off_q[1] || rises_2);
        assert (!off_q[2] || (!rises_2 && ticks == differs));
        assert (odd_q[0] == (rises_1 && runs_1 && (opening_1 || counts_1) && level_1 != (opening_1 || edges_1 == phases)));
        assert ({odd_q[3], odd_q[2], odd_q[1]} == wrong_q);
        if (counts_1)
            assert (count_q == edges_1 - phases - 10'd2);
        assert (!counts || edges == (rises_1 && (level_1 || opening_1 || edges_1 == phases) ? 10'd1 : edges_1 + {9'd0, rises_1}));
        assert (counts == (counts_1 || (rises_1 && (level_1 || opening_1))));
    end

    always @* if (started) begin
        cover (off_q[2] && early && follow);
        cover (off_q[2] && !early && !follow);
        cover (odd_q[3] && follow);
        cover (silent_q[3]);
    end
endmodule
