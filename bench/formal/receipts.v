// SPDX-FileCopyrightText: The phasebench authors
// SPDX-License-Identifier: Apache-2.0
//
// pb_receipts: each pulse gives exactly one receipt with the kind, link and number of its source and the
// stamp now_i DELAY clocks after the pulse; there is no other receipt. valid_o holds until take_i, is low for
// a clock then, and rises one clock after a receipt is available. Until take_i the receipt at the output
// changes only to one of higher precedence: a beginning before an end, a lower source before a higher one. A
// beginning leaves before the end of the same source.
//
// The link identifies the receipt at the output: the links of the sources are arbitrary, but different.
//
// sources: core/pb_receipts.v
// probe: pipe dut.pipe
// probe: waiting dut.waiting
// probe: was_late dut.was_late
// probe: pick dut.pick
// probe: began_stamp_0 dut.g_source[0].began_stamp
// probe: ended_stamp_0 dut.g_source[0].ended_stamp
// probe: began_stamp_1 dut.g_source[1].began_stamp
// probe: ended_stamp_1 dut.g_source[1].ended_stamp
// probe: began_stamp_2 dut.g_source[2].began_stamp
// probe: ended_stamp_2 dut.g_source[2].ended_stamp
`default_nettype none

module proof_receipts #(
    parameter STAMP_BITS = 6,
    parameter DELAY      = 4
) (
    input wire                  clk,
    input wire                  rst_i,
    input wire [STAMP_BITS-1:0] now_i,
    input wire [2:0]            began_i,
    input wire [2:0]            ended_i,
    input wire [2:0]            late_i,
    input wire [14:0]           kind_i,
    input wire [44:0]           number_i,
    input wire                  take_i
);
    localparam SOURCES = 3;
    reg started = 1'b0;
    always @(posedge clk) started <= 1'b1;
    always @* if (!started) assume (rst_i);

    (* anyconst *) reg [17:0] link;
    always @* assume (link[5:0] != link[11:6] && link[5:0] != link[17:12] && link[11:6] != link[17:12]);

    wire                  valid;
    wire [27:0]           value;
    wire [STAMP_BITS-1:0] stamp;
    pb_receipts #(.SOURCES(SOURCES), .STAMP_BITS(STAMP_BITS), .DELAY(DELAY)) dut (
        .clk(clk), .rst_i(rst_i), .now_i(now_i), .began_i(began_i), .ended_i(ended_i), .late_i(late_i),
        .kind_i(kind_i), .link_i(link), .number_i(number_i), .valid_o(valid), .value_o(value), .stamp_o(stamp), .take_i(take_i)
    );
    wire [3*SOURCES*DELAY-1:0] pipe;
    wire [2*SOURCES-1:0]       waiting, pick;
    wire [SOURCES-1:0]         was_late;
    wire [STAMP_BITS-1:0]      began_stamp_0, began_stamp_1, began_stamp_2, ended_stamp_0, ended_stamp_1, ended_stamp_2;
    wire [6*STAMP_BITS-1:0]    stamps = {ended_stamp_2, ended_stamp_1, ended_stamp_0, began_stamp_2, began_stamp_1, began_stamp_0};

    always @* assume (!take_i || valid);

    // ---- places: 0 to 2 beginnings, 3 to 5 ends
    wire [5:0]  pulse = {ended_i | late_i, began_i};
    wire [5:0]  due, offered, gone;
    genvar p;
    generate for (p = 0; p < 6; p = p + 1) begin : g_place
        localparam S = p % SOURCES;
        // A pulse is in progress from its clock to the one in which its receipt is taken.
        reg                  busy;
        reg  [DELAY-1:0]     age;       // one bit, at the number of clocks since the pulse; 0 when it has its stamp
        reg                  late;
        reg [4:0]            kind;
        reg [14:0]           number;
        reg [STAMP_BITS-1:0] when;
        assign due[p]     = busy && age == 0;
        assign offered[p] = valid && value[27:22] == link[6*S +: 6] && (value[6:5] == 2'd1) == (p < SOURCES);
        assign gone[p]    = offered[p] && take_i;
        always @(posedge clk) begin
            age <= age << 1;
            if (age[DELAY-1])
                when <= now_i;
            if (gone[p])
                busy <= 1'b0;
            if (pulse[p]) begin
                busy   <= 1'b1;
                age    <= 1;
                late   <= late_i[S];
                kind   <= kind_i[5*S +: 5];
                number <= number_i[15*S +: 15];
            end
            if (rst_i) begin
                busy <= 1'b0;
                age  <= 0;
            end
        end
        always @* begin
            // The duty of a source by the header, for the time of a receipt.
            assume (!(pulse[p] && busy));
            if (busy)
                assume (kind_i[5*S +: 5] == kind && number_i[15*S +: 15] == number);
            if (started) begin
                if (offered[p])
                    assert (due[p] && value[21:7] == number && value[4:0] == kind && stamp == when &&
                            value[6:5] == (p < SOURCES ? 2'd1 : late ? 2'd2 : 2'd0));
                // For the induction.
                assert (waiting[p] == due[p]);
                if (due[p]) begin
                    assert (stamps[STAMP_BITS*p +: STAMP_BITS] == when);
                    if (p >= SOURCES)
                        assert (was_late[S] == late);
                end
                assert ((age & (age - 1'b1)) == 0 && (busy || age == 0));
                assert ((valid && pick[p]) == offered[p]);
            end
        end
        genvar d;
        for (d = 0; d < DELAY; d = d + 1) begin : g_stage
            wire is_began = pipe[3*SOURCES*d + S];
            wire is_ended = pipe[3*SOURCES*d + SOURCES + S];
            wire is_late  = pipe[3*SOURCES*d + 2*SOURCES + S];
            always @* if (started) begin
                assert (age[d] == (p < SOURCES ? is_began : is_ended || is_late));
                if (p >= SOURCES && age[d])
                    assert (is_late == late);
            end
        end
    end endgenerate
    generate for (p = 0; p < SOURCES; p = p + 1) begin : g_pair
        reg  ahead;     // the beginning in progress was pulsed before the end in progress
        wire [DELAY-1:0] age_began = g_place[p].age, age_ended = g_place[SOURCES+p].age;
        always @(posedge clk)
            if (rst_i || gone[p])
                ahead <= 1'b0;
            else if (pulse[SOURCES+p])
                ahead <= g_place[p].busy;
        always @* begin
            assume (!(ended_i[p] && late_i[p]));
            if (started) begin
                assert (!(offered[SOURCES+p] && ahead));
                assert (!ahead || (g_place[p].busy && (age_began == 0 || (age_ended != 0 && age_ended < age_began))));
            end
        end
    end endgenerate

    reg                   was_valid, was_taken, was_reset;
    reg                   waited;       // in the last clock a receipt was available and none at the output
    reg [5:0]             was_offered;
    reg [27:0]            last_value;
    reg [STAMP_BITS-1:0]  last_stamp;
    always @(posedge clk) begin
        was_valid  <= valid && !rst_i;
        was_taken  <= take_i;
        was_reset  <= rst_i;
        waited     <= due != 6'd0 && !valid && !rst_i;
        was_offered <= offered;
        last_value <= value;
        last_stamp <= stamp;
    end
    always @* if (started) begin
        if (valid)
            assert (offered != 6'd0 && (offered & (offered - 6'd1)) == 6'd0);
        if (was_taken || was_reset)
            assert (!valid);
        if (was_valid && !was_taken)
            assert (valid && (value == last_value && stamp == last_stamp || (offered & (was_offered - 6'd1)) != 6'd0));
        assert (!waited || valid);
        assert (valid == (pick != 6'd0) && (pick & (pick - 6'd1)) == 6'd0);
    end

    always @* if (started) begin
        cover (gone[5] && value[6:5] == 2'd2 && due[0]);
        cover (gone[0] && due[4:1] == 4'hf);
    end
endmodule
