# SPDX-FileCopyrightText: The phasebench authors
# SPDX-License-Identifier: Apache-2.0
#
# What a person wires by, against its sources. The pictures of docs/pictures/ and the pin table of docs/start/first-board.md: the constraints of
# the board, the pins of the RP2040 (chip.h, and the table of docs/reference/rp2040.md) and of the AG32VF303 (pins/*.pcf). The constraints: tables of
# the boards, which were typed from other sources, and the rules of docs/start/wiring.md. The tables of that page: arithmetic, constraints. The
# lists of boards: one another. Prints TAP.
# Usage, from the top of the tree: pictures.py
#
# evidence: wiring pictures of a first set-up
#   compared with the constraints of the FPGA boards and with the pins of the RP2040 and AG32VF303 ports; no
#   board has been wired by them yet
#   also: make pictures-check
# covers: docs/pictures docs/start/wiring.md docs/start/first-board.md docs/reference/rp2040.md constraints tests/rtl/board/labels firmware/port rtl/board host/flash host/cli/cmd_flash.c mk/boards.mk tests/rtl/board/run.sh
import re
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

SVG = "{http://www.w3.org/2000/svg}"
PAGE = Path("docs/start/first-board.md")
WIRING = Path("docs/start/wiring.md")
BOARDS = (("icebreaker", "icebreaker", "bench"), ("icebreaker_fifo", "icebreaker", "bench"), ("hx8k_evn", "hx8k_evn", "bench"),
          ("hx8k_evn_fifo", "hx8k_evn", "bench"), ("alchitry_cu", "alchitry_cu", "bench"), ("icestick", "icestick", "node"))
AG32 = Path("firmware/port/ag32/pins")
NODE_LINKS = 12                  # of a node board, docs/reference/scenario.md
OF_NODE = ("LINK", "TDMA_", "NRST", "BOOT0", "UART0_")
STRAP = "down 4.7k"              # BOOT1: the bench has no such pin, so only the node board pulls it
points = []                      # (name, what is wrong)


def numbers(text):
    """"4 to 7, 9" -> 4, 5, 6, 7, 9; anything else is left out."""
    listed = []
    for first, last in re.findall(r"(\d+)(?: to (\d+))?", text):
        listed += range(int(first), int(last or first) + 1)
    return listed


def constraints(path):
    """Signals that go to node port 0: header pin, FPGA pin, pull and series resistor that are added."""
    rows = {}
    for line in path.read_text(encoding="utf-8").splitlines():
        if not line.startswith("set_io"):
            continue
        order, comment = line.split("#", 1)
        *_, signal, pin = order.split()
        where, _, pull, _, series = (field.strip() for field in comment.split(";"))
        if signal.startswith(OF_NODE) and (signal.startswith("LINK") or not re.search(r"\[[1-9]", signal)):
            rows[signal] = (re.split(r" and |,", where)[0], pin, pull.split(",")[0], series.split("+")[-1].strip())
    return rows


def node_name(signal):
    """The name at the node: LINK3 of LINK[3], NRST of NRST[0]; None: the node has no such pin."""
    number = re.fullmatch(r"LINK\[(\d+)\]", signal)
    if number:
        return f"LINK{number[1]}" if int(number[1]) < NODE_LINKS else None
    return signal.split("[")[0]


def pico_pins():
    """GPIO and package pin of each signal. The header is for the compiler, the table for people: both count, and must agree."""
    header = dict(re.findall(r"\b(PIN_\w+) = (\d+)", Path("firmware/port/rp2040/chip.h").read_text(encoding="utf-8")))
    pins, wrong = {}, []
    compiled = {"UART0_TX": header["PIN_UART_TX"], "UART0_RX": header["PIN_UART_RX"], "TDMA_CLK": header["PIN_TDMA_CLK"],
                "TDMA_SYNC": header["PIN_TDMA_SYNC"]}
    compiled |= {f"LINK{i}": int(header["PIN_LINK0"]) + i for i in range(int(header["PIN_LINKS"]))}
    for line in Path("docs/reference/rp2040.md").read_text(encoding="utf-8").splitlines():
        cells = [cell.strip().strip("`") for cell in line.strip("|").split("|")]
        if len(cells) != 5:
            continue
        name, gpio, package = cells[:3]
        if name == "links 0 to 11":
            pins |= {f"LINK{i}": pair for i, pair in enumerate(zip(numbers(gpio), numbers(package), strict=True))}
        elif name in compiled:
            pins[name] = (int(gpio), int(package))
        elif name == "NRST":
            pins[name] = (gpio, int(package))
        elif name == "GND":
            pins[name] = ", ".join(map(str, numbers(package)))
    for name, gpio in compiled.items():
        if name not in pins or pins[name][0] != int(gpio):
            wrong.append(f"{name} is GPIO {gpio} in chip.h, and {pins.get(name)} in docs/reference/rp2040.md")
    points.append(("docs/reference/rp2040.md has the pins of chip.h", wrong))
    texts = {name: (f"GP{pair[0]}" if isinstance(pair[0], int) else pair[0], str(pair[1])) for name, pair in pins.items() if name != "GND"}
    return texts | {"BOOT0": ("-", "-")}, pins["GND"]


