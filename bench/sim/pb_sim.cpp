// SPDX-FileCopyrightText: The phasebench authors
// SPDX-License-Identifier: Apache-2.0
#include "bench/sim/pb_sim.h"

#include "bench/sim/host_uart.h"

#include "Vsim12.h"
#include "Vsim12___024root.h"
#include "Vsim12t___024root.h"
#include "Vsim12t.h"
#include "Vsim64.h"
#include "Vsim64___024root.h"
#include "Vsim64t___024root.h"
#include "Vsim64t.h"
#include "verilated_fst_c.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <memory>
#include <new>
#include <string>
#include <system_error>
#include <type_traits>
#include <utility>
#include <vector>

struct pb_sim {
    uint64_t clock_hz = 0, clocks = 0;
    uint64_t rate = 1;           // edge n is at floor(n scale / rate) ps: clock_hz with its error
    unsigned __int128 scale = 1;
    unsigned links = 0, nodes = 0;
    pb_sim_port port = PB_SIM_STREAM;
    bool stalled = false;
    bool failed = false;                      // out of memory: only the time advances
    bool fifo_runs = true, fifo_send = false; // CLKOUT runs; SIWU# has gone low
    std::vector<uint8_t> to_core, from_core;
    size_t to_core_taken = 0, from_core_taken = 0;
    HostUart host_uart;

    virtual ~pb_sim() = default;
    virtual bool clock(pb_sim_pins *pins) = 0;
    virtual uint64_t rest(const pb_sim_pins &pins, bool sends) = 0;
    virtual uint64_t leap(uint64_t most) = 0;

    int64_t edge_ps(uint64_t edge) const
    {
        return int64_t(edge * scale / rate);
    }

    void set_rate(int ppb)
    {
        rate = clock_hz * uint64_t(1000000000 + ppb);
        scale = (unsigned __int128)1000000000000u * 1000000000u;
        unsigned __int128 common = scale, rest = rate; // without an error of the rate small numbers remain
        while (rest) {
            const unsigned __int128 next = common % rest;
            common = rest;
            rest = next;
        }
        rate = uint64_t(rate / common);
        scale /= common;
    }
};

