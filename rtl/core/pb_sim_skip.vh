// SPDX-FileCopyrightText: The phasebench authors
// SPDX-License-Identifier: Apache-2.0
//
// `PB_SIM_ACTIVE(condition): simulation-only gate. While the condition is 0, the gated block must
// have no observable effect. Only Verilator evaluates it; elsewhere it is 1 and adds no logic. The
// benches run with and without it (make rtl-check) to find a wrong condition. So does the
// comparison of the simulated core with its netlist (make netlist-check).
`ifndef PB_SIM_ACTIVE
`ifdef VERILATOR
`define PB_SIM_ACTIVE(condition) (condition)
`else
`define PB_SIM_ACTIVE(condition) 1'b1
`endif
`endif
