import type { RequestListener } from 'node:http';
import pTimeout, { TimeoutError } from 'p-timeout';
import { isAppError } from '../errors.ts';
import type { Metrics } from '../metrics.ts';

/** A readiness probe; `critical` ones turn the answer to 503, the others only degrade it. */
export type Check = { critical: boolean; probe: (signal: AbortSignal) => Promise<void> };
export type Checks = Record<string, Check>;
export type CheckResult = 'ok' | `error: ${string}`;

const boundMs = 2_000;

export const readinessPath = '/health/ready';

/** Runs every probe once, in parallel, each bounded at 2 s (specification, "Health and metrics"). */
export async function runChecks(checks: Checks): Promise<{ ready: boolean; results: Record<string, CheckResult> }> {
  const entries = await Promise.all(
    Object.entries(checks).map(async ([name, check]) => {
      const result = await bounded(check);
      return { name, result, critical: check.critical };
    }),
  );
  return {
    ready: entries.every((entry) => entry.result === 'ok' || !entry.critical),
    results: Object.fromEntries(entries.map((entry) => [entry.name, entry.result])),
  };
}

async function bounded(check: Check): Promise<CheckResult> {
  const aborter = new AbortController();
  try {
    await pTimeout(check.probe(aborter.signal), { milliseconds: boundMs });
    return 'ok';
  } catch (error) {
    aborter.abort();
    return `error: ${reasonOf(error)}`;
  }
}

function reasonOf(error: unknown): string {
  if (isAppError(error)) return `${error.code}: ${error.message}`;
  if (error instanceof TimeoutError) return 'timeout';
  return error instanceof Error ? error.name : 'unknown';
}

export type InternalRoute = { path: string; run: () => Promise<{ contentType: string; body: string }> };
export type InternalOptions = {
  version: string;
  metrics: Metrics;
  checks: Checks;
  /** False while starting and while draining. */
  accepting: () => boolean;
  extra: InternalRoute[];
};

/** The result of `/health/ready` as metrics, for Prometheus. */
function watchReadiness({ metrics, checks, accepting }: InternalOptions): void {
  return metrics.watch(
    [
      { name: 'service_ready', help: '1 when the service takes requests, as /health/ready says' },
      { name: 'dependency_up', help: '1 when a dependency answered within 2 s', label: 'dependency' },
    ],
    async () => {
      const { ready, results } = await runChecks(checks);
      return [
        { name: 'service_ready', value: ready && accepting() ? 1 : 0 },
        ...Object.entries(results).map(([of, is]) => ({ name: 'dependency_up', of, value: is === 'ok' ? 1 : 0 })),
      ];
    },
  );
}

type Page = { status?: number; contentType: string; body: string };

function json(status: number, value: unknown): Page {
  return {
    status,
    contentType: 'application/json; charset=utf-8',
    body: JSON.stringify(value),
  };
}

function pagesOf({ version, metrics, checks, accepting, extra }: InternalOptions): Map<string, () => Promise<Page>> {
  return new Map([
    ['/health', async () => json(200, { status: 'healthy', version })],
    [
      readinessPath,
      async () => {
        const { ready, results } = await runChecks(checks);
        const ok = ready && accepting();
        return json(ok ? 200 : 503, { status: ok ? 'ready' : 'not_ready', checks: results });
      },
    ],
    ['/metrics', async () => ({ contentType: metrics.registry.contentType, body: await metrics.registry.metrics() })],
    ...extra.map(({ path, run }): [string, () => Promise<Page>] => [path, run]),
  ]);
}

const notFound: Page = { status: 404, contentType: 'text/plain; charset=utf-8', body: 'Not found\n' };
const failed: Page = { status: 500, contentType: 'text/plain; charset=utf-8', body: 'Failed\n' };

/**
 * The internal listener: health, readiness and metrics, never behind the gateway. Pages without parameters and a scraper
 * that waits a few milliseconds at most: what a framework does for a request would cost more than the answer.
 */
export function createInternal(options: InternalOptions): RequestListener {
  watchReadiness(options);
  const pages = pagesOf(options);
  return (req, res) => {
    const send = ({ status = 200, contentType, body }: Page): void => {
      res.writeHead(status, { 'content-type': contentType, 'content-length': Buffer.byteLength(body) });
      res.end(body);
    };
    const [path = ''] = (req.url ?? '').split('?', 1);
    const page = req.method === 'GET' || req.method === 'HEAD' ? pages.get(path) : undefined;
    if (page) void page().then(send, () => send(failed));
    else send(notFound);
  };
}
