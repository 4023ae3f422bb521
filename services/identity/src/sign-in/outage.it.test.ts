import { afterEach, describe, expect, it } from '@jest/globals';
import { waitFor } from '@overtone/testkit';
import { startDirectoryWorld } from '../../test/directory-world.ts';
import { startLineTo } from '../../test/line-to.ts';
import { addUser } from '../../test/running-identity.ts';

const world = await startDirectoryWorld({ LDAP_TIMEOUT: '1' });
const line = await startLineTo(world.slapd.port);
await world.ask({ ldap_server: line.url });

const generic = { code: 'invalid_credentials', detail: 'Incorrect username or password' };

function people(count: number) {
  return Promise.all(Array.from({ length: count }, () => world.person()));
}

/** A person who has signed in; another one each time, because a response that came too late counts against the account. */
function signedIn() {
  return waitFor(
    async () => {
      const person = await world.person();
      const { status } = await world.identity.signIn(person.uid, person.password);
      return status === 200 ? person : undefined;
    },
    { intervalMs: 200 },
  );
}

async function backToNormal() {
  line.set('pass');
  await signedIn();
}

afterEach(async () => {
  line.set('pass');
  line.drop();
  await world.set('ldap', { ldap_timeout: null });
  await backToNormal();
});

describe.each(['hang', 'cut'] as const)('a directory connection in mode %s', (mode) => {
  it('causes the generic response in bounded time, and an audit record', async () => {
    const known = await signedIn();
    const others = await people(4);
    line.set(mode);
    for (const other of [known, ...others]) {
      const { status, body } = await world.identity.signIn(other.uid, other.password);
      expect({ status, body }).toMatchObject({ status: 401, body: generic });
    }
    const records = (await world.audited(others[0]?.uid ?? '')).concat(await world.audited(known.email));
    const failures = records.filter((record) => record.event_type === 'auth.login.failure');
    expect(failures.map((failure) => failure.error_code)).toEqual(['DIRECTORY_UNAVAILABLE', 'DIRECTORY_UNAVAILABLE']);
    expect(failures.every((failure) => String(failure.details['reason']).length > 10)).toBe(true);
    await backToNormal();
  });
});

describe('an unresponsive directory', () => {
  it('does not delay local sign-ins', async () => {
    const waiting = await people(80);
    const locals = [];
    for (let i = 0; i < 20; i++) locals.push(await addUser(world.backends.sql));
    // Longer than any local sign-in takes, so that the order of the responses does not depend on the machine.
    await world.set('ldap', { ldap_timeout: 300 });
    line.set('hang');
    const order: string[] = [];
    const slow = waiting.map(async (person) => {
      const { status } = await world.identity.signIn(person.uid, person.password);
      order.push(`directory ${status}`);
    });
    await waitFor(() => line.bytes() > 0);
    const quick = locals.map(async (local) => {
      const { status } = await world.identity.signIn(local.email, local.password);
      order.push(`local ${status}`);
    });
    await Promise.all(quick);
    // Sign-ins above the concurrency limit are refused without a directory request.
    const held = order.lastIndexOf('local 200');
    expect(order.filter((outcome) => outcome === 'local 200')).toHaveLength(20);
    expect(order.slice(0, held).filter((outcome) => outcome.startsWith('directory')).length).toBeLessThanOrEqual(
      80 - 64,
    );
    line.set('cut');
    line.drop();
    await Promise.all(slow);
    expect(order.filter((outcome) => outcome === 'directory 401')).toHaveLength(80);
    await world.set('ldap', { ldap_timeout: 1 });
    await backToNormal();
  });

  it('never makes a directory account sign in with a local password', async () => {
    const { uid } = await signedIn();
    await world.backends.sql.query(
      `update "user" set password_hash = (select password_hash from "user" where role = 'super_admin' limit 1)
       where ldap_uid = $1`,
      [uid],
    );
    line.set('hang');
    const { status } = await world.identity.signIn(uid, 'Correct-Horse-9');
    await backToNormal();
    expect(status).toBe(401);
  });
});
