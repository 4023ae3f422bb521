import type { EnvSource, Service } from '@overtone/service-kit';
import { createTranscriptionDispatcher } from './transcription-dispatcher.ts';
import { env } from './env.ts';

/** The service of these variables, by default those of the process. */
export function create(source?: EnvSource): Service {
  return createTranscriptionDispatcher(env(source));
}
