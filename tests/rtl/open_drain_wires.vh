// SPDX-FileCopyrightText: The phasebench authors
// SPDX-License-Identifier: Apache-2.0
//
// Open-drain wires for pb_fabric, included inside a bench with LINKS pins: a pin is low when the bench (`pull`) or its board pulls
// it, stays low for `rise` ticks after the last one released it, and is seen two clocks later in `sync`. Words of LINK become planes.
    reg                 release_all = 1'b0;
    reg  [22*LINKS-1:0] link_config = 0;
    reg  [2*LINKS-1:0]  link_mode;
    reg  [6*LINKS-1:0]  link_partner;
    integer             plane;
    always @* for (plane = 0; plane < 6 * LINKS; plane = plane + 1) begin
        link_partner[plane] = link_config[22*(plane%LINKS)+8+plane/LINKS];
        if (plane < 2 * LINKS)
            link_mode[plane] = link_config[22*(plane%LINKS)+plane/LINKS];
    end
    task configure(input integer number, input [1:0] mode, input [5:0] partner);
        link_config[22*number +: 22] = {8'd0, partner, 6'd0, mode};
    endtask

    reg  [7:0]          blank = 8'd16;
    reg  [LINKS-1:0]    player = 0, sending = 0, board = 0;     // board: pulled from outside
    reg  [LINKS-1:0]    pin = {LINKS{1'b1}}, meta = {LINKS{1'b1}}, sync = {LINKS{1'b1}};
    wire [LINKS-1:0]    pull, high, wanted, outside;
    integer             rise = 0, low_left [0:LINKS-1], w;
    initial for (w = 0; w < LINKS; w = w + 1) low_left[w] = 0;
    always @(negedge clk) #2 for (w = 0; w < LINKS; w = w + 1) begin
        pin[w] = !(pull[w] || board[w] || low_left[w] > 0);
        if (pull[w] || board[w])
            low_left[w] = rise;
        else if (low_left[w] > 0)
            low_left[w] = low_left[w] - 1;
    end
    always @(posedge clk) begin
        meta <= pin;
        sync <= meta;
    end
