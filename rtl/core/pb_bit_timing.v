// SPDX-FileCopyrightText: The phasebench authors
// SPDX-License-Identifier: Apache-2.0
//
// What pb_uart_rx needs to know of a bit period. Combinational, shared by all receivers with the same period.
//
// A receiver steps in half bits of period / 32 ticks: h whole ticks and a fraction in 32nds. Its timer counts up from reload_o
// to all ones, notices that one tick later and reloads in the next, so a round of h ticks starts at 1 - h.
`default_nettype none

module pb_bit_timing (
    input  wire [19:0] period_i,    // Q16.4 ticks, at least 8 ticks
    output wire [14:0] reload_o,
    output wire [4:0]  fraction_o   // 32nds of a tick
);
    assign reload_o   = 15'd1 - period_i[19:5];
    assign fraction_o = period_i[4:0];
endmodule

`default_nettype wire
