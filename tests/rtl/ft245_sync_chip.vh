// SPDX-FileCopyrightText: The phasebench authors
// SPDX-License-Identifier: Apache-2.0
//
// An FT232H or FT2232H as a synchronous 245 FIFO, by the tables of the data sheets (FT_000288 table 4.1, FT_000061): drives its pins
// at the latest instant they allow, and complains about what they forbid. The host behind it sends byte number n as code(n) and
// expects the same. RXF# and TXE# stall at random: RXF# after a byte, TXE# at any edge, for one clock or many.
module ft245_sync_chip (
    input  wire       run_i,            // CLKOUT runs
    input  wire [7:0] rxf_stall_i,      // of 256: how often RXF# goes high after a byte
    input  wire [7:0] txe_stall_i,      // of 256: how often TXE# goes high at an edge
    output reg        clkout_o,
    output reg        rxf_n_o,
    output reg        txe_n_o,
    input  wire       oe_n_i,
    input  wire       rd_n_i,
    input  wire       wr_n_i,
    input  wire       siwu_n_i,
    input  wire [7:0] data_i,
    input  wire       drive_i,          // the other side drives the data pins
    output reg  [7:0] data_o,
    output reg        drive_o
);
    localparam PERIOD = 16.667, LATEST = 9.0, SETUP = 7.5, SEND_CLOCKS = 16;
    integer to_send = 0;                // the bench sets how many bytes the host has sent in all
    integer sent = 0, got = 0, altered = 0, pulses = 0, errors = 0;
    reg [8*60-1:0] error = 0;

    function [7:0] code(input integer n);
        reg [31:0] mixed;
        begin
            mixed = n * 32'd2654435761;
            code = mixed[31:24] ^ n[7:0];
        end
    endfunction
    reg [31:0] noise = 32'h2545f491;
    function [31:0] random(input unused);
        begin
            noise = noise ^ (noise << 13);
            noise = noise ^ (noise >> 17);
            noise = noise ^ (noise << 5);
            random = noise;
        end
    endfunction
    task wrong(input [8*60-1:0] what);
        begin
            if (errors == 0)
                error = what;
            errors = errors + 1;
        end
    endtask

    realtime oe_at = 0.0, rd_at = 0.0, wr_at = 0.0, data_at = 0.0;
    always @(oe_n_i) oe_at = $realtime;
    always @(rd_n_i) rd_at = $realtime;
    always @(wr_n_i) wr_at = $realtime;
    always @(data_i or drive_i) data_at = $realtime;
    always @(drive_i or drive_o)
        if (drive_i && drive_o)
            wrong("two drivers on the bus");

    initial begin
        clkout_o = 1'b0;
        rxf_n_o  = 1'b1;
        txe_n_o  = 1'b1;
        drive_o  = 1'b0;
        data_o   = 8'd0;
    end
    always begin
        #(PERIOD / 2);
        if (run_i || clkout_o)
            clkout_o = !clkout_o;
    end

    // The data pins: on, and good, as late as allowed; off as late as allowed.
    always @(oe_n_i)
        if (!oe_n_i) begin
            drive_o = 1'b1;
            data_o  = 8'hxx;
            data_o <= #(LATEST) code(sent);
        end else
            drive_o <= #(LATEST) 1'b0;

    reg     oe_before = 1'b1, txe_next, rxf_next;
    integer rxf_late = 0, low = 0, expected = 0, edges = 0;
    realtime edge_at = 0.0;
    always @(posedge clkout_o) begin
        edges   = $realtime - edge_at > 2 * PERIOD ? 1 : edges + 1;     // since CLKOUT runs
        edge_at = $realtime;
        if ($realtime - oe_at < SETUP || $realtime - rd_at < SETUP || $realtime - wr_at < SETUP)
            wrong("a strobe changes in the setup time");
        if (^{oe_n_i, rd_n_i, wr_n_i, siwu_n_i} === 1'bx)
            wrong("a strobe is unknown");
        if (!rd_n_i && (oe_n_i || oe_before))
            wrong("RD# low without a clock of OE# before");
        if (!rd_n_i && !wr_n_i)
            wrong("RD# and WR# low together");
        rxf_late = rd_n_i || !rxf_n_o ? 0 : rxf_late + 1;
        if (rxf_late > 2)
            wrong("RD# stays low while RXF# is high");
        rxf_next = rxf_n_o;
        if (!rd_n_i && !rxf_n_o) begin
            sent     = sent + 1;
            rxf_next = {24'd0, rxf_stall_i} > random(0) % 256;
            data_o  <= #1 8'hxx;
            data_o  <= #(LATEST) code(sent);
        end else if (rxf_n_o)
            rxf_next = {24'd0, rxf_stall_i} > random(0) % 256;
        if (sent >= to_send)
            rxf_next = 1'b1;
        if (!wr_n_i) begin
            if (!drive_i && edges > 2)      // the level at the pins when CLKOUT stopped is taken at its first edge
                wrong("WR# low and nobody drives the bus");
            if ($realtime - data_at < SETUP)
                wrong("data change in the setup time");
            if (!txe_n_o) begin
                if (data_i !== code(expected)) begin
                    // One byte lost, doubled or changed: the bench says whether that may be.
                    altered  = altered + 1;
                    expected = data_i === code(expected + 1) ? expected + 1 : data_i === code(expected - 1) ? expected - 1 : expected;
                end
                got      = got + 1;
                expected = expected + 1;
            end
        end
        low = siwu_n_i ? 0 : low + 1;
        if (low == SEND_CLOCKS)
            pulses = pulses + 1;
        if (low > SEND_CLOCKS)
            wrong("SIWU# low for too long");
        txe_next  = {24'd0, txe_stall_i} > random(0) % 256;
        oe_before = oe_n_i;
        rxf_n_o  <= #(LATEST) rxf_next;
        txe_n_o  <= #(LATEST) txe_next;
    end
endmodule
