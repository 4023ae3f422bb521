import assert from 'node:assert/strict';
import { rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { signIn, type Client } from './client.ts';
import type { ScriptedContext } from './context.ts';
import { admin } from './instance.ts';
import { addressesOf, askReadiness, expectNamed } from './readiness.ts';
import { until, type Check, type Suite } from './runner.ts';
import { allReady } from './scripted.ts';
import { freeze, killNow, pidOf, services, type Server, type Victim } from './victims.ts';
import { assertTold, type Wish } from './wishes.ts';

/** What a service asks of which server, and whether it can do without. */
const needs: readonly { check: string; server: Server; critical: boolean; by: readonly Victim[] }[] = [
  {
    check: 'database',
    server: 'postgres',
    critical: true,
    by: ['identity', 'directory-sync', 'media', 'transcription-dispatcher', 'search-indexer'],
  },
  { check: 'broker', server: 'nats', critical: true, by: services },
  { check: 'cache', server: 'redis', critical: false, by: ['edge-gateway'] },
];

export const frozen = ({ scripted }: ScriptedContext): Suite => {
  let addresses: Map<string, string>;
  let api: Client;
  const wish = (path: string): Pick<Wish, 'what' | 'ask'> => ({ what: path, ask: () => api.call('GET', path) });
  const away = { status: 503, code: 'database_unavailable' };
  const wishes: Record<Server, () => Wish[]> = {
    postgres: () =>
      ['/api/files', '/api/tasks', '/api/search?q=report&search_mode=keyword', '/api/admin/directory-sync'].map(
        (path) => ({ ...wish(path), ...away }),
      ),
    nats: () => ['/api/files', '/api/tasks'].map((path) => ({ ...wish(path), status: 200 })),
    redis: () => ['/api/files', '/api/users/me'].map((path) => ({ ...wish(path), status: 200 })),
  };
  const expectAll = (by: readonly string[], check: string, status: number): Promise<string> =>
    expectNamed(addresses, { by, check, status });

  const frozenServer = ({ check, server, critical, by }: (typeof needs)[number]): Check => ({
    rule: `${server} hangs: every service that uses it answers ${critical ? '503' : '200'} and names it, and who asks is told`,
    limitMs: 600_000,
    run: async (say) => {
      const { instance } = await scripted.get();
      // The edge has just learnt who is asking, and remembers it for half a minute.
      api = await signIn(instance.baseUrl, admin.email, admin.password);
      await api.ok('GET', '/api/users/me');
      const thaw = freeze(instance, server);
      try {
        const named = expectAll(by, check, critical ? 503 : 200).then(say);
        await Promise.all([named, assertTold(wishes[server](), (line) => say(`at first ${line}`))]);
        await assertTold(wishes[server](), say);
      } finally {
        thaw();
      }
      await allReady(instance);
      const served = wishes[server]().map(({ what, ask }) => ({ what, ask, status: 200 }));
      await until('everything is answered again', () => assertTold(served, () => {}).then(() => true));
    },
  });

  const deadServer = ({ check, server, by }: (typeof needs)[number]): Check => ({
    rule: `${server} dies and comes back: every service is ready again by itself`,
    limitMs: 300_000,
    run: async () => {
      const { instance } = await scripted.get();
      const before = pidOf(instance, server);
      killNow(instance, server);
      await until(`${server} runs again`, async () => pidOf(instance, server) !== before, 60_000);
      await allReady(instance);
      // One that may be away leaves a service ready; its connection comes back a moment later.
      await until(`${check} is well again everywhere`, async () =>
        (await askReadiness(addresses, by)).every((a) => a.checks[check] === 'ok'),
      );
    },
  });

  /** A folder that cannot be used: a file stands in its place. */
  const folderAway = (folder: string, check: string, by: readonly string[]): Check => ({
    rule: `${check.replace('_', ' ')} is away: services that use it stay ready and name it`,
    limitMs: 120_000,
    run: async (say) => {
      const { instance } = await scripted.get();
      const path = join(instance.data, folder);
      await rename(path, `${path}.away`);
      await writeFile(path, '');
      try {
        say(await expectAll(by, check, 200));
      } finally {
        await rm(path, { recursive: true });
        await rename(`${path}.away`, path);
      }
      await allReady(instance);
    },
  });

  return {
    name: 'Dependencies that hang or are away',
    checks: [
      {
        rule: 'every service names what it uses',
        vital: true,
        limitMs: 240_000,
        run: async () => {
          const { instance } = await scripted.get();
          await allReady(instance);
          addresses = await addressesOf(instance);
          for (const { check, by } of needs)
            for (const a of await askReadiness(addresses, by))
              assert.equal(a.checks[check], 'ok', `${a.name} on ${check}`);
        },
      },
      ...needs.map(frozenServer),
      ...needs.map(deadServer),
      folderAway('objects', 'object_storage', ['media', 'transcription-worker']),
      folderAway('search', 'search', ['search-indexer']),
    ],
  };
};
