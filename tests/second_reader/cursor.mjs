// Reads the public bytes of a state.

import { demand } from "./illegal.mjs";

const NOBODY = 255;

export class Cursor {
  constructor(bytes) {
    this.bytes = bytes;
    this.at = 0;
  }

  take(count) {
    demand(this.at + count <= this.bytes.length, "the public bytes end too soon");
    this.at += count;
    return this.bytes.subarray(this.at - count, this.at);
  }

  list = (count) => [...this.take(count)];
  u8 = () => this.take(1)[0];
  u16 = () => this.take(2).readUInt16BE();
  u32 = () => this.take(4).readUInt32BE();

  seat(seats) {
    const seat = this.u8();
    demand(seat < seats || seat === NOBODY, "a seat that is none");
    return seat === NOBODY ? null : seat;
  }
}