namespace
{

template <class Port> void set(Port &port, uint64_t value)
{
    port = Port(value);
}

// Verilated with PB_LEAP (sim_top.v).
template <class Model, class = void> struct Leaps : std::false_type {
};
template <class Model>
struct Leaps<Model, std::void_t<decltype(std::declval<Model &>().clocks_i)>> : std::true_type {
};

// Verilated with PB_ANY_RATE: everything but a synthesized core.
template <class Model, class = void> struct AnyRate : std::false_type {
};
template <class Model>
struct AnyRate<Model, std::void_t<decltype(std::declval<Model &>().clk_hz_i)>> : std::true_type {
};

// With a converter: its chain is wider than a word.
template <class Model>
constexpr bool has_tdc =
    std::is_class_v<std::remove_reference_t<decltype(std::declval<Model &>().tdc_taps_i)>>;

// Verilator's last levels of the clocks, by which it sees an edge, have these names. No logic follows a fall.
// So it is enough to lower these levels; an evaluation does so with any names.
template <class Model, class = void> struct KnowsEdges : std::false_type {
};
template <class Model>
struct KnowsEdges<Model, std::void_t<decltype(std::declval<Model &>().rootp->__Vtrigrprev__TOP__clk),
                                     decltype(std::declval<Model &>().rootp->__Vtrigrprev__TOP__sender_clk_i),
                                     decltype(std::declval<Model &>().rootp->__Vtrigrprev__TOP__host_clk_i),
                                     decltype(std::declval<Model &>().rootp->__Vtrigrprev__TOP__fault_clk_i)>>
    : std::true_type {
};

// Clocks the model. Some parts of the core have a clock of their own (rtl/core/pb_clocks.vh), which is left
// out while sim_top.v does not name them busy.
template <class Model> class Clocks
{
    static constexpr unsigned SETTLED = 4; // clocks until what follows a part has its values
    Model &model;
    const bool all;    // leave none out
    const bool traced; // a trace shows the falling edges
    unsigned host_left = 0, fault_left = 0;

  public:
    Clocks(Model &model_, bool all_, bool traced_) : model(model_), all(all_), traced(traced_)
    {
    }

    // An ordinary clock, in two halves.
    void rise()
    {
        model.clk = 1;
        if constexpr (Leaps<Model>::value) {
            host_left = all || model.host_busy_o ? SETTLED : host_left - (host_left > 0);
            fault_left = all || model.fault_busy_o ? SETTLED : fault_left - (fault_left > 0);
            model.sender_clk_i = 1;
            model.host_clk_i = host_left > 0;
            model.fault_clk_i = fault_left > 0;
        }
        model.eval();
    }

    void fall()
    {
        model.clk = 0;
        if constexpr (Leaps<Model>::value)
            model.sender_clk_i = model.host_clk_i = model.fault_clk_i = 0;
        if constexpr (KnowsEdges<Model>::value)
            if (!traced) {
                auto &root = *model.rootp;
                root.__Vtrigrprev__TOP__clk = root.__Vtrigrprev__TOP__sender_clk_i = 0;
                root.__Vtrigrprev__TOP__host_clk_i = root.__Vtrigrprev__TOP__fault_clk_i = 0;
                return;
            }
        model.eval();
    }

    // One clock edge with the value of clocks_i, of all but the sender, or with it.
    void step(bool with_sender)
    {
        model.clk = 1;
        model.sender_clk_i = with_sender;
        model.host_clk_i = host_left > 0;
        model.fault_clk_i = fault_left > 0;
        model.eval();
        fall();
    }

    void sender()
    {
        model.sender_clk_i = 1;
        model.eval();
        fall();
    }
};

// Detects rests of the core, in which clocks can be skipped. The model is clocked once with the counters and
// grants of rtl/core/pb_clocks.vh stopped. If its whole state is then the same byte for byte, only those
// counters and grants change. The rest ends when an input changes or a counter reaches a value with an
// effect; there is none while something waits for a grant (sim_top.v). A step of n clocks has the effect of
// n clocks. Registers that follow a counter lag by a clock after a step, so the last clock of a rest is an
// ordinary clock. The sender of packets may be at work in a rest of all else: then it alone is clocked.
template <class Model> class Rest
{
    using Root = std::remove_reference_t<decltype(*std::declval<Model &>().rootp)>;
    static constexpr uint64_t STEP_MOST = 2047, STEP_LEAST = 3, QUIET = 3, QUIET_MOST = 8;
    Model &model;
    Clocks<Model> &clocks;
    std::vector<unsigned char> before = std::vector<unsigned char>(sizeof(Root));
    std::vector<std::pair<size_t, size_t>> buffers; // of the state: begin and end
    std::vector<std::pair<size_t, size_t>> parts;   // of the state that are compared: begin and length
    uint64_t quiet = 0, wanted = QUIET; // clocks without a change so far, and before the next check
    uint64_t left = 0;                  // clocks left of the detected rest
    bool sending = false;               // the rest is one of all but the sender

    // The state of a Verilated module: numbers, arrays of numbers, and constant pointers.
    unsigned char *state() const
    {
        return reinterpret_cast<unsigned char *>(model.rootp);
    }

    // Most of the state are buffers. Nothing is written into one unless its pointer moves, and a clock of no
    // time writes nothing (rtl/core/pb_fifo.v), so the large ones need no look and are not put back.
    template <class Part> void leave_out(const Part &part)
    {
        const size_t at = size_t(reinterpret_cast<const unsigned char *>(&part) - state());
        buffers.emplace_back(at, at + sizeof part);
    }

    void find_parts()
    {
        auto &root = *model.rootp;
        leave_out(root.sim_top__DOT__core__DOT__capture__DOT__events__DOT__memory);
        leave_out(root.sim_top__DOT__core__DOT__capture__DOT__vectors__DOT__memory);
        leave_out(root.sim_top__DOT__core__DOT__capture__DOT__bytes__DOT__memory);
#define LANE_BUFFER(n) \
    root.sim_top__DOT__core__DOT__players__DOT__g_lane__BRA__##n##__KET____DOT__lane__DOT__buffer__DOT__memory
        leave_out(LANE_BUFFER(0));
        leave_out(LANE_BUFFER(1));
        leave_out(LANE_BUFFER(2));
#undef LANE_BUFFER
        std::sort(buffers.begin(), buffers.end());
        size_t at = 0;
        for (const auto &buffer : buffers) {
            parts.emplace_back(at, buffer.first - at);
            at = buffer.second;
        }
        parts.emplace_back(at, sizeof(Root) - at);
    }

    void copy(unsigned char *to, const unsigned char *from) const
    {
        for (const auto &part : parts)
            std::memcpy(to + part.first, from + part.first, part.second);
    }

    bool same(const unsigned char *a, const unsigned char *b) const
    {
        for (const auto &part : parts)
            if (std::memcmp(a + part.first, b + part.first, part.second))
                return false;
        return true;
    }

    bool stands_still()
    {
        model.clocks_i = 0;
        model.eval();
        copy(before.data(), state());
        clocks.step(!sending);
        const bool still = same(before.data(), state());
        if (!still)
            copy(state(), before.data());
        model.clocks_i = 1;
        return still;
    }

    uint64_t clocks_to_next(bool but_for_sender)
    {
        model.rest_ask_i = 1;
        model.eval();
        model.rest_ask_i = 0; // which the next evaluation sees
        return but_for_sender ? model.rest_o : std::min(model.rest_o, model.sender_rest_o);
    }

  public:
    Rest(Model &model_, Clocks<Model> &clocks_) : model(model_), clocks(clocks_)
    {
        model.clocks_i = 1;
        model.rest_ask_i = 0;
        find_parts();
    }

    static constexpr uint64_t WORTH = 10; // a shorter rest costs more than its clocks

    // Call after each clock. `moved`: an input or an output changed, or a byte came or went.
    void note(bool moved)
    {
        if (moved) {
            left = quiet = 0;
            wanted = QUIET;
        } else if (left)
            left--;
        else
            quiet++;
    }

    // The detected rest is one of all but the sender.
    bool sends() const
    {
        return sending;
    }

    // `sends_too`: a rest of all but the sender is one, too. `waits`: the sender may rest while it has
    // something to send.
    uint64_t find(bool sends_too, bool waits)
    {
        if (left)
            return sends_too || !sending ? left : 0;
        const bool sends_now =
            sends_too && model.sender_busy_o && !model.sender_asks_o && !model.port_receives_o;
        if (quiet < wanted || (!sends_now && !waits && (model.sender_busy_o || model.sender_asks_o)))
            return 0;
        const uint64_t next = clocks_to_next(sends_now);
        quiet = 0;
        if (next < WORTH) {
            wanted = next + QUIET; /* until then each answer is such a one */
            return 0;
        }
        wanted = wanted < QUIET_MOST ? 2 * wanted : QUIET_MOST;
        sending = sends_now;
        if (!stands_still())
            return 0;
        wanted = QUIET;
        return left = next;
    }

    // `send` clocks the sender and takes what it sends; `skip` skips clocks at the host's end.
    template <class Send, class Skip> uint64_t leap(uint64_t most, Send send, Skip skip)
    {
        most = most < left ? most : left;
        if (most <= STEP_LEAST)
            return 0;
        uint64_t done = most - 1 < STEP_MOST ? most - 1 : STEP_MOST;
        if (sending) {
            uint64_t sent = 0;
            for (; sent < done && !model.sender_asks_o && model.sender_busy_o; sent++)
                send();
            done = sent;
        } else
            skip(done);
        left -= done;
        if (done) {
            model.clocks_i = uint16_t(done);
            clocks.step(!sending);
            model.clocks_i = 1;
        }
        if (sending && (model.sender_asks_o || !model.sender_busy_o))
            left = 0;
        return done;
    }
};

template <class Model, bool traced> struct Sim final : pb_sim {
    static constexpr bool leaps = Leaps<Model>::value;
    VerilatedContext context;
    std::unique_ptr<VerilatedFstC> trace; // declared before the model, which refers to it
    std::unique_ptr<Model> model;
    int64_t trace_from = 0, trace_to = -1; // no window: the reset clocks below take no time
    uint64_t link_mask, node_mask;
    static constexpr uint64_t FIFO_HZ = 60000000; // CLKOUT
    uint64_t fifo_edges = 0;
    bool fifo_rd_low = false, fifo_wr_low = false, fifo_siwu_low = false; // at the last edge
    uint64_t fifo_rxf_after = 0, fifo_txe_after = 0; // clock of the core from which either may be low again
    struct NoRest {
    };
    std::unique_ptr<Clocks<Model>> ticking;
    std::unique_ptr<std::conditional_t<leaps, Rest<Model>, NoRest>> resting; // null: every clock is simulated
    bool stalled_then = false;                                               // at the last clock

    Sim(const pb_sim_config &config, uint64_t hz, unsigned link_count, unsigned node_count)
    {
        clock_hz = config.clock_hz ? config.clock_hz : hz;
        if (clock_hz < 1000000 || clock_hz > hz || (clock_hz != hz && !AnyRate<Model>::value))
            throw std::system_error(EINVAL, std::generic_category());
        set_rate(config.clock_ppb);
        links = link_count;
        nodes = node_count;
        port = config.port;
        const unsigned clocks_per_bit = config.uart_clocks_per_bit ? config.uart_clocks_per_bit : 4;
        link_mask = ~uint64_t(0) >> (64 - links);
        node_mask = ~uint64_t(0) >> (64 - nodes);
        context.threads(1); // else Verilator starts a pool of unused threads
        if (traced)
            context.traceEverOn(true);
        context.timeunit(-12);
        context.timeprecision(-12);
        model = std::make_unique<Model>(&context, "phasebench");
        if constexpr (AnyRate<Model>::value) {
            model->clk_hz_i = uint32_t(clock_hz);
            model->ms_last_i = uint16_t(clock_hz / 1000 - 2);
        }
        if constexpr (traced) {
            trace = std::make_unique<VerilatedFstC>();
            model->trace(trace.get(), 99);
            trace->open(config.trace_path);
        }
        ticking = std::make_unique<Clocks<Model>>(*model, traced || config.every_clock, traced);
        if constexpr (leaps) {
            model->clocks_i = 1;
            model->rest_ask_i = 0;
            // A FIFO has a clock of its own, which does not rest.
            if (!config.every_clock && (port == PB_SIM_STREAM || port == PB_SIM_UART))
                resting = std::make_unique<Rest<Model>>(*model, *ticking);
        }
        model->host_port_i = uint8_t(port);
        model->fifo_clk_i = 0;
        model->fifo_rxf_n_i = 1;
        model->fifo_txe_n_i = 1;
        model->fifo_data_i = 0xff;
        model->uart_clks_per_bit_i = uint8_t(clocks_per_bit);
        model->uart_rx_i = 1;
        model->host_rx_valid_i = 0;
        model->host_tx_ready_i = 1;
        model->rst_i = 1;
        model->eval(); // the pins of the FIFOs are high from power-up on
        pb_sim_pins pins = {};
        pins.link = ~uint64_t(0);
        pins.uart0 = 0xffff;
        for (int i = 0; i < 8; i++)
            clock(&pins);
        model->rst_i = 0;
        clocks = 0;
        fifo_edges = 0;
        from_core.clear();
        host_uart = HostUart{};
        host_uart.line.bit_clocks_q16 = clocks_per_bit * HostUart::ONE;
        trace_from = config.trace_from_ps;
        trace_to = config.trace_to_ps;
    }

    ~Sim() override
    {
        try {
            if (trace)
                trace->close();
            model->final();
        } catch (...) { // the file is then incomplete, which its reader detects
        }
    }

    void dump(int64_t time)
    {
        if constexpr (traced)
            if (time >= trace_from && time <= trace_to)
                trace->dump(uint64_t(time));
    }

    void byte_taken()
    {
        if (++to_core_taken == to_core.size()) {
            to_core.clear();
            to_core_taken = 0;
        }
    }

    void watch_send()
    {
        const bool low = !model->fifo_siwu_n_o;
        fifo_send |= low && !fifo_siwu_low;
        fifo_siwu_low = low;
    }

    // An edge of CLKOUT: the chip samples the pins, then updates its outputs.
    void sync_fifo_edge()
    {
        if (!model->fifo_rd_n_o && !model->fifo_oe_n_o && !model->fifo_rxf_n_i)
            byte_taken();
        if (!model->fifo_wr_n_o && !model->fifo_txe_n_i)
            from_core.push_back(model->fifo_data_o);
        watch_send();
        model->fifo_clk_i = 1;
        model->eval();
        const bool has_byte = to_core_taken < to_core.size();
        model->fifo_rxf_n_i = !has_byte;
        model->fifo_txe_n_i = stalled;
        model->fifo_data_i = has_byte ? to_core[to_core_taken] : 0xff;
        model->fifo_clk_i = 0;
        model->eval();
    }

    void sync_fifo_until(int64_t time)
    {
        for (; int64_t((unsigned __int128)fifo_edges * 1000000000000u / FIFO_HZ) < time; fifo_edges++)
            if (fifo_runs)
                sync_fifo_edge();
    }

    // The asynchronous chip is evaluated at each sample of the pads. The effect of a strobe on RXF#, TXE# and
    // data, within 14 ns, shows at the next edge; RXF# and TXE# then stay high for 49 ns.
    void fifo_pins()
    {
        const bool rd_low = !model->fifo_rd_n_o, wr_low = !model->fifo_wr_n_o;
        const uint64_t rest = (49 * clock_hz + 999999999) / 1000000000;
        if (fifo_rd_low && !rd_low) {
            byte_taken();
            fifo_rxf_after = clocks + rest;
        }
        if (wr_low && !fifo_wr_low)
            from_core.push_back(model->fifo_data_o);
        if (wr_low)
            fifo_txe_after = clocks + 1 + rest;
        fifo_rd_low = rd_low;
        fifo_wr_low = wr_low;
        watch_send();
        const bool has_byte = to_core_taken < to_core.size();
        model->fifo_rxf_n_i = !has_byte || clocks < fifo_rxf_after;
        model->fifo_txe_n_i = stalled || wr_low || clocks < fifo_txe_after;
        model->fifo_data_i = has_byte ? to_core[to_core_taken] : 0xff;
    }

    // What the core sends over the plain port in this clock.
    void take_sent()
    {
        if (model->host_tx_valid_o && !stalled)
            from_core.push_back(model->host_tx_data_o);
    }

    void clock_sender()
    {
        uint8_t byte;
        if (port == PB_SIM_STREAM)
            take_sent();
        ticking->sender();
        if (port == PB_SIM_UART && host_uart.receive(model->uart_tx_o, &byte))
            from_core.push_back(byte);
    }

    bool clock(pb_sim_pins *pins) override
    {
        // Only a trace and the synchronous FIFO need the time, which takes a division.
        const int64_t now = traced || port == PB_SIM_SYNC_FIFO ? edge_ps(clocks) : 0;
        const size_t had = from_core.size();
        const bool had_rx = model->uart_rx_i;
        bool has_byte = to_core_taken < to_core.size(), taken = false;
        uint8_t byte = has_byte ? to_core[to_core_taken] : 0;
        if (port == PB_SIM_UART)
            model->uart_rx_i = host_uart.transmit(has_byte, byte, &taken);
        else if (port == PB_SIM_FIFO)
            fifo_pins();
        else if (port == PB_SIM_SYNC_FIFO)
            sync_fifo_until(now);
        else {
            model->host_rx_valid_i = has_byte;
            model->host_rx_data_i = byte;
            taken = has_byte && model->host_rx_ready_o;
            // host_rx_ready_o depends on the byte offered: evaluate before reading it.
            if (has_byte) {
                model->eval();
                taken = model->host_rx_ready_o;
                model->host_rx_valid_i = taken;
            }
            model->host_tx_ready_i = !stalled;
            take_sent();
        }
        if (taken)
            byte_taken();
        [[maybe_unused]] const bool moved = resting && ((port == PB_SIM_UART ? taken : has_byte) ||
                                                        model->uart_rx_i != had_rx || inputs_differ(*pins));
        stalled_then = stalled;
        // Verilated code relies on unused high bits of an input being zero.
        set(model->link_i, pins->link & link_mask);
        set(model->link_half_i, (pins->link ^ pins->link_second) & link_mask);
        set(model->uart0_i, pins->uart0 & node_mask);
        model->tdma_clk_i = pins->tdma_clk_in;
        model->tdma_sync_i = pins->tdma_sync_in;
        model->tdma_half_i = pins->tdma_clk_in != pins->tdma_second;
        model->sync_half_i = pins->tdma_sync_in != pins->sync_second;
        if constexpr (has_tdc<Model>)
            for (unsigned n = 0; n < PB_CHAIN_WORDS; n++)
                model->tdc_taps_i[n] = pins->tdc[n];

        clocks++;
        ticking->rise();
        dump(now);
        ticking->fall();
        dump(now + int64_t(scale / 2 / rate));

        if (port == PB_SIM_UART && host_uart.receive(model->uart_tx_o, &byte))
            from_core.push_back(byte);
        [[maybe_unused]] const bool sent = port != PB_SIM_STREAM && from_core.size() != had;

        uint64_t pull = model->link_pull_o;
        bool changed =
            pull != pins->link_pull || pins->link_high != model->link_high_o ||
            pins->running != bool(model->running_o) || pins->tdma_drive != bool(model->tdma_drive_o) ||
            pins->tdma_clk != bool(model->tdma_clk_o) || pins->tdma_sync != bool(model->tdma_sync_o) ||
            pins->nrst != model->node_nrst_o || pins->boot0 != model->node_boot0_o ||
            pins->uart0_rx != model->uart0_o || pins->tdc_enable != bool(model->tdc_enable_o) ||
            pins->tdc_calibrate != bool(model->tdc_calibrate_o) || pins->tdc_pin != model->tdc_pin_o;
        pins->link_pull = pull;
        pins->link_high = model->link_high_o;
        pins->running = model->running_o;
        pins->tdma_drive = model->tdma_drive_o;
        pins->tdma_clk = model->tdma_clk_o;
        pins->tdma_sync = model->tdma_sync_o;
        pins->nrst = model->node_nrst_o;
        pins->boot0 = model->node_boot0_o;
        pins->uart0_rx = model->uart0_o;
        pins->tdc_enable = model->tdc_enable_o;
        pins->tdc_calibrate = model->tdc_calibrate_o;
        pins->tdc_pin = model->tdc_pin_o;
        if constexpr (leaps)
            if (resting)
                resting->note(moved || changed || sent);
        return changed;
    }

    // Compares with the outputs of the last clock.
    bool inputs_differ(const pb_sim_pins &pins) const
    {
        if constexpr (has_tdc<Model>)
            for (unsigned n = 0; n < PB_CHAIN_WORDS; n++)
                if (model->tdc_taps_i[n] != pins.tdc[n])
                    return true;
        return (pins.link & link_mask) != model->link_i ||
               ((pins.link ^ pins.link_second) & link_mask) != model->link_half_i ||
               (pins.uart0 & node_mask) != model->uart0_i || pins.tdma_clk_in != bool(model->tdma_clk_i) ||
               pins.tdma_sync_in != bool(model->tdma_sync_i) ||
               (pins.tdma_clk_in != pins.tdma_second) != bool(model->tdma_half_i) ||
               (pins.tdma_sync_in != pins.sync_second) != bool(model->sync_half_i) || stalled != stalled_then;
    }

    uint64_t rest(const pb_sim_pins &pins, bool sends) override
    {
        if constexpr (leaps)
            if (resting && !inputs_differ(pins)) {
                const bool has_byte = to_core_taken < to_core.size();
                if (port == PB_SIM_STREAM)
                    return has_byte ? 0 : before_trace(resting->find(sends, false));
                const bool host_sends = has_byte || host_uart.tx_left;
                const uint64_t most = host_uart.rest(has_byte, model->uart_tx_o);
                if (host_uart.line.pulled_low || (most < Rest<Model>::WORTH && (host_sends || !sends)))
                    return 0;
                const uint64_t found = resting->find(sends && !host_sends, true);
                return before_trace(resting->sends() ? found : std::min(most, found));
            }
        return 0;
    }

    // As many of the clocks as come before the window of the trace, or after it.
    uint64_t before_trace(uint64_t most) const
    {
        if (!traced || !most || edge_ps(clocks) > trace_to)
            return most;
        const uint64_t begin = uint64_t((unsigned __int128)trace_from * rate / scale);
        const uint64_t room = clocks + 1 < begin ? begin - clocks - 1 : 0;
        return most < room ? most : room;
    }

    uint64_t leap(uint64_t most) override
    {
        uint64_t done = 0;
        if constexpr (leaps)
            done = resting->leap(
                most, [this] { clock_sender(); }, [this](uint64_t skipped) { host_uart.skip(skipped); });
        clocks += done;
        return done;
    }
};

} // namespace

