// SPDX-FileCopyrightText: The phasebench authors
// SPDX-License-Identifier: Apache-2.0
//
// The phasebench core: phase generator, links, fabric, slot player, capture and host protocol; pin-free, identical in
// simulation and on every board.
//
// Lines are open drain: link_i is the level of a pin, link_pull_o = 1 pulls it low. The host side is a stream of bytes in each direction
// with valid/ready handshakes (packets: rtl/proto/regs.def); a host port module makes it a UART or a FIFO.
//
// Time at the pins: tdma_clk_o and tdma_sync_o are delayed by two clocks so that a slot player frame with offset n leaves its pin
// exactly n clocks after the phase edge. Captured stamps of pin changes lag the pins by the two clocks of the synchroniser,
// phase events included, so differences of stamps are differences at the pins.
// Reset: all lines released, clock stopped, node controls released, registers as in docs/registers.md.
`default_nettype none

module pb_core #(
    parameter LINKS            = 12,        // link pins, 1..64
    parameter LANES            = 3,         // slot player lanes, 2..32; the last one is meant for the consoles
    parameter NODES            = 1,         // node control ports, 1..16
    parameter PLAY_DEPTH_LOG2  = 11,        // log2 of the bytes of a lane's buffer, 8..13
    parameter EVENT_DEPTH_LOG2 = 9,         // log2 of the events of the capture buffer, 6..14
    parameter [31:0] CLK_HZ    = 48000000   // rate of clk
) (
    input  wire             clk,
    input  wire             rst_i,

    input  wire             host_rx_valid_i,
    input  wire [7:0]       host_rx_data_i,
    output wire             host_rx_ready_o,
    output wire             host_tx_valid_o,
    output wire [7:0]       host_tx_data_o,
    input  wire             host_tx_ready_i,

    output wire             tdma_clk_o,
    output wire             tdma_sync_o,
    input  wire [LINKS-1:0] link_i,         // asynchronous
    output wire [LINKS-1:0] link_pull_o,

    output reg  [NODES-1:0] node_nrst_o,
    output reg  [NODES-1:0] node_boot0_o,
    output reg  [NODES-1:0] uart0_o,        // to the nodes' receive pins, idle high
    input  wire [NODES-1:0] uart0_i         // from the nodes' transmit pins, asynchronous
);
    // ---- host protocol
    wire        packet_valid, packet_done;
    wire [7:0]  packet_index, packet_byte;
    wire [15:0] packets_bad, packets_lost;
    pb_packet_rx packet_rx (
        .clk(clk), .rst_i(rst_i),
        .valid_i(host_rx_valid_i), .data_i(host_rx_data_i), .ready_o(host_rx_ready_o),
        .packet_valid_o(packet_valid), .index_i(packet_index), .byte_o(packet_byte), .done_i(packet_done),
        .bad_o(packets_bad), .lost_o(packets_lost)
    );

    wire        reply_request, reply_valid, reply_last;
    wire [7:0]  reply_data;
    wire        events_request, events_valid, events_last;
    wire [7:0]  events_data;
    wire        sender_ready;
    reg         reply_turn, events_turn;   // who has the sender
    wire        reg_wr;
    wire [9:0]  reg_addr;
    wire [31:0] reg_wdata, reg_rdata;
    wire [LANES-1:0] play_wr;
    wire [7:0]  play_data;
    wire [(PLAY_DEPTH_LOG2+1)*LANES-1:0] play_level;
    wire [15:0] credits;
    wire        credit_used;

    pb_command #(.LANES(LANES), .PLAY_DEPTH_LOG2(PLAY_DEPTH_LOG2)) command (
        .clk(clk), .rst_i(rst_i),
        .packet_valid_i(packet_valid), .index_o(packet_index), .byte_i(packet_byte), .done_o(packet_done),
        .request_o(reply_request), .grant_i(reply_turn),
        .tx_valid_o(reply_valid), .tx_data_o(reply_data), .tx_last_o(reply_last), .tx_ready_i(sender_ready && reply_turn),
        .wr_o(reg_wr), .addr_o(reg_addr), .wdata_o(reg_wdata), .rdata_i(reg_rdata),
        .play_wr_o(play_wr), .play_data_o(play_data), .play_level_i(play_level),
        .credits_o(credits), .credit_used_i(credit_used)
    );

    wire        event_valid, event_ready;
    wire [63:0] event_word;
    wire [EVENT_DEPTH_LOG2:0] event_level;
    pb_event_tx #(.DEPTH_LOG2(EVENT_DEPTH_LOG2)) event_tx (
        .clk(clk), .rst_i(rst_i),
        .event_valid_i(event_valid), .event_i(event_word), .event_ready_o(event_ready), .event_level_i(event_level),
        .credit_i(credits != 16'd0), .credit_used_o(credit_used),
        .request_o(events_request), .grant_i(events_turn),
        .tx_valid_o(events_valid), .tx_data_o(events_data), .tx_last_o(events_last), .tx_ready_i(sender_ready && events_turn)
    );

    pb_packet_tx packet_tx (
        .clk(clk), .rst_i(rst_i),
        .valid_i(reply_turn ? reply_valid : events_turn && events_valid),
        .data_i(reply_turn ? reply_data : events_data),
        .last_i(reply_turn ? reply_last : events_last),
        .ready_o(sender_ready),
        .tx_valid_o(host_tx_valid_o), .tx_data_o(host_tx_data_o), .tx_ready_i(host_tx_ready_i)
    );

    always @(posedge clk)
        if (rst_i) begin
            reply_turn  <= 1'b0;
            events_turn <= 1'b0;
        end else begin
            reply_turn  <= reply_request && !events_turn;
            events_turn <= events_request && (events_turn || (!reply_turn && !reply_request));
        end

    // ---- registers
    wire [1:0]  ctrl;
    wire        abort;
    wire        running, run_done, tick;
    wire [8:0]  phase;
    wire [31:0] superframe;
    wire [26:0] elapsed;
    wire [53:0] stamp;
    wire [9:0]  phase_count;
    wire [26:0] period_ticks, period_num, period_den, high_ticks;
    wire [31:0] superframe_limit;
    wire [19:0] bit_period, console_period;
    wire [63:0] edge_mask, byte_mask, line_level;
    wire [7:0]  join_blank;
    wire [5:0]  console_select;
    wire [15:0] node_reset, node_boot;
    wire [31:0] events_lost, scratch;
    wire [14*LINKS-1:0] link_config;

    localparam [31:0] SHAPE   = (NODES << 16) | (LANES << 8) | LINKS;
    localparam [31:0] BUFFERS = ((1 << EVENT_DEPTH_LOG2) << 16) | (1 << PLAY_DEPTH_LOG2);
    pb_regfile #(.LINKS(LINKS), .CLK_HZ(CLK_HZ), .SHAPE(SHAPE), .BUFFERS(BUFFERS)) regfile (
        .clk(clk), .rst_i(rst_i),
        .wr_i(reg_wr), .addr_i(reg_addr), .wdata_i(reg_wdata), .rdata_o(reg_rdata), .run_clear_i(run_done),
        .scratch_o(scratch), .ctrl_o(ctrl), .abort_o(abort),
        .status_i({phase, 7'd0, running}), .superframe_i(superframe), .stamp_i(stamp[31:0]),
        .phase_count_o(phase_count), .period_ticks_o(period_ticks), .period_num_o(period_num), .period_den_o(period_den),
        .high_ticks_o(high_ticks), .superframe_limit_o(superframe_limit),
        .bit_period_o(bit_period),
        .edge_mask0_o(edge_mask[31:0]), .edge_mask1_o(edge_mask[63:32]),
        .byte_mask0_o(byte_mask[31:0]), .byte_mask1_o(byte_mask[63:32]),
        .join_blank_o(join_blank), .line_level0_i(line_level[31:0]), .line_level1_i(line_level[63:32]),
        .console_period_o(console_period), .console_select_o(console_select),
        .node_reset_o(node_reset), .node_boot_o(node_boot),
        .events_lost_i(events_lost), .packets_bad_i(packets_bad), .packets_lost_i(packets_lost),
        .link_o(link_config)
    );

    // ---- phase clock
    wire tdma_clk, tdma_sync;
    pb_phase_gen phase_gen (
        .clk(clk), .rst_i(rst_i), .run_i(ctrl[0]), .abort_i(abort),
        .phase_count_i(phase_count), .period_ticks_i(period_ticks), .period_num_i(period_num), .period_den_i(period_den),
        .high_ticks_i(high_ticks), .limit_i(superframe_limit),
        .running_o(running), .done_o(run_done), .tick_o(tick), .phase_o(phase), .superframe_o(superframe), .elapsed_o(elapsed),
        .tdma_clk_o(tdma_clk), .tdma_sync_o(tdma_sync)
    );

    reg [1:0]  clk_pipe, sync_pipe;
    reg [3:0]  tick_pipe, running_pipe;
    assign tdma_clk_o  = clk_pipe[1];
    assign tdma_sync_o = sync_pipe[1];
    always @(posedge clk) begin
        clk_pipe     <= {clk_pipe[0], tdma_clk};
        sync_pipe    <= {sync_pipe[0], tdma_sync};
        tick_pipe    <= {tick_pipe[2:0], tick};
        running_pipe <= {running_pipe[2:0], running};
        if (rst_i || abort) begin
            clk_pipe     <= 2'b00;
            sync_pipe    <= 2'b00;
            tick_pipe    <= 4'd0;
            running_pipe <= 4'd0;
        end
    end

    // ---- links
    reg [LINKS-1:0] link_meta, link_sync;
    always @(posedge clk) begin
        link_meta <= link_i;
        link_sync <= link_meta;
        if (rst_i) begin
            link_meta <= {LINKS{1'b1}};
            link_sync <= {LINKS{1'b1}};
        end
    end
    assign line_level = {{(64-LINKS){1'b1}}, link_sync};

    wire [LANES-1:0]    lane_pull, lane_underrun;
    wire [8*LANES-1:0]  lane_target;
    wire [9*LANES-1:0]  lane_phase;
    wire [13*LANES-1:0] lane_superframe;
    genvar l;
    generate for (l = 0; l < LANES; l = l + 1) begin : g_lane
        pb_player_lane #(.DEPTH_LOG2(PLAY_DEPTH_LOG2)) lane (
            .clk(clk), .rst_i(rst_i), .clear_i(abort),
            .wr_i(play_wr[l]), .wr_data_i(play_data), .level_o(play_level[(PLAY_DEPTH_LOG2+1)*l +: PLAY_DEPTH_LOG2+1]),
            .running_i(running), .phase_i(phase), .superframe_i(superframe[15:0]), .elapsed_i(elapsed),
            .pull_o(lane_pull[l]), .target_o(lane_target[8*l +: 8]), .underrun_o(lane_underrun[l]),
            .record_phase_o(lane_phase[9*l +: 9]), .record_superframe_o(lane_superframe[13*l +: 13])
        );
    end endgenerate

    reg [LINKS-1:0] player_pull;
    reg [NODES-1:0] console_pull;
    integer a, t;
    always @* begin
        player_pull  = {LINKS{1'b0}};
        console_pull = {NODES{1'b0}};
        // The condition around the loops changes no logic; it spares a simulator the comparisons of idle lanes.
        for (a = 0; a < LANES; a = a + 1)
            if (lane_pull[a]) begin
                for (t = 0; t < LINKS; t = t + 1)
                    player_pull[t] = player_pull[t] | (lane_target[8*a +: 8] == t[7:0]);
                for (t = 0; t < NODES; t = t + 1)
                    console_pull[t] = console_pull[t] | (lane_target[8*a +: 8] == (8'h80 | t[7:0]));
            end
    end

    pb_fabric #(.LINKS(LINKS)) fabric (
        .clk(clk), .rst_i(rst_i), .release_i(abort),
        .config_i(link_config), .blank_i(join_blank), .line_i(link_sync), .player_pull_i(player_pull), .pull_o(link_pull_o)
    );

    // ---- node control
    reg  console_meta, console_sync;
    reg  console_pin;
    integer c;
    always @* begin
        console_pin = 1'b1;
        for (c = 0; c < NODES; c = c + 1)
            if (console_select == c[5:0])
                console_pin = uart0_i[c];
    end
    always @(posedge clk) begin
        uart0_o      <= ~console_pull;
        node_nrst_o  <= ~node_reset[NODES-1:0];
        node_boot0_o <= node_boot[NODES-1:0];
        console_meta <= console_pin;
        console_sync <= console_meta;
        if (rst_i) begin
            uart0_o      <= {NODES{1'b1}};
            node_nrst_o  <= {NODES{1'b1}};
            node_boot0_o <= {NODES{1'b0}};
            console_meta <= 1'b1;
            console_sync <= 1'b1;
        end
    end

    pb_capture #(.LINKS(LINKS), .LANES(LANES), .DEPTH_LOG2(EVENT_DEPTH_LOG2)) capture (
        .clk(clk), .rst_i(rst_i), .enable_i(ctrl[1]), .stamp_o(stamp),
        // Phase and superframe are still those of the tick four clocks ago: a phase is longer than that.
        .tick_i(tick_pipe[3]), .phase_i(phase), .superframe_i(superframe[12:0]), .running_i(running_pipe[3]),
        .line_i(link_sync), .edge_mask_i(edge_mask[LINKS-1:0]), .byte_mask_i(byte_mask[LINKS-1:0]), .bit_period_i(bit_period),
        .console_i(console_sync), .console_period_i(console_period),
        .underrun_i(lane_underrun), .underrun_phase_i(lane_phase), .underrun_superframe_i(lane_superframe),
        .event_valid_o(event_valid), .event_o(event_word), .event_ready_i(event_ready), .event_level_o(event_level),
        .lost_o(events_lost)
    );

    wire unused = &{1'b0, scratch, stamp[53:32], node_reset, node_boot, edge_mask, byte_mask};
endmodule

`default_nettype wire
