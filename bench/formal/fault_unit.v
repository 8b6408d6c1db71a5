// SPDX-FileCopyrightText: The phasebench authors
// SPDX-License-Identifier: Apache-2.0
//
// pb_fault_unit, for all records. active_o rises three clocks after the instant of the record and lasts
// exactly its length. It never lasts more than three clocks after the phase clock stopped, nor after clear_i.
// The outputs are the fields of the record. began_o is high in the first clock of active_o, ended_o in the
// first clock after it, or only late_o. ready_o is high in the clock before active_o, never with it. The
// buffer is a queue of three words.
//
// sources: core/pb_fault_unit.v ./short_fifo.v
// probe: state_q dut.state_q
// probe: pop dut.pop
// probe: byte_data dut.byte_data
// probe: count_q dut.count_q
// probe: length_q dut.length_q
// probe: endless_q dut.endless_q
// probe: complete_q dut.complete_q
// probe: header_q dut.header_q
// probe: parameter_q dut.parameter_q
// probe: slots_q dut.slots_q
// probe: ticks_q dut.ticks_q
// probe: beyond_q dut.beyond_q
// probe: ready_q dut.ready_q
// probe: running_q dut.running_q
// probe: start_q dut.start_q
// probe: late_q dut.late_q
// probe: last_q dut.last
// probe: borrow_q dut.borrow_q
// probe: high_zero_q dut.high_zero_q
`default_nettype none
`include "pb_regs.vh"

