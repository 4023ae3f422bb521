import { afterEach, describe, expect, it } from '@jest/globals';
import { startNats, waitFor } from '@overtone/testkit';
import { stopAfterFile } from '@overtone/testkit/cleanup';
import { setUpIdentity, startIdentity, type RunningIdentity } from '../../test/running-identity.ts';
import { createChanges } from '../../test/setting-world.ts';

/** A replica on the same database with another broker: it never receives events of the other replicas. */
const otherBus = await stopAfterFile(startNats());
const { backends, identity: one } = await setUpIdentity();
const two = await stopAfterFile(startIdentity(backends));
const deaf = await stopAfterFile(startIdentity({ database: backends.database, nats: otherBus }));
const changes = createChanges(one, (await one.session()).caller);
afterEach(() => changes.reset());

async function shownBy(replica: RunningIdentity) {
  return (await replica.ask('/api/auth/methods')).body['oidc_display_name'];
}

describe('a change of settings', () => {
  it('is effective on the replica of the request before it responds', async () => {
    for (let i = 0; i < 5; i++) {
      await changes.set({ oidc_display_name: `Number ${i}` });
      expect(await shownBy(one)).toBe(`Number ${i}`);
    }
  });

  it('is effective on every other replica, also on one without the event', async () => {
    await changes.set({ oidc_display_name: 'Everywhere' });
    for (const replica of [two, deaf]) await waitFor(async () => (await shownBy(replica)) === 'Everywhere');
  });

  it('is effective on every replica while the broker is down', async () => {
    await backends.nats.kill9();
    await changes.set({ oidc_display_name: 'Without a broker' });
    expect(await shownBy(one)).toBe('Without a broker');
    await waitFor(async () => (await shownBy(two)) === 'Without a broker');
    await backends.nats.restart();
    await changes.set({ oidc_display_name: 'With a broker again' });
    await waitFor(async () => (await shownBy(two)) === 'With a broker again');
  });

  it('that removes a value is noticed also without the broker', async () => {
    await changes.set({ oidc_display_name: 'For a moment' });
    await waitFor(async () => (await shownBy(deaf)) === 'For a moment');
    await changes.reset();
    await waitFor(async () => (await shownBy(deaf)) === 'Single sign-on');
  });

  it('is found by a replica that starts later, before its first request', async () => {
    await changes.set({ oidc_display_name: 'Already there' });
    const later = await startIdentity(backends);
    expect(await shownBy(later)).toBe('Already there');
    await later.stop();
  });

  it('is effective for a request of the edge to any replica', async () => {
    for (const perMinute of [3, 4, 5]) {
      await changes.set({ rate_limit_auth_per_minute: perMinute });
      for (const replica of [two, deaf])
        expect((await replica.ask('/internal/edge-settings')).body).toEqual({ signInPerMinute: perMinute });
    }
  });

  it('made concurrently on several replicas leads to the same settings on all of them', async () => {
    const { caller } = await one.session();
    await Promise.all(
      Array.from({ length: 24 }, (_, i) =>
        ([one, two, deaf][i % 3] as RunningIdentity).ask('/api/admin/auth-config/oidc', {
          method: 'PUT',
          json: { oidc_display_name: `Writer ${i}` },
          caller,
        }),
      ),
    );
    const { rows } = await backends.sql.query<{ v: string }>(
      "select config_value as v from auth_config where config_key = 'oidc_display_name'",
    );
    for (const replica of [one, two, deaf]) await waitFor(async () => (await shownBy(replica)) === rows[0]?.v);
    await changes.set({ oidc_display_name: 'x' });
  });
});
