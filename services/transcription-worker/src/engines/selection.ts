import type { EngineInfo } from '@overtone/contracts';
import type { SpeechEngine } from './engines.ts';

export type Serving = { engine: SpeechEngine | undefined; info: EngineInfo | null; note: string | null };

/**
 * The first engine that is ready, in order of preference; `wanted` allows only the engine of that id. With none the
 * worker takes no transcription jobs, and the files wait.
 */
export async function chooseEngine(candidates: readonly SpeechEngine[], wanted: string | undefined): Promise<Serving> {
  const allowed = wanted ? candidates.filter((candidate) => candidate.id === wanted) : candidates;
  const reasons: string[] = [];
  for (const engine of allowed) {
    const state = await engine.check();
    if (state.ready) return { engine, info: engine.info, note: null };
    reasons.push(state.why);
  }
  const note = reasons.join('; ') || `No engine called ${wanted ?? '(any)'} is configured`;
  return { engine: undefined, info: null, note };
}
