import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ReplyOf, RequestOf, RpcDef, ServiceName } from '@overtone/contracts';
import pTimeout from 'p-timeout';
import { createAssertionVerifier, type Caller } from './assertion.ts';
import { createBus, type Bus } from './bus/bus.ts';
import type { Consumer } from './bus/consumer.ts';
import { watchEventLag } from './bus/event-lag.ts';
import type { ServiceEnv } from './env.ts';
import { createAccessLog } from './http/access-log.ts';
import { createApi } from './http/api.ts';
import { createDrain } from './http/drain.ts';
import { createInternal, readinessPath, runChecks, type Checks, type InternalRoute } from './http/internal.ts';
import type { Route } from './http/route.ts';
import type { LineSink } from './line-sink.ts';
import { createLog, outputOf, type Log } from './log.ts';
import { createMetrics, type Metrics } from './metrics.ts';
import { waitForDependency } from './wait-for-dependency.ts';
import type { Periodic } from './periodic.ts';
import { startTracing } from './tracing.ts';
import { version } from './version.ts';

/** Serves the requests of one RPC. */
export type RpcHandler = { serve: (bus: Bus) => void };

export function rpc<R extends RpcDef>(def: R, handler: (request: RequestOf<R>) => Promise<ReplyOf<R>>): RpcHandler {
  return {
    serve: (bus) => bus.serve(def, handler),
  };
}

/**
 * Something with a life of its own (outbox relay, engine supervisor): started before traffic, stopped after it. A start
 * that finds no database or no broker is made again until there is one.
 */
export type Part = { name: string; start: () => Promise<void>; stop: () => Promise<void> };

/** Does jobs; see `worker` of `@overtone/jobs`. */
export type Worker = {
  start: (bus: Bus) => {
    /** Takes nothing new; resolves when everything in hand is done. */
    retire: () => Promise<void>;
    stop: () => Promise<void>;
  };
};

/** What one slice adds to its service. The first route that matches a request serves it; parts start in this order. */
export type Slice = {
  routes?: Route[];
  rpcs?: RpcHandler[];
  consumers?: Consumer[];
  jobs?: Worker[];
  periodics?: Periodic[];
  parts?: Part[];
  /** Ends what would keep the listener from closing, such as sockets; their clients can still send requests while it runs. */
  beforeClose?: () => Promise<void>;
  /** Checks of dependencies for `/health/ready`. */
  checks?: Checks;
  /** Routes of the internal port. */
  internal?: InternalRoute[];
};

/** What every service has: its name, its environment, and its connections to the broker, the log and the metrics. */
export type ServiceBase<E extends ServiceEnv = ServiceEnv> = {
  name: ServiceName;
  version: string;
  env: E;
  log: Log;
  /** Where the lines of the log go. */
  output: LineSink;
  metrics: Metrics;
  bus: Bus;
  /** Parts that were created with this base and that its slices must contain: the service cannot work without them. */
  requiredParts: Part[];
  /** Verifies the identity assertion of the edge. Without the edge's public key, no caller is signed in. */
  whoIs: (assertion: string | undefined) => Caller | null;
};

type BaseEnv = ServiceEnv & {
  NATS_URL: string;
  NATS_USER?: string | undefined;
  NATS_PASSWORD?: string | undefined;
  ASSERTION_PUBLIC_KEY?: string;
};

export function createServiceBase<E extends BaseEnv>(name: ServiceName, env: E): ServiceBase<E> {
  const output = outputOf(env);
  const log = createLog(name, env, output);
  const { NATS_URL: url, NATS_USER: user, NATS_PASSWORD: password, ASSERTION_PUBLIC_KEY: publicKey } = env;
  return {
    name,
    version,
    env,
    log,
    output,
    metrics: createMetrics(output),
    bus: createBus({ service: name, url, user, password, log }),
    requiredParts: [],
    whoIs: publicKey ? createAssertionVerifier(publicKey, name) : identifyNoCaller,
  };
}

