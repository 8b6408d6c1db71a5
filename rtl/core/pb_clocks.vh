// SPDX-FileCopyrightText: The phasebench authors
// SPDX-License-Identifier: Apache-2.0
//
// Step of what advances while nothing happens: one per clock. In the simulated bench (PB_LEAP) one
// clock edge represents any number of clocks, also 0; elsewhere these take no cell.
//   `PB_ONE(bits, one)   addend of 12 bits or more, `PB_FEW of fewer; `one` is the plain number 1
//   `PB_UP(bits, on), `PB_DOWN(bits, on)  the same or its negative while `on` is 1, else 0;
//   `PB_DOWN_FEW likewise
//   `PB_LESS(bits)       corrects a sum that always counts down by one
//   `PB_STEP(one, many)  next value after a clock, after PB_CLOCKS (PB_TURNS: modulo LINKS)
//   `PB_IF_TIME, `PB_AND_TIME  loads a register that follows a counter if time has passed
//   `PB_RATE(hz)         rate of clk; with PB_ANY_RATE the simulated bench chooses it (sim_top.v)
//   `PB_MS(bits, last)   clocks of a millisecond, less 2; `last`: of the parameter
//   `PB_FORGET(value)    at the end of its block: clears a variable that no flip-flop keeps
//   `PB_SENDER_CLK, `PB_HOST_CLK, `PB_FAULT_CLK  clk; in the simulated bench a clock of its own
`ifndef PB_ONE
`ifdef PB_LEAP
`define PB_ONE(bits, one)  {{((bits)-11){1'b0}}, sim_top.clocks_i}
`define PB_FEW(bits, one)  sim_top.clocks_i[(bits)-1:0]
`define PB_UP(bits, on)    ((on) ? `PB_ONE(bits, 1) : {(bits){1'b0}})
`define PB_DOWN(bits, on)  ({(bits){1'b0}} - `PB_UP(bits, on))
`define PB_DOWN_FEW(bits, on) ({(bits){1'b0}} - ((on) ? `PB_FEW(bits, 1) : {(bits){1'b0}}))
`define PB_LESS(bits)      - `PB_ONE(bits, 1) + {{((bits)-1){1'b0}}, 1'b1}
`define PB_IF_TIME         if (sim_top.clocks_i != 11'd0)
`define PB_AND_TIME        && sim_top.clocks_i != 11'd0
`define PB_CLOCKS          sim_top.clocks_i
`define PB_TURNS           sim_top.turns
`define PB_STEP(one, many) (sim_top.clocks_i == 11'd1 ? (one) : (many))
`define PB_FORGET(value)   value = 0;
`define PB_SENDER_CLK      sim_top.sender_clk_i
`define PB_HOST_CLK        sim_top.host_clk_i
`define PB_FAULT_CLK       sim_top.fault_clk_i
`else
`define PB_ONE(bits, one)  one
`define PB_FEW(bits, one)  one
`define PB_UP(bits, on)    {{((bits)-1){1'b0}}, on}
`define PB_DOWN(bits, on)  {(bits){on}}
`define PB_DOWN_FEW(bits, on) {(bits){on}}
`define PB_LESS(bits)
`define PB_IF_TIME
`define PB_AND_TIME
`define PB_STEP(one, many) one
`define PB_FORGET(value)
`define PB_SENDER_CLK      clk
`define PB_HOST_CLK        clk
`define PB_FAULT_CLK       clk
`endif
`ifdef PB_ANY_RATE
`define PB_RATE(hz)        (sim_top.clk_hz_i != 32'd0 ? sim_top.clk_hz_i : (hz))
`define PB_MS(bits, last)  (sim_top.clk_hz_i != 32'd0 ? sim_top.ms_last_i : last[(bits)-1:0])
`else
`define PB_RATE(hz)        hz
`define PB_MS(bits, last)  last[(bits)-1:0]
`endif
`endif
