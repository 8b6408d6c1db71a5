// SPDX-FileCopyrightText: The phasebench authors
// SPDX-License-Identifier: Apache-2.0
//
// pb_line_watch, for any one link. An alarm is raised exactly when the rules of the header require it, with
// the code of the highest precedence, once in a phase. Each raised alarm is output once with link and code,
// unless the link's last alarm still waits; no other alarm is output. alarm_o holds with its link and code
// until ack_i, and rises within LINKS + 3 clocks while no other alarm waits for ack_i. OUTSIDE_PHASE uses the
// phase written last, if the write and the begin of the last phase were LINKS + 2 clocks before; else the
// phase has no such alarm.
//
// sources: core/pb_line_watch.v
`default_nettype none
`include "pb_regs.vh"

module proof_line_watch #(
    parameter LINKS = 2,
    parameter LAG   = 4
) (
    input wire             clk,
    input wire             rst_i,
    input wire             tick_i,
    input wire             zero_i,      // the phase that begins is phase 0
    input wire             live_i,
    input wire             phase_wr_i,
    input wire [5:0]       phase_link_i,
    input wire [5:0]       phase_data_i,
    input wire [LINKS-1:0] phase_set_i,
    input wire             restart_i,
    input wire [LINKS-1:0] line_i,
    input wire [LINKS-1:0] outside_i,
    input wire [LINKS-1:0] sending_i,
    input wire [LINKS-1:0] contention_i,
    input wire             ack_i
);
    // Reset fills the registers between the lines and the comparison.
    reg [2:0] age = 3'd0;
    wire      started = age == 3'd4;
    always @(posedge clk) if (!started) age <= age + 3'd1;
    always @* assume (rst_i == !started);
    always @* if (rst_i) assume (!tick_i && !live_i && !phase_wr_i);

    // ---- the phase clock: a phase follows the last one or is 0, and lasts at least LAG clocks
    (* anyconst *) reg [3:0] head, tail;
    reg  [8:0]     phase_q;
    reg  [4:0]     elapsed_q;
    reg  [LAG-2:0] ticks;       // tick_i of the last clocks, the latest lowest
    wire           first   = ticks[LAG-2];
    wire [8:0]     phase   = !tick_i ? phase_q : zero_i ? 9'd0 : phase_q + 9'd1;
    wire [4:0]     elapsed = tick_i ? 5'd0 : elapsed_q;
    reg            begun = 1'b0;    // a tick has come
    always @* begin
        assume (!tick_i || ticks == 0);
        assume (!tick_i || begun || zero_i);
        assume (!tick_i || phase_q != 9'd511 || zero_i);
    end
    always @(posedge clk) begin
        ticks     <= rst_i ? 0 : {ticks[LAG-3:0], tick_i};
        phase_q   <= phase;
        elapsed_q <= elapsed + {4'd0, elapsed != 5'd31};
        begun     <= begun || tick_i;
    end

    wire       alarm, count;
    wire [4:0] code;
    wire [5:0] link;
    pb_line_watch #(.LINKS(LINKS), .LAG(LAG)) dut (
        .clk(clk), .rst_i(rst_i), .tick_i(tick_i), .first_i(first), .live_i(live_i), .phase_i(phase), .elapsed_i({22'd0, elapsed}),
        .guard_head_i({20'd0, head}), .guard_tail_i({23'd0, tail}),
        .phase_wr_i(phase_wr_i), .phase_link_i(phase_link_i), .phase_data_i(phase_data_i), .phase_set_i(phase_set_i), .restart_i(restart_i),
        .line_i(line_i), .outside_i(outside_i), .sending_i(sending_i), .contention_i(contention_i),
        .alarm_o(alarm), .code_o(code), .link_o(link), .ack_i(ack_i), .count_o(count)
    );

    // ---- the link
    (* anyconst *) reg [5:0] mine;
    always @* assume (mine < LINKS && phase_link_i < LINKS);
    wire line = line_i[mine], outside = outside_i[mine], sending = sending_i[mine], contention = contention_i[mine];

    // ---- its phase
    reg  [5:0] written;
    reg        was_written = 1'b0;
    reg  [3:0] calm;        // clocks since a write, a restart, or the begin of a phase at the lines
    wire       set     = phase_set_i[mine];
    wire       change  = phase_wr_i || restart_i;
    wire [5:0] its     = set ? written : 6'd0;
    reg  [5:0] its_q;
    reg        foreign;
    reg  [LINKS-1:0] sets;
    always @* begin
        assume (phase_set_i == sets || change || rst_i);
        assume (!set || was_written);
    end
    always @(posedge clk) begin
        sets <= phase_set_i;
        if (phase_wr_i && phase_link_i == mine)
            {was_written, written} <= {1'b1, phase_data_i};
        calm <= change || first || rst_i ? 4'd1 : calm + {3'd0, calm != 4'd15};
        its_q <= its;
        if (first)  // a change in this clock acts one phase later
            foreign <= calm >= LINKS + 2 && its_q != 6'd63 && {3'd0, its_q} != phase;
    end

    // ---- its violations; the guard is delayed like the lines
    reg  [LAG-1:0] in_guard;
    wire           guard     = in_guard[LAG-1];
    wire           stuck     = first && !line;
    wire           fight     = !first && (contention || (outside && sending));
    wire           abroad    = !first && !guard && outside && foreign;
    wire           guarded   = !first && guard && !line;
    wire           any       = stuck || fight || abroad || guarded;
    wire [4:0]     which     = stuck ? `PB_ALARM_STUCK : fight ? `PB_ALARM_CONTENTION : abroad ? `PB_ALARM_OUTSIDE_PHASE : `PB_ALARM_GUARD;
    reg            had;         // an alarm in this phase, or no phase
    reg            raised;
    reg  [4:0]     raised_code;
    reg            waits;
    reg  [4:0]     waits_code;
    wire           taken     = count && link == mine;
    reg  [3:0]     waited;      // clocks without an alarm of another link at the output
    always @(posedge clk) begin
        in_guard    <= {in_guard[LAG-2:0], elapsed < {1'b0, head} || elapsed >= {1'b0, tail}};
        had         <= !live_i || (had && !first) || any;
        raised      <= any && (first || !had) && !rst_i;
        raised_code <= which;
        waits       <= !rst_i && (waits ? !taken : raised);
        if (!waits)
            waits_code <= raised_code;
        waited      <= rst_i || !waits || taken ? 4'd0 : waited + {3'd0, !alarm || ack_i};
        if (rst_i)
            had <= 1'b1;
    end
    always @* if (rst_i || !begun) assume (!live_i);

    reg       was_offered;
    reg [4:0] last_code;
    reg [5:0] last_link;
    always @(posedge clk) begin
        was_offered <= alarm && !ack_i && !rst_i;
        last_code   <= code;
        last_link   <= link;
    end
    always @* if (started) begin
        if (alarm) begin
            assert (link < LINKS);
            if (link == mine)
                assert (waits && code == waits_code);
        end
        assert (count == (alarm && ack_i));
        if (was_offered)
            assert (alarm && code == last_code && link == last_link);
        assert (waited <= LINKS + 3);
    end

    always @* if (started) begin
        cover (taken && code == `PB_ALARM_OUTSIDE_PHASE && phase == 9'd1);
        cover (taken && code == `PB_ALARM_GUARD);
        cover (taken && code == `PB_ALARM_CONTENTION);
        cover (taken && code == `PB_ALARM_STUCK);
    end
endmodule
