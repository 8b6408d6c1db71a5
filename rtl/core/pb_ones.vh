// SPDX-FileCopyrightText: The phasebench authors
// SPDX-License-Identifier: Apache-2.0
//
// ones(bits): how many of six bits are set, without an adder, whose carry chain would be a critical
// path. Include it inside a module.
function [2:0] ones;
    input [5:0] bits;
    reg [1:0] a, b;
    reg       carry;
    begin
        a     = {(bits[0] & bits[1]) | (bits[0] & bits[2]) | (bits[1] & bits[2]), ^bits[2:0]};
        b     = {(bits[3] & bits[4]) | (bits[3] & bits[5]) | (bits[4] & bits[5]), ^bits[5:3]};
        carry = a[0] & b[0];
        ones  = {(a[1] & b[1]) | (a[1] & carry) | (b[1] & carry), a[1] ^ b[1] ^ carry, a[0] ^ b[0]};
    end
endfunction
