import { resolve } from 'node:path';
import { dashboards, toGrafana } from '@overtone/monitoring';
import type { Prometheus } from '@overtone/testkit/prometheus';
import type { Instance } from './instance.ts';
import type { SpecifiedMetric } from './specified-metrics.ts';

const rules = resolve(import.meta.dirname, '../../../deploy/prometheus/rules/*.yml');

type Labels = Readonly<Record<string, string>>;
type Vector = { result: { metric: Labels; value: [number, string] }[] };
type Metadata = { target: Labels; metric: string; type: string };

/** What Prometheus says of itself and not of the metric. */
const own = new Set(['__name__', 'instance', 'job', 'service', 'le']);
const names = (labels: Labels): string[] =>
  Object.keys(labels)
    .filter((name) => !own.has(name))
    .sort();
const sampleOf = ({ name, type }: SpecifiedMetric): string => (type === 'histogram' ? `${name}_bucket` : name);

/** What compose and Kubernetes configure, for this instance: the same jobs, labels and rules, more often. */
export const configurationOf = async (instance: Instance): Promise<string> => {
  const { services } = await instance.status();
  const targets = services.flatMap(({ name, internal_url: url }) =>
    url ? [{ labels: { service: name }, targets: [new URL(url).host] }] : [],
  );
  const dispatcher = targets.filter((t) => t.labels.service === 'transcription-dispatcher');
  return JSON.stringify({
    global: { scrape_interval: '2s', scrape_timeout: '2s', evaluation_interval: '2s' },
    rule_files: [rules],
    scrape_configs: [
      { job_name: 'overtone', static_configs: targets },
      { job_name: 'queues', metrics_path: '/metrics/queues', static_configs: dispatcher },
    ],
  });
};

/** What a Prometheus has scraped. */
export type Scraped = ReturnType<typeof scrapedBy>;
export const scrapedBy = (prometheus: Prometheus) => ({
  query: async (expr: string): Promise<Vector['result']> =>
    (await prometheus.ask<Vector>('query', { query: expr })).result,
  series: (selector: string) => prometheus.ask<Labels[]>('series', { 'match[]': selector }),
  metadata: (job: string) => prometheus.ask<Metadata[]>('targets/metadata', { match_target: `{job="${job}"}` }),
  valuesOf: (label: string) => prometheus.ask<string[]>(`label/${label}/values`),
});

/** What is wrong with a specified metric at one service: its type, its labels, the values and bounds that it must have. */
export const faultsOf = async (
  { series }: Scraped,
  metric: SpecifiedMetric,
  { service, told }: { service: string; told: readonly Metadata[] },
): Promise<string[]> => {
  const at = `${service}: ${metric.name}`;
  const types = told.filter((m) => m.target['service'] === service && m.metric === metric.name).map((m) => m.type);
  const found = await series(`${sampleOf(metric)}{job="overtone",service="${service}"}`);
  const labels = new Set(found.map((s) => names(s).join(' ')));
  const faults: string[] = [];
  if (metric.labels.length === 0 && found.length === 0) faults.push(`${at} has no series`);
  if (types.join() !== metric.type) faults.push(`${at} is ${types.join() || 'missing'} instead of ${metric.type}`);
  if ([...labels].some((l) => l !== [...metric.labels].sort().join(' ')))
    faults.push(`${at} has labels ${[...labels].join(', ')}`);
  const distinct = (label: string) => [...new Set(found.map((s) => s[label] ?? ''))].sort();
  for (const [label, values] of Object.entries(metric.values ?? {}))
    if (distinct(label).join() !== [...values].sort().join())
      faults.push(`${at}: ${label} is ${distinct(label).join()}`);
  const bounds = distinct('le').map((le) => Number(le.replace('+Inf', 'Infinity')));
  if (metric.bounds && found.length > 0 && bounds.sort((a, b) => a - b).join() !== metric.bounds.join())
    faults.push(`${at} has bounds ${bounds.join()}`);
  return faults;
};

/** As Grafana would ask: its variables filled in, over windows that fit so many scrapes. */
export const panelQueries = (): { where: string; expr: string }[] =>
  Object.values(dashboards).flatMap((dashboard) =>
    (toGrafana(dashboard).panels as { title: string; targets?: { expr: string }[] }[]).flatMap(
      ({ title, targets = [] }) =>
        targets.map(({ expr }) => ({
          where: `${dashboard.title}, ${title}: ${expr}`,
          expr: expr.replaceAll('$__rate_interval', '2m').replaceAll('$service', 'media'),
        })),
    ),
  );
