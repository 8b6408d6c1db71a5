// SPDX-FileCopyrightText: The phasebench authors
// SPDX-License-Identifier: Apache-2.0
#include "bench/sim/fst.h"

#include "gtkwave/fstapi.h"

#include <memory>
#include <new>
#include <string>

namespace {

struct Close {
    void operator()(void *reader) const { fstReaderClose(reader); }
};
using Reader = std::unique_ptr<void, Close>;

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
    std::string scope;
    if (!reader)
        return false;
    while (const fstHier *entry = fstReaderIterateHier(reader.get())) {
        if (entry->htyp == FST_HT_SCOPE) {
            scope += (scope.empty() ? "" : ".") + std::string(entry->u.scope.name);
        } else if (entry->htyp == FST_HT_UPSCOPE) {
            const size_t dot = scope.rfind('.');
            scope.erase(dot == std::string::npos ? 0 : dot);
        } else if (entry->htyp == FST_HT_VAR) {
            const std::string name(entry->u.var.name);
            const size_t end = name.find_first_of(" [");
            visit(context, scope.c_str(), name.substr(0, end).c_str(), entry->u.var.length,
                  end != std::string::npos);
        }
    }
    return true;
} catch (const std::bad_alloc &) {
    return false;
}
