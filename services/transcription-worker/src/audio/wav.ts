import { createReadStream } from 'node:fs';
import { open, type FileHandle } from 'node:fs/promises';
import type { Readable } from 'node:stream';

/** All speech work happens on 16 kHz mono 16-bit PCM in a plain 44-byte-header WAV file that `prepare` wrote. */
export const sampleRate = 16_000;
export const bytesPerSecond = sampleRate * 2;
export const wavHeaderBytes = 44;

export function wavHeader(dataBytes: number): Buffer {
  const header = Buffer.alloc(wavHeaderBytes);
  const size = Math.min(dataBytes, 0xffffffff - 36);
  header.write('RIFF', 0, 'latin1');
  header.writeUInt32LE(size + 36, 4);
  header.write('WAVEfmt ', 8, 'latin1');
  header.writeUInt32LE(16, 16);
  header.writeUInt16LE(1, 20);
  header.writeUInt16LE(1, 22);
  header.writeUInt32LE(sampleRate, 24);
  header.writeUInt32LE(bytesPerSecond, 28);
  header.writeUInt16LE(2, 32);
  header.writeUInt16LE(16, 34);
  header.write('data', 36, 'latin1');
  header.writeUInt32LE(size, 40);
  return header;
}

/** Accepts only headers written by `wavHeader`: uploads are converted by the transcoder first. */
function isOurWav(header: Buffer): boolean {
  return (
    header.toString('latin1', 0, 4) === 'RIFF' &&
    header.toString('latin1', 8, 16) === 'WAVEfmt ' &&
    header.readUInt16LE(22) === 1 &&
    header.readUInt32LE(24) === sampleRate &&
    header.readUInt16LE(34) === 16 &&
    header.toString('latin1', 36, 40) === 'data'
  );
}

async function checkedBytes(file: FileHandle, path: string): Promise<number> {
  const header = Buffer.alloc(wavHeaderBytes);
  const { bytesRead } = await file.read(header, 0, wavHeaderBytes, 0);
  if (bytesRead < wavHeaderBytes || !isOurWav(header)) throw new Error(`${path} is not 16 kHz mono 16-bit WAV`);
  const { size } = await file.stat();
  return Math.max(0, size - wavHeaderBytes) & ~1;
}

export async function wavSeconds(path: string): Promise<number> {
  const file = await open(path, 'r');
  try {
    return (await checkedBytes(file, path)) / bytesPerSecond;
  } finally {
    await file.close();
  }
}

function byteAt(seconds: number): number {
  return wavHeaderBytes + Math.round(seconds * sampleRate) * 2;
}

/** The raw samples between two times, as a stream of s16le bytes. */
export function pcmStream(path: string, start: number, end: number): Readable {
  return createReadStream(path, {
    start: byteAt(start),
    end: Math.max(byteAt(start), byteAt(end) - 1),
    highWaterMark: 1 << 16,
    // The reader gets the error, too; the error may occur before it attaches.
  }).on('error', () => undefined);
}

export async function readPcm(path: string, start: number, end: number): Promise<Int16Array> {
  const file = await open(path, 'r');
  try {
    const from = byteAt(start);
    const length = Math.max(0, byteAt(end) - from);
    const samples = new Int16Array(length / 2);
    const { bytesRead } = await file.read(new Uint8Array(samples.buffer), 0, length, from);
    return samples.subarray(0, bytesRead >> 1);
  } finally {
    await file.close();
  }
}

/** Samples in [-1, 1] between two times. */
export async function readSamples(path: string, start: number, end: number): Promise<Float32Array> {
  const pcm = await readPcm(path, start, end);
  const samples = new Float32Array(pcm.length);
  for (let i = 0; i < pcm.length; i++) samples[i] = (pcm[i] ?? 0) / 32_768;
  return samples;
}

/** Converts byte chunks into blocks of whole 16-bit samples; an odd byte is kept for the next block. */
export function sampleReader(onSamples: (block: Int16Array) => void): (chunk: Buffer) => void {
  let carried: Buffer = Buffer.alloc(0);
  return (chunk) => {
    const bytes = carried.length > 0 ? Buffer.concat([carried, chunk]) : chunk;
    const whole = bytes.length & ~1;
    carried = whole < bytes.length ? Buffer.from(bytes.subarray(whole)) : Buffer.alloc(0);
    // A typed array needs an even offset; a pooled buffer may start at any.
    const even = bytes.byteOffset % 2 === 0 ? bytes : new Uint8Array(bytes.subarray(0, whole));
    onSamples(new Int16Array(even.buffer, even.byteOffset, whole / 2));
  };
}
