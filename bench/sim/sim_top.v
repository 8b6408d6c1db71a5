// SPDX-FileCopyrightText: The phasebench authors
// SPDX-License-Identifier: Apache-2.0
//
// Top module of the simulation: the core with all of its host ports: a byte stream (at most one byte per
// clock), the UART, both 245 FIFOs. The FIFOs have the registers of their pads (rtl/board/pb_fifo_pads.v) and
// split data pins. host_port_i selects the port; an unselected FIFO is in reset. uart_clks_per_bit_i sets the
// bit period. Neither may change while bytes are in transit.
//
// With PB_ANY_RATE the rate of clk is an input, used by the register CLK_HZ and the watchdog. The
// asynchronous FIFO keeps the strobes of CLK_HZ, which only get longer.
//
// With PB_LEAP a clock edge represents clocks_i clocks, for the counters and grants that advance while
// nothing happens (rtl/core/pb_clocks.vh). While rest_ask_i is high, rest_o is the number of clocks, with all
// else at rest, before one of these counters reaches a value with an effect; the edge with that value is not
// counted. Sender with UART, receiver of packets and fault units have clocks of their own: an edge of them may
// be left out while they are not busy. sender_rest_o is rest_o for the UART alone.
`default_nettype none
`include "pb_clocks.vh"
`include "pb_regs.vh"
`include "pb_sim_skip.vh"

