// SPDX-FileCopyrightText: The phasebench authors
// SPDX-License-Identifier: Apache-2.0
//
// The trace of rp2040_trace against rp2040js, an emulator of the RP2040 by other authors. TAP. Usage: rp2040js.mjs RP2040JS TRACE
//
// rp2040js executes the same instructions. Each device access of its CPU must be the one of the trace, in the same order. It goes
// to rp2040js's own devices. What they answer is compared, but the CPU gets the value of the trace, so that both stay in step where
// a device is expected to differ (EXPECTED). Interrupts are entered where the trace has them.
//
// rp2040js steps PIO in batches, without delays, so this program gives it time: before each access and each change of a pin, all
// cycles until then. What else its PIO lacks is added here, by the RP2040 data sheet, section 3.4 and 3.5:
//   - a delay follows its instruction, a stalled instruction ends in a cycle of its own, and a disabled machine does nothing;
//   - a flag is seen by another machine in the next cycle (machines step from 3 to 0, and flags go to higher ones only);
//   - PULL IFEMPTY uses the threshold also without autopull; a joined FIFO has eight words; a change of FJOIN empties it;
//   - a restart, or a write to INSTR, ends a delay and a stall.
// helps: tests/emulator/mcu/rp2040js.sh
import { readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";
import { join } from "node:path";

const [folder, trace] = process.argv.slice(2);
const load = (file) => import(pathToFileURL(join(folder, "dist/esm", file)));
const { RP2040 } = await load("index.js");
const { FIFO } = await load("utils/fifo.js");

// Registers whose answers differ, and why.
const EXPECTED = [
  [0x4000c008, "RESET_DONE: rp2040js has every block out of reset from the start"],
  [0x40024004, "XOSC: rp2040js's is stable at once"],
  [0x40028000, "PLL_SYS: rp2040js's is locked at once"],
  [0x40034040, "interrupts of UART0: a byte takes rp2040js no time"],
  [0x40054028, "TIMER: rp2040js gets no time"],
];
// Instructions after which rp2040js has wrong flags; QEMU agrees with the bench there (make mcu-check).
const FLAGS = [0b0100000010, 0b0100000011, 0b0100000100, 0b0100000111, 0b0100000101, 0b0100000110];
const SHIFTCTRL = 0x08, INSTR = 0x10, JOIN = 3 << 30, AUTOPULL = 1 << 17, BOOT2 = 0x20041f00, UART0_DR = 0x40034000;

const chip = new RP2040();
chip.logger = { debug() {}, info() {}, warn() {}, error() {} };
const { core } = chip;
const lines = readFileSync(trace, "latin1").split("\n").map((line) => line.split(" "));
const number = (text) => parseInt(text, 16) >>> 0;
const hex = (value) => (value >>> 0).toString(16);

let points = 0, failures = 0;
function point(name, good, ...notes) {
  console.log(`${good ? "ok" : "not ok"} ${++points} - ${name}`);
  notes.forEach((note) => console.log(`# ${note}`));
  failures += !good;
}

// ---- PIO in time

const pio = chip.pio[0];
let now = 0, stepping = false;
const driven = []; // [cycle, out, oe]
for (const block of chip.pio) block.run = () => {};
pio.irqUpdated = () => pio.checkInterrupts();
for (const machine of pio.machines) {
  const { checkWait, restart, writeUint32 } = machine;
  machine.delay = 0;
  machine.checkWait = () => { if (stepping) checkWait.call(machine); };
  machine.restart = () => { restart.call(machine); machine.delay = 0; };
  machine.writeUint32 = (offset, value) => {
    if (offset === SHIFTCTRL && (machine.shiftCtrl ^ value) & JOIN) {
      const join = value >>> 30 & 3; // bit 0: TX takes the words of RX, bit 1: RX those of TX
      machine.txFIFO = new FIFO([4, 8, 0, 0][join]);
      machine.rxFIFO = new FIFO([4, 0, 8, 0][join]);
    }
    if (offset === INSTR) {
      machine.waiting = false;
      machine.delay = 0;
      stepping = true;
    }
    writeUint32.call(machine, offset, value);
    stepping = false;
  };
}

function stepMachine(machine) {
  if (machine.delay > 0) {
    machine.delay--;
    return;
  }
  if (machine.waiting) {
    machine.checkWait();
    machine.delay = machine.waiting ? 0 : machine.waitDelay;
    return;
  }
  const before = machine.cycles, opcode = pio.instructions[machine.pc], { shiftCtrl } = machine;
  if ((opcode & 0xe0c0) === 0x80c0) machine.shiftCtrl |= AUTOPULL;
  machine.updatePC = true;
  machine.executeInstruction(opcode);
  machine.shiftCtrl = shiftCtrl;
  if (machine.updatePC) machine.nextPC();
  machine.delay = machine.waiting ? 0 : machine.cycles - before - 1;
}

function bring(cycle) {
  if (!pio.machines.some((machine) => machine.enabled)) now = cycle;
  for (; now < cycle; now++) {
    const { pinValues, pinDirections } = pio;
    stepping = true;
    for (let i = 3; i >= 0; i--) if (pio.machines[i].enabled) stepMachine(pio.machines[i]);
    stepping = false;
    if (pinValues !== pio.pinValues || pinDirections !== pio.pinDirections) driven.push([now, pio.pinValues, pio.pinDirections]);
  }
}

// ---- the bus

const accesses = []; // of the instruction in progress, by the trace
const differs = new Map(); // address -> [count, example]
let compared = 0, odd = null, within = false;
const isDevice = (address) => (address >= 0x10000000 && address < 0x20000000) || (address >= 0x40000000 && address < 0xe0000000);
const register = (address) => address >= 0x40000000 && address < 0x60000000 ? (address & ~0x3000) >>> 0 : address;

function access(kind, bytes, inner) {
  return (address, value) => {
    address >>>= 0;
    if (within || !isDevice(address)) return inner.call(chip, address, value);
    const due = accesses.shift();
    const [wanted, cycle, at, size, data] = due ?? ["nothing"];
    if (wanted !== kind || number(at) !== address || Number(size) !== bytes || (kind === "w" && number(data) !== value >>> 0))
      odd ??= `${kind} ${hex(address)} ${bytes} ${kind === "w" ? hex(value) : ""} where the trace has ${due?.join(" ")}`;
    if (due) bring(number(cycle));
    if (kind === "r" && address === UART0_DR && typed.length) chip.uart[0].feedByte(typed.shift());
    within = true;
    const { pinValues, pinDirections } = pio;
    const own = inner.call(chip, address, value);
    within = false;
    if (pinValues !== pio.pinValues || pinDirections !== pio.pinDirections) driven.push([now, pio.pinValues, pio.pinDirections]);
    compared++;
    if (kind === "w" || !due) return own;
    const mask = bytes === 4 ? 0xffffffff : (1 << 8 * bytes) - 1;
    if ((own ^ number(data)) & mask) {
      const [count, example] = differs.get(register(address)) ?? [0, `${hex(own & mask)}, here ${data} in cycle ${cycle}`];
      differs.set(register(address), [count + 1, example]);
    }
    return number(data);
  };
}
const typed = [..."I\n"].map((c) => c.charCodeAt(0));
for (const [bits, bytes] of [[32, 4], [16, 2], [8, 1]]) {
  chip[`readUint${bits}`] = access("r", bytes, chip[`readUint${bits}`]);
  chip[`writeUint${bits}`] = access("w", bytes, chip[`writeUint${bits}`]);
}
chip.setInterrupt = () => {};

// ---- the boot ROM: boot2 is checked and entered

for (const [kind, address, word] of lines) if (kind === "f") chip.flashView.setUint32(number(address) - 0x10000000, number(word), true);
function bootCrc(bytes) {
  let crc = 0xffffffff;
  for (const byte of bytes)
    for (let bit = 7; bit >= 0; bit--) crc = (crc << 1) ^ (((crc >>> 31) ^ (byte >> bit)) & 1 ? 0x04c11db7 : 0);
  return crc >>> 0;
}
point("boot2 has the CRC that the boot ROM demands", bootCrc(chip.flash.subarray(0, 252)) === chip.flashView.getUint32(252, true));
chip.sram.set(chip.flash.subarray(0, 256), BOOT2 - 0x20000000);
core.VTOR = 0;
core.PC = BOOT2;
core.SP = BOOT2;
core.LR = 0;
core.IPSR = 0;

// ---- lock-step

let sent = "", instructions = 0, exceptions = 0, flags = 0;
chip.uart[0].onByte = (byte) => { sent += String.fromCharCode(byte); };
const wrong = [];
function execute(words) {
  const pc = core.PC & ~1, opcode = chip.readUint16(pc);
  core.waiting = false;
  core.executeInstruction();
  instructions++;
  const wanted = words.slice(2, 18).map(number), psr = number(words[18]);
  const own = [...core.registers];
  own[15] = (own[15] & ~1) >>> 0;
  let same = wanted.every((value, i) => value === own[i]) && core.IPSR === (psr & 0x3f) && accesses.length === 0;
  if (same && core.APSR >>> 0 !== (psr & 0xf0000000) >>> 0) {
    if (FLAGS.includes(opcode >> 6)) flags++;
    else same = false;
  }
  if (!same) {
    wrong.push(`${hex(pc)} (${hex(opcode)}): ${own.map(hex).join(" ")} ${hex(core.APSR | core.IPSR)}, here ${words.slice(2).join(" ")}`);
    wanted.forEach((value, i) => { core.registers[i] = value; });
    core.IPSR = psr & 0x3f;
    accesses.length = 0;
  }
  core.APSR = psr;
}
for (const words of lines) {
  if (wrong.length > 3) break;
  if (words[0] === "r" || words[0] === "w") accesses.push(words);
  if (words[0] === "n") {
    bring(number(words[1]));
    for (let pin = 0; pin < 30; pin++) {
      const level = !!(number(words[2]) >>> pin & 1);
      if (chip.gpio[pin].rawInputValue !== level) chip.gpio[pin].setInputValue(level);
    }
  }
  if (words[0] === "x") {
    exceptions++;
    core.exceptionEntry(number(words[2]));
    core.PC &= ~1;
  }
  if (words[0] === "i") execute(words);
}
point(`registers and flags after ${instructions} instructions and ${exceptions} exceptions`, !wrong.length && instructions > 10000 && exceptions > 20,
  `${flags} known differences of rp2040js in flags after shifts by a register, RORS, ADCS, SBCS`, ...wrong);
point(`${compared} accesses to devices: kind, address, width, and value of each write`, !odd && compared > 1000, ...(odd ? [odd] : []));
const surprises = [];
for (const [address, [count, example]] of differs) {
  const reason = EXPECTED.find(([at]) => address === at)?.[1];
  const text = `${count} reads of ${hex(address)} answered ${example}`;
  if (reason) console.log(`# ${text}; ${reason}`);
  else surprises.push(text);
}
point("values of each read, but of the devices above", !surprises.length, ...surprises);

const console_ = lines.filter(([kind]) => kind === "c").map(([, byte]) => String.fromCharCode(number(byte))).join("");
point("what the console sends, byte for byte, at the pin here", sent === console_ && sent.startsWith("+I node=rp2040 addr=5 dims=3"), JSON.stringify(sent));

const offsets = { CLKDIV: 0, EXECCTRL: 4, SHIFTCTRL: 8, PINCTRL: 0x14 };
const registers = lines.filter(([kind]) => kind === "p");
const unlike = registers.filter(([, name, value]) => {
  const [, word] = name.match(/^INSTR_MEM(\d+)/) ?? [], [, machine, which] = name.match(/^SM(\d)_(\w+)/) ?? [];
  const own = word ? pio.instructions[word] : pio.machines[machine].readUint32(offsets[which]);
  return ((own ^ number(value)) & (which === "EXECCTRL" ? 0x7fffffff : 0xffffffff)) !== 0;
});
point(`${registers.length} registers of PIO0 at the end`, registers.length === 48 && !unlike.length, ...unlike.map((words) => words.join(" ")));

const wave = lines.filter(([kind]) => kind === "o").map(([, cycle, out, oe]) => [number(cycle), number(out), number(oe)]);
const first = wave.findIndex(([cycle, out, oe], i) => driven[i]?.[0] !== cycle || driven[i]?.[1] !== out || driven[i]?.[2] !== oe);
point(`${wave.length} changes of the pins that PIO0 drives, to the cycle`, wave.length > 20 && first < 0 && driven.length === wave.length,
  ...(first < 0 ? [] : [`${driven.length} changes; number ${first}: ${driven[first]?.map(hex)}, here ${wave[first]?.map(hex)}`]));
console.log(`1..${points}`);
process.exit(failures ? 1 : 0);
