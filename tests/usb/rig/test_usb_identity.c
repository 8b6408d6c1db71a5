/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * What a host learns of a board before any byte flows: descriptors, strings, configuration memory, kernel
 * driver, permissions. Expected values: FTDI's data sheet and libftdi1's own decoder.
 */
#include "rig_fixture.h"
#include "tests/bench/unit/tests.h"

#include <string.h>

TEST(descriptors)
{
    struct rig_server server;
    struct libusb_device_descriptor device;
    struct libusb_config_descriptor *configuration;
    libusb_context *context;
    unsigned char text[64];
    rig_serve(&server, NULL, 1, "device=silent&manufacturer=Acme&product=Bench");
    libusb_device_handle *handle = rig_open_usb(FIRST, &context);
    libusb_device *usb = libusb_get_device(handle);
    assert_int_equal(libusb_get_device_descriptor(usb, &device), 0);
    assert_int_equal(device.idVendor, 0x0403);
    assert_int_equal(device.idProduct, 0x6010);
    assert_int_equal(device.bcdDevice, 0x0700);
    assert_int_equal(device.bcdUSB, 0x0200);
    assert_int_equal(device.bMaxPacketSize0, 64);
    assert_int_equal(device.bNumConfigurations, 1);
    assert_int_equal(libusb_get_device_speed(usb), LIBUSB_SPEED_HIGH);
    static const char *const wanted[] = {"Acme", "Bench", FIRST};
    const uint8_t index[] = {device.iManufacturer, device.iProduct, device.iSerialNumber};
    for (unsigned i = 0; i < 3; i++) {
        assert_int_equal(index[i], i + 1);
        assert_int_equal(libusb_get_string_descriptor_ascii(handle, index[i], text, sizeof text),
                         strlen(wanted[i]));
        assert_string_equal((char *)text, wanted[i]);
    }
    assert_int_equal(libusb_get_string_descriptor(handle, 0, 0, text, sizeof text), 4);
    assert_memory_equal(text, "\x04\x03\x09\x04", 4);
    assert_int_equal(libusb_get_active_config_descriptor(usb, &configuration), 0);
    assert_int_equal(configuration->bNumInterfaces, 2);
    for (unsigned i = 0; i < 2; i++) {
        const struct libusb_interface_descriptor *interface = configuration->interface[i].altsetting;
        assert_int_equal(configuration->interface[i].num_altsetting, 1);
        assert_int_equal(interface->bInterfaceClass, 0xff);
        assert_int_equal(interface->bNumEndpoints, 2);
        assert_int_equal(interface->endpoint[0].bEndpointAddress, 0x81 + 2 * i);
        assert_int_equal(interface->endpoint[1].bEndpointAddress, 0x02 + 2 * i);
        for (unsigned k = 0; k < 2; k++) {
            assert_int_equal(interface->endpoint[k].bmAttributes, LIBUSB_TRANSFER_TYPE_BULK);
            assert_int_equal(interface->endpoint[k].wMaxPacketSize, 512);
        }
    }
    libusb_free_config_descriptor(configuration);
    /* What is not there stalls. */
    assert_int_equal(libusb_get_string_descriptor_ascii(handle, 4, text, sizeof text), LIBUSB_ERROR_PIPE);
    assert_int_equal(libusb_control_transfer(handle, 0xc0, 0x55, 0, 1, text, 2, 0), LIBUSB_ERROR_PIPE);
    libusb_close(handle);
    libusb_exit(context);
    rig_stop(&server);
}

TEST(memory)
{
    struct rig_server server;
    int value;
    rig_serve(&server, NULL, 1, "device=silent&mode=sync");
    struct ftdi_context *ftdi = rig_open(FIRST, INTERFACE_A, 0);
    assert_int_equal(ftdi->type, TYPE_2232H);
    assert_int_equal(ftdi_read_eeprom(ftdi), 0);
    assert_int_equal(ftdi_eeprom_decode(ftdi, 0), 0);
    static const struct {
        enum ftdi_eeprom_value name;
        int value;
    } wanted[] = {{VENDOR_ID, 0x0403},
                  {PRODUCT_ID, 0x6010},
                  {CHANNEL_A_TYPE, CHANNEL_IS_FIFO},
                  {CHANNEL_B_TYPE, CHANNEL_IS_UART},
                  {USE_SERIAL, 1},
                  {CHIP_SIZE, 0x100},
                  {CHIP_TYPE, 0x56},
                  {IN_IS_ISOCHRONOUS, 0}};
    for (size_t i = 0; i < sizeof wanted / sizeof wanted[0]; i++) {
        assert_int_equal(ftdi_get_eeprom_value(ftdi, wanted[i].name, &value), 0);
        assert_int_equal(value, wanted[i].value);
    }
    char maker[64], product[64], serial[64];
    assert_int_equal(ftdi_eeprom_get_strings(ftdi, maker, 64, product, 64, serial, 64), 0);
    assert_string_equal(serial, FIRST);
    rig_close(ftdi);
    rig_stop(&server);
}

