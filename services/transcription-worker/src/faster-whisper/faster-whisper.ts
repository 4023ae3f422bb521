import { createFasterWhisper } from './engine.adapter.ts';
import { createWhisperRuntime, type WhisperOptions } from './runtime.ts';
import type { SpeechEngine } from '../engines/engines.ts';

/** @returns an engine with this installed model; empty: the one installed last. All share their processes. */
export function createFasterWhisperEngines(options: WhisperOptions): (model: string) => SpeechEngine {
  const runtime = createWhisperRuntime(options);
  return (model) => createFasterWhisper(runtime, model);
}
