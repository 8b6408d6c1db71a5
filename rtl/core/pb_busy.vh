// SPDX-FileCopyrightText: The phasebench authors
// SPDX-License-Identifier: Apache-2.0
//
// `PB_BUSY(condition): what hangs on it has nothing to do while the condition is 0: it would change nothing, or only what has no meaning
// then. Verilator looks at the condition and skips the rest, which makes the simulated bench faster. For everybody else it is 1: a
// synthesizer, a proof and Icarus see no condition at all, so it takes no cell. A condition that is wrong shows in the benches,
// which run with and without (make rtl-check), and as a difference between the simulated core and its netlist (make netlist-check).
`ifndef PB_BUSY
`ifdef VERILATOR
`define PB_BUSY(condition) (condition)
`else
`define PB_BUSY(condition) 1'b1
`endif
`endif
