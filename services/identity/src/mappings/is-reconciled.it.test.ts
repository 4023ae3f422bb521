import { describe, expect, it } from '@jest/globals';
import { startMappingWorld } from '../../test/mapping-world.ts';
import { provisioningStore } from '../provisioning/provisioning.store.ts';
import type { ReconcileRequest } from './mappings.ts';

const claims = ['cn=a,dc=example,dc=org', 'cn=b,dc=example,dc=org', 'cn=c,dc=example,dc=org'] as const;

const world = await startMappingWorld();
const groups = [await world.group(), await world.group(), await world.group()];
for (const [i, claim] of claims.entries())
  await world.map(claim, { group: groups[i] ?? '', ...(i === 2 ? { role: 'admin' } : {}) });

/** Every combination of three. */
const groupSets = [0, 1, 2, 3, 4, 5, 6, 7] as const;
/** All combinations by number. */
function pick<T>(all: readonly T[], value: number): T[] {
  return all.filter((_, i) => (value >> i) & 1);
}

async function asked(userId: string, values: readonly string[]) {
  const subject = { issuer: null, id: `entryUUID:${userId}` };
  const account = await provisioningStore.findSnapshot(world.pool, {
    source: 'ldap',
    subject,
    login: 'x',
    email: null,
    emailVerified: false,
    name: '',
    claims: { known: true, values },
    legacyAdmin: 'no',
  });
  if (!account) throw new Error('the account is not there');
  const pass: ReconcileRequest = {
    userId,
    source: 'ldap',
    claims: { known: true, values },
    legacyAdmin: 'no',
    actor: 'idp_login',
    client: { ip: null, userAgent: null, requestId: null },
  };
  return { isReconciled: world.replicas[0].mappings.isReconciled(account, pass), role: account.role };
}

async function createAccount(role = 'user'): Promise<string> {
  const userId = await world.user({ role });
  await world.db.user.update({ where: { id: userId }, data: { directoryId: `entryUUID:${userId}` } });
  return userId;
}

describe('the check whether a sign-in changes nothing', () => {
  const kinds = ['user', 'admin', 'super_admin'].flatMap((role) => groupSets.map((has) => [role, has] as const));
  it.each(kinds)('is exactly whether the pass changes anything: %s with groups %i', async (role, has) => {
    // The mappings are cached from the first reconciliation on.
    await world.signIn(await createAccount(), []);
    for (const says of groupSets) {
      const userId = await createAccount(role);
      for (const [i, group] of pick(groups, has).entries())
        await world.join(group, userId, i === 0 ? 'ldap' : 'manual');
      const { isReconciled } = await asked(userId, pick(claims, says));
      const { added, removed, roleChanged } = await world.signIn(userId, pick(claims, says));
      expect({ says, isReconciled }).toEqual({
        says,
        isReconciled: added.length + removed.length === 0 && !roleChanged,
      });
      expect((await asked(userId, pick(claims, says))).isReconciled).toBe(true);
    }
  });

  it('is nothing while a change of the mappings has not been read', async () => {
    const userId = await createAccount();
    await world.signIn(userId, [claims[0]]);
    expect((await asked(userId, [claims[0]])).isReconciled).toBe(true);
    const mapping = await world.map('cn=new,dc=example,dc=org', { role: 'admin' });
    expect((await asked(userId, [claims[0]])).isReconciled).toBe(false);
    await world.unmap(mapping);
  });
});
