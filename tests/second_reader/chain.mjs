// Links and digests: what ties the records of a log together, and a state to its record.

import { createHash } from "node:crypto";

export const NO_LINK = Buffer.alloc(32);
export const NO_ROOT = Buffer.alloc(32);

/** SHA-256 over parts; text among them stands for its bytes. */
export function sha256(...parts) {
  const hash = createHash("sha256");
  for (const part of parts) hash.update(part);
  return hash.digest();
}

export const link = (previous, record) => sha256("dominohall/link/1\0", previous, record);

/** The digest of a state: its public bytes, and the root in force (null where none is). */
export const stateDigest = (publicBytes, root) => sha256("dominohall/state/1\0", publicBytes, root ?? NO_ROOT);
