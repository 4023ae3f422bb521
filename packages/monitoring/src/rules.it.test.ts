import { execFile } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { queues, serviceNames } from '@overtone/contracts';
import { parse } from 'yaml';
import { folders } from './files.ts';

const run = promisify(execFile);

type Rule = {
  alert?: string;
  record?: string;
  expr: string;
  labels?: Record<string, string>;
  annotations?: Record<string, string>;
};
type RuleFile = { groups: { name: string; rules: Rule[] }[] };
type TestFile = {
  tests: {
    alert_rule_test?: { alertname: string; exp_alerts: object[] }[];
    promql_expr_test?: { expr: string; exp_samples: { value: number }[] }[];
  }[];
};

function filesIn(folder: string): string[] {
  return readdirSync(resolve(folders.prometheus, folder))
    .filter((name) => name.endsWith('.yml'))
    .map((name) => resolve(folders.prometheus, folder, name));
}

function read<T>(path: string): T {
  return parse(readFileSync(path, 'utf8')) as T;
}

const rules = filesIn('rules').flatMap((path) => read<RuleFile>(path).groups.flatMap((group) => group.rules));
const alerts = rules.filter((rule) => rule.alert !== undefined);
const tests = filesIn('tests').flatMap((path) => read<TestFile>(path).tests);
const alertTests = tests.flatMap((test) => test.alert_rule_test ?? []);

function runbookOf(alert: string): string {
  return resolve(folders.runbooks, `${alert}.md`);
}

describe('Prometheus', () => {
  it('accepts the configuration and every rule', async () => {
    const { stdout } = await run('promtool', ['check', 'config', resolve(folders.prometheus, 'prometheus.yml')]);
    const found = [...stdout.matchAll(/(\d+) rules found/g)].map((match) => Number(match[1]));
    // The configuration must include every file of rules.
    expect(found.reduce((total, item) => total + item, 0)).toBe(rules.length);
  });

  it('passes the tests of every rule', async () => {
    await run('promtool', ['test', 'rules', ...filesIn('tests')]);
  });

  it('scrapes every replica of every service at its internal port, with the name of the service', () => {
    const { scrape_configs: jobs, global } = read<{
      global: { scrape_interval: string };
      scrape_configs: { job_name: string; dns_sd_configs: { names: string[]; port: number }[] }[];
    }>(resolve(folders.prometheus, 'prometheus.yml'));
    expect(global.scrape_interval).toBe('15s');
    expect(jobs.map((job) => job.job_name)).toEqual(['overtone']);
    const found = jobs.flatMap((job) => job.dns_sd_configs);
    expect(found.flatMap((discovery) => discovery.names).sort()).toEqual([...serviceNames].sort());
    expect(new Set(found.map((discovery) => discovery.port))).toEqual(new Set([9090]));
  });
});

describe('Prometheus in a cluster', () => {
  const pod = (app: string, port: string, annotations: Record<string, string>) => ({
    targets: ['10.0.0.1:9090'],
    labels: {
      __meta_kubernetes_pod_phase: 'Running',
      __meta_kubernetes_pod_name: `${app}-1`,
      __meta_kubernetes_pod_label_app_kubernetes_io_name: app,
      __meta_kubernetes_pod_container_port_name: port,
      ...annotations,
    },
  });
  const scraped = {
    __meta_kubernetes_pod_annotation_prometheus_io_scrape: 'true',
    __meta_kubernetes_pod_annotation_prometheus_io_path: '/metrics',
  };
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'overtone-prometheus-'));
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  /** The labels of a pod's series; none when it is not scraped. The pods replace the service discovery of a cluster. */
  const labelsOf = async (found: ReturnType<typeof pod>): Promise<Record<string, string>> => {
    type Config = { rule_files: string[]; scrape_configs: Record<string, unknown>[] };
    const { kubernetes_sd_configs: _, ...job } =
      read<Config>(resolve(folders.prometheus, 'kubernetes.yml')).scrape_configs[0] ?? {};
    const path = join(folder, 'prometheus.json');
    await writeFile(path, JSON.stringify({ scrape_configs: [{ ...job, static_configs: [found] }] }));
    const { stdout } = await run('promtool', ['check', 'service-discovery', path, 'overtone', '--timeout=1s']);
    const [target] = JSON.parse(stdout) as { labels?: Record<string, string> }[];
    return target?.labels ?? {};
  };

  it('uses the same rules', () => {
    const { rule_files: files } = read<{ rule_files: string[] }>(resolve(folders.prometheus, 'kubernetes.yml'));
    expect(files).toEqual(read<{ rule_files: string[] }>(resolve(folders.prometheus, 'prometheus.yml')).rule_files);
  });

  it('gives the series of every service the two labels that rules and dashboards need', async () => {
    expect(await labelsOf(pod('media', 'internal', scraped))).toMatchObject({ job: 'overtone', service: 'media' });
    const gpu = await labelsOf(pod('transcription-worker-gpu', 'internal', scraped));
    expect(gpu).toMatchObject({ job: 'overtone', service: 'transcription-worker', pod: 'transcription-worker-gpu-1' });
  });

  it('scrapes only annotated pods, and only at the internal port', async () => {
    expect(await labelsOf(pod('media', 'api', scraped))).toEqual({});
    expect(await labelsOf(pod('media', 'internal', {}))).toEqual({});
  });
});

