import { fetchSpeech, planSpeech } from '@overtone/models';
import { modelFolder } from './commands/models.command.ts';
import { messageOf } from './refusal.ts';
import { ensureSpeechEnvironment } from './setup/speech-environment.ts';

// Started by the supervisor once the instance is ready, and again later when it fails. It ends with its supervisor.
const aborter = new AbortController();
function abort() {
  aborter.abort();
}
for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, abort);
process.once('disconnect', abort);

function say(line: string) {
  process.stdout.write(`${new Date().toISOString()} ${line}\n`);
}

try {
  const cacheDir = modelFolder(process.argv[2]);
  const plan = await planSpeech(cacheDir, process.env);
  const { signal } = aborter;
  const ensureEnvironment = () => ensureSpeechEnvironment({ say, signal });
  if (plan) await fetchSpeech(plan, { cacheDir, env: process.env, say, signal, ensureEnvironment });
} catch (error) {
  say(aborter.signal.aborted ? 'stopped' : messageOf(error));
  process.exitCode = 1;
}
process.disconnect?.();
