// SPDX-FileCopyrightText: The phasebench authors
// SPDX-License-Identifier: Apache-2.0
//
// The fault units of a core, and their effect on the phase clock.
//
// Interface: buffers, ready_o to number_o: the ports of pb_fault_unit n. force_*_o, jitter_o and
//            drift_o go to pb_clock_pins and pb_phase_gen.
// Timing:    combinational from active_o on.
// Reset:     no unit is active.
// Limits:    0 to 8 units; without units the vectors are one unit wide. The parameters of several
//            jitters or drifts at a time are ORed.
`default_nettype none
`include "pb_regs.vh"

module pb_fault_bank #(
    parameter FAULTS     = 4,
    parameter UNITS      = FAULTS > 0 ? FAULTS : 1,     // width of vectors
    parameter DEPTH_LOG2 = 8                            // log2 of the bytes of a unit's buffer
) (
    input  wire                            clk,
    input  wire                            rst_i,
    input  wire                            clear_i,
    input  wire [UNITS-1:0]                wr_i,
    input  wire [7:0]                      wr_data_i,
    output wire [(DEPTH_LOG2+1)*UNITS-1:0] level_o,

    input  wire                            running_i,
    input  wire [8:0]                      phase_i,
    input  wire [15:0]                     superframe_i,
    input  wire [26:0]                     elapsed_i,

    output wire [UNITS-1:0]                ready_o,
    output wire [UNITS-1:0]                active_o,
    output wire [5*UNITS-1:0]              kind_o,
    output wire [6*UNITS-1:0]              link_o,
    output wire [6*UNITS-1:0]              other_o,
    output wire [32*UNITS-1:0]             parameter_o,
    output wire [UNITS-1:0]                began_o,
    output wire [UNITS-1:0]                ended_o,
    output wire [UNITS-1:0]                late_o,
    output wire [15*UNITS-1:0]             number_o,

    output reg                             force_clk_low_o,
    output reg                             force_clk_high_o,
    output reg                             force_sync_low_o,
    output reg                             force_sync_high_o,
    output reg                             jitter_o,
    output reg  [31:0]                     jitter_parameter_o,
    output reg  [23:0]                     drift_o
);
    genvar f;
    generate if (FAULTS == 0) begin : g_no_units
        assign level_o = 0;
        assign {ready_o, active_o, began_o, ended_o, late_o} = 5'd0;
        assign kind_o = 0;
        assign {link_o, other_o} = 0;
        assign parameter_o = 0;
        assign number_o = 0;
        wire unused_units = &{1'b0, clk, rst_i, clear_i, wr_i, wr_data_i, running_i, phase_i, superframe_i, elapsed_i};
    end else begin : g_units
        for (f = 0; f < FAULTS; f = f + 1) begin : g_unit
            pb_fault_unit #(.DEPTH_LOG2(DEPTH_LOG2)) unit (
                .clk(clk), .rst_i(rst_i), .clear_i(clear_i),
                .wr_i(wr_i[f]), .wr_data_i(wr_data_i), .level_o(level_o[(DEPTH_LOG2+1)*f +: DEPTH_LOG2+1]),
                .running_i(running_i), .phase_i(phase_i), .superframe_i(superframe_i), .elapsed_i(elapsed_i),
                .ready_o(ready_o[f]), .active_o(active_o[f]), .kind_o(kind_o[5*f +: 5]), .link_o(link_o[6*f +: 6]),
                .other_o(other_o[6*f +: 6]), .parameter_o(parameter_o[32*f +: 32]),
                .began_o(began_o[f]), .ended_o(ended_o[f]), .late_o(late_o[f]), .number_o(number_o[15*f +: 15])
            );
        end
    end endgenerate

    // Effect of the units on the phase clock; on lines: pb_fault_lines.
    integer n;
    always @* begin
        {force_clk_low_o, force_clk_high_o, force_sync_low_o, force_sync_high_o, jitter_o} = 5'd0;
        jitter_parameter_o = UNITS == 1 ? parameter_o[31:0] : 32'd0;    // used only with jitter_o: a single unit needs no multiplexer
        drift_o = 24'd0;
        for (n = 0; n < UNITS; n = n + 1)
            if (active_o[n])
                case (kind_o[5*n +: 5])
                    `PB_FAULT_LATE_EDGE, `PB_FAULT_MISSING_EDGE: force_clk_low_o = 1'b1;
                    `PB_FAULT_EARLY_EDGE, `PB_FAULT_EXTRA_EDGE: force_clk_high_o = 1'b1;
                    `PB_FAULT_MISSING_SYNC: force_sync_low_o = 1'b1;
                    `PB_FAULT_EXTRA_SYNC: force_sync_high_o = 1'b1;
                    `PB_FAULT_JITTER: begin
                        jitter_o = 1'b1;
                        jitter_parameter_o = UNITS == 1 ? jitter_parameter_o : jitter_parameter_o | parameter_o[32*n +: 32];
                    end
                    `PB_FAULT_DRIFT: drift_o = drift_o | parameter_o[32*n + `PB_FAULT_DRIFT_CHANGE_LSB +: `PB_FAULT_DRIFT_CHANGE_WIDTH];
                    default: ;
                endcase
    end
endmodule

`default_nettype wire
