/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "target.h"

#include <stdio.h>

void say(char character)
{
    putchar(character);
}

int main(void)
{
    return target_tests() != 0;
}
