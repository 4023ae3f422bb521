/** One channel of one sound track; `track` is its position among the sound tracks of the file. */
export type Channel = { track: number; channel: number; isCentre: boolean };

/** What was measured of the channels, in their order. */
export type Measured = {
  /** The loud moments of each channel, in decibels below full scale; -Infinity for digital silence. */
  loud: number[];
  /** How far the loud moments are above the quiet ones, in decibels: large for speech, small for hum and noise. */
  spread: number[];
  /** Mean products of each pair of channels, over the same samples. */
  products: number[][];
};

type Gain = { track: number; channel: number; gain: number };
/** One sound made of the channels: the sum of the channels with their gains. */
export type Mix = Gain[];

export const measureRate = 8_000;
const windowSamples = measureRate / 10;
const lowest = -100;
const loudShare = 0.99;
const quietShare = 0.2;

const silentBelow = -60;
const silentBelowLoudest = 40;
const steadySpread = 6;
const speechSpread = 10;
/** From this correlation on, two channels carry the same sound, possibly with opposite phase. */
const sameSound = 0.9;
const related = 0.2;
const besideCentre = 0.5;

/**
 * Measures interleaved 16-bit samples in one pass. Products are taken of every window for a few channels and of fewer
 * windows for many, so that the time per sample of a channel stays the same.
 */
export function createChannelMeter(count: number): { add: (chunk: Buffer) => void; finish: () => Measured } {
  const frameBytes = count * 2;
  const histograms = Array.from({ length: count }, () => new Uint32Array(-lowest + 1));
  const products = Array.from({ length: count }, () => new Float64Array(count));
  const productEvery = Math.max(1, Math.ceil((count * count) / 64));
  const window = new Int16Array(windowSamples * count);
  const bytes = Buffer.from(window.buffer);
  let filled = 0;
  let windows = 0;
  let productSamples = 0;

  const close = (samples: number): void => {
    for (let channel = 0; channel < count; channel++) {
      let power = 0;
      for (let at = channel; at < samples * count; at += count) power += window[at]! ** 2;
      const level = Math.max(lowest, Math.min(0, Math.round(decibels(power / samples))));
      const histogram = histograms[channel]!;
      histogram[level - lowest] = histogram[level - lowest]! + 1;
    }
    if (windows++ % productEvery === 0) {
      productSamples += samples;
      addProducts(window, { samples, count, products });
    }
    filled = 0;
  };

  return {
    add: (chunk) => {
      for (let at = 0; at < chunk.length;) {
        const copied = chunk.copy(bytes, filled, at);
        at += copied;
        filled += copied;
        if (filled === bytes.length) close(windowSamples);
      }
    },
    finish: () => {
      const samples = Math.floor(filled / frameBytes);
      if (samples > 0) close(samples);
      const levels = histograms.map((histogram) => ({
        loud: percentile(histogram, loudShare),
        quiet: percentile(histogram, quietShare),
      }));
      return {
        loud: levels.map(({ loud }) => (loud <= lowest ? -Infinity : loud)),
        spread: levels.map(({ loud, quiet }) => loud - quiet),
        products: products.map((row, one) =>
          Array.from(row, (_, other) => products[Math.min(one, other)]![Math.max(one, other)]! / (productSamples || 1)),
        ),
      };
    },
  };
}

type Products = { samples: number; count: number; products: Float64Array[] };

function addProducts(window: Int16Array, { samples, count, products }: Products): void {
  for (let one = 0; one < count; one++)
    for (let other = one; other < count; other++) {
      let sum = 0;
      for (let at = 0; at < samples * count; at += count) sum += window[at + one]! * window[at + other]!;
      products[one]![other] = products[one]![other]! + sum;
    }
}

function decibels(meanSquare: number): number {
  return meanSquare === 0 ? lowest : 10 * Math.log10(meanSquare / 1_073_741_824);
}

function percentile(histogram: Uint32Array, share: number): number {
  const total = histogram.reduce((sum, value) => sum + value, 0);
  let seen = 0;
  for (const [i, value] of histogram.entries()) {
    seen += value;
    if (seen > 0 && seen >= total * share) return i + lowest;
  }
  return lowest;
}

