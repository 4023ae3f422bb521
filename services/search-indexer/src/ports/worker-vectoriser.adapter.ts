import { workerRpc, type ReplyOf } from '@overtone/contracts';
import { unavailable, type Bus } from '@overtone/service-kit';
import type { Vectoriser, Vectors } from './vectoriser.ts';

const batchSize = 64;
const maxCached = 1_000;
/** Timeout of a query's vector; the search continues with keywords only. */
const queryTimeoutMs = 1_000;
/** After a timeout, queries skip the semantic leg for this long instead of waiting each time. */
const pauseMs = 5_000;

type QueryVector = Awaited<ReturnType<Vectoriser['query']>>;

/** Requests vectors from the workers; caches those of recent queries. */
export function createWorkerVectoriser({
  bus,
  now = Date.now,
}: {
  bus: Pick<Bus, 'request'>;
  now?: () => number;
}): Vectoriser {
  const recent = new Map<string, QueryVector>();
  let model = '';
  let pausedUntil = 0;

  const requestQueryVector = async (text: string): Promise<QueryVector> => {
    if (now() < pausedUntil) throw unavailable('service_unavailable', 'Vectors are unavailable');
    const timeout = new AbortController();
    try {
      const reply = await Promise.race([
        bus.request(workerRpc.embed, { texts: [text], kind: 'query' }),
        rejectAfter(queryTimeoutMs, timeout.signal),
      ]);
      const { model: usedModel, vectors } = decode(reply);
      return { model: usedModel, vector: vectors[0] ?? null };
    } catch (e) {
      pausedUntil = now() + pauseMs;
      throw e;
    } finally {
      timeout.abort();
    }
  };

  /** Clears the cache when the model has changed. */
  const noteModel = (name: string): void => {
    if (name !== model) recent.clear();
    model = name;
  };

  return {
    model: async () => {
      const { model: name } = await bus.request(workerRpc.embed, { texts: ['model'], kind: 'query' });
      noteModel(name);
      return name;
    },
    documents: async (texts, signal, done = () => {}) => {
      const vectors: Vectors['vectors'] = [];
      let usedModel: Vectors['model'] | undefined;
      for (let start = 0; start < texts.length; start += batchSize) {
        signal.throwIfAborted();
        const batch = texts.slice(start, start + batchSize);
        const reply = decode(await bus.request(workerRpc.embed, { texts: batch, kind: 'document' }));
        if (usedModel && usedModel.name !== reply.model.name)
          throw unavailable('service_unavailable', 'The text model changed while a file was read');
        usedModel = reply.model;
        vectors.push(...reply.vectors);
        done(vectors.length / texts.length);
      }
      if (!usedModel) throw new TypeError('no texts');
      return { model: usedModel, vectors };
    },
    query: async (text) => {
      const known = recent.get(text);
      if (known) {
        recent.delete(text);
        recent.set(text, known);
        return known;
      }
      const reply = await requestQueryVector(text);
      noteModel(reply.model.name);
      recent.set(text, reply);
      if (recent.size > maxCached) recent.delete(recent.keys().next().value as string);
      return reply;
    },
  };
}

function rejectAfter(ms: number, signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    const timer = setTimeout(() => reject(unavailable('timeout', 'Vectors took too long')), ms);
    signal.addEventListener('abort', () => clearTimeout(timer), { once: true });
  });
}

function decode({ model, dim, vectors }: ReplyOf<typeof workerRpc.embed>): Vectors {
  return {
    model: { name: model, dim },
    vectors: vectors.map((v) => {
      const bytes = Uint8Array.from(Buffer.from(v, 'base64'));
      const vector = new Float32Array(bytes.buffer, 0, Math.floor(bytes.length / 4));
      return vector.length === dim && vector.some((x) => x !== 0) ? vector : null;
    }),
  };
}
