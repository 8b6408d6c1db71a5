// SPDX-FileCopyrightText: The phasebench authors
// SPDX-License-Identifier: Apache-2.0
#ifndef PB_SIM_HOST_UART_H
#define PB_SIM_HOST_UART_H

#include "bench/sim/pb_sim.h"

#include <algorithm>
#include <cstdint>

// The host's end of the UART host port, as the FTDI chip works: one sample or bit change per core clock. It
// has its own bit period, in 1/65536 of a core clock.
struct HostUart {
    static constexpr int64_t ONE = 65536;
    pb_sim_host_line line = {4 * ONE, 8, 2, PB_SIM_PARITY_NONE, false};
    bool keeps_bad = false; // delivers also bytes with a framing or parity error
    unsigned errors = 0;
    unsigned tx_left = 0, tx_shift = 0;
    unsigned rx_bit = 0, rx_shift = 0;
    int64_t tx_timer = 0, rx_timer = 0;
    bool rx_busy = false;

    unsigned parity_bit(unsigned byte) const
    {
        const unsigned odd = unsigned(__builtin_parity(byte));
        switch (line.parity) {
        case PB_SIM_PARITY_ODD:
            return !odd;
        case PB_SIM_PARITY_EVEN:
            return odd;
        default:
            return line.parity == PB_SIM_PARITY_MARK;
        }
    }

    // Start bit, data, parity if any, stop bit: the last one is as long as the stop bits together.
    unsigned frame(uint8_t byte, unsigned *bits) const
    {
        const unsigned data = byte & ((1u << line.data_bits) - 1);
        unsigned at = 1 + line.data_bits, shift = data << 1;
        if (line.parity != PB_SIM_PARITY_NONE)
            shift |= parity_bit(data) << at++;
        *bits = at + 1;
        return shift | 1u << at;
    }

    bool transmit(bool has_byte, uint8_t byte, bool *taken)
    {
        *taken = false;
        if (tx_left && tx_timer < ONE / 2) {
            tx_shift >>= 1;
            tx_timer += --tx_left == 1 ? line.bit_clocks_q16 * line.stop_halves / 2 : line.bit_clocks_q16;
        }
        if (!tx_left && has_byte && !line.pulled_low) {
            tx_shift = frame(byte, &tx_left);
            tx_timer = line.bit_clocks_q16;
            *taken = true;
        }
        if (!tx_left)
            return !line.pulled_low;
        tx_timer -= ONE;
        return tx_shift & 1;
    }

    // Checks the samples of a frame. True: its byte is delivered.
    bool judge(uint8_t *byte)
    {
        const bool has_parity = line.parity != PB_SIM_PARITY_NONE;
        const unsigned samples = rx_shift >> 1, data = samples & ((1u << line.data_bits) - 1);
        unsigned bad = samples >> (line.data_bits + has_parity) & 1 ? 0 : PB_SIM_ERROR_FRAMING;
        if (!samples)
            bad |= PB_SIM_ERROR_BREAK;
        if (has_parity && (samples >> line.data_bits & 1) != parity_bit(data))
            bad |= PB_SIM_ERROR_PARITY;
        *byte = uint8_t(data);
        errors |= bad;
        return !bad || keeps_bad;
    }

    // Clocks in which neither direction changes a bit or takes a sample, while its input has this level.
    uint64_t rest(bool has_byte, bool level) const
    {
        uint64_t most = UINT64_MAX;
        if (tx_left)
            most = tx_timer < ONE / 2 ? 0 : uint64_t((tx_timer - ONE / 2) / ONE + 1);
        else if (has_byte)
            return 0;
        if (rx_busy)
            return std::min(most, rx_timer < ONE / 2 ? 0 : uint64_t((rx_timer - ONE / 2) / ONE));
        return level ? most : 0;
    }

    // The effect of this number of such clocks.
    void skip(uint64_t clocks)
    {
        if (tx_left)
            tx_timer -= int64_t(clocks) * ONE;
        if (rx_busy)
            rx_timer -= int64_t(clocks) * ONE;
    }

    bool receive(bool level, uint8_t *byte)
    {
        if (!rx_busy) {
            rx_busy = !level;
            rx_timer = line.bit_clocks_q16 / 2 / ONE * ONE;
            rx_bit = rx_shift = 0;
            return false;
        }
        rx_timer -= ONE;
        if (rx_timer >= ONE / 2)
            return false;
        rx_timer += line.bit_clocks_q16;
        rx_shift |= unsigned(level) << rx_bit;
        if (rx_bit++ < line.data_bits + (line.parity != PB_SIM_PARITY_NONE) + 1)
            return false;
        rx_busy = false;
        return judge(byte);
    }
};

#endif
