/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "ag32_boot.h"

#include <inttypes.h>
#include <string.h>

enum {
    SYNC_MS = 500,
    ANSWER_MS = 1000,
    PROGRAM_MS = 5000, /* of 4 KB */
    ERASE_MS = 20000,
    BUSY_MAX = 10000, /* answers in a row */
    COMMANDS_MAX = 256
};

static uint8_t *put16(uint8_t *at, unsigned value)
{
    at[0] = (uint8_t)(value >> 8);
    at[1] = (uint8_t)value;
    return at + 2;
}

/* Appends the XOR of the bytes from `block` to `end`. Returns the length. */
static size_t seal(uint8_t *block, uint8_t *end)
{
    uint8_t check = 0;
    for (const uint8_t *byte = block; byte < end; byte++)
        check ^= *byte;
    *end = check;
    return (size_t)(end + 1 - block);
}

static int await_ack(const struct pb_boot_port *port, const char *what, unsigned limit_ms,
                     struct pb_diag *diag)
{
    uint8_t answer = PB_AG32_BUSY;
    for (unsigned busy = 0; answer == PB_AG32_BUSY && busy < BUSY_MAX; busy++) {
        const int code = port->read(port->context, &answer, 1, limit_ms, diag);
        if (code == PB_ERR_NODE)
            return pb_fail(diag, code,
                           "the boot loader did not answer %s within %u ms; check BOOT0, BOOT1, NRST, the "
                           "wires of UART0 and the node's supply",
                           what, limit_ms);
        if (code)
            return code;
    }
    if (answer == PB_AG32_NACK)
        return pb_fail(
            diag, PB_ERR_NODE,
            "the boot loader refused %s (NACK); the flash may be protected, or the command damaged", what);
    if (answer != PB_AG32_ACK)
        return pb_fail(
            diag, PB_ERR_NODE,
            "the boot loader answered %s with 0x%02x, not ACK 0x79; a byte was lost or another part "
            "is wired",
            what, answer);
    return PB_OK;
}

static int send(const struct pb_boot_port *port, const uint8_t *bytes, size_t count, const char *what,
                unsigned limit_ms, struct pb_diag *diag)
{
    const int code = port->write(port->context, bytes, count, diag);
    return code ? code : await_ack(port, what, limit_ms, diag);
}

static int begin(const struct pb_boot_port *port, uint8_t command, const char *what, struct pb_diag *diag)
{
    const uint8_t bytes[] = {command, (uint8_t)~command};
    return send(port, bytes, sizeof bytes, what, ANSWER_MS, diag);
}

static int send_address(const struct pb_boot_port *port, uint32_t address, const char *what,
                        struct pb_diag *diag)
{
    uint8_t block[5];
    const size_t length = seal(block, put16(put16(block, address >> 16), address & 0xFFFF));
    return send(port, block, length, what, ANSWER_MS, diag);
}

/* Reads a length minus 1, the bytes, and ACK. Returns the number of bytes, or a negative code. */
static int read_list(const struct pb_boot_port *port, const char *what, uint8_t list[COMMANDS_MAX],
                     struct pb_diag *diag)
{
    uint8_t most;
    int code = port->read(port->context, &most, 1, ANSWER_MS, diag);
    if (!code)
        code = port->read(port->context, list, most + 1u, ANSWER_MS, diag);
    if (code == PB_ERR_NODE)
        code = pb_fail(diag, code, "the boot loader broke off its answer to %s", what);
    if (!code)
        code = await_ack(port, what, ANSWER_MS, diag);
    return code ? code : most + 1;
}

static int check_commands(const struct pb_boot_port *port, struct pb_diag *diag)
{
    static const uint8_t needed[] = {PB_AG32_GET_ID, PB_AG32_READ, PB_AG32_WRITE, PB_AG32_ERASE};
    uint8_t list[COMMANDS_MAX];
    int count = begin(port, PB_AG32_GET, "GET", diag);
    if (!count)
        count = read_list(port, "GET", list, diag);
    if (count < 0)
        return count;
    for (unsigned i = 0; i < sizeof needed; i++) /* the first byte is the version */
        if (!memchr(list + 1, needed[i], (size_t)count - 1))
            return pb_fail(diag, PB_ERR_NODE,
                           "the boot loader (version 0x%02x) lacks the command 0x%02x; another part is wired",
                           list[0], needed[i]);
    return PB_OK;
}

