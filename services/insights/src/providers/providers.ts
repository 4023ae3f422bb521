import type { ModelProviderInput, ModelProviderKind, ModelProviderObject } from '@overtone/contracts';
import { recipientsOfModelKey } from '@overtone/contracts/secret-recipients';
import { invalid, isAppError } from '@overtone/service-kit';
import { refuseKnownAddress, type OutboundGuard } from '@overtone/service-kit/outbound';
import { addressOf, type ModelServer } from '../ports/model-client.ts';
import type { ProviderRow, ProviderWithKey } from './provider-row.ts';

/** Used while the window was neither entered nor reported. */
const usualTokens: Record<ModelProviderKind, number> = {
  openai: 128_000,
  'openai-compatible': 8_192,
  ollama: 4_096,
  anthropic: 200_000,
};
/** Ollama reserves memory for the whole window of a request: a larger one must be entered. */
const maxReportedByOllama = 16_384;

type Window = Pick<ProviderRow, 'kind' | 'contextTokens' | 'askedTokens'>;

/** Tokens of prompt and answer together, and where the number comes from. */
export function windowOf({ kind, contextTokens, askedTokens }: Window): {
  tokens: number;
  source: ModelProviderObject['context_source'];
} {
  if (contextTokens !== null) return { tokens: contextTokens, source: 'entered' };
  if (askedTokens === null) return { tokens: usualTokens[kind], source: 'usual' };
  return { tokens: kind === 'ollama' ? Math.min(askedTokens, maxReportedByOllama) : askedTokens, source: 'server' };
}

/** Sends nothing to the server. @throws AppError settings_invalid. */
export async function validateProvider(
  { kind, base_url: baseUrl, context_tokens: tokens }: Pick<ModelProviderInput, 'kind' | 'base_url' | 'context_tokens'>,
  guard: OutboundGuard,
): Promise<void> {
  const needsAddress = kind === 'ollama' || kind === 'openai-compatible';
  const errors =
    needsAddress && baseUrl === ''
      ? [{ path: 'base_url', message: 'Enter the address of the server.' }]
      : await addressFaultsOf(addressOf({ kind, baseUrl }), guard);
  if (kind === 'ollama' && tokens !== null && tokens > 262_144)
    errors.push({ path: 'context_tokens', message: 'No model of Ollama has such a window.' });
  if (errors.length > 0) throw invalid('settings_invalid', 'The language model is not valid.', { errors });
}

/** Every request checks the address again at its connection. */
async function addressFaultsOf(address: string, guard: OutboundGuard) {
  try {
    await refuseKnownAddress(guard, guard.checkUrl(address));
    return [];
  } catch (error) {
    if (!isAppError(error)) throw error;
    return [{ path: 'base_url', message: error.message }];
  }
}

/** A key is sent only to the server that it was entered for. @throws AppError secret_required. */
export function withStoredKey(
  { api_key: given, ...input }: ModelProviderInput,
  stored: ProviderWithKey | null,
): ProviderWithKey {
  if (given !== undefined) return { ...input, api_key: given };
  const key = stored?.api_key ?? null;
  if (stored && key !== null && recipientsOfModelKey.some((field) => stored[field] !== input[field]))
    throw invalid('secret_required', 'Enter the key again: it is for another server.', {
      errors: [{ path: 'api_key', message: `Enter the key of this server (${input.name}).` }],
    });
  return { ...input, api_key: key };
}

export function toServer(provider: ProviderWithKey, askedTokens: number | null): ModelServer {
  const { kind, base_url: baseUrl, context_tokens: contextTokens } = provider;
  return {
    name: provider.name,
    kind,
    baseUrl,
    model: provider.model,
    apiKey: provider.api_key,
    contextTokens: windowOf({ kind, contextTokens, askedTokens }).tokens,
    timeoutSeconds: provider.timeout_seconds,
  };
}

export function toProviderObject(row: ProviderRow): ModelProviderObject {
  const { tokens, source } = windowOf(row);
  const isPaused = row.pausedUntil !== null && row.pausedUntil.getTime() > Date.now();
  return {
    uuid: row.uuid,
    name: row.name,
    kind: row.kind,
    base_url: row.baseUrl,
    model: row.model,
    context_tokens: row.contextTokens,
    max_parallel: row.maxParallel,
    timeout_seconds: row.timeoutSeconds,
    api_key: null,
    api_key_is_set: row.apiKey !== null,
    is_active: row.isActive,
    effective_context_tokens: tokens,
    context_source: source,
    paused_until: isPaused ? row.pausedUntil!.toISOString() : null,
    pause_code: isPaused ? row.pauseCode : null,
    last_tested: row.testedAt?.toISOString() ?? null,
    test_ok: row.testOk,
    test_message: row.testMessage,
    created_at: row.createdAt.toISOString(),
    updated_at: row.updatedAt.toISOString(),
  };
}

/** The server that receives passages of transcripts. */
export function hostOf(row: Pick<ProviderRow, 'kind' | 'baseUrl'>): string {
  return URL.parse(addressOf(row))?.host ?? addressOf(row);
}
