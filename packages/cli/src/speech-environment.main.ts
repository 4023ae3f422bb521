import { ensureSpeechEnvironment } from './setup/speech-environment.ts';

// Run by `./overtone test models`.
await ensureSpeechEnvironment({ say: (line) => console.log(line) });
