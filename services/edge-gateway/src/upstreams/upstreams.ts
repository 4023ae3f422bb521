import { get } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ServiceName } from '@overtone/contracts';
import { HealthProbe, type Log } from '@overtone/service-kit';
import { Pool, type Dispatcher } from 'undici';
import type { EdgeEnv } from '../env.ts';

/** The services behind the edge, with a pool of connections to each. */
export type Upstreams = {
  urls: URL[];
  pools: Partial<Record<ServiceName, Dispatcher>>;
  identity: Dispatcher;
  healthProbes: Partial<Record<ServiceName, HealthProbe>>;
  connectionWait: ConnectionWait;
  close: () => Promise<void>;
};

type Deps = { env: EdgeEnv; log: Log; responseLimits?: ResponseLimits | undefined };

/** Shorter than the services keep it (see the kit's drain), so that none of them closes a connection under a request. */
const keepIdleMs = 1_000;

export function createUpstreams({ env, log, responseLimits = usualLimits }: Deps): Upstreams {
  const urls: Partial<Record<ServiceName, string>> = {
    identity: env.IDENTITY_URL,
    media: env.MEDIA_URL,
    'transcription-dispatcher': env.TRANSCRIPTION_DISPATCHER_URL,
    'search-indexer': env.SEARCH_INDEXER_URL,
    'realtime-gateway': env.REALTIME_GATEWAY_URL,
    ...(env.OPERATIONS_URL ? { operations: env.OPERATIONS_URL } : {}),
    ...(env.INSIGHTS_URL ? { insights: env.INSIGHTS_URL } : {}),
    ...(env.DIRECTORY_SYNC_URL ? { 'directory-sync': env.DIRECTORY_SYNC_URL } : {}),
  };
  const pools = Object.fromEntries(
    Object.entries(urls).map(([service, url]) => [service, createPool(url, responseLimits[service] ?? responseMs)]),
  );
  const healthProbes = Object.fromEntries(
    Object.entries(urls).map(([service, url]) => [service, createHealthProbe(service, new URL(url), log)]),
  );
  return {
    urls: Object.values(urls).map((url) => new URL(url)),
    pools,
    identity: pools['identity'] as Pool,
    healthProbes,
    connectionWait: createConnectionWait(env.UPSTREAM_WAIT_MS),
    close: async () => {
      for (const probe of Object.values(healthProbes)) probe.end();
      await Promise.all(Object.values(pools).map((pool) => pool.destroy()));
    },
  };
}

const responseMs = 120_000;
/** How long a service may take until its response begins, if not the usual limit. */
export type ResponseLimits = Readonly<Record<string, number>>;
/** The search gives up after seconds: one that has not answered by then hangs, and a person waits for it. */
const usualLimits: ResponseLimits = { 'search-indexer': 30_000 };

/** Keep-alive connections: short timeout for connecting, long one for a response. */
function createPool(url: string, headersTimeout: number): Pool {
  return new Pool(url, {
    connections: 512,
    pipelining: 1,
    keepAliveTimeout: keepIdleMs,
    keepAliveMaxTimeout: keepIdleMs,
    connect: { timeout: 3_000, noDelay: true },
    headersTimeout,
    bodyTimeout: responseMs,
  });
}

const silenceLimitMs = 5_000;

/** Detects a service that accepts connections and responds to nothing, as a stopped process does. */
function createHealthProbe(service: string, url: URL, log: Log): HealthProbe {
  return new HealthProbe({
    silenceLimitMs,
    probe: (onResponse) => {
      const request = get(new URL('/health', url), { agent: false }, (response) => {
        response.resume();
        onResponse();
      });
      request.on('error', (error: NodeJS.ErrnoException) => {
        // No process listens: `createConnectionWait` waits for the next one.
        if (error.code === 'ECONNREFUSED') onResponse();
      });
      return () => request.destroy();
    },
    onStateChange: ({ unresponsive, rejected }) =>
      unresponsive
        ? log.warn({ service, rejected }, 'service unresponsive: pending requests rejected')
        : log.info({ service }, 'service responsive again'),
  });
}

const firstPauseMs = 50;
const longestPauseMs = 250;

/**
 * Waits for services that accept no connection, most often during a restart. A service that has been
 * unreachable for `waitMs` is not waited for any more, so that a long outage is reported immediately.
 */
function createConnectionWait(waitMs: number) {
  const awaySince = new Map<string, number>();
  return {
    /** The service accepted a connection. */
    seen: (service: string): void => void awaySince.delete(service),
    /** The service accepted none. @returns true after a pause when another attempt is due, false to give up. */
    pause: async (service: string, looks: number): Promise<boolean> => {
      const since = awaySince.get(service) ?? Date.now();
      awaySince.set(service, since);
      if (Date.now() - since >= waitMs) return false;
      await sleep(Math.min(longestPauseMs, firstPauseMs * (looks + 1)));
      return true;
    },
  };
}

export type ConnectionWait = ReturnType<typeof createConnectionWait>;
