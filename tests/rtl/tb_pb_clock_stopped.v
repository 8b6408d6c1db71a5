// SPDX-FileCopyrightText: The phasebench authors
// SPDX-License-Identifier: Apache-2.0
//
// pb_clock_stopped between clocks of many ratios, in picoseconds: a clock inside the limits of the header is
// never reported as stopped, one below them is reported in each beat, and the instants at which stopped_o
// changes are those of the header. The bench counts the edges of the other clock itself. Real time, so the
// bench is for an event simulator.
`timescale 1ps / 1ps
`default_nettype none

// One size of the module and a clock of its own. Counts what is wrong.
module stopped_case #(
    parameter BEAT_LOG2 = 1,
    parameter STILL_LOG2 = 3
) (
    input wire        clk,
    input wire [31:0] half_ps,  // half a period of the other clock; 0: it is stopped
    input wire        judge_i   // the clock has had its rate for a while
);
    localparam real CLK_PS = 10000.0, BEAT = 1 << BEAT_LOG2, STILL = 1 << STILL_LOG2;
    reg  other_clk = 1'b0;
    wire stopped;
    pb_clock_stopped #(.BEAT_LOG2(BEAT_LOG2), .STILL_LOG2(STILL_LOG2)) dut (.clk(clk), .other_clk(other_clk), .stopped_o(stopped));

    integer edges = 0, errors = 0, reports = 0;
    real    last_ps = -1.0e9, before_ps = -1.0e9, first_ps = -1.0e9;     // the last three ends of a beat
    initial forever
        if (half_ps == 0)
            @(half_ps);
        else begin
            #(half_ps) other_clk = !other_clk;
            if (other_clk) begin
                edges = edges + 1;
                if (edges % (1 << BEAT_LOG2) == 0) begin
                    first_ps = before_ps;
                    before_ps = last_ps;
                    last_ps = $realtime;
                end
            end
        end

    // The change is more than `cycles` and at most `cycles` + 1 cycles of clk after an end of a beat.
    function explained(input real cycles);
        explained = ($realtime > last_ps + cycles * CLK_PS && $realtime <= last_ps + (cycles + 1.0) * CLK_PS) ||
                    ($realtime > before_ps + cycles * CLK_PS && $realtime <= before_ps + (cycles + 1.0) * CLK_PS) ||
                    ($realtime > first_ps + cycles * CLK_PS && $realtime <= first_ps + (cycles + 1.0) * CLK_PS);
    endfunction
    real beat_periods;
    always @(stopped) if (edges != 0) begin
        if (!explained(stopped ? STILL + 2.0 : 2.0))
            errors = errors + 1;
        reports = reports + (stopped && judge_i);
    end
    always @(negedge clk) begin
        beat_periods = 2.0 * half_ps * BEAT / CLK_PS;
        // Inside the limits, and before the first beat.
        if (judge_i && half_ps != 0 && beat_periods > 1.0 && beat_periods < STILL && stopped)
            errors = errors + 1;
        if (judge_i && half_ps == 0 && !stopped)
            errors = errors + 1;
        if (edges < 1 << BEAT_LOG2 && stopped !== 1'b1)
            errors = errors + 1;
    end
endmodule

module tb_pb_clock_stopped;
    reg         clk = 1'b0, judge = 1'b0;
    reg  [31:0] half_small = 0, half_core = 0;
    integer     failures = 0, i, before;
    always #5000 clk = !clk;

    stopped_case #(.BEAT_LOG2(1), .STILL_LOG2(3)) small_size (.clk(clk), .half_ps(half_small), .judge_i(judge));
    stopped_case #(.BEAT_LOG2(4), .STILL_LOG2(6)) core_size (.clk(clk), .half_ps(half_core), .judge_i(judge));   // as in pb_host_fifo_sync

    // `beat_thousandths` of a period of clk for a beat of each size; the small one has 2 periods of its clock in it, the large one 16.
    task rate(input integer small_thousandths, input integer core_thousandths);
        begin
            judge = 1'b0;
            half_small = small_thousandths * 10 / 4;
            half_core = core_thousandths * 10 / 32;
            #3000000;
            judge = 1'b1;
            #3000000;
            judge = 1'b0;
        end
    endtask

    initial begin
        #1000000;
        // From just above one period of clk to just below the limit.
        for (i = 0; i <= 20; i = i + 1)
            rate(1010 + i * 349, 1010 + i * 3149);
        // Above the limit each beat has a pause that is reported: 3 beats of 9.2 and 70 periods of clk at least.
        before = small_size.reports;
        rate(9200, 10000);
        if (small_size.reports < before + 25)
            failures = failures + 1;
        before = core_size.reports;
        rate(4600, 70000);
        if (core_size.reports < before + 3)
            failures = failures + 1;
        // The clock stops, and runs again.
        for (i = 0; i < 20; i = i + 1) begin
            rate(3000 + 137 * i, 20000 + 1370 * i);
            rate(0, 0);
        end
        failures = failures + small_size.errors + core_size.errors;
        if (failures == 0)
            $display("PASS tb_pb_clock_stopped");
        else
            $display("FAIL tb_pb_clock_stopped: %0d in the small size, %0d in the size of the core, %0d in all",
                     small_size.errors, core_size.errors, failures);
        $finish;
    end
endmodule

`default_nettype wire
