/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Macros around the declarations of every public header: C linkage in C++, visible in the shared library.
 * The library hides every function that no public header declares.
 */
#ifndef PHASEBENCH_API_H
#define PHASEBENCH_API_H

#ifdef __cplusplus
#define PB_API_LINKAGE_BEGIN extern "C" {
#define PB_API_LINKAGE_END }
#else
#define PB_API_LINKAGE_BEGIN
#define PB_API_LINKAGE_END
#endif
#define PB_API_BEGIN PB_API_LINKAGE_BEGIN _Pragma("GCC visibility push(default)")
#define PB_API_END _Pragma("GCC visibility pop") PB_API_LINKAGE_END

#endif
