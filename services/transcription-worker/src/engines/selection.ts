import { knownLanguage } from './languages.ts';
import type { Candidate, EngineState, SpeechWish } from './engines.ts';

export type Checked = Candidate & { state: EngineState };

/**
 * Checks engines in their order. Without providers only up to the first one that is ready, which does all the work;
 * `wanted` allows only the engine of that id.
 */
export async function checkEngines(candidates: readonly Candidate[], wanted: string | undefined): Promise<Checked[]> {
  const checked: Checked[] = [];
  for (const candidate of candidates) {
    if (candidate.provider === null && wanted !== undefined && candidate.engine.id !== wanted) continue;
    const state = await candidate.engine.check();
    checked.push({ ...candidate, state });
    if (candidate.provider === null && state.ready) break;
  }
  return checked;
}

/** Why the worker takes no transcription jobs, and the files wait; null: an engine is ready. */
export function noteOf(checked: readonly Checked[], wanted: string | undefined): string | null {
  if (checked.some(({ state }) => state.ready)) return null;
  const reasons = checked.flatMap(({ state, provider }) =>
    state.ready ? [] : [provider === null ? state.why : `${provider.name}: ${state.why}`],
  );
  return reasons.join('; ') || `No engine called ${wanted ?? '(any)'} is configured`;
}

/** The languages of a candidate: those of the provider, else of the engine; empty: any. */
export function languagesOfCandidate({ engine, provider }: Candidate): readonly string[] {
  return provider !== null && provider.languages.length > 0 ? provider.languages : engine.languages;
}

/** Whether an engine may recognise a recording. */
export function fits(candidate: Candidate, { language, seconds, task, provider: chosen }: SpeechWish): boolean {
  const { engine, provider } = candidate;
  if (chosen !== null && provider?.id !== chosen) return false;
  if (task === 'translate' && !engine.translates) return false;
  if (provider !== null && provider.max_audio_seconds !== null && seconds > provider.max_audio_seconds) return false;
  const languages = languagesOfCandidate(candidate);
  return language === null || knownLanguage(language, languages) !== undefined;
}

/** Whether a Whisper model translates to English: not the turbo sizes, and not those for English only. */
export function translatesWith(model: string): boolean {
  return /whisper/i.test(model) && !/turbo/i.test(model) && !/\.en\b|[-_.]en([-_.]|$)/i.test(model);
}
