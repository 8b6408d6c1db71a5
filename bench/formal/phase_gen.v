// SPDX-FileCopyrightText: The phasebench authors
// SPDX-License-Identifier: Apache-2.0
//
// pb_phase_gen: every output in every clock, for all settings that the register map allows, any drift, and in
// follow mode any external clock. Without drift a phase has PERIOD_TICKS ticks or one more, so that phase k
// begins floor(k * period) ticks after the start.
//
// sources: core/pb_phase_gen.v
// probe: fraction_q dut.fraction_q
// probe: longer_q dut.longer_q
// probe: carry_q dut.carry_q
// probe: step_q dut.step_q
// probe: run_q dut.run_q
// probe: full_q dut.full_q
// probe: armed_q dut.armed_q
// probe: high_q dut.high_q
// probe: alike_q dut.alike_q
// probe: limit_q dut.limit_q
// probe: drift_q dut.drift_q
// probe: shift_q dut.shift_q
// probe: change_q dut.change_q
// probe: last_q dut.last_q
// probe: end_q dut.end_q
// probe: sync_q dut.sync_q
// probe: timeout_q dut.timeout_q
// probe: last_phase_q dut.last_phase_q
// probe: short_q dut.short_q
// probe: min_length_q dut.min_length_q
`default_nettype none

module proof_phase_gen (
    input wire        clk,
    input wire        rst_i,
    input wire        run_i,
    input wire        abort_i,
    input wire [23:0] drift_i,
    input wire        edge_i,
    input wire        edge_sync_i,
    input wire        busy_i            // the memory with the settings serves another access
);
    (* anyconst *) reg        follow;
    (* anyconst *) reg [9:0]  phase_count;
    (* anyconst *) reg [26:0] period, num, den, high;
    (* anyconst *) reg [31:0] limit;
    always @* begin
        assume (phase_count >= 10'd2 && phase_count <= 10'd512);
        assume (period >= 27'd64);
        assume (num < den);
        assume (high >= 27'd1 && high < period);
    end

    reg started = 1'b0;
    always @(posedge clk) started <= 1'b1;
    always @* if (!started) assume (rst_i);
    reg [1:0] since_edge = 2'd3;        // the module separates edges that are 4 clocks apart
    always @(posedge clk) since_edge <= edge_i ? 2'd0 : since_edge + {1'b0, since_edge != 2'd3};
    always @* assume (!edge_i || since_edge == 2'd3);

    reg was_busy;
    always @(posedge clk) was_busy <= busy_i && started;
    always @* assume (!busy_i || !was_busy);
    reg [2:0] calm = 3'd0;              // clocks since reset and abort
    always @(posedge clk) calm <= rst_i || abort_i ? 3'd0 : calm + {2'd0, calm != 3'd4};
    reg asked;
    always @(posedge clk) asked <= run_i && !rst_i;
    always @* assume (calm == 3'd4 || !run_i || asked);
    always @* assume (!rst_i || !run_i);

    wire [9:0]  setting_addr;
    reg  [31:0] setting;
    reg  [4:0]  above;                  // bits that a register does not have
    always @(posedge clk) if (!busy_i)
        case (setting_addr)
            10'h022: setting <= {above, num};
            10'h023: setting <= {above, den};
            10'h024: setting <= {above, high};
            10'h025: setting <= limit;
            default: setting <= 32'd0;
        endcase

    wire        running, done, tick, tdma_clk, tdma_sync;
    wire [8:0]  phase;
    wire [31:0] superframe;
    wire [26:0] elapsed;
    pb_phase_gen dut (
        .clk(clk), .rst_i(rst_i), .run_i(run_i), .abort_i(abort_i),
        .phase_count_i(phase_count), .period_ticks_i(period), .setting_o(setting_addr), .setting_i(setting),
        .drift_i(drift_i), .follow_i(follow), .edge_i(edge_i), .edge_sync_i(edge_sync_i),
        .running_o(running), .done_o(done), .tick_o(tick), .phase_o(phase), .superframe_o(superframe), .elapsed_o(elapsed),
        .tdma_clk_o(tdma_clk), .tdma_sync_o(tdma_sync)
    );

    // ---- an independent schedule: position in the phase, k * period modulo one tick, drift modulo one tick
    reg  [26:0] age;            // clocks since the last tick, less one; saturates
    reg  [26:0] part;           // in units of 1 / den, at the start of the phase
    reg  [15:0] rest;           // drift so far, in units of 1 / 65536
    reg  [8:0]  shift;          // ticks, signed, by which drift lengthens this phase; valid from position 35 on
    wire [26:0] position = tick ? 27'd0 : age;
    wire        known    = position >= 27'd37;
    wire [27:0] part_d   = {1'b0, part} + {1'b0, num};
    wire        long     = part_d >= {1'b0, den};
    reg  [23:0] drift_before;   // drift_i of one clock ago
    wire [24:0] drifted  = {9'd0, rest} + {drift_before[23], drift_before};
    wire [29:0] wish     = {3'd0, period} + {29'd0, long} + {{21{shift[8]}}, shift};
    wire [27:0] length   = wish[29] || wish < 30'd64 ? 28'd64 : wish > 30'h8000000 ? 28'h8000000 : wish[27:0];
    wire        over     = known && {1'b0, position} + 28'd1 == length;
    always @(posedge clk) begin
        age <= position + {26'd0, !(&position)};
        drift_before <= drift_i;
        if (position == 27'd34)
            {shift, rest} <= drifted;
        if (over && running)
            part <= long ? part_d[26:0] - den : part_d[26:0];
        if (rst_i || !running) begin
            part <= 27'd0;
            rest <= 16'd0;
        end
    end

    // ---- the past
    reg        edge_before, sync_before;        // of the clock before: the module took them in this one
    reg        was_running, was_run, was_stop, was_edge, was_sync, was_over;
    reg [8:0]  was_phase;
    reg [26:0] was_position;
    reg [31:0] was_superframe;
    wire       last = {1'b0, was_phase} + 10'd1 == phase_count;     // that phase ends a superframe
    always @(posedge clk) begin
        was_running    <= running;
        was_run        <= run_i;
        was_stop       <= rst_i || abort_i;
        edge_before    <= edge_i;
        sync_before    <= edge_sync_i;
        was_edge       <= edge_before;
        was_sync       <= sync_before;
        was_over       <= over;
        was_phase      <= phase;
        was_position   <= position;
        was_superframe <= superframe;
    end
    wire end_due   = follow ? was_edge : was_over;
    wire next_zero = last || (follow && was_sync);
    wire last_one  = !was_run || (limit != 32'd0 && was_superframe + 32'd1 == limit);

    always @* if (started) begin
        if (running) begin
            assert ({1'b0, phase} < phase_count);
            assert (tdma_sync == (was_running && was_phase == 9'd0));      // a clock late, as tdma_clk
            assert (elapsed == position);
            assert (tick == (position == 27'd0));
            if (!follow) begin
                assert (!known || {1'b0, position} < length);
                assert (tdma_clk == (was_running && was_position < high));
                assert (position == 27'd0 || (was_running && was_position + 27'd1 == position));
            end
        end else
            assert (!tick && !tdma_clk && !tdma_sync);
        if (was_stop)
            assert (!running);
        else if (was_running && end_due && next_zero && last_one)
            assert (!running && done);
        else if (was_running && end_due) begin
            assert (running && tick);
            assert (phase == (next_zero ? 9'd0 : was_phase + 9'd1));
            assert (superframe == was_superframe + {31'd0, next_zero});
        end else if (was_running && running)
            assert (!tick && phase == was_phase && superframe == was_superframe);
        else if (was_running)           // the external clock has stopped
            assert (follow && !was_run && done);
        else if (running)
            assert (was_run && tick && phase == 9'd0 && superframe == 32'd0 && (!follow || (was_edge && was_sync)));
        if (limit != 32'd0 && running)
            assert (superframe < limit);
    end

    // ---- the registers inside, for the induction
    wire [27:0] fraction_q, last_q;
    wire [15:0] drift_q;
    wire [8:0]  shift_q;
    wire [24:0] change_q;
    wire [26:0] high_q;
    wire [31:0] alike_q;
    wire [3:0]  step_q;
    wire        run_q, armed_q, longer_q, carry_q, limit_q, short_q, min_length_q, end_q, sync_q, timeout_q, last_phase_q, full_q;
    // The address at the memory one clock ago, or two if it was busy then.
    wire [27:0] asked_at = {1'b0, position} - 28'd1 - {27'd0, was_busy};
    wire [31:0] given    = follow || asked_at == 28'd8 || asked_at == 28'd9 ? limit :
                           asked_at < 28'd3 ? {setting[31:27], num} : asked_at < 28'd8 ? {setting[31:27], den} : {setting[31:27], high};
    wire [27:0] rest_d = long ? part_d - {1'b0, den} : part_d;
    wire [14:0] added  = {1'b0, part[13:0]} + {1'b0, num[13:0]};
    wire [14:0] taken  = {1'b0, ~part_d[13:0]} + {1'b0, den[13:0]};
    always @* if (started) begin
        if (follow && running && position < 27'd3)
            assert (since_edge == position[1:0] + 2'd1);
        assert (follow || (!sync_q && !(running && timeout_q)));
        if (follow)
            assert (end_q == edge_before && sync_q == sync_before && (!edge_before || since_edge == 2'd0));
        assert (part < den);
        if (!running && !was_running)
            assert (part == 27'd0 && rest == 16'd0);
        assert (run_q == asked && (!armed_q || calm == 3'd4));
        assert (running || !armed_q || superframe == 32'd0);
        if (running)
            assert (calm == 3'd4 && setting == given);
        else if (calm > 3'd1 || (calm == 3'd1 && !was_busy))
            assert (setting == (follow ? limit : {setting[31:27], high}));
        if (!running && !follow)
            assert (step_q <= 4'd12);
        if (!running && !was_running)
            assert (phase == 9'd0 && elapsed == 27'd0 && !min_length_q && !full_q);
        if (running) begin
            assert (min_length_q == (position >= 27'd63));
            assert (full_q == &position);
            if (position > 27'd0)
                assert (last_phase_q == ({1'b0, phase} + 10'd1 == phase_count));
            assert (drift_q == rest);
            assert (position == 27'd0 || change_q == {drift_before[23], drift_before} - 25'h20000);
            if (follow ? position > 27'd0 : position == 27'd11)
                assert (&alike_q == ({1'b0, superframe} + 33'd1 == {1'b0, limit}));
            if (position > (follow ? 27'd1 : 27'd11))
                assert (limit_q == ({1'b0, superframe} + 33'd1 == {1'b0, limit}));
        end
        if (running && !follow) begin
            assert (step_q == (position < 27'd12 ? position[3:0] : 4'd12));
            if (position < 27'd3)
                assert (fraction_q == {1'b0, part});
            else if (position < 27'd8)
                assert (fraction_q == {position == 27'd3 ? {1'b0, part[26:14]} : ~part_d[27:14], ~part_d[13:0]});
            else
                assert (fraction_q == {position == 27'd8 ? ~part_d[27:14] : rest_d[27:14], rest_d[13:0]});
            if (position == 27'd3)
                assert (carry_q == added[14]);
            if (position == 27'd6 || position == 27'd8)
                assert (carry_q == taken[14]);
            if (position > 27'd6)
                assert (longer_q == long);
            if (tdma_clk)
                assert (high_q == high - was_position);
            if (position > 27'd34)
                assert ($signed(shift) >= -9'sd128 && $signed(shift) <= 9'sd128);
            if (position > 27'd34)
                assert (shift_q == shift - 9'd2);
            if (position > 27'd35)
                assert (last_q == wish[27:0] - 28'd2);
            if (known)
                assert (short_q == (wish[29] || wish < 30'd65));
            assert (end_q == over);
        end
    end

    always @* if (started) begin
        cover (!follow && running && phase == 9'd1 && !long && num != 27'd0 && shift == 9'd2);
        cover (!follow && was_running && was_over && done && !was_stop);
        cover (follow && running && superframe == 32'd1 && phase == 9'd1 && phase_count == 10'd3);
    end
endmodule
