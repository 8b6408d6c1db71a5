# SPDX-FileCopyrightText: The phasebench authors
# SPDX-License-Identifier: Apache-2.0
#
# The bytes that passed between host and core, of a recording on standard input as docs/use/recording.md has it, in hexadecimal
# digits. Usage: perl stream.pl WRITE|READ|NOTES; NOTES: everything in both directions, with its kind and time, a note a line
# helps: tests/cli/idle.sh tests/cli/clash.sh tests/usb/cli/capture.sh tests/rtl/board/scenarios.sh
use strict;
use warnings;

local $/;
binmode STDIN;
my $file = <STDIN>;
my $kind = $ARGV[0] eq "WRITE" ? 1 : 2;
my $all  = $ARGV[0] eq "NOTES";
my $at   = 16;
while ($at < length $file) {
    my ($type, undef, $length) = unpack "V3", substr $file, $at, 12;
    my $payload = substr $file, $at + 20, $length;
    $at += 20 + $length;
    next if $type != 2;
    for (my $note = 0; $note < length $payload;) {
        my ($is, undef, undef, $count) = unpack "CCvV", substr $payload, $note, 8;
        print unpack("H*", substr $payload, $note, 16 + $count), "\n" if $all;
        print unpack "H*", substr $payload, $note + 16, $count if !$all && $is == $kind;
        $note += 16 + $count;
    }
}
