// SPDX-FileCopyrightText: The phasebench authors
// SPDX-License-Identifier: Apache-2.0
//
// The phase clock of a bench that plays records, included inside its module: four phases of PHASE_TICKS in
// a superframe. While `held` is high it stays inside a phase that is longer than any offset.
    integer tick = 0, origin = 0, since;
    reg     held = 1'b0;
    always @(posedge clk) tick <= tick + 1;
    always @(negedge clk) #1 if (!held) begin
        since = tick - origin;
        if (running) begin
            elapsed = since % PHASE_TICKS;
            phase = since / PHASE_TICKS % 4;
            superframe = first_superframe + since / (4 * PHASE_TICKS);
        end
    end

    task to_tick(input integer t);
        while (tick < t)
            @(negedge clk) #2;
    endtask

    task start_clock(input [15:0] from);
        begin
            @(negedge clk) #2;
            first_superframe = from;
            superframe = from;
            origin = tick;
            phase = 9'd0;
            elapsed = 27'd0;
            running = 1'b1;
        end
    endtask

    function integer instant(input integer frame, input integer at_phase, input integer offset);
        instant = origin + (frame * 4 + at_phase) * PHASE_TICKS + offset;
    endfunction
