// SPDX-FileCopyrightText: The phasebench authors
// SPDX-License-Identifier: Apache-2.0
#include "bench/sim/ref_node_glue.h"

#include "Vref_node.h"
#include "verilated.h"

#include <cerrno>
#include <memory>
#include <system_error>

namespace
{

struct SingleThread : VerilatedContext {
    SingleThread()
    {
        threads(1); // else Verilator starts a pool of unused threads
    }
};

} // namespace

struct ref_node_model {
    SingleThread context; // one per model, so that models share no state
    Vref_node node{&context};
};

extern "C" struct ref_node_model *ref_node_model_create(const struct ref_node_settings *settings)
{
    try {
        std::unique_ptr<ref_node_model> model(new ref_node_model);
        Vref_node &node = model->node;
        node.address_i = settings->address;
        node.dims_i = settings->dims;
        node.payload_bytes_i = settings->payload_bytes;
        node.link_period_i = settings->link_period;
        node.console_period_i = settings->console_period;
        node.guard_i = settings->guard_clocks;
        node.clk = 0;
        node.eval();
        return model.release();
    } catch (const std::system_error &error) {
        errno = error.code().value();
    } catch (...) {
        errno = ENOMEM;
    }
    return nullptr;
}

extern "C" void ref_node_model_destroy(struct ref_node_model *model)
{
    if (model)
        model->node.final();
    delete model;
}

extern "C" void ref_node_model_clock(struct ref_node_model *model, const struct pb_node_inputs *in,
                                     struct pb_node_outputs *out)
{
    Vref_node &node = model->node;
    node.nrst_i = in->nrst;
    node.tdma_clk_i = in->tdma_clk;
    node.tdma_sync_i = in->tdma_sync;
    node.uart0_rx_i = in->uart0_rx;
    node.line_i = in->line & 0x0FFF;
    node.clk = 1;
    node.eval();
    out->pull_low = node.pull_low_o;
    out->drive_high = 0;
    out->uart0_tx = node.uart0_tx_o;
    node.clk = 0;
    node.eval();
}