def ag32_pins(package):
    """Of the constraints; those fixed by the part are in their comment."""
    text = (AG32 / f"{package}.pcf").read_text(encoding="utf-8")
    pins = {re.sub(r"\[(\d+)\]", r"\1", signal).upper(): pin for signal, pin in re.findall(r"^set_io (\S+) PIN_(\d+)", text, re.M)}
    return pins | dict(re.findall(r"\b(NRST|BOOT[01]) (\d+)", text))


def check_picture(path, pico, ground, ag32):
    root = ElementTree.parse(path).getroot()
    source = Path(root.attrib["data-constraints"])
    rows, seen, wrong = constraints(source), set(), []
    for wire in root.iter(f"{SVG}g"):
        if wire.get("class") != "wire":
            continue
        text = {}
        for element in wire.iter(f"{SVG}text"):
            text[element.get("class").split()[0]] = element.text
        signal = text["signal"]
        if signal not in rows:
            wrong.append(f"{signal} is no signal of a node in {source}")
            continue
        if signal in seen:
            wrong.append(f"{signal} is drawn twice")
        seen.add(signal)
        name = node_name(signal)
        wanted = dict(zip(("header", "fpga", "pull", "series"), rows[signal]), node=name or "not connected")
        if name:
            wanted |= {"gpio": pico[name][0], "pico": pico[name][1], "ag32": ag32[name]}
        for key in sorted(set(wanted) | set(text) - {"signal"}):
            if text.get(key) != wanted.get(key):
                wrong.append(f"{signal}: {key} is {text.get(key)} in the picture, and {wanted.get(key)} in its source")
    wrong += [f"{signal} is in {source}, and not drawn" for signal in rows if signal not in seen]
    straps = {}
    for strap in root.iter(f"{SVG}g"):
        if strap.get("class") == "strap":
            text = {element.get("class").split()[0]: element.text for element in strap.iter(f"{SVG}text")}
            straps[text["node"]] = (text["pull"], text["gpio"], text["pico"], text["ag32"])
    wanted = {"BOOT1": (STRAP, "-", "-", ag32["BOOT1"])}
    if straps != wanted:
        wrong.append(f"straps of the node board are {straps} in the picture, and {wanted} by the part")
    grounds = [element.text for element in root.iter(f"{SVG}text") if element.get("class") == "ground"]
    if grounds != [ground]:
        wrong.append(f"ground pins of the Pico are {grounds} in the picture, and {ground} in docs/reference/rp2040.md")
    points.append((f"{path} has the pins of {source} and of the nodes", wrong))


def check_page(pictures, packages):
    text, wrong = PAGE.read_text(encoding="utf-8"), []
    wrong += [f"{path} is not shown" for path in pictures if f"](../pictures/{path.name})" not in text]
    points.append((f"{PAGE} shows every picture", wrong))
    table = re.search(r"<!-- pins of the AG32VF303 -->\n(.*?)<!-- end of the pins -->", text, re.S)
    found = {}
    for line in table[1].splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if len(cells) == 3 and cells[0].startswith("`"):
            found[cells[0].strip("`")] = tuple(cells[1:])
    wanted = {name: tuple(pins[name] for pins in packages) for name in packages[0]}
    wrong = [f"{name}: {found.get(name)} in the table, and {wanted.get(name)} in {AG32}" for name in sorted(set(found) | set(wanted))
             if found.get(name) != wanted.get(name)]
    points.append((f"{PAGE} has the pins of {AG32}", wrong))


def resistors(path):
    """Resistors to buy for a Pico and for an AG32VF303, by value: the wires of one node port, BOOT0 and BOOT1 only for the latter."""
    pico, ag32 = {}, {STRAP.split()[1]: 1}
    for signal, (_, _, pull, series) in constraints(path).items():
        for value in (series, "" if "in the pad" in pull or "on the node" in pull else pull.split(" ")[-1]):
            if value in ("", "-"):
                continue
            ag32[value] = ag32.get(value, 0) + 1
            if not signal.startswith("BOOT0"):
                pico[value] = pico.get(value, 0) + 1
    return pico, ag32


