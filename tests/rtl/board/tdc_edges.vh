// SPDX-FileCopyrightText: The phasebench authors
// SPDX-License-Identifier: Apache-2.0
//
// The converter of a board with TDC_TAPS, included inside the module of tb_hx8k_evn_fifo.v: edges of a link at instants that the bench
// chooses, of other links, of TDMA_CLK, and of the oscillator. An edge entered the chain at the stamp of its event, less the taps that
// it had passed. This place must be the instant of the edge except for a constant, to the width of a tap. With macro DELAYS the netlist has
// the vendor's delays of carry cells and LUTs (IceStorm, timings_hx1k.txt), without wires. Without DELAYS the chain takes no time, and
// the oscillator cannot run.
`ifdef DELAYS
    localparam real RISE_STEP = 4 * 0.126, FALL_STEP = 4 * 0.105, RISE_WIDTH = RISE_STEP, FALL_WIDTH = FALL_STEP;      // ns
`else
    localparam real RISE_STEP = 0.0, FALL_STEP = 0.0, RISE_WIDTH = TICK, FALL_WIDTH = TICK;
`endif
    // 2^10 periods of three LUTs: an edge of the divided oscillator each
    localparam real HALF_PERIOD = 1024 * (0.400 + 0.449 + 0.449 + 0.379 + 0.386 + 0.386);
    localparam real ROUNDING = 0.002;
    localparam SWEPT = 5, SWEEP = 36, RING = 2, RING_EDGES = 12;
    integer  from, n_tdc, of_swept = 0, of_others = 0, of_clock = 0, of_ring = 0;
    reg [5:0] pin_before = 6'd0;
    integer  clock_passed [0:1];
    realtime made_at [0:SWEEP-1];
    real     place, least [0:3], most [0:3];    // falls and rises of the swept link, falls and rises of the oscillator

    task one_edge(input integer pin);
        begin
            #803.7 node[pin] = !node[pin];
        end
    endtask
    task observe(input [5:0] pin, input calibrate);
        write(`PB_REG_TDC, `PB_TDC_PACK(calibrate, 1'b1, pin));
    endtask
    // An event of the same edge: an EDGE, or TDMA for a rise of TDMA_CLK, with the stamp of the TDC event or, as the multiplexer takes
    // time, the one before.
    function has_pair(input [63:0] tdc);
        reg [63:0] other;
        begin
            has_pair = 1'b0;
            for (n_tdc = from; n_tdc < events; n_tdc = n_tdc + 1) begin
                other = event_word[n_tdc];
                if ((tdc[31:0] == other[31:0] || (RISE_STEP > 0.0 && tdc[31:0] == other[31:0] + 1)) &&
                    (tdc[59:54] == `PB_EVENT_LINK_CLOCK ? other[63:60] == `PB_EVENT_TDMA :
                     other[63:60] == `PB_EVENT_EDGE && other[59:54] == tdc[59:54] && other[32] == tdc[41]))
                    has_pair = 1'b1;
            end
        end
    endfunction
    task at_place(input integer which, input real value);
        begin
            if (value < least[which])
                least[which] = value;
            if (value > most[which])
                most[which] = value;
        end
    endtask
    task take_tdc;
        reg     level;
        integer passed;
        begin
            level  = w[41];
            passed = level ? w[40:32] : TDC_TAPS - w[40:32];
            place  = 1.0 * TICK * w[31:0] - passed * (level ? RISE_STEP : FALL_STEP);
            if (w[53:47] != 7'd0 || w[42])
                fail("a TDC event with bubbles or spare bits");
            if (RISE_STEP > 0.0 ? passed < 1 || passed >= TDC_TAPS : passed != TDC_TAPS)
                fail("a code out of the chain");
            // A pin that is chosen may have another level than the one before: a change, which the first event of the pin may count.
            if (w[46:43] > (w[59:54] != pin_before))
                fail("the converter missed an edge");
            pin_before = w[59:54];
            if (w[59:54] == SWEPT) begin
                if (of_swept < SWEEP)
                    at_place({31'd0, level}, place - made_at[of_swept]);
                if (level !== of_swept[0])
                    fail("a TDC event has the other level");
                of_swept = of_swept + 1;
            end else if (w[59:54] == RING) begin
                at_place(2 + level, place - of_ring * HALF_PERIOD);
                of_ring = of_ring + 1;
            end else if (w[59:54] == `PB_EVENT_LINK_CLOCK) begin
                // Edges of the core itself: always at the same place of a tick.
                if (of_clock > 1 && passed != clock_passed[level])
                    fail("edges of TDMA_CLK at different places");
                clock_passed[level] = passed;
                of_clock = of_clock + 1;
            end else
                of_others = of_others + 1;
            if (w[59:54] != RING && (w[59:54] != `PB_EVENT_LINK_CLOCK || level) && !has_pair(w))
                fail("a TDC event without the event of the same edge");
        end
    endtask

    task converter;
        begin
            for (i = 0; i < 4; i = i + 1) begin
                least[i] = 1.0e12;
                most[i]  = -1.0e12;
            end
            from = events;
            write(`PB_REG_EDGE_MASK0, 32'h00008133);
            write(`PB_REG_CTRL, 2);
            observe(SWEPT, 1'b0);
            #0.05;                                      // no edge of a pin at one of the clock
            for (i = 0; i < SWEEP; i = i + 1) begin
                one_edge(SWEPT);
                made_at[i] = $realtime;
                one_edge(SWEPT + 1);                    // not observed
            end
            for (i = 0; i < 16; i = i == 0 ? 1 : i == 8 ? 15 : 2 * i) if (i != RING) begin   // each input of the multiplexer's select
                observe(i, 1'b0);
                one_edge(i);
                one_edge(i);
            end
            write(`PB_REG_PHASE_COUNT, PHASES);
            write(`PB_REG_PERIOD_TICKS, PERIOD / 5);
            write(`PB_REG_HIGH_TICKS, HIGH / 5);
            write(`PB_REG_SUPERFRAME_LIMIT, 2);
            observe(`PB_EVENT_LINK_CLOCK, 1'b0);
            write(`PB_REG_CTRL, 3);
            clocks(PHASES * 2 * PERIOD / 5 + 200);
`ifdef DELAYS
            observe(RING, 1'b1);
            #(HALF_PERIOD * (RING_EDGES + 1));
            observe(RING, 1'b0);
`endif
            clocks(10000);                              // the last events come after some silence
            for (i = from; i < events; i = i + 1) begin
                w = event_word[i];
                if (w[63:60] == `PB_EVENT_OVERFLOW)
                    fail("something was lost");
                if (w[63:60] == `PB_EVENT_TDC)
                    take_tdc;
            end
            $display("converter: %0d edges at places to %0.3f and %0.3f ns, %0d of other links, %0d of TDMA_CLK, %0d of the oscillator to %0.3f and %0.3f ns",
                of_swept, most[0] - least[0], most[1] - least[1], of_others, of_clock, of_ring, most[2] - least[2], most[3] - least[3]);
            if (of_swept != SWEEP || of_others != 10 || of_clock != 2 * 2 * PHASES)
                fail("not one TDC event to an edge");
            if (most[0] - least[0] > FALL_WIDTH + ROUNDING || most[1] - least[1] > RISE_WIDTH + ROUNDING)
                fail("places that differ by more than a tap");
`ifdef DELAYS
            if (of_ring < RING_EDGES)
                fail("the oscillator does not run");
            if (most[2] - least[2] > FALL_WIDTH + ROUNDING || most[3] - least[3] > RISE_WIDTH + ROUNDING)
                fail("edges of the oscillator that are not its period apart");
`endif
        end
    endtask
