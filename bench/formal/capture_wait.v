// SPDX-FileCopyrightText: The phasebench authors
// SPDX-License-Identifier: Apache-2.0
//
// pb_capture: a source with room for one waiting event is served within WAIT clocks. In every clock an alarm
// may be pending, TDMA_CLK may rise and edges may be lost. Assumed: each other source raises an event at most
// every GAP clocks (64 in the core). A receipt comes at least 32 clocks after the last one was taken. The
// host takes an event at most every eighth clock, as an event is eight bytes. capture.v assumes the
// consequence: the room is free when the next event comes. WAIT is far below the 127 clocks for which the
// stamps of these sources are valid.
//
// sources: core/pb_capture.v core/pb_receivers.v core/pb_popcount.v ./short_fifo.v ./free_receiver.v
// probe: clock_pending dut.clock_pending
// probe: phase_pending dut.phase_pending
// probe: tdma_pending dut.tdma_pending
// probe: underrun_pending dut.underrun_pending
// probe: tdma_take dut.tdma_take
// probe: events_used dut.events.used
`default_nettype none

module proof_capture_wait #(
    parameter LINKS = 1,
    parameter LANES = 2
) (
    input wire             clk,
    input wire             rst_i,
    input wire             tick_i,
    input wire             running_i,
    input wire             tdma_i,
    input wire             receipt_i,
    input wire             alarm_i,
    input wire [LINKS-1:0] line_i,
    input wire [LANES-1:0] underrun_i,
    input wire             ready_i
);
    localparam WAIT = 56, GAP = 63;
    reg started = 1'b0;
    always @(posedge clk) started <= 1'b1;
    always @* assume (rst_i == !started);

    wire        valid;
    wire [63:0] word;
    wire [1:0]  level;
    wire [31:0] lost;
    wire [53:0] stamp;
    wire        receipt_take, alarm_take;
    pb_capture #(.LINKS(LINKS), .LANES(LANES), .DEPTH_LOG2(1)) dut (
        .clk(clk), .rst_i(rst_i), .enable_i(1'b1), .stamp_o(stamp),
        .tick_i(tick_i), .phase_i(9'd0), .superframe_i(13'd0), .running_i(running_i), .tdma_i(tdma_i), .tdma_sync_i(1'b0), .tdma_second_i(1'b0), .tdma_age_i(17'd0), .tdma_age_half_i(2'd0),
        .line_i(line_i), .second_i({LINKS{1'b0}}), .edge_mask_i({LINKS{1'b1}}), .byte_mask_i({LINKS{1'b1}}), .bit_period_i(20'd128),
        .console_i(1'b1), .console_period_i(20'd128),
        .underrun_i(underrun_i), .underrun_phase_i({9*LANES{1'b0}}), .underrun_superframe_i({13*LANES{1'b0}}),
        .receipt_valid_i(receipt_i), .receipt_tdc_i(1'b0), .receipt_value_i(28'd0), .receipt_stamp_i(8'd0), .receipt_take_o(receipt_take),
        .alarm_valid_i(alarm_i), .alarm_value_i(28'd0), .alarm_take_o(alarm_take),
        .event_valid_o(valid), .event_o(word), .event_ready_i(ready_i), .event_level_o(level), .lost_o(lost)
    );
    wire             clock_pending, phase_pending, tdma_pending, tdma_take;
    wire [LANES-1:0] underrun_pending;

    // Per source: clocks since its last event, and clocks for which that event has been waiting.
    localparam SOURCES = LANES + 3, TDMA = LANES;
    reg                running_q;
    wire [SOURCES-1:0] raise   = {running_i != running_q, tick_i, tdma_i, underrun_i};
    wire [SOURCES-1:0] taken   = {2'b00, tdma_take, {LANES{1'b0}}};
    wire [SOURCES-1:0] pending = {clock_pending, phase_pending, tdma_pending, underrun_pending};
    always @(posedge clk) running_q <= !rst_i && running_i;
    genvar s;
    generate for (s = 0; s < SOURCES; s = s + 1) begin : g_source
        reg [5:0] since, waits;
        always @(posedge clk) begin
            since <= rst_i ? 6'd63 : raise[s] ? 6'd0 : since + {5'd0, since != 6'd63};
            waits <= rst_i || !pending[s] || taken[s] ? 6'd0 : waits + {5'd0, waits != 6'd63};
        end
        always @* begin
            if (s != TDMA)
                assume (!raise[s] || since >= GAP);
            if (started) begin
                assert (waits <= WAIT);
                if (s != TDMA && pending[s])
                    assert (waits == since);
            end
        end
    end endgenerate
    reg [4:0] since_receipt;
    always @(posedge clk)
        since_receipt <= receipt_take ? 5'd0 : rst_i ? 5'd31 : since_receipt + {4'd0, since_receipt != 5'd31};
    always @* assume (!receipt_i || since_receipt == 5'd31);
    reg [2:0] since_read = 3'd7;
    always @(posedge clk) since_read <= ready_i ? 3'd0 : since_read + {2'd0, since_read != 3'd7};
    always @* assume (!ready_i || since_read == 3'd7);

    // For the induction.
    wire [2:0] events_used;
    always @* if (started)
        assert (events_used == 3'b000 || events_used == 3'b001 || events_used == 3'b011 || events_used == 3'b111);

    always @* if (started)
        cover (g_source[0].waits == 6'd14);
endmodule
