// SPDX-FileCopyrightText: The phasebench authors
// SPDX-License-Identifier: Apache-2.0
//
// `PB_BUSY(condition): while the condition is 0, what depends on it has no observable effect.
// Only Verilator evaluates it, to skip the rest; for synthesis, proofs and Icarus it is 1 and no
// cell. A wrong condition shows in the benches, which run with and without (make rtl-check), and as
// a difference between the simulated core and its netlist (make netlist-check).
`ifndef PB_BUSY
`ifdef VERILATOR
`define PB_BUSY(condition) (condition)
`else
`define PB_BUSY(condition) 1'b1
`endif
`endif
