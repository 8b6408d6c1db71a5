// SPDX-FileCopyrightText: The phasebench authors
// SPDX-License-Identifier: Apache-2.0
//
// pb_regfile against rtl/proto/regs.def. After any sequence of writes and safe states any one address reads
// the value written last, cut to the width of the register, or its reset value. Its output, or the port that
// serves words, has the same value. Strobes last one clock. regtable.c prints the table (registers.vh) from
// regs.def and shares no code with the generator of pb_regfile.
//
// sources: proto/gen/pb_regfile.v
// probe: written dut.written
// probe: link_written dut.link_written_o
// probe: f_index dut.f_index
// probe: f_word dut.f_word
// probe: f_first_index dut.f_first_index
// probe: f_first dut.f_first
// probe: f_nothing dut.f_nothing
`default_nettype none

module proof_regfile #(
    parameter LINKS = 2
) (
    input wire        clk,
    input wire        rst_i,
    input wire        wr_i,
    input wire [9:0]  addr_i,
    input wire [31:0] wdata_i,
    input wire [9:0]  served_addr_i,
    input wire        run_clear_i,
    input wire        safe_i
);
    localparam [31:0] CLK_HZ = 32'd48000000, SHAPE = 32'h12345678, BUFFERS = 32'h9abcdef0, TDC_SHAPE = 32'h13579bdf;
    (* anyconst *) reg [9:0] address;
    wire [31:0]              rdata, served;

`include "registers.vh"

    reg started = 1'b0;
    always @(posedge clk) started <= 1'b1;
    always @* if (!started) assume (rst_i);

    // ---- the property
    reg        was_read, was_strobe;
    reg [31:0] value, was_value;    // of the register at `address`
    reg        touched;             // written since its reset
    reg        taken, hit;          // a write was announced, for `address`
    reg [9:0]  was_addr;
    always @(posedge clk) begin
        taken    <= wr_i;
        hit      <= wr_i && addr_i == address && !rst_i;
        was_addr <= addr_i;
    end
    always @* if (started && taken) assume (addr_i == was_addr);

    // A read takes two clocks: the copy gives the value of the first, the state of the core that of the second.
    reg        named;               // in the last clock
    reg [31:0] early_value;
    wire       is_now = address == CTRL || !(is_rw || is_fixed);
    always @(posedge clk) begin
        if (hit && is_rw) begin
            value   <= wdata_i & mask;
            touched <= 1'b1;
        end else if (run_clear_i && address == CTRL)
            value[0] <= 1'b0;
        if (rst_i || (safe_i && is_safe)) begin
            value   <= first;
            touched <= 1'b0;
        end
        named       <= started && !taken && addr_i == address;
        early_value <= value;
        was_read    <= started && named && !taken && addr_i == address;
        was_value   <= !is_now ? early_value : is_rw ? value : state;
        was_strobe  <= wr_i && addr_i == address && is_strobe && !rst_i;
    end
    always @* if (started) begin
        if (is_rw)
            assert ((port & mask) == (value & shown));
        assert (strobe == was_strobe);
    end
    reg reset_over = 1'b0;      // the first reads are of the first clock after reset
    always @(posedge clk) reset_over <= started;
    always @* if (reset_over && was_read)
        assert (rdata == was_value);

    // The address served in the last clock without a write.
    reg        was_served;
    reg [31:0] served_value;
    always @(posedge clk) begin
        if (!taken) begin
            was_served   <= is_served && served_addr_i == address;
            served_value <= value;
        end
        if (!reset_over)
            was_served <= 1'b0;
    end
    always @* if (reset_over && was_served)
        assert ((served & mask) == served_value);

    // ---- for the induction: the flag of the register and its word of the copy in RAM
    wire [FLAGS-1:0] written;
    wire [LINKS-1:0] link_written;
    wire [7:0]       f_index, f_first_index;
    wire [31:0]      f_word, f_first, f_nothing;    // word of the register, of its reset value, of addresses without a register
    wire             is_link = address >= LINK && is_rw;
    wire             flag    = is_link ? link_written >> (address - LINK) : written >> flag_of(address);
    always @* begin
        assume (f_index == {address[8], address[6:0]});
        assume (f_first_index == {2'b11, address[5:0]});
        if (is_rw && !is_link && address != CTRL)
            assert (f_first == first);
        if (is_fixed)
            assert (f_word == first);
        assert (f_nothing == 32'd0);
        if (address <= 10'h07f && !is_fixed)
            assert ((f_word & (address == CTRL ? 32'hffffffff : ~mask)) == 32'd0);
        if (is_link)
            assert ((f_word & ~mask) == 32'd0);
        if (started) begin
            if (is_rw && address != CTRL) begin
                assert (flag == touched);
                if (touched)
                    assert ((f_word & mask) == value);
            end
            if (is_rw && !touched && address != CTRL)
                assert (value == first);
            if (is_fixed)
                assert (value == first);
            assert ((value & ~mask) == 32'd0 || is_fixed);
        end
    end

    reg cleared;
    always @(posedge clk) cleared <= touched && !rst_i && safe_i && value != first;
    always @* if (reset_over) begin
        cover (was_read && is_rw && !is_safe && touched && rdata == 32'h0abcdef);
        cover (was_read && is_link && cleared && !touched);
        cover (was_served && touched && served_value != first && taken);
        cover (strobe);
    end
endmodule
