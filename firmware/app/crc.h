/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The two CRCs of the frame codecs, byte by byte: start with the initial value and process the bytes in line
 * order.
 */
#ifndef FW_CRC_H
#define FW_CRC_H

#include <stdint.h>

#define CRC8_INITIAL UINT8_C(0x00)     /* polynomial 0x07, not reflected, no final XOR */
#define CRC16_INITIAL UINT16_C(0xFFFF) /* CRC-16/CCITT-FALSE: 0x1021, not reflected, no final XOR */

uint8_t crc8_byte(uint8_t crc, uint8_t byte);
uint16_t crc16_byte(uint16_t crc, uint8_t byte);

#endif
