// SPDX-FileCopyrightText: The phasebench authors
// SPDX-License-Identifier: Apache-2.0
//
// Turns a cover statement into the assertion that it cannot be reached, which a solver must refute (run.sh,
// method reach).
`default_nettype none

(* techmap_celltype = "$cover" *)
module cover_to_assert (
    input wire A,
    input wire EN
);
    \$assert claim (.A(!A), .EN(EN));
endmodule
