// SPDX-FileCopyrightText: The phasebench authors
// SPDX-License-Identifier: Apache-2.0
//
// Pins of TDMA_CLK and TDMA_SYNC: the ideal signals of pb_phase_gen with forced levels and jitter.
//
// Interface: while a force input is high its pin has that level; low wins over high, both over all
//            else. An edge whose tick_i finds jitter_i high is delayed by a random 0..N ticks.
//            Outputs are registers.
// Timing:    3 clocks from tdma_clk_i, tdma_sync_i and tick_i to the pins, 1 from a force input.
//            For jitter_i a tick is one clock after tick_i.
// Reset:     reset and abort_i: both pins low; reset also stops driving them, follow_i one clock
//            later.
// Limits:    jitter_parameter_i must not change while jitter_i is high. An edge less than 16 clocks
//            after the rise of jitter_i is not moved. Distribution of delays: docs/design/rtl.md.
`default_nettype none
`include "pb_regs.vh"
`include "pb_sim_skip.vh"

module pb_clock_pins (
    input  wire        clk,
    input  wire        rst_i,
    input  wire        abort_i,
    input  wire        follow_i,            // an external device drives the pins

    input  wire        tdma_clk_i,
    input  wire        tdma_sync_i,
    input  wire        tick_i,              // first clock in which tdma_clk_i is high

    input  wire        force_clk_low_i,
    input  wire        force_clk_high_i,
    input  wire        force_sync_low_i,
    input  wire        force_sync_high_i,
    input  wire        jitter_i,
    input  wire [31:0] jitter_parameter_i,  // layout FAULT_JITTER; a seed of 0 counts as 1

    output reg         tdma_clk_o,
    output reg         tdma_sync_o,
    output reg         tdma_drive_o
);
    wire [11:0] most  = jitter_parameter_i[`PB_FAULT_JITTER_RANGE_RANGE];
    wire        shape = jitter_parameter_i[`PB_FAULT_JITTER_SHAPE_LSB];
    wire [15:0] seed  = jitter_parameter_i[`PB_FAULT_JITTER_SEED_RANGE];
    wire [12:0] more;
    wire        unused = &{1'b0, jitter_parameter_i & `PB_FAULT_JITTER_SPARE, more[0]};

    reg  [1:0]  clk_q, sync_q;
    reg         tick_q;
    reg         jitter_q;
    reg  [15:0] noise_q;
    reg  [4:0]  step_q;     // bits of the random word used so far, from the lowest; 16: the delay is ready
    reg  [1:0]  carry_q;    // of the sum of four words
    reg  [11:0] delay_q;    // word * (N + 1), without the fraction of a tick
    reg  [11:0] left_q;     // ticks left for which the clock is held low

    // Four steps of the LFSR at once.
    wire [3:0]  fresh = noise_q[15:12] ^ noise_q[13:10] ^ noise_q[12:9] ^ noise_q[10:7];

    // Low bits first: one bit of a word, or of the sum of four words of 14 bits, which has 16 bits.
    wire        flush = step_q[3:1] == 3'd7;
    wire [2:0]  ones  = {2'd0, fresh[0]} + {2'd0, fresh[1]} + {2'd0, fresh[2]} + {2'd0, fresh[3]};
    wire [2:0]  sum   = (flush ? 3'd0 : ones) + {1'b0, carry_q};
    wire        take  = shape ? sum[0] : fresh[0];
    wire        ready = step_q[4];
    assign      more  = {1'b0, delay_q} + {1'b0, most} + 13'd1;
    wire        again = !jitter_q || (tick_q && ready);

    wire        load  = tick_q && ready && jitter_i;
    wire        hold  = left_q != 12'd0;
    // Load cycle: the adder operand is a don't-care, so each counter bit fits one logic cell.
    wire [11:0] left_d = left_q + {12{!load}};

    always @(posedge clk) begin
        clk_q        <= {clk_q[0], tdma_clk_i};
        sync_q       <= {sync_q[0], tdma_sync_i};
        tick_q       <= tick_i;
        tdma_clk_o   <= !force_clk_low_i && (force_clk_high_i || (clk_q[1] && !hold));
        tdma_sync_o  <= !force_sync_low_i && (force_sync_high_i || sync_q[1]);
        tdma_drive_o <= !follow_i;

        jitter_q <= jitter_i;
        if (`PB_SIM_ACTIVE(jitter_i || jitter_q || step_q != 5'd0)) begin
            if (!jitter_q)
                noise_q <= {seed[15:1], seed[0] || seed == 16'd0};
            else if (!ready)
                noise_q <= {noise_q[11:0], fresh};
            if (!ready) begin
                step_q  <= step_q + 5'd1;
                carry_q <= sum[2:1];
                delay_q <= take ? more[12:1] : {1'b0, delay_q[11:1]};
            end
            if (again) begin
                step_q  <= 5'd0;
                carry_q <= 2'd0;
                delay_q <= 12'd0;
            end
        end
        if (load || hold)
            left_q <= load ? delay_q : left_d;

        if (rst_i || abort_i) begin
            clk_q       <= 2'd0;
            sync_q      <= 2'd0;
            tick_q      <= 1'b0;
            tdma_clk_o  <= 1'b0;
            tdma_sync_o <= 1'b0;
            jitter_q    <= 1'b0;
            left_q      <= 12'd0;
            if (rst_i)
                tdma_drive_o <= 1'b0;
        end
    end
endmodule

`default_nettype wire
