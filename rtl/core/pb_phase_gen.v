// SPDX-FileCopyrightText: The phasebench authors
// SPDX-License-Identifier: Apache-2.0
//
// Phase generator: TDMA_CLK, TDMA_SYNC, superframe and phase; in follow mode superframe and phase
// from an external clock. Fractions, drift, limits and follow mode: docs/design/rtl.md.
//
// Interface: run_i 0 -> 1 starts phase 0 of superframe 0 one clock later. The run ends with the
//            superframe after run_i fell, or after SUPERFRAME_LIMIT of them (0: none) with a pulse
//            on done_o. abort_i stops at once. setting_o and setting_i read a setting of the phase
//            from memory.
// Timing:    tick_o is high in the first clock of a phase: phase_o and superframe_o are its own,
//            elapsed_o is 0. tdma_clk_o rises one clock later, for HIGH_TICKS. Follow mode: 2
//            clocks after edge_i.
// Reset:     stopped, outputs low; reset and abort_i must be over 4 clocks before run_i rises.
// Limits:    settings but run_i and drift_i must not change while running_o is high.
`default_nettype none
`include "pb_clocks.vh"
`include "pb_regs.vh"

module pb_phase_gen (
    input  wire        clk,
    input  wire        rst_i,

    input  wire        run_i,
    input  wire        abort_i,
    input  wire [9:0]  phase_count_i,   // phases, 2..512
    input  wire [26:0] period_ticks_i,  // ticks, at least 64
    output reg  [9:0]  setting_o,
    input  wire [31:0] setting_i,       // PERIOD_NUM, PERIOD_DEN, HIGH_TICKS, SUPERFRAME_LIMIT as in docs/reference/registers.md
    input  wire [23:0] drift_i,         // 1/65536 ticks per phase, signed

    input  wire        follow_i,
    input  wire        edge_i,          // rising edge of the external TDMA_CLK
    input  wire        edge_sync_i,     // level of the external TDMA_SYNC at that edge

    output reg         running_o,
    output reg         done_o,
    output wire        tick_o,
    output reg  [8:0]  phase_o,
    output reg  [31:0] superframe_o,
    output reg  [26:0] elapsed_o,       // ticks since the start of the phase
    output reg         tdma_clk_o,
    output reg         tdma_sync_o
);
    reg [3:0]  step_q;      // clocks since the phase began, up to IDLE
    reg [27:0] fraction_q;  // accumulated fraction, below PERIOD_DEN; its complement between ADD and CARRY
    reg        carry_q;     // of the lower half, one clock ago
    reg        longer_q;    // this phase is one tick longer
    reg [26:0] high_q;      // ticks left for which tdma_clk_o is high
    reg [15:0] drift_q;     // accumulated drift below a tick
    reg [24:0] change_q;    // drift_i of one clock ago, less two ticks
    reg [8:0]  shift_q;     // whole ticks, signed, by which drift lengthens this phase, less two
    reg [27:0] last_q;      // elapsed_o in the last clock but one of this phase; valid from its 37th clock on
    reg        short_q;     // the phase has at most 64 ticks
    reg        min_length_q;      // 63 ticks have passed
    reg        end_q;       // this is the last clock of the phase; in follow mode: edge_i was high one clock ago
    reg        sync_q;      // edge_sync_i one clock ago; low unless in follow mode
    reg        last_phase_q; // this phase is the last of a superframe
    reg [31:0] alike_q;     // bits in which superframe_o + 1 equalled the limit one clock ago
    reg        limit_q;     // this superframe is the last by the limit; never at limit 0
    reg        armed_q;     // waiting for the first edge
    reg        full_q;      // elapsed_o is at its largest value, if the phase continues
    reg        timeout_q;      // no edge for two periods; low unless in follow mode
    reg        run_q;
    reg        between_q;   // not tick_o
    assign     tick_o = !between_q;

    // Step in which each word is available, counted from tick_o. In follow mode, where phases may be short, only the limit is read.
    localparam [3:0] NUM = 4'd0, DEN = 4'd3, ADD = 4'd2, COMPARE = 4'd6, CARRY = 4'd7, LIMIT = 4'd8, LAST = 4'd11, HIGH = 4'd10, IDLE = 4'd12;
    always @*
        if (follow_i || (running_o && step_q >= LIMIT && step_q < HIGH))
            setting_o = `PB_REG_SUPERFRAME_LIMIT;
        else if (!running_o || step_q >= HIGH)
            setting_o = `PB_REG_HIGH_TICKS;
        else
            setting_o = step_q >= DEN ? `PB_REG_PERIOD_DEN : `PB_REG_PERIOD_NUM;

    // One adder for two steps: it adds the numerator, then subtracts a whole tick if the sum has one. As ~(~a + b) is a - b, the register
    // takes the complement in both. Both steps, and the comparison, process the lower half first and the upper half a clock later.
    wire [14:0] lower_d    = {1'b0, fraction_q[13:0]} + {1'b0, setting_i[13:0]};
    wire [14:0] upper_d    = {1'b0, fraction_q[27:14]} + {2'd0, setting_i[26:14]} + {14'd0, carry_q};
    wire        add        = step_q == ADD || step_q == ADD + 4'd1;
    wire        change     = add || longer_q;
    wire        lower      = step_q == ADD || step_q == CARRY;
    wire        upper      = step_q == ADD + 4'd1 || step_q == CARRY + 4'd1;
    wire [24:0] drift_d    = {9'd0, drift_q} + change_q;
    wire        drift_now  = elapsed_o[5:0] == 6'd34 && !min_length_q;

    wire        go_on        = running_o && !end_q && !abort_i;     // the phase continues; its end may also end the run
    wire [26:0] elapsed_d    = elapsed_o + `PB_UP(27, !full_q);
    wire [9:0]  phase_d      = {1'b0, phase_o} + 10'd1;
    wire [31:0] superframe_d = superframe_o + 32'd1;
    // superframe_o + 1 == SUPERFRAME_LIMIT, without the sum: the limit + ~superframe_o is 0 with a carry out. Then the two operands of a bit
    // differ exactly when the bit below carries. A bit carries exactly when at least one of its operands is 1.
    wire [31:0] present = ~superframe_o;
    wire [32:0] carries = {setting_i | present, 1'b0};
    wire [31:0] alike   = ~(setting_i ^ present ^ carries[31:0]) & {carries[32], 31'h7fffffff};

    wire rise       = run_i && !run_q;
    wire start      = !running_o && ((rise && !follow_i) || (armed_q && run_i && end_q && sync_q));
    // The comparisons below use elapsed_o, not elapsed_d, so that flip-flops and adder share cells.
    wire ripe_d     = min_length_q || elapsed_o[5:0] == 6'd62;
    wire phase_end  = running_o && end_q;
    wire frame_end  = phase_end && (last_phase_q || sync_q);
    wire last_frame = !run_i || limit_q;
    wire lost       = running_o && timeout_q && !run_i && !end_q;
    wire stop       = (frame_end && last_frame) || lost;
    wire begin_next = start || (phase_end && !(frame_end && last_frame));

    // Load cycle: the adder operand is a don't-care, so each counter bit fits one logic cell if that operand comes from a flip-flop.
    wire [26:0] high_d    = high_q + `PB_DOWN(27, between_q);

    always @(posedge clk) begin
        run_q   <= run_i;
        armed_q <= run_i && !running_o && !start && (rise || armed_q);
        between_q <= 1'b1;
        done_o  <= 1'b0;
        if (begin_next)
            step_q <= NUM;
        else if (step_q != IDLE)
            step_q <= step_q + 4'd1;
        if (!running_o)
            fraction_q <= 28'd0;
        else begin
            if (lower)
                fraction_q[13:0] <= ~(change ? lower_d[13:0] : fraction_q[13:0]);
            if (upper)
                fraction_q[27:14] <= ~(change ? upper_d[13:0] : fraction_q[27:14]);
        end
        carry_q <= lower_d[14];
        if (step_q == COMPARE)
            longer_q <= !upper_d[14];
        alike_q <= alike;
        if (follow_i || step_q == LAST)
            limit_q <= &alike_q;
        if (tick_o || tdma_clk_o)
            high_q <= between_q ? high_d : setting_i[26:0];
        tdma_clk_o  <= tick_o || (tdma_clk_o && high_q != 27'd1);
        tdma_sync_o <= running_o && phase_o == 9'd0;
        change_q <= {{drift_i[23], drift_i[23:16]} - 9'd2, drift_i[15:0]};
        if (!running_o)
            drift_q <= 16'd0;
        else if (drift_now)
            drift_q <= drift_d[15:0];
        if (drift_now)
            shift_q <= drift_d[24:16];
        last_q   <= {1'b0, period_ticks_i} + {{19{shift_q[8]}}, shift_q} + {27'd0, longer_q};
        short_q  <= last_q[27] ? shift_q[8] : last_q[26:6] == 21'd0 && !(&last_q[5:0]);
        min_length_q   <= go_on && ripe_d;
        end_q    <= follow_i ? edge_i :
                    go_on && ripe_d && (short_q || (&elapsed_o[26:1] && !elapsed_o[0]) || {1'b0, elapsed_o} == last_q);
        sync_q   <= edge_sync_i && follow_i;
        last_phase_q <= phase_d == phase_count_i;
        if ({1'b0, elapsed_o} == {period_ticks_i, 1'b0} || full_q)
            timeout_q <= follow_i;
        // Kept out of the branches below, of which synthesis would make multiplexers.
        if (frame_end && !last_frame)
            superframe_o <= superframe_d;
        if (rst_i || abort_i || (rise && !running_o))
            superframe_o <= 32'd0;
        full_q    <= go_on && &elapsed_o[26:1];
        elapsed_o <= go_on ? elapsed_d : 27'd0;
        if (!running_o || end_q)
            phase_o <= !running_o || last_phase_q || sync_q ? 9'd0 : phase_d[8:0];
        if (rst_i || abort_i) begin
            running_o    <= 1'b0;
            armed_q      <= 1'b0;
            tdma_clk_o   <= 1'b0;
            tdma_sync_o  <= 1'b0;
            phase_o      <= 9'd0;
            done_o       <= abort_i;
            if (rst_i) begin
                run_q  <= 1'b0;
                step_q <= IDLE;
            end
        end else if (begin_next) begin
            running_o    <= 1'b1;
            between_q    <= 1'b0;
            timeout_q       <= 1'b0;
        end else if (stop) begin
            running_o   <= 1'b0;
            done_o      <= 1'b1;
            tdma_clk_o  <= 1'b0;
            tdma_sync_o <= 1'b0;
        end
    end
endmodule

`default_nettype wire
