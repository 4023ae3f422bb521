import express from 'express';
import type { Metrics } from '../metrics.ts';

/** A readiness probe; `critical` ones turn the answer to 503, the others only degrade it. */
export type Check = { critical: boolean; probe: (signal: AbortSignal) => Promise<void> };
export type Checks = Record<string, Check>;
export type CheckResult = 'ok' | `error: ${string}`;

const boundMs = 2_000;

/** Runs every probe once, in parallel, each bounded at 2 s (specification, "Health and metrics"). */
export const runChecks = async (checks: Checks): Promise<{ ready: boolean; results: Record<string, CheckResult> }> => {
  const entries = await Promise.all(
    Object.entries(checks).map(async ([name, check]) => {
      const result = await bounded(check);
      return { name, result, critical: check.critical };
    }),
  );
  return {
    ready: entries.every((e) => e.result === 'ok' || !e.critical),
    results: Object.fromEntries(entries.map((e) => [e.name, e.result])),
  };
};

const bounded = async (check: Check): Promise<CheckResult> => {
  const aborter = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error('timeout')), boundMs);
  });
  try {
    await Promise.race([check.probe(aborter.signal), late]);
    return 'ok';
  } catch (e) {
    aborter.abort();
    return `error: ${e instanceof Error && e.message === 'timeout' ? 'timeout' : e instanceof Error ? e.name : 'unknown'}`;
  } finally {
    clearTimeout(timer);
  }
};

export type InternalRoute = { path: string; run: () => Promise<{ contentType: string; body: string }> };
export type InternalOptions = {
  version: string;
  metrics: Metrics;
  checks: Checks;
  /** False while starting and while draining. */
  accepting: () => boolean;
  extra: InternalRoute[];
};

/** What `/health/ready` says, as numbers: whoever only scrapes sees it too. */
const watchReadiness = ({ metrics, checks, accepting }: InternalOptions): void =>
  metrics.watch(
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

/** The internal listener: health, readiness and metrics, never behind the gateway. */
export const createInternal = (options: InternalOptions): express.Express => {
  const { version, metrics, checks, accepting, extra } = options;
  watchReadiness(options);
  const app = express();
  app.disable('x-powered-by');
  app.get('/health', (_req, res) => {
    res.json({ status: 'healthy', version });
  });
  app.get('/health/ready', async (_req, res) => {
    const { ready, results } = await runChecks(checks);
    const ok = ready && accepting();
    res.status(ok ? 200 : 503).json({ status: ok ? 'ready' : 'not_ready', checks: results });
  });
  app.get('/metrics', async (_req, res) => {
    res.type(metrics.registry.contentType).send(await metrics.registry.metrics());
  });
  for (const route of extra) {
    app.get(route.path, async (_req, res) => {
      const { contentType, body } = await route.run();
      res.type(contentType).send(body);
    });
  }
  return app;
};
