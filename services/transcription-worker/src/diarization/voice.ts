/** Cepstral coefficients a voice is known by; the zeroth (loudness) tells distances to the microphone apart, not people. */
export const cepstrumSize = 12;

/** Sums of frames, from which a full-covariance Gaussian is made: enough to add, to compare and to score frames. */
export type Voice = {
  frames: number;
  sum: Float64Array;
  /** Sums of products, row by row. */
  products: Float64Array;
};

export function emptyVoice(): Voice {
  return { frames: 0, sum: new Float64Array(cepstrumSize), products: new Float64Array(cepstrumSize * cepstrumSize) };
}

/** The voice of frames `from`..`to` of a table of features with `cepstrumSize` columns. */
export function voiceOf(table: Float32Array, from: number, to: number): Voice {
  const voice = emptyVoice();
  addFrames(voice, table, from, to);
  return voice;
}

/** Adds frames `from`..`to` of a table of features with `cepstrumSize` columns. */
export function addFrames(voice: Voice, table: Float32Array, from: number, to: number): void {
  for (let frame = from; frame < to; frame++) {
    const row = frame * cepstrumSize;
    for (let i = 0; i < cepstrumSize; i++) {
      const x = table[row + i] ?? 0;
      voice.sum[i] = (voice.sum[i] ?? 0) + x;
      for (let column = 0; column <= i; column++) {
        const at = i * cepstrumSize + column;
        voice.products[at] = (voice.products[at] ?? 0) + x * (table[row + column] ?? 0);
      }
    }
  }
  voice.frames += to - from;
}

export function joinVoices(voices: readonly Voice[]): Voice {
  const joined = emptyVoice();
  for (const voice of voices) {
    joined.frames += voice.frames;
    for (let i = 0; i < cepstrumSize; i++) joined.sum[i] = (joined.sum[i] ?? 0) + (voice.sum[i] ?? 0);
    for (let i = 0; i < cepstrumSize * cepstrumSize; i++)
      joined.products[i] = (joined.products[i] ?? 0) + (voice.products[i] ?? 0);
  }
  return joined;
}

/** Cholesky factor of the covariance, with a little added to the diagonal so that few frames stay solvable. */
function factorOf({ frames, sum, products }: Voice): { factor: Float64Array; logDet: number } {
  const factor = new Float64Array(cepstrumSize * cepstrumSize);
  let logDet = 0;
  for (let i = 0; i < cepstrumSize; i++) {
    for (let column = 0; column <= i; column++) {
      const mean = ((sum[i] ?? 0) / frames) * ((sum[column] ?? 0) / frames);
      let value = (products[i * cepstrumSize + column] ?? 0) / frames - mean + (i === column ? 0.01 : 0);
      for (let inner = 0; inner < column; inner++)
        value -= (factor[i * cepstrumSize + inner] ?? 0) * (factor[column * cepstrumSize + inner] ?? 0);
      if (i === column) {
        const pivot = Math.max(value, 1e-6);
        logDet += Math.log(pivot);
        factor[i * cepstrumSize + i] = Math.sqrt(pivot);
      } else factor[i * cepstrumSize + column] = value / (factor[column * cepstrumSize + column] ?? 1);
    }
  }
  return { factor, logDet };
}

function logDetOf(voice: Voice): number {
  return factorOf(voice).logDet;
}

function scaled(voice: Voice, scale: number): Voice {
  return {
    frames: voice.frames * scale,
    sum: voice.sum.map((x) => x * scale),
    products: voice.products.map((x) => x * scale),
  };
}

/**
 * For every two voices, how much worse one Gaussian explains both than one for each does (log-likelihood ratio per frame, as in
 * the Bayesian information criterion; Chen and Gopalakrishnan 1998). All voices count the same, however long they are.
 */
export function voiceDistances(voices: readonly Voice[]): number[][] {
  const means = voices.map((voice) => scaled(voice, 1 / voice.frames));
  const logDets = means.map(logDetOf);
  const distances = voices.map(() => voices.map(() => 0));
  for (const [i, one] of means.entries())
    for (const [at, other] of means.slice(0, i).entries()) {
      const distance = logDetOf(joinVoices([one, other])) - (logDets[i]! + logDets[at]!) / 2;
      distances[i]![at] = distance;
      distances[at]![i] = distance;
    }
  return distances;
}

/** Computes the log-likelihood (up to a constant) of a frame under a voice. */
export function likelihoodOf(voice: Voice): (table: Float32Array, frame: number) => number {
  const { factor, logDet } = factorOf(voice);
  const z = new Float64Array(cepstrumSize);
  return (table, frame) => {
    let square = 0;
    for (let i = 0; i < cepstrumSize; i++) {
      let value = (table[frame * cepstrumSize + i] ?? 0) - (voice.sum[i] ?? 0) / voice.frames;
      for (let column = 0; column < i; column++) value -= (factor[i * cepstrumSize + column] ?? 0) * (z[column] ?? 0);
      z[i] = value / (factor[i * cepstrumSize + i] ?? 1);
      square += (z[i] ?? 0) ** 2;
    }
    return -0.5 * (square + logDet);
  };
}