def check_parts():
    """Rows "| resistor 2.2 kΩ | 12 | 16 | why |" of the page: iCEBreaker, HX8K-EVN; "2 (AG32: 4)" where the nodes differ."""
    found, wanted = {}, {}
    for value, thousand, *cells in re.findall(r"^\| resistor ([0-9.]+) (k?)Ω \| ([^|]*) \| ([^|]*) \|", PAGE.read_text(encoding="utf-8"), re.M):
        found[value + thousand] = tuple(cells)
    boards = [resistors(Path(f"constraints/{name}.pcf")) for name in ("icebreaker", "hx8k_evn")]
    for value in sorted({value for pair in boards for value in pair[1]}):
        counts = [(pico.get(value, 0), ag32.get(value, 0)) for pico, ag32 in boards]
        wanted[value] = tuple(f"{a} (AG32: {b})" if a != b else str(a) if a else "–" for a, b in counts)
    points.append((f"{PAGE} lists the resistors that the constraints ask for",
                   [f"{value}: {found.get(value)} on the page, {wanted.get(value)} by the constraints"
                    for value in sorted(set(found) | set(wanted)) if found.get(value) != wanted.get(value)]))


def check_program(name, *command):
    """A point of a program that prints what is wrong, and then ends with another code than 0."""
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    told = (done.stdout + done.stderr).splitlines()
    points.append((name, (told or ["it says nothing"]) if done.returncode else []))


def check_pin_tables():
    made = subprocess.run(["awk", "-f", "tests/rtl/board/wiring.awk", *map(str, sorted(Path("constraints").glob("*.pcf")))],
                          capture_output=True, text=True, check=False)
    text = WIRING.read_text(encoding="utf-8")
    there = text.split("<!-- pins -->\n")[1].split("<!-- end of the pins -->")[0]
    wrong = [f"{line}: only in {place}" for mine, others, place in ((there, made.stdout, WIRING), (made.stdout, there, "the constraints"))
             for line in mine.splitlines() if line not in others.splitlines()]
    if there != made.stdout and not wrong:
        wrong = ["the order of the rows differs"]
    points.append((f"{WIRING} holds the pins of the constraints: put in what awk -f tests/rtl/board/wiring.awk constraints/*.pcf prints",
                   wrong + made.stderr.splitlines()))


def check_boards():
    """Each list of boards has those of `make bitstream`, with the same top and its constraints."""
    script = Path("rtl/board/bitstream.sh").read_text(encoding="utf-8")
    flash = Path("host/cli/cmd_flash.c").read_text(encoding="utf-8")
    run = Path("tests/rtl/board/run.sh").read_text(encoding="utf-8").split("<< LIST\n")[1:]
    lint, pins = ({line.split()[0]: line.split() for line in text.split("\nLIST\n")[0].splitlines()} for text in run)
    tops = dict(re.findall(r"^([a-z0-9-]+)\) *top=(\w+)", script, re.MULTILINE))
    help_text = re.search(r"BOARD is (.*?)\. FILE", re.sub(r'"\n *"', "", flash))[1]
    lists = {"BOARDS of mk/boards.mk": re.search(r"^BOARDS := (.*)", Path("mk/boards.mk").read_text(encoding="utf-8"), re.MULTILINE)[1].split(),
             "the list of pins in tests/rtl/board/run.sh": list(pins),
             "PB_FLASH_BOARD_LIST": re.findall(r'X\("([^"]+)", ', Path("host/flash/bitstream.h").read_text(encoding="utf-8")),
             "the help in host/cli/cmd_flash.c": re.split(r", | or ", help_text)}
    wrong = [f"{name}: only in {place}" for where, names in lists.items()
             for name, place in [(name, where) for name in names if name not in tops] + [(name, "rtl/board/bitstream.sh, not in " + where) for name in tops if name not in names]]
    wrong += [f"{name}: {path} is not there" for name, top in tops.items()
              for path in (f"rtl/board/{top}.v", f"constraints/{top}.pcf") if not Path(path).exists()]
    wrong += [f"{name}: top {top} is not in {where}" for name, top in tops.items()
              for where, found in (("the list of lint in tests/rtl/board/run.sh", lint), ("BOARDS of tests/pictures.py", [board[0] for board in BOARDS]))
              if top not in found]
    points.append(("each list of boards has those of rtl/board/bitstream.sh", wrong))


pico, ground = pico_pins()
packages = [ag32_pins("lqfp48"), ag32_pins("qfn32")]
pictures = sorted(Path("docs/pictures").glob("*.svg"))
for path in pictures:
    check_picture(path, pico, ground, packages[0])
points.append(("there are pictures", [] if pictures else ["docs/pictures/ has no *.svg"]))
check_page(pictures, packages)
check_parts()
for constraint, labels, role in BOARDS:
    check_program(f"constraints/{constraint}.pcf: labels, loads, resistors and pulls are those of the board", "python3",
                  "tests/rtl/board/labels.py", f"constraints/{constraint}.pcf", f"tests/rtl/board/labels/{labels}.txt", role)
check_program(f"{WIRING}: levels, currents and rise times are what the arithmetic gives", "python3", "tests/rtl/board/electrical.py", str(WIRING))
check_pin_tables()
check_boards()
for number, (name, wrong) in enumerate(points, 1):
    print(f"{'not ok' if wrong else 'ok'} {number} - {name}")
    for line in wrong:
        print(f"# {line}")
print(f"1..{len(points)}")
sys.exit(any(wrong for _, wrong in points))
