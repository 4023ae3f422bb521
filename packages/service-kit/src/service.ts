import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ReplyOf, RequestOf, RpcDef, ServiceName } from '@overtone/contracts';
import type { Caller } from './assertion.ts';
import type { Bus } from './bus/bus.ts';
import type { Consumer } from './bus/consumer.ts';
import { watchEventLag } from './bus/event-lag.ts';
import type { ServiceEnv } from './env.ts';
import { isAppError } from './errors.ts';
import { createAccessLog } from './http/access-log.ts';
import { createApi } from './http/api.ts';
import { createDrain } from './http/drain.ts';
import { createInternal, type Checks, type InternalRoute } from './http/internal.ts';
import type { Route } from './http/route.ts';
import type { Recycling } from './jobs/recycling.ts';
import type { Worker } from './jobs/worker.ts';
import type { Log } from './log.ts';
import type { Metrics } from './metrics.ts';
import { waitForDependency } from './wait-for-dependency.ts';
import type { Periodic } from './periodic.ts';
import { startTracing } from './tracing.ts';

/** Answers to one question from another service. */
export type RpcHandler = { serve: (bus: Bus) => void };

export function answer<R extends RpcDef>(def: R, handler: (request: RequestOf<R>) => Promise<ReplyOf<R>>): RpcHandler {
  return {
    serve: (bus) => bus.serve(def, handler),
  };
}

/**
 * Something with a life of its own (outbox relay, engine supervisor): started before traffic, stopped after it. A start
 * that finds no database or no broker is made again until there is one.
 */
export type Part = { name: string; start: () => Promise<void>; stop: () => Promise<void> };

export type ServiceDefinition = {
  name: ServiceName;
  version: string;
  env: ServiceEnv;
  log: Log;
  metrics: Metrics;
  bus: Bus;
  /** Verifies the edge's assertion; not needed where `listener` answers the API port itself. */
  whoIs?: (assertion: string | undefined) => Caller | null;
  routes?: Route[];
  /** Replaces the API listener built from `routes` (edge, realtime gateway). */
  listener?: Server;
  rpcs?: RpcHandler[];
  consumers?: Consumer[];
  workers?: Worker[];
  periodics?: Periodic[];
  parts?: Part[];
  checks?: Checks;
  internal?: InternalRoute[];
  /** Counts the tasks that the workers do in this process itself. */
  recycling?: Recycling;
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
 * A service from the list of what it is. Start: internal listener, broker, parts, questions, events, jobs, API, ready.
 * Stop is the reverse: unready, drain delay, no new work, finish within the grace, close.
 */
export function createService(d: ServiceDefinition): Service {
  let accepting = false;
  const ending = new AbortController();
  const running: { stop: () => Promise<void> }[] = [];
  const workers: ReturnType<Worker['start']>[] = [];
  const started: Part[] = [];
  let stopTracing = async (): Promise<void> => {};
  const checks: Checks = { broker: { critical: true, probe: () => d.bus.ping() }, ...d.checks };
  if (d.consumers?.length) watchEventLag(d.metrics, d.bus, d.consumers);
  const internal = createServer(
    { keepAliveTimeout: scrapersReturnMs },
    createInternal({
      version: d.version,
      metrics: d.metrics,
      checks,
      accepting: () => accepting && !ending.signal.aborted,
      extra: d.internal ?? [],
    }),
  );
  const access = createAccessLog(d.log, d.env.LOG_FORMAT);
  const api =
    d.listener ??
    createServer(
      { maxHeaderSize, requestTimeout },
      createApi({ routes: d.routes ?? [], log: d.log, metrics: d.metrics, access, whoIs: d.whoIs ?? identifyNoCaller }),
    );

  const drain = createDrain(api);
  const stopParts = async (): Promise<void> => {
    for (const part of started.toReversed())
      await part
        .stop()
        .catch((err: unknown) => d.log.warn({ err: err as Error, part: part.name }, 'did not stop well'));
    await d.bus.close();
    await stopTracing();
  };

  const recycled = d.recycling?.recycleDue.then(async (queue) => {
    d.log.info({ queue }, 'has done its number of tasks: a new process takes over');
    await Promise.all(workers.map((w) => w.retire()));
  });

  d.metrics.unhandledErrors.inc({ kind: 'uncaught_exception' }, d.env.UNCAUGHT_EXCEPTIONS ?? 0);

  return {
    log: d.log,
    metrics: d.metrics,
    recycled: recycled ?? new Promise(() => {}),
    start: async () => {
      const internalPort = await listen(internal, d.env.INTERNAL_PORT, d.env.SERVICE_HOST, d.log);
      stopTracing = await startTracing(d.name, d.env);
      await d.bus.connect();
      for (const part of d.parts ?? []) {
        await waitForDependency(() => part.start(), { log: d.log, signal: ending.signal });
        started.push(part);
      }
      ending.signal.throwIfAborted();
      for (const rpc of d.rpcs ?? []) rpc.serve(d.bus);
      for (const c of d.consumers ?? []) running.push(c.start(d.bus));
      for (const w of d.workers ?? []) workers.push(w.start(d.bus));
      running.push(...workers);
      for (const p of d.periodics ?? []) running.push(p.start(d.log));
      const apiPort = await listen(api, d.env.API_PORT, d.env.SERVICE_HOST, d.log);
      accepting = true;
      d.log.info({ api_port: apiPort, internal_port: internalPort }, 'ready');
      return { apiPort, internalPort };
    },
    stop: async () => {
      ending.abort();
      drain.begin();
      // A service that is still starting has received no requests.
      if (accepting) await sleep(d.env.DRAIN_DELAY_MS);
      const forEnds = Math.min(endsMs, d.env.SHUTDOWN_GRACE_MS / 5);
      const work = [drain.close(), d.bus.stopServing(), ...running.map((r) => r.stop())];
      await within(d.env.SHUTDOWN_GRACE_MS - forEnds, Promise.allSettled(work));
      api.closeAllConnections();
      await within(forEnds, stopParts());
      internal.close();
      internal.closeAllConnections();
    },
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

function identifyNoCaller(): Caller | null {
  return null;
}

function listen(server: Server, port: number, host: string, log: Log): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => {
      // A connection that cannot be accepted, for example without a free descriptor, must not end the process.
      server.off('error', reject).on('error', (err) => log.warn({ err }, 'connection not accepted'));
      resolve((server.address() as AddressInfo).port);
    });
  });
}

