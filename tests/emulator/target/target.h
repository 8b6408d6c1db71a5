/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * What a machine gives to the tests of the portable core, and what it runs.
 */
#ifndef TESTS_TARGET_H
#define TESTS_TARGET_H

void say(char character);
int target_tests(void); /* prints TAP; returns the number of failed tests */

#endif
