// SPDX-FileCopyrightText: The phasebench authors
// SPDX-License-Identifier: Apache-2.0
//
// An FT232H or FT2232H as an asynchronous 245 FIFO, by the tables of the data sheets (FT_000288 table 4.2, FT_000061): answers at
// the latest instant they allow, and complains about what they forbid. The host behind it sends byte number n as code(n) and
// expects the same. RXF# and TXE# stay high for 49 ns after a byte, or for longer.
module ft245_async_chip (
    input  wire [7:0] stall_i,          // of 256: how long a pause after a byte is, in multiples of 8 ns, at most
    output reg        rxf_n_o,
    output reg        txe_n_o,
    input  wire       rd_n_i,
    input  wire       wr_n_i,
    input  wire       siwu_n_i,
    input  wire [7:0] data_i,
    input  wire       drive_i,          // the other side drives the data pins
    output reg  [7:0] data_o,
    output reg        drive_o
);
    localparam INACTIVE = 49.0, LATEST = 14.0, STROBE = 30.0, SETUP = 5.0, HOLD = 20.0, SEND = 250.0;
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
    function realtime pause(input unused);
        pause = INACTIVE + 8.0 * (random(0) % ({24'd0, stall_i} + 1));
    endfunction

    initial begin
        rxf_n_o = 1'b1;
        txe_n_o = 1'b1;
        drive_o = 1'b0;
        data_o  = 8'd0;
    end
    always @(drive_i or drive_o)
        if (drive_i && drive_o)
            wrong("two drivers on the bus");
    realtime data_at = 0.0, rd_at = 0.0, wr_at = 0.0, rise_at = -100.0, siwu_at = 0.0;
    always @(data_i or drive_i) begin
        data_at = $realtime;
        if (!wr_n_i)
            wrong("data change while WR# is low");
        if ($realtime - rise_at < HOLD)
            wrong("data change in the hold time");
    end

    // Towards the bench's device.
    always begin
        wait (sent < to_send);
        rxf_n_o = 1'b0;
        @(negedge rd_n_i);
        drive_o = 1'b1;
        data_o  = 8'hxx;
        #(LATEST);
        data_o  = code(sent);
        @(posedge rd_n_i);
        sent = sent + 1;
        #(LATEST);
        rxf_n_o = 1'b1;
        drive_o = 1'b0;
        data_o  = 8'hxx;
        #(pause(0));
    end
    always @(negedge rd_n_i) begin
        if (rxf_n_o)
            wrong("RD# low while RXF# is high");
        rd_at = $realtime;
    end
    always @(posedge rd_n_i)
        if ($realtime > 1.0 && $realtime - rd_at < STROBE)
            wrong("RD# low for too short");

    // From it.
    always begin
        txe_n_o = 1'b0;
        @(negedge wr_n_i);
        if ($realtime - data_at < SETUP || !drive_i)
            wrong("no data in the setup time before WR#");
        if (data_i !== code(got))
            altered = altered + 1;
        got = got + 1;
        #(LATEST);
        txe_n_o = 1'b1;
        if (!wr_n_i)
            @(posedge wr_n_i);
        #(pause(0));
    end
    always @(negedge wr_n_i) begin
        if (txe_n_o)
            wrong("WR# low while TXE# is high");
        if (!rd_n_i)
            wrong("RD# and WR# low together");
        wr_at = $realtime;
    end
    always @(posedge wr_n_i)
        if ($realtime > 1.0) begin
            if ($realtime - wr_at < STROBE)
                wrong("WR# low for too short");
            rise_at = $realtime;
        end
    always @(negedge siwu_n_i)
        siwu_at = $realtime;
    always @(posedge siwu_n_i)
        if ($realtime > 1.0) begin
            pulses = pulses + 1;
            if ($realtime - siwu_at < SEND)
                wrong("SIWU# low for too short");
        end
endmodule
