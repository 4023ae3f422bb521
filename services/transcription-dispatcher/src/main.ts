import { runService } from '@overtone/service-kit';
import { env } from './env.ts';
import { createTranscriptionDispatcher } from './transcription-dispatcher.ts';

await runService(createTranscriptionDispatcher(env()));
