import { workerRpc, type ReplyOf } from '@overtone/contracts';
import { unavailable, type Bus } from '@overtone/service-kit';
import { LRUCache } from 'lru-cache';
import pTimeout from 'p-timeout';
import type { Vectoriser, Vectors } from './vectoriser.ts';

/** A sentence model takes up to a tenth of a second for each text on a busy machine. */
const batchSize = 32;
const maxCached = 1_000;
/** Timeout of a query's vector; the search continues with keywords only. */
const queryTimeoutMs = 1_000;
/** After a timeout, queries skip the semantic leg for this long instead of waiting each time. */
const pauseMs = 5_000;

type QueryVector = Awaited<ReturnType<Vectoriser['query']>>;
type Deps = { bus: Pick<Bus, 'request'>; now?: () => number };

/** Requests vectors from the workers; caches those of recent queries by model. */
export function createWorkerVectoriser({ bus, now = Date.now }: Deps): Vectoriser {
  const recent = new LRUCache<string, QueryVector>({ max: maxCached });
  let pausedUntil = 0;

  const requestQueryVector = async (text: string, wanted: string | null): Promise<QueryVector> => {
    if (now() < pausedUntil) throw unavailable('service_unavailable', 'Vectors are unavailable');
    try {
      const request = { texts: [text], kind: 'query' as const, ...(wanted === null ? {} : { model: wanted }) };
      const reply = await pTimeout(bus.request(workerRpc.embed, request), {
        milliseconds: queryTimeoutMs,
        message: unavailable('timeout', 'Vectors took too long'),
      });
      const { model, vectors } = decode(reply);
      return { model, vector: vectors[0] ?? null };
    } catch (err) {
      pausedUntil = now() + pauseMs;
      throw err;
    }
  };

  return {
    model: async () => (await bus.request(workerRpc.embed, { texts: ['model'], kind: 'query' })).model,
    documents: (texts, signal, reportProgress = () => {}) => requestDocuments(bus, texts, signal, reportProgress),
    query: async (text, wanted) => {
      const known = wanted === null ? undefined : recent.get(keyOf(wanted, text));
      if (known) return known;
      const vector = await requestQueryVector(text, wanted);
      recent.set(keyOf(vector.model.name, text), vector);
      return vector;
    },
  };
}

function keyOf(model: string, text: string): string {
  return `${model}\n${text}`;
}

async function requestDocuments(
  bus: Pick<Bus, 'request'>,
  texts: readonly string[],
  signal: AbortSignal,
  reportProgress: (share: number) => void,
): Promise<Vectors> {
  const vectors: Vectors['vectors'] = [];
  let model: Vectors['model'] | undefined;
  for (let start = 0; start < texts.length; start += batchSize) {
    signal.throwIfAborted();
    const batch = texts.slice(start, start + batchSize);
    const reply = decode(await bus.request(workerRpc.embed, { texts: batch, kind: 'document' }));
    if (model && model.name !== reply.model.name)
      throw unavailable('service_unavailable', 'The text model changed while a file was read');
    model = reply.model;
    vectors.push(...reply.vectors);
    reportProgress(vectors.length / texts.length);
  }
  if (!model) throw new TypeError('no texts');
  return { model, vectors };
}

function decode({ model, dim, vectors }: ReplyOf<typeof workerRpc.embed>): Vectors {
  return {
    model: { name: model, dim },
    vectors: vectors.map((encoded) => {
      const bytes = Uint8Array.from(Buffer.from(encoded, 'base64'));
      const vector = new Float32Array(bytes.buffer, 0, Math.floor(bytes.length / 4));
      return vector.length === dim && vector.some((x) => x !== 0) ? vector : null;
    }),
  };
}
