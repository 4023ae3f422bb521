import assert from 'node:assert/strict';
import { rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { signIn, type Client } from './client.ts';
import type { ScriptedContext } from './context.ts';
import { admin } from './instance.ts';
import { addressesOf, expectFailedCheck, probeReadiness } from './readiness.ts';
import type { Check, Suite } from './suite.ts';
import { jobLimitMs, until } from './until.ts';
import { waitUntilReady } from './scripted.ts';
import { freeze, killNow, pidOf, services, type Server, type Victim } from './victims.ts';
import { assertResponses, type ExpectedResponse } from './expected-responses.ts';

/** The services that depend on a server, their readiness check, and whether it is critical. */
const dependencies: readonly { check: string; server: Server; critical: boolean; services: readonly Victim[] }[] = [
  {
    check: 'database',
    server: 'postgres',
    critical: true,
    services: [
      'identity',
      'directory-sync',
      'media',
      'transcription-dispatcher',
      'search-indexer',
      'operations',
      'insights',
    ],
  },
  { check: 'broker', server: 'nats', critical: true, services },
  { check: 'cache', server: 'redis', critical: false, services: ['edge-gateway'] },
];

export function frozen({ scripted }: ScriptedContext): Suite {
  let addresses: Map<string, string>;
  let api: Client;
  const get = (path: string): Pick<ExpectedResponse, 'name' | 'send'> => ({
    name: path,
    send: () => api.call('GET', path),
  });
  const unavailable = { status: 503, code: 'database_unavailable' };
  const expectedResponses: Record<Server, () => ExpectedResponse[]> = {
    postgres: () =>
      [
        '/api/files',
        '/api/tasks',
        '/api/search?q=report&search_mode=keyword',
        '/api/admin/directory-sync',
        '/api/admin/backup/settings',
      ].map((path) => ({ ...get(path), ...unavailable })),
    nats: () => ['/api/files', '/api/tasks'].map((path) => ({ ...get(path), status: 200 })),
    redis: () => ['/api/files', '/api/users/me'].map((path) => ({ ...get(path), status: 200 })),
  };
  const expectFailed = (names: readonly string[], check: string, status: number): Promise<string> =>
    expectFailedCheck(addresses, { services: names, check, status });

  const frozenServer = ({ check, server, critical, services: dependents }: (typeof dependencies)[number]): Check => ({
    rule: `${server} unresponsive: readiness of dependent services is ${critical ? '503' : '200'}, and requests get the expected response`,
    limitMs: 600_000,
    run: async (log) => {
      const { instance } = await scripted.get();
      // The edge caches the session for half a minute.
      api = await signIn(instance.baseUrl, admin.email, admin.password);
      await api.ok('GET', '/api/users/me');
      const thaw = freeze(instance, server);
      try {
        const reported = expectFailed(dependents, check, critical ? 503 : 200).then(log);
        await Promise.all([
          reported,
          assertResponses(expectedResponses[server](), (line) => log(`immediately: ${line}`)),
        ]);
        await assertResponses(expectedResponses[server](), log);
      } finally {
        thaw();
      }
      await waitUntilReady(instance);
      const served = expectedResponses[server]().map(({ name, send }) => ({ name, send, status: 200 }));
      await until('all requests succeed again', () => assertResponses(served, () => {}).then(() => true), jobLimitMs);
    },
  });

  const deadServer = ({ check, server, services: dependents }: (typeof dependencies)[number]): Check => ({
    rule: `${server} crashes and restarts: every service becomes ready again`,
    limitMs: 300_000,
    run: async () => {
      const { instance } = await scripted.get();
      const before = pidOf(instance, server);
      killNow(instance, server);
      await until(`${server} runs again`, async () => pidOf(instance, server) !== before, 60_000);
      await waitUntilReady(instance);
      // A service stays ready without a non-critical server, so its check is awaited separately.
      await until(
        `${check} is ok in every service`,
        async () => (await probeReadiness(addresses, dependents)).every(({ checks }) => checks[check] === 'ok'),
        jobLimitMs,
      );
    },
  });

  /** Makes a folder unusable by a file with the same name. */
  const missingFolder = (folder: string, check: string, dependents: readonly string[]): Check => ({
    rule: `${check.replace('_', ' ')} unavailable: dependent services stay ready and report the failed check`,
    limitMs: 120_000,
    run: async (log) => {
      const { instance } = await scripted.get();
      const path = join(instance.data, folder);
      await rename(path, `${path}.away`);
      await writeFile(path, '');
      try {
        log(await expectFailed(dependents, check, 200));
      } finally {
        await rm(path, { recursive: true });
        await rename(`${path}.away`, path);
      }
      await waitUntilReady(instance);
    },
  });

  return {
    name: 'Unresponsive and unavailable dependencies',
    checks: [
      {
        rule: 'every service reports a check for each dependency',
        limitMs: 240_000,
        run: async () => {
          const { instance } = await scripted.get();
          await waitUntilReady(instance);
          addresses = await addressesOf(instance);
          for (const { check, services: dependents } of dependencies)
            for (const { name, checks } of await probeReadiness(addresses, dependents))
              assert.equal(checks[check], 'ok', `${name} on ${check}`);
        },
      },
      ...dependencies.map(frozenServer),
      ...dependencies.map(deadServer),
      missingFolder('objects', 'object_storage', ['media', 'transcription-worker', 'operations']),
      missingFolder('search', 'search', ['search-indexer']),
    ],
  };
}
