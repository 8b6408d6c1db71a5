// SPDX-FileCopyrightText: The phasebench authors
// SPDX-License-Identifier: Apache-2.0
//
// Host port over the synchronous 245 FIFO of an FT2232H or FT232H: bytes at the edges of its 60 MHz
// CLKOUT, ft_clk here. Rules of the data sheets FT_000061 and FT_000288: docs/design/rtl.md.
//
// Interface: a byte goes to or from the core at a clk with valid and ready high. Every pin but
//            ft_drive_o has a register in its pad, clocked by ft_clk (rtl/board/pb_fifo_pads.v).
// Timing:    a byte per cycle of ft_clk from the chip, one per two cycles to it (30 MB/s). SIWU# is
//            low for 16 cycles after SEND_CLOCKS cycles without a byte from the core.
// Reset:     no byte goes to or from the core; bytes in the buffers remain.
// Limits:    clk below 240 MHz. ft_clk may stop at any time; the bus is released 64 cycles of clk
//            later, and the byte at the pins may then be corrupted.
`default_nettype none

module pb_host_fifo_sync #(
    parameter DEPTH_LOG2  = 9,      // log2 of bytes of the buffer in each direction, 4..14
    parameter TURN_LOG2   = 6,      // 2..15
    parameter SEND_CLOCKS = 64      // 2..128
) (
    input  wire       clk,
    input  wire       rst_i,
    output wire       rx_valid_o,
    output wire [7:0] rx_data_o,
    input  wire       rx_ready_i,
    input  wire       tx_valid_i,
    input  wire [7:0] tx_data_i,
    output wire       tx_ready_o,

    input  wire       ft_clk,
    input  wire       ft_rxf_n_i,
    input  wire       ft_txe_n_i,
    output wire       ft_oe_n_o,
    output wire       ft_rd_n_o,
    output wire       ft_wr_n_o,
    output wire       ft_siwu_n_o,
    input  wire [7:0] ft_data_i,
    output wire [7:0] ft_data_o,
    output wire       ft_drive_o    // 1: the pins drive ft_data_o; 0: high impedance. No register in the pad
);
    // ---- does ft_clk run?
    /* verilator lint_off SYNCASYNCNET */    // intended: an asynchronous set for ft_clk, part of a counter for clk
    wire      stopped;
    /* verilator lint_on SYNCASYNCNET */
    pb_clock_stopped #(.BEAT_LOG2(4), .STILL_LOG2(6)) clock_stopped (.clk(clk), .other_clk(ft_clk), .stopped_o(stopped));
    reg [1:0] stopped_q = 2'b11;
    // Set without ft_clk, so that no byte is output while the bus is released. Before the next output ft_clk has run for 16 cycles.
    always @(posedge ft_clk or posedge stopped)
        if (stopped)
            stopped_q <= 2'b11;
        else
            stopped_q <= {stopped_q[0], 1'b0};

    // ---- buffers
    reg        rd_q = 1'b0, rd_at_edge_q = 1'b0;    // RD# was output low; it was low at the last edge
    wire       rx_take = rd_at_edge_q && !ft_rxf_n_i;
    wire       rx_room, rx_valid;
    pb_fifo_dual #(.WIDTH(8), .DEPTH_LOG2(DEPTH_LOG2), .MARGIN(2)) rx_fifo (
        .wr_clk(ft_clk), .wr_i(rx_take), .wr_data_i(ft_data_i), .wr_room_o(rx_room),
        .rd_clk(clk), .rd_valid_o(rx_valid), .rd_data_o(rx_data_o), .rd_ready_i(rx_ready_i && !rst_i)
    );
    assign rx_valid_o = rx_valid && !rst_i;

    wire       tx_room, tx_valid, tx_pop;
    wire [7:0] tx_data;
    pb_fifo_dual #(.WIDTH(8), .DEPTH_LOG2(DEPTH_LOG2), .MARGIN(0)) tx_fifo (
        .wr_clk(clk), .wr_i(tx_valid_i && tx_ready_o), .wr_data_i(tx_data_i), .wr_room_o(tx_room),
        .rd_clk(ft_clk), .rd_valid_o(tx_valid), .rd_data_o(tx_data), .rd_ready_i(tx_pop)
    );
    assign tx_ready_o = tx_room && !rst_i;

    // ---- the bus
    localparam [2:0] IDLE = 3'd0, TURN = 3'd1, READ = 3'd2, DRAIN = 3'd3, FREE = 3'd4, WRITE = 3'd5;
    reg  [2:0] state_q = IDLE;
    reg        drive_q = 1'b0;      // state_q == WRITE, without glitches
    reg        wrote_q = 1'b0;      // the last grant was a write
    reg  [TURN_LOG2:0] turn_q = 0;  // cycles of this grant, up to 2^TURN_LOG2
    reg  [1:0] wr_q    = 2'd0;      // a byte was output one, two cycles ago; with bit 1 TXE# accepts or refuses it
    reg        held_q  = 1'b0;      // a refused byte waits
    reg  [7:0] last_q;              // the last byte that was output
    wire       refused    = wr_q[1] && ft_txe_n_i;
    wire       accepted   = wr_q[1] && !ft_txe_n_i;
    wire       want_read  = !ft_rxf_n_i && rx_room;
    wire       want_write = !ft_txe_n_i && (tx_valid || held_q);
    wire       read  = state_q == READ && want_read && !(turn_q[TURN_LOG2] && want_write);
    wire       write = state_q == WRITE && want_write && !wr_q[0] && !(turn_q[TURN_LOG2] && want_read) && !stopped_q[1];
    assign tx_pop = write && !held_q;

    always @(posedge ft_clk) begin
        rd_q         <= read;
        rd_at_edge_q <= rd_q;
        wr_q         <= {wr_q[0], write};
        held_q       <= refused || (held_q && !write);
        if (tx_pop)
            last_q <= tx_data;
        if (state_q != READ && state_q != WRITE)
            turn_q <= 0;
        else if (!turn_q[TURN_LOG2])
            turn_q <= turn_q + 1'b1;
        case (state_q)
        IDLE:
            if (!stopped_q[1]) begin
                if (want_read && !(want_write && !wrote_q))
                    state_q <= TURN;
                else if (want_write) begin
                    state_q <= WRITE;
                    drive_q <= 1'b1;
                end
            end
        TURN:
            state_q <= READ;
        READ: begin
            wrote_q <= 1'b0;
            if (!read)
                state_q <= DRAIN;
        end
        DRAIN:
            state_q <= FREE;
        FREE:
            state_q <= IDLE;
        default: begin
            wrote_q <= 1'b1;
            if (!write && !wr_q[0]) begin
                state_q <= IDLE;
                drive_q <= 1'b0;
            end
        end
        endcase
    end
    assign ft_oe_n_o  = !(state_q == TURN || state_q == READ || state_q == DRAIN);
    assign ft_rd_n_o  = !read;
    assign ft_wr_n_o  = !write;
    assign ft_data_o  = held_q ? last_q : tx_data;
    assign ft_drive_o = drive_q && !stopped;

    // ---- send immediate: low for 16 cycles, then high for at least 16
    localparam [31:0] SEND_QUIET = SEND_CLOCKS - 1;
    localparam [7:0]  SEND_LAST  = SEND_QUIET[7:0];
    reg       unsent_q = 1'b0;      // bytes were taken after the last pulse began
    reg [7:0] quiet_q  = 8'd0;
    reg [4:0] pulse_q  = 5'd0;
    wire      quiet    = !tx_valid && !held_q && wr_q == 2'd0;
    wire      send     = unsent_q && quiet && quiet_q == SEND_LAST && pulse_q == 5'd0;
    always @(posedge ft_clk) begin
        unsent_q <= accepted || (unsent_q && !send);
        quiet_q  <= quiet ? quiet_q + {7'd0, quiet_q != SEND_LAST} : 8'd0;
        pulse_q  <= send ? 5'd31 : pulse_q - {4'd0, pulse_q != 5'd0};
    end
    assign ft_siwu_n_o = !pulse_q[4];
endmodule

`default_nettype wire
