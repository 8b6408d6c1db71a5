/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "console_words.h"

#include "node.h"

const char *console_load_program(struct node *node, struct words *words)
{
    const char *name, *digits;
    uint8_t input[PROGRAM_DATA_MAX];
    uint16_t argument;
    const uint8_t name_length = console_word(words, &name);

    if (name_length == 0) {
        node_unload(node);
        console_put(node, "+P");
        return NULL;
    }
    const char *error = console_number(words, &argument);
    if (error)
        return error;
    const uint8_t length = console_word(words, &digits);
    if (!console_at_end(words))
        return "syntax";
    error = console_bytes(input, PROGRAM_DATA_MAX, digits, length);
    if (!error)
        error = node_load(node, name, name_length, argument, input, length / 2);
    if (error)
        return error;
    console_put_number(node, "+P ", node->config.program->superframes);
    return NULL;
}

const char *console_show_program(struct node *node, struct words *words)
{
    static const char *const states[] = {"none", "waits", "runs", "done", "stopped"};
    const struct program *program = node->config.program;
    char text[2 * PROGRAM_DATA_MAX + 1];

    if (!console_at_end(words))
        return "syntax";
    /* These three are of one instant; the result no longer changes when the program is done. */
    const uint32_t state = port_irq_save(node->port);
    const uint8_t status = program->status, phase = program->phase;
    const uint16_t superframe = program->superframe;
    port_irq_restore(node->port, state);
    console_put(node, "+R state=");
    console_put(node, states[status]);
    if (status == PROGRAM_NONE)
        return NULL;
    console_put_number(node, " superframe=", superframe);
    console_put_number(node, " phase=", phase);
    if (status == PROGRAM_DONE) {
        char *at = text;
        for (uint8_t i = 0; i < program->ops->result_bytes(program); i++) {
            *at++ = "0123456789ABCDEF"[program->result[i] >> 4];
            *at++ = "0123456789ABCDEF"[program->result[i] & 0x0F];
        }
        *at = '\0';
        console_put(node, " result=");
        console_put(node, text);
    }
    return NULL;
}
