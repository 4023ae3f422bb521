/** A vector in a message: base64 of little-endian float32. */
export function encodeVector({ buffer, byteOffset, byteLength }: Float32Array): string {
  return Buffer.from(buffer, byteOffset, byteLength).toString('base64');
}

export function decodeVector(encoded: string): Float32Array {
  const bytes = Uint8Array.from(Buffer.from(encoded, 'base64'));
  return new Float32Array(bytes.buffer, 0, Math.floor(bytes.length / 4));
}
