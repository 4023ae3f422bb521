import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { internalRoutes, queues, routes, serviceNames } from '@overtone/contracts';
import { ldapSettings, personLdif, startSlapd, type Slapd } from '@overtone/testkit';
import { startPrometheus, type Prometheus } from '@overtone/testkit/prometheus';
import { signIn, type Client } from './client.ts';
import type { ScriptedContext } from './context.ts';
import { admin, type Instance } from './instance.ts';
import { reportOf, sweepPath } from './passes.ts';
import { limitSignIns } from './people.ts';
import { lint } from './promtool.ts';
import { socketOf } from './running.ts';
import { until, type Suite } from './runner.ts';
import { configurationOf, faultsOf, panelQueries, scrapedBy, type Scraped } from './scraped.ts';
import { everywhere, ofOneService, queueGauges } from './specified-metrics.ts';

/** The end of patience with a busy machine. */
const patienceMs = 120_000;
/** Stands in every path and query that nobody may find again in a metric. */
const needle = 'n33dle';

/** Metrics, rules and dashboards, read as an SRE's Prometheus reads them. */
export const signals = ({ scripted, recordings }: ScriptedContext): Suite => {
  let instance: Instance;
  let root: Client;
  let prometheus: Prometheus;
  let scraped: Scraped;
  let slapd: Slapd | undefined;

  const signInAs = (username: string, password: string) =>
    fetch(`${instance.baseUrl}/api/auth/token`, { method: 'POST', body: new URLSearchParams({ username, password }) });

  const people = async (): Promise<void> => {
    // An entry made again under an old name would be another person.
    const uid = `ada-${randomUUID().slice(0, 8)}`;
    slapd = await startSlapd({ seed: personLdif(uid) });
    await root.send('PUT', '/api/admin/auth-config/ldap', ldapSettings(slapd));
    assert.equal((await signInAs(uid, `${uid}-secret`)).status, 200);
    for (let tries = 0; tries < 6; tries++)
      assert.equal((await signInAs(`${needle}@example.org`, 'wrong')).status, 401);
    await root.send('POST', '/api/admin/users', { email: `${uid}@example.com`, password: 'Counted-Horse-8-Battery' });
    await root.send('PUT', sweepPath, { enabled: true, dry_run: false });
    const { task_id: id } = await root.send<{ task_id: string }>('POST', `${sweepPath}/run`, {});
    await reportOf(root, id, patienceMs);
  };

  const recording = async (): Promise<void> => {
    const { status, body, text } = await root.upload(recordings.brief.path);
    assert.equal(status, 201, text);
    await root.completed(body.uuid);
    await until('it is found', async () => (await root.search('report')).results.length > 0, 120_000, 500);
    await socketOf(instance.baseUrl, root.token);
    await root.call('GET', `/api/files/${body.uuid}?${needle}=1`);
    await root.call('GET', `/api/files/${body.uuid}/${needle}`);
    await fetch(`${instance.baseUrl}/${needle}?${needle}`);
    for (const { internal_url: url } of (await instance.status()).services) await fetch(`${url}/${needle}`);
  };

  return {
    name: 'Signals',
    checks: [
      {
        rule: 'Prometheus scrapes every service, and the queues apart',
        vital: true,
        limitMs: 300_000,
        run: async () => {
          ({ instance } = await scripted.get());
          root = await signIn(instance.baseUrl, admin.email, admin.password);
          await limitSignIns(instance, 10_000);
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
          await until('every target is up', allUp, patienceMs);
        },
      },
      {
        rule: 'people sign in, and are refused, and the directory is swept',
        vital: true,
        limitMs: 2 * patienceMs,
        run: people,
      },
      { rule: 'a recording is taken in, transcribed and found', vital: true, limitMs: 360_000, run: recording },
      {
        rule: 'names, types, labels and bounds of the metrics are the specification’s, on every service',
        run: async () => {
          // What has just happened is told with the next scrape.
          await until('all of it is told', async () => {
            const told = await scraped.metadata('overtone');
            const faults = serviceNames.flatMap((service) =>
              [...everywhere, ...(ofOneService[service] ?? [])].map((metric) =>
                faultsOf(scraped, metric, { service, told }),
              ),
            );
            assert.deepEqual((await Promise.all(faults)).flat(), []);
            return true;
          });
        },
      },
      {
        rule: 'promtool finds nothing wrong with the text of any service, nor with a name of ours',
        run: async () => {
          const all = (await instance.status()).services.map(async ({ name, internal_url: url }) => {
            const found = await lint(await (await fetch(`${url}/metrics`)).text());
            // Names of the process' own metrics are the library's.
            return found.filter((line) => !/^(nodejs|process)_/.test(line)).map((line) => `${name}: ${line}`);
          });
          assert.deepEqual((await Promise.all(all)).flat(), []);
        },
      },
      {
        rule: 'what happened is counted: requests, statements, look-ups, accounts, files',
        limitMs: 2 * patienceMs,
        run: async () => {
          const counted = async (expr: string): Promise<void> =>
            void (await until(expr, async () => (await scraped.query(`${expr} > 0`)).length > 0, patienceMs));
          await counted(
            'http_request_duration_seconds_count{service="edge-gateway",route="/api/auth/token",status="401"}',
          );
          await counted('http_requests_total{service="media",route="/api/files",method="POST",status="201"}');
          await counted('http_requests_total{service="edge-gateway",route="/api/ws",status="101"}');
          await counted('http_requests_total{service="realtime-gateway",route="/api/ws",status="101"}');
          await counted('db_query_duration_seconds_count{service="media"}');
          await counted('db_queries_per_request_sum{service="media",route="/api/files",method="POST"}');
          await counted('cache_operations_total{service="identity",cache="settings",result="hit"}');
          await counted('cache_operations_total{service="edge-gateway",cache="redis",result="hit"}');
          await counted('user_signups_total{method="local"}');
          await counted('user_signups_total{method="ldap"}');
          await counted('files_uploaded_total{source="upload"}');
          await counted('account_lockouts_total');
          await counted('transcription_stage_duration_seconds_count{stage="transcribe",outcome="done"}');
          await counted('directory_sync_passes_total{outcome="ok"}');
        },
      },
      {
        rule: '/metrics/queues has the four queue gauges of every queue, and nothing else',
        run: async () => {
          const expected = queueGauges.map((g) => `${g.name} ${g.type}`).sort();
          await until('all of it is told', async () => {
            assert.deepEqual((await scraped.metadata('queues')).map((m) => `${m.metric} ${m.type}`).sort(), expected);
            return true;
          });
          const found = (await scraped.series('{job="queues",queue!=""}'))
            .map((s) => `${s['__name__']} ${s['queue']}`)
            .sort();
          assert.deepEqual(found, queueGauges.flatMap((g) => queues.map((queue) => `${g.name} ${queue}`)).sort());
        },
      },
      {
        rule: 'route labels are templates; no path, query, person or organisation is in any label',
        run: async () => {
          const labels = await prometheus.ask<string[]>('labels');
          assert.deepEqual(
            labels.filter((l) => l === 'user_id' || l === 'org_id'),
            [],
          );
          const templates = new Set([
            ...[...routes, ...Object.values(internalRoutes)].map((r) => r.path),
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
          const telling = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-|\?|@/;
          assert.deepEqual(
            values.filter((v) => v.includes(needle) || telling.test(v)),
            [],
          );
        },
      },
      {
        rule: 'every rule can be evaluated over what the instance tells',
        limitMs: 2 * patienceMs,
        run: async () => {
          type Rule = { name: string; health: string; lastError?: string };
          const evaluated = async (): Promise<Rule[] | false> => {
            const { groups } = await prometheus.ask<{ groups: { rules: Rule[] }[] }>('rules');
            const flat = groups.flatMap((g) => g.rules);
            return flat.every((r) => r.health !== 'unknown') && flat;
          };
          const all = await until('every rule was evaluated', evaluated, patienceMs);
          assert.ok(all.length > 40, `only ${all.length} rules`);
          assert.deepEqual(
            all.filter((r) => r.health !== 'ok'),
            [],
          );
        },
      },
      {
        rule: 'every query of every panel of every dashboard has a series',
        limitMs: 240_000,
        run: async () => {
          const empty = async (): Promise<string[]> => {
            const asked = panelQueries().map(async ({ where, expr }) =>
              (await scraped.query(expr)).length > 0 ? [] : [where],
            );
            return (await Promise.all(asked)).flat();
          };
          await until(
            'every panel has a series',
            async () => {
              const without = await empty();
              if (without.length > 0) throw new Error(`nothing in ${without.join('; ')}`);
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
        await root.send('PUT', sweepPath, { enabled: false, dry_run: true });
        await root.send('PUT', '/api/admin/auth-config/ldap', { ldap_enabled: false });
        await slapd.stop();
      }
      if (instance) await limitSignIns(instance, null);
    },
  };
};
