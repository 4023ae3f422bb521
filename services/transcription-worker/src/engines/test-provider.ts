import { fileURLToPath } from 'node:url';
import type { AsrProviderWithKey, ProviderTest } from '@overtone/contracts';
import { isAppError } from '@overtone/service-kit';
import { wavSeconds } from '../audio/wav.ts';
import type { ProviderEngines } from './providers.ts';

/** Synthetic English speech: "Good morning. The report is ready. Please send me a letter before the end of the week." */
const samplePath = fileURLToPath(new URL('./sample.wav', import.meta.url));
/** Time to load a model, which a server may do at the first request. Shorter than the request for the test: its answer names the reason. */
const timeoutMs = 100_000;

/** Recognises the bundled sample with a provider, saved or not. */
export async function testProvider(
  engines: Pick<ProviderEngines, 'create'>,
  provider: AsrProviderWithKey,
): Promise<ProviderTest> {
  const began = performance.now();
  const elapsed = (): number => Math.round(performance.now() - began) / 1_000;
  const failed = (code: string, error: string): ProviderTest => ({
    ok: false,
    error_code: code,
    error,
    text: '',
    language: null,
    seconds: elapsed(),
  });
  try {
    const engine = engines.create(provider);
    const state = await engine.check();
    if (!state.ready) return failed('engine_missing', state.why);
    const { words, language } = await engine.transcribe({
      wavPath: samplePath,
      seconds: await wavSeconds(samplePath),
      language: null,
      vocabulary: provider.vocabulary,
      signal: AbortSignal.timeout(timeoutMs),
    });
    const text = words.map(({ word }) => word).join(' ');
    if (text === '') return failed('engine_refused', 'The engine recognised no words in the sample.');
    return { ok: true, error_code: null, error: null, text, language, seconds: elapsed() };
  } catch (error) {
    if (isAppError(error)) return failed(error.code, error.message);
    return failed('engine_timeout', 'The engine did not finish the sample in time.');
  }
}
