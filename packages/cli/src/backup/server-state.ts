import { readFileSync } from 'node:fs';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { connect, type NatsConnection } from 'nats';
import { busEnv, readEnv } from '@overtone/service-kit/env';
import { z } from 'zod';
import { messageOf, Refusal } from '../refusal.ts';

const searchEnv = {
  ELASTICSEARCH_URL: z.url().optional(),
  ELASTICSEARCH_API_KEY: z.string().optional(),
  ELASTICSEARCH_CA_FILE: z.string().optional(),
  ELASTICSEARCH_INDEX_PREFIX: z
    .string()
    .regex(/^[a-z0-9-]{1,40}$/)
    .default('overtone-passages'),
};
type Source = Record<string, string | undefined>;
/** The user of the bus that may delete streams: their owner. */
const streamOwner = 'transcription-dispatcher';
const answerMs = 10_000;

/** Servers whose state belongs to the present database, and is made again from any database. */
export type ServerState = {
  /** @throws Refusal bus_unavailable, search_unavailable. */
  readonly check: () => Promise<void>;
  /** Deletes all streams and buckets of the bus, and the index. */
  readonly clear: () => Promise<void>;
  /** Whether the environment names the search server. */
  readonly hasIndex: boolean;
};

/** The bus and the search server that the environment names. */
export function serverState(source: Source): ServerState {
  const { NATS_USER = streamOwner, ...rest } = readEnv(busEnv, source);
  const bus = { ...rest, NATS_USER };
  const search = readEnv(searchEnv, source);
  return {
    hasIndex: search.ELASTICSEARCH_URL !== undefined,
    check: async () => {
      await withBus(bus, async (nats) => void (await (await nats.jetstreamManager()).streams.names().next()));
      if (search.ELASTICSEARCH_URL !== undefined) await indexNames(search);
    },
    clear: async () => {
      await withBus(bus, deleteStreams);
      if (search.ELASTICSEARCH_URL === undefined) return;
      for (const name of await indexNames(search)) await askIndex(search, 'DELETE', `/${name}`);
    },
  };
}

type Bus = { NATS_URL: string; NATS_USER: string; NATS_PASSWORD?: string | undefined };
type Search = Readonly<z.infer<z.ZodObject<typeof searchEnv>>>;

async function withBus(bus: Bus, work: (nats: NatsConnection) => Promise<void>): Promise<void> {
  try {
    const nats = await connect({
      servers: bus.NATS_URL,
      name: 'restore',
      user: bus.NATS_USER,
      ...(bus.NATS_PASSWORD === undefined ? {} : { pass: bus.NATS_PASSWORD }),
      inboxPrefix: `_INBOX.${bus.NATS_USER}`,
      timeout: answerMs,
      maxReconnectAttempts: 0,
    });
    try {
      await work(nats);
    } finally {
      await nats.close();
    }
  } catch (cause) {
    throw new Refusal(`The message broker at ${bus.NATS_URL} cannot be used: ${messageOf(cause)}. (bus_unavailable)`, {
      cause,
    });
  }
}

/** Events and jobs of the present database must not reach services that use another one. */
async function deleteStreams(nats: NatsConnection): Promise<void> {
  const { streams } = await nats.jetstreamManager();
  const names: string[] = [];
  for await (const name of streams.names()) names.push(name);
  for (const name of names) await streams.delete(name);
}

async function indexNames(search: Search): Promise<string[]> {
  const found = await askIndex(search, 'GET', `/${search.ELASTICSEARCH_INDEX_PREFIX}-*`);
  return Object.keys(found as Record<string, unknown>);
}

async function askIndex(search: Search, method: string, path: string): Promise<unknown> {
  const url = `${search.ELASTICSEARCH_URL!.replace(/\/$/, '')}${path}`;
  try {
    // fetch has no option for it; nothing else of a restore uses a certificate.
    if (search.ELASTICSEARCH_CA_FILE !== undefined)
      setDefaultCACertificates([...getCACertificates('default'), readFileSync(search.ELASTICSEARCH_CA_FILE, 'utf8')]);
    const response = await fetch(url, {
      method,
      headers:
        search.ELASTICSEARCH_API_KEY === undefined ? {} : { authorization: `ApiKey ${search.ELASTICSEARCH_API_KEY}` },
      signal: AbortSignal.timeout(answerMs),
    });
    const text = await response.text();
    if (response.status === 404) return {};
    if (!response.ok) throw new Error(`status ${response.status}`);
    return text === '' ? {} : JSON.parse(text);
  } catch (cause) {
    throw new Refusal(
      `The search server at ${search.ELASTICSEARCH_URL} cannot be used: ${messageOf(cause)}. (search_unavailable)`,
      { cause },
    );
  }
}
