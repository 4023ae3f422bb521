import { createHash } from 'node:crypto';
import { asrWorkerRpc, type AsrProvider, type AsrProviderInput, type AsrProviderWithKey } from '@overtone/contracts';
import { recipientsOfProviderKey } from '@overtone/contracts/secret-recipients';
import { conflict, invalid, isAppError, type Bus } from '@overtone/service-kit';
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

/**
 * A list without a usable provider stops all transcription. An empty one leaves the choice to the workers, and while no
 * worker replies, nothing is known.
 * @throws AppError no_provider_ready.
 */
export async function requireReadyProvider(
  providers: readonly AsrProviderWithKey[],
  bus: Pick<Bus, 'request'>,
): Promise<void> {
  if (providers.length === 0) return;
  const reply = await bus.request(asrWorkerRpc.checkProviders, { providers: [...providers] }).catch(() => undefined);
  if (providers.some(({ enabled }) => enabled) && (!reply || reply.engines.some(({ ready }) => ready))) return;
  const reasons = (reply?.engines ?? []).map(({ id, why }) => {
    const name = providers.find((provider) => provider.id === id)?.name ?? '';
    return `${name}: ${why ?? 'not ready'}`;
  });
  throw conflict('no_provider_ready', reasons.join('; ') || 'None of the providers is in use.');
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
