import assert from 'node:assert/strict';
import { ldapSettings, personLdif, startSlapd, type Slapd } from '@overtone/testkit';
import { signIn, type Client } from './client.ts';
import type { ServedContext } from './context.ts';
import { admin, type Instance } from './instance.ts';
import { allFinished, assertIndexed, openLedger, type Ledger } from './ledger.ts';
import { reportOf, sweepPath } from './passes.ts';
import { limitSignIns } from './people.ts';
import { addressesOf, askReadiness, expectNamed } from './readiness.ts';
import { until, type Check, type Suite } from './runner.ts';
import { allReady, copyOf, insist } from './scripted.ts';
import { freeze, services } from './victims.ts';
import { assertTold, type Wish } from './wishes.ts';

const stop = (server: { pid: () => number }): (() => void) => {
  const pid = server.pid();
  process.kill(pid, 'SIGSTOP');
  return () => void process.kill(pid, 'SIGCONT');
};

/** Servers that a service can do without, for a while: they hang, which is worse than being away. */
export const frozenStores = ({ scripted, stores, recordings }: ServedContext): Suite => {
  let instance: Instance;
  let pretend: (secondsPerHour: number) => Promise<void>;
  let addresses: Map<string, string>;
  let api: Client;
  let ledger: Ledger;
  let slapd: Slapd | undefined;
  let model = '';
  let number = 15_000;
  const copy = () => copyOf(recordings.brief.path, recordings.folder, (number -= 1));
  const send = async (): Promise<string> => insist(api, await copy());

  const unaffected = (): Wish[] => [
    { what: 'who am I', ask: () => api.call('GET', '/api/users/me'), status: 200 },
    { what: 'a file', ask: () => api.call('GET', `/api/files/${model}`), status: 200 },
  ];
  const allWell = async (): Promise<void> => {
    await allReady(instance);
    await until('every check is well again', async () =>
      (await askReadiness(addresses, services)).every((a) => Object.values(a.checks).every((said) => said === 'ok')),
    );
  };
  /** Recordings are worked on while `server` hangs; when it goes on everything is finished, and nothing twice. */
  const meanwhile = async (hang: () => () => void, work: () => Promise<void>): Promise<string> => {
    await pretend(3_600 / recordings.brief.duration);
    const sent = [await send(), await send()];
    const thaw = hang();
    try {
      await work();
    } finally {
      thaw();
    }
    await allWell();
    sent.push(await send());
    const after = await allFinished(ledger, sent, 400_000);
    await ledger.assertOnce(sent, model);
    await assertIndexed(api, ledger, sent, model);
    return `${sent.length} recordings finished ${after.toFixed(1)} s after it went on`;
  };

  const objects: Check = {
    rule: 'the object store hangs: ready, named, told of in time; what was under way is finished when it goes on',
    limitMs: 900_000,
    run: async (say) => {
      const server = (await stores.get()).objects;
      const upload = await copy();
      const finished = await meanwhile(
        () => stop(server),
        async () => {
          const by = ['media', 'transcription-worker'];
          say(await expectNamed(addresses, { by, check: 'object_storage', status: 200 }));
          const away = { status: 503, code: 'storage_unavailable' };
          await assertTold(
            [
              { what: 'a recording', ask: () => api.call('GET', `/api/files/${model}/content`), ...away },
              { what: 'an upload', ask: () => api.upload(upload), ...away },
              ...unaffected(),
            ],
            say,
          );
        },
      );
      say(finished);
      assert.equal((await api.call('GET', `/api/files/${model}/content`)).status, 200);
    },
  };

  const search: Check = {
    rule: 'the search server hangs: ready, named, told of in time; transcripts are readable, and found when it goes on',
    limitMs: 900_000,
    run: async (say) => {
      const server = (await stores.get()).search;
      const finished = await meanwhile(
        () => stop(server),
        async () => {
          say(await expectNamed(addresses, { by: ['search-indexer'], check: 'search', status: 200 }));
          const query = '/api/search?q=report&search_mode=keyword';
          const away = { status: 503, code: 'search_unavailable' };
          await assertTold([{ what: 'a search', ask: () => api.call('GET', query), ...away }, ...unaffected()], say);
          const fresh = await send();
          await until('its words are known', async () => (await api.file(fresh)).transcript_segments.length > 0);
        },
      );
      say(finished);
    },
  };

  const cache: Check = {
    rule: 'the cache hangs: ready, named, and nobody has to wait for it',
    limitMs: 300_000,
    run: async (say) => {
      const thaw = freeze(instance, 'redis');
      try {
        say(await expectNamed(addresses, { by: ['edge-gateway'], check: 'cache', status: 200 }));
        await assertTold(unaffected(), say);
        await signIn(instance.baseUrl, admin.email, admin.password);
      } finally {
        thaw();
      }
      await allWell();
    },
  };

  const enter = (uid: string) =>
    fetch(`${instance.baseUrl}/api/auth/token`, {
      method: 'POST',
      body: new URLSearchParams({ username: uid, password: `${uid}-secret` }),
    });

  const directory: Check = {
    rule: 'the directory hangs: ready; nobody comes in by it, nobody is taken anything, and it is said why',
    limitMs: 600_000,
    run: async (say) => {
      await limitSignIns(instance, 10_000);
      slapd = await startSlapd({ seed: personLdif('hana') });
      await api.send('PUT', '/api/admin/auth-config/ldap', { ...ldapSettings(slapd), ldap_timeout: 10 });
      await api.send('PUT', sweepPath, { enabled: true, dry_run: false });
      assert.equal((await enter('hana')).status, 200);
      const thaw = stop(slapd);
      try {
        assert.equal((await enter('hana')).status, 401);
        await signIn(instance.baseUrl, admin.email, admin.password);
        const why = await ledger.ask.identity(
          `select error_code from audit_log where username like 'hana%' and event_type = 'auth.login.failure'`,
        );
        assert.deepEqual(why, [{ error_code: 'DIRECTORY_UNAVAILABLE' }]);
        const { task_id: id } = await api.send<{ task_id: string }>('POST', `${sweepPath}/run`, {});
        const report = await reportOf(api, id, 240_000);
        assert.deepEqual([report.status, report.disabled], ['directory_unavailable', 0]);
        for (const a of await askReadiness(addresses, services)) assert.equal(a.status, 200, a.name);
        say(`the sweep said so after ${report.duration_s ?? 0} s`);
      } finally {
        thaw();
      }
      await until('hana comes in again', async () => (await enter('hana')).status === 200, 240_000, 1_000);
    },
  };

  return {
    name: 'Object store, search server, cache and directory that hang',
    checks: [
      {
        rule: 'a recording that nobody disturbs is finished, and every check is well',
        vital: true,
        limitMs: 400_000,
        run: async () => {
          const fresh = await scripted.get();
          ({ instance, pretend } = fresh);
          await pretend(0);
          await allReady(instance);
          addresses = await addressesOf(instance);
          api = await signIn(instance.baseUrl, admin.email, admin.password);
          ledger = await openLedger(instance);
          model = await send();
          await allFinished(ledger, [model], 240_000);
          await allWell();
        },
      },
      objects,
      search,
      cache,
      directory,
    ],
    close: async () => {
      await scripted.calm();
      if (slapd) {
        await api.send('PUT', sweepPath, { enabled: false, dry_run: true });
        await api.send('PUT', '/api/admin/auth-config/ldap', { ldap_enabled: false });
        await slapd.stop();
        await limitSignIns(instance, null);
      }
      await ledger?.close();
    },
  };
};
