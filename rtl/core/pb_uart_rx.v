// SPDX-FileCopyrightText: The phasebench authors
// SPDX-License-Identifier: Apache-2.0
//
// Receiver of one line: 8N1, LSB first. The position of the last edge measures the bit period.
//
// Interface: done_o is high from one tick after the stop bit's sample until ack_i; age_o counts the
//            ticks since that sample. The outputs are the receive registers, not a copy: read them
//            within a bit period. lost_o is high until ack_i if the next byte overwrote them.
//            edge_left_o: ticks from the last edge in the byte to the next sample. stop_ok_o = 0:
//            low at the stop bit; the receiver then waits for the next falling edge.
// Timing:    bit k (0 start .. 9 stop) is sampled floor((k + 1/2) * bit period) ticks after the
//            tick in which the falling start edge was seen.
// Reset:     idle.
// Limits:    no filter: a start bit that is high in its middle is dropped.
`default_nettype none
`include "pb_sim_skip.vh"
`include "pb_clocks.vh"

module pb_uart_rx #(
    parameter AGE_BITS  = 4,
    parameter AGE_FIRST = 1             // 1, or more to include a delay of line_i
) (
    input  wire                clk,
    input  wire                rst_i,
    input  wire [19:0]         period_i,       // of a bit, Q16.4 ticks, at least 8 ticks
    input  wire                line_i,         // synchronised
    input  wire                line_last_i,    // line_i of one tick ago

    output reg                 done_o,
    input  wire                ack_i,
    output wire                idle_o,
    output reg  [7:0]          data_o,
    output reg                 stop_ok_o,
    output reg  [12:0]         edge_left_o,    // ticks, 8191 when more or no edge at all (a break)
    output reg  [AGE_BITS-1:0] age_o,
    output reg                 lost_o
);
    reg        idle_q;
    reg [14:0] timer_q;
    reg        fresh_q;     // timer_q was loaded in the last clock
    reg        more_q;      // whole ticks of the half bit are left
    reg        longer_q;    // the half bit that ends gets one more tick
    reg [4:0]  fraction_q;  // fraction of a tick at which the half bit began; stable for at least three clocks
    reg        carry_q;     // the fraction delays the next half bit by a tick; one clock late
    reg [4:0]  half_q;      // half bits since the start edge
    reg        measure_q;   // edge_left_o is counting

    // Steps of half a bit: whole ticks and 32nds.
    wire [14:0] half     = period_i[19:5];
    wire [4:0]  fraction = period_i[4:0];

    wire       edge_seen = line_i != line_last_i;
    assign     idle_o    = idle_q;
    integer    k;

    // Variables of the block: a simulator computes them only when it needs them; the logic is the same. All registers are read
    // before one is written, so none needs a variable for its next value.
    // Load cycle: the adder operand is a don't-care, so each counter bit fits one logic cell.
    // An idle receiver loads all counters again in the clock of a start edge.
    always @(posedge clk) if (`PB_SIM_ACTIVE(!idle_q || edge_seen || done_o || rst_i)) begin : receive
        reg                idle, fresh, more, longer, carry, measure, done, ack;
        reg [14:0]         timer;
        reg [4:0]          part, halves;
        reg [12:0]         left;
        reg [AGE_BITS-1:0] age;
        reg                forget;      // clears the edge measurement of the last byte
        reg [13:0]         edge_d;
        reg [15:0]         timer_d;
        reg [5:0]          fraction_d;
        idle    = idle_q;
        fresh   = fresh_q;
        more    = more_q;
        longer  = longer_q;
        measure = measure_q;
        done    = done_o;
        ack     = ack_i;
        timer   = timer_q;
        part    = fraction_q;
        carry   = carry_q;
        halves  = half_q;
        left    = edge_left_o;
        age     = age_o;

        forget = done ? ack : idle;
        age_o <= AGE_FIRST[AGE_BITS-1:0];
        if (done)
            for (k = 0; k < AGE_BITS; k = k + 1)    // a plain + would take one more cell to start a carry chain
                age_o[k] <= age[k] ^ &(age | ~(~{AGE_BITS{1'b0}} >> (AGE_BITS - k)));
        if (done && ack) begin
            done_o <= 1'b0;
            lost_o <= 1'b0;
        end

        if (!idle && edge_seen && (!done || ack)) begin
            edge_left_o <= 13'd0;
            measure_q   <= 1'b1;
        end else if (forget) begin
            edge_left_o <= 13'd8191;
            measure_q   <= 1'b0;
        end else if (measure) begin
            edge_d = {1'b0, left} + {1'b0, {13{forget}}} + `PB_ONE(14, 14'd1);
            if (!edge_d[13])
                edge_left_o <= edge_d[12:0];
        end

        fraction_d = {1'b0, part} + {1'b0, fraction};
        carry_q <= fraction_d[5];
        // The clocks for load, detection of the end and reload also count: the first step is three.
        fresh_q <= 1'b1;
        if (idle) begin
            timer_q    <= half;
            more_q     <= 1'b1;
            longer_q   <= 1'b0;
            fraction_q <= 5'd0;
            half_q     <= 5'd0;
            idle_q     <= !(edge_seen && !line_i);
        end else if (more && !longer) begin
            // The top bit of timer_d is the complement of the carry. As a sum bit its flip-flop shares the cell at the end of the chain.
            timer_d = {1'b0, timer} + {{14{!idle && more && !longer}}, !fresh, !idle && more && !longer} `PB_LESS(16);
            timer_q <= timer_d[14:0];
            more_q  <= !timer_d[15];
            fresh_q <= 1'b0;
        end else begin
            timer_q  <= half;
            more_q   <= 1'b1;
            longer_q <= !more && carry;
            if (!more)
                fraction_q <= fraction_d[4:0];
            if (longer || !carry)
                half_q <= halves + 5'd1;
            if ((longer || !carry) && !halves[0]) begin
                measure_q <= 1'b0;
                if (halves[4:1] == 4'd0)
                    idle_q <= line_i;
                else if (!(halves[4] && halves[1])) begin   // bit 9 is the last
                    data_o <= {line_i, data_o[7:1]};
                    lost_o <= done && !ack;
                end else begin
                    idle_q    <= 1'b1;
                    done_o    <= 1'b1;
                    stop_ok_o <= line_i;
                end
            end
        end

        if (rst_i) begin
            idle_q <= 1'b1;
            done_o <= 1'b0;
            lost_o <= 1'b0;
        end
        `PB_FORGET(timer)
        `PB_FORGET(left)
        `PB_FORGET(fresh)
        `PB_FORGET(more)
        `PB_FORGET(longer)
        `PB_FORGET(carry)
        `PB_FORGET(measure)
        `PB_FORGET(part)
        `PB_FORGET(halves)
        `PB_FORGET(age)
        `PB_FORGET(timer_d)
        `PB_FORGET(fraction_d)
        `PB_FORGET(edge_d)
    end
endmodule

`default_nettype wire
