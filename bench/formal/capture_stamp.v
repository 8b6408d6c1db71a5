// SPDX-FileCopyrightText: The phasebench authors
// SPDX-License-Identifier: Apache-2.0
//
// pb_capture: content of events. The harness records what happened, with the clock in which it happened:
// edges and bytes in queues parallel to those of pb_capture, of each other source its last one. Proven: each
// event that leaves has the kind, the link, the value and all 32 bits of the stamp of what happened, also
// when things happen in successive clocks, and while the lower bits of the stamp turn over. That each leaves
// once, or is counted, is proven by capture.v. The queues have three words (short_fifo.v), and any byte may
// come at any time (any_receivers.v).
//
// Assumed: an edge or a byte waits for at most 8190 clocks and another source for 63, so that the stamp is
// unique (docs/design/rtl.md, Waiting); a heartbeat waits for at most 2^24 - 16 clocks; phase and superframe
// hold.
//
// sources: core/pb_capture.v core/pb_popcount.v ./short_fifo.v ./any_receivers.v
// probe: stamp_low dut.now
// probe: carry_q dut.carry_q
// probe: line_q dut.line_q
// probe: edge_q dut.edge_q
// probe: half_q dut.half_q
// probe: stamp_q dut.stamp_q
// probe: running_q dut.running_q
// probe: byte_any dut.byte_any
// probe: byte_over dut.byte_over
// probe: byte_console dut.byte_from_console
// probe: byte_link dut.byte_from
// probe: byte_value dut.byte_report
// probe: byte_age dut.byte_age
// probe: clock_pending dut.clock_pending
// probe: clock_level dut.clock_level
// probe: clock_stamp dut.clock_stamp
// probe: phase_pending dut.phase_pending
// probe: phase_stamp dut.phase_stamp
// probe: tdma_pending dut.tdma_pending
// probe: tdma_level dut.tdma_level
// probe: tdma_second_q dut.tdma_second
// probe: tdma_stamp dut.tdma_stamp
// probe: beat_pending dut.beat_pending
// probe: underrun_pending dut.underrun_pending
// probe: underrun_stamp dut.underrun_stamp
// probe: lost_pending dut.lost_pending
// probe: grant dut.grant
// probe: choose_q dut.choose_q
// probe: room_q dut.room_q
// probe: event_made dut.event_made
// probe: event_wait dut.event_wait
// probe: event_q dut.event_q
// probe: edge_pick dut.edge_pick
// probe: edge_last dut.edge_last
// probe: reported_q dut.reported_q
// probe: vectors dut.vectors.words
// probe: vectors_used dut.vectors.used
// probe: bytes dut.bytes.words
// probe: bytes_used dut.bytes.used
// probe: events dut.events.words
// probe: events_used dut.events.used
// probe: edges_kept edge_list.words
// probe: edges_used edge_list.used
// probe: bytes_kept byte_list.words
// probe: bytes_kept_used byte_list.used
// probe: events_kept event_list.words
// probe: events_kept_used event_list.used
`default_nettype none
`include "pb_regs.vh"