/**
 * Chooses what carries speech. Silent channels, hum and noise beside a voice, and channels with the sound of another one
 * are left out; a channel in opposite phase is inverted before it is added.
 * @param separate One mix per channel that remains, or per track when several remain.
 * @returns at least one mix; several only with `separate`.
 */
export function chooseMixes(channels: readonly Channel[], measured: Measured, separate: boolean): Mix[] {
  const kept = distinctChannels(channels, measured, activeChannels(measured));
  const tracks = [...new Set(kept.map(({ index }) => channels[index]!.track))].sort((x, y) => x - y);
  const mixOf = (chosen: Kept[]) => balance(chosen, channels, measured);
  if (!separate) return [mixOf(kept)];
  if (tracks.length > 1)
    return tracks.map((track) => mixOf(kept.filter(({ index }) => channels[index]!.track === track)));
  return [...kept].sort((x, y) => x.index - y.index).map(({ index }) => mixOf([{ index, sign: 1 }]));
}

/** Whether a channel carries anything that may be speech. */
export function hasSound({ loud }: Measured): boolean {
  return loud.some((level) => level >= silentBelow);
}

function activeChannels({ loud, spread }: Measured): number[] {
  const loudest = Math.max(...loud);
  const audible = indexesOf(loud, (level) => level >= Math.max(silentBelow, loudest - silentBelowLoudest));
  const all = indexesOf(loud, () => true);
  if (audible.length === 0) return all;
  const hasSpeech = audible.some((index) => spread[index]! >= speechSpread);
  return hasSpeech ? audible.filter((index) => spread[index]! >= steadySpread) : audible;
}

type Kept = { index: number; sign: 1 | -1 };

/** The channels in order of their loudness, without those that repeat a louder one. */
function distinctChannels(channels: readonly Channel[], measured: Measured, active: number[]): Kept[] {
  const { products, loud } = measured;
  const correlation = (one: number, other: number): number => {
    const power = Math.sqrt(products[one]![one]! * products[other]![other]!);
    return power === 0 ? 0 : products[one]![other]! / power;
  };
  const rank = (index: number): number => loud[index]! + (channels[index]!.isCentre ? silentBelowLoudest : 0);
  const kept: Kept[] = [];
  for (const index of [...active].sort((x, y) => rank(y) - rank(x) || x - y)) {
    const relations = kept.map((other) => ({ sign: other.sign, value: correlation(index, other.index) }));
    if (relations.some(({ value }) => Math.abs(value) >= sameSound)) continue;
    const [closest] = relations.sort((x, y) => Math.abs(y.value) - Math.abs(x.value));
    const isInverted = closest !== undefined && closest.value * closest.sign < -related;
    kept.push({ index, sign: isInverted ? -1 : 1 });
  }
  return kept;
}

/** Gains with which the mix is as loud as its loudest channel. In films, the centre carries the speech. */
function balance(kept: Kept[], channels: readonly Channel[], { products }: Measured): Mix {
  const centred = new Set(
    kept.filter(({ index }) => channels[index]!.isCentre).map(({ index }) => channels[index]!.track),
  );
  const gains = kept.map(({ index, sign }) => {
    const { track, isCentre } = channels[index]!;
    return { index, gain: centred.has(track) && !isCentre ? sign * besideCentre : sign };
  });
  const loudest = Math.max(...gains.map(({ index, gain }) => gain ** 2 * products[index]![index]!));
  let power = 0;
  for (const one of gains)
    for (const other of gains) power += one.gain * other.gain * products[one.index]![other.index]!;
  const scale = power > loudest ? Math.sqrt(loudest / power) : 1;
  return gains
    .sort((x, y) => x.index - y.index)
    .map(({ index, gain }) => ({
      track: channels[index]!.track,
      channel: channels[index]!.channel,
      gain: Number((gain * scale).toFixed(4)),
    }));
}

function indexesOf(values: readonly number[], matches: (value: number) => boolean): number[] {
  return values.flatMap((value, index) => (matches(value) ? [index] : []));
}
