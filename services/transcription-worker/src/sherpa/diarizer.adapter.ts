import { turn } from '@overtone/contracts';
import { z } from 'zod';
import { diarizationConfig, providerOf } from './config.ts';
import { crashOf, servingModel } from './engine.adapter.ts';
import type { SherpaRuntime } from './runtime.ts';
import type { DiarizeRequest, Diarizer } from '../diarization/diarization.ts';

const answer = z.object({ turns: z.array(turn) });

/**
 * Uses neural models if both are installed (segmentation and speaker embedding); else, or on failure, `otherwise`.
 * The result names the method used.
 */
export function createNeuralDiarizer(runtime: SherpaRuntime, otherwise: Diarizer): Diarizer {
  const neural = async (request: DiarizeRequest, speakers: number | null) => {
    const models = await runtime.models.look();
    const [segmentation, embedding] = [servingModel(models, 'segmentation'), servingModel(models, 'embedding')];
    if (!segmentation || !embedding) return undefined;
    const { wavPath, seconds, signal, onProgress } = request;
    const provider = providerOf(runtime.processors.tuningOf(embedding.manifest.id).diarize_on);
    const use = { numThreads: runtime.use().threads, provider, speakers };
    const config = diarizationConfig({ segmentation, embedding }, use);
    const input = { task: 'diarize', config, wavPath, seconds };
    const { turns } = answer.parse(
      await runtime.diarizers.run({ input, timeoutMs: 300_000 + seconds * 10_000, signal, onProgress }),
    );
    return { provider: 'sherpa-onnx', turns: turns.sort((x, y) => x.start - y.start), degraded: null };
  };

  const bounded = async (request: DiarizeRequest) => {
    const first = await neural(request, exactly(request));
    const found = new Set(first?.turns.map((turn) => turn.speaker)).size;
    if (!first || withinBounds(found, request)) return first;
    const nearest = found < (request.minSpeakers ?? 0) ? request.minSpeakers : request.maxSpeakers;
    return neural(request, nearest);
  };

  return {
    diarize: async (request) => {
      let failure: string | null = null;
      try {
        const done = await bounded(request);
        if (done) return done;
      } catch (error) {
        request.signal?.throwIfAborted();
        failure = `The models for diarization failed (${crashOf(error).message}); acoustic diarization was used`;
      }
      const instead = await otherwise.diarize(request);
      return { ...instead, degraded: instead.degraded ?? failure };
    },
  };
}

/** The number of speakers for the models; only set if both bounds are equal, because models estimate better than a range. */
function exactly({ minSpeakers, maxSpeakers }: DiarizeRequest): number | null {
  return minSpeakers !== null && minSpeakers === maxSpeakers ? minSpeakers : null;
}

/** Whether the number of speakers is within the requested bounds. */
function withinBounds(found: number, { minSpeakers, maxSpeakers }: DiarizeRequest): boolean {
  return found >= (minSpeakers ?? 0) && found <= (maxSpeakers ?? Infinity);
}
