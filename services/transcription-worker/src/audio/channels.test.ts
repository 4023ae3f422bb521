import { describe, expect, it } from '@jest/globals';
import { chooseMixes, createChannelMeter, hasSound, measureRate, type Channel } from './channels.ts';

const seconds = 6;
type Wave = (sample: number) => number;

const silence: Wave = () => 0;
/** Loud and quiet by turns, as syllables and pauses are. */
function voice(hertz: number, amplitude = 8_000): Wave {
  return (i) => {
    const syllable = Math.sin((Math.PI * i) / (measureRate * 0.4)) ** 2;
    return amplitude * syllable * Math.sin((2 * Math.PI * hertz * i) / measureRate);
  };
}
function hum(hertz: number, amplitude = 9_000): Wave {
  return (i) => amplitude * Math.sin((2 * Math.PI * hertz * i) / measureRate);
}
/** The same noise for the same seed. */
function noise(seed: number, amplitude: number): Wave {
  return (i) => amplitude * (((Math.imul(i + 1, 2_654_435_761 + seed * 40_503) >>> 8) % 2_001) / 1_000 - 1);
}
function inverted(wave: Wave): Wave {
  return (i) => -wave(i);
}
function sum(...waves: Wave[]): Wave {
  return (i) => waves.reduce((total, wave) => total + wave(i), 0);
}

function measure(waves: Wave[], chunkBytes = 4_099) {
  const frames = seconds * measureRate;
  const bytes = Buffer.alloc(frames * waves.length * 2);
  for (let i = 0; i < frames; i++)
    waves.forEach((wave, channel) => bytes.writeInt16LE(Math.round(wave(i)), (i * waves.length + channel) * 2));
  const meter = createChannelMeter(waves.length);
  for (let at = 0; at < bytes.length; at += chunkBytes) meter.add(bytes.subarray(at, at + chunkBytes));
  return meter.finish();
}

function channels(count: number, over: Partial<Channel> = {}): Channel[] {
  return Array.from({ length: count }, (_, channel) => ({ track: 0, channel, isCentre: false, ...over }));
}

/** Numbers of the channels of each mix, negative for inverted ones; counted from 1. */
function chosen(waves: Wave[], { separate = false, of = channels(waves.length) } = {}): number[][] {
  return chooseMixes(of, measure(waves), separate).map((mix) =>
    mix.map(({ track, channel, gain }) => {
      const position = of.findIndex((one) => one.track === track && one.channel === channel) + 1;
      return gain < 0 ? -position : position;
    }),
  );
}

describe('channels that carry speech', () => {
  it.each<[string, Wave[], number[]]>([
    ['one channel in opposite phase', [voice(200), inverted(voice(200))], [1]],
    ['the same sound twice', [voice(200, 4_000), voice(200)], [2]],
    ['two people', [voice(200), voice(310, 6_000)], [1, 2]],
    ['a voice among silent channels', [...Array<Wave>(7).fill(silence), voice(200), silence, silence], [8]],
    ['a voice beside a loud hum', [hum(50), voice(200, 3_000)], [2]],
    ['a voice beside noise', [voice(200), noise(1, 900)], [1]],
    ['hum alone', [hum(200)], [1]],
    ['silence alone', [silence, silence], [1, 2]],
  ])('are chosen from %s', (_, waves, expected) => {
    expect(chosen(waves)).toEqual([expected]);
  });

  it('are added without cancelling what two channels have in common', () => {
    const shared = voice(200, 6_000);
    const waves = [sum(shared, noise(1, 5_000)), sum(inverted(shared), noise(2, 5_000))];
    expect(chosen(waves)).toEqual([[1, -2]]);
  });

  it('are dominated by the centre where a film has one', () => {
    const of = channels(6).map((channel) => ({ ...channel, isCentre: channel.channel === 2 }));
    const music = (seed: number) => sum(voice(90 + seed, 5_000), noise(seed, 2_000));
    const measured = measure([music(1), music(2), voice(200), silence, music(3), music(4)]);
    const [mix = []] = chooseMixes(of, measured, false);
    const centre = mix.find(({ channel }) => channel === 2)?.gain ?? 0;
    expect(centre).toBeGreaterThan(0.4);
    for (const { channel, gain } of mix) if (channel !== 2) expect(gain).toBeLessThanOrEqual(centre / 2 + 1e-3);
  });

  it('are no louder together than the loudest of them', () => {
    const measured = measure([voice(200), voice(310), voice(405)]);
    const [mix = []] = chooseMixes(channels(3), measured, false);
    const power = mix.reduce(
      (total, { channel, gain }) => total + gain ** 2 * measured.products[channel]![channel]!,
      0,
    );
    expect(power).toBeLessThanOrEqual(Math.max(...measured.products.map((row, i) => row[i]!)) * 1.05);
  });

  it('do not depend on how the samples are divided into chunks', () => {
    const waves = [voice(200), noise(1, 400), voice(310)];
    expect(measure(waves, 1)).toEqual(measure(waves, 1 << 20));
  });
});

describe('separate speakers', () => {
  it('are the channels of a single track', () => {
    expect(chosen([voice(200), voice(310)], { separate: true })).toEqual([[1], [2]]);
  });

  it('are the tracks where several carry speech', () => {
    const of = [...channels(2), ...channels(2, { track: 1 })];
    expect(chosen([voice(200), voice(200), voice(310), silence], { separate: true, of })).toEqual([[1], [3]]);
  });

  it('are one where only one channel carries speech', () => {
    expect(chosen([voice(200), silence, inverted(voice(200))], { separate: true })).toEqual([[1]]);
  });
});

describe('sound', () => {
  it('is found in a quiet channel, and not in silence', () => {
    expect(hasSound(measure([silence, voice(200, 200)]))).toBe(true);
    expect(hasSound(measure([silence, silence]))).toBe(false);
  });
});
