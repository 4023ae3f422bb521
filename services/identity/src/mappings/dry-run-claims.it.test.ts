import { beforeEach, describe, expect, it } from '@jest/globals';
import { rowsHash } from '../../test/rows-hash.ts';
import { setUpIdentity } from '../../test/running-identity.ts';

const { backends, identity } = await setUpIdentity({
  LDAP_ADMIN_GROUPS: 'CN=Admins,DC=corp; cn=Other Admins,dc=corp',
  OIDC_ADMIN_ROLE: 'overtone-admin, chief',
});
const root = (await identity.session()).caller;
beforeEach(async () => void (await backends.sql.query('delete from group_mapping')));

const path = '/api/admin/group-mappings';

function ask(json: object, at: string) {
  return identity.ask(at, { caller: root, json });
}

function created(json: object) {
  return ask(json, path);
}

async function answerOf(answer: ReturnType<typeof ask>) {
  const { status, body } = await answer;
  return [status, body['code']];
}

describe('the dry run', () => {
  const test = (json: object) => ask(json, `${path}/test`);

  it('shows which claims matched and which did not, the groups, and the role, and writes nothing', async () => {
    const { body: group } = await ask({ name: 'All of the staff' }, '/api/groups');
    await created({ source: 'ldap', claim_value: 'CN=Staff,OU=Groups,DC=corp', group_uuid: group['uuid'] });
    await created({ source: 'ldap', claim_value: 'cn=ops,dc=corp', grants_role: 'user' });
    const before = await rowsHash(backends.sql);
    const { status, body } = await test({
      source: 'ldap',
      claim_values: ['cn=staff, ou=groups, dc=corp', 'cn=x', 'CN=OPS,DC=corp'],
    });
    expect(status).toBe(200);
    expect(body).toEqual({
      source: 'ldap',
      claim_values: ['cn=staff, ou=groups, dc=corp', 'cn=x', 'CN=OPS,DC=corp'],
      matched_claims: ['cn=staff, ou=groups, dc=corp', 'CN=OPS,DC=corp'],
      unmatched_claims: ['cn=x'],
      groups: [{ uuid: group['uuid'], name: 'All of the staff' }],
      grants_role: 'user',
      legacy_admin: false,
      effective_role: 'user',
    });
    expect(await rowsHash(backends.sql)).toBe(before);
  });

  it.each([
    ['ldap', 'cn=other  admins,DC=CORP'],
    ['oidc', 'chief'],
  ])('legacy_admin: the admin setting of %s fires, and makes the effective role admin', async (source, claim) => {
    const { body } = await test({ source, claim_values: [claim] });
    expect(body).toMatchObject({
      grants_role: null,
      legacy_admin: true,
      effective_role: 'admin',
      unmatched_claims: [claim],
    });
    expect((await test({ source, claim_values: ['x'] })).body).toMatchObject({
      legacy_admin: false,
      effective_role: 'user',
    });
  });

  it('a mapped role and the legacy signal are combined', async () => {
    await created({ source: 'proxy', claim_value: 'chief', grants_role: 'admin' });
    expect((await test({ source: 'proxy', claim_values: ['chief'] })).body).toMatchObject({
      grants_role: 'admin',
      legacy_admin: false,
      effective_role: 'admin',
    });
    expect((await test({ source: 'proxy', claim_values: ['Chief'] })).body).toMatchObject({ effective_role: 'user' });
  });

  it('takes either claim_values or username', async () => {
    for (const json of [{}, { claim_values: [], username: 'x' }, { username: '' }, { claim_values: 'x' }])
      expect((await test({ source: 'ldap', ...json })).status).toBe(422);
    expect((await test({ source: 'ldap', claim_values: [] })).status).toBe(200);
  });

  it.each(['oidc', 'proxy'])('looks a username up in the directory only: 400 for %s', async (source) => {
    expect(await answerOf(test({ source, username: 'ada' }))).toEqual([400, 'username_not_searchable']);
  });

  it('answers 400 to a username while LDAP is disabled', async () => {
    expect(await answerOf(test({ source: 'ldap', username: 'ada' }))).toEqual([400, 'ldap_disabled']);
  });
});
