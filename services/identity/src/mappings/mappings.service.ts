import {
  compileMappings,
  reconcileAccount,
  type MappingIndex,
  type MappedAccount as Account,
} from '@overtone/directory';
import { identityEvents, type MappingSource, type Role } from '@overtone/contracts';
import type { Outbox } from '@overtone/database';
import { notFound } from '@overtone/service-kit';
import { writeAudit } from '../audit/audit.ts';
import type { Db, Tx } from '../database.ts';
import type { Memberships } from '../groups/groups.ts';
import type { Sessions } from '../sessions/sessions.ts';
import { mappingsStore, reconciliationStore as store } from './mappings.store.ts';
import type { Mappings, ReconcileRequest } from './mappings.ts';

/** The effective mappings, by source. */
export type MappingIndexes = {
  of: (db: Db | Tx, source: MappingSource) => Promise<MappingIndex>;
  /** The cached index, if it has this version. */
  cached: (source: MappingSource, version: string | null) => MappingIndex | undefined;
};

type Deps = {
  outbox: Outbox;
  indexes: MappingIndexes;
  memberships: Memberships;
  sessions: Pick<Sessions, 'endAll'>;
};
const noMappings = compileMappings('pki', []);
type RoleChange = { from: Role; to: Role; email: string; isActive: boolean };

/** Reconciles groups and role of an account with the claims of its source. */
export function createMappings({ outbox, indexes, memberships, sessions }: Deps): Mappings {
  const changeRole = async (tx: Tx, pass: ReconcileRequest, change: RoleChange): Promise<void> => {
    const { userId, actor, client, source } = pass;
    const { from, to, email, isActive } = change;
    await store.setRole(tx, userId, to);
    // A privilege change ends the sessions (specification, "Authentication" 8).
    const ended = await sessions.endAll(tx, userId, 'role_changed');
    await outbox.add(tx, identityEvents.roleChanged, { userId, from, to, actor });
    await outbox.add(tx, identityEvents.userUpdated, { userId, role: to, active: isActive });
    await writeAudit(tx, {
      event: 'ADMIN_ROLE_CHANGE',
      outcome: 'success',
      actor,
      userId,
      username: email,
      client,
      details: { event: 'ADMIN_ROLE_CHANGE', from, to, source, sessions_revoked: ended },
    });
  };

  const decide = (index: MappingIndex, account: Account, { actor, claims, legacyAdmin }: ReconcileRequest) => {
    const by = actor === 'directory_sync' ? 'sync' : 'sign_in';
    return reconcileAccount(index, account, { claims, legacyAdmin, by });
  };

  return {
    isReconciled: (account, pass) => {
      const { source } = pass;
      const index = source === 'pki' ? noMappings : indexes.cached(source, account.mappingsVersion);
      if (!index) return false;
      const { groupIds, role } = decide(index, account as Account, pass);
      if (role !== account.role) return false;
      if (groupIds === null || source === 'pki') return true;
      return (
        groupIds.every((id) => account.groupIds.includes(id)) &&
        account.groupIdsOfSource.every((id) => groupIds.includes(id))
      );
    },

    reconcile: async (tx, pass) => {
      const { userId, source } = pass;
      const account = await store.lockAccount(tx, userId);
      if (!account) throw notFound('There is no such account');
      const index = source === 'pki' ? noMappings : await indexes.of(tx, source);
      const { groupIds, role } = decide(index, account, pass);
      const changed =
        groupIds && source !== 'pki'
          ? await memberships.syncMemberships(tx, { userId, source, groupIds })
          : { added: [], removed: [] };
      const roleChanged = role !== account.role;
      if (roleChanged) await changeRole(tx, pass, { ...account, from: account.role, to: role });
      return { role, roleChanged, ...changed };
    },
  };
}

/**
 * Caches the compiled mappings of each source by their version, which is read at every use: a change is effective on
 * every replica after its commit.
 */
export function createMappingIndexes(): MappingIndexes {
  const cache = new Map<MappingSource, { version: string | null; index: MappingIndex }>();
  const cachedOf = (source: MappingSource, version: string | null): MappingIndex | undefined => {
    const entry = cache.get(source);
    return entry?.version === version ? entry.index : undefined;
  };
  return {
    cached: cachedOf,
    of: async (db, source) => {
      const cached = cachedOf(source, await mappingsStore.version(db, source));
      if (cached) return cached;
      const loaded = await mappingsStore.rules(db, source);
      const index = compileMappings(source, loaded.rules, loaded.version !== null);
      cache.set(source, { version: loaded.version, index });
      return index;
    },
  };
}