export type ServiceDefinition = ServiceBase & {
  slices: Slice[];
  /** Replaces the API listener built from the routes (edge, realtime gateway). */
  listener?: Server;
  /** When the process should be replaced, and because of which queue. */
  recycling?: { recycleDue: Promise<string> };
};
export type Service = {
  start: () => Promise<{ apiPort: number; internalPort: number }>;
  stop: () => Promise<void>;
  /** Resolves when the process has reached its task limit and finished its last task; never without `recycling`. */
  recycled: Promise<void>;
  log: Log;
  metrics: Metrics;
};

/**
 * Creates a service from its slices. Start: internal listener, broker, parts, RPCs, consumers, jobs, periodic tasks, API.
 * Stop is the reverse: unready, drain delay, no new work, finish within the grace period, close.
 */
export function createService({ slices, listener, recycling, ...base }: ServiceDefinition): Service {
  const { name, env, log, metrics, bus } = base;
  const slice = merge(slices);
  assertPartsListed(base, slice);
  if (slice.consumers.length > 0) watchEventLag(metrics, bus, slice.consumers);
  metrics.unhandledErrors.inc({ kind: 'uncaught_exception' }, env.UNCAUGHT_EXCEPTIONS ?? 0);
  metrics.unhandledErrors.inc({ kind: 'unresponsive' }, env.UNRESPONSIVE_RESTARTS ?? 0);
  let accepting = false;
  const ending = new AbortController();
  const internal = createInternalServer(base, slice, () => accepting && !ending.signal.aborted);
  const api = listener ?? createApiServer(base, slice);
  const drain = createDrain(api);
  const parts = createParts(slice, log);
  const tasks = createTasks(slice, base);
  let stopTracing = async (): Promise<void> => {};

  const recycled = recycling?.recycleDue.then(async (queue) => {
    log.info({ queue }, 'task limit reached, replacing process');
    await tasks.retire();
  });
  const closeListener = async (): Promise<void> => {
    await slice.beforeClose().catch((err: unknown) => log.warn({ err: err as Error }, 'did not close well'));
    await drain.close();
  };
  const closeConnections = async (): Promise<void> => {
    await parts.stop();
    await bus.close();
    await stopTracing();
  };

  return {
    log,
    metrics,
    recycled: recycled ?? new Promise(() => {}),
    start: async () => {
      const internalPort = await listen(internal, env.INTERNAL_PORT, env, log);
      stopTracing = await startTracing(name, env);
      await bus.connect();
      await parts.start(ending.signal);
      ending.signal.throwIfAborted();
      if (env.STANDBY !== true) tasks.start();
      const apiPort = await listen(api, env.API_PORT, env, log);
      accepting = true;
      log.info({ api_port: apiPort, internal_port: internalPort }, 'ready');
      return { apiPort, internalPort };
    },
    stop: async () => {
      ending.abort();
      drain.begin();
      // A service that is still starting has received no requests.
      if (accepting) await sleep(env.DRAIN_DELAY_MS);
      const forEnds = Math.min(endsMs, env.SHUTDOWN_GRACE_MS / 5);
      await within(
        env.SHUTDOWN_GRACE_MS - forEnds,
        Promise.allSettled([closeListener(), bus.stopServing(), tasks.stop()]),
      );
      api.closeAllConnections();
      await within(forEnds, closeConnections());
      internal.close();
      internal.closeAllConnections();
    },
  };
}

function createInternalServer(base: ServiceBase, { checks, internal }: Required<Slice>, accepting: () => boolean) {
  const { version, metrics, bus } = base;
  return createServer(
    { keepAliveTimeout: scrapersReturnMs },
    createInternal({ version, metrics, checks: withBroker(bus, checks), accepting, extra: internal }),
  );
}

function createApiServer(
  { log, output, metrics, env, whoIs, bus }: ServiceBase,
  { routes, checks }: Required<Slice>,
): Server {
  const access = createAccessLog(log, env.LOG_FORMAT, output.write);
  const handleRequest = createApi({ routes, log, metrics, access, whoIs });
  const all = withBroker(bus, checks);
  return createServer({ maxHeaderSize, requestTimeout }, (req, res) => {
    // For the edge, which cannot reach the internal port everywhere; without the results of the checks.
    if (req.url === readinessPath) void runChecks(all).then(({ ready }) => res.writeHead(ready ? 200 : 503).end());
    else handleRequest(req, res);
  });
}

