// SPDX-FileCopyrightText: The phasebench authors
// SPDX-License-Identifier: Apache-2.0
//
// pb_capture: everything that happens is written down here clock by clock, and each event that comes out must
// be in that diary, once, with its own stamp. Then the sums: what happened is what was reported plus what was
// counted as lost.
`timescale 1ns / 1ps
`default_nettype none
`define NAME "tb_pb_capture"
`include "pb_regs.vh"

module tb_pb_capture;
    localparam LIMIT_CLOCKS = 400000;
    localparam LINKS = 12, LANES = 3, DEPTH_LOG2 = 6;
    localparam CAPACITY = (1 << DEPTH_LOG2) + 2;     // the buffer, and a place on either side of it
    localparam DIARY = 65536;
`include "tb_pb_common.vh"

    reg                 enable = 1'b0, alarm = 1'b0;
    wire [53:0]         stamp;
    reg                 tick = 1'b0, running = 1'b0, console = 1'b1, ready = 1'b0;
    reg  [8:0]          phase = 9'd0;
    reg  [12:0]         superframe = 13'd0;
    reg  [LINKS-1:0]    second = 0, line = {LINKS{1'b1}}, edge_mask = {LINKS{1'b1}}, byte_mask = 0;
    reg  [19:0]         bit_period = 20'd171, console_period = 20'd150;
    reg  [LANES-1:0]    underrun = 0;
    reg  [9*LANES-1:0]  underrun_phase = 0;
    reg  [13*LANES-1:0] underrun_superframe = 0;
    wire                valid;
    wire [63:0]         word;
    wire [DEPTH_LOG2:0] level;
    wire [31:0]         lost;

    pb_capture #(.LINKS(LINKS), .LANES(LANES), .HALF_TICKS(1), .DEPTH_LOG2(DEPTH_LOG2)) dut (
        .clk(clk), .rst_i(rst), .enable_i(enable), .stamp_o(stamp),
        .tick_i(tick), .phase_i(phase), .superframe_i(superframe), .running_i(running),
        .line_i(line), .second_i(second), .edge_mask_i(edge_mask), .byte_mask_i(byte_mask), .bit_period_i(bit_period),
        .console_i(console), .console_period_i(console_period),
        .underrun_i(underrun), .underrun_phase_i(underrun_phase), .underrun_superframe_i(underrun_superframe),
        .tdma_i(1'b0), .tdma_sync_i(1'b0), .tdma_second_i(1'b0), .tdma_age_i(17'd0), .tdma_age_half_i(2'd0), .receipt_valid_i(1'b0), .receipt_tdc_i(1'b0), .receipt_value_i(28'd0), .receipt_stamp_i(8'd0),
        .receipt_take_o(), .alarm_valid_i(alarm), .alarm_value_i(28'h0abcdef), .alarm_take_o(),
        .event_valid_o(valid), .event_o(word), .event_ready_i(ready), .event_level_o(level), .lost_o(lost));

    // In which half of the clock a line changes, if it does.
    reg [31:0] halves_noise = 32'h2545f491;
    always @(negedge clk) begin
        halves_noise = halves_noise ^ (halves_noise << 13);
        halves_noise = halves_noise ^ (halves_noise >> 17);
        halves_noise = halves_noise ^ (halves_noise << 5);
        second = halves_noise[LINKS-1:0];
    end

    // ---- the diary, by clocks since reset
    integer         now = 0;
    reg [LINKS-1:0] levels [0:DIARY-1];
    reg [LINKS-1:0] wanted [0:DIARY-1];     // mask at that clock, 0 while disabled
    reg [1:0]       halves [0:DIARY-1];     // {no edge in the first half, none in the second}
    reg [22:0]      phases [0:DIARY-1];     // {tick, superframe, phase}
    reg [1:0]       clocks_running [0:DIARY-1];
    reg [LINKS-1:0] previous = {LINKS{1'b1}};
    reg             running_before = 1'b0;
    integer         edges_made = 0, bit_of;
    // A clock is recorded at its end, when its inputs are settled; stamp_o is then that of this clock.
    always @(posedge clk) if (rst) now = 0; else begin
        levels[now % DIARY] = line;
        wanted[now % DIARY] = enable ? edge_mask : 0;
        halves[now % DIARY] = 2'b11;
        phases[now % DIARY] = {tick && enable, superframe, phase};
        clocks_running[now % DIARY] = {running != running_before && enable, running};
        for (bit_of = 0; bit_of < LINKS; bit_of = bit_of + 1)
            if ((line[bit_of] != previous[bit_of]) && edge_mask[bit_of] && enable) begin
                edges_made = edges_made + 1;
                halves[now % DIARY][second[bit_of] ? 0 : 1] = 1'b0;
            end
        previous = line;
        running_before = running;
        now = now + 1;
    end
    always @(negedge clk) if (!rst) begin
        if (stamp[31:0] !== now + stamp_offset)
            fail("stamp is not the clock count");
        if (^{valid, level, lost} === 1'bx || (valid && ^word === 1'bx))
            fail("unknown output");
    end

    // ---- the checker of events
    integer    stamp_offset = 0;        // stamp of clock 0, for the heartbeat
    integer    at, link, edge_last = -1, total_edges = 0, total_lost = 0, total_bytes = 0, total_phases = 0, total_clocks = 0;
    integer    total_underruns = 0, total_console = 0, total_beats = 0, total_alarms = 0, bytes_due = 0;
    integer    last_edge_of [0:LINKS-1], told_half [0:2];
    integer    byte_start [0:LINKS-1];  // start edge of the byte that must come, or -1
    reg [8:0]  byte_value [0:LINKS-1];  // stop, data
    integer    console_start = -1;
    reg [8:0]  console_value = 9'd0;
    reg [21:0] underrun_due [0:LANES-1];
    reg [LANES-1:0] underrun_open = 0;
    integer    underrun_at = 0;
    integer    z;
    initial {told_half[0], told_half[1], told_half[2]} = 0;
    initial for (z = 0; z < LINKS; z = z + 1) begin
        last_edge_of[z] = -1;
        byte_start[z] = -1;
    end

    always @(posedge clk) if (!rst && valid && ready) begin
        at = word[31:0] - stamp_offset;
        link = word[59:54];
        case (word[63:60])
            `PB_EVENT_EDGE: begin
                total_edges = total_edges + 1;
                if (at < 1 || at > now || link >= LINKS)
                    fail("edge at an impossible time or link");
                else begin
                    if (levels[at % DIARY][link] !== word[32] || levels[(at - 1) % DIARY][link] === word[32])
                        fail("edge that never was");
                    if (!wanted[at % DIARY][link] || word[53:35] != 0)
                        fail("edge that nobody asked for");
                    if (word[34:33] !== halves[at % DIARY])
                        fail("edge in the wrong half of the clock");
                    told_half[word[34:33]] = told_half[word[34:33]] + 1;
                    if (at <= last_edge_of[link] || at < edge_last)
                        fail("edges out of order");
                    last_edge_of[link] = at;
                    edge_last = at;
                end
            end
            `PB_EVENT_PHASE: begin
                total_phases = total_phases + 1;
                if (word[59:54] != 0 || {1'b1, word[53:32]} !== phases[at % DIARY])
                    fail("phase that never began");
            end
            `PB_EVENT_CLOCK: begin
                total_clocks = total_clocks + 1;
                if (word[59:33] != 0 || {1'b1, word[32]} !== clocks_running[at % DIARY])
                    fail("clock event that never was");
            end
            `PB_EVENT_BYTE: begin
                total_bytes = total_bytes + 1;
                if (link >= LINKS || byte_start[link] < 0)
                    fail("byte that nobody sent");
                else begin
                    if (word[40:32] !== byte_value[link])
                        fail("wrong byte");
                    if (at != byte_start[link] + (19 * bit_period) / 32)
                        fail("wrong stamp of a byte");
                    byte_start[link] = -1;
                end
            end
            `PB_EVENT_CONSOLE: begin
                total_console = total_console + 1;
                if (console_start < 0 || word[59:41] != 0 || word[40:32] !== console_value ||
                    at != console_start + (19 * console_period) / 32)
                    fail("wrong console byte");
                console_start = -1;
            end
            `PB_EVENT_OVERFLOW:
                total_lost = total_lost + word[59:32];
            `PB_EVENT_UNDERRUN: begin
                total_underruns = total_underruns + 1;
                if (link >= LANES || !underrun_open[link] || word[53:32] !== underrun_due[link])
                    fail("underrun of another record");
                else
                    underrun_open[link] = 1'b0;
                if (at < underrun_at || at > underrun_at + 8)
                    fail("wrong stamp of an underrun");
            end
            `PB_EVENT_ALARM: begin
                total_alarms = total_alarms + 1;
                if (word[59:32] != 28'h0abcdef || at + 8 < now)
                    fail("wrong alarm");
            end
            `PB_EVENT_HEARTBEAT: begin
                total_beats = total_beats + 1;
                if (word[23:0] != 0 || word[59:54] != 0)
                    fail("heartbeat out of time");
            end
            default: fail("unknown kind of event");
        endcase
    end

    integer quiet;
    task drain;
        begin
            ready = 1'b1;
            quiet = 0;
            while (quiet < 600) begin
                clocks(1);
                quiet = valid ? 0 : quiet + 1;
            end
        end
    endtask
    task balance(input [8*60-1:0] what);
        begin
            drain;
            if (edges_made != total_edges + total_lost || lost != total_lost)
                fail(what);
        end
    endtask

    // Bytes on all links of `which` at once, one clock apart when staggered, with a given stop bit.
    integer i, j, k, n, earlier;
    reg [9:0] symbol;
    reg [7:0] payload [0:LINKS-1];
    task send_bytes(input [LINKS-1:0] which, input integer stagger, input stop);
        integer origin;
        begin
            origin = now;
            for (i = 0; i < LINKS; i = i + 1)
                if (which[i]) begin
                    payload[i] = random(0);
                    if (byte_mask[i]) begin
                        byte_start[i] = origin + i * stagger;
                        byte_value[i] = {stop, payload[i]};
                        bytes_due = bytes_due + 1;
                    end
                end
            // All lines change twenty times at most, an edge takes two clocks, and bytes come after edges.
            for (n = 0; n < (10 * bit_period) / 16 + 20 * stagger + 40 * LINKS; n = n + 1) begin
                for (i = 0; i < LINKS; i = i + 1)
                    if (which[i] && n >= i * stagger) begin
                        symbol = {stop, payload[i], 1'b0};
                        j = (16 * (n - i * stagger) + 15) / bit_period;
                        line[i] = j > 9 ? 1'b1 : symbol[j];
                    end
                clocks(1);
            end
        end
    endtask

    task send_console(input [7:0] value);
        begin
            console_start = now;
            console_value = {1'b1, value};
            symbol = {1'b1, value, 1'b0};
            for (n = 0; n < (10 * console_period) / 16 + 20; n = n + 1) begin
                j = (16 * n + 15) / console_period;
                console = j > 9 ? 1'b1 : symbol[j];
                clocks(1);
            end
        end
    endtask

    initial begin
        clocks(4);
        rst = 1'b0;
        clocks(3);

        // Nothing is recorded while disabled, and enabling invents nothing.
        ready = 1'b1;
        for (i = 0; i < 200; i = i + 1) begin
            line = random(0);
            tick = random(0);
            running = random(0);
            clocks(1);
        end
        tick = 1'b0;
        clocks(20);
        enable = 1'b1;
        clocks(50);
        if (edge_last != -1 || total_phases + total_clocks != 0)
            fail("event from before the capture was enabled");

        // Random traffic on everything that does not overflow.
        for (i = 0; i < 15000; i = i + 1) begin
            if (random(0) % 12 == 0)
                line = line ^ (1 << random(0) % LINKS);
            if (random(0) % 150 == 0)
                line = random(0);
            tick = i % 20 == 0 && random(0) % 3 == 0;   // phase and superframe stay until the event is written
            if (tick) begin
                phase = random(0);
                superframe = random(0);
            end
            if (i % 20 == 7 && random(0) % 3 == 0)
                running = !running;
            ready = random(0) % 4 != 0;
            clocks(1);
        end
        tick = 1'b0;
        drain;
        if (total_lost != 0 || lost != 0)
            fail("lost something for no reason");
        if (total_edges != edges_made)
            fail("edge missing");
        earlier = 0;
        for (i = 0; i < now; i = i + 1) begin
            earlier = earlier + phases[i][22];
            total_clocks = total_clocks - clocks_running[i][1];
        end
        if (total_phases != earlier || total_clocks != 0)
            fail("phase or clock event missing");

        // All lines at the same instant.
        for (i = 0; i < 20; i = i + 1) begin
            line = i[0] ? {LINKS{1'b1}} : 0;
            clocks(40);
        end
        line = {LINKS{1'b1}};
        balance("simultaneous edges lost");

        // Masks: changed lines outside are silent, before and after the mask is set.
        edge_mask = 12'h0f0;
        for (i = 0; i < 300; i = i + 1) begin
            line = random(0);
            clocks(12);
        end
        edge_mask = 12'h801;
        clocks(50);
        for (i = 0; i < 300; i = i + 1) begin
            line = random(0);
            clocks(8);
        end
        balance("masked edges are wrong");
        // A mask that is set while edges of other lines still wait in front.
        for (i = 0; i < 60; i = i + 1) begin
            edge_mask = 12'h0ff;
            repeat (6) begin
                line = line ^ (random(0) & 12'hfff);
                clocks(1);
            end
            edge_mask = 12'hfff;
            clocks(5);
            line = line ^ 12'h001;
            clocks(60);
        end
        balance("edges wrong after a change of the mask");
        enable = 1'b0;
        clocks(5);
        line = ~line;
        clocks(5);
        enable = 1'b1;
        clocks(20);
        balance("edge of a time when capture was off");

        // Bytes: of all links at once, staggered, with a low stop bit; only those of the mask; edges of the same links too.
        line = {LINKS{1'b1}};
        clocks(40);
        byte_mask = 12'hfff;
        send_bytes(12'hfff, 0, 1'b1);
        send_bytes(12'hfff, 0, 1'b1);
        send_bytes(12'ha5a, 3, 1'b1);
        send_bytes(12'h0ff, 0, 1'b0);
        clocks(60);
        byte_mask = 12'h060;
        send_bytes(12'hfff, 1, 1'b1);
        byte_mask = 12'hfff;
        edge_mask = 0;
        clocks(100);
        for (k = 128; k < 160; k = k + 5) begin
            bit_period = k;
            send_bytes(12'hfff, 0, 1'b1);
        end
        drain;
        if (total_bytes != bytes_due)
            fail("byte missing");
        if (edges_made != total_edges + total_lost)
            fail("edges beside bytes are wrong");
        for (i = 0; i < 8; i = i + 1)
            send_console(random(0));
        drain;
        if (total_console != 8)
            fail("console byte missing");

        // Underruns of all lanes at the clock of a phase event, and again before the first are gone.
        for (i = 0; i < 40; i = i + 1) begin
            underrun_phase = random(0);
            underrun_superframe = {random(0), random(0)};
            underrun = i < 4 ? 3'b111 : random(0);
            tick = i[0];
            for (j = 0; j < LANES; j = j + 1)
                underrun_due[j] = {underrun_superframe[13*j +: 13], underrun_phase[9*j +: 9]};
            underrun_open = underrun;
            underrun_at = now;
            clocks(1);
            underrun = 0;
            tick = 1'b0;
            clocks(40);
            if (underrun_open != 0)
                fail("underrun event missing");
        end

        // The same while an alarm is pending in every clock and edges are lost in every clock: each of them has its turns, and no stamp is wrong.
        edge_mask = 12'h001;
        byte_mask = 0;
        earlier = total_lost;
        n = total_edges;
        total_alarms = 0;
        alarm = 1'b1;
        for (i = 0; i < 2000; i = i + 1) begin
            line[0] = !line[0];
            tick = i % 100 == 50;
            underrun = i > 700 && i % 100 == 50 ? 3'b111 : 3'd0;
            if (underrun != 0) begin
                if (underrun_open != 0)
                    fail("underrun event missing behind alarms");
                underrun_open = underrun;
                underrun_at = now;
            end
            clocks(1);
        end
        tick = 1'b0;
        alarm = 1'b0;
        balance("edges beside alarms are wrong");
        if (underrun_open != 0 || total_lost < earlier + 1000 || total_edges < n + 400 || total_alarms < 200)
            fail("somebody starves");

        // Full buffer: exactly as many as fit are kept, the rest is counted, the count comes as an event.
        edge_mask = 12'hfff;
        byte_mask = 0;
        drain;
        earlier = total_edges;
        n = edges_made;
        ready = 1'b0;
        for (i = 0; i < 200; i = i + 1) begin
            line = line ^ (1 << i % LINKS);
            clocks(5);
        end
        clocks(20);
        if (lost - total_lost != edges_made - n - CAPACITY)
            fail("wrong number of lost events");
        balance("overflow does not count exactly");
        if (total_edges != earlier + CAPACITY)
            fail("buffer holds another number of events");
        // Now and then full, with all that was lost in between accounted for.
        for (i = 0; i < 4000; i = i + 1) begin
            line = line ^ (random(0) & random(0) & random(0) & 12'hfff);
            ready = random(0) % 3 == 0;
            clocks(1);
        end
        balance("overflow in bursts does not count exactly");
        // A storm that even the buffer in front cannot take: several edges in every clock.
        for (i = 0; i < 1500; i = i + 1) begin
            line = random(0);
            ready = 1'b1;
            clocks(1);
        end
        balance("storm does not count exactly");
        for (i = 0; i < 700; i = i + 1) begin
            line = ~line;
            clocks(1);
        end
        line = {LINKS{1'b1}};
        balance("storm of all lines does not count exactly");
        // Switched off while full: the number of lost events is still delivered.
        ready = 1'b0;
        for (i = 0; i < 100; i = i + 1) begin
            line = line ^ 12'h010;
            clocks(5);
        end
        enable = 1'b0;
        clocks(10);
        balance("loss forgotten when capture was switched off");
        enable = 1'b1;

        // The heartbeat, and the upper bits of the stamp: no test waits for 2^24 clocks.
        earlier = total_beats;
        @(negedge clk) dut.stamp_o = 54'h15_5555_ffff_ffc0;
        stamp_offset = 32'hffffffc0 - now;
        // Edges, phases and underruns that wait while all lower bits of the stamp turn over keep their own.
        clocks(54);
        for (i = 0; i < 20; i = i + 1) begin
            line = ~line;
            tick = i % 3 == 0;
            clocks(1);
        end
        tick = 1'b0;
        balance("edges around the carry are wrong");
        if (total_beats != earlier + 1)
            fail("no heartbeat");
        if (told_half[0] < 1000 || told_half[1] < 1000 || told_half[2] < 1000)
            fail("edges of each kind were wanted");
        verdict;
    end
    // The only heartbeat of the run (apart from that of clock 0) carries the bits 53..32 after the carry.
    always @(posedge clk)
        if (!rst && valid && ready && word[63:60] == `PB_EVENT_HEARTBEAT && word[53:32] !== 22'h155556)
            fail("heartbeat with wrong upper bits");
endmodule

`default_nettype wire
