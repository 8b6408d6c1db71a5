// SPDX-FileCopyrightText: The phasebench authors
// SPDX-License-Identifier: Apache-2.0
#include "bench/sim/fst.h"

#include "gtkwave/fstapi.h"

#include <memory>
#include <new>
#include <string>
#include <utility>
#include <vector>

namespace {

struct Close {
    void operator()(void *reader) const { fstReaderClose(reader); }
};
using Reader = std::unique_ptr<void, Close>;

// Visits each variable with its scopes joined by dots, and its name without a range.
template <typename Visit> void each_variable(void *reader, Visit visit)
{
    std::string scope;
    while (const fstHier *entry = fstReaderIterateHier(reader)) {
        if (entry->htyp == FST_HT_SCOPE) {
            scope += (scope.empty() ? "" : ".") + std::string(entry->u.scope.name);
        } else if (entry->htyp == FST_HT_UPSCOPE) {
            const size_t dot = scope.rfind('.');
            scope.erase(dot == std::string::npos ? 0 : dot);
        } else if (entry->htyp == FST_HT_VAR) {
            const std::string name(entry->u.var.name);
            const size_t end = name.find_first_of(" [");
            visit(scope, name.substr(0, end), entry, end != std::string::npos);
        }
    }
}

// Signals of a file that share a handle, as aliases do, all get its values.
struct Choice {
    std::vector<std::pair<fstHandle, unsigned>> handles;
    void (*visit)(void *, unsigned, uint64_t, const char *);
    void *context;
};

void pass_value(void *user, uint64_t time, fstHandle handle, const unsigned char *value)
{
    const Choice *choice = static_cast<const Choice *>(user);
    for (const auto &one : choice->handles)
        if (one.first == handle)
            choice->visit(choice->context, one.second, time, reinterpret_cast<const char *>(value));
}

} // namespace

extern "C" bool pb_fst_to_vcd(const char *fst_path, FILE *vcd)
{
    const Reader reader(fstReaderOpen(fst_path));
    if (!reader || !fstReaderProcessHier(reader.get(), vcd))
        return false;
    fstReaderSetFacProcessMaskAll(reader.get());
    return fstReaderIterBlocks(reader.get(), nullptr, nullptr, vcd) != 0;
}

extern "C" bool pb_fst_signals(const char *fst_path,
                               void (*visit)(void *context, const char *scope, const char *name,
                                             unsigned bits, bool ranged),
                               void *context)
try {
    const Reader reader(fstReaderOpen(fst_path));
    if (!reader)
        return false;
    each_variable(reader.get(), [&](const std::string &scope, const std::string &name, const fstHier *entry,
                                    bool ranged) {
        visit(context, scope.c_str(), name.c_str(), entry->u.var.length, ranged);
    });
    return true;
} catch (const std::bad_alloc &) {
    return false;
}

extern "C" bool pb_fst_values(const char *fst_path, const char *scope, const char *const *chosen,
                              unsigned count,
                              void (*visit)(void *context, unsigned choice, uint64_t at_ps,
                                            const char *value),
                              void *context)
try {
    const Reader reader(fstReaderOpen(fst_path));
    Choice choice{{}, visit, context};
    if (!reader)
        return false;
    each_variable(reader.get(),
                  [&](const std::string &in, const std::string &name, const fstHier *entry, bool) {
                      for (unsigned i = 0; i < count && in == scope; i++)
                          if (name == chosen[i]) {
                              choice.handles.emplace_back(entry->u.var.handle, i);
                              fstReaderSetFacProcessMask(reader.get(), entry->u.var.handle);
                          }
                  });
    return fstReaderIterBlocks(reader.get(), pass_value, &choice, nullptr) != 0;
} catch (const std::bad_alloc &) {
    return false;
}

struct pb_fst_writer {
    void *file;
    std::vector<fstHandle> signal;
};

extern "C" pb_fst_writer *pb_fst_create(const char *path, const char *scope, const char *const *name,
                                        unsigned count)
try {
    std::unique_ptr<pb_fst_writer> writer(new pb_fst_writer{fstWriterCreate(path, 1), {}});
    if (!writer->file)
        return nullptr;
    fstWriterSetTimescale(writer->file, -12);
    fstWriterSetScope(writer->file, FST_ST_VCD_MODULE, scope, nullptr);
    for (unsigned i = 0; i < count; i++)
        writer->signal.push_back(
            fstWriterCreateVar(writer->file, FST_VT_VCD_WIRE, FST_VD_IMPLICIT, 1, name[i], 0));
    fstWriterSetUpscope(writer->file);
    return writer.release();
} catch (const std::bad_alloc &) {
    return nullptr;
}

extern "C" void pb_fst_time(pb_fst_writer *writer, uint64_t at_ps)
{
    fstWriterEmitTimeChange(writer->file, at_ps);
}

extern "C" void pb_fst_level(pb_fst_writer *writer, unsigned signal, bool high)
{
    fstWriterEmitValueChange(writer->file, writer->signal[signal], high ? "1" : "0");
}

extern "C" void pb_fst_close(pb_fst_writer *writer)
{
    if (!writer)
        return;
    fstWriterClose(writer->file);
    delete writer;
}
