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
    const bounds = { least: request.minSpeakers ?? 1, most: request.maxSpeakers };
    const input = { task: 'diarize', config, wavPath, seconds, speakers: bounds };
    const { turns } = answer.parse(
      await runtime.diarizers.run({ input, timeoutMs: 300_000 + seconds * 10_000, signal, onProgress }),
    );
    return { provider: 'sherpa-onnx', turns: turns.sort((x, y) => x.start - y.start), degraded: null };
  };

  /** Voices beyond the maximum are joined; a minimum that was not reached needs another clustering. */
  const bounded = async (request: DiarizeRequest) => {
    const first = await neural(request, null);
    const found = new Set(first?.turns.map((turn) => turn.speaker)).size;
    return first && found < (request.minSpeakers ?? 0) ? neural(request, request.minSpeakers) : first;
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
