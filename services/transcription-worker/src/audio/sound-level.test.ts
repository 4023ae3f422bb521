import { describe, expect, it } from '@jest/globals';
import { createSoundLevel, type SoundLevel } from './sound-level.ts';
import { sampleRate } from './wav.ts';

/** A tone of this amplitude (1: full scale) over noise of another one, in half-second turns with the noise alone. */
function speechLike(amplitude: number, noise: number, seconds = 20): Int16Array {
  let seed = 7;
  const random = (): number => (seed = (seed * 48_271) % 2_147_483_647) / 2_147_483_647 - 0.5;
  return Int16Array.from({ length: seconds * sampleRate }, (_, i) => {
    const speaks = Math.floor(i / (sampleRate / 2)) % 2 === 0;
    const value = (speaks ? amplitude * Math.sin(i / 10) : 0) + noise * 2 * random();
    return Math.round(Math.max(-1, Math.min(1, value)) * 32_767);
  });
}

function levelOf(samples: Int16Array, chunkBytes = 4_095): SoundLevel | null {
  const bytes = Buffer.from(samples.buffer);
  const level = createSoundLevel();
  for (let at = 0; at < bytes.length; at += chunkBytes) level.add(bytes.subarray(at, at + chunkBytes));
  return level.finish();
}

function decibels(rms: number): number {
  return 20 * Math.log10(rms);
}

describe('the level of a sound', () => {
  it('is the mean power of what is not a pause; noise is what is left in the pauses', () => {
    const level = levelOf(speechLike(0.5, 0.005));
    expect(Math.abs((level?.level_db ?? 0) - decibels(0.5 / Math.SQRT2))).toBeLessThan(1);
    expect(Math.abs((level?.noise_db ?? 0) - decibels(0.005 / Math.sqrt(3)))).toBeLessThan(1);
    expect(level?.clipped).toBe(0);
  });

  it('falls with the sound, and so does the noise', () => {
    const [loud, quiet] = [levelOf(speechLike(0.5, 0.02)), levelOf(speechLike(0.05, 0.002))];
    expect((loud?.level_db ?? 0) - (quiet?.level_db ?? 0)).toBeCloseTo(20, 0);
    expect((loud?.noise_db ?? 0) - (quiet?.noise_db ?? 0)).toBeCloseTo(20, 0);
  });

  it('does not depend on how the samples arrive', () => {
    const samples = speechLike(0.3, 0.01, 3);
    expect(levelOf(samples, 3)).toEqual(levelOf(samples, 100_000));
  });

  it('counts pieces that reach full scale', () => {
    expect(levelOf(speechLike(1.5, 0))?.clipped).toBe(0.5);
  });

  it('of digital silence is the lowest there is; of nothing there is none', () => {
    expect(levelOf(new Int16Array(sampleRate))).toEqual({ level_db: -96, noise_db: -96, clipped: 0 });
    expect(levelOf(new Int16Array(0))).toBeNull();
  });
});
