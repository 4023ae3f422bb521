import { resolve } from 'node:path';
import { dashboards, toGrafana } from '@overtone/monitoring';
import type { Prometheus } from '@overtone/testkit/prometheus';
import type { Instance } from './instance.ts';
import type { SpecifiedMetric } from './specified-metrics.ts';

const rules = resolve(import.meta.dirname, '../../../deploy/prometheus/rules/*.yml');

type Labels = Readonly<Record<string, string>>;
type Vector = { result: { metric: Labels; value: [number, string] }[] };
type Metadata = { target: Labels; metric: string; type: string };

/** Labels that Prometheus adds. */
const addedLabels = new Set(['__name__', 'instance', 'job', 'service', 'le']);

/** The Prometheus configuration of compose and Kubernetes for this instance, with shorter intervals. */
export async function configurationOf(instance: Instance): Promise<string> {
  const { services } = await instance.status();
  const targets = services.flatMap(({ name, internal_url: url }) =>
    url ? [{ labels: { service: name }, targets: [new URL(url).host] }] : [],
  );
  const dispatcher = targets.filter(({ labels }) => labels.service === 'transcription-dispatcher');
  return JSON.stringify({
    global: { scrape_interval: '2s', scrape_timeout: '2s', evaluation_interval: '2s' },
    rule_files: [rules],
    scrape_configs: [
      { job_name: 'overtone', static_configs: targets },
      { job_name: 'queues', metrics_path: '/metrics/queues', static_configs: dispatcher },
    ],
  });
}

/** Queries over the samples of a Prometheus server. */
export type Scraped = ReturnType<typeof scrapedBy>;

export function scrapedBy(prometheus: Prometheus) {
  return {
    query: async (expr: string): Promise<Vector['result']> =>
      (await prometheus.ask<Vector>('query', { query: expr })).result,
    series: (selector: string) => prometheus.ask<Labels[]>('series', { 'match[]': selector }),
    metadata: (job: string) => prometheus.ask<Metadata[]>('targets/metadata', { match_target: `{job="${job}"}` }),
    valuesOf: (label: string) => prometheus.ask<string[]>(`label/${label}/values`),
  };
}

/** Deviations of a metric of one service from its specification: type, labels, label values and bucket bounds. */
export async function faultsOf(
  { series }: Scraped,
  metric: SpecifiedMetric,
  { service, metadata }: { service: string; metadata: readonly Metadata[] },
): Promise<string[]> {
  const at = `${service}: ${metric.name}`;
  const types = metadata
    .filter(({ target, metric: name }) => target['service'] === service && name === metric.name)
    .map(({ type }) => type);
  const found = await series(`${sampleOf(metric)}{job="overtone",service="${service}"}`);
  const labels = new Set(found.map((one) => names(one).join(' ')));
  const faults: string[] = [];
  if (metric.labels.length === 0 && found.length === 0) faults.push(`${at} has no series`);
  if (types.join() !== metric.type) faults.push(`${at} is ${types.join() || 'missing'} instead of ${metric.type}`);
  if ([...labels].some((names) => names !== [...metric.labels].sort().join(' ')))
    faults.push(`${at} has labels ${[...labels].join(', ')}`);
  const distinct = (label: string) => [...new Set(found.map((one) => one[label] ?? ''))].sort();
  for (const [label, values] of Object.entries(metric.values ?? {}))
    if (distinct(label).join() !== [...values].sort().join())
      faults.push(`${at}: ${label} is ${distinct(label).join()}`);
  const bounds = distinct('le').map((le) => Number(le.replace('+Inf', 'Infinity')));
  if (metric.bounds && found.length > 0 && bounds.sort((x, y) => x - y).join() !== metric.bounds.join())
    faults.push(`${at} has bounds ${bounds.join()}`);
  return faults;
}

/** The queries of all panels with Grafana's variables replaced; the window matches the scrape interval. */
export function panelQueries(): { where: string; expr: string }[] {
  return Object.values(dashboards).flatMap((dashboard) =>
    (toGrafana(dashboard).panels as { title: string; targets?: { expr: string }[] }[]).flatMap(
      ({ title, targets = [] }) =>
        targets.map(({ expr }) => ({
          where: `${dashboard.title}, ${title}: ${expr}`,
          expr: expr.replaceAll('$__rate_interval', '2m').replaceAll('$service', 'media'),
        })),
    ),
  );
}

function sampleOf({ name, type }: SpecifiedMetric): string {
  return type === 'histogram' ? `${name}_bucket` : name;
}

function names(labels: Labels): string[] {
  return Object.keys(labels)
    .filter((name) => !addedLabels.has(name))
    .sort();
}
