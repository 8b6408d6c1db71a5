/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The sentences of docs/node.md, each tested on every kind of node that has to keep it.
 */
#ifndef NODE_SENTENCES_H
#define NODE_SENTENCES_H

#include "tests/bench/unit/node_fixture.h"

struct node_sentence {
    const char *ids; /* of docs/node.md, with blanks between them */
    const char *name;
    void (*test)(const struct node_kind *kind);
    unsigned except;     /* kinds that it does not apply to, */
    const char *because; /* and why */
};
extern const struct node_sentence node_sentences[];
extern const size_t node_sentence_count;

/* Adds the tests of the sentences that apply to a kind. */
void test_sentences_of(const struct node_kind *kind);
#define SENTENCES_OF(kind)                                                                                   \
    __attribute__((constructor)) static void add_sentences_of_##kind(void)                                   \
    {                                                                                                        \
        test_sentences_of(&(kind));                                                                          \
    }

#endif
