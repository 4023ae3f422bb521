import { open, type FileHandle } from 'node:fs/promises';
import { sampleRate, wavHeader, wavHeaderBytes } from './wav.ts';

const blockSamples = sampleRate / 50;
/** A microphone that receives this much less than another one receives only the other person. */
const bleedDecibels = 15;
const releasePerBlock = 1;

export type SoundParts = {
  /** Takes interleaved 16-bit samples, one per part. @returns the samples of the whole sound. */
  add: (chunk: Buffer) => Promise<Buffer>;
  /** Writes the rest and the headers. @returns the last samples of the whole sound. */
  finish: () => Promise<Buffer>;
  close: () => Promise<void>;
};

/**
 * Writes interleaved samples to one WAV file per part. Where one part is far louder than another, the other one is
 * silenced: otherwise the words of one person would be recognised in the microphones of all.
 */
export async function createSoundParts(targets: readonly string[]): Promise<SoundParts> {
  const count = targets.length;
  const files: FileHandle[] = [];
  for (const target of targets) files.push(await open(target, 'w'));
  const block = new Int16Array(blockSamples * count);
  const bytes = Buffer.from(block.buffer);
  const envelopes = new Float64Array(count).fill(-Infinity);
  let filled = 0;
  let written = 0;

  const flush = async (samples: number, whole: Buffer[]): Promise<void> => {
    silenceBleed(block.subarray(0, samples * count), envelopes);
    const mix = Buffer.alloc(samples * 2);
    for (let i = 0; i < samples; i++) {
      let sum = 0;
      for (let part = 0; part < count; part++) sum += block[i * count + part]!;
      mix.writeInt16LE(Math.max(-32_768, Math.min(32_767, sum)), i * 2);
    }
    whole.push(mix);
    for (const [part, file] of files.entries()) {
      const own = Buffer.alloc(samples * 2);
      for (let i = 0; i < samples; i++) own.writeInt16LE(block[i * count + part]!, i * 2);
      await file.write(own, 0, own.length, wavHeaderBytes + written);
    }
    written += samples * 2;
    filled = 0;
  };

  return {
    add: async (chunk) => {
      const whole: Buffer[] = [];
      for (let at = 0; at < chunk.length;) {
        const copied = chunk.copy(bytes, filled, at);
        at += copied;
        filled += copied;
        if (filled === bytes.length) await flush(blockSamples, whole);
      }
      return Buffer.concat(whole);
    },
    finish: async () => {
      const whole: Buffer[] = [];
      const samples = Math.floor(filled / 2 / count);
      if (samples > 0) await flush(samples, whole);
      for (const file of files) await file.write(wavHeader(written), 0, wavHeaderBytes, 0);
      return Buffer.concat(whole);
    },
    close: async () => {
      for (const file of files) await file.close();
    },
  };
}

function silenceBleed(block: Int16Array, envelopes: Float64Array): void {
  const count = envelopes.length;
  const samples = block.length / count;
  for (let part = 0; part < count; part++) {
    let power = 0;
    for (let at = part; at < block.length; at += count) power += block[at]! ** 2;
    const level = 10 * Math.log10(power / samples + 1e-3);
    envelopes[part] = Math.max(level, envelopes[part]! - releasePerBlock);
  }
  const loudest = Math.max(...envelopes);
  for (let part = 0; part < count; part++)
    if (envelopes[part]! < loudest - bleedDecibels) for (let at = part; at < block.length; at += count) block[at] = 0;
}
