// SPDX-FileCopyrightText: The phasebench authors
// SPDX-License-Identifier: Apache-2.0
//
// The phasebench core: phase generator, links, fabric, slot player, capture and host protocol. It
// has no pins and is the same in simulation and on every board.
//
// Interface: link_i is the level of a pin, link_pull_o = 1 pulls it low. The host side is a byte
//            stream in each direction (docs/reference/protocol.md), with valid/ready to the host.
//            A UART may give bytes without host_rx_ready_o (pb_packet_rx).
// Timing:    a frame with offset n leaves its pin exactly n clocks after the phase edge, and
//            differences of stamps are differences at the pins (delays: docs/design/rtl.md).
// Reset:     all lines released, clock stopped, node controls released, registers as in
//            docs/reference/registers.md.
`default_nettype none
`include "pb_clocks.vh"
`include "pb_regs.vh"

module pb_core #(
    parameter LINKS            = 12,        // link pins, 1..64
    parameter LANES            = 3,         // slot player lanes, 2..32; the last one serves the consoles by convention
    parameter NODES            = 1,         // node control ports, 1..16
    parameter RECEIVERS        = LINKS,     // links that can receive bytes at the same time, see pb_receivers
    parameter JOIN             = 1,         // 0: no joined pairs, see pb_fabric
    parameter FAULTS           = 4,         // fault units, 0..8
    parameter FAULT_FEEDBACK   = 1,         // 0: the units inject neither SHORT nor SLOW_RISE, see pb_fault_lines
    parameter FAULT_DEPTH_LOG2 = 8,         // log2 of the bytes of a fault unit's buffer
    parameter PLAY_DEPTH_LOG2  = 11,        // log2 of the bytes of a lane's buffer, 8..13
    parameter EVENT_DEPTH_LOG2 = 9,         // log2 of the events of the capture buffer, 6..14
    parameter HALF_TICKS       = 0,         // 1: EDGE and TDMA events carry the half of the tick; 0: it is unknown, link_half_i, tdma_half_i and sync_half_i are ignored
    parameter TDC_TAPS         = 0,         // taps of the time-to-digital converter, even, see pb_tdc; 0: none
    parameter PIN_CLOCKS       = 0,         // latency of the pad registers, out to a pin and in again, clocks, 0..4
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
    output wire             tdma_drive_o,   // 1: the bench drives the two clock pins: CTRL.RUN or CAPTURE without FOLLOW; 0: they need pull-downs
    input  wire             tdma_clk_i,     // levels at the clock pins, from any driver; asynchronous
    input  wire             tdma_sync_i,
    input  wire             tdma_half_i,    // the level at TDMA_CLK half a clock before that of tdma_clk_i
    input  wire             sync_half_i,    // the same at TDMA_SYNC
    input  wire [LINKS-1:0] link_i,         // asynchronous
    input  wire [LINKS-1:0] link_half_i,    // the levels half a clock before those of link_i
    output wire [LINKS-1:0] link_pull_o,
    output wire [LINKS-1:0] link_high_o,    // 1 drives the pin high (push-pull); never together with link_pull_o

    // The chain of the time-to-digital converter and what it observes: rtl/board/pb_tdc_chain.v
    input  wire [(TDC_TAPS > 0 ? TDC_TAPS : 1)-1:0] tdc_taps_i,     // sampled with link_i
    output wire             tdc_enable_o,
    output wire             tdc_set_o,          // rises after a write, when the three others are valid
    output wire             tdc_calibrate_o,    // 1: an oscillator in place of the pin
    output wire [5:0]       tdc_pin_o,          // link, or 63 for TDMA_CLK

    output wire [NODES-1:0] node_nrst_o,
    output wire [NODES-1:0] node_boot0_o,
    output wire [NODES-1:0] uart0_o,        // to the nodes' receive pins, idle high
    input  wire [NODES-1:0] uart0_i,        // from the nodes' transmit pins, asynchronous

    output wire             alive_o,        // LED: a valid packet came within the last 2^24 to 2^25 clocks
    output wire             running_o,      // the phase clock runs; rises before tdma_clk_o does
    output wire             fault_o         // 1 after any ALARM, watchdog included, until the next ABORT
);
    localparam UNITS = FAULTS > 0 ? FAULTS : 1;     // width of vectors

    // ---- host protocol
    wire        packet_valid, packet_done;
    wire [7:0]  packet_index, packet_byte;
    wire [15:0] packets_bad, packets_lost;
    pb_packet_rx packet_rx (
        .clk(`PB_HOST_CLK), .rst_i(rst_i),
        .valid_i(host_rx_valid_i), .data_i(host_rx_data_i), .ready_o(host_rx_ready_o),
        .packet_valid_o(packet_valid), .index_i(packet_index), .byte_o(packet_byte), .done_i(packet_done),
        .bad_o(packets_bad), .lost_o(packets_lost)
    );

    wire        reply_request, reply_valid, reply_last;
    wire [7:0]  reply_data;
    wire        events_request, events_valid, events_last;
    wire [7:0]  events_data;
    wire        sender_ready;
    reg         reply_grant, events_grant;   // owner of the sender
    wire        reg_wr;
    wire [9:0]  reg_addr;
    wire [31:0] reg_wdata, reg_rdata;
    wire [LANES-1:0] play_wr;
    wire [7:0]  play_data;
    wire [(PLAY_DEPTH_LOG2+1)*LANES-1:0] play_level;
    wire [15:0] credits;
    wire        credit_used;

    wire [UNITS-1:0] fault_wr;
    wire [(FAULT_DEPTH_LOG2+1)*UNITS-1:0] fault_level;
    wire        good;      // a valid packet came
    pb_command #(
        .LANES(LANES), .PLAY_DEPTH_LOG2(PLAY_DEPTH_LOG2), .FAULTS(FAULTS), .FAULT_DEPTH_LOG2(FAULT_DEPTH_LOG2)
    ) command (
        .clk(`PB_HOST_CLK), .rst_i(rst_i),
        .packet_valid_i(packet_valid), .index_o(packet_index), .byte_i(packet_byte), .done_o(packet_done),
        .request_o(reply_request), .grant_i(reply_grant),
        .tx_valid_o(reply_valid), .tx_data_o(reply_data), .tx_last_o(reply_last), .tx_ready_i(sender_ready),
        .wr_o(reg_wr), .addr_o(reg_addr), .wdata_o(reg_wdata), .rdata_i(reg_rdata),
        .play_wr_o(play_wr), .play_data_o(play_data), .play_level_i(play_level),
        .fault_wr_o(fault_wr), .fault_level_i(fault_level), .good_o(good),
        .credits_o(credits), .credit_used_i(credit_used)
    );

    wire        event_valid, event_ready;
    wire [63:0] event_word;
    wire [EVENT_DEPTH_LOG2:0] event_level;
    pb_event_tx #(.DEPTH_LOG2(EVENT_DEPTH_LOG2)) event_tx (
        .clk(`PB_SENDER_CLK), .rst_i(rst_i),
        .event_valid_i(event_valid), .event_i(event_word), .event_ready_o(event_ready), .event_level_i(event_level),
        .credit_i(credits != 16'd0), .credit_used_o(credit_used),
        .request_o(events_request), .grant_i(events_grant), .sequence_o(events_sent),
        .tx_valid_o(events_valid), .tx_data_o(events_data), .tx_last_o(events_last), .tx_ready_i(sender_ready)
    );

    pb_packet_tx packet_tx (
        .clk(`PB_SENDER_CLK), .rst_i(rst_i),
        .valid_i(reply_valid || events_valid),     // only the owner of the sender raises its valid
        .data_i(reply_grant ? reply_data : events_data),
        .last_i(reply_grant ? reply_last : events_last),
        .ready_o(sender_ready),
        .tx_valid_o(host_tx_valid_o), .tx_data_o(host_tx_data_o), .tx_ready_i(host_tx_ready_i)
    );

    always @(posedge `PB_SENDER_CLK)
        if (rst_i) begin
            reply_grant  <= 1'b0;
            events_grant <= 1'b0;
        end else begin
            reply_grant  <= reply_request && !events_grant;
            events_grant <= events_request && (events_grant || (!reply_grant && !reply_request));
        end

    // ---- registers
    wire [2:0]  ctrl;
    wire        abort;
    wire        running, run_done, tick;
    wire [8:0]  phase;
    wire [31:0] superframe;
    wire [26:0] elapsed;
    wire [53:0] stamp;
    wire [9:0]  phase_count;
    wire [26:0] period_ticks;
    wire [9:0]  setting_addr;
    wire [31:0] setting;
    wire [19:0] bit_period, console_period;
    wire [63:0] edge_mask, byte_mask, line_level;
    wire [7:0]  join_blank;
    wire [5:0]  console_select;
    wire [15:0] node_reset, node_boot;
    wire [31:0] events_lost, scratch;
    wire [7:0]  tdc;
    wire [15:0] alarms;
    wire [2*LINKS-1:0] link_mode;
    wire [6*LINKS-1:0] link_partner, link_phase;
    wire [LINKS-1:0] link_written;
    wire [23:0] guard_head;
    wire [26:0] guard_tail;
    wire [15:0] tolerance;
    wire [11:0] watchdog_ms;
    wire [31:0] events_sent;

    localparam [31:0] SHAPE   = ((FAULTS > 0 && FAULT_FEEDBACK != 0 ? 1 : 0) << `PB_SHAPE_FEEDBACK_LSB) | (HALF_TICKS << `PB_SHAPE_HALF_TICKS_LSB) |
                                (FAULTS << `PB_SHAPE_FAULTS_LSB) | (NODES << `PB_SHAPE_NODES_LSB) | (LANES << `PB_SHAPE_LANES_LSB) |
                                (LINKS << `PB_SHAPE_LINKS_LSB);
    localparam [31:0] BUFFERS = ((1 << EVENT_DEPTH_LOG2) << `PB_BUFFERS_EVENTS_LSB) | ((1 << PLAY_DEPTH_LOG2) << `PB_BUFFERS_PLAY_BYTES_LSB);
    localparam [31:0] TDC_SHAPE = TDC_TAPS << `PB_TDC_SHAPE_TAPS_LSB;
    pb_regfile #(.LINKS(LINKS), .CLK_HZ(CLK_HZ), .SHAPE(SHAPE), .BUFFERS(BUFFERS), .TDC_SHAPE(TDC_SHAPE)) regfile (
        .clk(clk), .rst_i(rst_i),
        .wr_i(reg_wr), .addr_i(reg_addr), .wdata_i(reg_wdata), .rdata_o(reg_rdata), .run_clear_i(run_done), .safe_i(safe),
        .used_i(packet_valid),    // the command engine is busy
        .scratch_o(scratch), .ctrl_o(ctrl), .abort_o(abort),
        .status_i(`PB_STATUS_PACK(phase, tripped, running)), .superframe_i(superframe), .stamp_i(stamp[31:0]),
        .phase_count_o(phase_count), .period_ticks_o(period_ticks), .watchdog_o(watchdog_ms),
        .served_addr_i(setting_addr), .served_o(setting),
        .guard_head_o(guard_head), .guard_tail_o(guard_tail), .tolerance_o(tolerance),
        .bit_period_o(bit_period),
        .edge_mask0_o(edge_mask[31:0]), .edge_mask1_o(edge_mask[63:32]),
        .byte_mask0_o(byte_mask[31:0]), .byte_mask1_o(byte_mask[63:32]),
        .join_blank_o(join_blank), .line_level0_i(line_level[31:0]), .line_level1_i(line_level[63:32]),
        .console_period_o(console_period), .console_select_o(console_select),
        .node_reset_o(node_reset), .node_boot_o(node_boot), .tdc_o(tdc),
        .events_lost_i(events_lost), .packets_bad_i(packets_bad), .packets_lost_i(packets_lost),
        .events_sent_i(events_sent), .alarms_i(alarms),
        .link_written_o(link_written), .link_mode_o(link_mode), .link_partner_o(link_partner), .link_phase_o(link_phase)
    );

    // ---- safe state: by ABORT, or by the watchdog
    wire follow = ctrl[`PB_CTRL_FOLLOW_LSB];
    wire trip;
    reg  armed, tripped;
    reg  clock_armed = 1'b0;    // released from power-up on
    reg  clock_off;             // the core entered the safe state after the last write of CTRL
    reg  [3:0] ctrl_wr;
    reg  safe;          // one clock after the cause, as its fan-out is large
    always @(posedge clk) begin
        safe    <= abort || trip;
        armed   <= running || clock_armed || node_reset[NODES-1:0] != 0 || node_boot[NODES-1:0] != 0 || link_mode != 0;
        tripped <= !rst_i && !abort && (tripped || trip);
        // The host owns the clock pins once it captures or runs without FOLLOW. No other register arms them: before the
        // host has written FOLLOW, and in the safe state until it writes CTRL again, an external controller may drive them.
        ctrl_wr     <= {ctrl_wr[2:0], reg_wr && reg_addr == `PB_REG_CTRL};  // CTRL has its new value before the last of these
        clock_off   <= safe || (clock_off && !ctrl_wr[3]);
        clock_armed <= !follow && !clock_off && !safe && (running || ctrl[`PB_CTRL_RUN_LSB] || ctrl[`PB_CTRL_CAPTURE_LSB]);
        if (rst_i) begin
            armed       <= 1'b0;
            ctrl_wr     <= 4'd0;
            clock_off   <= 1'b0;
            clock_armed <= 1'b0;
        end
    end
    pb_watchdog #(.CLK_HZ(CLK_HZ)) watchdog (
        .clk(clk), .rst_i(rst_i), .ms_i(watchdog_ms), .armed_i(armed), .feed_i(good), .trip_o(trip)
    );

    // ---- injected faults
    wire [UNITS-1:0]    fault_ready, fault_active, fault_began, fault_ended, fault_late;
    wire [5*UNITS-1:0]  fault_kind;
    wire [6*UNITS-1:0]  fault_link, fault_other;
    wire [32*UNITS-1:0] fault_parameter;
    wire [15*UNITS-1:0] fault_number;
    wire        force_clk_low, force_clk_high, force_sync_low, force_sync_high, jitter;
    wire [31:0] jitter_parameter;
    wire [23:0] drift;
    pb_fault_bank #(.FAULTS(FAULTS), .DEPTH_LOG2(FAULT_DEPTH_LOG2)) fault_bank (
        .clk(`PB_FAULT_CLK), .rst_i(rst_i), .clear_i(safe), .wr_i(fault_wr), .wr_data_i(play_data), .level_o(fault_level),
        .running_i(running), .phase_i(phase), .superframe_i(superframe[15:0]), .elapsed_i(elapsed),
        .ready_o(fault_ready), .active_o(fault_active), .kind_o(fault_kind), .link_o(fault_link), .other_o(fault_other),
        .parameter_o(fault_parameter), .began_o(fault_began), .ended_o(fault_ended), .late_o(fault_late), .number_o(fault_number),
        .force_clk_low_o(force_clk_low), .force_clk_high_o(force_clk_high),
        .force_sync_low_o(force_sync_low), .force_sync_high_o(force_sync_high),
        .jitter_o(jitter), .jitter_parameter_o(jitter_parameter), .drift_o(drift)
    );

    // ---- phase clock
    wire tdma_clk, tdma_sync, tdma_drive, tdma_edge, tdma_edge_sync;
    pb_phase_gen phase_gen (
        .clk(clk), .rst_i(rst_i), .run_i(ctrl[`PB_CTRL_RUN_LSB]), .abort_i(safe),
        .phase_count_i(phase_count), .period_ticks_i(period_ticks), .setting_o(setting_addr), .setting_i(setting), .drift_i(drift),
        .follow_i(follow), .edge_i(tdma_edge), .edge_sync_i(tdma_edge_sync),
        .running_o(running), .done_o(run_done), .tick_o(tick), .phase_o(phase), .superframe_o(superframe), .elapsed_o(elapsed),
        .tdma_clk_o(tdma_clk), .tdma_sync_o(tdma_sync)
    );
    pb_clock_pins clock_pins (
        .clk(clk), .rst_i(rst_i), .abort_i(safe), .follow_i(follow),
        .tick_i(tick_pipe[0]), .tdma_clk_i(tdma_clk), .tdma_sync_i(tdma_sync),
        .force_clk_low_i(force_clk_low), .force_clk_high_i(force_clk_high),
        .force_sync_low_i(force_sync_low), .force_sync_high_i(force_sync_high),
        .jitter_i(jitter), .jitter_parameter_i(jitter_parameter),
        .tdma_clk_o(tdma_clk_o), .tdma_sync_o(tdma_sync_o), .tdma_drive_o(tdma_drive)
    );
    assign tdma_drive_o = tdma_drive && clock_armed;

    // Latency from the ideal phase edge to the synchronised pin level: 4 clocks out, 2 clocks in, plus PIN_CLOCKS in the pads.
    localparam PIN_PIPE_TOP = 5 + PIN_CLOCKS;
    reg [PIN_PIPE_TOP:0] tick_pipe, running_pipe;
    reg [1:0] clk_in, sync_in;
    reg       clk_half, clk_second, sync_half, sync_second; // as half_meta and link_second
    always @(posedge clk) begin
        clk_in       <= {clk_in[0], tdma_clk_i};
        sync_in      <= {sync_in[0], tdma_sync_i};
        clk_half     <= tdma_half_i;
        clk_second   <= clk_in[0] ^ clk_half;
        sync_half    <= sync_half_i;
        sync_second  <= sync_in[0] ^ sync_half;
        tick_pipe    <= {tick_pipe[PIN_PIPE_TOP-1:0], tick};
        running_pipe <= {running_pipe[PIN_PIPE_TOP-1:0], running};
        if (rst_i || safe) begin
            tick_pipe    <= 0;
            running_pipe <= 0;
        end
    end
    // Follow mode: the edge was measured at the pin, so tick needs no delay; running is delayed by three stages less.
    wire shown_tick    = follow ? tick : tick_pipe[PIN_PIPE_TOP];
    wire shown_running = follow ? running_pipe[PIN_PIPE_TOP-3] : running_pipe[PIN_PIPE_TOP];
    wire        clock_alarm;
    wire [4:0]  clock_alarm_code;
    wire [16:0] clock_alarm_ticks;
    pb_clock_monitor clock_monitor (
        .clk(clk), .rst_i(rst_i), .follow_i(follow), .running_i(shown_running),
        .clk_i(clk_in[1]), .sync_i(sync_in[1]),
        .phase_count_i(phase_count), .period_ticks_i(period_ticks), .tolerance_i(tolerance),
        .edge_o(tdma_edge), .edge_sync_o(tdma_edge_sync),
        .alarm_o(clock_alarm), .code_o(clock_alarm_code), .ticks_o(clock_alarm_ticks)
    );
    wire [`PB_EVENT_TDMA_AGE_WIDTH-1:0] sync_age;
    wire [1:0] sync_age_half;
    pb_sync_age #(.HALF_TICKS(HALF_TICKS), .BITS(`PB_EVENT_TDMA_AGE_WIDTH)) sync_ages (
        .clk(clk), .rst_i(rst_i), .sync_i(sync_in[1]), .second_i(sync_second), .edge_i(tdma_edge), .age_o(sync_age), .half_o(sync_age_half)
    );

    // ---- links
    reg [LINKS-1:0] link_meta, link_sync, half_meta;
    // Half a clock before link_sync the pin had the other level: it changed in the second half of the clock. A fault changes a line
    // at the edge of the clock, in the first half.
    reg [LINKS-1:0] link_second;
    always @(posedge clk) begin
        link_meta   <= link_i;
        link_sync   <= link_meta;
        half_meta   <= link_half_i;
        link_second <= link_meta ^ half_meta;
        if (rst_i) begin
            link_meta <= {LINKS{1'b1}};
            link_sync <= {LINKS{1'b1}};
        end
    end
    assign line_level = {{(64-LINKS){1'b1}}, link_sync};

    wire [LANES-1:0]    lane_underrun, lane_began, lane_ended;
    wire [5*LANES-1:0]  lane_kind;
    wire [6*LANES-1:0]  lane_link;
    wire [15*LANES-1:0] lane_number;
    wire [9*LANES-1:0]  lane_phase;
    wire [13*LANES-1:0] lane_superframe;
    wire [LINKS-1:0]    player_pull, player_sending;
    wire [NODES-1:0]    console_pull;
    pb_players #(.LINKS(LINKS), .LANES(LANES), .NODES(NODES), .DEPTH_LOG2(PLAY_DEPTH_LOG2)) players (
        .clk(clk), .rst_i(rst_i), .clear_i(safe), .wr_i(play_wr), .wr_data_i(play_data), .level_o(play_level),
        .running_i(running), .phase_i(phase), .superframe_i(superframe[15:0]), .elapsed_i(elapsed),
        .pull_o(player_pull), .sending_o(player_sending), .console_pull_o(console_pull),
        .underrun_o(lane_underrun), .record_phase_o(lane_phase), .record_superframe_o(lane_superframe),
        .began_o(lane_began), .ended_o(lane_ended), .kind_o(lane_kind), .link_o(lane_link), .number_o(lane_number)
    );

    wire [LINKS-1:0] line, wanted, fault_pull, fault_hold, cut, second_sending, outside, contention;
    pb_fault_lines #(.LINKS(LINKS), .UNITS(FAULTS), .FEEDBACK(FAULT_FEEDBACK)) fault_lines (
        .clk(`PB_FAULT_CLK), .rst_i(rst_i), .release_i(safe),
        .ready_i(fault_ready), .active_i(fault_active), .kind_i(fault_kind), .link_i(fault_link), .other_i(fault_other), .parameter_i(fault_parameter),
        .line_i(link_sync), .wanted_i(wanted), .outside_i(outside),
        .line_o(line), .pull_o(fault_pull), .hold_o(fault_hold), .cut_o(cut), .sending_o(second_sending)
    );
    pb_fabric #(.LINKS(LINKS), .JOIN(JOIN)) fabric (
        .clk(clk), .rst_i(rst_i), .release_i(safe),
        .mode_i(link_mode), .partner_i(link_partner), .blank_i(join_blank), .line_i(line),
        .player_pull_i(player_pull), .player_sending_i(player_sending), .fault_pull_i(fault_pull), .fault_hold_i(fault_hold),
        .cut_i(cut),
        .pull_o(link_pull_o), .high_o(link_high_o), .wanted_o(wanted), .outside_o(outside), .contention_o(contention)
    );

    // ---- violations
    reg         link_wr;        // reg_wdata is being written to LINK
    always @(posedge clk)
        link_wr <= reg_wr && (reg_addr ^ `PB_REG_LINK) >> 6 == 0;
    wire        watch_alarm, watch_take, watch_count;
    wire [4:0]  watch_code;
    wire [5:0]  watch_link;
    pb_line_watch #(.LINKS(LINKS), .LAG(6 + PIN_CLOCKS)) line_watch (
        .clk(clk), .rst_i(rst_i), .line_i(line), .outside_i(outside), .sending_i(player_sending | second_sending),
        .contention_i(contention), .tick_i(tick), .first_i(tick_pipe[PIN_PIPE_TOP-1]), .live_i(running_pipe[PIN_PIPE_TOP-1]), .phase_i(phase), .elapsed_i(elapsed),
        .guard_head_i(guard_head), .guard_tail_i(guard_tail),
        .phase_wr_i(link_wr), .phase_link_i(reg_addr[5:0]), .phase_data_i(reg_wdata[`PB_LINK_PHASE_RANGE]),
        .phase_set_i(link_written), .restart_i(safe),
        .alarm_o(watch_alarm), .code_o(watch_code), .link_o(watch_link), .ack_i(watch_take), .count_o(watch_count)
    );

    wire        alarm_valid, alarm_take, alarm_raised;
    wire [27:0] alarm_value;
    pb_alarms alarm_order (
        .clk(clk), .rst_i(rst_i), .trip_i(trip),
        .clock_alarm_i(clock_alarm), .clock_code_i(clock_alarm_code), .clock_ticks_i(clock_alarm_ticks),
        .watch_alarm_i(watch_alarm), .watch_code_i(watch_code), .watch_link_i(watch_link), .watch_count_i(watch_count),
        .watch_take_o(watch_take),
        .valid_o(alarm_valid), .value_o(alarm_value), .take_i(alarm_take), .raised_o(alarm_raised), .count_o(alarms)
    );

    // ---- LEDs
    pb_lights lights (
        .clk(clk), .rst_i(rst_i), .beat_i(stamp[23]), .good_i(good), .raised_i(alarm_raised), .abort_i(abort),
        .alive_o(alive_o), .fault_o(fault_o)
    );
    assign running_o = running;

    // ---- receipts: of the units, then of the lanes
    wire                  receipt_valid, receipt_take;
    wire [27:0]           receipt_value;
    // Eight clocks per event that can wait: both receipts of every source, an underrun of every lane, clock, phase and the event being
    // built, and four reports of edges, of which the next comes 32 clocks later. A report is
    // up to 22 clocks old when it begins to wait.
    localparam BRIEF_WAIT = $clog2(8 * (2 * FAULTS + 3 * LANES + 3 + (TDC_TAPS > 0 ? 8 : 0)));
    localparam BRIEF_BITS = BRIEF_WAIT > 7 ? BRIEF_WAIT + 1 : 8;
    wire [BRIEF_BITS-1:0] receipt_stamp;
    pb_receipts #(.SOURCES(UNITS + LANES), .STAMP_BITS(BRIEF_BITS), .DELAY(3 + PIN_CLOCKS)) receipts (
        .clk(clk), .rst_i(rst_i), .now_i(stamp[BRIEF_BITS-1:0]),
        .began_i({lane_began, fault_began}), .ended_i({lane_ended, fault_ended}), .late_i({{LANES{1'b0}}, fault_late}),
        .kind_i({lane_kind, fault_kind}), .link_i({lane_link, fault_link}), .number_i({lane_number, fault_number}),
        .valid_o(receipt_valid), .value_o(receipt_value), .stamp_o(receipt_stamp), .take_i(receipt_take && receipt_valid)
    );

    // ---- time-to-digital converter: its reports are captured after all waiting receipts
    wire                  report_valid;
    wire [21:0]           report_value;
    wire [BRIEF_BITS-1:0] report_stamp;
    assign tdc_enable_o    = tdc[`PB_TDC_ENABLE_LSB];
    assign tdc_calibrate_o = tdc[`PB_TDC_CALIBRATE_LSB];
    assign tdc_pin_o       = tdc[`PB_TDC_PIN_RANGE];
    generate if (TDC_TAPS > 0) begin : g_tdc
        reg [2:0] set_q;        // the register has its new value in the second clock after the write
        always @(posedge `PB_FAULT_CLK)
            set_q <= rst_i ? 3'd0 : {set_q[1:0], reg_wr && reg_addr == `PB_REG_TDC};
        assign tdc_set_o = set_q[2];
        pb_tdc #(.TAPS(TDC_TAPS), .STAMP_BITS(BRIEF_BITS)) encoder (
            .clk(`PB_FAULT_CLK), .rst_i(rst_i), .enable_i(tdc_enable_o), .set_i(set_q != 3'd0), .taps_i(tdc_taps_i), .now_i(stamp[BRIEF_BITS-1:0]),
            .valid_o(report_valid), .value_o(report_value), .stamp_o(report_stamp), .take_i(receipt_take && !receipt_valid)
        );
    end else begin : g_no_tdc
        assign {tdc_set_o, report_valid, report_value, report_stamp} = 0;
        wire unused_tdc = &{1'b0, tdc_taps_i};
    end endgenerate

    // ---- node control
    wire console_sync;
    pb_node_pins #(.NODES(NODES)) node_pins (
        .clk(clk), .rst_i(rst_i), .reset_i(node_reset[NODES-1:0]), .boot_i(node_boot[NODES-1:0]),
        .console_pull_i(console_pull), .select_i(console_select), .console_o(console_sync),
        .node_nrst_o(node_nrst_o), .node_boot0_o(node_boot0_o), .uart0_o(uart0_o), .uart0_i(uart0_i)
    );

    pb_capture #(
        .LINKS(LINKS), .LANES(LANES), .RECEIVERS(RECEIVERS), .HALF_TICKS(HALF_TICKS), .DEPTH_LOG2(EVENT_DEPTH_LOG2), .BRIEF_BITS(BRIEF_BITS)
    ) capture (
        .clk(clk), .rst_i(rst_i), .enable_i(ctrl[`PB_CTRL_CAPTURE_LSB]), .stamp_o(stamp),
        // phase and superframe are still those of shown_tick, as a phase is longer than its delay.
        .tick_i(shown_tick), .phase_i(phase), .superframe_i(superframe[12:0]), .running_i(shown_running),
        .line_i(line), .second_i(link_second), .edge_mask_i(edge_mask[LINKS-1:0]),
        .byte_mask_i(byte_mask[LINKS-1:0]), .bit_period_i(bit_period),
        .console_i(console_sync), .console_period_i(console_period),
        .underrun_i(lane_underrun), .underrun_phase_i(lane_phase), .underrun_superframe_i(lane_superframe),
        .tdma_i(tdma_edge), .tdma_sync_i(tdma_edge_sync), .tdma_second_i(clk_second),
        .tdma_age_i(sync_age), .tdma_age_half_i(sync_age_half),
        .receipt_valid_i(receipt_valid || report_valid), .receipt_tdc_i(!receipt_valid && TDC_TAPS > 0),
        .receipt_value_i(receipt_valid || TDC_TAPS == 0 ? receipt_value : `PB_EVENT_TOLD_PACK(tdc_pin_o, report_value)),
        .receipt_stamp_i(receipt_valid || TDC_TAPS == 0 ? receipt_stamp : report_stamp),
        .receipt_take_o(receipt_take),
        .alarm_valid_i(alarm_valid), .alarm_value_i(alarm_value), .alarm_take_o(alarm_take),
        .event_valid_o(event_valid), .event_o(event_word), .event_ready_i(event_ready), .event_level_o(event_level),
        .lost_o(events_lost)
    );

    wire unused = &{1'b0, scratch, link_phase, stamp[53:32], ctrl, node_reset, node_boot, edge_mask, byte_mask};
endmodule

`default_nettype wire
