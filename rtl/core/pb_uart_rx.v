// SPDX-FileCopyrightText: The phasebench authors
// SPDX-License-Identifier: Apache-2.0
//
// Receiver of one line: 8N1, LSB first, with the phase of its last edge as a measure of the sender's bit time.
//
// Bit k (0 start, 1..8 data, 9 stop) is sampled floor((k + 1/2) * bit_period) ticks after the tick in which the falling start
// edge was seen, so the start of a byte is known from the tick of its end: sample 9 minus that constant.
// edge_left_o is the number of ticks from the last edge inside the byte to the next sample; with the data, which says
// between which two samples that edge fell, it gives the position of the edge to one tick.
//
// Handshake: done_o rises one tick after the stop bit was sampled and stays until ack_i; age_o counts the ticks since that sample (0..255,
// then stays). A byte that completes while done_o is still up replaces the older one and pulses lost_o.
// A low line at the stop bit gives stop_ok_o = 0; after it the receiver waits for the next falling edge.
// Reset: idle. Does not: filter glitches (a start bit that is high at its middle is dropped silently; the edge capture shows it).
`default_nettype none

module pb_uart_rx (
    input  wire        clk,
    input  wire        rst_i,
    input  wire [15:0] bit_ticks_i,    // whole ticks of the bit period, see pb_bit_timing
    input  wire [15:0] half_ticks_i,   // floor of half the bit period
    input  wire [9:0]  carry_i,        // bit k: the step from sample k-1 to sample k is one tick longer
    input  wire        line_i,         // synchronised
    input  wire        line_last_i,    // line_i of one tick ago

    output reg         done_o,
    input  wire        ack_i,
    output reg  [7:0]  data_o,
    output reg         stop_ok_o,
    output reg  [12:0] edge_left_o,    // ticks, 8191 when more or no edge at all (a break)
    output reg  [7:0]  age_o,
    output reg         lost_o
);
    reg        busy_q;
    reg [3:0]  bit_q;
    reg [15:0] timer_q;
    reg [7:0]  shift_q;
    reg [12:0] edge_q;

    wire       edge_seen = line_i != line_last_i;
    wire       sample    = busy_q && timer_q == 16'd0;
    wire [3:0] next_bit  = bit_q + 4'd1;

    always @(posedge clk) begin
        lost_o <= 1'b0;
        if (ack_i)
            done_o <= 1'b0;
        if (age_o != 8'hff)
            age_o <= age_o + 8'd1;
        if (!busy_q) begin
            edge_q  <= 13'h1fff;
            bit_q   <= 4'd0;
            timer_q <= half_ticks_i - 16'd1;
            busy_q  <= edge_seen && !line_i;
        end else if (!sample) begin
            timer_q <= timer_q - 16'd1;
            if (edge_seen)
                edge_q <= timer_q > 16'd8191 ? 13'd8191 : timer_q[12:0];
        end else begin
            timer_q <= bit_ticks_i - 16'd1 + {15'd0, carry_i[next_bit]};
            bit_q   <= next_bit;
            if (edge_seen)
                edge_q <= 13'd0;
            if (bit_q == 4'd0)
                busy_q <= !line_i;
            else if (bit_q != 4'd9)
                shift_q <= {line_i, shift_q[7:1]};
            else begin
                busy_q      <= 1'b0;
                done_o      <= 1'b1;
                lost_o      <= done_o && !ack_i;
                data_o      <= shift_q;
                stop_ok_o   <= line_i;
                edge_left_o <= edge_q;
                age_o       <= 8'd1;
            end
        end
        if (rst_i) begin
            busy_q <= 1'b0;
            done_o <= 1'b0;
            lost_o <= 1'b0;
        end
    end
endmodule

`default_nettype wire