pb_sim *pb_sim_create(const pb_sim_config *config)
{
    // Only the tracing models have the FIFOs.
    const bool fifo = config->port == PB_SIM_FIFO || config->port == PB_SIM_SYNC_FIFO;
    try {
        if (config->shape == PB_SIM_12) {
            if (config->trace_path)
                return new Sim<Vsim12t, true>(*config, PB_SIM_12_HZ, 12, 1);
            if (fifo)
                return new Sim<Vsim12t, false>(*config, PB_SIM_12_HZ, 12, 1);
            return new Sim<Vsim12, false>(*config, PB_SIM_12_HZ, 12, 1);
        }
        if (config->trace_path)
            return new Sim<Vsim64t, true>(*config, PB_SIM_64_HZ, 64, 16);
        if (fifo)
            return new Sim<Vsim64t, false>(*config, PB_SIM_64_HZ, 64, 16);
        return new Sim<Vsim64, false>(*config, PB_SIM_64_HZ, 64, 16);
    } catch (const std::system_error &error) {
        errno = error.code().value();
    } catch (...) {
        errno = ENOMEM;
    }
    return nullptr;
}

void pb_sim_destroy(pb_sim *sim)
{
    delete sim;
}
unsigned pb_sim_links(const pb_sim *sim)
{
    return sim->links;
}
unsigned pb_sim_nodes(const pb_sim *sim)
{
    return sim->nodes;
}
uint64_t pb_sim_clock_hz(const pb_sim *sim)
{
    return sim->clock_hz;
}
uint64_t pb_sim_clocks(const pb_sim *sim)
{
    return sim->clocks;
}
int64_t pb_sim_next_edge_ps(const pb_sim *sim)
{
    return sim->edge_ps(sim->clocks);
}
int64_t pb_sim_edge_ps(const pb_sim *sim, uint64_t ahead)
{
    return sim->edge_ps(sim->clocks + ahead);
}
int64_t pb_sim_half_ps(const pb_sim *sim)
{
    return int64_t((__int128(2 * sim->clocks) - 1) * __int128(sim->scale) / (2 * __int128(sim->rate)));
}
bool pb_sim_clock(pb_sim *sim, pb_sim_pins *pins)
{
    if (!sim->failed) {
        try {
            return sim->clock(pins);
        } catch (...) {
            sim->failed = true;
        }
    }
    sim->clocks++;
    return false;
}

