// SPDX-FileCopyrightText: The phasebench authors
// SPDX-License-Identifier: Apache-2.0
//
// pb_sync_age: two clocks after an edge, and until two clocks after the next one, the age is the number of
// clocks from the last change of TDMA_SYNC to that edge, and the half that of this change. From 2^BITS - 1
// clocks on, and before any change, the age is all ones.
//
// sources: core/pb_sync_age.v
// probe: count_q dut.count_q
// probe: full_q dut.full_q
// probe: last_q dut.last_q
// probe: sync_q dut.sync_q
// probe: edge_q dut.edge_q
`default_nettype none

module proof_sync_age (
    input wire clk,
    input wire rst_i,
    input wire sync_i,
    input wire second_i,
    input wire edge_i
);
    localparam BITS = 3;
    localparam [BITS-1:0] MOST = {BITS{1'b1}};
    reg started = 1'b0;
    always @(posedge clk) started <= 1'b1;
    always @* assume (rst_i == !started);

    wire [BITS-1:0] age, count_q;
    wire [1:0]      half, last_q;
    wire            full_q, sync_q, edge_q;
    pb_sync_age #(.HALF_TICKS(1), .BITS(BITS)) dut (
        .clk(clk), .rst_i(rst_i), .sync_i(sync_i), .second_i(second_i), .edge_i(edge_i), .age_o(age), .half_o(half)
    );

    // Clocks are counted up to 15; a change is known by the clocks since then.
    reg            before;              // sync_i a clock ago
    reg [3:0]      since;               // clocks from the last change to the clock before this one; 15: more, or no change
    reg [1:0]      when;                // the half of that change
    wire [3:0]     now  = sync_i != before ? 4'd0 : since + {3'd0, since != 4'd15};
    wire [1:0]     then = sync_i != before ? (second_i ? 2'd2 : 2'd1) : when;
    reg            seen, seen_before;   // an edge one clock ago, and two or more
    reg [3:0]      due, wanted;
    reg [1:0]      due_half, wanted_half;
    always @(posedge clk) begin
        before <= sync_i;
        since  <= now;
        when   <= then;
        seen   <= edge_i;
        if (edge_i)
            {due, due_half} <= {now, then};
        if (seen)
            {seen_before, wanted, wanted_half} <= {1'b1, due, due_half};
        if (rst_i) begin
            before <= 1'b0;
            since  <= 4'd15;
            when   <= 2'd0;
            {seen, seen_before} <= 2'd0;
        end
    end
    always @* if (started) begin
        if (seen_before)
            assert (age == (wanted >= {1'b0, MOST} ? MOST : wanted[BITS-1:0]) && half == wanted_half);
        // For the induction.
        assert (sync_q == before && last_q == when && full_q == (count_q == MOST) && (edge_q == seen || (edge_q && !seen_before)));
        assert (count_q == (since >= {1'b0, MOST} ? MOST : since[BITS-1:0]));
        if (seen)
            assert (due == since && due_half == when);
    end
    always @* if (started) begin
        cover (seen_before && age == MOST && wanted_half == 2'd2);
        cover (seen_before && age == 0 && half == 2'd1);
    end
endmodule
