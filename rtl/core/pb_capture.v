// SPDX-FileCopyrightText: The phasebench authors
// SPDX-License-Identifier: Apache-2.0
//
// Capture: turns everything that happens into time-stamped events and keeps them until the host fetches them.
//
// One event of 64 bits is written per clock at most, in this order of precedence: overflow, clock, phase, TDMA_CLK
// edge, receipt, alarm, underrun, edge, byte or console, heartbeat. A source that has to wait keeps its own stamp, right for waits of up to 8,191 clocks,
// or 127 where it is the only event of its kind that can wait. Edges of several lines
// at once go through a short buffer of (stamp, levels) first; bytes, those of the console among them, go through another
// one in the order in which they ended, the lowest link first and the console last when they ended together. When the buffer is full,
// events are counted instead of stored, and the first event after room is there again is an overflow event with their
// number: events are lost, never silently. Layout of an event: rtl/proto/regs.def.
//
// Halves of a clock: the vector has one mark for all of its lines. It tells the half in which they changed, or that it is not known when
// some changed in the first and some in the second half.
//
// Time: stamps count clocks since reset. A line edge carries the clock at which the synchroniser's output changed, two clocks
// after the pin; tick_i must be delayed by as much as the pin of TDMA_CLK plus these two clocks, so that an edge at the
// very instant of the clock edge has its stamp. A phase event is made up within three clocks of tick_i while the buffer has room
// and no edge was dropped; phase_i and superframe_i must not change before: a phase has 64 clocks at least.
// Reset: empty, stamp 0. While enable_i is low nothing is recorded.
`default_nettype none
`include "pb_regs.vh"

