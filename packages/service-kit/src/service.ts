import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ReplyOf, RequestOf, RpcDef, ServiceName } from '@overtone/contracts';
import type { Caller } from './assertion.ts';
import type { Bus } from './bus/bus.ts';
import type { Consumer } from './bus/consumer.ts';
import { watchEventLag } from './bus/event-lag.ts';
import type { ServiceEnv } from './env.ts';
import { createAccessLog } from './http/access-log.ts';
import { createApi } from './http/api.ts';
import { createDrain } from './http/drain.ts';
import { createInternal, type Checks, type InternalRoute } from './http/internal.ts';
import type { Route } from './http/route.ts';
import type { Wear } from './jobs/wear.ts';
import type { Worker } from './jobs/worker.ts';
import type { Log } from './log.ts';
import type { Metrics } from './metrics.ts';
import { onceThere } from './patience.ts';
import type { Periodic } from './periodic.ts';
import { startTracing } from './tracing.ts';

/** Answers to one question from another service. */
export type RpcHandler = { serve: (bus: Bus) => void };
export const answer = <R extends RpcDef>(
  def: R,
  handler: (request: RequestOf<R>) => Promise<ReplyOf<R>>,
): RpcHandler => ({
  serve: (bus) => bus.serve(def, handler),
});

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
  wear?: Wear;
};
export type Service = {
  start: () => Promise<{ apiPort: number; internalPort: number }>;
  stop: () => Promise<void>;
  /** Resolves when the process has done its number of tasks and the last of them; never without `wear`. */
  wornOut: Promise<void>;
  log: Log;
};

/**
 * A service from the list of what it is. Start: internal listener, broker, parts, questions, events, jobs, API, ready.
 * Stop is the reverse: unready, drain delay, no new work, finish within the grace, close.
 */
export const createService = (d: ServiceDefinition): Service => {
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
      createApi({ routes: d.routes ?? [], log: d.log, metrics: d.metrics, access, whoIs: d.whoIs ?? nobody }),
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

  const wornOut = d.wear?.wornOut.then(async (queue) => {
    d.log.info({ queue }, 'has done its number of tasks: a new process takes over');
    await Promise.all(workers.map((w) => w.retire()));
  });

  return {
    log: d.log,
    wornOut: wornOut ?? new Promise(() => {}),
    start: async () => {
      const internalPort = await listen(internal, d.env.INTERNAL_PORT, d.env.SERVICE_HOST);
      stopTracing = await startTracing(d.name, d.env);
      await d.bus.connect();
      for (const part of d.parts ?? []) {
        await onceThere(() => part.start(), { log: d.log, signal: ending.signal });
        started.push(part);
      }
      ending.signal.throwIfAborted();
      for (const rpc of d.rpcs ?? []) rpc.serve(d.bus);
      for (const c of d.consumers ?? []) running.push(c.start(d.bus));
      for (const w of d.workers ?? []) workers.push(w.start(d.bus));
      running.push(...workers);
      for (const p of d.periodics ?? []) running.push(p.start(d.log));
      const apiPort = await listen(api, d.env.API_PORT, d.env.SERVICE_HOST);
      accepting = true;
      d.log.info({ api_port: apiPort, internal_port: internalPort }, 'ready');
      return { apiPort, internalPort };
    },
    stop: async () => {
      ending.abort();
      drain.begin();
      // Nobody was ever sent to one that is still starting.
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
};

// The edge takes 16 KiB of headers from a client and may add a signed copy of them (see forwarded.ts).
const maxHeaderSize = 96 * 1024;

// A long recording on a slow line is no slow request; the edge watches that bodies come.
const requestTimeout = 0;
/** What the last steps of a stop may take of the grace: closing connections to the database and to the broker. */
const endsMs = 2_000;

/** Whoever scrapes comes again on the connection it has. */
const scrapersReturnMs = 75_000;

const nobody = (): Caller | null => null;

const listen = (server: Server, port: number, host: string): Promise<number> =>
  new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => resolve((server.address() as AddressInfo).port));
  });

/** Waits for the work, but not for longer. */
const within = async (ms: number, work: Promise<unknown>): Promise<void> => {
  const over = new AbortController();
  await Promise.race([work, sleep(ms, undefined, { signal: over.signal }).catch(() => {})]);
  over.abort();
};

/** Starts a service as this process: stops on SIGTERM, SIGINT or when it is worn out, exits 1 when something is beyond repair. */
export const runService = async (service: Service): Promise<void> => {
  let stopping = false;
  const stop = (code: number) => {
    if (stopping) return;
    stopping = true;
    void service.stop().finally(() => process.exit(code));
  };
  process.on('SIGTERM', () => stop(0));
  process.on('SIGINT', () => stop(0));
  process.on('uncaughtException', (err) => {
    service.log.fatal({ err }, 'uncaught exception');
    stop(1);
  });
  process.on('unhandledRejection', (err) => {
    service.log.fatal({ err: err as Error }, 'unhandled rejection');
    stop(1);
  });
  void service.wornOut.then(() => stop(0));
  try {
    await service.start();
  } catch (err) {
    // Told to stop before it was ready: that goes its own way.
    if (stopping) return;
    service.log.fatal({ err: err as Error }, 'could not start');
    process.exit(1);
  }
};