static int check_identity(const struct pb_boot_port *port, struct pb_diag *diag)
{
    uint8_t list[COMMANDS_MAX];
    uint32_t identity = 0;
    int count = begin(port, PB_AG32_GET_ID, "GET_ID", diag);
    if (!count)
        count = read_list(port, "GET_ID", list, diag);
    if (count < 0)
        return count;
    for (int i = 0; i < count && i < 4; i++)
        identity = identity << 8 | list[i];
    if (count != 4 || identity != PB_AG32_DEVICE_ID)
        return pb_fail(diag, PB_ERR_NODE,
                       "the device has the identity 0x%08" PRIx32 ", an AG32VF303 has 0x%08" PRIx32
                       "; nothing was erased",
                       identity, PB_AG32_DEVICE_ID);
    return PB_OK;
}

/* The ROM takes a lone 0x7F or, by other evidence, 0x7F with its complement as its first bytes. */
int pb_ag32_connect(const struct pb_boot_port *port, struct pb_diag *diag)
{
    static const uint8_t first[] = {PB_AG32_SYNC, (uint8_t)~PB_AG32_SYNC};
    for (size_t length = 1; length <= sizeof first; length++) {
        uint8_t answer;
        int code = port->enter(port->context, diag);
        if (!code)
            code = port->write(port->context, first, length, diag);
        if (!code)
            code = port->read(port->context, &answer, 1, SYNC_MS, diag);
        if (!code && answer != PB_AG32_ACK && answer != PB_AG32_NACK)
            code = PB_ERR_NODE;
        if (!code)
            code = check_commands(port, diag);
        else if (code == PB_ERR_NODE)
            continue;
        return code ? code : check_identity(port, diag);
    }
    return pb_fail(
        diag, PB_ERR_NODE,
        "no boot loader answered within %u ms of a reset with BOOT0 high; check BOOT0, BOOT1 (an AG32 needs "
        "it low: 4.7 kOhm to ground), NRST, the wires of UART0 (are they exchanged?), the common ground and "
        "the node's supply",
        SYNC_MS);
}

int pb_ag32_erase(const struct pb_boot_port *port, unsigned page, struct pb_diag *diag)
{
    uint8_t block[5];
    const size_t length = seal(block, put16(put16(block, 0), page)); /* one page */
    const int code = begin(port, PB_AG32_ERASE, "erase", diag);
    return code ? code : send(port, block, length, "the erase of a page", ERASE_MS, diag);
}

int pb_ag32_write(const struct pb_boot_port *port, uint32_t address, const uint8_t *bytes, size_t count,
                  struct pb_diag *diag)
{
    uint8_t block[2 + PB_AG32_PAGE_BYTES + 1];
    uint8_t *at = put16(block, (unsigned)count - 1);
    memcpy(at, bytes, count);
    const size_t length = seal(block, at + count);
    int code = begin(port, PB_AG32_WRITE, "write", diag);
    if (!code)
        code = send_address(port, address, "the address of a write", diag);
    return code ? code : send(port, block, length, "the bytes of a write", PROGRAM_MS, diag);
}

int pb_ag32_read(const struct pb_boot_port *port, uint32_t address, uint8_t *bytes, size_t count,
                 struct pb_diag *diag)
{
    uint8_t block[3];
    const size_t length = seal(block, put16(block, (unsigned)count - 1));
    int code = begin(port, PB_AG32_READ, "read", diag);
    if (!code)
        code = send_address(port, address, "the address of a read", diag);
    if (!code)
        code = send(port, block, length, "the length of a read", ANSWER_MS, diag);
    if (!code)
        code = port->read(port->context, bytes, count, ANSWER_MS, diag);
    return code == PB_ERR_NODE && !*diag->text ? pb_fail(diag, code, "the boot loader broke off a read")
                                               : code;
}
