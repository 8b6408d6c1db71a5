// SPDX-FileCopyrightText: The phasebench authors
// SPDX-License-Identifier: Apache-2.0
#include "bench/sim/ag32_fabric_glue.h"

#include "Vag32_fabric.h"
#include "Vag32_fabric___024root.h"
#include "verilated.h"
#include "verilated_save.h"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <new>
#include <system_error>

namespace
{

// One context for all: the model uses none of its time, randomness or files, and a context takes kilobytes.
VerilatedContext &context()
{
    static VerilatedContext shared;
    static const bool single = (shared.threads(1), true); // else Verilator starts a pool of unused threads
    (void)single;
    return shared;
}

// Verilator writes which registers there are (--savable), so no list here can miss one. Its streams are
// buffers of 256 KB, a thousand times what this model fills: flush and fill have nothing to do.
class Writer final : public VerilatedSerialize
{
public:
    void *copy() const // u64 size, bytes; nullptr: out of memory
    {
        const uint64_t size = static_cast<uint64_t>(m_cp - m_bufp);
        uint8_t *const saved = static_cast<uint8_t *>(malloc(sizeof size + size));
        if (saved) {
            memcpy(saved, &size, sizeof size);
            memcpy(saved + sizeof size, m_bufp, size);
        }
        return saved;
    }
};

class Reader final : public VerilatedDeserialize
{
public:
    explicit Reader(const void *saved)
    {
        uint64_t size;
        memcpy(&size, saved, sizeof size);
        memcpy(m_bufp, static_cast<const uint8_t *>(saved) + sizeof size, size);
        m_endp = m_bufp + bufferSize();
    }
    void fill() override {}
};

} // namespace

struct ag32_fabric_model {
    Vag32_fabric fabric{&context()};
};

extern "C" struct ag32_fabric_model *ag32_fabric_model_create(void)
{
    try {
        std::unique_ptr<ag32_fabric_model> model(new ag32_fabric_model);
        model->fabric.hready_i = 1;
        model->fabric.clk = 0;
        model->fabric.eval();
        return model.release();
    } catch (const std::system_error &error) {
        errno = error.code().value();
    } catch (...) {
        errno = ENOMEM;
    }
    return nullptr;
}

extern "C" void ag32_fabric_model_destroy(struct ag32_fabric_model *model)
{
    if (model)
        model->fabric.final();
    delete model;
}

extern "C" void ag32_fabric_model_clock(struct ag32_fabric_model *model, const struct ag32_fabric_inputs *in,
                                        struct ag32_fabric_outputs *out)
{
    Vag32_fabric &fabric = model->fabric;
    fabric.rst_i = in->reset;
    fabric.hsel_i = in->access;
    fabric.htrans_i = in->access ? 2 : 0;
    fabric.hwrite_i = in->write;
    fabric.haddr_i = in->address & 0x1F;
    fabric.hwdata_i = in->write_data;
    fabric.tx_i = in->tx;
    fabric.tdma_clk_i = in->tdma_clk;
    fabric.tdma_sync_i = in->tdma_sync;
    fabric.line_i = in->line & 0x0FFF;
    fabric.clk = 1;
    fabric.eval();
    out->pull_low = fabric.pull_low_o;
    out->rx = fabric.rx_o;
    out->clear_to_send = !fabric.cts_n_o;
    out->interrupt = fabric.irq_o;
    out->read_data = fabric.hrdata_o;
    fabric.clk = 0;
    fabric.eval();
}

// What tdma_mux does while its request stays. Where none is selected, no bit of talk_q or hear_q is set.
extern "C" void ag32_fabric_model_pass(struct ag32_fabric_model *model, const struct ag32_fabric_inputs *in,
                                       struct ag32_fabric_outputs *out)
{
    Vag32_fabric___024root &root = *model->fabric.rootp;
    root.ag32_fabric__DOT__mux__DOT__rx_q = root.ag32_fabric__DOT__mux__DOT__rx_meta_q;
    root.ag32_fabric__DOT__mux__DOT__rx_meta_q = !(root.ag32_fabric__DOT__mux__DOT__hear_q & ~in->line);
    root.rx_o = root.ag32_fabric__DOT__mux__DOT__rx_q;
    root.pull_low_o = in->tx ? 0 : root.ag32_fabric__DOT__mux__DOT__talk_q;
    root.ag32_fabric__DOT__time_q++;
    out->pull_low = root.pull_low_o;
    out->rx = root.rx_o;
}

extern "C" void ag32_fabric_model_skip(struct ag32_fabric_model *model, uint64_t clocks)
{
    model->fabric.rootp->ag32_fabric__DOT__time_q += static_cast<uint32_t>(clocks);
}

extern "C" uint64_t ag32_fabric_model_waits(const struct ag32_fabric_model *model)
{
    const Vag32_fabric___024root &root = *model->fabric.rootp;
    if (!root.ag32_fabric__DOT__armed_q)
        return UINT64_MAX;
    const uint32_t distance = root.ag32_fabric__DOT__start_q - root.ag32_fabric__DOT__time_q;
    return distance <= UINT32_C(0x80000000) ? distance : 0;
}

extern "C" void *ag32_fabric_model_save(const struct ag32_fabric_model *model)
{
    try {
        Writer writer;
        writer << const_cast<Vag32_fabric &>(model->fabric); // it reads only
        return writer.copy();
    } catch (const std::bad_alloc &) {
        return nullptr;
    }
}

extern "C" bool ag32_fabric_model_restore(struct ag32_fabric_model *model, const void *saved)
{
    try {
        Reader reader(saved);
        reader >> model->fabric;
        return true;
    } catch (const std::bad_alloc &) {
        return false;
    }
}