/** Waits for the work, but not for longer. */
async function within(ms: number, work: Promise<unknown>): Promise<void> {
  const over = new AbortController();
  await Promise.race([work, sleep(ms, undefined, { signal: over.signal }).catch(() => {})]);
  over.abort();
}

/** Exit code (EX_SOFTWARE) by which the supervisor counts uncaught exceptions for the next process of the service. */
const uncaughtExceptionCode = 70;

/** Whether the operating system or a stream reported the error, or our own code as an expected one. */
function isInputOutputError(error: Error): boolean {
  const { code = '', syscall } = error as NodeJS.ErrnoException;
  return syscall !== undefined || isAppError(error) || /^(ECONNRESET|EPIPE|ABORT_ERR|ERR_STREAM_)/.test(code);
}

/**
 * Starts a service as this process: stops on SIGTERM, SIGINT or when it is due for recycling; exits 1 when it cannot start and 70
 * after an uncaught exception.
 */
export async function runService(service: Service): Promise<void> {
  let stopping = false;
  const stop = (code: number) => {
    if (stopping) return;
    stopping = true;
    void service.stop().finally(() => process.exit(code));
  };
  process.on('SIGTERM', () => stop(0));
  process.on('SIGINT', () => stop(0));
  process.on('uncaughtException', (err) => {
    service.metrics.unhandledErrors.inc({ kind: 'uncaught_exception' });
    service.log.fatal({ err }, 'uncaught exception');
    // A connection or a file that failed says nothing about the rest of the process; any other fault may.
    if (!isInputOutputError(err)) stop(uncaughtExceptionCode);
  });
  process.on('unhandledRejection', (err) => {
    service.metrics.unhandledErrors.inc({ kind: 'unhandled_rejection' });
    service.log.fatal({ err: err as Error }, 'unhandled rejection');
  });
  void service.recycled.then(() => stop(0));
  try {
    await service.start();
  } catch (err) {
    // Stopped before it was ready: `stop` exits the process.
    if (stopping) return;
    service.log.fatal({ err: err as Error }, 'could not start');
    process.exit(1);
  }
}
