import { turn } from '@overtone/contracts';
import { z } from 'zod';
import { ChildCrash } from '../children/protocol.ts';
import { createTaskChildren } from '../children/task-child.ts';
import { diarizationFailed } from '../failures.ts';
import type { Diarizer } from './diarization.ts';

const answer = z.object({ turns: z.array(turn) });

/** Diarization by spectral statistics and clustering, used when no diarization model is installed. */
export function createAcousticDiarizer({ env }: { env: Record<string, string> }): Diarizer {
  const children = createTaskChildren({
    script: new URL('./acoustic.child.ts', import.meta.url),
    env,
    heapMb: 512,
    idleMs: 0,
    recycleAfter: 1,
  });
  return {
    diarize: async ({ wavPath, seconds, minSpeakers, maxSpeakers, onProgress, signal }) => {
      const input = { wavPath, seconds, minSpeakers, maxSpeakers };
      const run = children.run({ input, timeoutMs: 60_000 + seconds * 500, signal, onProgress });
      const { turns } = answer.parse(
        await run.catch((cause: unknown) => {
          signal?.throwIfAborted();
          const detail = cause instanceof ChildCrash ? cause.stderrTail : String(cause);
          throw diarizationFailed('The speakers could not be separated', { cause, detail });
        }),
      );
      return { provider: 'acoustic', turns, degraded: turns.length === 0 ? 'No speech was detected' : null };
    },
  };
}
