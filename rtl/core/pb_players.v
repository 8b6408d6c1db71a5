// SPDX-FileCopyrightText: The phasebench authors
// SPDX-License-Identifier: Apache-2.0
//
// The slot player: its lanes, and the pins that they pull.
//
// Interface: pull_o and sending_o have a bit per link, console_pull_o a bit per node. The other
//            ports are those of pb_player_lane n; kind_o and link_o serve its receipts.
// Timing:    combinational from the lanes on; the pin of a lane is decoded before it sends.
// Reset:     no lane sends.
`default_nettype none
`include "pb_regs.vh"

module pb_players #(
    parameter LINKS      = 12,
    parameter LANES      = 3,
    parameter NODES      = 1,
    parameter DEPTH_LOG2 = 11   // log2 of the bytes of a lane's buffer
) (
    input  wire                            clk,
    input  wire                            rst_i,
    input  wire                            clear_i,
    input  wire [LANES-1:0]                wr_i,
    input  wire [7:0]                      wr_data_i,
    output wire [(DEPTH_LOG2+1)*LANES-1:0] level_o,

    input  wire                            running_i,
    input  wire [8:0]                      phase_i,
    input  wire [15:0]                     superframe_i,
    input  wire [26:0]                     elapsed_i,

    output reg  [LINKS-1:0]                pull_o,
    output reg  [LINKS-1:0]                sending_o,
    output reg  [NODES-1:0]                console_pull_o,

    output wire [LANES-1:0]                underrun_o,
    output wire [9*LANES-1:0]              record_phase_o,
    output wire [13*LANES-1:0]             record_superframe_o,
    output wire [LANES-1:0]                began_o,
    output wire [LANES-1:0]                ended_o,
    output wire [5*LANES-1:0]              kind_o,
    output wire [6*LANES-1:0]              link_o,
    output wire [15*LANES-1:0]             number_o
);
    wire [LANES-1:0]   lane_loaded, lane_pull, lane_sending;
    wire [8*LANES-1:0] lane_target;
    genvar l;
    generate for (l = 0; l < LANES; l = l + 1) begin : g_lane
        wire [2:0] mark;
        assign kind_o[5*l +: 5] = `PB_PLAY_MARK_KIND + {2'd0, mark};
        assign link_o[6*l +: 6] = lane_target[8*l +: 6];
        pb_player_lane #(.DEPTH_LOG2(DEPTH_LOG2)) lane (
            .clk(clk), .rst_i(rst_i), .clear_i(clear_i),
            .wr_i(wr_i[l]), .wr_data_i(wr_data_i), .level_o(level_o[(DEPTH_LOG2+1)*l +: DEPTH_LOG2+1]),
            .running_i(running_i), .phase_i(phase_i), .superframe_i(superframe_i), .elapsed_i(elapsed_i),
            .loaded_o(lane_loaded[l]), .pull_o(lane_pull[l]), .target_o(lane_target[8*l +: 8]), .underrun_o(underrun_o[l]),
            .sending_o(lane_sending[l]), .began_o(began_o[l]), .ended_o(ended_o[l]), .mark_o(mark),
            .number_o(number_o[15*l +: 15]),
            .record_phase_o(record_phase_o[9*l +: 9]), .record_superframe_o(record_superframe_o[13*l +: 13])
        );
    end endgenerate

    // The pin of a lane, decoded before it sends.
    reg [LINKS*LANES-1:0] at_link;
    reg [NODES*LANES-1:0] at_console;
    integer a, t;
    always @(posedge clk)
        for (a = 0; a < LANES; a = a + 1)
            if (lane_loaded[a]) begin
                for (t = 0; t < LINKS; t = t + 1)
                    at_link[LINKS*a+t] <= lane_target[8*a +: 8] == t[7:0];
                for (t = 0; t < NODES; t = t + 1)
                    at_console[NODES*a+t] <= lane_target[8*a +: 8] == (`PB_PLAY_TARGET_CONSOLE | t[7:0]);
            end
    always @* begin
        pull_o    = {LINKS{1'b0}};
        sending_o = {LINKS{1'b0}};
        console_pull_o   = {NODES{1'b0}};
        // Simulation speed only: the condition skips idle lanes and adds no logic.
        for (a = 0; a < LANES; a = a + 1)
            if (lane_sending[a]) begin
                sending_o = sending_o | at_link[LINKS*a +: LINKS];
                pull_o    = pull_o | (at_link[LINKS*a +: LINKS] & {LINKS{lane_pull[a]}});
                console_pull_o   = console_pull_o | (at_console[NODES*a +: NODES] & {NODES{lane_pull[a]}});
            end
    end
endmodule

`default_nettype wire
