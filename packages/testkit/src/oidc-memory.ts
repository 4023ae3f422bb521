import type { Adapter, AdapterFactory, AdapterPayload } from 'oidc-provider';

/**
 * What a provider remembers, as long as it lives: what its models do besides putting, finding and removing is not asked
 * of it here. (Without an adapter it takes one of its own, and warns of it.)
 */
export function inMemory(): AdapterFactory {
  const kept = new Map<string, AdapterPayload>();
  return (model): Adapter => {
    const keyOf = (id: string): string => `${model}:${id}`;
    const alike = (fits: (payload: AdapterPayload) => boolean): AdapterPayload | undefined =>
      [...kept].find(([key, payload]) => key.startsWith(keyOf('')) && fits(payload))?.[1];
    return {
      upsert: async (id, payload) => void kept.set(keyOf(id), payload),
      find: async (id) => kept.get(keyOf(id)),
      findByUid: async (uid) => alike((payload) => payload.uid === uid),
      findByUserCode: async (code) => alike((payload) => payload.userCode === code),
      consume: async (id) => {
        const payload = kept.get(keyOf(id));
        if (payload) payload.consumed = Math.floor(Date.now() / 1000);
      },
      destroy: async (id) => void kept.delete(keyOf(id)),
      revokeByGrantId: async (grantId) => {
        for (const [key, { grantId: of }] of kept) if (of === grantId) kept.delete(key);
      },
    };
  };
}
