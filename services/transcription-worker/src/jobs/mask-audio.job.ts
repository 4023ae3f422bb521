import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { maskedAudioRpc, type InputOf, type maskedAudioJobs } from '@overtone/contracts';
import type { JobDelivery } from '@overtone/jobs';
import type { ObjectStore } from '@overtone/object-store';
import { isAppError, type Bus, type Log } from '@overtone/service-kit';
import type { WorkerEnv } from '../env.ts';
import { createFfmpeg } from '../ports/ffmpeg.adapter.ts';
import { createArtefacts } from './artefacts.ts';

type Deps = {
  env: Pick<WorkerEnv, 'WORK_DIR' | 'MAX_AUDIO_HOURS'>;
  childEnv: Record<string, string>;
  store: ObjectStore;
  bus: Pick<Bus, 'request'>;
  log: Log;
};

/**
 * Makes a copy of a recording that browsers play, one in which masked parts are silent or beeped, or a clip of it. Media owns
 * its state: a copy that is not needed any more is not made, and a recording from which none can be made is reported.
 */
export function maskAudioJob({ env, childEnv, store, bus, log }: Deps) {
  const artefacts = createArtefacts(store, env.WORK_DIR);
  const ffmpeg = createFfmpeg({ env: childEnv, maxSeconds: env.MAX_AUDIO_HOURS * 3600 });
  return async (input: InputOf<typeof maskedAudioJobs.maskAudio>, { signal }: Pick<JobDelivery, 'signal'>) => {
    const claimed = await bus.request(maskedAudioRpc.claimMaskedAudio, input);
    if (claimed.outcome === 'none') return {};
    const { token, mode, ranges, clip, tracks, source: sourceKey, target: targetKey } = claimed;
    try {
      const copy = await artefacts.inFolder(async (folder) => {
        const [source, target] = [join(folder, 'source'), join(folder, 'masked')];
        await artefacts.download(sourceKey, source, signal);
        const probe = await ffmpeg.probe(source, signal);
        const request = {
          source,
          target,
          probe,
          tracks: tracks.filter((track) => track < probe.tracks.length),
          signal,
        };
        const write = (): Promise<string> => {
          if (clip) return ffmpeg.clip({ ...request, clip, ranges });
          if (mode === 'clip') throw new Error('a clip without its times');
          return mode === 'playback' ? ffmpeg.playbackCopy(request) : ffmpeg.mask({ ...request, mode, ranges });
        };
        const contentType = await write();
        await artefacts.upload(target, targetKey, contentType, signal);
        return { contentType, bytes: (await stat(target)).size };
      });
      await bus.request(maskedAudioRpc.completeMaskedAudio, { ...input, token, ...copy });
    } catch (error) {
      if (!isAppError(error) || !error.permanent || signal.aborted) throw error;
      log.info({ err: error, file_id: input.fileId }, 'masked copy failed');
      await bus.request(maskedAudioRpc.failMaskedAudio, { ...input, token, message: error.message });
    }
    return {};
  };
}
