import { setTimeout as sleep } from 'node:timers/promises';
import {
  recheckPeople,
  readSnapshot,
  type Answer,
  type DirectoryConfig,
  type SnapshotPerson,
} from '@overtone/directory';
import { unavailable, unseal, type KeyRing } from '@overtone/service-kit';
import { createPopulation } from './population.ts';
import type { DirectoryRules, TakeSnapshot } from './snapshot.ts';

type Pace = {
  /** Pause between two requests. */
  paceMs?: number;
  /** Delays before each retry when the directory is busy. */
  busyRetryDelaysMs?: readonly number[];
};

const passwordName = 'ldap_bind_password';

/** Reads the configured directory over LDAP. */
export function directorySnapshot(
  keyRing: () => KeyRing,
  { busyRetryDelaysMs = [5_000, 20_000], ...pace }: Pace = {},
): TakeSnapshot {
  return async (rules, { signal, onSeen, clock }) => {
    const config = configOf(rules, keyRing);
    let requests = 0;
    const onRequest = () => void (requests += 1);
    const searchOptions = { signal, onRequest, ...(clock ? { clock } : {}), ...pace };
    const mapped = rules.mappings.map(({ claimValue }) => claimValue);
    for (const pause of [...busyRetryDelaysMs, 0]) {
      const population = createPopulation();
      let seen = 0;
      const each = (person: SnapshotPerson): void => {
        population.add(person);
        seen += 1;
        if (seen % 1_000 === 0) onSeen(seen);
      };
      const result = await readSnapshot(config, { mapped, each, ...searchOptions });
      if (result.outcome === 'unknown' && result.reason === 'busy' && pause > 0) {
        await sleep(pause, undefined, { signal });
        continue;
      }
      const { proof } = valueOrThrow(result);
      return {
        people: population.people,
        seen,
        proof,
        recheck: async function* (accounts) {
          const sought = accounts.map(({ directoryId, login }) => ({ id: directoryId, login }));
          for await (const result of recheckPeople(config, sought, { busyRetryDelaysMs, ...searchOptions }))
            yield valueOrThrow(result);
        },
        requests: () => requests,
      };
    }
    throw unavailable('directory_unavailable', 'The directory is busy');
  };
}

function configOf({ config, bindPassword }: DirectoryRules, keyRing: () => KeyRing): DirectoryConfig {
  if (!bindPassword) return { ...config, bindPassword: null };
  const secret = unseal(keyRing(), passwordName, bindPassword);
  if (secret === null)
    throw unavailable('directory_unavailable', 'The bind password cannot be decrypted with the configured keys');
  return { ...config, bindPassword: secret };
}

function valueOrThrow<T>(result: Answer<T>): T {
  if (result.outcome === 'yes') return result.value;
  throw unavailable('directory_unavailable', result.message);
}