describe('every rule', () => {
  it('of kind alert has a test in which it fires and one in which it does not', () => {
    const tested = (fires: boolean) =>
      new Set(alertTests.filter((test) => test.exp_alerts.length > 0 === fires).map((test) => test.alertname));
    expect(alerts.filter((alert) => !tested(true).has(alert.alert ?? '')).map((alert) => alert.alert)).toEqual([]);
    expect(alerts.filter((alert) => !tested(false).has(alert.alert ?? '')).map((alert) => alert.alert)).toEqual([]);
  });

  it('of kind record has a test of its value', () => {
    const tested = tests.flatMap((test) => test.promql_expr_test ?? []).map((tested) => tested.expr);
    const recorded = rules.flatMap((rule) => (rule.record === undefined ? [] : [rule.record]));
    expect(recorded.filter((name) => !tested.some((expr) => expr.includes(name)))).toEqual([]);
  });

  it('of kind alert has a severity, a summary, a description and a runbook', () => {
    for (const { alert = '', labels = {}, annotations = {} } of alerts) {
      expect(['critical', 'warning']).toContain(labels['severity']);
      expect(annotations['summary']).toMatch(/\S/);
      expect(annotations['description']).toMatch(/\S/);
      expect(annotations['runbook_url']).toBe(`docs/runbooks/${alert}.md`);
    }
    expect(new Set(alerts.map((alert) => alert.alert)).size).toBe(alerts.length);
  });

  it('of kind alert has a runbook with meaning, diagnosis and remedy', () => {
    for (const { alert = '' } of alerts) {
      expect({ alert, written: existsSync(runbookOf(alert)) }).toEqual({ alert, written: true });
      const text = readFileSync(runbookOf(alert), 'utf8');
      expect(text.startsWith(`# ${alert}\n`)).toBe(true);
      for (const heading of ['Meaning', 'Look at', 'Do']) expect(text).toContain(`\n## ${heading}\n`);
    }
    const written = readdirSync(folders.runbooks).filter((name) => name !== 'README.md');
    expect(written.sort()).toEqual(alerts.map(({ alert }) => `${alert}.md`).sort());
  });
});

describe('signals of the specification', () => {
  const ruleOf = (name: string) => rules.find((rule) => rule.alert === name);

  it.each([
    ['QueueOrphaned', 'max by (queue) (celery_queue_orphaned) > 0', '5m'],
    ['RunsWithoutLease', 'max(transcription_runs_without_lease) > 0', '5m'],
    ['FilesInfraRequeued', 'max(transcription_files_infra_requeued) > 0', undefined],
  ])('%s alerts as the specification says', (name, expr, wait) => {
    expect(ruleOf(name)).toMatchObject({ expr, ...(wait ? { for: wait } : {}) });
  });

  it('compare the oldest unacknowledged delivery with the longest legitimate stage of every queue', () => {
    const limits = rules.filter((rule) => rule.record === 'queue:oldest_unacked_limit:seconds');
    expect(limits.map((limit) => limit.labels?.['queue'] ?? '').sort()).toEqual([...queues].sort());
    expect(ruleOf('QueueOldestUnackedTooOld')?.expr).toContain('celery_queue_oldest_unacked_age_seconds');
  });

  it('use depth and reserved for scaling, and no gauge for alerts', () => {
    const scaled = rules.find((rule) => rule.record === 'queue:celery_queue_work:sum')?.expr ?? '';
    expect([...scaled.matchAll(/celery_queue_\w+/g)].map(String)).toEqual([
      'celery_queue_depth',
      'celery_queue_reserved',
    ]);
  });
});
