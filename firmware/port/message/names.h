/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Other names for all that firmware/app and its port define, as a program that links this port may link the
 * one of bench/nodes/native, too. Include it before any file of firmware/app.
 */
#ifndef FW_MESSAGE_NAMES_H
#define FW_MESSAGE_NAMES_H

#define codec_slot fw_message_codec_slot
#define console_at_end fw_message_console_at_end
#define console_byte fw_message_console_byte
#define console_bytes fw_message_console_bytes
#define console_init fw_message_console_init
#define console_load_program fw_message_console_load_program
#define console_number fw_message_console_number
#define console_put fw_message_console_put
#define console_put_number fw_message_console_put_number
#define console_run fw_message_console_run
#define console_show_program fw_message_console_show_program
#define console_word fw_message_console_word
#define crc16_byte fw_message_crc16_byte
#define crc8_byte fw_message_crc8_byte
#define node_clear_stats fw_message_node_clear_stats
#define node_has_program fw_message_node_has_program
#define node_init fw_message_node_init
#define node_load fw_message_node_load
#define node_on_console_byte fw_message_node_on_console_byte
#define node_on_phase_edge fw_message_node_on_phase_edge
#define node_on_rx_byte fw_message_node_on_rx_byte
#define node_poll fw_message_node_poll
#define node_send fw_message_node_send
#define node_set_address fw_message_node_set_address
#define node_set_mode fw_message_node_set_mode
#define node_stats fw_message_node_stats
#define node_unload fw_message_node_unload
#define phase_due fw_message_phase_due
#define phase_edge fw_message_phase_edge
#define phase_init fw_message_phase_init
#define port_address fw_message_port_address
#define port_console_write fw_message_port_console_write
#define port_irq_restore fw_message_port_irq_restore
#define port_irq_save fw_message_port_irq_save
#define port_link_listen fw_message_port_link_listen
#define port_link_release fw_message_port_link_release
#define port_link_send fw_message_port_link_send
#define prbs7_byte fw_message_prbs7_byte
#define queue_init fw_message_queue_init
#define queue_oldest fw_message_queue_oldest
#define queue_put fw_message_queue_put
#define queue_remove fw_message_queue_remove
#define route_cube fw_message_route_cube
#define route_ecube fw_message_route_ecube
#define route_generalised fw_message_route_generalised
#define route_lowest fw_message_route_lowest
#define route_opportunistic fw_message_route_opportunistic

#endif
