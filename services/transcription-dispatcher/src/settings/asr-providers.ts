import { createHash } from 'node:crypto';
import type { AsrProvider, AsrProviderInput, AsrProviderWithKey } from '@overtone/contracts';
import { recipientsOfProviderKey } from '@overtone/contracts/secret-recipients';
import { conflict, invalid, isAppError } from '@overtone/service-kit';
import { refuseKnownAddress, type OutboundGuard } from '@overtone/service-kit/outbound';

/** Changes with every change of the list. */
export function revisionOf(providers: readonly AsrProvider[]): string {
  return createHash('sha256').update(JSON.stringify(providers)).digest('hex').slice(0, 16);
}

/** @throws AppError settings_changed, when another administrator has changed the list. */
export function requireRevision(given: string, current: readonly AsrProvider[]): void {
  if (given !== revisionOf(current))
    throw conflict('settings_changed', 'Another administrator has changed the providers. Load the page again.');
}

/** Sends nothing to the servers. @throws AppError settings_invalid. */
export async function validateProviders(providers: readonly AsrProviderInput[], guard: OutboundGuard): Promise<void> {
  const faults = await Promise.all(
    providers.map(async (provider, index) => {
      const found = faultsOf(provider, providers.slice(0, index));
      const own = found.length > 0 ? found : await addressFaultsOf(provider, guard);
      return own.map(({ field, message }) => ({ path: `providers.${index}.${field}`, message }));
    }),
  );
  const errors = faults.flat();
  if (errors.length > 0) throw invalid('settings_invalid', 'The providers are not valid.', { errors });
}

function faultsOf(
  { kind, base_url: baseUrl, model, id, name }: AsrProviderInput,
  earlier: readonly AsrProviderInput[],
) {
  const isServer = kind === 'openai-compatible';
  return [
    ...(isServer && baseUrl === '' ? [{ field: 'base_url', message: 'Enter the address of the server.' }] : []),
    ...(isServer && model === '' ? [{ field: 'model', message: 'Enter the name of the model.' }] : []),
    ...(!isServer && baseUrl !== '' ? [{ field: 'base_url', message: 'This kind has no address.' }] : []),
    ...(earlier.some((other) => other.id === id) ? [{ field: 'id', message: 'This id is used twice.' }] : []),
    ...(earlier.some((other) => other.name === name) ? [{ field: 'name', message: 'This name is used twice.' }] : []),
  ];
}

/** The worker refuses the address again at every connection. */
async function addressFaultsOf({ base_url: baseUrl, enabled }: AsrProviderInput, guard: OutboundGuard) {
  if (baseUrl === '' || !enabled) return [];
  try {
    await refuseKnownAddress(guard, guard.checkUrl(baseUrl));
    return [];
  } catch (error) {
    if (!isAppError(error)) throw error;
    return [{ field: 'base_url', message: error.message }];
  }
}

/** A key is sent only to the server that it was entered for. @throws AppError secret_required. */
export function withStoredKey(
  { api_key: given, ...provider }: AsrProviderInput,
  stored: readonly AsrProviderWithKey[],
): AsrProviderWithKey {
  const before = stored.find(({ id }) => id === provider.id);
  if (given !== undefined) return { ...provider, api_key: given };
  const key = before?.api_key ?? null;
  if (before && key !== null && recipientsOfProviderKey.some((field) => before[field] !== provider[field]))
    throw invalid('secret_required', 'Enter the key again: it is for another server.', {
      errors: [{ path: 'api_key', message: `Enter the key of this server (${provider.name}).` }],
    });
  return { ...provider, api_key: key };
}
