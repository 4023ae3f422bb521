import { createFourier } from '../src/audio/fourier.ts';
import { sampleRate, wavHeader } from '../src/audio/wav.ts';
import type { Conversation } from './conversations.ts';
import { createRandom } from './random.ts';

/** What a room and a line do to a conversation. */
export type Condition = {
  name: string;
  /** Passed frequencies in hertz; null: all. */
  band: readonly [number, number] | null;
  /** Seconds until the reverberation is 60 dB weaker; 0: none. */
  reverberation: number;
  noise: { kind: 'white' | 'pink' | 'babble'; signalToNoise: number; onTheLine: boolean } | null;
  /** Share of turns that begin before the end of the one before. */
  overlap: number;
  goal?: 'clean' | 'degraded';
};

const telephone = [300, 3400] as const;
const none = { band: null, reverberation: 0, noise: null, overlap: 0 };

function noise(kind: 'white' | 'pink' | 'babble', signalToNoise: number, onTheLine = false) {
  return { kind, signalToNoise, onTheLine };
}

export const conditions: readonly Condition[] = [
  { ...none, name: 'clean', goal: 'clean' },
  { ...none, name: 'overlap 20 %', overlap: 0.2 },
  { ...none, name: 'band', band: telephone },
  { ...none, name: 'white 10 dB', noise: noise('white', 10) },
  { ...none, name: 'babble 10 dB', noise: noise('babble', 10) },
  { ...none, name: 'room 0.4 s', reverberation: 0.4 },
  { ...none, name: 'room 0.8 s', reverberation: 0.8 },
  {
    ...none,
    name: 'band, room 0.3 s, pink 20 dB',
    band: telephone,
    reverberation: 0.3,
    noise: noise('pink', 20),
    goal: 'degraded',
  },
  {
    ...none,
    name: 'band, room 0.5 s, white 15 dB',
    band: telephone,
    reverberation: 0.5,
    noise: noise('white', 15),
    goal: 'degraded',
  },
  {
    ...none,
    name: 'band, room 0.5 s, white 12 dB on the line',
    band: telephone,
    reverberation: 0.5,
    noise: noise('white', 12, true),
    goal: 'degraded',
  },
  {
    ...none,
    name: 'band, room 0.7 s, white 10 dB',
    band: telephone,
    reverberation: 0.7,
    noise: noise('white', 10),
    goal: 'degraded',
  },
  {
    ...none,
    name: 'band, room 0.5 s, babble 15 dB, overlap 10 %',
    band: telephone,
    reverberation: 0.5,
    noise: noise('babble', 15),
    overlap: 0.1,
  },
];

/** The samples of a conversation under a condition, as a 16 kHz WAV file. */
export function degrade(
  { tracks }: Pick<Conversation, 'tracks'>,
  condition: Condition,
  seed: number,
  babble: Float32Array | null,
): Buffer {
  const { band, reverberation, noise } = condition;
  const dry = new Float32Array(tracks[0]!.length);
  for (const track of tracks) for (let i = 0; i < dry.length; i++) dry[i] = dry[i]! + track[i]!;
  const wet = reverberation === 0 ? dry : convolve(dry, impulseResponse(reverberation, seed));
  const noisy = (speech: Float32Array) =>
    noise
      ? mix(speech, noise.kind === 'babble' ? babble! : noiseOf(noise.kind, speech.length, seed), noise.signalToNoise)
      : speech;
  const limited = (sound: Float32Array) => (band ? convolve(sound, bandFilter(band)) : sound);
  const sound = noise?.onTheLine ? noisy(limited(wet)) : limited(noisy(wet));
  return toWav(sound);
}

