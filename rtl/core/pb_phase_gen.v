// SPDX-FileCopyrightText: The phasebench authors
// SPDX-License-Identifier: Apache-2.0
//
// Phase clock generator: TDMA_CLK, TDMA_SYNC and the bench's own idea of superframe and phase.
//
// The period is period_ticks_i + period_num_i / period_den_i ticks: a phase is one tick longer whenever the
// accumulated fraction reaches a whole tick, so the rate is exact on average and an edge is never more than one tick
// off. tdma_clk_o rises at the first tick of a phase and stays high for high_ticks_i; tdma_sync_o is high from that
// tick through the whole of phase 0.
//
// Handshake: run_i 0 -> 1 starts phase 0 of superframe 0 one clock later. When run_i falls the clock stops at the end of
// the running superframe. limit_i superframes (0: no limit) after the start it stops by itself and pulses done_o,
// which clears the run bit. abort_i stops at once.
// Timing: tick_o is high in the first clock of a phase, in which phase_o and superframe_o are already those of that
// phase and elapsed_o is 0.
// Reset: stopped, outputs low. Settings must not change while running_o is high, but for run_i.
// Does not: inject faults, follow an outside clock.
`default_nettype none

module pb_phase_gen (
    input  wire        clk,
    input  wire        rst_i,

    input  wire        run_i,
    input  wire        abort_i,
    input  wire [9:0]  phase_count_i,   // phases, 2..512
    input  wire [26:0] period_ticks_i,  // ticks
    input  wire [26:0] period_num_i,    // below period_den_i
    input  wire [26:0] period_den_i,    // at least 1
    input  wire [26:0] high_ticks_i,    // ticks, 1..period_ticks_i-1
    input  wire [31:0] limit_i,         // superframes, 0: no limit

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
    reg        late_q;      // this clock is that tick
    reg        limit_q;     // this superframe is the last by the limit; never at limit 0
    reg        run_q;

    // One adder for two steps: the first clock of a phase adds the fraction, the second takes out a whole tick if there is one.
    wire [28:0] fraction_d = {1'b0, fraction_q} + {1'b0, tick_o ? {1'b0, period_num_i} : ~{1'b0, period_den_i}} + {28'd0, !tick_o};
    wire        whole      = fraction_d[28];

    wire [26:0] elapsed_d    = elapsed_o + 27'd1;
    wire [9:0]  phase_d      = {1'b0, phase_o} + 10'd1;
    wire [32:0] superframe_d = {1'b0, superframe_o} + 33'd1;

    wire start      = run_i && !run_q && !running_o;
    wire period_end = elapsed_d == period_ticks_i;
    wire phase_end  = running_o && (late_q || (period_end && !longer_q));
    wire frame_end  = phase_end && phase_d == phase_count_i;
    wire last_frame = !run_i || limit_q;
    wire stop       = frame_end && last_frame;
    wire begin_next = start || (phase_end && !stop);

    always @(posedge clk) begin
        run_q  <= run_i;
        tick_o <= 1'b0;
        done_o <= 1'b0;
        wrap_q <= tick_o;
        limit_q <= superframe_d == {1'b0, limit_i};
        late_q <= period_end && longer_q && !late_q;
        if (!running_o)
            fraction_q <= 28'd0;
        else if (tick_o || (wrap_q && whole))
            fraction_q <= fraction_d[27:0];
        if (wrap_q)
            longer_q <= whole;
        if (rst_i || abort_i) begin
            running_o    <= 1'b0;
            tdma_clk_o   <= 1'b0;
            tdma_sync_o  <= 1'b0;
            phase_o      <= 9'd0;
            superframe_o <= 32'd0;
            elapsed_o    <= 27'd0;
            late_q       <= 1'b0;
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
                superframe_o <= superframe_d[31:0];
            elapsed_o    <= 27'd0;
            late_q       <= 1'b0;
        end else if (stop) begin
            running_o   <= 1'b0;
            late_q      <= 1'b0;
            done_o      <= 1'b1;
            tdma_clk_o  <= 1'b0;
            tdma_sync_o <= 1'b0;
        end else if (running_o) begin
            elapsed_o <= elapsed_d;
            if (elapsed_d == high_ticks_i)
                tdma_clk_o <= 1'b0;
        end
    end

`ifdef FORMAL
    reg past_valid = 1'b0;
    always @(posedge clk) past_valid <= 1'b1;
    initial assume (rst_i);
    always @(posedge clk) if (past_valid) begin
        if (running_o) assert ({1'b0, phase_o} < phase_count_i || phase_count_i < 10'd2);
        if (tdma_sync_o) assert (phase_o == 9'd0);
        if (tick_o) assert (tdma_clk_o && elapsed_o == 27'd0);
    end
`endif
endmodule

`default_nettype wire
