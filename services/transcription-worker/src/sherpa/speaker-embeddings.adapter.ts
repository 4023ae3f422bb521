import { voiceVersions, type SpokenSpans, type VoiceVersion } from '@overtone/contracts';
import { z } from 'zod';
import { fileOf, providerOf } from './config.ts';
import { crashOf, servingModel } from './engine.adapter.ts';
import type { SherpaRuntime } from './runtime.ts';

export type EmbedSpeakers = (
  /** Model of the embeddings, by its name in the catalogue. `wavPath`: 16 kHz mono WAV. */
  request: { model: string; wavPath: string; speakers: readonly SpokenSpans[] },
  signal: AbortSignal,
) => Promise<Record<string, string> | null>;

const answer = z.object({ vectors: z.record(z.string(), z.string()) });

/**
 * Embeddings of speakers by an installed model: by speaker, base64 of little-endian float32 of length 1. Speakers whose
 * speech the model cannot embed are left out. Null: the model is not installed, or not usable.
 */
export function createSpeakerEmbeddings(runtime: SherpaRuntime): EmbedSpeakers {
  return async ({ model: id, wavPath, speakers }, signal) => {
    const model = servingModel(await runtime.models.look(), 'embedding', id);
    if (!model) return null;
    const provider = providerOf(runtime.processors.tuningOf(id).diarize_on);
    const config = { model: fileOf(model, 'model'), numThreads: runtime.use().threads, provider };
    const input = { task: 'embed-speakers', config, wavPath, speakers };
    try {
      return answer.parse(await runtime.diarizers.run({ input, timeoutMs: 600_000, signal })).vectors;
    } catch (error) {
      throw crashOf(error);
    }
  };
}

export type ComputableVersions = () => Promise<VoiceVersion[]>;

/** The versions of the speaker index that need no model, or one that is installed. */
export function createComputableVersions(runtime: Pick<SherpaRuntime, 'models'>): ComputableVersions {
  return async () => {
    const installed = await runtime.models.look();
    return voiceVersions
      .filter(({ needs }) => needs === null || servingModel(installed, 'embedding', needs) !== undefined)
      .map(({ name }) => name);
  };
}
