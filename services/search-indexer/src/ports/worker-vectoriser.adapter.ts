import { workerRpc } from '@overtone/contracts';
import { decodeVectors, embedTexts, unavailable, type Bus } from '@overtone/service-kit';
import { LRUCache } from 'lru-cache';
import pTimeout from 'p-timeout';
import type { Vectoriser } from './vectoriser.ts';

const maxCached = 1_000;
/** Timeout of a query's vector; the search continues with keywords only. */
const queryTimeoutMs = 1_000;
/** After any error, queries skip the semantic leg for this long instead of waiting each time. */
const pauseMs = 5_000;

type EmbeddedQuery = Awaited<ReturnType<Vectoriser['query']>>;
type Deps = { bus: Pick<Bus, 'request'>; now?: () => number };

/** Requests vectors from the workers; caches those of recent queries by model. */
export function createWorkerVectoriser({ bus, now = Date.now }: Deps): Vectoriser {
  const recent = new LRUCache<string, EmbeddedQuery>({ max: maxCached });
  let pausedUntil = 0;

  const requestQueryVector = async (text: string, wanted: string | null): Promise<EmbeddedQuery> => {
    if (now() < pausedUntil) throw unavailable('service_unavailable', 'Vectors are unavailable');
    try {
      const request = { texts: [text], kind: 'query' as const, ...(wanted === null ? {} : { model: wanted }) };
      const reply = await pTimeout(bus.request(workerRpc.embed, request), {
        milliseconds: queryTimeoutMs,
        message: unavailable('timeout', 'Vectors took too long'),
      });
      const { model, vectors } = decodeVectors(reply);
      return { model, vector: vectors[0] ?? null };
    } catch (err) {
      pausedUntil = now() + pauseMs;
      throw err;
    }
  };

  return {
    model: async () => (await bus.request(workerRpc.embed, { texts: ['model'], kind: 'query' })).model,
    documents: (texts, signal, reportProgress) => embedTexts(bus, texts, signal, reportProgress),
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
