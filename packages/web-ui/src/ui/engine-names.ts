import { msg } from '@lingui/core/macro';
import type { FileDetail } from '../api/queries.ts';
import { translateOnRead } from '../lib/language.ts';

type Provider = NonNullable<FileDetail['engine']>['provider'];

export const engineNames: Record<Provider, string> = translateOnRead({
  'faster-whisper': 'faster-whisper',
  'sherpa-onnx': 'sherpa-onnx',
  'openai-compatible': msg`Remote endpoint`,
  pocketsphinx: 'PocketSphinx',
  scripted: msg`Scripted (tests only)`,
  import: msg`Imported`,
});

/** An engine with its model, as it was stored: an engine of an earlier release has no name of ours. */
export function engineWithModel({ provider, model }: { provider: string; model: string }): string {
  const name = Object.hasOwn(engineNames, provider) ? engineNames[provider as Provider] : provider;
  return model === '' ? name : `${name}, ${model}`;
}
