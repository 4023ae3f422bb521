import assert from 'node:assert/strict';
import { ldapSettings, personLdif, startSlapd, type Slapd } from '@overtone/testkit';
import { signIn, type Client } from './client.ts';
import type { ServedContext } from './context.ts';
import { admin, type Instance } from './instance.ts';
import { allFinished, assertIndexed, openLedger, type Ledger } from './ledger.ts';
import { reportOf, syncPath } from './runs.ts';
import { addressesOf, expectFailedCheck, probeReadiness } from './readiness.ts';
import type { Check, Suite } from './suite.ts';
import { jobLimitMs, until } from './until.ts';
import { waitUntilReady, createCopy, uploadWithRetry } from './scripted.ts';
import { freeze, services } from './victims.ts';
import { assertResponses, type ExpectedResponse } from './expected-responses.ts';

function pause(server: { pid: () => number }): () => void {
  const pid = server.pid();
  process.kill(pid, 'SIGSTOP');
  return () => void process.kill(pid, 'SIGCONT');
}

/** Non-critical servers that accept connections and do not respond. */
export function frozenStores({ scripted, stores, recordings }: ServedContext): Suite {
  let instance: Instance;
  let setEngine: (secondsPerHour: number) => Promise<void>;
  let addresses: Map<string, string>;
  let api: Client;
  let ledger: Ledger;
  let slapd: Slapd | undefined;
  let referenceId = '';
  let number = 15_000;
  const copy = () => createCopy(recordings.brief.path, recordings.folder, (number -= 1));
  const send = async (): Promise<string> => uploadWithRetry(api, await copy());

  const unaffectedRequests = (): ExpectedResponse[] => [
    { name: 'own account', send: () => api.call('GET', '/api/users/me'), status: 200 },
    { name: 'a file', send: () => api.call('GET', `/api/files/${referenceId}`), status: 200 },
  ];
  const untilChecksPass = async (): Promise<void> => {
    await waitUntilReady(instance);
    await until(
      'every check is ok',
      async () =>
        (await probeReadiness(addresses, services)).every(({ checks }) =>
          Object.values(checks).every((result) => result === 'ok'),
        ),
      jobLimitMs,
    );
  };
  /** Processes recordings while a server is paused, and asserts that all are finished once after it continues. */
  const processDuring = async (pauseServer: () => () => void, work: () => Promise<void>): Promise<string> => {
    await setEngine(3_600 / recordings.brief.duration);
    const sent = [await send(), await send()];
    const resume = pauseServer();
    try {
      await work();
    } finally {
      resume();
    }
    await untilChecksPass();
    sent.push(await send());
    const seconds = await allFinished(ledger, sent, 400_000);
    await ledger.assertOnce(sent, referenceId);
    await assertIndexed(api, ledger, sent, referenceId);
    return `${sent.length} recordings finished ${seconds.toFixed(1)} s after it continued`;
  };

  const objects: Check = {
    rule: 'object store unresponsive: services stay ready, requests fail in time, and recordings are finished afterwards',
    limitMs: 900_000,
    run: async (log) => {
      const server = (await stores.get()).objects;
      const upload = await copy();
      const finished = await processDuring(
        () => pause(server),
        async () => {
          const dependents = ['media', 'transcription-worker'];
          log(await expectFailedCheck(addresses, { services: dependents, check: 'object_storage', status: 200 }));
          const unavailable = { status: 503, code: 'storage_unavailable' };
          await assertResponses(
            [
              { name: 'a recording', send: () => api.call('GET', `/api/files/${referenceId}/content`), ...unavailable },
              { name: 'an upload', send: () => api.upload(upload), ...unavailable },
              ...unaffectedRequests(),
            ],
            log,
          );
        },
      );
      log(finished);
      assert.equal((await api.call('GET', `/api/files/${referenceId}/content`)).status, 200);
    },
  };

  const search: Check = {
    rule: 'search server unresponsive: services stay ready, searches fail in time, transcripts are readable and found afterwards',
    limitMs: 900_000,
    run: async (log) => {
      const server = (await stores.get()).search;
      const finished = await processDuring(
        () => pause(server),
        async () => {
          log(await expectFailedCheck(addresses, { services: ['search-indexer'], check: 'search', status: 200 }));
          const query = '/api/search?q=report&search_mode=keyword';
          const unavailable = { status: 503, code: 'search_unavailable' };
          await assertResponses(
            [{ name: 'a search', send: () => api.call('GET', query), ...unavailable }, ...unaffectedRequests()],
            log,
          );
          const fresh = await send();
          await until(
            'its transcript is available',
            async () => (await api.file(fresh)).transcript_segments.length > 0,
            jobLimitMs,
          );
        },
      );
      log(finished);
    },
  };

  const cache: Check = {
    rule: 'cache unresponsive: services stay ready, and no request waits for it',
    limitMs: 300_000,
    run: async (log) => {
      const resume = freeze(instance, 'redis');
      try {
        log(await expectFailedCheck(addresses, { services: ['edge-gateway'], check: 'cache', status: 200 }));
        await assertResponses(unaffectedRequests(), log);
        await signIn(instance.baseUrl, admin.email, admin.password);
      } finally {
        resume();
      }
      await untilChecksPass();
    },
  };

  const requestToken = (uid: string) =>
    fetch(`${instance.baseUrl}/api/auth/token`, {
      method: 'POST',
      body: new URLSearchParams({ username: uid, password: `${uid}-secret` }),
    });

  const directory: Check = {
    rule: 'directory unresponsive: services stay ready, directory sign-ins fail with the reason, and no account is disabled',
    limitMs: 600_000,
    run: async (log) => {
      slapd = await startSlapd({ seed: personLdif('hana') });
      await api.send('PUT', '/api/admin/auth-config/ldap', { ...ldapSettings(slapd), ldap_timeout: 10 });
      await api.send('PUT', syncPath, { enabled: true, dry_run: false });
      assert.equal((await requestToken('hana')).status, 200);
      const resume = pause(slapd);
      try {
        assert.equal((await requestToken('hana')).status, 401);
        await signIn(instance.baseUrl, admin.email, admin.password);
        const failures = await ledger.ask.identity(
          `select error_code from audit_log where username like 'hana%' and event_type = 'auth.login.failure'`,
        );
        assert.deepEqual(failures, [{ error_code: 'DIRECTORY_UNAVAILABLE' }]);
        const { task_id: id } = await api.send<{ task_id: string }>('POST', `${syncPath}/run`, {});
        const report = await reportOf(api, id, 240_000);
        assert.deepEqual([report.status, report.disabled], ['directory_unavailable', 0]);
        for (const { name, status } of await probeReadiness(addresses, services)) assert.equal(status, 200, name);
        log(`the directory sync was aborted after ${report.duration_s ?? 0} s`);
      } finally {
        resume();
      }
      await until('hana can sign in again', async () => (await requestToken('hana')).status === 200, 240_000, 1_000);
    },
  };

  return {
    name: 'Unresponsive object store, search server, cache and directory',
    checks: [
      {
        rule: 'an undisturbed recording is finished, and every check is ok',
        limitMs: 400_000,
        run: async () => {
          const fresh = await scripted.get();
          ({ instance, setEngine } = fresh);
          await setEngine(0);
          await waitUntilReady(instance);
          addresses = await addressesOf(instance);
          api = await signIn(instance.baseUrl, admin.email, admin.password);
          ledger = await openLedger(instance);
          referenceId = await send();
          await allFinished(ledger, [referenceId], 240_000);
          await untilChecksPass();
        },
      },
      objects,
      search,
      cache,
      directory,
    ],
    close: async () => {
      await scripted.resetEngine();
      if (slapd) {
        await api.send('PUT', syncPath, { enabled: false, dry_run: true });
        await api.send('PUT', '/api/admin/auth-config/ldap', { ldap_enabled: false });
        await slapd.stop();
      }
      await ledger?.close();
    },
  };
}
