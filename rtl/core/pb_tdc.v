// SPDX-FileCopyrightText: The phasebench authors
// SPDX-License-Identifier: Apache-2.0
//
// Encoder of the time-to-digital converter: a report for each edge of the pin that enters the
// chain. The chain, its multiplexer and its registers are outside (rtl/board/pb_tdc_chain.v).
//
// Interface: taps_i is the chain at the clock edge at which the pads sampled link_i, a clock later.
//            An edge enters at tap 0. The report holds until take_i. set_i: the setting changed.
// Timing:    stamp_o is the stamp that an EDGE event of the same clock edge has; the report is
//            valid five clocks after it.
// Limits:    an edge with another one in the 31 clocks before it is not reported but counted, as
//            both may be in the chain; so is one that comes while a report waits.
`default_nettype none
`include "pb_sim_skip.vh"
`include "pb_regs.vh"

module pb_tdc #(
    parameter TAPS       = 40,  // even, 2..510
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
    // A count of ones is right whatever the order of the taps. Those of even and of odd taps differ by at most one, unless neighbours
    // are in the wrong order (a bubble). Adders of one clock each: a wide one would be a critical path.
    localparam HALF  = TAPS / 2, SIXES = (HALF + 5) / 6, FOURS = (SIXES + 3) / 4;
    localparam MISSED_BITS = `PB_EVENT_TDC_MISSED_WIDTH;
    localparam [MISSED_BITS-1:0] MISSED_MOST = {MISSED_BITS{1'b1}};

    function [2:0] ones;
        input [5:0] bits;
        reg [1:0] a, b;
        reg       carry;
        begin
            a     = {(bits[0] & bits[1]) | (bits[0] & bits[2]) | (bits[1] & bits[2]), ^bits[2:0]};
            b     = {(bits[3] & bits[4]) | (bits[3] & bits[5]) | (bits[4] & bits[5]), ^bits[5:3]};
            carry = a[0] & b[0];
            ones  = {(a[1] & b[1]) | (a[1] & carry) | (b[1] & carry), a[1] ^ b[1] ^ carry, a[0] ^ b[0]};
        end
    endfunction

    reg                   first_q;              // tap 0, a clock ago
    reg  [3*SIXES-1:0]    even_six, odd_six;
    reg  [5*FOURS-1:0]    even_four, odd_four;
    reg  [8:0]            even_q, odd_q, code_q;
    reg  signed [9:0]     over_q;               // even taps that are 1, less odd ones
    reg  [3:0]            edge_q;               // an edge that is reported, in the clocks since
    reg                   level_q, bubble_q;
    reg  [4:0]            quiet_q;              // clocks since the last edge, 31: or more
    reg  [MISSED_BITS-1:0] missed_q;
    wire                  changed = taps_i[0] != first_q && enable_i && !set_i;
    wire                  report  = changed && &quiet_q && !valid_o && edge_q == 4'd0;
    assign value_o = `PB_EVENT_TDC_PACK(missed_q, bubble_q, level_q, code_q);

    integer n;
    always @(posedge clk) if (`PB_SIM_ACTIVE(enable_i || set_i || rst_i || valid_o || take_i)) begin : count
        reg [6*SIXES-1:0] even, odd;
        reg [15*FOURS-1:0] even_pad, odd_pad;
        reg [8:0] even_sum, odd_sum;
        even     = 0;
        odd      = 0;
        even_pad = 0;
        odd_pad  = 0;
        for (n = 0; n < HALF; n = n + 1) begin
            even[n] = taps_i[2*n];
            odd[n]  = taps_i[2*n+1];
        end
        for (n = 0; n < SIXES; n = n + 1) begin
            even_six[3*n +: 3] <= ones(even[6*n +: 6]);
            odd_six[3*n +: 3]  <= ones(odd[6*n +: 6]);
        end
        even_pad[3*SIXES-1:0] = even_six;
        odd_pad[3*SIXES-1:0]  = odd_six;
        for (n = 0; n < FOURS; n = n + 1) begin
            even_four[5*n +: 5] <= {2'd0, even_pad[12*n +: 3]} + {2'd0, even_pad[12*n+3 +: 3]} +
                                   {2'd0, even_pad[12*n+6 +: 3]} + {2'd0, even_pad[12*n+9 +: 3]};
            odd_four[5*n +: 5]  <= {2'd0, odd_pad[12*n +: 3]} + {2'd0, odd_pad[12*n+3 +: 3]} +
                                   {2'd0, odd_pad[12*n+6 +: 3]} + {2'd0, odd_pad[12*n+9 +: 3]};
        end
        even_sum = 9'd0;
        odd_sum  = 9'd0;
        for (n = 0; n < FOURS; n = n + 1) begin
            even_sum = even_sum + {4'd0, even_four[5*n +: 5]};
            odd_sum  = odd_sum + {4'd0, odd_four[5*n +: 5]};
        end
        even_q <= even_sum;
        odd_q  <= odd_sum;

        first_q <= taps_i[0];
        edge_q  <= {edge_q[2:0], report};
        if (changed)
            quiet_q <= 5'd0;
        else if (!(&quiet_q))
            quiet_q <= quiet_q + 5'd1;
        if (report)
            level_q <= taps_i[0];
        if (edge_q[0])
            stamp_o <= now_i;
        // Of a fall the zeros come first, so the odd taps may have the one more.
        if (edge_q[2]) begin
            code_q <= even_q + odd_q;
            over_q <= {1'b0, even_q} - {1'b0, odd_q};
        end
        if (edge_q[3]) begin
            valid_o  <= 1'b1;
            bubble_q <= over_q != 10'sd0 && over_q != (level_q ? 10'sd1 : -10'sd1);
        end
        if (take_i)
            valid_o <= 1'b0;
        if (changed && !report && missed_q != MISSED_MOST)
            missed_q <= missed_q + {{(MISSED_BITS-1){1'b0}}, 1'b1};
        if (take_i)
            missed_q <= {{(MISSED_BITS-1){1'b0}}, changed};
        if (rst_i || set_i || !enable_i) begin
            edge_q   <= 4'd0;
            quiet_q  <= 5'd0;
            missed_q <= {MISSED_BITS{1'b0}};
        end
        if (rst_i || set_i)
            valid_o <= 1'b0;
    end
endmodule

`default_nettype wire
