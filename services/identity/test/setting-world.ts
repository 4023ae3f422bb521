import { authSettings, secretRecipients, type AuthSettingKey } from '@overtone/contracts';
import type { Caller } from '@overtone/service-kit';
import type { RunningIdentity } from './running-identity.ts';

/** Checks behaviour before and after a change of a setting. */
export type Behaviour = () => Promise<void>;

type Secrets = Partial<Record<keyof typeof secretRecipients, string>>;

/** The secrets that these changes require again. */
function neededAgain(values: Record<string, unknown>, secrets: Secrets): Secrets {
  return Object.fromEntries(
    Object.entries(secrets).filter(([secret]) =>
      secretRecipients[secret as keyof Secrets].some((key) => Object.hasOwn(values, key)),
    ),
  );
}

/**
 * Changes settings through the API, and resets them. `secrets` belong to an address: a change of the address sends them
 * again.
 */
export function createChanges(identity: Pick<RunningIdentity, 'ask'>, caller: Caller, secrets: Secrets = {}) {
  const changed = new Set<AuthSettingKey>();
  const put = async (values: Record<string, unknown>): Promise<void> => {
    const categoryOf = (name: string) => authSettings[name.replace(/_clear$/, '') as AuthSettingKey].category;
    for (const [category, entries] of Map.groupBy(Object.entries(values), ([name]) => categoryOf(name))) {
      const json = Object.fromEntries(entries);
      const path = `/api/admin/auth-config/${category}`;
      const { status, body } = await identity.ask(path, { method: 'PUT', json, caller });
      if (status !== 200) throw new Error(`settings refused: ${JSON.stringify(body)}`);
    }
  };
  const isSecret = (key: AuthSettingKey): boolean => {
    const def = authSettings[key];
    return def.type === 'string' && def.sensitive;
  };
  return {
    set: async (values: Partial<Record<AuthSettingKey, unknown>>): Promise<void> => {
      for (const key of Object.keys(values)) changed.add(key as AuthSettingKey);
      await put({ ...neededAgain(values, secrets), ...values });
    },
    reset: async (): Promise<void> => {
      const back = [...changed].map((key) => (isSecret(key) ? [`${key}_clear`, true] : [key, null]));
      changed.clear();
      await put(Object.fromEntries(back) as Record<string, unknown>);
    },
  };
}
