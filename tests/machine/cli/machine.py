#!/usr/bin/env python3
# SPDX-FileCopyrightText: The phasebench authors
# SPDX-License-Identifier: Apache-2.0
#
# What a program on all nodes must give, from its input, and what its files must hold: readers of PGM and GIF of their own, plain
# computations. Exit code 0: it is so. Used by machine.sh.
#
#   machine.py digest JSON CSV           the CRC-32 of the values of a table, of 4 bytes each, is that of the result
#   machine.py life PICTURE N CSV PGM    the board after N generations, and each picture between
#   machine.py fft NUMBERS CSV           a direct transform
#   machine.py edges PICTURE CSV         Sobel, vertical edges
#   machine.py columns N TYPESCRIPT      bars on a terminal, N columns wide
#   machine.py same PGM GIF              the GIF repeats for ever, and has the pictures of the PGM, in larger pixels
#   machine.py schema SCHEMA RESULTS N   N results, one after the other, keep a JSON schema
# helps: tests/machine/cli/machine.sh
import cmath
import csv
import json
import re
import struct
import sys
import zlib


def table(path):
    return [row for row in csv.reader(open(path))][1:]


def pnm(path):
    """Every picture of a file: rows of grey values, 0 black."""
    data, at, pictures = open(path, 'rb').read(), 0, []
    while at < len(data):
        magic, words = data[at:at + 2], []
        head = re.compile(rb'\s*(?:#[^\n]*\n\s*)*(\d+)')
        at += 2
        for _ in range(3 if magic == b'P5' else 2):
            found = head.match(data, at)
            words.append(int(found[1]))
            at = found.end()
        width, height = words[:2]
        if magic == b'P5':
            pixels = list(data[at + 1:at + 1 + width * height])
            at += 1 + width * height
        else:
            assert magic == b'P1'
            pixels = [255 * (c == 48) for c in data[at:] if c in b'01']
            at = len(data)
        assert len(pixels) == width * height
        pictures.append([pixels[y * width:(y + 1) * width] for y in range(height)])
    return pictures


def lzw(data, least):
    """The values that LZW of a GIF packs."""
    clear, bits, out = 1 << least, int.from_bytes(data, 'little'), bytearray()
    words, width, before, at = {}, least + 1, None, 0
    while True:
        code = bits >> at & (1 << width) - 1
        at += width
        if code == clear:
            words, width, before = {i: bytes([i]) for i in range(clear)}, least + 1, None
            following = clear + 2
            continue
        if code == clear + 1:
            return out
        word = words[code] if code in words else before + before[:1]
        out += word
        if before is not None and following < 4096:
            words[following] = before + word[:1]
            following += 1
            if following == 1 << width and width < 12:
                width += 1
        before = word


def gif(path):
    """The pictures of a GIF, as values of its palette, and whether they repeat for ever."""
    data, pictures, repeats = open(path, 'rb').read(), [], False
    assert data[:6] == b'GIF89a'
    width, height, flags = struct.unpack('<HHB', data[6:11])
    colours = 2 << (flags & 7)
    palette = data[13:13 + 3 * colours] if flags & 128 else b''
    at = 13 + len(palette)

    def blocks(at):
        joined = b''
        while data[at]:
            joined += data[at + 1:at + 1 + data[at]]
            at += 1 + data[at]
        return joined, at + 1

    while data[at] != 0x3B:
        if data[at] == 0x21:
            extension, (joined, at) = data[at + 1], blocks(at + 2)
            repeats = repeats or (extension == 0xFF and joined == b'NETSCAPE2.0\x01\0\0')
        else:
            assert data[at] == 0x2C and struct.unpack('<HHHHB', data[at + 1:at + 10]) == (0, 0, width, height, 0)
            least, (joined, at) = data[at + 10], blocks(at + 11)
            values = lzw(joined, least)
            assert len(values) == width * height
            grey = [palette[3 * v] for v in values]
            pictures.append([grey[y * width:(y + 1) * width] for y in range(height)])
    assert at == len(data) - 1
    return pictures, repeats


def generation(board):
    side = len(board)

    def alive(y, x):
        count = sum(board[(y + i) % side][(x + j) % side] for i in (-1, 0, 1) for j in (-1, 0, 1)) - board[y][x]
        return count == 3 or count == 2 and board[y][x]
    return [[int(alive(y, x)) for x in range(side)] for y in range(side)]


def flat(rows):
    return [value for row in rows for value in row]


def check_life(picture, generations, values, pictures):
    board = [[int(v == 0) for v in row] for row in pnm(picture)[0]]
    shown = pnm(pictures)
    assert len(shown) == int(generations) + 1
    for number in range(int(generations) + 1):
        assert flat(shown[number]) == [255 * (1 - v) for v in flat(board)], number
        last, board = board, generation(board)
    assert [int(row[2]) for row in table(values)] == flat(last)


def check_fft(numbers, values):
    words = [int(word) for word in open(numbers).read().split()]
    samples = [complex(*pair) for pair in zip(words[::2], words[1::2])]
    count = len(samples)
    for k, row in enumerate(table(values)):
        wanted = sum(x * cmath.exp(-2j * cmath.pi * i * k / count) for i, x in enumerate(samples))
        assert int(row[0]) == int(row[1]) == k
        assert abs(complex(float(row[2]), float(row[3])) - wanted) < 0.01, (k, row, wanted)


def check_edges(picture, values):
    rows = pnm(picture)[0]
    side = len(rows)

    def edge(y, x):
        return min(255, abs(sum(w * (rows[(y + i) % side][(x + 1) % side] - rows[(y + i) % side][x - 1])
                                for i, w in ((-1, 1), (0, 2), (1, 1)))))
    assert [int(row[2]) for row in table(values)] == [edge(y, x) for y in range(side) for x in range(side)]


def check_digest(result, values):
    packed = b''.join(struct.pack('<I', int(row[2])) for row in table(values))
    assert zlib.crc32(packed) == json.load(open(result))['crc32']


def check_same(still, moving):
    wanted, (pictures, repeats) = pnm(still), gif(moving)
    assert repeats and len(pictures) == len(wanted)
    for small, large in zip(wanted, pictures):
        scale = len(large) // len(small)
        assert large == [[v for v in row for _ in range(scale)] for row in small for _ in range(scale)]


def check_columns(columns, path):
    lines = [re.sub(r'\x1b\[[0-9;]*[A-Za-z]', '', line).strip('\r\n') for line in open(path, encoding='utf-8', newline='\n')]
    bars = [line for line in lines if re.fullmatch('[ ▁▂▃▄▅▆▇█]+', line)]
    assert bars and {len(line) for line in bars} == {int(columns)}


def check_schema(path, results, count):
    schema, text, found = json.load(open(path)), open(results).read().strip(), 0
    while text:
        result, end = json.JSONDecoder().raw_decode(text)
        text, found = text[end:].strip(), found + 1
        assert set(schema['required']) <= set(result) <= set(schema['properties'])
        try:
            import jsonschema
        except ImportError:
            continue
        jsonschema.validate(result, schema)
        for key in result:
            try:
                jsonschema.validate(dict(result, **{key: []}), schema)
            except jsonschema.ValidationError:
                continue
            assert False, f'{key} may be anything'
    assert found == int(count), found


{'schema': check_schema, 'life': check_life, 'fft': check_fft, 'edges': check_edges, 'digest': check_digest, 'same': check_same, 'columns': check_columns}[sys.argv[1]](*sys.argv[2:])