/* libftdi1 writes a memory of its own making, which the board has from its next plugging in on. */
TEST(memory_written)
{
    struct rig_server server;
    char serial[64];
    rig_serve(&server, NULL, 1, "device=silent");
    struct ftdi_context *ftdi = rig_open(FIRST, INTERFACE_A, 0);
    assert_int_equal(ftdi_eeprom_initdefaults(ftdi, "me", "mine", "X77"), 0);
    assert_int_equal(ftdi_set_eeprom_value(ftdi, CHANNEL_A_TYPE, CHANNEL_IS_FIFO), 0);
    assert_int_equal(ftdi_erase_eeprom(ftdi), 0);
    assert_true(ftdi_eeprom_build(ftdi) >= 0);
    assert_int_equal(ftdi_write_eeprom(ftdi), 0);
    rig_close(ftdi);
    rig_write(&server, FIRST, "unplug");
    rig_wait(&server, "unplugged");
    rig_write(&server, FIRST, "plug");
    rig_wait(&server, "plugged in");
    ftdi = rig_open("X77", INTERFACE_A, 0);
    assert_int_equal(ftdi_read_eeprom(ftdi), 0);
    assert_int_equal(ftdi_eeprom_decode(ftdi, 0), 0);
    assert_int_equal(ftdi_eeprom_get_strings(ftdi, NULL, 0, NULL, 0, serial, sizeof serial), 0);
    assert_string_equal(serial, "X77");
    rig_close(ftdi);
    rig_stop(&server);
}

/* A reset makes another device of a board whose memory was rewritten, as the kernel sees it: this once only.
 */
TEST(memory_read_anew)
{
    struct rig_server server;
    libusb_context *context;
    libusb_device **list;
    rig_serve(&server, NULL, 1, "device=silent");
    for (unsigned field = 0; field < 2; field++) { /* the serial number, then the power */
        const char *was = field ? "X77" : FIRST;
        struct ftdi_context *ftdi = rig_open(was, INTERFACE_A, 0);
        assert_int_equal(libusb_reset_device(ftdi->usb_dev), 0); /* nothing has changed yet */
        assert_int_equal(ftdi_eeprom_initdefaults(ftdi, "phasebench", "virtual FT2232H", "X77"), 0);
        assert_int_equal(ftdi_set_eeprom_value(ftdi, CHIP_TYPE, 0x56), 0);
        assert_int_equal(ftdi_set_eeprom_value(ftdi, MAX_POWER, field ? 90 : 500), 0);
        assert_true(ftdi_eeprom_build(ftdi) >= 0);
        assert_int_equal(ftdi_write_eeprom(ftdi), 0);
        assert_int_equal(libusb_reset_device(ftdi->usb_dev), LIBUSB_ERROR_NOT_FOUND);
        rig_wait(&server, "unplugged");
        rig_wait(&server, "plugged in");
        ftdi_usb_close(ftdi);
        ftdi_free(ftdi);
    }
    rig_close(rig_open("X77", INTERFACE_A, 0));
    rig_write(&server, FIRST, "unplug");
    rig_wait(&server, "unplugged");
    assert_int_equal(libusb_init(&context), 0);
    assert_int_equal(libusb_get_device_list(context, &list), 0);
    libusb_free_device_list(list, 1);
    libusb_exit(context);
    rig_stop(&server);
}

TEST(spoilt_memory)
{
    struct rig_server server;
    struct libusb_device_descriptor device;
    rig_serve(&server, NULL, 1, "device=silent&mode=fifo&eeprom=checksum");
    struct ftdi_context *ftdi = ftdi_new();
    assert_non_null(ftdi);
    assert_int_equal(ftdi_usb_open(ftdi, 0x0403, 0x6010), 0);
    assert_int_equal(libusb_get_device_descriptor(libusb_get_device(ftdi->usb_dev), &device), 0);
    assert_int_equal(device.iSerialNumber, 0); /* the chip does not accept its memory */
    assert_int_equal(ftdi_read_eeprom(ftdi), 0);
    assert_int_equal(ftdi_eeprom_decode(ftdi, 0), -1);
    rig_close(ftdi);
    rig_stop(&server);
}

