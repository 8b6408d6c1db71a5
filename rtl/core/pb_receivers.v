// SPDX-FileCopyrightText: The phasebench authors
// SPDX-License-Identifier: Apache-2.0
//
// Receivers of all links and of the console. Bytes come one at a time; of bytes that ended together
// the lowest link is first, the console last.
//
// Interface: valid_o is high for one clock with a byte whose stop bit was sampled age_o clocks ago.
//            over_o: the next byte overwrote it; only the loss of both can be reported.
// Timing:    a byte waits for at most as many others as there are receivers. missed_o counts 3
//            clocks after the start edge.
// Reset:     idle. Lines whose mask_i is low are ignored.
// Limits:    RECEIVERS >= LINKS: each link has its own. With fewer a free receiver takes the line
//            on which a byte begins; missed_o counts bytes without a receiver (docs/design/rtl.md).
`default_nettype none
`include "pb_regs.vh"
`include "pb_sim_skip.vh"

module pb_receivers #(
    parameter LINKS      = 12,      // 1..64
    parameter RECEIVERS  = LINKS,   // at least 1
    parameter AGE_BITS   = 4,       // of LINKS + 3 clocks
    parameter COUNT_BITS = 4,       // of LINKS
    parameter INDEX_BITS = LINKS > 1 ? $clog2(LINKS) : 1    // follows from LINKS
) (
    input  wire                  clk,
    input  wire                  rst_i,

    input  wire [LINKS-1:0]      line_i,        // synchronised
    input  wire [LINKS-1:0]      line_last_i,   // line_i of one tick ago
    input  wire [LINKS-1:0]      mask_i,
    input  wire [19:0]           bit_period_i,  // Q16.4 ticks
    input  wire                  console_i,     // synchronised UART0 line
    input  wire                  console_last_i,
    input  wire [19:0]           console_period_i,

    output reg                   valid_o,
    output reg                   over_o,
    output reg                   console_o,
    output reg  [INDEX_BITS-1:0] link_o,
    output reg  [21:0]           value_o,       // of a BYTE or CONSOLE event; edge_left 0 from the console
    output reg  [AGE_BITS-1:0]   age_o,
    output wire [COUNT_BITS-1:0] missed_o
);
    localparam POOL  = RECEIVERS < LINKS;
    localparam COUNT = POOL ? RECEIVERS : LINKS;    // receivers of links
    // One byte leaves per clock. Of up to 12 links none waits the 12 clocks after which a next byte can overwrite it.
    localparam CAN_LOSE    = COUNT > 12;
    localparam REPORT_BITS = 23 + AGE_BITS;         // {lost, edge_left, stop_ok, data, age}

    // ---- inputs of the receivers, and the link of each
    wire [COUNT:0]                byte_done, byte_idle;     // the console is the topmost
    wire [COUNT:0]                byte_line, byte_line_last, byte_forget;
    wire [COUNT:0]                byte_wanted = byte_done & ~byte_forget;
    reg  [COUNT:0]                byte_pick;                // the lowest bit of byte_wanted
    wire [INDEX_BITS*COUNT-1:0]   owner;
    assign byte_line[COUNT]      = console_i;
    assign byte_line_last[COUNT] = console_last_i;
    assign byte_forget[COUNT]    = 1'b0;

    reg                           lower;
    integer                       p;
    always @* begin
        lower     = 1'b0;
        byte_pick = 0;
        if (`PB_SIM_ACTIVE(byte_wanted != 0))
            for (p = 0; p <= COUNT; p = p + 1) begin
                byte_pick[p] = byte_wanted[p] && !lower;
                lower       = lower || byte_wanted[p];
            end
    end

    genvar i;
    generate if (POOL) begin : g_pool
        // A start edge is detected in one clock and given to a receiver in the next, so receivers see their line two clocks late.
        reg  [LINKS-1:0]            begins_q;   // a byte begins and has no receiver yet
        reg  [COUNT-1:0]            fresh_q;    // the receiver sees the falling edge now
        reg  [COUNT-1:0]            last_q, heard_q;
        reg  [INDEX_BITS*COUNT-1:0] owner_q;
        wire [COUNT-1:0]            free = byte_idle[COUNT-1:0] & ~byte_done[COUNT-1:0] & ~fresh_q;
        wire [COUNT-1:0]            take = free & (~free + 1'b1);

        reg  [LINKS-1:0]            owned;
        integer                     k, n;
        always @* begin
            owned = {LINKS{1'b0}};
            for (k = 0; k < COUNT; k = k + 1)
                for (n = 0; n < LINKS; n = n + 1)
                    if (owner_q[INDEX_BITS*k +: INDEX_BITS] == n[INDEX_BITS-1:0] && !free[k])
                        owned[n] = 1'b1;
        end
        reg  [INDEX_BITS-1:0] first;            // the lowest line on which a byte begins
        always @* begin
            first = 0;
            for (n = LINKS - 1; n >= 0; n = n - 1)
                if (begins_q[n])
                    first = n[INDEX_BITS-1:0];
        end
        wire [COUNT_BITS-1:0] many;
        reg                   taken_q;          // one of `many` got a receiver
        pb_popcount #(.WIDTH(LINKS), .COUNT_BITS(COUNT_BITS)) begun (.clk(clk), .rst_i(rst_i), .count_i(1'b1), .bits_i(begins_q), .count_o(many));
        always @(posedge clk) begin
            begins_q <= rst_i ? {LINKS{1'b0}} : line_last_i & ~line_i & mask_i & ~owned;
            taken_q  <= !rst_i && fresh_q != 0;
        end
        assign missed_o = many - {{(COUNT_BITS-1){1'b0}}, taken_q};

        for (i = 0; i < COUNT; i = i + 1) begin : g_heard
            wire heard = !fresh_q[i] && (heard_q[i] || byte_idle[i]);
            assign byte_line[i]      = heard;
            assign byte_line_last[i] = last_q[i] || fresh_q[i];
            assign byte_forget[i]    = 1'b0;
            always @(posedge clk) begin
                last_q[i]  <= heard;
                heard_q[i] <= line_last_i[owner_q[INDEX_BITS*i +: INDEX_BITS]];
                fresh_q[i] <= take[i] && begins_q != 0 && !rst_i;
                if (free[i])
                    owner_q[INDEX_BITS*i +: INDEX_BITS] <= first;
            end
        end
        assign owner = owner_q;
    end else begin : g_each
        assign byte_line[COUNT-1:0]      = line_i;
        assign byte_line_last[COUNT-1:0] = line_last_i;
        assign byte_forget[COUNT-1:0]    = ~mask_i;
        for (i = 0; i < COUNT; i = i + 1) begin : g_own
            assign owner[INDEX_BITS*i +: INDEX_BITS] = i[INDEX_BITS-1:0];
        end
        assign missed_o = 0;
    end endgenerate

    // ---- the receivers, and a multiplexer of their outputs
    wire [REPORT_BITS-1:0] report;
    generate for (i = 0; i <= COUNT; i = i + 1) begin : g_receiver
        wire [AGE_BITS-1:0] age;
        wire [12:0]         edge_left;
        wire [7:0]          data;
        wire                stop_ok, lost;
        pb_uart_rx #(.AGE_BITS(AGE_BITS), .AGE_FIRST(POOL && i < COUNT ? 4 : 2)) receiver (
            .clk(clk), .rst_i(rst_i),
            .period_i(i < COUNT ? bit_period_i : console_period_i),
            .line_i(byte_line[i]), .line_last_i(byte_line_last[i]),
            .done_o(byte_done[i]), .ack_i(byte_pick[i] || byte_forget[i]), .idle_o(byte_idle[i]),
            .data_o(data), .stop_ok_o(stop_ok), .edge_left_o(edge_left), .age_o(age), .lost_o(lost)
        );

        wire [REPORT_BITS-1:0] others;
        reg  [REPORT_BITS-1:0] so_far;
        if (i == 0) begin : g_first
            assign others = 0;
        end else begin : g_next
            assign others = g_receiver[i-1].so_far;
        end
        always @* begin
            so_far = others;
            if (byte_pick[i])
                so_far = others | {CAN_LOSE && lost, `PB_EVENT_BYTE_PACK(i < COUNT ? edge_left : 13'd0, stop_ok, data), age};
        end
    end endgenerate
    assign report = g_receiver[COUNT].so_far;

    reg [INDEX_BITS-1:0] link;
    integer              r;
    always @* begin
        link = 0;
        if (`PB_SIM_ACTIVE(byte_wanted != 0))
            for (r = 0; r < COUNT; r = r + 1)
                link = link | ({INDEX_BITS{byte_pick[r]}} & owner[INDEX_BITS*r +: INDEX_BITS]);
    end
    always @(posedge clk) begin
        valid_o <= byte_wanted != 0 && !rst_i;
        if (byte_done != 0) begin   // saves simulation time
            {over_o, value_o, age_o} <= report;
            console_o                <= byte_pick[COUNT];
            link_o                   <= link;
        end
    end
    wire unused = &{1'b0, byte_idle};
endmodule

`default_nettype wire
