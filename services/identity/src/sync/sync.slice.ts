import { directorySyncRpc, type ReplyOf } from '@overtone/contracts';
import type { Outbox } from '@overtone/database';
import type { MappingRule } from '@overtone/directory';
import { rpc, seal, type KeyRing, type Slice } from '@overtone/service-kit';
import type { Db } from '../database.ts';
import type { CurrentDirectory } from '../directory/directory.ts';
import type { Settings } from '../live-settings.ts';
import type { Sessions } from '../sessions/sessions.ts';
import { createSyncChanges } from './sync.service.ts';

type RulesDeps = {
  db: Db;
  settings: Settings<{ ldap_enabled: boolean }>;
  directory: Pick<CurrentDirectory, 'config'>;
  env: { keyRing: () => KeyRing };
  /** The mappings of the directory; a version means that one exists or existed. */
  ldapMappings: () => Promise<{ version: string | null; rules: MappingRule[] }>;
};
type Deps = RulesDeps & { outbox: Outbox; sessions: Pick<Sessions, 'endAllOf'> };

/** Gives the directory sync its rules and accounts, and applies its changes. */
export function createSyncSlice(deps: Deps): Slice {
  const sync = createSyncChanges(deps);
  return {
    rpcs: [
      rpc(directorySyncRpc.rules, () => readRules(deps)),
      rpc(directorySyncRpc.accounts, sync.accounts),
      rpc(directorySyncRpc.apply, sync.apply),
      rpc(directorySyncRpc.done, sync.done),
      rpc(directorySyncRpc.undo, sync.undo),
    ],
  };
}

/** The rules of the directory sync: the same directory, mappings and settings as for sign-in, read again for every sync run. */
async function readRules({ db, settings, directory, env, ldapMappings }: RulesDeps) {
  const { bindPassword, ...config } = directory.config();
  const [mappings, groups] = await Promise.all([
    ldapMappings(),
    db.userGroup.findMany({ select: { id: true, name: true } }),
  ]);
  const rules: ReplyOf<typeof directorySyncRpc.rules> = {
    enabled: settings.current().ldap_enabled,
    config,
    bindPassword: bindPassword === null ? null : seal(env.keyRing(), 'ldap_bind_password', bindPassword),
    anyMapping: mappings.version !== null,
    mappings: mappings.rules,
    groups: groups.map(({ id, name }) => ({ groupId: id, name })),
  };
  return rules;
}
