import { t } from '@lingui/core/macro';
import type { RequestBody, ResponseBody } from '@overtone/client';
import type { AsrProvider } from '@overtone/contracts';

export type Answer = ResponseBody<'GET /api/admin/asr-providers'>;
export type SavedProvider = Answer['providers'][number];
export type ProviderBody = RequestBody<'PUT /api/admin/asr-providers'>['providers'][number];
/** Entered keys by the id of the provider; null: the stored one is to be deleted. */
export type Keys = Readonly<Record<string, string | null>>;

export function newProvider(kind: AsrProvider['kind'], taken: readonly AsrProvider[]): AsrProvider {
  return {
    id: crypto.randomUUID(),
    name: freeName(kindLabel(kind), taken),
    kind,
    enabled: true,
    selectable: false,
    languages: kind === 'pocketsphinx' ? ['en'] : [],
    model: kind === 'openai-compatible' ? 'whisper-1' : '',
    base_url: '',
    vocabulary: [],
    parallel_requests: 2,
    timeout_seconds: 900,
    max_audio_seconds: null,
  };
}

function freeName(name: string, taken: readonly AsrProvider[]): string {
  const isTaken = (candidate: string): boolean => taken.some((provider) => provider.name === candidate);
  let number = 1;
  while (isTaken(number === 1 ? name : `${name} ${number}`)) number += 1;
  return number === 1 ? name : `${name} ${number}`;
}

export function kindLabel(kind: AsrProvider['kind']): string {
  switch (kind) {
    case 'faster-whisper':
      return t`Whisper model (faster-whisper)`;
    case 'sherpa-onnx':
      return t`Other model (sherpa-onnx)`;
    case 'pocketsphinx':
      return t`PocketSphinx`;
    case 'openai-compatible':
      return t`OpenAI-compatible server`;
    default:
      return kind satisfies never;
  }
}

/** The stored fields of a provider, without what the answer says of its key. */
export function fieldsOf({ api_key: _, api_key_is_set: _isSet, ...provider }: SavedProvider): AsrProvider {
  return provider;
}

export function bodyOf(provider: AsrProvider, keys: Keys): ProviderBody {
  const key = keys[provider.id];
  return key === undefined ? provider : { ...provider, api_key: key };
}

export function moved<T>(list: readonly T[], index: number, by: -1 | 1): T[] {
  const next = [...list];
  const [item] = next.splice(index, 1);
  if (item !== undefined) next.splice(Math.max(0, index + by), 0, item);
  return next;
}

/** Words separated by commas or line breaks, each once. */
export function listOf(text: string): string[] {
  return [...new Set(text.split(/[,\n]/).map((word) => word.trim()))].filter((word) => word !== '');
}
