// SPDX-FileCopyrightText: The phasebench authors
// SPDX-License-Identifier: Apache-2.0
//
// Host port over the asynchronous 245 FIFO of an FT2232H or FT232H, which has no clock. The strobes
// are counted in clocks and meet the data sheets FT_000061 and FT_000288 (docs/design/rtl.md).
//
// Interface: a byte goes to or from the core at a clk with valid and ready high. Every pin but
//            ft_drive_o has a register in its pad, clocked by clk (rtl/board/pb_fifo_pads.v).
// Timing:    a byte takes 7 clocks from the chip and 8 to it, up to 28 MHz: 3 MB/s at 24 MHz. SIWU#
//            is low for SIWU_NS after SEND_NS without a byte from the core.
// Reset:     strobes high, bus released; a byte in progress may be lost.
// Limits:    clk up to 100 MHz.
`default_nettype none

module pb_host_fifo_async #(
    parameter [31:0] CLK_HZ = 24000000
) (
    input  wire       clk,
    input  wire       rst_i,
    output reg        rx_valid_o,
    output reg  [7:0] rx_data_o,
    input  wire       rx_ready_i,
    input  wire       tx_valid_i,
    input  wire [7:0] tx_data_i,
    output wire       tx_ready_o,

    input  wire       ft_rxf_n_i,   // from the registers of the pads, may be metastable
    input  wire       ft_txe_n_i,
    output wire       ft_rd_n_o,
    output wire       ft_wr_n_o,
    output wire       ft_siwu_n_o,
    input  wire [7:0] ft_data_i,
    output reg  [7:0] ft_data_o,
    output reg        ft_drive_o    // 1: the pins drive ft_data_o; 0: high impedance. No register in the pad
);
    // 30 ns by the data sheets, plus 5 for pads with unequal edges. Data are valid 14 ns after RD# fell; the rest is for the pads.
    localparam STROBE_NS = 35;
    localparam HOLD_NS   = 20;
    localparam SEEN_NS   = 30;      // 14 for the chip, the rest for the pads
    localparam SEND_NS   = 1000;
    localparam SIWU_NS   = 260;     // the data sheets give no time; earlier chips of the family need 250
    localparam [31:0] CLK_KHZ = CLK_HZ / 1000;
    localparam [31:0] STROBE  = (STROBE_NS * CLK_KHZ + 999999) / 1000000;
    localparam [31:0] HOLD    = (HOLD_NS * CLK_KHZ + 999999) / 1000000;
    localparam [31:0] SETTLE  = (SEEN_NS * CLK_KHZ + 999999) / 1000000 + 4;     // pad out, pad in, two registers
    localparam [31:0] WRITING = STROBE + HOLD + 1;
    localparam [31:0] REST    = SETTLE > WRITING ? SETTLE - WRITING : 1;        // rest of SETTLE, which begins when WR# falls
    localparam [31:0] SEND    = (SEND_NS * CLK_KHZ + 999999) / 1000000;
    localparam [31:0] SIWU    = (SIWU_NS * CLK_KHZ + 999999) / 1000000;

    reg [1:0] rxf_n_q, txe_n_q;
    always @(posedge clk) begin
        rxf_n_q <= {rxf_n_q[0], ft_rxf_n_i};
        txe_n_q <= {txe_n_q[0], ft_txe_n_i};
        if (rst_i) begin
            rxf_n_q <= 2'b11;
            txe_n_q <= 2'b11;
        end
    end

    localparam [2:0] IDLE = 3'd0, READ = 3'd1, SETUP = 3'd2, WRITE = 3'd3, KEEP = 3'd4, WAIT = 3'd5;
    reg [2:0] state_q = IDLE;   // also at power-up, as the chip may run already
    initial ft_drive_o = 1'b0;
    reg [3:0] timer_q;          // clocks left in this state
    reg [1:0] read_q;           // READ ended one, two clocks ago; with bit 1 its data are at ft_data_i
    reg       wrote_q;
    wire      want_read  = !rxf_n_q[1] && !rx_valid_o;
    wire      want_write = !txe_n_q[1] && tx_valid_i;
    wire      read  = state_q == IDLE && want_read && !(want_write && !wrote_q);
    wire      write = state_q == IDLE && want_write && !read;
    wire      last  = timer_q == 4'd0;
    assign tx_ready_o = write && !rst_i;
    assign ft_rd_n_o  = state_q != READ;
    assign ft_wr_n_o  = state_q != WRITE;

    always @(posedge clk) begin
        timer_q <= last ? 4'd0 : timer_q - 4'd1;
        read_q  <= {read_q[0], state_q == READ && last};
        if (rx_ready_i)
            rx_valid_o <= 1'b0;
        if (read_q[1]) begin
            rx_valid_o <= 1'b1;
            rx_data_o  <= ft_data_i;
        end
        case (state_q)
        IDLE:
            if (read || write) begin
                state_q    <= read ? READ : SETUP;
                timer_q    <= STROBE[3:0] - 4'd1;
                wrote_q    <= write;
                ft_drive_o <= write;
                ft_data_o  <= tx_data_i;
            end
        SETUP: begin
            state_q <= WRITE;
            timer_q <= STROBE[3:0] - 4'd1;
        end
        WRITE:
            if (last) begin
                state_q <= KEEP;
                timer_q <= HOLD[3:0];
            end
        default:
            if (last) begin
                state_q <= state_q == WAIT ? IDLE : WAIT;
                timer_q <= (state_q == KEEP ? REST[3:0] : SETTLE[3:0]) - 4'd1;
                ft_drive_o <= 1'b0;
            end
        endcase
        if (rst_i) begin
            state_q    <= IDLE;
            timer_q    <= 4'd0;
            read_q     <= 2'd0;
            wrote_q    <= 1'b0;
            rx_valid_o <= 1'b0;
            ft_drive_o <= 1'b0;
        end
    end

    // ---- send immediate
    reg       unsent_q;
    reg [7:0] quiet_q, pulse_q = 8'd0;
    reg       pulse_on_q = 1'b0;    // pulse_q is not 0
    wire      send = unsent_q && quiet_q == SEND[7:0] && !pulse_on_q;
    assign    ft_siwu_n_o = pulse_q <= SIWU[7:0];   // low for SIWU clocks, then high for at least as long
    always @(posedge clk) begin
        unsent_q <= (state_q == WRITE && last) || (unsent_q && !send);
        quiet_q  <= tx_valid_i || state_q == SETUP || state_q == WRITE ? 8'd0 : quiet_q + {7'd0, quiet_q != SEND[7:0]};
        pulse_q  <= send ? {SIWU[6:0], 1'b0} : pulse_q + {8{pulse_on_q}};
        pulse_on_q <= send || (pulse_on_q && pulse_q != 8'd1);
        if (rst_i) begin
            unsent_q <= 1'b0;
            quiet_q  <= 8'd0;
            pulse_q  <= 8'd0;
            pulse_on_q <= 1'b0;
        end
    end
endmodule

`default_nettype wire
