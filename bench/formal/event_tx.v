// SPDX-FileCopyrightText: The phasebench authors
// SPDX-License-Identifier: Apache-2.0
//
// pb_event_tx. A packet is, byte for byte, opcode, packet number, length, number of the first event and the
// events in their order: those that waited when the module got the sender, at most 30. tx_last_o is high with
// the last byte only. Each event is fetched once, after its last byte. Each packet uses one credit and needs
// one. The module asks for the sender only when 30 events wait or the first one waited for FLUSH clocks, and
// holds it until the packet is sent. The number of an overflow event includes the losses it reports.
//
// sources: core/pb_event_tx.v
// probe: state_q dut.state_q
`default_nettype none
`include "pb_regs.vh"

module proof_event_tx #(
    parameter FLUSH = 4
) (
    input wire        clk,
    input wire        rst_i,
    input wire        write_i,      // an event arrives
    input wire [63:0] event_i,      // the first event that waits
    input wire        credit_i,
    input wire        grant_i,
    input wire        ready_i
);
    // Two clocks of reset: the first one does not change step_q.
    reg begun = 1'b0, started = 1'b0;
    always @(posedge clk) {started, begun} <= {begun, 1'b1};
    always @* assume (rst_i == !started);

    // ---- the queue of events: the first event is stable until it is fetched
    (* anyconst *) reg [5:0] before;    // events that wait at the start
    reg  [5:0]  level_q;
    wire [5:0]  level = rst_i ? 6'd0 : level_q;
    wire        fetch;
    reg  [63:0] shown;
    reg         holds;          // shown is still to be fetched
    wire        waits = level != 6'd0;
    always @* assume (!holds || event_i == shown);
    always @(posedge clk) begin
        level_q <= rst_i ? before : level + {5'd0, write_i && level < 6'd40} - {5'd0, fetch};
        holds <= !rst_i && waits && !fetch;
        shown <= event_i;
    end
    always @* assume (before <= 6'd40);

    wire        used, request, valid, last;
    wire [7:0]  data;
    wire [31:0] sequence_shown;
    pb_event_tx #(.DEPTH_LOG2(5), .FLUSH_TICKS(FLUSH)) dut (
        .clk(clk), .rst_i(rst_i), .event_valid_i(waits), .event_i(event_i), .event_ready_o(fetch), .event_level_i(level),
        .credit_i(credit_i), .credit_used_o(used), .request_o(request), .grant_i(grant_i),
        .tx_valid_o(valid), .tx_data_o(data), .sequence_o(sequence_shown), .tx_last_o(last), .tx_ready_i(ready_i)
    );
    wire [1:0] state_q;

    // ---- the packet
    wire        take = valid && ready_i;
    reg         was_take, was_fetch, was_start, was_request, had_credit;
    reg         sends;          // a packet is in progress
    reg  [8:0]  place;          // bytes of it that were sent
    reg  [4:0]  amount;         // its events
    reg  [7:0]  number;         // of the packet
    reg  [31:0] next;           // number of the next event, without the losses before it
    wire        lost   = event_i[`PB_EVENT_KIND_RANGE] == `PB_EVENT_OVERFLOW;
    wire [31:0] its    = next + (lost ? {4'd0, event_i[`PB_EVENT_OVERFLOW_COUNT_RANGE]} : 32'd0);
    wire [55:0] head   = {its, amount, 3'd4, number, `PB_OPCODE_EVENTS};
    wire [2:0]  step   = place[2:0] - 3'd7;     // byte of the event
    wire [63:0] source = place < 9'd7 ? {8'd0, head} >> {place[2:0], 3'd0} : event_i >> {step, 3'd0};
    wire [7:0]  wanted = source[7:0];
    wire        whole  = place >= 9'd7 && step == 3'd7;
    wire        end_of = place == {1'b0, amount, 3'd6};
    wire        start  = state_q == 2'd0 && request && grant_i;
    reg  [2:0]  idle;           // clocks for which an event waited
    always @* assume (!(was_take && ready_i) && (!grant_i || request) && (credit_i || !had_credit));   // a credit remains until it is used
    always @(posedge clk) begin
        was_take    <= take;
        was_start   <= start && !rst_i;
        was_fetch   <= take && whole && !rst_i;
        had_credit  <= credit_i && !rst_i && !used;
        was_request <= request && !rst_i;
        idle        <= rst_i || sends || !waits ? 3'd0 : idle + {2'd0, idle != 3'd7};
        if (start) begin
            sends  <= 1'b1;
            place  <= 9'd0;
            amount <= level > 6'd30 ? 5'd30 : level[4:0];
        end else if (take) begin
            place <= place + 9'd1;
            if (whole)
                next <= its + 32'd1;
            if (end_of) begin
                sends  <= 1'b0;
                number <= number + 8'd1;
            end
        end
        if (rst_i) begin
            sends  <= 1'b0;
            number <= 8'd0;
            next   <= 32'd0;
        end
    end
    always @* if (started) begin
        if (valid) begin
            assert (sends && request);
            assert (data == wanted || was_take);     // selected in the clock after a byte
            assert (last == end_of);
        end
        assert (fetch == was_fetch);
        assert (used == was_start);
        if (sends)
            assert (request);
        if (request && !was_request)
            assert (level >= 6'd30 || idle >= FLUSH - 1);
        if (state_q == 2'd0)
            assert (sequence_shown == next);
    end

    always @* if (started) begin
        cover (take && last && amount == 5'd1 && lost);
        cover (take && place == 9'd15 && amount == 5'd2);
    end
endmodule
