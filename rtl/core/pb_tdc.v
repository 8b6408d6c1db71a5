// SPDX-FileCopyrightText: The phasebench authors
// SPDX-License-Identifier: Apache-2.0
//
// Encoder of the time-to-digital converter: a report for each edge of the pin that enters the
// chain. The chain, its multiplexer and its registers are outside (rtl/board/pb_tdc_chain.v).
//
// Interface: taps_i is the chain at the clock edge at which the pads sampled link_i. An edge enters
//            at tap 0. The report holds until take_i. set_i: the setting changed.
// Timing:    stamp_o is the stamp that an EDGE event of the same clock edge has; the report is
//            valid at most 21 clocks after now_i had it.
// Limits:    an edge with another one in the 31 clocks before it is not reported but counted, as
//            both may be in the chain; so is one that comes while a report waits.
`default_nettype none
`include "pb_sim_skip.vh"
`include "pb_regs.vh"

module pb_tdc #(
    parameter TAPS       = 40,  // even, 2..480
    parameter STAMP_BITS = 8
) (
    input  wire                  clk,
    input  wire                  rst_i,
    input  wire                  enable_i,
    input  wire                  set_i,
    input  wire [TAPS-1:0]       taps_i,
    input  wire [STAMP_BITS-1:0] now_i,
    output reg                   valid_o,
    output wire [21:0]           value_o,
    output reg  [STAMP_BITS-1:0] stamp_o,
    input  wire                  take_i
);
    // A count of ones is correct for any order of the taps. The counts of even and of odd taps differ by at most one, unless neighbours
    // are in the wrong order (a bubble). The second rank of registers shifts a captured chain out, so few taps need few cells: SLICE even
    // and as many odd ones a clock, in at most 20 clocks, so that the report is away before the next edge that is observed.
    localparam HALF = TAPS / 2, SLICE = (HALF + 19) / 20, SLICES = (HALF + SLICE - 1) / SLICE;
    localparam WIDTH = 2 * SLICE * SLICES;      // TAPS, filled up with zeros
    localparam CODE_BITS = TAPS < 32 ? 6 : $clog2(TAPS + 1);
    localparam MISSED_BITS = `PB_EVENT_TDC_MISSED_WIDTH;
    localparam [MISSED_BITS-1:0] MISSED_MOST = {MISSED_BITS{1'b1}};
    localparam [31:0] STEPS = SLICES + 1;
    localparam [4:0] LAST = STEPS[4:0];
`include "pb_ones.vh"

    reg  [WIDTH-1:0]      rank_q;
    reg                   first_q, before_q;    // tap 0 of the second rank, and a clock ago
    reg  [4:0]            step_q;               // clocks since an edge that is reported; 0: none is counted
    reg  [4:0]            both_q;               // ones of a slice,
    reg  [4:0]            over_slice_q;         // and its even taps that are 1, less odd ones
    reg  [CODE_BITS-1:0]  code_q, over_q;       // over_q: two's complement
    reg                   level_q, bubble_q;
    reg  [4:0]            quiet_q;              // clocks since the last edge, 31: or more
    reg                   calm_q;               // they are
    reg  [MISSED_BITS-1:0] missed_q;
    wire                  changed = first_q != before_q && enable_i && !set_i;
    wire                  report  = changed && calm_q && !valid_o;
    wire [8:0]            code    = {{(9-CODE_BITS){1'b0}}, code_q};
    assign value_o = `PB_EVENT_TDC_PACK(missed_q, bubble_q, level_q, code);

    reg [11:0] even, odd;
    reg [4:0]  evens, odds;
    integer   n;
    always @* begin
        even = 12'd0;
        odd  = 12'd0;
        for (n = 0; n < SLICE; n = n + 1) begin
            even[n] = rank_q[2*n];
            odd[n]  = rank_q[2*n+1];
        end
        evens = {2'd0, ones(even[5:0])} + {2'd0, ones(even[11:6])};
        odds  = {2'd0, ones(odd[5:0])} + {2'd0, ones(odd[11:6])};
    end
    always @(posedge clk) if (`PB_SIM_ACTIVE(enable_i || set_i || rst_i || valid_o || take_i)) begin
        rank_q <= rank_q >> 2 * SLICE;
        if (!report && step_q == 5'd0) begin
            rank_q <= 0;
            rank_q[TAPS-1:0] <= taps_i;
        end
        both_q       <= evens + odds;
        over_slice_q <= evens - odds;
        if (step_q != 5'd0) begin
            code_q <= code_q + {{(CODE_BITS-5){1'b0}}, both_q};
            over_q <= over_q + {{(CODE_BITS-5){over_slice_q[4]}}, over_slice_q};
            step_q <= step_q == LAST ? 5'd0 : step_q + 5'd1;
        end
        if (report) begin
            code_q  <= 0;
            over_q  <= 0;
            step_q  <= 5'd1;
            level_q <= first_q;
        end
        first_q  <= taps_i[0];
        before_q <= first_q;
        if (changed)
            quiet_q <= 5'd0;
        else if (!(&quiet_q))
            quiet_q <= quiet_q + 5'd1;
        calm_q <= !changed && quiet_q >= 5'd30;
        if (step_q == 5'd1)
            stamp_o <= now_i;
        // Of a fall the zeros come first, so the odd taps may have the one more.
        if (step_q == LAST) begin
            valid_o  <= 1'b1;
            bubble_q <= over_q != 0 && over_q != (level_q ? 1 : {CODE_BITS{1'b1}});
        end
        if (take_i)
            valid_o <= 1'b0;
        if (changed && !report && missed_q != MISSED_MOST)
            missed_q <= missed_q + {{(MISSED_BITS-1){1'b0}}, 1'b1};
        if (take_i)
            missed_q <= {{(MISSED_BITS-1){1'b0}}, changed};
        if (rst_i || set_i || !enable_i) begin
            step_q   <= 5'd0;
            quiet_q  <= 5'd0;
            calm_q   <= 1'b0;
            missed_q <= {MISSED_BITS{1'b0}};
        end
        if (rst_i || set_i)
            valid_o <= 1'b0;
    end
endmodule

`default_nettype wire
