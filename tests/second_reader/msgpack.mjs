// MessagePack as a replay log uses it: one encoding a value, the shortest, and every fault has its byte.
//
// A decoder of our own, because a general one reads longer forms, floats and repeated keys without a word, and does
// not say at which byte a value began.

const MAX_ITEM = 16_384;
const MAX_STRING = 4_096;
const MAX_ELEMENTS = 64;
const MAX_DEPTH = 4;

/** The bytes end inside an item. */
export class Truncated extends Error {}

/** The bytes are no log of this format; `offset` is where reading fails. */
export class Unreadable extends Error {
  constructor(offset, why) {
    super(`${why}, at byte ${offset}`);
    this.offset = offset;
  }
}

const UTF8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

function decoded(bytes) {
  try {
    return UTF8.decode(bytes);
  } catch {
    return null;
  }
}

/** Where the first sequence of bytes begins that is no character. */
function badByte(bytes) {
  const width = (lead) => (lead < 0x80 ? 1 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4);
  let at = 0;
  while (decoded(bytes.subarray(at, at + width(bytes[at]))) !== null) at += width(bytes[at]);
  return at;
}

/** Reads items one after another; integers beyond 2^53 come as BigInt, byte strings as Buffer, maps as Map. */
export class Reader {
  constructor(bytes) {
    this.bytes = bytes;
    this.at = 0;
  }

  get done() {
    return this.at === this.bytes.length;
  }

  /** One whole item: its value and the bytes that it takes. */
  item() {
    const start = this.at;
    this.limit = start + MAX_ITEM;
    const value = this.#value(1);
    return { start, end: this.at, value, raw: this.bytes.subarray(start, this.at) };
  }

  /** The next bytes of the value that began at `start`. */
  #take(count, start) {
    if (this.at + count > this.limit) throw new Unreadable(start, `an item of more than ${MAX_ITEM} bytes`);
    if (this.at + count > this.bytes.length) throw new Truncated(`${count} bytes wanted at byte ${this.at}`);
    this.at += count;
    return this.bytes.subarray(this.at - count, this.at);
  }

  #number(width, start, below) {
    const bytes = this.#take(width, start);
    const value = width === 8 ? bytes.readBigUInt64BE() : bytes.readUIntBE(0, width);
    if (value < below) throw new Unreadable(start, "a longer form than needed");
    return typeof value === "bigint" && value <= Number.MAX_SAFE_INTEGER ? Number(value) : value;
  }

  #negative(width, start, above) {
    const bytes = this.#take(width, start);
    const value = width === 8 ? bytes.readBigInt64BE() : bytes.readIntBE(0, width);
    if (value > above) throw new Unreadable(start, "a longer form than needed");
    return value;
  }

  #text(length, start) {
    const bytes = this.#string(length, start);
    const text = decoded(bytes);
    if (text === null) throw new Unreadable(this.at - length + badByte(bytes), "text that is not UTF-8");
    return text;
  }

  #string(length, start) {
    if (length > MAX_STRING) throw new Unreadable(start, `more than ${MAX_STRING} bytes`);
    return this.#take(length, start);
  }

  #array(count, start, depth) {
    this.#bound(count, start, depth);
    const values = [];
    for (let i = 0; i < count; i += 1) values.push(this.#value(depth + 1));
    return values;
  }

  #map(count, start, depth) {
    this.#bound(count, start, depth);
    const map = new Map();
    for (let i = 0; i < count; i += 1) {
      const at = this.at;
      const key = this.#value(depth + 1);
      if (typeof key !== "string") throw new Unreadable(at, "a key that is no text");
      if (map.has(key)) throw new Unreadable(at, "a key that stands twice");
      map.set(key, this.#value(depth + 1));
    }
    return map;
  }

  #bound(count, start, depth) {
    if (depth > MAX_DEPTH) throw new Unreadable(start, `deeper than ${MAX_DEPTH}`);
    if (count > MAX_ELEMENTS) throw new Unreadable(start, `more than ${MAX_ELEMENTS} elements`);
  }

  /** The value that begins here; `depth` is what an array or map here would have, 1 for the item itself. */
  #value(depth) {
    const start = this.at;
    const code = this.#take(1, start)[0];
    if (code < 0x80) return code;
    if (code >= 0xe0) return code - 0x100;
    if (code < 0x90) return this.#map(code & 0x0f, start, depth);
    if (code < 0xa0) return this.#array(code & 0x0f, start, depth);
    if (code < 0xc0) return this.#text(code & 0x1f, start);
    switch (code) {
      case 0xc0: return null;
      case 0xc2: return false;
      case 0xc3: return true;
      case 0xc4: return this.#string(this.#number(1, start, 0), start);
      case 0xc5: return this.#string(this.#number(2, start, 0x100), start);
      case 0xc6: return this.#string(this.#number(4, start, 0x10000), start);
      case 0xcc: return this.#number(1, start, 0x80);
      case 0xcd: return this.#number(2, start, 0x100);
      case 0xce: return this.#number(4, start, 0x10000);
      case 0xcf: return this.#number(8, start, 0x1_0000_0000);
      case 0xd0: return this.#negative(1, start, -0x21);
      case 0xd1: return this.#negative(2, start, -0x81);
      case 0xd2: return this.#negative(4, start, -0x8001);
      case 0xd3: return this.#negative(8, start, -0x8000_0001);
      case 0xd9: return this.#text(this.#number(1, start, 0x20), start);
      case 0xda: return this.#text(this.#number(2, start, 0x100), start);
      case 0xdb: return this.#text(this.#number(4, start, 0x10000), start);
      case 0xdc: return this.#array(this.#number(2, start, 0x10), start, depth);
      case 0xdd: return this.#array(this.#number(4, start, 0x10000), start, depth);
      case 0xde: return this.#map(this.#number(2, start, 0x10), start, depth);
      case 0xdf: return this.#map(this.#number(4, start, 0x10000), start, depth);
      default: throw new Unreadable(start, `the byte ${code}, which begins no value of this format`);
    }
  }
}
