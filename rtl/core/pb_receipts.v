// SPDX-FileCopyrightText: The phasebench authors
// SPDX-License-Identifier: Apache-2.0
//
// Receipts: collects begin and end of injected faults from fault units and player lanes, for the
// capture.
//
// Interface: a source pulses began_i and later ended_i, or late_i alone. It then holds kind, link
//            and number for 64 clocks, in which it must not pulse the same line again. valid_o is
//            high until take_i and low for a clock then. value_o (bits 59..32 of the event) and
//            stamp_o are valid with take_i: until then a receipt of higher precedence may replace
//            them.
// Timing:    a pulse is stamped DELAY clocks later, the latency of its effect to the capture. No
//            receipt is lost if the capture takes one per 64 / (2 * SOURCES) clocks on average.
// Reset:     no receipt waits.
`default_nettype none
`include "pb_sim_skip.vh"
`include "pb_regs.vh"

module pb_receipts #(
    parameter SOURCES    = 7,
    parameter STAMP_BITS = 14,
    parameter DELAY      = 3   // clocks, at least 2
) (
    input  wire                  clk,
    input  wire                  rst_i,
    input  wire [STAMP_BITS-1:0] now_i,

    input  wire [SOURCES-1:0]    began_i,
    input  wire [SOURCES-1:0]    ended_i,
    input  wire [SOURCES-1:0]    late_i,
    input  wire [5*SOURCES-1:0]  kind_i,
    input  wire [6*SOURCES-1:0]  link_i,
    input  wire [15*SOURCES-1:0] number_i,

    output reg                   valid_o,
    output wire [27:0]           value_o,
    output wire [STAMP_BITS-1:0] stamp_o,
    input  wire                  take_i
);
    reg  [3*SOURCES*DELAY-1:0] pipe;
    wire [SOURCES-1:0] began = pipe[3*SOURCES*(DELAY-1) +: SOURCES];
    wire [SOURCES-1:0] ended = pipe[3*SOURCES*(DELAY-1)+SOURCES +: SOURCES];
    wire [SOURCES-1:0] late  = pipe[3*SOURCES*(DELAY-1)+2*SOURCES +: SOURCES];

    // Waiting receipts: begins in the lower half, ends and late records in the upper. The lowest goes first, so a begin before its end.
    reg  [2*SOURCES-1:0] waiting;
    reg  [SOURCES-1:0]   was_late;
    reg  [2*SOURCES-1:0] pick;      // the lowest, one clock later
    wire [SOURCES-1:0]   whose = pick[SOURCES-1:0] | pick[2*SOURCES-1:SOURCES];
    wire [1:0]           what  = (pick[2*SOURCES-1:SOURCES] & was_late) != 0 ? `PB_FAULT_WHAT_LATE :
                                pick[SOURCES-1:0] != 0 ? `PB_FAULT_WHAT_BEGAN : `PB_FAULT_WHAT_ENDED;

    // An AND-OR multiplexer along the sources.
    genvar s;
    generate for (s = 0; s < SOURCES; s = s + 1) begin : g_source
        reg  [STAMP_BITS-1:0]    began_stamp, ended_stamp;
        wire [STAMP_BITS+25:0]   others;
        reg  [STAMP_BITS+25:0]   so_far;
        always @* begin
            so_far = others;
            if (whose[s])
                so_far = others | {link_i[6*s +: 6], number_i[15*s +: 15], kind_i[5*s +: 5],
                                   pick[s] ? began_stamp : ended_stamp};
        end
        if (s == 0) begin : g_first
            assign others = 0;
        end else begin : g_next
            assign others = g_source[s-1].so_far;
        end
        always @(posedge clk) begin
            if (began[s])
                began_stamp <= now_i;
            if (ended[s] || late[s]) begin
                ended_stamp <= now_i;
                was_late[s] <= late[s];
            end
        end
    end endgenerate
    wire [STAMP_BITS+25:0] told = g_source[SOURCES-1].so_far;
    assign stamp_o = told[STAMP_BITS-1:0];
    assign value_o = `PB_EVENT_TOLD_PACK(told[STAMP_BITS+20 +: 6], `PB_EVENT_FAULT_PACK(told[STAMP_BITS+5 +: 15], what, told[STAMP_BITS +: 5]));

    always @(posedge clk) if (`PB_SIM_ACTIVE({late_i, ended_i, began_i} != 0 || pipe != 0 || waiting != 0 || rst_i)) begin
        pipe    <= {pipe[3*SOURCES*(DELAY-1)-1:0], late_i, ended_i, began_i};
        valid_o <= waiting != 0;
        pick    <= waiting & (~waiting + 1'b1);
        waiting <= (take_i ? waiting & ~pick : waiting) | {ended | late, began};
        if (rst_i || take_i) begin
            valid_o <= 1'b0;
            pick    <= 0;
        end
        if (rst_i) begin
            pipe    <= 0;
            waiting <= 0;
        end
    end
endmodule

`default_nettype wire
