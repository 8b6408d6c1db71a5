// SPDX-FileCopyrightText: The phasebench authors
// SPDX-License-Identifier: Apache-2.0
//
// The pool of pb_receivers, with any waveforms on the lines. Assumed: at most as many links receive at a time
// as there are receivers, and no two begin in the same clock. Then exactly the bytes of the links are output,
// each once, with its bits, its link and its age, and none is counted as missed. A receiver serves one link
// from the start edge to the end of its byte and is free then. No link has two.
//
// Receivers are short (short_receiver.v). A link receives from its start edge until 3 clocks after its stop
// bit was sampled. No byte begins on it in these 3 clocks, as half a bit has at least 4.
//
// sources: core/pb_receivers.v core/pb_popcount.v ./short_receiver.v
// probe: owner_q dut.g_pool.owner_q
// probe: free dut.g_pool.free
`default_nettype none

module proof_receivers #(
    parameter LINKS = 3
) (
    input wire             clk,
    input wire             rst_i,
    input wire [LINKS:0]   line_i      // the console is on top
);
    localparam RECEIVERS = 2, AGE_BITS = 3;
    localparam [3:0] START = 4'd2, BIT = 4'd4, STOP = 4'd6, QUIET = 4'd9;
    reg started = 1'b0;
    always @(posedge clk) started <= 1'b1;
    always @* assume (rst_i == !started);

    reg  [LINKS:0] line_last;
    always @(posedge clk) line_last <= line_i;

    wire                valid, over, console;
    wire [1:0]          link;
    wire [21:0]         value;
    wire [AGE_BITS-1:0] age;
    wire [2:0]          missed;
    pb_receivers #(.LINKS(LINKS), .RECEIVERS(RECEIVERS), .AGE_BITS(AGE_BITS), .COUNT_BITS(3)) dut (
        .clk(clk), .rst_i(rst_i), .line_i(line_i[LINKS-1:0]), .line_last_i(line_last[LINKS-1:0]), .mask_i({LINKS{1'b1}}), .bit_period_i(20'd128),
        .console_i(line_i[LINKS]), .console_last_i(line_last[LINKS]), .console_period_i(20'd128),
        .valid_o(valid), .over_o(over), .console_o(console), .link_o(link), .value_o(value), .age_o(age), .missed_o(missed)
    );
    wire [RECEIVERS-1:0]   free;
    wire [2*RECEIVERS-1:0] owner_q;

    // ---- the byte of each line: clocks since the start edge, 0 when no byte is in progress
    reg  [3:0]     since [0:LINKS];
    reg  [LINKS:0] bits, stops;             // of the current byte, from their samples on
    reg  [LINKS:0] due;                     // a byte has ended and was not output
    reg  [2:0]     ticks [0:LINKS];         // since its stop bit was sampled
    reg  [LINKS:0] busy;
    wire [LINKS:0] falls  = line_last & ~line_i;
    wire [LINKS:0] begins = falls & ~busy;
    wire [LINKS:0] out    = !valid ? {(LINKS+1){1'b0}} : console ? 1'b1 << LINKS : 1'b1 << link;
    reg  [2:0]     receiving;               // links
    integer n;
    always @* begin
        receiving = 3'd0;
        for (n = 0; n <= LINKS; n = n + 1) begin
            busy[n] = since[n] != 4'd0;
            if (n < LINKS)
                receiving = receiving + {2'd0, busy[n] || falls[n]};
            if (started)
                assume (!(falls[n] && since[n] > STOP));
        end
        if (started) begin
            assume (receiving <= RECEIVERS);
            assume ((begins[LINKS-1:0] & (begins[LINKS-1:0] - 1'b1)) == 0);
        end
    end
    always @(posedge clk)
        for (n = 0; n <= LINKS; n = n + 1) begin
            if (since[n] == 4'd0)
                since[n] <= {3'd0, begins[n]};
            else if (since[n] == START && line_i[n])
                since[n] <= QUIET - 4'd1;   // no start bit
            else
                since[n] <= since[n] == QUIET ? 4'd0 : since[n] + 4'd1;
            if (since[n] == BIT)
                bits[n] <= line_i[n];
            if (since[n] == STOP)
                stops[n] <= line_i[n];
            ticks[n] <= since[n] == STOP ? 3'd1 : ticks[n] + 3'd1;
            due[n] <= since[n] == STOP || (due[n] && !out[n]);
            if (rst_i) begin
                since[n] <= 4'd0;
                due[n]   <= 1'b0;
            end
        end

    // ---- the properties
    always @* if (started) begin
        assert (missed == 3'd0);
        assert (!valid || (!over && (console || link < LINKS)));
        for (n = 0; n <= LINKS; n = n + 1) begin
            if (out[n]) begin
                assert (due[n] && value == {13'd0, stops[n], 7'd0, bits[n]});
                assert (age == ticks[n]);
            end
            assert (!due[n] || ticks[n] <= 3'd4);   // it was output in these clocks
        end
        assert (free != 2'b00 || owner_q[1:0] != owner_q[3:2]);
        if (busy[LINKS-1:0] == 0)
            assert (free == 2'b11);
    end
    always @* if (started) begin
        cover (out[2] && since[0] == 4'd3 && value[0]);
        cover (out[LINKS] && age == 3'd3);  // it has waited for the byte of a link
    end
endmodule