module pb_capture #(
    parameter LINKS      = 12,  // 1..64
    parameter LANES      = 3,   // 1..32
    parameter RECEIVERS  = LINKS,   // bytes of so many links can be under way at a time; see pb_receivers
    parameter HALF_TICKS = 0,   // 1: EDGE events tell the half of the clock, from second_i; 0: they say that it is not known
    parameter DEPTH_LOG2 = 9    // log2 of events
) (
    input  wire                clk,
    input  wire                rst_i,
    input  wire                enable_i,

    output reg  [53:0]         stamp_o,

    input  wire                tick_i,
    input  wire [8:0]          phase_i,       // phase and superframe stay until their event is written, see above
    input  wire [12:0]         superframe_i,
    input  wire                running_i,

    input  wire                tdma_i,        // TDMA_CLK rose at its pin
    input  wire                tdma_sync_i,   // level of TDMA_SYNC then

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
    input  wire [27:0]         receipt_value_i,
    input  wire [7:0]          receipt_stamp_i,
    output wire                receipt_take_o,

    input  wire                alarm_valid_i,    // stays until taken; stamped when it is taken
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
    localparam AGE_BITS   = $clog2(LINKS + 2);  // a byte leaves its receiver within LINKS + 1 clocks
    localparam DROP_BITS  = $clog2(2 * LINKS + 4) > 3 ? $clog2(2 * LINKS + 4) : 4; // all edges of a clock and a byte that begins with each, a byte, an edge of TDMA_CLK and an event
    // Bits of the stamp of a source that waits: what it misses is the present stamp's, or one less. BRIEF_BITS where one event waits alone.
    localparam STAMP_BITS = 14, BRIEF_BITS = 8;

    function [INDEX_BITS-1:0] index_of;         // of the only bit that is set
        input [LINKS-1:0] bits;
        integer n;
        begin
            index_of = 0;
            for (n = 0; n < LINKS; n = n + 1)
                index_of = index_of | ({INDEX_BITS{bits[n]}} & n[INDEX_BITS-1:0]);
        end
    endfunction

    wire [STAMP_BITS-1:0] now   = stamp_o[STAMP_BITS-1:0];
    wire [BRIEF_BITS-1:0] brief = stamp_o[BRIEF_BITS-1:0];

    // ---- edges: a buffer of (half, stamp, levels, changed lines), then one event per changed line
    reg  [LINKS-1:0]      line_q;
    wire [LINKS-1:0]      edge_now = (line_i ^ line_q) & edge_mask_i & {LINKS{enable_i}};
    // No edge in the first half, none in the second one: with edges in both the half is 0, not known, and without any 3.
    wire [1:0]            edge_half = {(edge_now & ~second_i) == 0, (edge_now & second_i) == 0} & {2{HALF_TICKS != 0}};
    wire                  edge_any = HALF_TICKS != 0 ? edge_half != 2'd3 : edge_now != 0;
    wire                  vector_full, vector_valid, vector_pop;
    wire [8:0]            vector_level;
    wire [1:0]            vector_half;
    wire [LINKS-1:0]      vector_levels, vector_changed;
    wire [STAMP_BITS-1:0] vector_stamp;
    reg  [LINKS-1:0]      told_q;           // changed lines of the vector at the output that are events already
    wire [LINKS-1:0]      changed = vector_changed & ~told_q;

    pb_fifo #(.WIDTH(2 + STAMP_BITS + 2 * LINKS), .DEPTH_LOG2(8)) vectors (
        .clk(clk), .rst_i(rst_i), .clear_i(1'b0),
        .wr_i(edge_any), .wr_data_i({edge_half, now, line_i, edge_now}), .full_o(vector_full),
        .rd_valid_o(vector_valid), .rd_data_o({vector_half, vector_stamp, vector_levels, vector_changed}), .rd_ready_i(vector_pop),
        .level_o(vector_level)
    );

    wire [LINKS-1:0] edge_pick = changed & (~changed + 1'b1);   // the lowest
    wire             edge_last = (changed & ~edge_pick) == 0;
    wire             edge_take;
    assign vector_pop = edge_take && edge_last;

    // Edges whose vector found the short buffer full: each changed line counts.
    wire [DROP_BITS-1:0] edges_dropped;
    pb_ones #(.WIDTH(LINKS), .COUNT_BITS(DROP_BITS)) dropped (.bits_i(edge_now & {LINKS{vector_full}}), .count_o(edges_dropped));

    // ---- bytes: from the receivers into a buffer, one a clock, so that none has to wait for events of other kinds
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
    // Either the short buffer was full, or very many lines ended a byte together and the next one came over it.
    wire byte_dropped = report_any && (byte_over || bytes_full);

    // ---- short-lived sources wait here
    reg                   clock_pending, phase_pending, beat_pending, running_q, clock_level;
    reg                   tdma_pending, tdma_level;
    reg  [BRIEF_BITS-1:0] clock_stamp, phase_stamp, tdma_stamp;
    reg  [LANES-1:0]      underrun_pending;
    reg  [BRIEF_BITS-1:0] underrun_stamp;
    reg  [LANE_BITS-1:0]  underrun_lane;
    reg  [21:0]           underrun_value;
    integer               u;
    always @* begin
        underrun_lane  = 0;
        underrun_value = 22'd0;
        for (u = LANES - 1; u >= 0; u = u - 1)
            if (underrun_pending[u]) begin
                underrun_lane  = u[LANE_BITS-1:0];
                underrun_value = {underrun_superframe_i[13*u +: 13], underrun_phase_i[9*u +: 9]};
            end
    end

    // ---- one event per clock
    // What was lost is counted a clock later. An overflow event waits for that, and everything else for the overflow event, but for what
    // is lost itself. After an overflow event somebody else has a turn: while edges are lost in every clock the others would starve.
    reg  [27:0] lost_pending;
    reg         lost_any;       // lost_pending is not 0
    reg  [DROP_BITS-1:0] lost_q;
    reg         lost_new;       // lost_q is not 0
    wire        full, room;
    reg         told_lost;      // the last clock's event is an overflow event
    wire        pause   = room && (lost_any || lost_new) && !told_lost;
    wire [9:0]  request = {room && lost_any && !told_lost, {9{!pause}} & {clock_pending, phase_pending, tdma_pending, receipt_valid_i, alarm_valid_i,
                           underrun_pending != 0, vector_valid, byte_valid, beat_pending}};
    wire [9:0]  grant   = {request[9], request[8] && !request[9], request[7] && request[9:8] == 0,
                           request[6] && request[9:7] == 0, request[5] && request[9:6] == 0, request[4] && request[9:5] == 0,
                           request[3] && request[9:4] == 0, request[2] && request[9:3] == 0, request[1] && request[9:2] == 0,
                           request[0] && request[9:1] == 0};
    wire        overflow = grant[9], clock_take = grant[8], phase_take = grant[7], tdma_take = grant[6],
                underrun_take = grant[3], beat_take = grant[0];
    assign receipt_take_o = grant[5];
    assign alarm_take_o   = grant[4];
    assign edge_take      = grant[2];
    assign byte_take      = grant[1];

    // Fields of the event as AND-OR multiplexers. The stamp's lower part is that of the source; its upper part is the
    // present one, or one less when the bits that both have differ: the source is from before the carry.
    wire [3:0]  kind  = ({4{overflow}} & `PB_EVENT_OVERFLOW) | ({4{clock_take}} & `PB_EVENT_CLOCK) | ({4{phase_take}} & `PB_EVENT_PHASE) |
                        ({4{tdma_take}} & `PB_EVENT_TDMA) | ({4{receipt_take_o}} & `PB_EVENT_FAULT) |
                        ({4{alarm_take_o}} & `PB_EVENT_ALARM) |
                        ({4{underrun_take}} & `PB_EVENT_UNDERRUN) | ({4{edge_take}} & `PB_EVENT_EDGE) |
                        ({4{byte_take}} & (byte_console ? `PB_EVENT_CONSOLE : `PB_EVENT_BYTE)) | ({4{beat_take}} & `PB_EVENT_HEARTBEAT);
    wire [27:0] value = ({28{overflow}} & lost_pending) | ({28{clock_take}} & {27'd0, clock_level}) |
                        ({28{phase_take}} & {6'd0, superframe_i, phase_i}) | ({28{tdma_take}} & {27'd0, tdma_level}) |
                        ({28{receipt_take_o}} & receipt_value_i) | ({28{alarm_take_o}} & alarm_value_i) |
                        ({28{underrun_take}} & {{(6-LANE_BITS){1'b0}}, underrun_lane, underrun_value}) |
                        ({28{edge_take}} & {{(6-INDEX_BITS){1'b0}}, index_of(edge_pick), 19'd0, vector_half & {2{HALF_TICKS != 0}},
                                             (vector_levels & edge_pick) != 0}) |
                        ({28{byte_take}} & {{(6-INDEX_BITS){1'b0}}, byte_link, byte_value}) |
                        ({28{beat_take}} & {6'd0, stamp_o[53:32]});
    wire        is_brief = clock_take || phase_take || tdma_take || receipt_take_o || underrun_take;
    wire [BRIEF_BITS-1:0] since_brief = ({BRIEF_BITS{clock_take}} & clock_stamp) | ({BRIEF_BITS{phase_take}} & phase_stamp) |
                                        ({BRIEF_BITS{tdma_take}} & tdma_stamp) | ({BRIEF_BITS{receipt_take_o}} & receipt_stamp_i) |
                                        ({BRIEF_BITS{underrun_take}} & underrun_stamp);
    reg  [STAMP_BITS-BRIEF_BITS:0] lately_q;    // now without the lowest BRIEF_BITS - 1 bits, before their last carry
    wire [STAMP_BITS-BRIEF_BITS:0] lately = since_brief[BRIEF_BITS-1] != now[BRIEF_BITS-1] ? lately_q : now[STAMP_BITS-1:BRIEF_BITS-1];
    wire [STAMP_BITS-1:0] since = ({STAMP_BITS{overflow || alarm_take_o}} & now) |
                                  ({STAMP_BITS{is_brief}} & {lately, since_brief[BRIEF_BITS-2:0]}) |
                                  ({STAMP_BITS{edge_take}} & vector_stamp) | ({STAMP_BITS{byte_take}} & byte_stamp);
    reg  [18:0] before_q;       // the upper part before the last carry
    wire        borrow = since[13] != now[13];
    wire [18:0] upper  = borrow && !beat_take ? before_q : stamp_o[31:13];
    wire [63:0] next_event = {kind, value, upper & {8'hff, {11{!beat_take}}}, since[12:0]};

    // What is in the short buffers, and the number of lost events, is delivered even when the capture was switched off meanwhile.
    wire store = overflow || edge_take || byte_take || (grant != 10'd0 && enable_i);
    reg        event_wait;      // event_q is on its way to the buffer
    reg [63:0] event_q;
    assign room = !event_wait || !full;
    pb_fifo #(.WIDTH(64), .DEPTH_LOG2(DEPTH_LOG2)) events (
        .clk(clk), .rst_i(rst_i), .clear_i(1'b0),
        .wr_i(event_wait), .wr_data_i(event_q), .full_o(full),
        .rd_valid_o(event_valid_o), .rd_data_o(event_o), .rd_ready_i(event_ready_i),
        .level_o(event_level_o)
    );

    // An outside clock that rises again before its last edge is told.
    wire tdma_dropped = tdma_i && tdma_pending && !tdma_take && enable_i;
    wire [DROP_BITS-1:0] singles;
    pb_ones #(.WIDTH(3), .COUNT_BITS(DROP_BITS)) dropped_alone (.bits_i({tdma_dropped, byte_dropped, store && !room}), .count_o(singles));
    wire [DROP_BITS-1:0] lost_now = edges_dropped + (bytes_missed & {DROP_BITS{enable_i}}) + singles;
    // In the clock of an overflow event the upper operand is anything: so the count takes one logic cell per bit.
    wire [28:0]          lost_sum = {1'b0, lost_pending} + {1'b0, {(28-DROP_BITS){overflow}}, lost_q};

    always @(posedge clk) begin
        stamp_o      <= stamp_o + 54'd1;
        if (&stamp_o[12:0])
            before_q <= stamp_o[31:13];
        if (&stamp_o[BRIEF_BITS-2:0])
            lately_q <= now[STAMP_BITS-1:BRIEF_BITS-1];
        line_q       <= line_i;
        console_q    <= console_i;
        running_q    <= running_i;
        lost_q       <= lost_now;
        lost_new     <= lost_now != 0;
        lost_o       <= lost_o + {{(32-DROP_BITS){1'b0}}, lost_q};
        lost_pending <= overflow ? {{(28-DROP_BITS){1'b0}}, lost_q} : lost_sum[27:0] | {28{lost_sum[28]}};
        lost_any     <= lost_new || (lost_any && !overflow);

        told_lost  <= overflow;
        event_wait <= store || !room;
        if (room)
            event_q <= next_event;

        if (clock_take)
            clock_pending <= 1'b0;
        if (running_i != running_q) begin
            clock_pending <= 1'b1;
            clock_level   <= running_i;
            clock_stamp   <= brief;
        end
        if (phase_take)
            phase_pending <= 1'b0;
        if (tick_i) begin
            phase_pending <= 1'b1;
            phase_stamp   <= brief;
        end
        if (tdma_take)
            tdma_pending <= 1'b0;
        if (tdma_i) begin
            tdma_pending <= 1'b1;
            tdma_level   <= tdma_sync_i;
            tdma_stamp   <= brief;
        end
        if (beat_take)
            beat_pending <= 1'b0;
        if (stamp_o[23:0] == 24'd0)
            beat_pending <= 1'b1;
        underrun_pending <= (underrun_pending & ~({{(LANES-1){1'b0}}, underrun_take} << underrun_lane)) | underrun_i;
        if (underrun_pending == 0)
            underrun_stamp <= brief;

        if (edge_take)
            told_q <= edge_last ? {LINKS{1'b0}} : told_q | edge_pick;

        if (rst_i) begin
            stamp_o          <= 54'd0;
            before_q         <= 19'h7ffff;
            lately_q         <= {(STAMP_BITS-BRIEF_BITS+1){1'b1}};
            line_q           <= {LINKS{1'b1}};
            told_q           <= {LINKS{1'b0}};
            console_q        <= 1'b1;
            running_q        <= 1'b0;
            lost_pending     <= 28'd0;
            lost_any         <= 1'b0;
            lost_q           <= 0;
            lost_new         <= 1'b0;
            event_wait       <= 1'b0;
            told_lost        <= 1'b0;
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