module sim_top #(
    parameter LINKS = 12,
    parameter LANES = 3,
    parameter NODES = 1,
    parameter FAULTS = 4,
    parameter HALF_TICKS = 1,
    parameter EVENT_DEPTH_LOG2 = 9,
    parameter TDC_TAPS = 0, // of bench/sim/chain.h
    parameter FIFOS = 0,    // 1: with the FIFOs, which slow the simulation down
    parameter [31:0] CLK_HZ = 48000000
) (
    input  wire             clk,
    input  wire             rst_i,
`ifdef PB_ANY_RATE
    input  wire [31:0]      clk_hz_i,       // rate of clk, up to CLK_HZ; 0: CLK_HZ. Set before the first evaluation
    input  wire [$clog2(CLK_HZ/1000)-1:0] ms_last_i,    // floor(clk_hz_i / 1000) - 2
`endif
`ifdef PB_LEAP
    input  wire [10:0]      clocks_i,
    input  wire             rest_ask_i,
    output reg  [31:0]      rest_o,
    input  wire             sender_clk_i,
    input  wire             host_clk_i,
    input  wire             fault_clk_i,
    output wire             sender_busy_o,
    output wire             sender_asks_o,
    output reg  [31:0]      sender_rest_o,
    output wire             port_receives_o,
    output wire             host_busy_o,
    output wire             fault_busy_o,
`endif

    input  wire [1:0]       host_port_i,    // 0 stream, 1 UART, 2 asynchronous FIFO, 3 synchronous FIFO
    input  wire [7:0]       uart_clks_per_bit_i,
    input  wire             uart_rx_i,
    output wire             uart_tx_o,
    input  wire             host_rx_valid_i,
    input  wire [7:0]       host_rx_data_i,
    output wire             host_rx_ready_o,
    output wire             host_tx_valid_o,
    output wire [7:0]       host_tx_data_o,
    input  wire             host_tx_ready_i,
    input  wire             fifo_clk_i,     // CLKOUT
    input  wire             fifo_rxf_n_i,
    input  wire             fifo_txe_n_i,
    input  wire [7:0]       fifo_data_i,
    output wire             fifo_oe_n_o,
    output wire             fifo_rd_n_o,
    output wire             fifo_wr_n_o,
    output wire             fifo_siwu_n_o,
    output wire [7:0]       fifo_data_o,
    output wire             fifo_drive_o,

    output wire             running_o,
    output wire             tdma_clk_o,
    output wire             tdma_sync_o,
    output wire             tdma_drive_o,
    input  wire             tdma_clk_i,
    input  wire             tdma_sync_i,
    input  wire             tdma_half_i,
    input  wire             sync_half_i,
    input  wire [LINKS-1:0] link_i,
    input  wire [LINKS-1:0] link_half_i,
    output wire [LINKS-1:0] link_pull_o,
    output wire [LINKS-1:0] link_high_o,
    input  wire [(TDC_TAPS > 0 ? TDC_TAPS : 1)-1:0] tdc_taps_i,     // the registers of the chain, sampled with link_i
    output wire             tdc_enable_o,
    output wire             tdc_calibrate_o,
    output wire [5:0]       tdc_pin_o,
    output wire [NODES-1:0] node_nrst_o,
    output wire [NODES-1:0] node_boot0_o,
    output wire [NODES-1:0] uart0_o,
    input  wire [NODES-1:0] uart0_i
);
    localparam [1:0] STREAM = 2'd0, UART = 2'd1, FIFO = 2'd2, SYNC_FIFO = 2'd3;
    wire [1:0] lights;
    wire       unused = &{1'b0, lights};
    wire       uart = host_port_i == UART, fifo = host_port_i == FIFO, sync = host_port_i == SYNC_FIFO;
    wire       core_rx_ready, core_tx_valid;
    assign host_tx_valid_o = core_tx_valid && host_port_i == STREAM;
    assign host_rx_ready_o = core_rx_ready;

    wire       uart_valid, uart_ready;
    wire [7:0] uart_data;
    pb_host_uart host_uart (
        .clk(`PB_SENDER_CLK), .rst_i(rst_i), .clks_per_bit_i(uart_clks_per_bit_i), .uart_rx_i(uart_rx_i), .uart_tx_o(uart_tx_o),
        .rx_valid_o(uart_valid), .rx_data_o(uart_data),
        .tx_valid_i(core_tx_valid && uart), .tx_data_i(host_tx_data_o), .tx_ready_o(uart_ready)
    );

    wire        fifo_valid, fifo_ready, sync_valid, sync_ready;
    wire [7:0]  fifo_data, sync_data;
    generate if (FIFOS != 0) begin : g_fifos
        reg  [9:0]  fifo_in_q  = 10'h3ff;   // RXF#, TXE#, data, as the pads sampled them
        reg  [10:0] fifo_out_q = 11'h7ff;   // RD#, WR#, SIWU#, data
        wire [10:0] fifo_out;
        wire        fifo_drive;
        always @(posedge clk) begin
            fifo_in_q  <= {!fifo || fifo_rxf_n_i, !fifo || fifo_txe_n_i, fifo_data_i};
            fifo_out_q <= fifo_out;
        end
        pb_host_fifo_async #(.CLK_HZ(CLK_HZ)) host_fifo (
            .clk(clk), .rst_i(rst_i || !fifo), .rx_valid_o(fifo_valid), .rx_data_o(fifo_data), .rx_ready_i(core_rx_ready && fifo),
            .tx_valid_i(core_tx_valid && fifo), .tx_data_i(host_tx_data_o), .tx_ready_o(fifo_ready),
            .ft_rxf_n_i(fifo_in_q[9]), .ft_txe_n_i(fifo_in_q[8]), .ft_data_i(fifo_in_q[7:0]),
            .ft_rd_n_o(fifo_out[10]), .ft_wr_n_o(fifo_out[9]), .ft_siwu_n_o(fifo_out[8]), .ft_data_o(fifo_out[7:0]),
            .ft_drive_o(fifo_drive)
        );

        reg  [9:0]  sync_in_q  = 10'h3ff;
        reg  [11:0] sync_out_q = 12'hfff;   // OE#, RD#, WR#, SIWU#, data
        wire [11:0] sync_out;
        wire        sync_drive;
        always @(posedge fifo_clk_i) begin
            sync_in_q  <= {fifo_rxf_n_i, fifo_txe_n_i, fifo_data_i};
            sync_out_q <= sync_out;
        end
        pb_host_fifo_sync host_fifo_sync (
            .clk(clk), .rst_i(rst_i || !sync), .rx_valid_o(sync_valid), .rx_data_o(sync_data), .rx_ready_i(core_rx_ready && sync),
            .tx_valid_i(core_tx_valid && sync), .tx_data_i(host_tx_data_o), .tx_ready_o(sync_ready),
            .ft_clk(fifo_clk_i), .ft_rxf_n_i(sync_in_q[9]), .ft_txe_n_i(sync_in_q[8]), .ft_data_i(sync_in_q[7:0]),
            .ft_oe_n_o(sync_out[11]), .ft_rd_n_o(sync_out[10]), .ft_wr_n_o(sync_out[9]), .ft_siwu_n_o(sync_out[8]),
            .ft_data_o(sync_out[7:0]), .ft_drive_o(sync_drive)
        );
        assign {fifo_rd_n_o, fifo_wr_n_o, fifo_siwu_n_o, fifo_data_o} = sync ? sync_out_q[10:0] : fifo_out_q;
        assign fifo_oe_n_o  = !sync || sync_out_q[11];
        assign fifo_drive_o = sync ? sync_drive : fifo_drive;
    end else begin : g_no_fifos
        assign {fifo_valid, fifo_ready, fifo_data, sync_valid, sync_ready, sync_data} = 20'd0;
        assign {fifo_oe_n_o, fifo_rd_n_o, fifo_wr_n_o, fifo_siwu_n_o, fifo_data_o, fifo_drive_o} = {12'hfff, 1'b0};
        wire unused_fifos = &{1'b0, fifo, sync, fifo_clk_i, fifo_rxf_n_i, fifo_txe_n_i, fifo_data_i};
    end endgenerate

    wire unused_set;

    pb_core #(.LINKS(LINKS), .LANES(LANES), .NODES(NODES), .FAULTS(FAULTS), .HALF_TICKS(HALF_TICKS), .TDC_TAPS(TDC_TAPS),
              .EVENT_DEPTH_LOG2(EVENT_DEPTH_LOG2), .CLK_HZ(CLK_HZ)) core (
        .clk(clk), .rst_i(rst_i),
        .host_rx_valid_i(uart ? uart_valid : fifo ? fifo_valid && core_rx_ready : sync ? sync_valid && core_rx_ready : host_rx_valid_i),
        .host_rx_data_i(uart ? uart_data : fifo ? fifo_data : sync ? sync_data : host_rx_data_i),
        .host_rx_ready_o(core_rx_ready),
        .host_tx_valid_o(core_tx_valid), .host_tx_data_o(host_tx_data_o),
        .host_tx_ready_i(uart ? uart_ready : fifo ? fifo_ready : sync ? sync_ready : host_tx_ready_i),
        .tdma_clk_o(tdma_clk_o), .tdma_sync_o(tdma_sync_o), .tdma_drive_o(tdma_drive_o),
        .tdma_clk_i(tdma_clk_i), .tdma_sync_i(tdma_sync_i), .tdma_half_i(tdma_half_i), .sync_half_i(sync_half_i),
        .link_i(link_i), .link_half_i(link_half_i), .link_pull_o(link_pull_o), .link_high_o(link_high_o),
        .tdc_taps_i(tdc_taps_i), .tdc_enable_o(tdc_enable_o), .tdc_set_o(unused_set), .tdc_calibrate_o(tdc_calibrate_o), .tdc_pin_o(tdc_pin_o),
        .node_nrst_o(node_nrst_o), .node_boot0_o(node_boot0_o), .uart0_o(uart0_o), .uart0_i(uart0_i),
        .alive_o(lights[0]), .running_o(running_o), .fault_o(lights[1])
    );

`ifdef PB_LEAP
    // Parts with a clock of their own. Each is busy when a register of it may change, except those that follow others by a few clocks.
    assign sender_busy_o = core.event_tx.state_q != 2'd0 || core.event_tx.request_o || core.events_grant || core.reply_grant ||
                           core.packet_tx.state_q != 3'd0 || core.packet_tx.full_q || core.host_tx_valid_o ||
                           host_uart.tx_left_q != 4'd0 || !uart_tx_o;
    // It is about to change, or changes, a register of another part: also when it takes a word out of a full buffer for whose room an event waits.
    assign sender_asks_o = (core.event_tx.request_o && core.event_tx.state_q == 2'd0) || core.credit_used || core.reply_request || core.capture.event_wait;
    assign port_receives_o = host_uart.rx_busy_q || uart_valid;
    assign host_busy_o   = rst_i || core.host_rx_valid_i || core.packet_rx.take_flag || core.packet_rx.take_data || core.packet_rx.bad_q ||
                           core.packet_rx.lost_q || core.packet_valid || core.packet_done || core.good || core.credit_used || core.command.state_q != 4'd0;
    wire [FAULTS-1:0] unit_busy;
    genvar b;
    generate
        for (b = 0; b < FAULTS; b = b + 1) begin : g_busy
            assign unit_busy[b] = core.fault_bank.g_units.g_unit[b].unit.busy || core.fault_wr[b] ||
                                  core.fault_level[(core.FAULT_DEPTH_LOG2+1)*b +: core.FAULT_DEPTH_LOG2+1] != 0 ||
                                  core.fault_lines.g_some.g_unit[b].rising_q;
        end
    endgenerate
    assign fault_busy_o = rst_i || core.safe || unit_busy != 0 || core.tdc_enable_o || (core.reg_wr && core.reg_addr == `PB_REG_TDC) || core.report_valid;

    wire [10:0] left_over = clocks_i % LINKS[10:0];
    wire [5:0]  turns     = left_over[5:0];     // of the grants of pb_line_watch, after whole rounds
    wire        unused_rounds = &{1'b0, left_over[10:6]};

    // The smaller of so_far and the clocks until a counter with the value `now` reaches `at`.
    function [31:0] up_to;
        input [31:0] so_far, now, at;
        up_to = now < at && at - now < so_far ? at - now : so_far;
    endfunction
    // The same for a counter that counts down; 0 if it is below `at`.
    function [31:0] down_to;
        input [31:0] so_far, now, at;
        down_to = now < at ? 32'd0 : now - at < so_far ? now - at : so_far;
    endfunction
    // Like up_to, for a comparison with a register that follows the counter by one or two clocks.
    function [31:0] up_to_late;
        input [31:0] so_far, now, at;
        up_to_late = now >= at && now <= at + 32'd2 ? 32'd0 : up_to(so_far, now, at);
    endfunction

    localparam [31:0] ELAPSED_END = 32'h7fffffe;    // the phase ends, or elapsed_o saturates
    localparam [31:0] CARRY_AHEAD = 32'h3ffe;       // of the lower 14 bits of the stamp
    localparam [31:0] FLUSH       = 32'd4095;
    localparam [31:0] AGE_END     = 32'h1fffe;      // the age of TDMA_SYNC saturates

    // The rest that lanes, fault units and receivers allow, one after the other; the console is the last receiver. A waiting record may
    // begin in any phase; its offset has 24 bits.
    wire [31:0] ticks = rest_ask_i ? {8'd0, core.phase_gen.elapsed_o[23:0]} : 32'd0;
    genvar g;
    generate
        for (g = 0; g < LANES; g = g + 1) begin : g_lane
            wire [31:0] others;
            reg  [31:0] rest;
            if (g == 0) begin : g_first
                assign others = 32'hffffffff;
            end else begin : g_next
                assign others = g_lane[g-1].rest;
            end
            always @* begin
                rest = 32'd0;
                if (rest_ask_i) begin
                    rest = others;
                    if (core.players.g_lane[g].lane.waits && core.running)
                        rest = up_to_late(rest, ticks, {8'd0, core.players.g_lane[g].lane.offset});
                    if (core.players.g_lane[g].lane.send)
                        rest = down_to(rest, {16'd0, core.players.g_lane[g].lane.timer_q}, 32'd2);
                end
            end
        end
        for (g = 0; g < FAULTS; g = g + 1) begin : g_unit
            wire [31:0] others;
            reg  [31:0] rest;
            if (g == 0) begin : g_first
                assign others = g_lane[LANES-1].rest;
            end else begin : g_next
                assign others = g_unit[g-1].rest;
            end
            always @* begin
                rest = 32'd0;
                if (rest_ask_i) begin
                    rest = others;
                    if (core.fault_bank.g_units.g_unit[g].unit.ready_o && core.running)
                        rest = up_to_late(rest, ticks, {8'd0, core.fault_bank.g_units.g_unit[g].unit.header_q[`PB_FAULT_RECORD_OFFSET_RANGE]});
                end
            end
        end
        for (g = 0; g <= LINKS; g = g + 1) begin : g_receiver
            wire [31:0] others;
            reg  [31:0] rest;
            if (g == 0) begin : g_first
                assign others = g_unit[FAULTS-1].rest;
            end else begin : g_next
                assign others = g_receiver[g-1].rest;
            end
            always @* begin
                rest = 32'd0;
                if (rest_ask_i) begin
                    rest = others;
                    if (!core.capture.receivers.g_receiver[g].receiver.idle_q) begin
                        rest = down_to(rest, {17'd0, core.capture.receivers.g_receiver[g].receiver.timer_q}, 32'd0);
                        if (core.capture.receivers.g_receiver[g].receiver.measure_q)
                            rest = up_to(rest, {19'd0, core.capture.receivers.g_receiver[g].receiver.edge_left_o}, 32'd8191);
                    end
                end
            end
        end
    endgenerate

    // The rest that the UART allows, which has the sender's clock.
    always @* begin
        sender_rest_o = 32'd0;
        if (rest_ask_i) begin
            sender_rest_o = 32'hffffffff;
            if (host_uart.tx_left_q != 4'd0)
                sender_rest_o = down_to(sender_rest_o, {24'd0, host_uart.tx_timer_q}, 32'd0);
            if (host_uart.rx_busy_q)
                sender_rest_o = down_to(sender_rest_o, {24'd0, host_uart.rx_timer_q}, 32'd0);
        end
    end

    // pb_capture: a source, or a number of lost events for which there is room, waits for its turn, which does not come while the
    // grants are stopped; or the last event still decides whose the next turn is.
    wire turn_due = core.capture.request != 0 || (core.capture.room && (core.capture.lost_any || core.capture.lost_new)) ||
                    core.capture.told_lost || core.capture.told_often;

    integer k;
    reg [31:0] elapsed;
    reg [28:0] off;     // deviation of the next edge of TDMA_CLK
    always @* begin
        {rest_o, elapsed} = 64'd0;
        off = 29'd0;
        if (rest_ask_i) begin
            elapsed = {5'd0, core.phase_gen.elapsed_o};
            off     = core.clock_monitor.time_q;
            // pb_line_watch: an alarm waits for the grant of its line, which does not come while the counters are stopped
            rest_o  = core.line_watch.wait_q != 0 || turn_due ? 32'd0 : g_receiver[LINKS].rest;
            // pb_fabric: a released line is judged again
            for (k = 0; k < LINKS; k = k + 1)
                if (core.fabric.blank_q[k] && !link_pull_o[k])
                    rest_o = down_to(rest_o, {24'd0, core.fabric.g_join.left_q[8*k +: 8]}, 32'd1);
            // pb_capture: the stamp's carry, and with it heartbeats
            rest_o = up_to(rest_o, {18'd0, core.capture.stamp_o[13:0]}, CARRY_AHEAD);
            // pb_watchdog: a millisecond ends
            rest_o = down_to(rest_o, {{(32-core.watchdog.BITS){1'b0}}, core.watchdog.clocks_q}, 32'd0);
            // pb_sync_age: the age saturates
            if (!core.sync_ages.full_q)
                rest_o = up_to(rest_o, {15'd0, core.sync_ages.count_q}, AGE_END);
            // pb_event_tx: waiting events are sent
            rest_o = up_to(rest_o, {20'd0, core.event_tx.timer_q}, FLUSH);
            // pb_clock_monitor: the deviation passes 0, reaches two periods, or saturates
            if (!core.clock_monitor.load_q) begin
                if (off[28])
                    rest_o = up_to(rest_o, {4'd0, off[27:0]}, 32'h0fffffff);
                else begin
                    rest_o = up_to(rest_o, {3'd0, off}, {5'd0, core.period_ticks});
                    rest_o = up_to(rest_o, {3'd0, off}, 32'h08000000);
                end
            end
            if (core.running) begin
                // pb_phase_gen: the actions of the first 64 clocks, the end of the phase, and no edge for two periods
                if (!core.phase_gen.min_length_q)
                    rest_o = 32'd0;
                rest_o = up_to(rest_o, elapsed, {4'd0, core.phase_gen.last_q});
                rest_o = up_to(rest_o, elapsed, ELAPSED_END);
                rest_o = up_to(rest_o, elapsed, {4'd0, core.period_ticks, 1'b0});
                // pb_line_watch: guards
                rest_o = up_to(rest_o, elapsed, {8'd0, core.guard_head});
                rest_o = up_to(rest_o, elapsed, {5'd0, core.guard_tail});
                // pb_player_lane, pb_fault_unit: a phase exceeds all offsets
                rest_o = up_to_late(rest_o, ticks, 32'h01000000);
            end
            // TDMA_CLK falls
            if (core.phase_gen.tdma_clk_o)
                rest_o = down_to(rest_o, {5'd0, core.phase_gen.high_q}, 32'd1);
        end
    end
`endif
endmodule

`default_nettype wire
