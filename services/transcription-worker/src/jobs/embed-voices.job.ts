import { join } from 'node:path';
import {
  embeddedVoice,
  voiceRpc,
  voiceVersions,
  type EmbeddedVoice,
  type InputOf,
  type SpokenSpans,
  type VoiceVersion,
  type voiceJobs,
} from '@overtone/contracts';
import type { JobDelivery } from '@overtone/jobs';
import type { ObjectStore } from '@overtone/object-store';
import { isAppError, type Bus, type Log } from '@overtone/service-kit';
import { z } from 'zod';
import { TaskRefused } from '../children/protocol.ts';
import { createTaskChildren } from '../children/task-child.ts';
import type { WorkerEnv } from '../env.ts';
import { modelMissing } from '../failures.ts';
import type { ComputableVersions, EmbedSpeakers } from '../sherpa/sherpa.ts';
import { createArtefacts } from './artefacts.ts';

type Deps = {
  env: Pick<WorkerEnv, 'WORK_DIR' | 'MAX_AUDIO_HOURS'>;
  childEnv: Record<string, string>;
  store: ObjectStore;
  embedSpeakers: EmbedSpeakers;
  computableVersions: ComputableVersions;
  bus: Pick<Bus, 'request'>;
  log: Log;
};

const answer = z.object({ voices: z.array(embeddedVoice) });

/**
 * Computes the embeddings of a file's speakers from its recording. search-indexer owns their state: embeddings that are not
 * wanted any more are not computed, and a failure is reported: search-indexer queues the file again unless it is permanent.
 */
export function embedVoicesJob({ env, childEnv, store, embedSpeakers, computableVersions, bus, log }: Deps) {
  const artefacts = createArtefacts(store, env.WORK_DIR);
  const maxSeconds = env.MAX_AUDIO_HOURS * 3600;
  const children = createTaskChildren({
    script: new URL('../voices/voices.child.ts', import.meta.url),
    env: childEnv,
    heapMb: 512,
    idleMs: 0,
    recycleAfter: 1,
  });
  return async (
    { fileId }: InputOf<typeof voiceJobs.embedVoices>,
    { signal, attempt }: Pick<JobDelivery, 'signal' | 'attempt'>,
  ) => {
    const claimed = await bus.request(voiceRpc.claimVoices, {
      fileId,
      attempt,
      computable: await computableVersions(),
    });
    if (claimed.outcome === 'none') return {};
    const { token, source: sourceKey, versions, speakers } = claimed;
    try {
      const { voices, missing } = await artefacts.inFolder(async (folder) => {
        const [source, wav] = [join(folder, 'source'), join(folder, 'audio.wav')];
        await artefacts.download(sourceKey, source, signal);
        const input = { source, wav, env: childEnv, maxSeconds, versions, speakers };
        const found = answer.parse(await children.run({ input, timeoutMs: 120_000 + maxSeconds * 100, signal }));
        return addNeural(found.voices, { versions, wavPath: wav, speakers, embedSpeakers, signal });
      });
      const computed = versions.filter((version) => !missing.some(({ name }) => name === version));
      if (computed.length > 0)
        await bus.request(voiceRpc.completeVoices, { fileId, token, voices, versions: computed });
      for (const { needs } of missing) throw modelMissing(needs);
    } catch (error) {
      if (signal.aborted) throw error;
      const message = error instanceof Error ? error.message : String(error);
      log.info({ err: error as Error, file_id: fileId }, 'voices not embedded');
      const failure = { message: message.slice(0, 2_000), permanent: isPermanent(error) };
      await bus.request(voiceRpc.failVoices, { fileId, token, ...failure });
    }
    return {};
  };
}

type Neural = {
  versions: readonly VoiceVersion[];
  wavPath: string;
  speakers: readonly SpokenSpans[];
  embedSpeakers: EmbedSpeakers;
  signal: AbortSignal;
};

/** Adds the embeddings of the versions that need a model. `missing`: the versions whose model is not installed. */
async function addNeural(voices: EmbeddedVoice[], { versions, wavPath, speakers, embedSpeakers, signal }: Neural) {
  const known = speakers.filter(({ speakerId }) => voices.some((voice) => voice.speakerId === speakerId));
  const missing: { name: VoiceVersion; needs: string }[] = [];
  let embedded = voices;
  for (const { name, needs } of voiceVersions) {
    if (needs === null || !versions.includes(name)) continue;
    const vectors = await embedSpeakers({ model: needs, wavPath, speakers: known }, signal);
    if (!vectors) missing.push({ name, needs });
    else
      embedded = embedded.map((voice) => {
        const vector = vectors[voice.speakerId];
        return vector === undefined ? voice : { ...voice, vectors: { ...voice.vectors, [name]: vector } };
      });
  }
  return { voices: embedded, missing };
}

/** A recording that cannot be read will not be readable later either. */
function isPermanent(error: unknown): boolean {
  return isAppError(error) ? error.permanent || error.kind === 'not_found' : error instanceof TaskRefused;
}
