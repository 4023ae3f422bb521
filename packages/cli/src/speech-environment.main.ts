import { benchPackages, ensurePackages } from './setup/packages.ts';
import { ensureSpeechEnvironment } from './setup/speech-environment.ts';

// Run by `./overtone test models`: the environment of faster-whisper, and the prompts of real readers.
function say(line: string): void {
  console.log(line);
}
await ensurePackages(benchPackages, say);
await ensureSpeechEnvironment({ say });