module proof_fault_unit (
    input wire        clk,
    input wire        rst_i,
    input wire        clear_i,
    input wire        wr_i,
    input wire [7:0]  wr_data_i,
    input wire        running_i,
    input wire [8:0]  phase_i,
    input wire [15:0] superframe_i,
    input wire [26:0] elapsed_i
);
    reg started = 1'b0;
    always @(posedge clk) started <= 1'b1;
    always @* if (!started) assume (rst_i);

    wire [2:0]  level;
    wire        ready, active, began, ended, late;
    wire [4:0]  kind;
    wire [5:0]  link, other;
    wire [31:0] parameter_shown;
    wire [14:0] number;
    pb_fault_unit #(.DEPTH_LOG2(2)) dut (
        .clk(clk), .rst_i(rst_i), .clear_i(clear_i), .wr_i(wr_i), .wr_data_i(wr_data_i), .level_o(level),
        .running_i(running_i), .phase_i(phase_i), .superframe_i(superframe_i), .elapsed_i(elapsed_i),
        .ready_o(ready), .active_o(active), .kind_o(kind), .link_o(link), .other_o(other), .parameter_o(parameter_shown),
        .began_o(began), .ended_o(ended), .late_o(late), .number_o(number)
    );
    wire [1:0]  state_q;
    wire        pop, endless_q, complete_q;
    wire [7:0]  byte_data;
    wire [5:0]  count_q;
    wire [31:0] length_q, parameter_q;
    wire [95:0] header_q;
    wire [24:0] slots_q, ticks_q;
    wire        beyond_q, ready_q, start_q, late_q, last_q, borrow_q;
    wire [1:0]  high_zero_q;
    wire [1:0]  running_q;

    // ---- the record, by the layout in the module's header: bytes as they left the buffer, the first one lowest
    reg  [159:0] record;
    wire [31:0]  length  = record[`PB_FAULT_RECORD_LENGTH_RANGE];
    wire         endless = &length;
    always @(posedge clk) if (pop) record <= {byte_data, record[`PB_FAULT_RECORD_BITS-1:8]};
    always @* if (state_q != 2'd0) assume (length != 32'd0);

    // ---- the time one and two clocks ago: the unit takes two to compare
    reg         running_1, running_2;
    reg  [8:0]  phase_1, phase_2;
    reg  [15:0] superframe_1, superframe_2;
    reg  [26:0] elapsed_1, elapsed_2;
    always @(posedge clk) begin
        {running_1, running_2}       <= {running_i, running_1};
        {phase_1, phase_2}           <= {phase_i, phase_1};
        {superframe_1, superframe_2} <= {superframe_i, superframe_1};
        {elapsed_1, elapsed_2}       <= {elapsed_i, elapsed_1};
    end

    // ---- the past
    reg        was_ready, was_active, was_over, was_due, was_waiting;
    reg [31:0] left;        // clocks left to be active, this one included
    wire [24:0] ahead = {record[`PB_FAULT_RECORD_SUPERFRAME_RANGE], record[`PB_FAULT_RECORD_PHASE_RANGE]} - {superframe_2, phase_2};
    wire        due    = ahead == 25'd0 && elapsed_2 == {3'd0, record[`PB_FAULT_RECORD_OFFSET_RANGE]};
    wire        passed = ahead[24] || (ahead == 25'd0 && elapsed_2 > {3'd0, record[`PB_FAULT_RECORD_OFFSET_RANGE]});
    always @(posedge clk) begin
        was_ready   <= ready;
        was_active  <= active && !rst_i;
        was_over    <= rst_i || clear_i || !running_2;
        was_due     <= due;
        was_waiting <= state_q == 2'd1 && passed;
        left        <= active ? left - 32'd1 : length;
    end

    always @* if (started) begin
        if (was_over)
            assert (!active);
        else if (active && !was_active)
            assert (was_due && was_ready);
        else if (was_active)
            assert (active == (endless || left != 32'd0));
        assert (began == (active && !was_active));
        assert (ended == (!active && was_active));
        assert (!late || (was_waiting && !active && !was_over));
        assert (!(ready && active));
        if (ready || active || ended) begin
            assert (kind == record[`PB_FAULT_RECORD_KIND_RANGE] && link == record[`PB_FAULT_RECORD_LINK_RANGE] && other == record[`PB_FAULT_RECORD_OTHER_RANGE]);
            assert (number == record[`PB_FAULT_RECORD_NUMBER_RANGE] && parameter_shown == record[`PB_FAULT_RECORD_PARAMETER_RANGE]);
        end
    end

    // ---- the registers inside, for the induction
    // While the record arrives: the bytes received, and whether those of its length are all ones.
    wire [159:0] shown = {parameter_q, length_q, header_q};
    wire [159:0] wrong = (shown ^ record) & ~({160{1'b1}} >> {count_q, 3'd0});
    wire [31:0]  field = count_q > 6'd16 ? record >> (10'd288 - {1'b0, count_q, 3'd0} - 10'd32) : record[`PB_FAULT_RECORD_PARAMETER_RANGE];
    wire [31:0]  ones  = field | (count_q < 6'd16 ? 32'hffffffff >> {count_q - 6'd12, 3'd0} : 32'd0);
    // The length in terms of the counter, whose upper half may lag.
    wire [31:0] counter = length_q - {15'd0, borrow_q, 16'd0};
    reg         was_borrow;
    always @(posedge clk) was_borrow <= borrow_q;
    always @* if (started) begin
        if (borrow_q)
            assert (state_q == 2'd0 ? count_q == 6'd0 : length_q[15:0] == 16'hffff);
        if (was_borrow)
            assert (state_q == 2'd0 ? count_q <= 6'd1 : length_q[15:0] >= 16'hfffe);
        if ((state_q == 2'd1 && ready_q) || active)
            assert (was_borrow || high_zero_q[0] == (length_q[31:16] == 16'd0));
    end
    always @* if (started) begin
        assert (active == (state_q == 2'd2));
        if (state_q == 2'd0) begin
            assert (count_q < 6'd20 && (!complete_q || count_q == 6'd0));
            assert (wrong == 160'd0);
            if (count_q > 6'd12)
                assert (endless_q == &ones);
        end else begin
            assert (header_q == record[`PB_FAULT_RECORD_LENGTH_LSB-1:0] && parameter_q == record[`PB_FAULT_RECORD_PARAMETER_RANGE]);
            assert (endless_q == endless);
            assert (count_q == 6'd0 || state_q == 2'd3);
        end
        // The comparison in progress.
        assert (running_q == {running_2, running_1});
        if (state_q == 2'd1 && ready_q) begin
            assert (slots_q == {record[`PB_FAULT_RECORD_SUPERFRAME_RANGE], record[`PB_FAULT_RECORD_PHASE_RANGE]} - {superframe_1, phase_1});
            assert (ticks_q == {1'b0, record[`PB_FAULT_RECORD_OFFSET_RANGE]} - {1'b0, elapsed_1[23:0]} && beyond_q == (elapsed_1[26:24] != 3'd0));
        end
        if (state_q == 2'd1 && start_q)
            assert (due && running_2 && !complete_q && ready_q);
        if (state_q == 2'd1 && late_q)
            assert (passed && running_2);
        if (state_q == 2'd1)
            assert (counter == (complete_q ? length : length - 32'd1));
        else
            assert (!complete_q || was_over);
        if (active && !endless)
            assert (left != 32'd0 && counter == left - 32'd2 && last_q == (left == 32'd1));
        if (began)
            assert (left == length);
        if (late)
            assert (state_q == 2'd3);
    end

    always @* if (started) begin
        cover (ended && !was_over && length == 32'd3 && kind == 5'd4);
        cover (active && endless && !began);
        cover (late);
    end
endmodule
