// SPDX-FileCopyrightText: The phasebench authors
// SPDX-License-Identifier: Apache-2.0
//
// Capture: turns everything that happens into time-stamped events and keeps them until the host fetches them.
//
// One event of 64 bits is written per clock at most, in this order of precedence: overflow, clock, phase, underrun, edge, byte,
// console, heartbeat. A source that has to wait keeps its own stamp. Edges of several lines at once go through
// a short buffer of (stamp, levels) first. When the buffer is full, events are counted instead of stored, and the
// first event after room is there again is an overflow event with their number: events are lost, never silently.
// Layout of an event: rtl/proto/regs.def.
//
// Time: stamps count clocks since reset. A line edge carries the clock at which the synchroniser's output changed, two clocks
// after the pin; tick_i must be delayed by as much as the pin of TDMA_CLK plus these two clocks, so that an edge at the
// very instant of the clock edge has its stamp.
// Reset: empty, stamp 0. While enable_i is low nothing is recorded.
`default_nettype none
`include "pb_regs.vh"

module pb_capture #(
    parameter LINKS      = 12,  // 1..64
    parameter LANES      = 3,   // 1..32
    parameter DEPTH_LOG2 = 9    // log2 of events
) (
    input  wire                clk,
    input  wire                rst_i,
    input  wire                enable_i,

    output reg  [53:0]         stamp_o,

    input  wire                tick_i,
    input  wire [8:0]          phase_i,
    input  wire [12:0]         superframe_i,
    input  wire                running_i,

    input  wire [LINKS-1:0]    line_i,        // synchronised
    input  wire [LINKS-1:0]    edge_mask_i,
    input  wire [LINKS-1:0]    byte_mask_i,
    input  wire [19:0]         bit_period_i,  // Q16.4 ticks

    input  wire                console_i,     // synchronised UART0 line
    input  wire [19:0]         console_period_i,

    input  wire [LANES-1:0]    underrun_i,
    input  wire [9*LANES-1:0]  underrun_phase_i,
    input  wire [13*LANES-1:0] underrun_superframe_i,

    output wire                event_valid_o,
    output wire [63:0]         event_o,
    input  wire                event_ready_i,
    output wire [DEPTH_LOG2:0] event_level_o,
    output reg  [31:0]         lost_o
);
    localparam INDEX_BITS = LINKS > 1 ? $clog2(LINKS) : 1;
    localparam LANE_BITS  = LANES > 1 ? $clog2(LANES) : 1;

    // ---- edges: a buffer of level vectors, then one event per changed line
    reg  [LINKS-1:0] line_q;
    wire             edge_any = ((line_i ^ line_q) & edge_mask_i) != 0 && enable_i;
    wire             vector_full, vector_valid, vector_pop;
    wire [8:0]       vector_level;
    wire [LINKS-1:0] vector_levels;
    wire [31:0]      vector_stamp;
    reg  [LINKS-1:0] seen_q;           // levels that the events so far describe
    wire [LINKS-1:0] changed = (vector_levels ^ seen_q) & edge_mask_i;

    pb_fifo #(.WIDTH(32 + LINKS), .DEPTH_LOG2(8)) vectors (
        .clk(clk), .rst_i(rst_i), .clear_i(1'b0),
        .wr_i(edge_any), .wr_data_i({stamp_o[31:0], line_i}), .full_o(vector_full),
        .rd_valid_o(vector_valid), .rd_data_o({vector_stamp, vector_levels}), .rd_ready_i(vector_pop),
        .level_o(vector_level)
    );

    function [INDEX_BITS-1:0] lowest;
        input [LINKS-1:0] bits;
        integer n;
        begin
            lowest = 0;
            for (n = LINKS - 1; n >= 0; n = n - 1)
                if (bits[n])
                    lowest = n[INDEX_BITS-1:0];
        end
    endfunction

    wire [INDEX_BITS-1:0] edge_link  = lowest(changed);
    wire                  edge_last  = (changed & (changed - 1)) == 0;
    wire                  edge_valid = vector_valid && changed != 0;
    wire                  edge_take;
    assign vector_pop = vector_valid && (changed == 0 || (edge_take && edge_last));

    // Edges whose vector found the short buffer full: each changed line counts.
    reg [6:0] edges_dropped;
    integer   e;
    always @* begin
        edges_dropped = 7'd0;
        if (edge_any && vector_full)
            for (e = 0; e < LINKS; e = e + 1)
                edges_dropped = edges_dropped + {6'd0, (line_i[e] ^ line_q[e]) & edge_mask_i[e]};
    end

    // ---- bytes
    wire [15:0] bit_ticks, half_ticks, console_ticks, console_half;
    wire [9:0]  carry, console_carry;
    pb_bit_timing link_timing (.period_i(bit_period_i), .bit_ticks_o(bit_ticks), .half_ticks_o(half_ticks), .carry_o(carry));
    pb_bit_timing console_timing (.period_i(console_period_i), .bit_ticks_o(console_ticks), .half_ticks_o(console_half),
                                  .carry_o(console_carry));

    wire [LINKS-1:0]    byte_done, byte_lost, byte_ack;
    wire [30*LINKS-1:0] byte_report;   // {edge_left, stop_ok, data, age}
    genvar i;
    generate for (i = 0; i < LINKS; i = i + 1) begin : g_receiver
        pb_uart_rx receiver (
            .clk(clk), .rst_i(rst_i),
            .bit_ticks_i(bit_ticks), .half_ticks_i(half_ticks), .carry_i(carry),
            .line_i(line_i[i]), .line_last_i(line_q[i]),
            .done_o(byte_done[i]), .ack_i(byte_ack[i]),
            .data_o(byte_report[30*i+8 +: 8]), .stop_ok_o(byte_report[30*i+16]), .edge_left_o(byte_report[30*i+17 +: 13]),
            .age_o(byte_report[30*i +: 8]), .lost_o(byte_lost[i])
        );
    end endgenerate

    wire [LINKS-1:0]      byte_wanted = byte_done & byte_mask_i;
    wire                  byte_valid  = byte_wanted != 0;
    wire [INDEX_BITS-1:0] byte_link   = lowest(byte_wanted);
    wire                  byte_take;
    assign byte_ack = ({{(LINKS-1){1'b0}}, byte_take} << byte_link) | (byte_done & ~byte_mask_i);

    // An AND-OR multiplexer: the stride of the reports is no power of two, which a variable part-select would pay for.
    reg [29:0] report;
    integer    b;
    always @* begin
        report = 30'd0;
        for (b = 0; b < LINKS; b = b + 1)
            report = report | (byte_report[30*b +: 30] & {30{byte_link == b[INDEX_BITS-1:0]}});
    end

    reg         console_q;
    wire        console_done, console_take, console_lost, console_ok;
    wire [7:0]  console_data, console_age;
    wire [12:0] console_edge;
    pb_uart_rx console (
        .clk(clk), .rst_i(rst_i),
        .bit_ticks_i(console_ticks), .half_ticks_i(console_half), .carry_i(console_carry),
        .line_i(console_i), .line_last_i(console_q),
        .done_o(console_done), .ack_i(console_take),
        .data_o(console_data), .stop_ok_o(console_ok), .edge_left_o(console_edge),
        .age_o(console_age), .lost_o(console_lost)
    );

    // ---- short-lived sources wait here
    reg         clock_pending, phase_pending, beat_pending, running_q, clock_level;
    reg  [31:0] clock_stamp, phase_stamp, beat_stamp;
    reg  [21:0] phase_value;
    reg  [LANES-1:0] underrun_pending;
    reg  [31:0] underrun_stamp;
    reg  [LANE_BITS-1:0] underrun_lane;
    reg  [21:0] underrun_value;
    integer     u;
    always @* begin
        underrun_lane  = 0;
        underrun_value = 22'd0;
        for (u = LANES - 1; u >= 0; u = u - 1)
            if (underrun_pending[u]) begin
                underrun_lane  = u[LANE_BITS-1:0];
                underrun_value = {underrun_superframe_i[13*u +: 13], underrun_phase_i[9*u +: 9]};
            end
    end

    // ---- one event per clock
    reg  [27:0] lost_pending;
    wire        full;
    wire        overflow = lost_pending != 28'd0 && !full;
    wire [7:0]  request  = {overflow, clock_pending, phase_pending, underrun_pending != 0, edge_valid, byte_valid,
                            console_done, beat_pending};
    wire [7:0]  grant    = {request[7], request[6] && !request[7], request[5] && request[7:6] == 0,
                            request[4] && request[7:5] == 0, request[3] && request[7:4] == 0,
                            request[2] && request[7:3] == 0, request[1] && request[7:2] == 0,
                            request[0] && request[7:1] == 0};
    assign edge_take    = grant[3];
    assign byte_take    = grant[2];
    assign console_take = grant[1];

    reg [63:0] next_event;
    always @* begin
        case (1'b1)
            grant[7]: next_event = {`PB_EVENT_OVERFLOW, lost_pending, stamp_o[31:0]};
            grant[6]: next_event = {`PB_EVENT_CLOCK, 6'd0, 21'd0, clock_level, clock_stamp};
            grant[5]: next_event = {`PB_EVENT_PHASE, 6'd0, phase_value, phase_stamp};
            grant[4]: next_event = {`PB_EVENT_UNDERRUN, {(6-LANE_BITS){1'b0}}, underrun_lane, underrun_value, underrun_stamp};
            grant[3]: next_event = {`PB_EVENT_EDGE, {(6-INDEX_BITS){1'b0}}, edge_link, 21'd0, vector_levels[edge_link], vector_stamp};
            grant[2]: next_event = {`PB_EVENT_BYTE, {(6-INDEX_BITS){1'b0}}, byte_link, report[29:8],
                                    stamp_o[31:0] - {24'd0, report[7:0]}};
            grant[1]: next_event = {`PB_EVENT_CONSOLE, 6'd0, 13'd0, console_ok, console_data,
                                    stamp_o[31:0] - {24'd0, console_age}};
            default:  next_event = {`PB_EVENT_HEARTBEAT, 6'd0, stamp_o[53:32], beat_stamp};
        endcase
    end

    wire store = grant != 8'd0 && enable_i;
    pb_fifo #(.WIDTH(64), .DEPTH_LOG2(DEPTH_LOG2)) events (
        .clk(clk), .rst_i(rst_i), .clear_i(1'b0),
        .wr_i(store), .wr_data_i(next_event), .full_o(full),
        .rd_valid_o(event_valid_o), .rd_data_o(event_o), .rd_ready_i(event_ready_i),
        .level_o(event_level_o)
    );

    // Receivers that replaced an unfetched byte (a storm on very many lines): at most one a clock is counted per line.
    reg [6:0] bytes_dropped;
    integer   d;
    always @* begin
        bytes_dropped = {6'd0, console_lost};
        for (d = 0; d < LINKS; d = d + 1)
            bytes_dropped = bytes_dropped + {6'd0, byte_lost[d] & byte_mask_i[d]};
    end

    wire [7:0]  lost_now = {1'b0, edges_dropped} + {1'b0, bytes_dropped} + {7'd0, store && full};
    wire [28:0] lost_sum = {1'b0, overflow ? 28'd0 : lost_pending} + {21'd0, enable_i ? lost_now : 8'd0};

    always @(posedge clk) begin
        stamp_o      <= stamp_o + 54'd1;
        line_q       <= line_i;
        console_q    <= console_i;
        running_q    <= running_i;
        lost_pending <= lost_sum[28] ? 28'hfffffff : lost_sum[27:0];
        lost_o       <= lost_o + {24'd0, enable_i ? lost_now : 8'd0};

        if (grant[6])
            clock_pending <= 1'b0;
        if (running_i != running_q) begin
            clock_pending <= 1'b1;
            clock_level   <= running_i;
            clock_stamp   <= stamp_o[31:0];
        end
        if (grant[5])
            phase_pending <= 1'b0;
        if (tick_i) begin
            phase_pending <= 1'b1;
            phase_stamp   <= stamp_o[31:0];
            phase_value   <= {superframe_i, phase_i};
        end
        if (grant[0])
            beat_pending <= 1'b0;
        if (stamp_o[23:0] == 24'd0) begin
            beat_pending <= 1'b1;
            beat_stamp   <= stamp_o[31:0];
        end
        underrun_pending <= (underrun_pending & ~({{(LANES-1){1'b0}}, grant[4]} << underrun_lane)) | underrun_i;
        if (underrun_pending == 0)
            underrun_stamp <= stamp_o[31:0];

        if (!enable_i)
            seen_q <= line_i;
        else begin
            // Lines that are not recorded must not look changed when their mask is set later.
            seen_q <= (seen_q & edge_mask_i) | (line_i & ~edge_mask_i);
            if (edge_take)
                seen_q[edge_link] <= vector_levels[edge_link];
        end

        if (rst_i) begin
            stamp_o          <= 54'd0;
            line_q           <= {LINKS{1'b1}};
            seen_q           <= {LINKS{1'b1}};
            console_q        <= 1'b1;
            running_q        <= 1'b0;
            lost_pending     <= 28'd0;
            lost_o           <= 32'd0;
            clock_pending    <= 1'b0;
            phase_pending    <= 1'b0;
            beat_pending     <= 1'b0;
            underrun_pending <= 0;
        end
    end

    wire unused = &{1'b0, vector_level, console_edge};
endmodule

`default_nettype wire
