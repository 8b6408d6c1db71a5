// SPDX-FileCopyrightText: The phasebench authors
// SPDX-License-Identifier: Apache-2.0
//
// node_phase, for cubes of 1 to 12 dimensions, arbitrary pins, and SYNC as sampled one clock after TDMA_CLK.
// Each rising edge of TDMA_CLK gives one tick, four clocks later. A high SYNC begins phase 0; otherwise the
// phase is the next one. The phase of an aligned node exists. align_error_o is high exactly when an aligned
// node finds SYNC early or misses it.
//
// sources: node/node_phase.v node/node_sync.v
// probe: clock_level dut.clock_level
// probe: sync_level dut.sync_level
// probe: clock_meta dut.clock_sync.meta_q
// probe: sync_meta dut.sync_sync.meta_q
// probe: clock_q dut.clock_q
// probe: edge_q dut.edge_q
`default_nettype none

module proof_node_phase (
    input wire clk,
    input wire rst_i,
    input wire clock_i,
    input wire sync_i
);
    (* anyconst *) reg [3:0] dims;
    always @* assume (dims >= 4'd1 && dims <= 4'd12);
    reg started = 1'b0;
    always @(posedge clk) started <= 1'b1;
    always @* if (!started) assume (rst_i);

    wire       tick, aligned, direction, error;
    wire [3:0] dim;
    node_phase dut (
        .clk(clk), .rst_i(rst_i), .tdma_clk_i(clock_i), .tdma_sync_i(sync_i), .dims_i(dims),
        .tick_o(tick), .aligned_o(aligned), .dim_o(dim), .direction_o(direction), .align_error_o(error)
    );

    // The pins 1, 2, ... clocks ago, and the clocks without a reset.
    reg [5:1] clocks, syncs;
    reg [2:0] calm;
    reg [2:0] known = 3'd0;     // clocks since the begin, with or without reset
    reg [4:0] was_phase;
    reg       was_aligned, was_rst;
    wire [4:0] phase = {dim, direction};
    always @(posedge clk) begin
        clocks      <= {clocks[4:1], clock_i};
        syncs       <= {syncs[4:1], sync_i};
        calm        <= rst_i ? 3'd0 : calm + {2'd0, calm != 3'd7};
        known       <= known + {2'd0, known != 3'd7};
        was_phase   <= phase;
        was_aligned <= aligned;
        was_rst     <= rst_i;
    end
    wire due = was_phase == {dims, 1'b0} - 5'd1;    // phase 0 comes next
    wire now = syncs[3];
    always @* if (started) begin
        // An edge that the synchroniser shows in the clock after reset, or before, gives no tick.
        if (calm < 3'd3)
            assert (!tick);
        else if (known == 3'd7)
            assert (tick == (clocks[4] && !clocks[5]));
        if (aligned)
            assert (phase < {dims, 1'b0});
        if (was_rst)
            assert (!tick && !aligned && !error);
        else if (tick && calm >= 3'd3) begin
            assert (phase == (now ? 5'd0 : was_phase + 5'd1));
            assert (aligned == (now || (was_aligned && !due)));
            assert (error == (was_aligned && now != due));
        end else if (!tick)
            assert (phase == was_phase && aligned == was_aligned && !error);
    end

    // ---- the registers inside, for the induction
    wire clock_level, sync_level, clock_meta, sync_meta, clock_q, edge_q;
    always @* assert (started == (known != 3'd0) && (!started || known > calm || known == 3'd7));
    always @* if (started) begin
        assert (clock_meta == clocks[1] && sync_meta == syncs[1]);
        if (calm == 3'd0)
            assert (clock_q);
        if (calm <= 3'd1)
            assert (!edge_q);
        if (known >= 3'd2)
            assert (clock_level == clocks[2] && sync_level == syncs[2]);
        if (calm >= 3'd1 && known >= 3'd3)
            assert (clock_q == clocks[3]);
        if (calm >= 3'd2 && known >= 3'd4)
            assert (edge_q == (clocks[3] && !clocks[4]));
    end
    always @* if (started) begin
        cover (aligned && !error && tick && phase == 5'd0 && was_phase == 5'd3 && dims == 4'd2);
        cover (error && tick && !aligned);
        cover (error && tick && aligned && was_phase == 5'd1 && dims == 4'd12);
    end
endmodule