module proof_capture_stamp #(
    parameter LINKS = 2,
    parameter LANES = 2
) (
    input wire             clk,
    input wire             rst_i,
    input wire             enable_i,
    input wire             tick_i,
    input wire             running_i,
    input wire             tdma_i,
    input wire             tdma_sync_i,
    input wire             tdma_second_i,
    input wire [1:0]       tdma_age_half_i,
    input wire [`PB_EVENT_TDMA_AGE_WIDTH-1:0] tdma_age_i,
    input wire             receipt_i,
    input wire             receipt_tdc_i,
    input wire [27:0]      receipt_value_i,
    input wire [5:0]       receipt_age_i,   // clocks since the receipt's instant
    input wire             alarm_i,
    input wire [27:0]      alarm_value_i,
    input wire [LINKS-1:0] line_i,
    input wire [LINKS-1:0] second_i,
    input wire [LINKS-1:0] edge_mask_i,
    input wire [LANES-1:0] underrun_i,
    input wire             ready_i
);
    localparam STAMP = 14, BRIEF = 8;
    localparam VECTOR = 2 + STAMP + 2 * LINKS;  // bits of a word of pb_capture: half, stamp, levels, changed lines
    localparam EDGES  = 2 + 32 + 2 * LINKS;     // and of the harness
    localparam REPORT = STAMP + 2 + 22;         // stamp, console, link, value
    localparam BYTES  = 32 + 2 + 22;
    reg started = 1'b0;
    always @(posedge clk) started <= 1'b1;
    always @* assume (rst_i == !started);

    (* anyconst *) reg [21:0]         slot;             // superframe, phase
    (* anyconst *) reg [22*LANES-1:0] underrun_slot;
    wire        valid;
    wire [63:0] word;
    wire [1:0]  level;
    wire [31:0] lost;
    wire [53:0] stamp;
    wire        receipt_take, alarm_take;
    reg  [53:0] clock;
    wire [31:0] at = clock[31:0];
    wire [31:0] receipt_at = at - {26'd0, receipt_age_i};
    pb_capture #(.LINKS(LINKS), .LANES(LANES), .HALF_TICKS(1), .DEPTH_LOG2(1), .BRIEF_BITS(BRIEF)) dut (
        .clk(clk), .rst_i(rst_i), .enable_i(enable_i), .stamp_o(stamp),
        .tick_i(tick_i), .phase_i(slot[8:0]), .superframe_i(slot[21:9]), .running_i(running_i),
        .tdma_i(tdma_i), .tdma_sync_i(tdma_sync_i), .tdma_second_i(tdma_second_i), .tdma_age_i(tdma_age_i), .tdma_age_half_i(tdma_age_half_i),
        .line_i(line_i), .second_i(second_i), .edge_mask_i(edge_mask_i), .byte_mask_i({LINKS{1'b1}}), .bit_period_i(20'd128),
        .console_i(1'b1), .console_period_i(20'd128),
        .underrun_i(underrun_i), .underrun_phase_i({underrun_slot[30:22], underrun_slot[8:0]}),
        .underrun_superframe_i({underrun_slot[43:31], underrun_slot[21:9]}),
        .receipt_valid_i(receipt_i), .receipt_tdc_i(receipt_tdc_i), .receipt_value_i(receipt_value_i),
        .receipt_stamp_i(receipt_at[BRIEF-1:0]), .receipt_take_o(receipt_take),
        .alarm_valid_i(alarm_i), .alarm_value_i(alarm_value_i), .alarm_take_o(alarm_take),
        .event_valid_o(valid), .event_o(word), .event_ready_i(ready_i), .event_level_o(level), .lost_o(lost)
    );

    // ---- what happened, and when
    wire [9:0]       grant;     // overflow, clock, phase, edge of TDMA_CLK, receipt, underrun, alarm, edge, byte, heartbeat
    wire             choose_q, room_q;
    wire [LANES-1:0] underrun_pending;
    reg  [LINKS-1:0] before, told;          // lines of one clock ago; lines of the first word in edge_list that have their event
    reg  [1:0]       half;
    reg  [LINKS-1:0] changed;
    reg  [31:0]      edge_at, running_at, tick_at, tdma_at, underrun_at;
    reg              running, tdma_sync, tdma_second;
    wire [LINKS-1:0] edges = (line_i ^ before) & edge_mask_i & {LINKS{enable_i}};

    wire [EDGES-1:0] kept;
    wire [LINKS-1:0] kept_changed = kept[LINKS-1:0], kept_levels = kept[2*LINKS-1:LINKS];
    wire [31:0]      kept_at   = kept[2*LINKS +: 32];
    wire [1:0]       kept_half = kept[2*LINKS+32 +: 2];
    wire             second_line = !kept_changed[0] || told[0];     // the lower line has none or has its event
    wire             last_line   = second_line || !kept_changed[1];
    wire             edge_pop    = grant[2] && last_line;
    wire             edge_full, edge_valid;
    wire [1:0]       edge_level;
    pb_fifo #(.WIDTH(EDGES), .DEPTH_LOG2(1)) edge_list (
        .clk(clk), .rst_i(rst_i), .clear_i(1'b0), .wr_i(changed != 0), .wr_data_i({half, edge_at, before, changed}), .full_o(edge_full),
        .rd_valid_o(edge_valid), .rd_data_o(kept), .rd_ready_i(edge_pop), .level_o(edge_level)
    );

    wire             byte_any, byte_over, byte_console;
    wire [0:0]       byte_link;
    wire [21:0]      byte_value;
    wire [2:0]       byte_age;
    wire [BYTES-1:0] kept_byte;
    wire             byte_full, byte_valid;
    wire [1:0]       byte_level;
    pb_fifo #(.WIDTH(BYTES), .DEPTH_LOG2(1)) byte_list (
        .clk(clk), .rst_i(rst_i), .clear_i(1'b0), .wr_i(byte_any && enable_i && !byte_over),
        .wr_data_i({at - {29'd0, byte_age}, byte_console, byte_link, byte_value}), .full_o(byte_full),
        .rd_valid_o(byte_valid), .rd_data_o(kept_byte), .rd_ready_i(grant[1]), .level_o(byte_level)
    );

    always @(posedge clk) begin
        clock   <= clock + 54'd1;
        before  <= line_i;
        changed <= edges;
        half    <= {(edges & ~second_i) == 0, (edges & second_i) == 0};
        edge_at <= at;
        if (running_i != running)
            running_at <= at;
        running <= running_i;
        if (tick_i)
            tick_at <= at;
        if (tdma_i)
            {tdma_at, tdma_sync, tdma_second} <= {at, tdma_sync_i, tdma_second_i};
        if (underrun_pending == 0)
            underrun_at <= at;
        if (grant[2])
            told <= last_line ? 2'd0 : 2'd1;
        if (rst_i) begin
            clock   <= 54'd0;
            before  <= {LINKS{1'b1}};
            changed <= 0;
            half    <= 2'd3;
            running <= 1'b0;
            told    <= 0;
        end
    end

    // ---- the event that is due for a grant
    wire [27:0] lost_pending;
    wire        lane = !underrun_pending[0];
    reg  [63:0] due;
    always @* begin
        due = {`PB_EVENT_OVERFLOW, lost_pending, at};
        if (grant[8])
            due = {`PB_EVENT_CLOCK, `PB_EVENT_TOLD_PACK(6'd0, `PB_EVENT_CLOCK_PACK(running)), running_at};
        if (grant[7])
            due = {`PB_EVENT_PHASE, `PB_EVENT_TOLD_PACK(6'd0, slot), tick_at};
        if (grant[6])
            due = {`PB_EVENT_TDMA,
                   `PB_EVENT_TOLD_PACK(6'd0, `PB_EVENT_TDMA_PACK(tdma_age_half_i, tdma_age_i, {tdma_second, !tdma_second}, tdma_sync)), tdma_at};
        if (grant[5])
            due = {receipt_tdc_i ? `PB_EVENT_TDC : `PB_EVENT_FAULT, receipt_value_i, receipt_at};
        if (grant[4])
            due = {`PB_EVENT_UNDERRUN, `PB_EVENT_TOLD_PACK({5'd0, lane}, underrun_slot[22*lane +: 22]), underrun_at};
        if (grant[3])
            due = {`PB_EVENT_ALARM, alarm_value_i, at};
        if (grant[2])
            due = {`PB_EVENT_EDGE, `PB_EVENT_TOLD_PACK({5'd0, second_line}, `PB_EVENT_EDGE_PACK(kept_half, kept_levels[second_line])), kept_at};
        if (grant[1])
            due = {kept_byte[23] ? `PB_EVENT_CONSOLE : `PB_EVENT_BYTE, `PB_EVENT_TOLD_PACK({5'd0, kept_byte[22]}, kept_byte[21:0]),
                   kept_byte[55:24]};
        if (grant[0])
            due = {`PB_EVENT_HEARTBEAT, `PB_EVENT_TOLD_PACK(6'd0, clock[53:32]), clock[31:24], 24'd0};
    end
    // Edges, bytes and the number of lost events are also delivered while enable_i is low.
    reg         made;
    reg  [63:0] wanted;
    always @(posedge clk) begin
        made <= started && grant != 10'd0 && room_q && (enable_i || grant[9] || grant[2] || grant[1]);
        if (grant != 10'd0 && room_q)
            wanted <= due;
    end
    wire        event_made, event_wait;
    wire [63:0] kept_word;
    wire        kept_valid, kept_full;
    wire [1:0]  kept_level;
    pb_fifo #(.WIDTH(64), .DEPTH_LOG2(1)) event_list (
        .clk(clk), .rst_i(rst_i), .clear_i(1'b0), .wr_i(event_wait), .wr_data_i(wanted), .full_o(kept_full),
        .rd_valid_o(kept_valid), .rd_data_o(kept_word), .rd_ready_i(ready_i), .level_o(kept_level)
    );

    // ---- the stamp of what waits is unique
    wire clock_pending, phase_pending, tdma_pending, beat_pending;
    always @* begin
        assume (!grant[8] || at - running_at <= 32'd63);
        assume (!grant[7] || at - tick_at <= 32'd63);
        assume (!grant[6] || at - tdma_at <= 32'd63);
        assume (!grant[4] || at - underrun_at <= 32'd63);
        assume (!grant[2] || at - kept_at <= 32'd8190);
        assume (!grant[1] || at - kept_byte[55:24] <= 32'd8190);
        assume (!beat_pending || clock[23:0] < 24'hfffff0);
    end

    always @* if (started) begin
        assert (stamp == clock);
        if (valid)
            assert (word == kept_word);
    end

    // ---- the registers inside, for the induction
    wire [STAMP-1:0]    stamp_low, stamp_q;
    wire                carry_q, running_q, clock_level, tdma_level, edge_last;
    wire [LINKS-1:0]    line_q, edge_q, reported_q, edge_pick;
    wire [1:0]          half_q;
    wire [BRIEF-1:0]    clock_stamp, phase_stamp, tdma_stamp, underrun_stamp;
    wire [63:0]         event_q;
    wire [3*VECTOR-1:0] vectors;
    wire [3*REPORT-1:0] bytes;
    wire [191:0]        events, events_kept;
    wire [3*EDGES-1:0]  edges_kept;
    wire [3*BYTES-1:0]  bytes_kept;
    wire [2:0]          vectors_used, bytes_used, events_used, edges_used, bytes_kept_used, events_kept_used;
    wire                tdma_second_q;
    wire                made_brief = event_q[`PB_EVENT_KIND_RANGE] == `PB_EVENT_CLOCK || event_q[`PB_EVENT_KIND_RANGE] == `PB_EVENT_PHASE ||
                                     event_q[`PB_EVENT_KIND_RANGE] == `PB_EVENT_TDMA || event_q[`PB_EVENT_KIND_RANGE] == `PB_EVENT_FAULT ||
                                     event_q[`PB_EVENT_KIND_RANGE] == `PB_EVENT_TDC || event_q[`PB_EVENT_KIND_RANGE] == `PB_EVENT_UNDERRUN;
    wire [LINKS-1:0]    open = vectors[LINKS-1:0] & ~reported_q;
    integer n;
    always @* if (started) begin
        assert (carry_q == &clock[STAMP-1:0]);
        assert (line_q == before && running_q == running && edge_q == changed && reported_q == told);
        assert (half_q == half && (edge_q == 0) == (half == 2'd3));
        assert (stamp_q == edge_at[STAMP-1:0] || changed == 0);
        assert (!clock_pending || (clock_level == running && clock_stamp == running_at[BRIEF-1:0]));
        assert (!phase_pending || phase_stamp == tick_at[BRIEF-1:0]);
        assert (!tdma_pending || (tdma_level == tdma_sync && tdma_second_q == tdma_second && tdma_stamp == tdma_at[BRIEF-1:0]));
        assert (underrun_pending == 0 || underrun_stamp == underrun_at[BRIEF-1:0]);
        // The queues of the harness and those of the module.
        assert (edges_used == vectors_used && bytes_kept_used == bytes_used && events_kept_used == events_used);
        assert (vectors_used != 3'b010 && vectors_used[2:1] != 2'b10 && (vectors_used[0] || vectors_used == 0));
        assert (bytes_used != 3'b010 && bytes_used[2:1] != 2'b10 && (bytes_used[0] || bytes_used == 0));
        assert (events_used != 3'b010 && events_used[2:1] != 2'b10 && (events_used[0] || events_used == 0));
        for (n = 0; n < 3; n = n + 1) begin
            if (vectors_used[n])
                assert (vectors[VECTOR*n +: VECTOR] == {edges_kept[EDGES*n+2*LINKS+32 +: 2], edges_kept[EDGES*n+2*LINKS +: STAMP],
                                                        edges_kept[EDGES*n +: 2*LINKS]} && vectors[VECTOR*n +: LINKS] != 0);
            if (bytes_used[n])
                assert (bytes[REPORT*n +: REPORT] == bytes_kept[BYTES*n +: REPORT]);
            if (events_used[n])
                assert (events[64*n +: 64] == events_kept[64*n +: 64]);
        end
        assert (vectors_used[0] ? (told & ~vectors[LINKS-1:0]) == 0 && told != vectors[LINKS-1:0] && !told[1] : told == 0);
        // The event being built.
        assert ((grant & (grant - 10'd1)) == 10'd0 && (!choose_q || grant == 10'd0));
        assert ((grant[8:6] & ~{clock_pending, phase_pending, tdma_pending}) == 3'd0);
        assert ((!grant[4] || underrun_pending != 0) && (!grant[0] || beat_pending) && (!grant[1] || bytes_used[0]));
        if (grant[2])
            assert (vectors_used[0] && edge_pick == (open & (~open + 1'b1)) && edge_last == (open == edge_pick));
        assert (event_made == made && (!event_made || (choose_q && !event_wait)));
        if (!choose_q && room_q)
            assert (!event_wait || !events_used[2]);
        if (event_wait)
            assert (event_q == wanted);
        if (event_made) begin
            assert (event_q[63:32] == wanted[63:32] && event_q[BRIEF-1:0] == wanted[BRIEF-1:0]);
            assert (made_brief || event_q[STAMP-1:BRIEF] == wanted[STAMP-1:BRIEF]);
            if (event_q[`PB_EVENT_KIND_RANGE] == `PB_EVENT_HEARTBEAT)
                assert (wanted[31:24] == clock[31:24] && wanted[23:0] == 24'd0);
            else
                assert (at - wanted[31:0] <= (made_brief ? 32'd64 : 32'd8191));
        end
    end

    // Edges of the same line in successive clocks, and one whose stamp is older than a carry.
    reg [31:0] last_at;
    always @(posedge clk) if (valid && ready_i && word[`PB_EVENT_KIND_RANGE] == `PB_EVENT_EDGE) last_at <= word[31:0];
    always @* if (started) begin
        cover (valid && word[`PB_EVENT_KIND_RANGE] == `PB_EVENT_EDGE && word[31:0] == last_at + 32'd1 && last_at > 32'd4);
        cover (valid && word[`PB_EVENT_KIND_RANGE] == `PB_EVENT_TDC);
        cover (valid && word[`PB_EVENT_KIND_RANGE] == `PB_EVENT_CONSOLE && word[34:32] == 3'd5);
    end
endmodule
