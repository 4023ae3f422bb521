import { describe, expect, it } from '@jest/globals';
import { codeOf, startAdministration } from '../../test/administration.ts';

const world = await startAdministration();

function path(id: string) {
  return `/api/admin/users/${id}/certificate`;
}

function link(id: string, subject: string, issuer: string | null, by = world.root) {
  return world.ask(path(id), by, 'PUT', { subject, issuer });
}

describe('a certificate', () => {
  it('is linked to an account, shown there and recorded', async () => {
    const { id } = await world.member();
    const { status, body } = await link(id, 'CN=Alice, O=Example', 'CN=Issuing,O=Example');
    expect(status).toBe(200);
    expect(body).toMatchObject({ pki_subject_dn: 'cn=alice,o=example', pki_issuer_dn: 'cn=issuing,o=example' });
    expect(await world.audited(id, 'auth.account.linked')).toMatchObject([
      { details: { method: 'pki', subject: 'cn=alice,o=example', issuer: 'cn=issuing,o=example' } },
    ]);
  });

  it('belongs to one account, by subject and issuer', async () => {
    const [first, second] = [await world.member(), await world.member()];
    await link(first.id, 'CN=Bob', 'CN=One');
    expect(codeOf(await link(second.id, 'cn=bob', 'cn=one'))).toEqual([409, 'certificate_linked']);
    expect(codeOf(await link(second.id, 'CN=Bob', null))).toEqual([409, 'certificate_linked']);
    expect((await link(second.id, 'CN=Bob', 'CN=Two')).status).toBe(200);
  });

  it.each(['Alice', 'CN=a;CN=b', `CN=${'\u540d'.repeat(900)}`])('with the subject %j is refused', async (subject) => {
    const { id } = await world.member();
    expect(codeOf(await link(id, subject, null))).toEqual([400, 'certificate_name_invalid']);
  });

  it('of an account above user is linked by a super_admin only', async () => {
    const [admin, other] = [await world.member({ role: 'admin' }), await world.member({ role: 'admin' })];
    const user = await world.member();
    expect((await link(other.id, 'CN=X', null, admin.session)).status).toBe(403);
    expect((await link(admin.id, 'CN=X', null, admin.session)).status).toBe(403);
    expect((await link(user.id, 'CN=X', null, admin.session)).status).toBe(200);
    expect((await link(other.id, 'CN=Y', null)).status).toBe(200);
  });

  it('is removed again, which ends the sessions', async () => {
    const { id, session } = await world.member();
    await link(id, 'CN=Carol', null);
    expect((await world.ask(path(id), world.root, 'DELETE')).status).toBe(204);
    expect(await world.row(id)).toMatchObject({ pki_subject_dn: null, pki_issuer_dn: null });
    expect(await world.isDead(session)).toBe(true);
    expect(await world.audited(id, 'auth.account.unlinked')).toHaveLength(1);
  });
});
