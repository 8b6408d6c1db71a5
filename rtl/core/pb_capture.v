// SPDX-FileCopyrightText: The phasebench authors
// SPDX-License-Identifier: Apache-2.0
//
// Capture: builds time-stamped events and keeps them until the host fetches them.
//
// Interface: sources hold their request until it is taken; the buffer has a valid/ready handshake.
// Timing:    at most one event per two clocks: the first arbitrates, the second builds the event
//            and acknowledges its source. Stamps count clocks since reset; a line edge has the
//            clock in which the synchroniser's output changed. tick_i must be delayed like the pin
//            of TDMA_CLK plus these two clocks.
// Overflow:  events without room are counted; an overflow event with their number follows.
// Reset:     empty, stamp 0. While enable_i is low nothing is recorded.
// Limits:    phase_i and superframe_i must not change for 20 clocks after tick_i. How long a source
//            may wait with its stamp, and the order of precedence: docs/design/rtl.md.
`default_nettype none
`include "pb_sim_skip.vh"
`include "pb_clocks.vh"
`include "pb_regs.vh"

module pb_capture #(
    parameter LINKS      = 12,  // 1..64
    parameter LANES      = 3,   // 1..32
    parameter RECEIVERS  = LINKS,   // links that can receive bytes at the same time; see pb_receivers
    parameter HALF_TICKS = 0,   // 1: EDGE and TDMA events carry the half of the clock; 0: it is unknown
    parameter DEPTH_LOG2 = 9,   // log2 of events
    parameter BRIEF_BITS = 8    // stamp bits of waiting events but edges and bytes (docs/design/rtl.md, Waiting); at most 13
) (
    input  wire                clk,
    input  wire                rst_i,
    input  wire                enable_i,

    output reg  [53:0]         stamp_o,

    input  wire                tick_i,
    input  wire [8:0]          phase_i,       // stable after tick_i with superframe_i, see Limits
    input  wire [12:0]         superframe_i,
    input  wire                running_i,

    input  wire                tdma_i,        // TDMA_CLK rose at its pin
    input  wire                tdma_sync_i,   // level of TDMA_SYNC at that edge
    input  wire                tdma_second_i, // that edge was in the second half of this clock
    input  wire [`PB_EVENT_TDMA_AGE_WIDTH-1:0] tdma_age_i,  // from the second clock after tdma_i until the next edge's
    input  wire [1:0]          tdma_age_half_i,

    input  wire [LINKS-1:0]    line_i,        // synchronised
    input  wire [LINKS-1:0]    second_i,      // half a clock before line_i the line had the other level
    input  wire [LINKS-1:0]    edge_mask_i,
    input  wire [LINKS-1:0]    byte_mask_i,
    input  wire [19:0]         bit_period_i,  // Q16.4 ticks

    input  wire                console_i,     // synchronised UART0 line
    input  wire [19:0]         console_period_i,

    input  wire [LANES-1:0]    underrun_i,
    input  wire [9*LANES-1:0]  underrun_phase_i,
    input  wire [13*LANES-1:0] underrun_superframe_i,

    input  wire                receipt_valid_i,  // see pb_receipts
    input  wire                receipt_tdc_i,    // it is not a receipt but a report of pb_tdc
    input  wire [27:0]         receipt_value_i,
    input  wire [BRIEF_BITS-1:0] receipt_stamp_i,
    output wire                receipt_take_o,

    input  wire                alarm_valid_i,    // holds until taken; stamped when taken
    input  wire [27:0]         alarm_value_i,    // link, ticks, code: bits 59..32 of the event
    output wire                alarm_take_o,

    output wire                event_valid_o,
    output wire [63:0]         event_o,
    input  wire                event_ready_i,
    output wire [DEPTH_LOG2:0] event_level_o,
    output reg  [31:0]         lost_o
);
    localparam INDEX_BITS = LINKS > 1 ? $clog2(LINKS) : 1;
    localparam LANE_BITS  = LANES > 1 ? $clog2(LANES) : 1;
    localparam AGE_BITS   = $clog2(LINKS + 4);  // a byte comes from its receiver within LINKS + 3 clocks
    localparam DROP_BITS  = $clog2(2 * LINKS + 4) > 3 ? $clog2(2 * LINKS + 4) : 4; // most losses in a clock: LINKS edges, LINKS missed bytes, one byte, one edge of TDMA_CLK, one event
    // Stamp bits of a waiting edge or byte. The missing upper bits are those of the current stamp, or one less.
    localparam STAMP_BITS = 14 + (DEPTH_LOG2 > 11 ? DEPTH_LOG2 - 11 : 0);

    function [INDEX_BITS-1:0] index_of;         // of the only set bit
        input [LINKS-1:0] bits;
        integer n;
        begin
            index_of = 0;
            for (n = 0; n < LINKS; n = n + 1)
                index_of = index_of | ({INDEX_BITS{bits[n]}} & n[INDEX_BITS-1:0]);
        end
    endfunction

    reg                   carry_q;          // the lower part of stamp_o is all ones
    wire [STAMP_BITS-1:0] now   = stamp_o[STAMP_BITS-1:0];
    wire [BRIEF_BITS-1:0] short_stamp = stamp_o[BRIEF_BITS-1:0];

    // ---- edges: a buffer of (half, stamp, levels, changed lines), then one event per changed line
    reg  [LINKS-1:0]      line_q;
    wire [LINKS-1:0]      edge_now = (line_i ^ line_q) & edge_mask_i & {LINKS{enable_i}};
    // {no edge in the first half, no edge in the second half}: 0 with edges in both (half unknown), 3 without an edge.
    wire [1:0]            edge_half = {(edge_now & ~second_i) == 0, (edge_now & second_i) == 0} & {2{HALF_TICKS != 0}};
    reg  [LINKS-1:0]      edge_q;           // of one clock ago, like line_q and stamp_q: the clock of edge detection
    reg  [1:0]            half_q;
    reg  [STAMP_BITS-1:0] stamp_q;
    wire                  edge_any = HALF_TICKS != 0 ? half_q != 2'd3 : edge_q != 0;
    wire                  vector_full, vector_valid, vector_pop;
    wire [8:0]            vector_level;
    wire [1:0]            vector_half;
    wire [LINKS-1:0]      vector_levels, vector_changed;
    wire [STAMP_BITS-1:0] vector_stamp;
    reg  [LINKS-1:0]      reported_q;           // changed lines of the output vector whose events are built
    wire [LINKS-1:0]      changed = vector_changed & ~reported_q;

    pb_fifo #(.WIDTH(2 + STAMP_BITS + 2 * LINKS), .DEPTH_LOG2(8)) vectors (
        .clk(clk), .rst_i(rst_i), .clear_i(1'b0),
        .wr_i(edge_any), .wr_data_i({half_q, stamp_q, line_q, edge_q}), .full_o(vector_full),
        .rd_valid_o(vector_valid), .rd_data_o({vector_half, vector_stamp, vector_levels, vector_changed}), .rd_ready_i(vector_pop),
        .level_o(vector_level)
    );

    function several;                       // more than one bit is set; a tree, as a chain would be a critical path
        input [LINKS-1:0] bits;
        reg   [63:0]      any, many;
        integer           width, n;
        begin
            any            = 64'd0;
            any[LINKS-1:0] = bits;
            many           = 64'd0;
            for (width = 32; width > 0; width = width / 2)
                for (n = 0; n < width; n = n + 1) begin
                    many[n] = many[2*n] | many[2*n+1] | (any[2*n] & any[2*n+1]);
                    any[n]  = any[2*n] | any[2*n+1];
                end
            several = many[0];
        end
    endfunction
    reg  [LINKS-1:0] edge_pick;             // the lowest changed line, computed a clock before it is taken
    reg              edge_last;             // it is the only one left
    wire             edge_take;
    assign vector_pop = edge_take && edge_last;

    // Edges lost because the short buffer was full: each changed line counts.
    wire [DROP_BITS-1:0] edges_dropped;     // two clocks ago
    pb_popcount #(.WIDTH(LINKS), .COUNT_BITS(DROP_BITS)) dropped (
        .clk(clk), .rst_i(rst_i), .count_i(vector_full), .bits_i(edge_q), .count_o(edges_dropped)
    );

    // ---- bytes: from the receivers into a buffer, one a clock, so that no byte waits for events of other kinds
    wire                  byte_any, byte_over, byte_from_console;
    wire [INDEX_BITS-1:0] byte_from;
    wire [21:0]           byte_report;
    wire [AGE_BITS-1:0]   byte_age;
    wire [DROP_BITS-1:0]  bytes_missed;
    reg                   console_q;
    pb_receivers #(.LINKS(LINKS), .RECEIVERS(RECEIVERS), .AGE_BITS(AGE_BITS), .COUNT_BITS(DROP_BITS)) receivers (
        .clk(clk), .rst_i(rst_i), .line_i(line_i), .line_last_i(line_q), .mask_i(byte_mask_i), .bit_period_i(bit_period_i),
        .console_i(console_i), .console_last_i(console_q), .console_period_i(console_period_i),
        .valid_o(byte_any), .over_o(byte_over), .console_o(byte_from_console), .link_o(byte_from), .value_o(byte_report),
        .age_o(byte_age), .missed_o(bytes_missed)
    );

    wire                  report_any = byte_any && enable_i;
    wire                  bytes_full, byte_valid, byte_take, byte_console;
    wire [8:0]            bytes_level;
    wire [INDEX_BITS-1:0] byte_link;
    wire [21:0]           byte_value;
    wire [STAMP_BITS-1:0] byte_stamp;
    pb_fifo #(.WIDTH(STAMP_BITS + 1 + INDEX_BITS + 22), .DEPTH_LOG2(8)) bytes (
        .clk(clk), .rst_i(rst_i), .clear_i(1'b0),
        .wr_i(report_any && !byte_over),
        .wr_data_i({now - {{(STAMP_BITS-AGE_BITS){1'b0}}, byte_age}, byte_from_console, byte_from, byte_report}),
        .full_o(bytes_full),
        .rd_valid_o(byte_valid), .rd_data_o({byte_stamp, byte_console, byte_link, byte_value}), .rd_ready_i(byte_take),
        .level_o(bytes_level)
    );
    // The short buffer was full, or many bytes ended together and the next byte overwrote this one.
    wire byte_dropped = report_any && (byte_over || bytes_full);

    // ---- short-lived sources wait here
    reg                   clock_pending, phase_pending, beat_pending, running_q, clock_level;
    reg                   tdma_pending, tdma_level, tdma_second;
    reg  [BRIEF_BITS-1:0] clock_stamp, phase_stamp, tdma_stamp;
    reg  [LANES-1:0]      underrun_pending;
    reg  [BRIEF_BITS-1:0] underrun_stamp;
    reg  [LANE_BITS-1:0]  underrun_lane;
    reg  [21:0]           underrun_value;
    integer               u;
    always @* begin
        underrun_lane  = 0;
        underrun_value = 22'd0;
        if (`PB_SIM_ACTIVE(underrun_pending != 0))
            for (u = LANES - 1; u >= 0; u = u - 1)
                if (underrun_pending[u]) begin
                    underrun_lane  = u[LANE_BITS-1:0];
                    underrun_value = `PB_EVENT_UNDERRUN_PACK(underrun_superframe_i[13*u +: 13], underrun_phase_i[9*u +: 9]);
                end
    end

    // ---- one event in two clocks
    // Losses are counted three clocks later. An overflow event waits for their number, all other events for the overflow event.
    // Fairness: after an overflow event the next grant goes to another source, as edges can be lost in every clock.
    // After an edge of TDMA_CLK or an alarm, one other waiting source is served before the next of these two.
    reg  [27:0] lost_pending;
    reg         lost_any;       // lost_pending is not 0
    reg  [DROP_BITS-1:0] lost_q, others_q;
    reg         lost_new;       // lost_q is not 0
    reg  [2:0]  singles_q;
    wire        full;
    reg         choose_q;       // the first of the two clocks
    reg  [9:0]  grant;          // in the second clock: the chosen source
    reg         room_q;         // in the second clock: the buffer has room for the event
    reg         told_lost;      // the last event is an overflow event
    reg         told_often;     // the last event other than an overflow is an edge of TDMA_CLK or an alarm
    reg         event_made;     // event_q lacks only the upper part of its stamp
    reg         event_wait;     // event_q is complete and goes to the buffer
    reg [63:0]  event_q;
    // An event built in this clock can enter the buffer in the next one, before the next event is built.
    wire        room    = !(event_made || event_wait) || !full;
    wire        pause   = room && (lost_any || lost_new) && !told_lost;   // the next event is an overflow event
    wire [8:0]  request = {clock_pending, phase_pending, tdma_pending && !told_often, receipt_valid_i, underrun_pending != 0,
                           alarm_valid_i && !told_often, vector_valid, byte_valid, beat_pending};
    wire [8:0]  first   = !`PB_SIM_ACTIVE(choose_q && request != 9'd0) ? 9'd0 :
                          {request[8], request[7] && !request[8], request[6] && request[8:7] == 0,
                           request[5] && request[8:6] == 0, request[4] && request[8:5] == 0, request[3] && request[8:4] == 0,
                           request[2] && request[8:3] == 0, request[1] && request[8:2] == 0, request[0] && request[8:1] == 0};
    wire        overflow = grant[9], clock_take = grant[8], phase_take = grant[7], tdma_take = grant[6],
                underrun_take = grant[4], beat_take = grant[0];
    assign receipt_take_o = grant[5];
    assign alarm_take_o   = grant[3];
    assign edge_take      = grant[2];
    assign byte_take      = grant[1];

    // Event fields as AND-OR multiplexers. A line or a lane gives the low bits of the link, and `since` has the stamp bits of the source.
    wire [5:0]  edge_link   = {{(6-INDEX_BITS){1'b0}}, index_of(edge_pick)};
    wire [5:0]  report_link = {{(6-INDEX_BITS){1'b0}}, byte_link};
    wire [5:0]  lane_link   = {{(6-LANE_BITS){1'b0}}, underrun_lane};
    wire [3:0]  kind  = !`PB_SIM_ACTIVE(grant != 10'd0) ? 4'd0 :
                        ({4{overflow}} & `PB_EVENT_OVERFLOW) | ({4{clock_take}} & `PB_EVENT_CLOCK) | ({4{phase_take}} & `PB_EVENT_PHASE) |
                        ({4{tdma_take}} & `PB_EVENT_TDMA) | ({4{receipt_take_o}} & (receipt_tdc_i ? `PB_EVENT_TDC : `PB_EVENT_FAULT)) |
                        ({4{alarm_take_o}} & `PB_EVENT_ALARM) |
                        ({4{underrun_take}} & `PB_EVENT_UNDERRUN) | ({4{edge_take}} & `PB_EVENT_EDGE) |
                        ({4{byte_take}} & (byte_console ? `PB_EVENT_CONSOLE : `PB_EVENT_BYTE)) | ({4{beat_take}} & `PB_EVENT_HEARTBEAT);
    wire [27:0] value = !`PB_SIM_ACTIVE(grant != 10'd0) ? 28'd0 :
                        ({28{overflow}} & lost_pending) | ({28{clock_take}} & `PB_EVENT_TOLD_PACK(6'd0, `PB_EVENT_CLOCK_PACK(clock_level))) |
                        ({28{phase_take}} & `PB_EVENT_TOLD_PACK(6'd0, `PB_EVENT_PHASE_PACK(superframe_i, phase_i))) |
                        ({28{tdma_take}} & `PB_EVENT_TOLD_PACK(6'd0, `PB_EVENT_TDMA_PACK(tdma_age_half_i, tdma_age_i, {tdma_second, !tdma_second} & {2{HALF_TICKS != 0}}, tdma_level))) |
                        ({28{receipt_take_o}} & receipt_value_i) | ({28{alarm_take_o}} & alarm_value_i) |
                        ({28{underrun_take}} & `PB_EVENT_TOLD_PACK(lane_link, underrun_value)) |
                        ({28{edge_take}} & `PB_EVENT_TOLD_PACK(edge_link, `PB_EVENT_EDGE_PACK(vector_half & {2{HALF_TICKS != 0}}, (vector_levels & edge_pick) != 0))) |
                        ({28{byte_take}} & `PB_EVENT_TOLD_PACK(report_link, byte_value)) |
                        ({28{beat_take}} & `PB_EVENT_TOLD_PACK(6'd0, stamp_o[53:32]));
    wire [STAMP_BITS-1:0] since = !`PB_SIM_ACTIVE(grant != 10'd0) ? {STAMP_BITS{1'b0}} :
                                  ({STAMP_BITS{overflow || alarm_take_o}} & now) |
                                  ({STAMP_BITS{edge_take}} & vector_stamp) | ({STAMP_BITS{byte_take}} & byte_stamp) |
                                  {{(STAMP_BITS-BRIEF_BITS){1'b0}},
                                   ({BRIEF_BITS{clock_take}} & clock_stamp) | ({BRIEF_BITS{phase_take}} & phase_stamp) |
                                   ({BRIEF_BITS{tdma_take}} & tdma_stamp) | ({BRIEF_BITS{receipt_take_o}} & receipt_stamp_i) |
                                   ({BRIEF_BITS{underrun_take}} & underrun_stamp)};

    // One clock later, the upper part of the stamp: that of the current stamp, or one less if the source is older than the last carry.
    // It is older if its top bit is 1 and the same bit of the current stamp is 0.
    reg                  made_brief;
    reg  [31:BRIEF_BITS] upper;
    always @* begin : age
        reg brief_less, less;
        {made_brief, brief_less, less} = 3'd0;
        upper = 0;
        if (`PB_SIM_ACTIVE(event_made)) begin
            made_brief = event_q[`PB_EVENT_KIND_RANGE] == `PB_EVENT_CLOCK || event_q[`PB_EVENT_KIND_RANGE] == `PB_EVENT_PHASE || event_q[`PB_EVENT_KIND_RANGE] == `PB_EVENT_TDMA ||
                         event_q[`PB_EVENT_KIND_RANGE] == `PB_EVENT_FAULT || event_q[`PB_EVENT_KIND_RANGE] == `PB_EVENT_TDC || event_q[`PB_EVENT_KIND_RANGE] == `PB_EVENT_UNDERRUN;
            brief_less = made_brief && event_q[BRIEF_BITS-1] && !now[BRIEF_BITS-1];
            less       = brief_less || (!made_brief && event_q[STAMP_BITS-1] && !now[STAMP_BITS-1]);
            upper      = stamp_o[31:BRIEF_BITS] + {{(32-STAMP_BITS){less}}, {(STAMP_BITS-BRIEF_BITS){brief_less}}};
        end
    end

    // Edges and bytes in the short buffers, and the number of lost events, are delivered even after enable_i fell.
    wire store = overflow || edge_take || byte_take || (grant != 10'd0 && enable_i);
    pb_fifo #(.WIDTH(64), .DEPTH_LOG2(DEPTH_LOG2)) events (
        .clk(`PB_SENDER_CLK), .rst_i(rst_i), .clear_i(1'b0),
        .wr_i(event_wait), .wr_data_i(event_q), .full_o(full),
        .rd_valid_o(event_valid_o), .rd_data_o(event_o), .rd_ready_i(event_ready_i),
        .level_o(event_level_o)
    );

    // An external clock rose again before the event of its last edge was built.
    wire tdma_dropped = tdma_i && tdma_pending && !tdma_take && enable_i;
    wire event_dropped = store && !room_q;
    // The count saturates below its maximum, so that the losses of one clock cannot overflow it.
    reg                  lost_most;
    wire [27:0]          lost_sum = lost_pending + {{(28-DROP_BITS){1'b0}}, lost_q};

    always @(posedge clk) begin
        // In two parts, with the carry computed a clock ahead: a single chain would be a critical path.
        carry_q                <= &stamp_o[STAMP_BITS-1:1] && !stamp_o[0];
        stamp_o[STAMP_BITS-1:0] <= now + `PB_ONE(STAMP_BITS, 1'b1);
        stamp_o[53:STAMP_BITS] <= stamp_o[53:STAMP_BITS] + {{(53-STAMP_BITS){1'b0}}, carry_q};
        line_q       <= line_i;
        edge_q       <= edge_now;
        half_q       <= edge_half;
        `PB_IF_TIME
            stamp_q   <= now;
        console_q    <= console_i;
        running_q    <= running_i;

        singles_q    <= {tdma_dropped, byte_dropped, event_dropped};
        others_q     <= (bytes_missed & {DROP_BITS{enable_i}}) + {{(DROP_BITS-2){1'b0}}, {1'b0, singles_q[2]} + {1'b0, singles_q[1]}} +
                        {{(DROP_BITS-1){1'b0}}, singles_q[0]};
        lost_q       <= edges_dropped + others_q;
        lost_new     <= edges_dropped != 0 || others_q != 0;
        lost_o       <= lost_o + {{(32-DROP_BITS){1'b0}}, lost_q};
        lost_most    <= &lost_pending[27:DROP_BITS+1] && !overflow;
        // An AND clears the upper bits: flip-flops with a separate reset would not share tiles with the lower ones, which splits the adder.
        if (overflow || !lost_most)
            lost_pending <= {lost_sum[27:DROP_BITS] & {(28-DROP_BITS){!overflow}}, overflow ? lost_q : lost_sum[DROP_BITS-1:0]};
        lost_any     <= lost_new || (lost_any && !overflow);

        choose_q   <= `PB_STEP(!choose_q, choose_q ^ `PB_CLOCKS[0]);
        room_q     <= room;
        grant      <= {pause, first};
        if (pause)
            grant[8:0] <= 9'd0;
        if (!choose_q) begin
            grant     <= 10'd0;
            told_lost <= overflow;
            if (!overflow)
                told_often <= tdma_take || alarm_take_o;
        end
        event_made <= store && room_q;
        event_wait <= event_made || (event_wait && full);
        if (!choose_q && room_q)
            {event_q[63:32], event_q[STAMP_BITS-1:0]} <= {kind, value, since};
        if (event_made) begin
            event_q[31:STAMP_BITS] <= upper[31:STAMP_BITS];
            if (made_brief)
                event_q[STAMP_BITS-1:BRIEF_BITS] <= upper[STAMP_BITS-1:BRIEF_BITS];
            if (event_q[`PB_EVENT_KIND_RANGE] == `PB_EVENT_HEARTBEAT)
                event_q[23:STAMP_BITS] <= 0;
        end

        if (vector_valid) begin
            edge_pick <= changed & (~changed + 1'b1);
            edge_last <= !several(changed);
        end
        if (edge_take)
            reported_q <= edge_last ? {LINKS{1'b0}} : reported_q | edge_pick;

        if (clock_take)
            clock_pending <= 1'b0;
        if (running_i != running_q) begin
            clock_pending <= 1'b1;
            clock_level   <= running_i;
            clock_stamp   <= short_stamp;
        end
        if (phase_take)
            phase_pending <= 1'b0;
        if (tick_i) begin
            phase_pending <= 1'b1;
            phase_stamp   <= short_stamp;
        end
        if (tdma_take)
            tdma_pending <= 1'b0;
        if (tdma_i) begin
            tdma_pending <= 1'b1;
            tdma_level   <= tdma_sync_i;
            tdma_second  <= tdma_second_i;
            tdma_stamp   <= short_stamp;
        end
        if (beat_take)
            beat_pending <= 1'b0;
        if (stamp_o[23:0] == 24'd0)
            beat_pending <= 1'b1;
        if (`PB_SIM_ACTIVE(underrun_take || underrun_i != 0))
            underrun_pending <= (underrun_pending & ~({{(LANES-1){1'b0}}, underrun_take} << underrun_lane)) | underrun_i;
        if (underrun_pending == 0 `PB_AND_TIME)
            underrun_stamp <= short_stamp;

        if (rst_i) begin
            stamp_o          <= 54'd0;
            carry_q          <= 1'b0;
            line_q           <= {LINKS{1'b1}};
            edge_q           <= {LINKS{1'b0}};
            half_q           <= 2'd3;
            reported_q           <= {LINKS{1'b0}};
            console_q        <= 1'b1;
            running_q        <= 1'b0;
            lost_pending     <= 28'd0;
            lost_any         <= 1'b0;
            lost_q           <= 0;
            lost_new         <= 1'b0;
            others_q         <= 0;
            singles_q        <= 3'd0;
            choose_q         <= 1'b0;
            grant            <= 10'd0;
            event_made       <= 1'b0;
            event_wait       <= 1'b0;
            told_lost        <= 1'b0;
            told_often       <= 1'b0;
            lost_o           <= 32'd0;
            clock_pending    <= 1'b0;
            phase_pending    <= 1'b0;
            beat_pending     <= 1'b0;
            tdma_pending     <= 1'b0;
            underrun_pending <= 0;
        end
    end

    wire unused = &{1'b0, vector_level, bytes_level};
endmodule

`default_nettype wire
