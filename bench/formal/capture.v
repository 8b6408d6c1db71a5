// SPDX-FileCopyrightText: The phasebench authors
// SPDX-License-Identifier: Apache-2.0
//
// pb_capture, in every clock: events raised = events delivered + events counted as lost + events still
// inside. Events lost = the counts in the overflow events sent + the count of the next one. So no event is
// missing once all are read. The first equation is proven for each path through the capture and holds as
// their sum. Receipts and alarms wait in other modules. Sums are modulo 16, as no sum changes by 16 in one
// clock.
//
// The buffers are queues of three words (short_fifo.v), so that all of them fill up; receivers report a byte
// at arbitrary times (free_receiver.v). Assumed: a source whose event waits does not raise another event.
// capture_wait.v bounds these waits.
//
// sources: core/pb_capture.v core/pb_receivers.v core/pb_popcount.v ./short_fifo.v ./free_receiver.v
// probe: byte_any dut.byte_any
// probe: clock_pending dut.clock_pending
// probe: phase_pending dut.phase_pending
// probe: tdma_pending dut.tdma_pending
// probe: beat_pending dut.beat_pending
// probe: underrun_pending dut.underrun_pending
// probe: reported_q dut.reported_q
// probe: lost_pending dut.lost_pending
// probe: lost_any dut.lost_any
// probe: lost_most dut.lost_most
// probe: grant dut.grant
// probe: choose_q dut.choose_q
// probe: room_q dut.room_q
// probe: event_made dut.event_made
// probe: edge_pick dut.edge_pick
// probe: edge_last dut.edge_last
// probe: event_wait dut.event_wait
// probe: event_q dut.event_q
// probe: lost_q dut.lost_q
// probe: lost_new dut.lost_new
// probe: others_q dut.others_q
// probe: singles_q dut.singles_q
// probe: edges_some dut.dropped.some_q
// probe: edges_dropped dut.edges_dropped
// probe: line_q dut.line_q
// probe: edge_q dut.edge_q
// probe: running_q dut.running_q
// probe: vectors dut.vectors.words
// probe: vectors_used dut.vectors.used
// probe: bytes_used dut.bytes.used
// probe: events dut.events.words
// probe: events_used dut.events.used
`default_nettype none
`include "pb_regs.vh"

