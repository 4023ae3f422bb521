import { ensureSpeechEnvironment } from './setup/speech-environment.ts';

// Run by `./overtone test models` and `./overtone bench speech`: the environment of faster-whisper.
function say(line: string): void {
  console.log(line);
}
await ensureSpeechEnvironment({ say });