function withBroker(bus: ServiceBase['bus'], checks: Checks): Checks {
  return { broker: { critical: true, probe: () => bus.ping() }, ...checks };
}

function assertPartsListed({ name, requiredParts }: ServiceBase, { parts }: Required<Slice>): void {
  const missing = requiredParts.find((part) => !parts.includes(part));
  if (missing) throw new Error(`${name} lists no slice with the part ${missing.name}`);
}

/** Starts the parts in their order, and stops those that were started in the reverse order. */
function createParts({ parts }: Required<Slice>, log: Log) {
  const started: Part[] = [];
  return {
    start: async (signal: AbortSignal): Promise<void> => {
      for (const part of parts) {
        await waitForDependency(() => part.start(), { log, signal });
        started.push(part);
      }
    },
    stop: async (): Promise<void> => {
      for (const part of started.toReversed())
        await part
          .stop()
          .catch((err: unknown) => log.warn({ err: err as Error, part: part.name }, 'did not stop well'));
    },
  };
}

/** Everything that works without a request of the API. */
function createTasks({ rpcs, consumers, jobs, periodics }: Required<Slice>, { bus, log }: ServiceBase) {
  const running: { stop: () => Promise<void> }[] = [];
  const workers: ReturnType<Worker['start']>[] = [];
  return {
    start: (): void => {
      for (const handler of rpcs) handler.serve(bus);
      for (const consumer of consumers) running.push(consumer.start(bus));
      for (const job of jobs) workers.push(job.start(bus));
      running.push(...workers);
      for (const periodic of periodics) running.push(periodic.start(log));
    },
    /** Takes no new jobs; resolves when those in progress are done. */
    retire: async () => void (await Promise.all(workers.map((worker) => worker.retire()))),
    stop: async () => void (await Promise.allSettled(running.map((task) => task.stop()))),
  };
}

// The edge takes 16 KiB of headers from a client and may add a signed copy of them (see forwarded.ts).
const maxHeaderSize = 96 * 1024;

// A long recording on a slow line is no slow request; the edge watches that bodies come.
const requestTimeout = 0;
/** What the last steps of a stop may take of the grace: closing connections to the database and to the broker. */
const endsMs = 2_000;

/** Prometheus reuses its connection for the next scrape. */
const scrapersReturnMs = 75_000;

function identifyNoCaller(): null {
  return null;
}

/** One slice that has everything of all of them, in their order. */
function merge(slices: Slice[]): Required<Slice> {
  return {
    routes: slices.flatMap((slice) => slice.routes ?? []),
    rpcs: slices.flatMap((slice) => slice.rpcs ?? []),
    consumers: slices.flatMap((slice) => slice.consumers ?? []),
    jobs: slices.flatMap((slice) => slice.jobs ?? []),
    periodics: slices.flatMap((slice) => slice.periodics ?? []),
    parts: slices.flatMap((slice) => slice.parts ?? []),
    beforeClose: async () => void (await Promise.all(slices.map(async (slice) => slice.beforeClose?.()))),
    checks: Object.assign({}, ...slices.map((slice) => slice.checks)) as Checks,
    internal: slices.flatMap((slice) => slice.internal ?? []),
  };
}

function listen(
  server: Server,
  port: number,
  { SERVICE_HOST: host, REUSE_PORT: reusePort = false }: ServiceEnv,
  log: Log,
): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen({ port, host, reusePort }, () => {
      // A connection that cannot be accepted, for example without a free descriptor, must not end the process.
      server.off('error', reject).on('error', (err) => log.warn({ err }, 'connection not accepted'));
      resolve((server.address() as AddressInfo).port);
    });
  });
}

/** Waits for the work, but not for longer. */
async function within(milliseconds: number, work: Promise<unknown>): Promise<void> {
  await pTimeout(work, { milliseconds: Math.max(1, milliseconds), message: false });
}