module proof_capture #(
    parameter LINKS = 2,
    parameter LANES = 2
) (
    input wire             clk,
    input wire             rst_i,
    input wire             tick_i,
    input wire             running_i,
    input wire             tdma_i,
    input wire             receipt_i,
    input wire             alarm_i,
    input wire [LINKS-1:0] line_i,
    input wire [LANES-1:0] underrun_i,
    input wire             ready_i
);
    localparam VECTOR = 2 + 14 + 2 * LINKS;     // bits of a word: half, stamp, levels, changed lines
    reg started = 1'b0;
    always @(posedge clk) started <= 1'b1;
    always @* assume (rst_i == !started);

    (* anyconst *) reg [LINKS-1:0] edge_mask, byte_mask;
    wire        valid;
    wire [63:0] word;
    wire [1:0]  level;
    wire [31:0] lost;
    wire [53:0] stamp;
    wire        receipt_take, alarm_take;
    pb_capture #(.LINKS(LINKS), .LANES(LANES), .DEPTH_LOG2(1)) dut (
        .clk(clk), .rst_i(rst_i), .enable_i(1'b1), .stamp_o(stamp),
        .tick_i(tick_i), .phase_i(9'd0), .superframe_i(13'd0), .running_i(running_i), .tdma_i(tdma_i), .tdma_sync_i(1'b0), .tdma_second_i(1'b0), .tdma_age_i(17'd0), .tdma_age_half_i(2'd0),
        .line_i(line_i), .second_i({LINKS{1'b0}}), .edge_mask_i(edge_mask), .byte_mask_i(byte_mask), .bit_period_i(20'd128),
        .console_i(1'b1), .console_period_i(20'd128),
        .underrun_i(underrun_i), .underrun_phase_i({9*LANES{1'b0}}), .underrun_superframe_i({13*LANES{1'b0}}),
        .receipt_valid_i(receipt_i), .receipt_tdc_i(1'b0), .receipt_value_i(28'd0), .receipt_stamp_i(8'd0), .receipt_take_o(receipt_take),
        .alarm_valid_i(alarm_i), .alarm_value_i(28'd0), .alarm_take_o(alarm_take),
        .event_valid_o(valid), .event_o(word), .event_ready_i(ready_i), .event_level_o(level), .lost_o(lost)
    );
    wire                byte_any, clock_pending, phase_pending, tdma_pending, beat_pending, lost_any, lost_most, running_q;
    wire [LANES-1:0]    underrun_pending;
    wire [LINKS-1:0]    reported_q, line_q, edge_q;
    wire [27:0]         lost_pending;
    wire [3*VECTOR-1:0] vectors;
    wire [191:0]        events;
    wire [2:0]          vectors_used, bytes_used, events_used;

    // ---- guarantees of the rest of the core
    wire beat = stamp[23:0] == 24'd0;
    always @* begin
        assume (!tick_i || !phase_pending);
        assume (running_i == running_q || !clock_pending);
        assume ((underrun_i & underrun_pending) == 0);
        assume (!beat || !beat_pending);
        assume (lost_pending < 28'hfff0000);
    end

    // ---- events of this clock, events inside
    function [3:0] ones;
        input [7:0] bits;
        integer k;
        begin
            ones = 4'd0;
            for (k = 0; k < 8; k = k + 1)
                ones = ones + {3'd0, bits[k]};
        end
    endfunction
    // ---- the counts of each path through the capture: in, out, lost, still inside
    // The event being built: overflow, clock, phase, edge of TDMA_CLK, receipt, underrun, alarm, edge, byte, heartbeat.
    wire [9:0]       grant;
    wire             choose_q, room_q, event_made, event_wait, lost_new;
    wire [63:0]      event_q;
    wire [LINKS-1:0] edge_pick;
    wire             edge_last;
    // Pipeline of the losses: two steps for edges in parallel with two for the others, then lost_q.
    wire [3:0]       lost_q, edges_dropped, others_q;
    wire [2:0]       edges_some, singles_q;
    wire             overflow = word[`PB_EVENT_KIND_RANGE] == `PB_EVENT_OVERFLOW;
    wire             take     = valid && ready_i;
    wire [LINKS-1:0] edges    = (line_i ^ line_q) & edge_mask;
    reg [3:0] edge_in, edge_out, edge_lost, edge_inside;
    reg [3:0] byte_in, byte_out, byte_lost;
    reg [3:0] single_in, single_out, single_lost;
    reg [3:0] event_in, event_lost, event_inside, delivered;
    reg [3:0] dropped;              // all losses
    reg [3:0] told, will_tell;      // losses in the overflow events sent, in those still to be sent
    wire [3:0] byte_inside   = ones(bytes_used);
    wire [3:0] single_inside = ones({clock_pending, phase_pending, tdma_pending, beat_pending}) + ones(underrun_pending);
    integer n;
    always @* begin
        edge_inside  = ones(edge_q) - ones(reported_q);
        event_inside = 4'd0;
        will_tell    = lost_pending[3:0];
        if ((event_made || event_wait) && event_q[`PB_EVENT_KIND_RANGE] == `PB_EVENT_OVERFLOW)
            will_tell = will_tell + event_q[35:32];
        else if (event_made || event_wait)
            event_inside = 4'd1;
        for (n = 0; n < 3; n = n + 1) begin
            if (vectors_used[n])
                edge_inside = edge_inside + ones(vectors[VECTOR*n +: LINKS]);
            if (events_used[n] && events[64*n+60 +: 4] == `PB_EVENT_OVERFLOW)
                will_tell = will_tell + events[64*n+32 +: 4];
            else if (events_used[n])
                event_inside = event_inside + 4'd1;
        end
    end
    wire [LINKS-1:0] changed = vectors[LINKS-1:0] & ~reported_q;
    wire [3:0] edge_drop  = vectors_used[2] ? ones(edge_q) : 4'd0;
    wire       byte_drop  = bytes_used[2] && byte_any;
    wire       tdma_drop  = tdma_i && tdma_pending && !grant[6];     // a faulty external clock may rise again at once
    wire       event_drop = grant[8:0] != 9'd0 && !room_q;
    always @(posedge clk) begin
        edge_in    <= edge_in + ones(edges);
        edge_out   <= edge_out + ones(grant[2]);
        edge_lost  <= edge_lost + edge_drop;
        byte_in    <= byte_in + ones(byte_any);
        byte_out   <= byte_out + ones(grant[1]);
        byte_lost  <= byte_lost + ones(byte_drop);
        single_in  <= single_in + ones(underrun_i) + ones({tick_i, running_i != running_q, tdma_i, beat});
        single_out <= single_out + ones({grant[8:6], grant[4], grant[0]});
        single_lost <= single_lost + ones(tdma_drop);
        event_in   <= event_in + ones(grant[8:0] != 9'd0);
        event_lost <= event_lost + ones(event_drop);
        dropped    <= dropped + edge_drop + ones({byte_drop, tdma_drop, event_drop});
        delivered  <= delivered + ones(take && !overflow);
        told       <= told + (take && overflow ? word[35:32] : 4'd0);
        if (rst_i) begin
            {edge_in, edge_out, edge_lost} <= 12'd0;
            {byte_in, byte_out, byte_lost} <= 12'd0;
            {single_in, single_out, single_lost} <= 12'd0;
            {event_in, event_lost, delivered, told, dropped} <= 20'd0;
        end
    end
    wire [3:0] inside = edge_inside + byte_inside + single_inside + event_inside;

    always @* if (started) begin
        assert (lost[3:0] == told + will_tell);
        assert (edge_in == edge_out + edge_lost + edge_inside);
        assert (byte_in == byte_out + byte_lost + byte_inside);
        assert (single_in == single_out + single_lost + single_inside);
        assert (event_in == delivered + event_lost + event_inside);
        assert (lost[3:0] + lost_q + edges_dropped + others_q + edges_some + ones(singles_q) == dropped);
        if (valid && overflow)
            assert (word[`PB_EVENT_OVERFLOW_COUNT_RANGE] != 28'd0);
        // For the induction.
        assert ((grant & (grant - 10'd1)) == 10'd0);
        assert (!lost_most);
        assert (lost_any == (lost_pending != 28'd0));
        assert (lost_new == (lost_q != 4'd0));
        assert (edges_some <= LINKS && edges_dropped <= LINKS && others_q <= 4'd3 && lost_q <= LINKS + 4'd3);
        // In the clock of arbitration no source is acknowledged, and the event built then has a place.
        assert (!choose_q || grant == 10'd0);
        assert (!event_made || (choose_q && !event_wait));
        if (!choose_q && room_q)
            assert (!event_wait || !events_used[2]);
        assert (!grant[9] || (room_q && lost_any));
        if (grant[2])
            assert (vectors_used[0] && edge_pick == (changed & (~changed + 1'b1)) && edge_last == (changed == edge_pick));
        assert (!grant[1] || bytes_used[0]);
        assert ((grant[8:6] & ~{clock_pending, phase_pending, tdma_pending}) == 3'd0);
        assert ((!grant[4] || underrun_pending != 0) && (!grant[0] || beat_pending));
        if ((event_made || event_wait) && event_q[`PB_EVENT_KIND_RANGE] == `PB_EVENT_OVERFLOW)
            assert (event_q[`PB_EVENT_OVERFLOW_COUNT_RANGE] != 28'd0);
        assert (vectors_used[0] || reported_q == 0);
        for (n = 0; n < 3; n = n + 1) begin
            if (vectors_used[n])
                assert (vectors[VECTOR*n +: LINKS] != 0);
            if (events_used[n] && events[64*n+60 +: 4] == `PB_EVENT_OVERFLOW)
                assert (events[64*n+32 +: 28] != 28'd0);
        end
        if (vectors_used[0])
            assert ((reported_q & ~vectors[LINKS-1:0]) == 0 && reported_q != vectors[LINKS-1:0]);
        assert (vectors_used != 3'b010 && vectors_used[2:1] != 2'b10 && (vectors_used[0] || vectors_used == 0));
        assert (bytes_used != 3'b010 && bytes_used[2:1] != 2'b10 && (bytes_used[0] || bytes_used == 0));
        assert (events_used != 3'b010 && events_used[2:1] != 2'b10 && (events_used[0] || events_used == 0));
    end
    always @* if (started) begin
        cover (told >= 4'd3 && delivered >= 4'd6 && inside == 4'd0 && will_tell == 4'd0);
        cover (lost >= 32'd4 && byte_any && valid && overflow);
    end
endmodule
