// SPDX-FileCopyrightText: The phasebench authors
// SPDX-License-Identifier: Apache-2.0
//
// Phase clock generator: TDMA_CLK, TDMA_SYNC and the bench's own idea of superframe and phase; or, in follow mode, the
// same idea of superframe and phase made from an outside clock.
//
// The period is period_ticks_i + period_num_i / period_den_i ticks: a phase is one tick longer whenever the
// accumulated fraction reaches a whole tick, so the rate is exact on average and an edge is never more than one tick
// off. tdma_clk_o rises at the first tick of a phase and stays high for high_ticks_i; tdma_sync_o is high from that
// tick through the whole of phase 0.
//
// Drift: each phase in whose 32nd clock (elapsed_o 31) drift_i is not 0 is longer by drift_i / 65536 ticks, accumulated
// exactly: n such phases are longer by floor(n * drift_i / 65536). What is left below a tick stays until the run ends. A
// phase has 64 ticks at least, 2^27 at most; what these limits cut off is not made up for.
//
// Handshake: run_i 0 -> 1 starts phase 0 of superframe 0 one clock later. When run_i falls the clock stops at the end of
// the running superframe. limit_i superframes (0: no limit) after the start it stops by itself and pulses done_o,
// which clears the run bit. abort_i stops at once.
// Timing: tick_o is high in the first clock of a phase, in which phase_o and superframe_o are already those of that
// phase and elapsed_o is 0. running_o is high while a superframe is going on.
//
// Follow mode: after run_i rose, the first edge_i with edge_sync_i starts phase 0 of superframe 0; each further edge_i
// begins the next phase, with edge_sync_i phase 0 of the next superframe whatever the phase was, without it the same after the
// last phase. tick_o comes one clock after edge_i. A run stops with the edge that would begin the next superframe; one that waits
// for its first edge is over at once when run_i falls, one whose clock died when run_i is 0 and 2 * period_ticks_i
// ticks have passed since the last edge. elapsed_o stays at its largest value.
// Reset: stopped, outputs low. Settings must not change while running_o is high, but for run_i and drift_i.
// Does not: move single edges (pb_clock_pins), judge or filter the outside clock (pb_clock_monitor): its phases may
// be as short as two clocks.
`default_nettype none

module pb_phase_gen (
    input  wire        clk,
    input  wire        rst_i,

    input  wire        run_i,
    input  wire        abort_i,
    input  wire [9:0]  phase_count_i,   // phases, 2..512
    input  wire [26:0] period_ticks_i,  // ticks, at least 64
    input  wire [26:0] period_num_i,    // below period_den_i
    input  wire [26:0] period_den_i,    // at least 1
    input  wire [26:0] high_ticks_i,    // ticks, 1..period_ticks_i-1
    input  wire [31:0] limit_i,         // superframes, 0: no limit
    input  wire [23:0] drift_i,         // 1/65536 ticks per phase, signed

    input  wire        follow_i,
    input  wire        edge_i,          // rising edge of the outside TDMA_CLK
    input  wire        edge_sync_i,     // level of the outside TDMA_SYNC at that edge

    output reg         running_o,
    output reg         done_o,
    output reg         tick_o,
    output reg  [8:0]  phase_o,
    output reg  [31:0] superframe_o,
    output reg  [26:0] elapsed_o,       // ticks since the start of the phase
    output reg         tdma_clk_o,
    output reg         tdma_sync_o
);
    reg [27:0] fraction_q;  // accumulated fraction, below period_den_i but in the second clock of a phase
    reg        wrap_q;      // second clock of a phase
    reg        longer_q;    // this phase is one tick longer
    reg [15:0] drift_q;     // accumulated drift below a tick
    reg [8:0]  shift_q;     // whole ticks, signed, that this phase is longer by drift
    reg [27:0] length_q;    // ticks of this phase; right from its 34th clock on
    reg        short_q;     // they are less than 64
    reg        ripe_q;      // 63 ticks have passed
    reg        limit_q;     // this superframe is the last by the limit; never at limit 0
    reg        armed_q;     // waiting for the first edge
    reg        dead_q;      // no edge for two periods
    reg        run_q;

    // One adder for two steps: the first clock of a phase adds the fraction, the second takes out a whole tick if there is one.
    wire [28:0] fraction_d = {1'b0, fraction_q} + {1'b0, tick_o ? {1'b0, period_num_i} : ~{1'b0, period_den_i}} + {28'd0, !tick_o};
    wire        whole      = fraction_d[28];
    wire [24:0] drift_d    = {9'd0, drift_q} + {drift_i[23], drift_i};
    wire        drift_now  = elapsed_o[5:0] == 6'd31 && !ripe_q;

    wire [27:0] elapsed_d    = {1'b0, elapsed_o} + 28'd1;
    wire [9:0]  phase_d      = {1'b0, phase_o} + 10'd1;
    wire [31:0] superframe_d = superframe_o + 32'd1;
    // superframe_o + 1 == limit_i, without the sum: limit_i + ~superframe_o is 0 with a carry out. Then each bit's two operands differ just
    // when the bit below carries, and that carries just when either of its operands is set.
    wire [31:0] present = ~superframe_o;
    wire [32:0] carries = {limit_i | present, 1'b0};
    wire        last    = (limit_i ^ present) == carries[31:0] && carries[32];

    wire rise       = run_i && !run_q;
    wire start      = !running_o && (follow_i ? armed_q && run_i && edge_i && edge_sync_i : rise);
    wire period_end = ripe_q && (short_q || elapsed_d[27] || elapsed_d == length_q);
    wire phase_end  = running_o && (follow_i ? edge_i : period_end);
    wire frame_end  = phase_end && (phase_d == phase_count_i || (follow_i && edge_sync_i));
    wire last_frame = !run_i || limit_q;
    wire lost       = running_o && follow_i && dead_q && !run_i && !edge_i;
    wire stop       = (frame_end && last_frame) || lost;
    wire begin_next = start || (phase_end && !stop);

    always @(posedge clk) begin
        run_q   <= run_i;
        armed_q <= run_i && !running_o && !start && (rise || armed_q);
        tick_o  <= 1'b0;
        done_o  <= 1'b0;
        wrap_q  <= tick_o;
        limit_q <= last;
        if (!running_o)
            fraction_q <= 28'd0;
        else if (tick_o || (wrap_q && whole))
            fraction_q <= fraction_d[27:0];
        if (wrap_q)
            longer_q <= whole;
        if (!running_o)
            drift_q <= 16'd0;
        else if (drift_now)
            drift_q <= drift_d[15:0];
        if (drift_now)
            shift_q <= drift_d[24:16];
        length_q <= {1'b0, period_ticks_i} + {{19{shift_q[8]}}, shift_q} + {27'd0, longer_q};
        short_q  <= length_q[27] ? shift_q[8] : length_q[26:6] == 21'd0;
        ripe_q   <= !begin_next && (ripe_q || elapsed_d[5:0] == 6'd63);
        if (elapsed_d == {period_ticks_i, 1'b0} || elapsed_d[27])
            dead_q <= 1'b1;
        if (rst_i || abort_i) begin
            running_o    <= 1'b0;
            armed_q      <= 1'b0;
            tdma_clk_o   <= 1'b0;
            tdma_sync_o  <= 1'b0;
            phase_o      <= 9'd0;
            superframe_o <= 32'd0;
            elapsed_o    <= 27'd0;
            done_o       <= abort_i;
            if (rst_i)
                run_q <= 1'b0;
        end else if (begin_next) begin
            running_o    <= 1'b1;
            tick_o       <= 1'b1;
            tdma_clk_o   <= 1'b1;
            tdma_sync_o  <= start || frame_end;
            phase_o      <= start || frame_end ? 9'd0 : phase_d[8:0];
            if (start)
                superframe_o <= 32'd0;
            else if (frame_end)
                superframe_o <= superframe_d;
            elapsed_o    <= 27'd0;
            dead_q       <= 1'b0;
        end else if (stop) begin
            running_o   <= 1'b0;
            done_o      <= 1'b1;
            tdma_clk_o  <= 1'b0;
            tdma_sync_o <= 1'b0;
        end else if (running_o) begin
            if (!elapsed_d[27])
                elapsed_o <= elapsed_d[26:0];
            if (elapsed_d[26:0] == high_ticks_i)
                tdma_clk_o <= 1'b0;
        end
    end
endmodule

`default_nettype wire
