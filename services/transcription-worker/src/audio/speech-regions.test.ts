import { describe, expect, it } from '@jest/globals';
import { createPeaks } from './peaks.ts';
import { cutAtSilences, frameSeconds, packRegions, speechRegions } from './speech-regions.ts';
import { sampleRate } from './wav.ts';

/** Loudness per 20 ms: speech at -20 dB, silence at -70 dB. */
function levels(...stretches: [seconds: number, loud: boolean][]): Float32Array {
  return Float32Array.from(
    stretches.flatMap(([seconds, loud]) =>
      Array.from({ length: Math.round(seconds / frameSeconds) }, () => (loud ? -20 : -70)),
    ),
  );
}

describe('speech regions', () => {
  it('are found between silences, with padding on both sides', () => {
    const found = speechRegions(levels([1, false], [2, true], [1, false], [1, true], [1, false]), { pad: 0.1 });
    expect(found.map(({ start, end }) => [start.toFixed(1), end.toFixed(1)])).toEqual([
      ['0.9', '3.1'],
      ['3.9', '5.1'],
    ]);
  });

  it('bridge a short pause and drop a click', () => {
    const found = speechRegions(
      levels([1, false], [1, true], [0.2, false], [1, true], [2, false], [0.06, true], [1, false]),
      { pad: 0 },
    );
    expect(found).toHaveLength(1);
  });

  it('are empty for silence', () => {
    expect(speechRegions(levels([5, false]))).toEqual([]);
  });
});

describe('cutting a recording', () => {
  const long = levels([50, true], [0.5, false], [50, true], [0.5, false], [50, true]);

  it('cuts at quiet moments without gaps', () => {
    const pieces = cutAtSilences(long, 151, 60);
    expect(pieces.map((piece) => piece.start).slice(1)).toEqual(pieces.map((piece) => piece.end).slice(0, -1));
    expect([pieces[0]?.start, pieces.at(-1)?.end]).toEqual([0, 151]);
    expect(pieces[0]?.end).toBeGreaterThan(50);
    expect(pieces[0]?.end).toBeLessThan(50.5);
    expect(pieces.every((piece) => piece.end - piece.start <= 60)).toBe(true);
  });

  it("packs speech into pieces of at most the engine's maximum", () => {
    const pieces = packRegions(
      [
        { start: 0, end: 10 },
        { start: 11, end: 20 },
        { start: 40, end: 95 },
      ],
      long,
      28,
    );
    expect(pieces[0]).toEqual({ start: 0, end: 20 });
    expect(pieces.every((piece) => piece.end - piece.start <= 28)).toBe(true);
    expect(pieces.at(-1)?.end).toBe(95);
  });
});

describe('waveform', () => {
  it('keeps the loudest sample of every 100 ms, whatever the chunk sizes', () => {
    const pcm = new Int16Array(sampleRate / 4);
    pcm[100] = -32_768;
    pcm[2000] = 16_384;
    const bytes = Buffer.from(pcm.buffer);
    const peaks = createPeaks();
    for (let at = 0; at < bytes.length; at += 333) peaks.add(bytes.subarray(at, at + 333));
    expect(peaks.finish()).toEqual({ version: 1, interval_ms: 100, peaks: [127, 64, 0] });
  });
});
