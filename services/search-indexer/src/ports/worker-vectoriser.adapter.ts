import { workerRpc, type ReplyOf } from '@overtone/contracts';
import { unavailable, type Bus } from '@overtone/service-kit';
import type { Vectoriser, Vectors } from './vectoriser.ts';

const batchSize = 64;
const remembered = 1_000;
/** A search does not wait longer for its meaning; the words alone are an answer. */
const queryPatienceMs = 1_000;
/** After a silence queries stop asking for a while instead of waiting each time. */
const restMs = 5_000;

type QueryVector = Awaited<ReturnType<Vectoriser['query']>>;

/** Asks the workers over the bus; remembers the vectors of recent queries. */
export const createWorkerVectoriser = ({
  bus,
  now = Date.now,
}: {
  bus: Pick<Bus, 'ask'>;
  now?: () => number;
}): Vectoriser => {
  const recent = new Map<string, QueryVector>();
  let model = '';
  let restUntil = 0;

  const askQuery = async (text: string): Promise<QueryVector> => {
    if (now() < restUntil) throw unavailable('service_unavailable', 'Vectors are not to be had');
    const silence = new AbortController();
    try {
      const reply = await Promise.race([
        bus.ask(workerRpc.embed, { texts: [text], kind: 'query' }),
        late(queryPatienceMs, silence.signal),
      ]);
      const { model: by, vectors } = decode(reply);
      return { model: by, vector: vectors[0] ?? null };
    } catch (e) {
      restUntil = now() + restMs;
      throw e;
    } finally {
      silence.abort();
    }
  };

  /** Another model: what is remembered belongs to the old one. */
  const noteModel = (name: string): void => {
    if (name !== model) recent.clear();
    model = name;
  };

  return {
    model: async () => {
      const { model: name } = await bus.ask(workerRpc.embed, { texts: ['model'], kind: 'query' });
      noteModel(name);
      return name;
    },
    documents: async (texts, signal, done = () => {}) => {
      const vectors: Vectors['vectors'] = [];
      let by: Vectors['model'] | undefined;
      for (let at = 0; at < texts.length; at += batchSize) {
        signal.throwIfAborted();
        const batch = texts.slice(at, at + batchSize);
        const answer = decode(await bus.ask(workerRpc.embed, { texts: batch, kind: 'document' }));
        if (by && by.name !== answer.model.name)
          throw unavailable('service_unavailable', 'The text model changed while a file was read');
        by = answer.model;
        vectors.push(...answer.vectors);
        done(vectors.length / texts.length);
      }
      if (!by) throw new TypeError('no texts');
      return { model: by, vectors };
    },
    query: async (text) => {
      const known = recent.get(text);
      if (known) {
        recent.delete(text);
        recent.set(text, known);
        return known;
      }
      const answer = await askQuery(text);
      noteModel(answer.model.name);
      recent.set(text, answer);
      if (recent.size > remembered) recent.delete(recent.keys().next().value as string);
      return answer;
    },
  };
};

const late = (ms: number, signal: AbortSignal): Promise<never> =>
  new Promise((_, reject) => {
    const timer = setTimeout(() => reject(unavailable('timeout', 'Vectors took too long')), ms);
    signal.addEventListener('abort', () => clearTimeout(timer), { once: true });
  });

const decode = ({ model, dim, vectors }: ReplyOf<typeof workerRpc.embed>): Vectors => ({
  model: { name: model, dim },
  vectors: vectors.map((v) => {
    const bytes = Uint8Array.from(Buffer.from(v, 'base64'));
    const vector = new Float32Array(bytes.buffer, 0, Math.floor(bytes.length / 4));
    return vector.length === dim && vector.some((x) => x !== 0) ? vector : null;
  }),
});
