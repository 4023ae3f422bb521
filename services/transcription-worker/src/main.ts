import { runService } from '@overtone/service-kit';
import { workerEnv } from './env.ts';
import { createTranscriptionWorker } from './transcription-worker.ts';

await runService(createTranscriptionWorker(workerEnv()));
