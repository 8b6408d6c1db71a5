// SPDX-FileCopyrightText: The phasebench authors
// SPDX-License-Identifier: Apache-2.0
//
// pb_clock_pins: without forced levels the pin of TDMA_CLK is the ideal clock three clocks later. Jitter
// delays a rising edge by the number of ticks in delay_q, at most N. It delays each edge whose tick comes at
// least 16 clocks after the rise of jitter_i and 17 clocks after the tick of the last delayed edge, and no
// other edge. No edge is added, doubled or, if falling, moved. TDMA_SYNC is never moved. A forced level
// appears one clock later. How delay_q follows from the seed: tb_pb_clock_pins. Assumed: jitter_i is low for
// at least two clocks (85 in the core), also after reset; its parameter is stable while it is high.
//
// sources: core/pb_clock_pins.v
// probe: left_q dut.left_q
// probe: delay_q dut.delay_q
// probe: step_q dut.step_q
// probe: jitter_q dut.jitter_q
// probe: clk_q dut.clk_q
// probe: sync_q dut.sync_q
// probe: tick_q dut.tick_q
`default_nettype none

module proof_clock_pins (
    input wire        clk,
    input wire        rst_i,
    input wire        abort_i,
    input wire        follow_i,
    input wire        tdma_clk_i,
    input wire        tdma_sync_i,
    input wire [3:0]  force_i,      // clock low, clock high, SYNC low, SYNC high
    input wire        jitter_i,
    input wire [31:0] parameter_i
);
    reg started = 1'b0;
    reg started2 = 1'b0;    // the second clock after reset, or a later one
    always @(posedge clk) {started, started2} <= {1'b1, started};
    always @* if (!started) assume (rst_i);

    reg        was_ideal, was_jitter, was2_jitter;
    reg [31:0] was_parameter;
    wire       tick = tdma_clk_i && !was_ideal;
    always @* begin
        assume (!jitter_i || was_jitter || !was2_jitter);
        assume (!jitter_i || started2);
        assume (!(jitter_i && was_jitter) || parameter_i == was_parameter);
    end

    wire tdma_clk, tdma_sync, drive;
    pb_clock_pins dut (
        .clk(clk), .rst_i(rst_i), .abort_i(abort_i), .follow_i(follow_i),
        .tdma_clk_i(tdma_clk_i), .tdma_sync_i(tdma_sync_i), .tick_i(tick),
        .force_clk_low_i(force_i[3]), .force_clk_high_i(force_i[2]), .force_sync_low_i(force_i[1]), .force_sync_high_i(force_i[0]),
        .jitter_i(jitter_i), .jitter_parameter_i(parameter_i),
        .tdma_clk_o(tdma_clk), .tdma_sync_o(tdma_sync), .tdma_drive_o(drive)
    );

    // ---- the inputs one clock ago
    wire      stop = rst_i || abort_i;
    reg       early_clk, early_sync, early_tick;
    always @(posedge clk) begin
        early_clk  <= !stop && tdma_clk_i;
        early_sync <= !stop && tdma_sync_i;
        early_tick <= !stop && tick;
    end

    // ---- the clocks since jitter_i rose or an edge found a delay ready, up to 16; then a delay is ready
    reg  [4:0] age;
    wire       due = early_tick && age == 5'd16;
    always @(posedge clk)
        age <= !was_jitter || was_stop || due ? 5'd0 : age + {4'd0, age != 5'd16};

    // ---- the ideal signals with the delay of the pins; `slack`: clocks for which the edge is still late
    wire [11:0] delay_q;
    reg        ideal1, ideal2, sync1, sync2, was_ideal2, was_pin, was_stop, was_follow;
    reg [3:0]  was_force;
    reg [11:0] slack, was_slack;
    wire [11:0] slack_d = slack - {11'd0, slack != 12'd0};
    always @(posedge clk) begin
        was_ideal     <= !rst_i && tdma_clk_i;
        was_jitter    <= jitter_i;
        was2_jitter   <= was_jitter;
        was_parameter <= parameter_i;
        ideal1        <= !stop && early_clk;
        sync1         <= !stop && early_sync;
        ideal2        <= !stop && ideal1;
        sync2         <= !stop && sync1;
        was_ideal2    <= ideal2;
        was_pin       <= tdma_clk;
        was_stop      <= stop;
        was_follow    <= follow_i;
        was_force     <= force_i;
        was_slack     <= slack;
        slack         <= due && jitter_i ? delay_q : slack_d;
        if (stop)
            slack <= 12'd0;
    end

    always @* if (started) begin
        if (was_stop)
            assert (!tdma_clk && !tdma_sync);
        else if (was_force[3])
            assert (!tdma_clk);
        else if (was_force[2])
            assert (tdma_clk);
        else
            assert (tdma_clk == (ideal2 && was_slack == 12'd0));
        if (due && jitter_i)
            assert (delay_q <= parameter_i[11:0]);
        // Without a forced level the pin stays high once it has risen: a delay never begins in the middle.
        if (!was_stop && was_force[3:2] == 2'd0 && was2_force[3:2] == 2'd0 && was_ideal2 && ideal2 && was_pin)
            assert (tdma_clk);
        if (!was_stop)
            assert (tdma_sync == (!was_force[1] && (was_force[0] || sync2)));
        assert (drive == !was_follow || was_stop);
    end
    reg [3:0] was2_force;
    always @(posedge clk) was2_force <= was_force;

    // ---- the registers inside, for the induction
    wire [11:0] left_q;
    wire [4:0]  step_q;
    wire        jitter_q;
    wire [1:0]  clk_q, sync_q;
    wire        tick_q;
    always @* assert ((started || !started2) && (!started || started2 || was_stop));
    always @* if (started) begin
        assert (left_q == slack);
        assert (clk_q == {ideal1, early_clk} && sync_q == {sync1, early_sync} && tick_q == early_tick);
        assert (jitter_q == (was_jitter && !was_stop));
        if (started2)
            assert (step_q == age && age <= 5'd16);
        if (started2 && !was2_jitter)
            assert (step_q == 5'd0 && delay_q == 12'd0);
        if (started2 && was_jitter)
            assert (delay_q <= was_parameter[11:0]);
        if (was_stop)
            assert (left_q == 12'd0);
        // No delay is active while the pin is high without force: the next delay begins with the next rise.
        assert (!early_clk || was_ideal);
        assert (!early_tick || !ideal1);
        if (tdma_clk && was_force[3:2] == 2'd0)
            assert (left_q == 12'd0);
    end
    reg [5:0] late;         // clocks for which the pin was late in this phase
    always @(posedge clk) late <= stop || !ideal2 ? 6'd0 : late + {5'd0, !tdma_clk};
    always @* if (started2) begin
        cover (tdma_clk && late == 6'd9 && was_force == 4'd0);
        cover (due && jitter_i && delay_q == 12'd0 && parameter_i[11:0] > 12'd20);
        cover (early_tick && jitter_i && age == 5'd15);
    end
endmodule