uint64_t pb_sim_rest(pb_sim *sim, const pb_sim_pins *pins, bool sends)
{
    return sim->failed ? 0 : sim->rest(*pins, sends);
}
uint64_t pb_sim_leap(pb_sim *sim, uint64_t most)
{
    return sim->leap(most);
}
uint64_t pb_sim_edges_until(const pb_sim *sim, int64_t time_ps)
{
    if (time_ps < sim->edge_ps(sim->clocks))
        return 0;
    // Edge n is at floor(n scale / rate). Edges before time_ps + 1: n below (time_ps + 1) rate / scale.
    const unsigned __int128 limit = (unsigned __int128)(uint64_t(time_ps) + 1) * sim->rate;
    return uint64_t((limit + sim->scale - 1) / sim->scale) - sim->clocks;
}

bool pb_sim_failed(const pb_sim *sim)
{
    return sim->failed;
}

int pb_sim_host_write(pb_sim *sim, const uint8_t *bytes, size_t count)
{
    try {
        sim->to_core.insert(sim->to_core.end(), bytes, bytes + count);
        return 0;
    } catch (...) {
        return -1;
    }
}

size_t pb_sim_host_unsent(const pb_sim *sim)
{
    return sim->to_core.size() - sim->to_core_taken;
}

size_t pb_sim_host_pending(const pb_sim *sim)
{
    return sim->from_core.size() - sim->from_core_taken;
}

void pb_sim_host_set_line(struct pb_sim *sim, const struct pb_sim_host_line *line)
{
    sim->host_uart.line = *line;
    sim->host_uart.keeps_bad = true;
}

unsigned pb_sim_host_errors(struct pb_sim *sim)
{
    const unsigned errors = sim->host_uart.errors;
    sim->host_uart.errors = 0;
    return errors;
}

void pb_sim_host_stall(pb_sim *sim, bool stalled)
{
    sim->stalled = stalled;
}

void pb_sim_host_clock(pb_sim *sim, bool runs)
{
    sim->fifo_runs = runs;
}

bool pb_sim_host_send_immediate(pb_sim *sim)
{
    const bool sent = sim->fifo_send;
    sim->fifo_send = false;
    return sent;
}

size_t pb_sim_host_read(pb_sim *sim, uint8_t *bytes, size_t capacity)
{
    size_t count = 0;
    while (count < capacity && sim->from_core_taken < sim->from_core.size())
        bytes[count++] = sim->from_core[sim->from_core_taken++];
    if (sim->from_core_taken == sim->from_core.size()) {
        sim->from_core.clear();
        sim->from_core_taken = 0;
    }
    return count;
}
