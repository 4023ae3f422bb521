/** First bytes that tell how long a recording should be. */
export const headLength = 4_096;
/** Placeholders of writers that do not know the length yet. */
const unknownLengths = new Set([0, 0x7fff_ffff, 0xffff_ffff]);

/**
 * How many bytes a recording has at least, by its own header; 0 where the header does not tell. A file that is shorter is
 * half-written: its writer paused, or a copy was interrupted.
 */
export function declaredBytes(head: Buffer): number {
  const kind = head.subarray(0, 4).toString('latin1');
  if (head.length < 12) return 0;
  if (kind === 'RIFF') return chunkBytes(head.readUInt32LE(4));
  if (kind === 'FORM' || kind === 'RIFX') return chunkBytes(head.readUInt32BE(4));
  return head.subarray(4, 8).toString('latin1') === 'ftyp' ? boxBytes(head) : 0;
}

function chunkBytes(length: number): number {
  return unknownLengths.has(length) || length > 0xffff_fff0 ? 0 : length + 8;
}

/** MP4: the end of the last box that begins within the head, and one byte more while the index (moov) has to follow. */
function boxBytes(head: Buffer): number {
  let at = 0;
  let hasIndex = false;
  while (at + 16 <= head.length) {
    const short = head.readUInt32BE(at);
    const type = head.subarray(at + 4, at + 8).toString('latin1');
    const length = short === 1 ? Number(head.readBigUInt64BE(at + 8)) : short;
    if (type === 'moov' || type === 'moof') hasIndex = true;
    // To the end of the file, or not a box.
    if (length < 8 || !Number.isSafeInteger(at + length)) return at;
    at += length;
  }
  return hasIndex ? at : at + 1;
}
