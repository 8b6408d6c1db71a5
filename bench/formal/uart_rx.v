// SPDX-FileCopyrightText: The phasebench authors
// SPDX-License-Identifier: Apache-2.0
//
// pb_uart_rx, for every bit period from 8 ticks on (all 20 bits of period_i) and any line:
// bit k is the level of the line floor((k + 1/2) * period) ticks after the tick of the start edge. done_o
// rises one tick after the sample of the stop bit, exactly for each start bit that is low at its sample, and
// holds until ack_i. A completed byte has its samples as data and stop_ok, and the distance from its last
// edge to the sample after it. Otherwise lost_o is high, exactly if the first data bit of a next byte was
// sampled before ack_i. idle_o is high exactly while no byte is in progress.
//
// The sampling instants are counted in half bits with a fraction of their own; `whole` adds up the period and
// shows that no rounding error accumulates. A byte that ends in the tick in which the last byte is fetched
// keeps the age of that byte. So the age is that of the first byte that ended since done_o was low.
//
// sources: core/pb_uart_rx.v
// probe: timer_q dut.timer_q
// probe: fresh_q dut.fresh_q
// probe: more_q dut.more_q
// probe: longer_q dut.longer_q
// probe: fraction_q dut.fraction_q
// probe: carry_q dut.carry_q
// probe: half_q dut.half_q
// probe: measure_q dut.measure_q
`default_nettype none

module proof_uart_rx #(
    parameter AGE_BITS  = 4,
    parameter AGE_FIRST = 2
) (
    input wire clk,
    input wire rst_i,
    input wire line_i,
    input wire line_last_i,
    input wire ack_i
);
    reg started = 1'b0;
    always @(posedge clk) started <= 1'b1;
    always @* if (!started) assume (rst_i);

    (* anyconst *) reg [19:0] period;       // of a bit, 16ths of a tick; of half a bit, 32nds
    always @* assume (period >= 20'd128);

    wire                done, idle, stop_ok, lost;
    wire [7:0]          data;
    wire [12:0]         edge_left;
    wire [AGE_BITS-1:0] age;
    pb_uart_rx #(.AGE_BITS(AGE_BITS), .AGE_FIRST(AGE_FIRST)) dut (
        .clk(clk), .rst_i(rst_i), .period_i(period), .line_i(line_i), .line_last_i(line_last_i), .done_o(done), .ack_i(ack_i),
        .idle_o(idle), .data_o(data), .stop_ok_o(stop_ok), .edge_left_o(edge_left), .age_o(age), .lost_o(lost)
    );
    wire [14:0] timer_q;
    wire        fresh_q, more_q, longer_q, carry_q, measure_q;
    wire [4:0]  fraction_q, half_q;

    // ---- the byte in progress
    reg         hears;
    reg  [19:0] since;          // ticks since the tick of the start edge
    reg  [24:0] whole;          // halves * period, 32nds of a tick
    reg  [4:0]  halves;         // completed half bits
    wire [24:0] next    = whole + {5'd0, period};
    wire        over    = hears && since == next[24:5];     // a half bit ends: at floor(n * period / 32) ticks
    wire        sample  = over && !halves[0];
    wire [3:0]  place   = halves[4:1];                      // bit number of that sample
    wire        finish  = sample && place == 4'd9;
    wire        starts  = !hears && line_last_i && !line_i;
    reg  [7:0]  samples;
    reg  [8:0]  byte_now;       // of the completed byte: stop, data
    reg         waits;          // done, not fetched
    reg         spoilt;
    // ---- its last edge; while another byte waits, edges are not measured
    wire        change  = hears && line_i != line_last_i && (!waits || ack_i);
    reg         open;           // an edge came, and no sample since
    reg  [19:0] edge_at;
    reg  [12:0] left;           // ticks from it to the sample after it
    wire [19:0] last_at  = change ? since : edge_at;
    wire [19:0] distance = since - last_at;
    // ---- ticks since a byte was completed
    reg  [AGE_BITS-1:0] ticks;
    always @(posedge clk) begin
        since <= since + 20'd1;
        if (starts) begin
            hears  <= 1'b1;
            since  <= 20'd1;
            whole  <= 25'd0;
            halves <= 5'd0;
        end else if (over) begin
            whole  <= next;
            halves <= halves + 5'd1;
            if (sample && (place == 4'd0 ? line_i : finish))
                hears <= 1'b0;
            if (sample && place != 4'd0 && !finish)
                samples <= {line_i, samples[7:1]};
        end
        if (waits ? ack_i && !change : starts) begin
            open    <= 1'b0;
            left    <= 13'd8191;
        end
        if (change) begin
            open    <= 1'b1;
            edge_at <= since;
        end
        if (sample) begin
            open <= 1'b0;
            if (change || (open && !(waits && ack_i)))
                left <= distance > 20'd8191 ? 13'd8191 : distance[12:0];
        end
        ticks <= ticks + 1'b1;
        if (finish) begin
            byte_now <= {line_i, samples};
            waits    <= 1'b1;
            if (!waits)
                ticks <= AGE_FIRST[AGE_BITS-1:0];
        end else if (ack_i)
            waits <= 1'b0;
        spoilt <= waits && !ack_i && (spoilt || (sample && place != 4'd0 && !finish));
        if (rst_i) begin
            hears  <= 1'b0;
            waits  <= 1'b0;
            spoilt <= 1'b0;
        end
    end

    always @* if (started) begin
        assert (idle == !hears);
        assert (done == waits);
        assert (lost == spoilt);
        if (waits && !spoilt) begin
            assert ({stop_ok, data} == byte_now);
            assert (edge_left == left);
        end
        if (waits)
            assert (age == ticks);
    end

    // ---- the registers inside, for the induction
    wire [19:0] at       = since - whole[24:5];     // completed ticks of this half bit
    wire [19:0] plain    = {5'd0, period[19:5]};    // its length, or one tick less
    wire [5:0]  part     = {1'b0, whole[4:0]} + {1'b0, period[4:0]};
    wire [4:0]  sampled  = (halves + 5'd1) >> 1;    // bits, the start bit among them
    always @* if (started) begin
        if (hears) begin
            assert (at != 20'd0 && at <= plain + {19'd0, part[5]});
            assert (halves <= 5'd18 && whole <= {halves, 20'd0} && half_q == halves);
            assert (longer_q == (at > plain) && fresh_q == (at == 20'd1 || at > plain));
            assert (fraction_q == (at > plain ? next[4:0] : whole[4:0]));
            assert (at == 20'd1 || at > plain || carry_q == part[5]);
            assert (timer_q == (fresh_q ? plain[14:0] : plain[14:0] - 15'd1 - at[14:0]));
            assert (more_q == (fresh_q || at < plain));
            assert (!waits || sampled < 5'd2 || spoilt);
            if (sampled >= 5'd2)
                assert (((data ^ samples) & ~(8'h7f >> (sampled - 5'd2))) == 8'd0);
        end
        assert (!spoilt || waits);
        assert (!waits || !open);
        if (hears || waits) begin
            assert (measure_q == open);
            if (open)
                assert (hears && edge_at < since && edge_left == (since - edge_at > 20'd8191 ? 13'd8191 : since - edge_at - 20'd1));
            else if (!spoilt)
                assert (edge_left == left);
        end
    end

    always @* if (started) begin
        cover (waits && !spoilt && byte_now == 9'h15a && ticks == AGE_FIRST + 3 && period == 20'd133 && edge_left == 13'd4);
        cover (waits && !spoilt && byte_now == 9'h000 && period == 20'd128 && edge_left == 13'd8191);
        cover (spoilt && period == 20'd128);
        cover (hears && sample && place == 4'd0 && line_i);
    end
endmodule
