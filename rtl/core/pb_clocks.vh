// SPDX-FileCopyrightText: The phasebench authors
// SPDX-License-Identifier: Apache-2.0
//
// How far counters go that count while nothing happens: one a clock. In the simulated bench (PB_LEAP, bench/sim/sim_top.v) one clock edge
// may stand for many clocks, or for none: then they stand still, which shows whether anything else moves. For everybody
// else the macros are the plain numbers, so they take no cell.
//     `PB_UP(bits, one)    what to add to a counter of so many bits, 12 at least, while `one` is 1
//     `PB_DOWN(bits, one)  the same for one that counts down
//     `PB_LESS(bits)       behind a sum of so many bits that counts down by one in any case: what it lacks or has too much
//     `PB_TIME_GOES        the edge stands for a clock at least: what only follows a counter is loaded then
`ifndef PB_UP
`ifdef PB_LEAP
`define PB_UP(bits, one)   ((one) ? {{((bits)-11){1'b0}}, sim_top.clocks_i} : {(bits){1'b0}})
`define PB_DOWN(bits, one) ({(bits){1'b0}} - `PB_UP(bits, one))
`define PB_LESS(bits)      - {{((bits)-11){1'b0}}, sim_top.clocks_i} + {{((bits)-1){1'b0}}, 1'b1}
`define PB_TIME_GOES       (sim_top.clocks_i != 11'd0)
`else
`define PB_UP(bits, one)   {{((bits)-1){1'b0}}, one}
`define PB_DOWN(bits, one) {(bits){one}}
`define PB_LESS(bits)
`define PB_TIME_GOES       1'b1
`endif
`endif
