// SPDX-FileCopyrightText: The phasebench authors
// SPDX-License-Identifier: Apache-2.0
//
// The chain of the time-to-digital converter in cells of an iCE40: a multiplexer over the pins, and
// a carry chain, of which every STEP-th cell has a register. The second rank is in pb_tdc.
//
// Interface: levels from pads without a register. calibrate_i: a ring oscillator in place of the
//            pin, with a rise each 2^RING_LOG2 of its periods.
// Timing:    the chain must be longer than a period of clk at the fastest that a device may be.
// Limits:    delays of multiplexer and wires differ from pin to pin. Simulations use a chain
//            without delay: bench/sim/chain.h is the model with delays.
`default_nettype none

module pb_tdc_chain #(
    parameter LINKS     = 16,
    parameter TAPS      = 40,   // even
    parameter STEP      = 4,    // carry cells of a tap
    parameter RING_LOG2 = 11
) (
    input  wire             clk,
    input  wire [LINKS-1:0] link_i,
    input  wire             tdma_clk_i,
    input  wire             set_i,          // rises when pin_i and calibrate_i are valid
    input  wire [5:0]       pin_i,
    input  wire             calibrate_i,
    output wire [TAPS-1:0]  taps_o
);
    wire slow;      // the oscillator, divided
    // The setting is in a clock domain of its own, as no path from clk to the taps may count as one: the chain is longer than a period.
    reg  [5:0]  chosen = 6'd0;
    always @(posedge set_i)
        chosen <= {calibrate_i, pin_i[5], pin_i[3:0]};
    wire [15:0] links = {{(16-LINKS){1'b0}}, link_i};
    wire        level = chosen[5] ? slow : chosen[4] ? tdma_clk_i : links[chosen[3:0]];
    wire        unused_pin = pin_i[4];
`ifdef SYNTHESIS
    genvar i;
    wire ring, ring_1, ring_2;
    (* keep *) SB_LUT4 #(.LUT_INIT(16'h2222)) inverter (.O(ring_1), .I0(calibrate_i), .I1(ring), .I2(1'b0), .I3(1'b0));
    (* keep *) SB_LUT4 #(.LUT_INIT(16'haaaa)) delay_1 (.O(ring_2), .I0(ring_1), .I1(1'b0), .I2(1'b0), .I3(1'b0));
    (* keep *) SB_LUT4 #(.LUT_INIT(16'haaaa)) delay_2 (.O(ring), .I0(ring_2), .I1(1'b0), .I2(1'b0), .I3(1'b0));
    // A ripple counter, so that no clock but the ring is needed.
    wire [RING_LOG2:0] divided;
    assign divided[0] = ring;
    assign slow       = divided[RING_LOG2];
    generate
        for (i = 0; i < RING_LOG2; i = i + 1) begin : g_half
            reg half_q = 1'b0;
            always @(posedge divided[i])
                half_q <= !half_q;
            assign divided[i+1] = half_q;
        end
    endgenerate

    wire [TAPS*STEP:0] carry;
    (* keep *) SB_CARRY enter (.CO(carry[0]), .I0(level), .I1(level), .CI(1'b0));
    generate
        for (i = 0; i < TAPS * STEP; i = i + 1) begin : g_cell
            (* keep *) SB_CARRY cell_carry (.CO(carry[i+1]), .I0(1'b0), .I1(1'b1), .CI(carry[i]));
            if (i % STEP == 0) begin : g_tap
                wire tap;
                (* keep *) SB_LUT4 #(.LUT_INIT(16'hff00)) cell_lut (.O(tap), .I0(1'b0), .I1(1'b0), .I2(1'b1), .I3(carry[i]));
                (* keep *) SB_DFF cell_dff (.Q(taps_o[i/STEP]), .C(clk), .D(tap));
            end
        end
    endgenerate
    wire unused_end = carry[TAPS*STEP];
`else
    reg [TAPS-1:0] rank_q = {TAPS{1'b0}};
    wire unused_cells = STEP == RING_LOG2;
    assign slow = 1'b0;
    assign taps_o = rank_q;
    always @(posedge clk)
        rank_q <= {TAPS{level}};
`endif
endmodule

`default_nettype wire
