import type { ReplyOf, sweepRpc } from '@overtone/contracts';
import type { MappingRule } from '@overtone/directory';
import { seal, type KeyRing } from '@overtone/service-kit';
import type { Db } from '../database.ts';
import type { CurrentDirectory } from '../directory/directory.ts';
import type { Settings } from '../settings/settings.ts';

type Deps = {
  db: Db;
  settings: Settings;
  directory: Pick<CurrentDirectory, 'config'>;
  keyRing: () => KeyRing;
  /** The mappings of the directory; a version means that one exists or existed. */
  ldapMappings: () => Promise<{ version: string | null; rules: MappingRule[] }>;
};

/** The rules of the sweep: the same directory, mappings and settings as for sign-in, read again for every sync run. */
export function createSweepRules({ directory, ldapMappings, db, settings, keyRing }: Deps) {
  return async (): Promise<ReplyOf<typeof sweepRpc.rules>> => {
    const { bindPassword, ...config } = directory.config();
    const [mappings, groups] = await Promise.all([
      ldapMappings(),
      db.userGroup.findMany({ select: { id: true, name: true } }),
    ]);
    return {
      enabled: settings.current().ldap_enabled,
      config,
      bindPassword: bindPassword === null ? null : seal(keyRing(), 'ldap_bind_password', bindPassword),
      anyMapping: mappings.version !== null,
      mappings: mappings.rules,
      groups: groups.map((g) => ({ groupId: g.id, name: g.name })),
    };
  };
}
