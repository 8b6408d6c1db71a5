// SPDX-FileCopyrightText: The phasebench authors
// SPDX-License-Identifier: Apache-2.0
//
// The frame of every tb_pb_*.v, included inside its module: clock, reset, time limit and verdict. The bench defines
// `NAME and LIMIT_CLOCKS before. Inputs change at the falling clock edge and outputs are sampled there, so the
// benches mean the same in a 4-state event simulator and in a cycle-based one.
    reg     clk = 1'b0;
    reg     rst = 1'b1;
    integer failures = 0;
    reg [8*60-1:0] reason = 0;

    always #5 clk = !clk;

    // Inputs change a nanosecond after the falling edge, after the benches have sampled there.
    task clocks(input integer n);
        repeat (n) @(negedge clk) #1;
    endtask

    // Pseudo-random numbers that are the same in every simulator: xorshift of 32 bits.
    reg [31:0] noise = 32'h9e3779b9;
    function [31:0] random(input unused);
        begin
            noise = noise ^ (noise << 13);
            noise = noise ^ (noise >> 17);
            noise = noise ^ (noise << 5);
            random = noise;
        end
    endfunction

    task fail(input [8*60-1:0] what);
        begin
            if (failures == 0)
                reason = what;
            if (failures < 5)
                $display("%s: %0s at %0t", `NAME, what, $time);
            failures = failures + 1;
        end
    endtask

    task verdict;
        begin
            if (failures == 0)
                $display("PASS %s", `NAME);
            else
                $display("FAIL %s: %0s (%0d failures)", `NAME, reason, failures);
            $finish;
        end
    endtask

    initial begin
        repeat (LIMIT_CLOCKS) @(negedge clk);
        $display("FAIL %s: out of time", `NAME);
        $finish;
    end