TEST(kernel_driver)
{
    struct rig_server server;
    libusb_context *context;
    rig_serve(&server, NULL, 1, "device=silent&driver=ftdi_sio");
    libusb_device_handle *handle = rig_open_usb(FIRST, &context);
    assert_int_equal(libusb_kernel_driver_active(handle, 0), 1);
    assert_int_equal(libusb_claim_interface(handle, 0), LIBUSB_ERROR_BUSY);
    assert_int_equal(libusb_set_configuration(handle, 1), LIBUSB_ERROR_BUSY);
    assert_int_equal(libusb_detach_kernel_driver(handle, 0), 0);
    assert_int_equal(libusb_kernel_driver_active(handle, 0), 0);
    assert_int_equal(libusb_detach_kernel_driver(handle, 0), LIBUSB_ERROR_NOT_FOUND);
    assert_int_equal(libusb_claim_interface(handle, 0), 0);
    assert_int_equal(libusb_kernel_driver_active(handle, 1), 1); /* the other one keeps its own */
    assert_int_equal(libusb_release_interface(handle, 0), 0);
    assert_int_equal(libusb_attach_kernel_driver(handle, 0), 0);
    assert_int_equal(libusb_kernel_driver_active(handle, 0), 1);
    assert_int_equal(libusb_set_auto_detach_kernel_driver(handle, 1), 0);
    assert_int_equal(libusb_claim_interface(handle, 0), 0);
    assert_int_equal(libusb_release_interface(handle, 0), 0);
    assert_int_equal(libusb_kernel_driver_active(handle, 0), 1);
    libusb_close(handle);
    libusb_exit(context);
    rig_close(rig_open(FIRST, INTERFACE_B, 0)); /* libftdi1 detaches by itself */
    rig_stop(&server);
}

TEST(permission_refused)
{
    struct rig_server server;
    libusb_device_handle *handle;
    libusb_context *context;
    libusb_device **list;
    rig_serve(&server, NULL, 1, "device=silent&refuse=1");
    assert_int_equal(libusb_init(&context), 0);
    assert_int_equal(libusb_get_device_list(context, &list), 1);
    assert_int_equal(libusb_open(list[0], &handle), LIBUSB_ERROR_ACCESS);
    rig_order(&server, FIRST, "refuse=0");
    assert_int_equal(libusb_open(list[0], &handle), 0);
    libusb_close(handle);
    libusb_free_device_list(list, 1);
    libusb_exit(context);
    rig_stop(&server);
}

TEST(halted_endpoints)
{
    struct rig_server server;
    unsigned char bytes[4] = "abc";
    int count;
    rig_serve(&server, NULL, 1, "device=echo");
    libusb_context *context;
    libusb_device_handle *handle = rig_open_usb(FIRST, &context);
    assert_int_equal(libusb_claim_interface(handle, 1), 0);
    rig_order(&server, FIRST, "stall=04");
    assert_int_equal(libusb_bulk_transfer(handle, 0x04, bytes, 3, &count, 0), LIBUSB_ERROR_PIPE);
    assert_int_equal(libusb_bulk_transfer(handle, 0x04, bytes, 3, &count, 0), LIBUSB_ERROR_PIPE);
    assert_int_equal(libusb_clear_halt(handle, 0x04), 0);
    assert_int_equal(libusb_bulk_transfer(handle, 0x04, bytes, 3, &count, 0), 0);
    assert_int_equal(count, 3);
    rig_order(&server, FIRST, "stall_control=1");
    assert_int_equal(libusb_control_transfer(handle, 0x40, 9, 2, 2, NULL, 0, 0), LIBUSB_ERROR_PIPE);
    assert_int_equal(libusb_control_transfer(handle, 0x40, 9, 2, 2, NULL, 0, 0), 0);
    assert_int_equal(libusb_clear_halt(handle, 0x07), LIBUSB_ERROR_NOT_FOUND);
    assert_int_equal(libusb_set_interface_alt_setting(handle, 1, 0), 0);
    assert_int_equal(libusb_set_interface_alt_setting(handle, 1, 1), LIBUSB_ERROR_NOT_FOUND);
    assert_int_equal(libusb_reset_device(handle), 0);
    assert_int_equal(libusb_release_interface(handle, 1), 0);
    assert_int_equal(libusb_release_interface(handle, 0), LIBUSB_ERROR_NOT_FOUND);
    libusb_close(handle);
    libusb_exit(context);
    rig_stop(&server);
}
