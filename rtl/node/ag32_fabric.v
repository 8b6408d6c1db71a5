// SPDX-FileCopyrightText: The phasebench authors
// SPDX-License-Identifier: Apache-2.0
//
// Fabric of the AG32VF303 node: connects its one hard UART to 12 links and times TDMA_CLK.
// Interface: AHB-Lite subordinate, words only, no wait states; registers in docs/reference/ag32.md.
// cts_n_o
//            is CTS of the UART: it holds a transmission until TIME reaches START. irq_o is high
//            from a rising edge of TDMA_CLK until EDGE is read.
// Timing:    EDGE is TIME 2 clocks after the clock that first samples the edge. cts_n_o falls with
//            the clock that makes TIME START + 1; 2 clocks after the write of a START that is past.
//            8 clocks after the last change of an input only TIME changes, while no start waits.
// Reset:     no link selected, no line pulled, gate closed, no interrupt; TIME continues.
// Limits:    an edge before EDGE is read replaces its time. A write of SELECT closes the gate.
`default_nettype none

module ag32_fabric (
    input  wire        clk,         // bus clock, SYSCLK
    input  wire        rst_i,       // synchronous
    // AHB-Lite
    input  wire        hsel_i,
    input  wire [4:0]  haddr_i,     // within the window
    input  wire [1:0]  htrans_i,
    input  wire        hwrite_i,
    input  wire        hready_i,
    input  wire [31:0] hwdata_i,
    output reg  [31:0] hrdata_o,
    output wire        hreadyout_o,
    output wire        hresp_o,
    output reg         irq_o,       // local interrupt 16
    // UART
    input  wire        tx_i,        // level, idle high
    output wire        rx_o,        // level, idle high
    output wire        cts_n_o,
    // pins
    input  wire        tdma_clk_i,  // asynchronous
    input  wire        tdma_sync_i, // asynchronous
    input  wire [11:0] line_i,      // asynchronous
    output wire [11:0] pull_low_o
);
    localparam [2:0] ID = 3'd0, TIME = 3'd1, EDGE = 3'd2, STATUS = 3'd3, SELECT = 3'd4, START = 3'd5;
    localparam [31:0] ID_VALUE = 32'h3147_4250; // "PBG1" in memory

    assign hreadyout_o = 1'b1;
    assign hresp_o = 1'b0;

    wire       accepts = hsel_i && htrans_i[1] && hready_i;
    wire [2:0] register = haddr_i[4:2];
    reg        write_q;
    reg  [2:0] register_q;
    wire       writes_select = write_q && register_q == SELECT;
    wire       writes_start = write_q && register_q == START;

    // Time and phase clock
    reg [31:0] time_q;
    reg [31:0] edge_q;
    reg        clock_q;
    wire       clock_level, sync_level;
    node_sync #(.INITIAL(1'b1)) clock_sync (.clk(clk), .pin_i(tdma_clk_i), .level_o(clock_level));
    node_sync #(.INITIAL(1'b0)) sync_sync (.clk(clk), .pin_i(tdma_sync_i), .level_o(sync_level));
    initial time_q = 32'd0;

    // Start gate. The difference to START is a register of its own: one addition in a clock.
    reg [31:0] start_q;
    reg        armed_q, checked_q, open_q, late_q;
    wire [31:0] passed = time_q - start_q;
    assign cts_n_o = !open_q;

    // Selection
    reg       enable_q, send_q;
    reg [3:0] link_q;
    tdma_mux #(.DIMS(12)) mux (
        .clk(clk),
        .rst_i(rst_i),
        .enable_i(enable_q),
        .send_i(send_q),
        .dim_i(link_q),
        .tx_i(tx_i),
        .rx_o(rx_o),
        .line_i(line_i),
        .pull_low_o(pull_low_o));

    always @(posedge clk) begin
        time_q <= time_q + 32'd1;
        clock_q <= clock_level;

        write_q <= accepts && hwrite_i;
        register_q <= register;
        case (register)
            ID:      hrdata_o <= ID_VALUE;
            TIME:    hrdata_o <= time_q;
            EDGE:    hrdata_o <= edge_q;
            STATUS:  hrdata_o <= {27'd0, late_q, open_q, armed_q, sync_level, irq_o};
            SELECT:  hrdata_o <= {22'd0, enable_q, send_q, 4'd0, link_q};
            default: hrdata_o <= start_q;
        endcase

        if (accepts && !hwrite_i && register == EDGE)
            irq_o <= 1'b0;
        if (clock_level && !clock_q) begin
            edge_q <= time_q;
            irq_o <= 1'b1;
        end

        // late_q is valid from the second clock after the write of START on.
        checked_q <= armed_q;
        if (armed_q && !passed[31]) begin
            open_q <= 1'b1;
            armed_q <= 1'b0;
            late_q <= !checked_q && passed != 32'd0;
        end
        if (writes_start) begin
            start_q <= hwdata_i;
            armed_q <= 1'b1;
            checked_q <= 1'b0;
            open_q <= 1'b0;
            late_q <= 1'b0;
        end
        if (writes_select) begin
            {enable_q, send_q} <= hwdata_i[9:8];
            link_q <= hwdata_i[3:0];
            armed_q <= 1'b0;
            open_q <= 1'b0;
        end

        if (rst_i) begin
            clock_q <= 1'b1;
            edge_q <= 32'd0;
            irq_o <= 1'b0;
            start_q <= 32'd0;
            {armed_q, checked_q, open_q, late_q} <= 4'd0;
            {enable_q, send_q} <= 2'd0;
            link_q <= 4'd0;
            write_q <= 1'b0;
            register_q <= ID;
            hrdata_o <= 32'd0;
        end
    end

    // Words only: the low address bits select nothing.
    wire unused = &{1'b0, haddr_i[1:0], htrans_i[0]};
endmodule

`default_nettype wire
