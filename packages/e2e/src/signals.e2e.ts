import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { internalRoutes, queues, routes, serviceNames } from '@overtone/contracts';
import { ldapSettings, personLdif, startSlapd, watchSourceOf, type Slapd } from '@overtone/testkit';
import { startPrometheus, type Prometheus } from '@overtone/testkit/prometheus';
import { signIn, type Client } from './client.ts';
import type { ScriptedContext } from './context.ts';
import { admin, type Instance } from './instance.ts';
import { reportOf, syncPath } from './runs.ts';
import { lint } from './promtool.ts';
import { openSocket } from './open-connections.ts';
import type { Suite } from './suite.ts';
import { jobLimitMs, until } from './until.ts';
import { configurationOf, faultsOf, panelQueries, scrapedBy, type Scraped } from './scraped.ts';
import { everywhere, ofOneService, queueGauges } from './specified-metrics.ts';

/** Time limit for a busy machine. */
const timeoutMs = 120_000;
/** Part of request paths and queries; must not appear in any metric. */
const needle = 'n33dle';

/** Metrics, rules and dashboards, read with a Prometheus server. */
export function signals({ scripted, recordings }: ScriptedContext): Suite {
  let instance: Instance;
  let root: Client;
  let prometheus: Prometheus;
  let scraped: Scraped;
  let slapd: Slapd | undefined;

  const signInAs = (username: string, password: string) =>
    fetch(`${instance.baseUrl}/api/auth/token`, { method: 'POST', body: new URLSearchParams({ username, password }) });

  const createSignInTraffic = async (): Promise<void> => {
    // A unique name, because a recreated entry with an old name is another person.
    const uid = `ada-${randomUUID().slice(0, 8)}`;
    slapd = await startSlapd({ seed: personLdif(uid) });
    await root.send('PUT', '/api/admin/auth-config/ldap', ldapSettings(slapd));
    assert.equal((await signInAs(uid, `${uid}-secret`)).status, 200);
    for (let i = 0; i < 6; i++) assert.equal((await signInAs(`${needle}@example.org`, 'wrong')).status, 401);
    await root.send('POST', '/api/admin/users', { email: `${uid}@example.com`, password: 'Counted-Horse-8-Battery' });
    await root.send('PUT', syncPath, { enabled: true, dry_run: false });
    const { task_id: id } = await root.send<{ task_id: string }>('POST', `${syncPath}/run`, {});
    await reportOf(root, id, timeoutMs);
  };

  const backUpAndMirror = async (): Promise<void> => {
    for (const panel of ['backup', 'media-mirror']) {
      const path = `/api/admin/${panel}`;
      await root.send('PUT', `${path}/settings`, { destination: join(instance.data, `signals-${panel}`) });
      const { run_id: id } = await root.ok<{ run_id: string }>('POST', `${path}/run`);
      await until(
        `the run of ${panel} has ended`,
        async () => {
          const { items } = await root.ok<{ items: { uuid: string; status: string }[] }>('GET', `${path}/runs`);
          return items.some(({ uuid, status }) => uuid === id && status === 'success');
        },
        timeoutMs,
      );
    }
  };

  const watchFolder = async (): Promise<void> => {
    const { watchRoot } = await scripted.get();
    const folder = join(watchRoot, 'signals');
    await mkdir(folder, { recursive: true });
    const source = watchSourceOf({ name: 'Signals', path: folder, owner: admin.email, polling_only: true });
    await root.send('POST', '/api/admin/watch-sources', source);
  };

  const processRecording = async (): Promise<void> => {
    const { status, body, text } = await root.upload(recordings.brief.path);
    assert.equal(status, 201, text);
    await root.completed(body.uuid);
    await until('the recording is found', async () => (await root.search('report')).results.length > 0, 120_000, 500);
    await openSocket(instance.baseUrl, root.token);
    await root.call('GET', `/api/files/${body.uuid}?${needle}=1`);
    await root.call('GET', `/api/files/${body.uuid}/${needle}`);
    await fetch(`${instance.baseUrl}/${needle}?${needle}`);
    for (const { internal_url: url } of (await instance.status()).services) await fetch(`${url}/${needle}`);
  };

  return {
    name: 'Signals',
    checks: [
      {
        rule: 'Prometheus scrapes every service, and the queues as a separate job',
        limitMs: 300_000,
        run: async () => {
          ({ instance } = await scripted.get());
          root = await signIn(instance.baseUrl, admin.email, admin.password);
          prometheus = await startPrometheus(await configurationOf(instance));
          scraped = scrapedBy(prometheus);
          const expected = [
            ...serviceNames.map((name) => `overtone ${name}`),
            'queues transcription-dispatcher',
          ].sort();
          const allUp = async (): Promise<boolean> => {
            const up = (await scraped.query('up == 1'))
              .map(({ metric }) => `${metric['job']} ${metric['service']}`)
              .sort();
            return up.join() === expected.join();
          };
          await until('every target is up', allUp, timeoutMs);
        },
      },
      {
        rule: 'sign-ins succeed and fail, and the directory is swept',
        limitMs: 2 * timeoutMs,
        run: createSignInTraffic,
      },
      { rule: 'a recording is uploaded, transcribed and found', limitMs: 360_000, run: processRecording },
      { rule: 'a folder is watched', isNightly: true, run: watchFolder },
      {
        rule: 'a backup is made and the media are mirrored',
        isNightly: true,
        limitMs: 2 * timeoutMs,
        run: backUpAndMirror,
      },
      {
        rule: 'names, types, labels and bounds of the metrics match the specification on every service',
        run: async () => {
          // Recent requests appear with the next scrape.
          await until(
            'all metrics are scraped',
            async () => {
              const metadata = await scraped.metadata('overtone');
              const faults = serviceNames.flatMap((service) =>
                [...everywhere, ...(ofOneService[service] ?? [])].map((metric) =>
                  faultsOf(scraped, metric, { service, metadata }),
                ),
              );
              assert.deepEqual((await Promise.all(faults)).flat(), []);
              return true;
            },
            jobLimitMs,
          );
        },
      },
      {
        rule: 'promtool accepts the metrics of every service',
        run: async () => {
          const all = (await instance.status()).services.map(async ({ name, internal_url: url }) => {
            const found = await lint(await (await fetch(`${url}/metrics`)).text());
            // The client library defines the names of the process metrics.
            return found.filter((line) => !/^(nodejs|process)_/.test(line)).map((line) => `${name}: ${line}`);
          });
          assert.deepEqual((await Promise.all(all)).flat(), []);
        },
      },
      {
        rule: 'requests, database queries, cache operations, accounts and files are counted',
        isNightly: true,
        limitMs: 2 * timeoutMs,
        run: async () => {
          const untilCounted = async (expr: string): Promise<void> =>
            void (await until(expr, async () => (await scraped.query(`${expr} > 0`)).length > 0, timeoutMs));
          await untilCounted(
            'http_request_duration_seconds_count{service="edge-gateway",route="/api/auth/token",status="401"}',
          );
          await untilCounted('http_requests_total{service="media",route="/api/files",method="POST",status="201"}');
          await untilCounted('http_requests_total{service="edge-gateway",route="/api/ws",status="101"}');
          await untilCounted('http_requests_total{service="realtime-gateway",route="/api/ws",status="101"}');
          await untilCounted('db_query_duration_seconds_count{service="media"}');
          await untilCounted('db_queries_per_request_sum{service="media",route="/api/files",method="POST"}');
          await untilCounted('cache_operations_total{service="identity",cache="settings",result="hit"}');
          await untilCounted('user_signups_total{method="local"}');
          await untilCounted('user_signups_total{method="ldap"}');
          await untilCounted('files_uploaded_total{source="upload"}');
          await untilCounted('account_lockouts_total');
          await untilCounted('transcription_stage_duration_seconds_count{stage="transcribe",outcome="done"}');
          await untilCounted('directory_sync_passes_total{outcome="ok"}');
          await untilCounted('backup_runs_total{result="success"}');
          await untilCounted('media_mirror_runs_total{result="success"}');
        },
      },
      {
        rule: '/metrics/queues contains exactly the four gauges of every queue',
        run: async () => {
          const expected = queueGauges.map(({ name, type }) => `${name} ${type}`).sort();
          await until(
            'all gauges are scraped',
            async () => {
              assert.deepEqual(
                (await scraped.metadata('queues')).map(({ metric, type }) => `${metric} ${type}`).sort(),
                expected,
              );
              return true;
            },
            jobLimitMs,
          );
          const found = (await scraped.series('{job="queues",queue!=""}'))
            .map((series) => `${series['__name__']} ${series['queue']}`)
            .sort();
          assert.deepEqual(found, queueGauges.flatMap(({ name }) => queues.map((queue) => `${name} ${queue}`)).sort());
        },
      },
      {
        rule: 'route labels are templates, and no label contains a path, query, user or organisation',
        run: async () => {
          const labels = await prometheus.ask<string[]>('labels');
          assert.deepEqual(
            labels.filter((label) => label === 'user_id' || label === 'org_id'),
            [],
          );
          const templates = new Set([
            ...[...routes, ...Object.values(internalRoutes)].map(({ path }) => path),
            '/api/ws',
            '/api/docs/{file}',
            '/assets/{file}',
            '/{file}',
            '/{page}',
            'unknown',
          ]);
          assert.deepEqual(
            (await scraped.valuesOf('route')).filter((route) => !templates.has(route)),
            [],
          );
          const values = (await Promise.all(labels.map(scraped.valuesOf))).flat();
          const identifying = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-|\?|@/;
          assert.deepEqual(
            values.filter((value) => value.includes(needle) || identifying.test(value)),
            [],
          );
        },
      },
      {
        rule: 'every rule can be evaluated over the metrics of the instance',
        limitMs: 2 * timeoutMs,
        run: async () => {
          type Rule = { name: string; health: string; lastError?: string };
          const evaluated = async (): Promise<Rule[] | false> => {
            const { groups } = await prometheus.ask<{ groups: { rules: Rule[] }[] }>('rules');
            const flat = groups.flatMap(({ rules }) => rules);
            return flat.every(({ health }) => health !== 'unknown') && flat;
          };
          const all = await until('every rule was evaluated', evaluated, timeoutMs);
          assert.ok(all.length > 40, `only ${all.length} rules`);
          assert.deepEqual(
            all.filter(({ health }) => health !== 'ok'),
            [],
          );
        },
      },
      {
        rule: 'every query of every panel of every dashboard has a series',
        isNightly: true,
        limitMs: 240_000,
        run: async () => {
          const findEmptyPanels = async (): Promise<string[]> => {
            const results = panelQueries().map(async ({ where, expr }) =>
              (await scraped.query(expr)).length > 0 ? [] : [where],
            );
            return (await Promise.all(results)).flat();
          };
          await until(
            'every panel has a series',
            async () => {
              const emptyPanels = await findEmptyPanels();
              if (emptyPanels.length > 0) throw new Error(`no series for ${emptyPanels.join('; ')}`);
              return true;
            },
            180_000,
            2_000,
          );
        },
      },
    ],
    close: async () => {
      await prometheus?.stop();
      if (slapd) {
        await root.send('PUT', syncPath, { enabled: false, dry_run: true });
        await root.send('PUT', '/api/admin/auth-config/ldap', { ldap_enabled: false });
        const left = await root.ok<{ items: { uuid: string }[] }>(
          'GET',
          '/api/admin/users?auth_type=ldap&page_size=100',
        );
        for (const { uuid } of left.items) await root.ok('DELETE', `/api/users/${uuid}`);
        await slapd.stop();
      }
    },
  };
}
