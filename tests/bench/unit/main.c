/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The main function of a program of tests that has none of its own. */
#include "tests/bench/unit/tests.h"

int main(void)
{
    return test_all();
}