/** The direct sound, and noise that decays as the sound of a room does; the first is 3 dB stronger than the rest. */
function impulseResponse(seconds: number, seed: number): Float32Array {
  const random = createRandom(seed + 71);
  const response = new Float32Array(Math.round(seconds * sampleRate));
  let energy = 0;
  for (let i = Math.round(0.003 * sampleRate); i < response.length; i++) {
    response[i] = gaussian(random.next) * Math.exp((-6.908 * i) / response.length);
    energy += response[i]! ** 2;
  }
  const scale = Math.sqrt(0.5 / energy);
  for (let i = 0; i < response.length; i++) response[i] = response[i]! * scale;
  response[0] = 1;
  return response;
}

function bandFilter([low, high]: readonly [number, number]): Float32Array {
  const half = 160;
  return Float32Array.from({ length: 2 * half + 1 }, (_, i) => {
    const at = i - half;
    const sinc = (hertz: number): number =>
      at === 0 ? (2 * hertz) / sampleRate : Math.sin((2 * Math.PI * hertz * at) / sampleRate) / (Math.PI * at);
    return (sinc(high) - sinc(low)) * (0.54 + 0.46 * Math.cos((Math.PI * at) / half));
  });
}

function noiseOf(kind: 'white' | 'pink', length: number, seed: number): Float32Array {
  const random = createRandom(seed + 97);
  const state = [0, 0, 0];
  return Float32Array.from({ length }, () => {
    const white = gaussian(random.next);
    if (kind === 'white') return white;
    // Three poles whose sum falls by 3 dB an octave (Paul Kellet's economy filter).
    state[0] = 0.99765 * state[0]! + white * 0.099046;
    state[1] = 0.963 * state[1]! + white * 0.2965164;
    state[2] = 0.57 * state[2]! + white * 1.0526913;
    return state[0] + state[1] + state[2] + white * 0.1848;
  });
}

function gaussian(next: () => number): number {
  return Math.sqrt(-2 * Math.log(1 - next())) * Math.cos(2 * Math.PI * next());
}

/** Adds noise at a ratio to the mean power of the speech, its pauses left out. */
function mix(speech: Float32Array, added: Float32Array, signalToNoise: number): Float32Array {
  const active = speech.filter((x) => Math.abs(x) > 0.005);
  const scale = Math.sqrt(powerOf(active) / 10 ** (signalToNoise / 10) / powerOf(added));
  return speech.map((x, i) => x + scale * added[i % added.length]!);
}

function powerOf(samples: Float32Array): number {
  let sum = 0;
  for (const x of samples) sum += x * x;
  return sum / Math.max(1, samples.length);
}

/** Overlap-add of blocks in the frequency domain. */
function convolve(samples: Float32Array, response: Float32Array): Float32Array {
  const fourier = createFourier(2 ** Math.ceil(Math.log2(response.length * 4)));
  const { size, transform } = fourier;
  const block = size - response.length + 1;
  const [filterReal, filterImaginary] = [new Float64Array(size), new Float64Array(size)];
  filterReal.set(response);
  transform(filterReal, filterImaginary);
  const result = new Float32Array(samples.length);
  for (let from = 0; from < samples.length; from += block) {
    const [real, imaginary] = [new Float64Array(size), new Float64Array(size)];
    real.set(samples.subarray(from, from + block));
    transform(real, imaginary);
    for (let i = 0; i < size; i++) {
      const product = real[i]! * filterReal[i]! - imaginary[i]! * filterImaginary[i]!;
      imaginary[i] = -(real[i]! * filterImaginary[i]! + imaginary[i]! * filterReal[i]!);
      real[i] = product;
    }
    // The inverse transform is the forward one of the conjugate.
    transform(real, imaginary);
    for (let i = 0; i < size && from + i < result.length; i++) result[from + i] = result[from + i]! + real[i]! / size;
  }
  return result;
}

/** Brought to the same peak, as a recorder with automatic gain does. */
function toWav(samples: Float32Array): Buffer {
  let peak = 1e-6;
  for (const x of samples) peak = Math.max(peak, Math.abs(x));
  const pcm = Int16Array.from(samples, (x) => Math.round((x / peak) * 0.7 * 32_767));
  return Buffer.concat([wavHeader(pcm.byteLength), Buffer.from(pcm.buffer)]);
}
