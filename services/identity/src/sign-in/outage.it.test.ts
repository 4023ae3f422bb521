import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { waitFor } from '@overtone/testkit';
import { startDirectoryWorld, type DirectoryWorld } from '../../test/directory-world.ts';
import { startLineTo } from '../../test/line-to.ts';
import { addUser } from '../../test/running-identity.ts';

let w: DirectoryWorld;
let line: Awaited<ReturnType<typeof startLineTo>>;
beforeAll(async () => {
  w = await startDirectoryWorld({ LDAP_TIMEOUT: '1' });
  line = await startLineTo(w.slapd.port);
  await w.ask({ ldap_server: line.url });
});
afterAll(async () => {
  await line.stop();
  await w.stop();
});

const generic = { code: 'invalid_credentials', detail: 'Incorrect username or password' };

function people(count: number) {
  return Promise.all(Array.from({ length: count }, () => w.person()));
}

async function backToNormal() {
  line.set('pass');
  const p = await w.person();
  await waitFor(async () => (await w.identity.signIn(p.uid, p.password)).status === 200);
}

describe.each(['hang', 'cut'] as const)('a directory connection in mode %s', (mode) => {
  it('causes the generic response in bounded time, and an audit record', async () => {
    const [known, ...others] = await people(5);
    await w.identity.signIn(known?.uid ?? '', known?.password ?? '');
    line.set(mode);
    for (const p of [known, ...others]) {
      const { status, body } = await w.identity.signIn(p?.uid ?? '', p?.password ?? '');
      expect({ status, body }).toMatchObject({ status: 401, body: generic });
    }
    const records = (await w.audited(others[0]?.uid ?? '')).concat(await w.audited(known?.email ?? ''));
    const failures = records.filter((r) => r.event_type === 'auth.login.failure');
    expect(failures.map((r) => r.error_code)).toEqual(['DIRECTORY_UNAVAILABLE', 'DIRECTORY_UNAVAILABLE']);
    expect(failures.every((r) => String(r.details['reason']).length > 10)).toBe(true);
    await backToNormal();
  });
});

describe('an unresponsive directory', () => {
  it('does not delay local sign-ins', async () => {
    const waiting = await people(80);
    const locals = [];
    for (let i = 0; i < 20; i++) locals.push(await addUser(w.backends.sql));
    // Longer than any local sign-in takes, so that the order of the responses does not depend on the machine.
    await w.set('ldap', { ldap_timeout: 300 });
    line.set('hang');
    const order: string[] = [];
    const slow = waiting.map(async (p) => {
      const { status } = await w.identity.signIn(p.uid, p.password);
      order.push(`directory ${status}`);
    });
    await waitFor(() => line.bytes() > 0);
    const quick = locals.map(async (u) => {
      const { status } = await w.identity.signIn(u.email, u.password);
      order.push(`local ${status}`);
    });
    await Promise.all(quick);
    // Sign-ins above the concurrency limit are refused without a directory request.
    const held = order.lastIndexOf('local 200');
    expect(order.filter((o) => o === 'local 200')).toHaveLength(20);
    expect(order.slice(0, held).filter((o) => o.startsWith('directory')).length).toBeLessThanOrEqual(80 - 64);
    line.set('cut');
    line.drop();
    await Promise.all(slow);
    expect(order.filter((o) => o === 'directory 401')).toHaveLength(80);
    await w.set('ldap', { ldap_timeout: 1 });
    await backToNormal();
  });

  it('never makes a directory account sign in with a local password', async () => {
    const [p] = await people(1);
    const { uid, password } = p ?? { uid: '', password: '' };
    await w.identity.signIn(uid, password);
    await w.backends.sql.query(
      `update "user" set password_hash = (select password_hash from "user" where role = 'super_admin' limit 1)
       where ldap_uid = $1`,
      [uid],
    );
    line.set('hang');
    const { status } = await w.identity.signIn(uid, 'Correct-Horse-9');
    await backToNormal();
    expect(status).toBe(401);
  });
});
