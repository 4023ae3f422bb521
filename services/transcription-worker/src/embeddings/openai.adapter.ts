import { z } from 'zod';
import { engineUnreachable } from '../failures.ts';
import type { FetchEndpoint } from '../ports/endpoint-fetch.adapter.ts';
import { fetchWithRetries } from '../ports/retrying-fetch.adapter.ts';
import type { Vectoriser } from './embeddings.ts';

export type OpenAiEmbeddingsOptions = {
  baseUrl: string;
  apiKey: string | undefined;
  model: string;
  fetchEndpoint: FetchEndpoint;
};

const name = 'embeddings';
const answerSchema = z.object({ data: z.array(z.object({ index: z.int(), embedding: z.array(z.number()).min(1) })) });

/** Any server that speaks the OpenAI embeddings API. */
export function createOpenAiVectoriser({ baseUrl, apiKey, model, fetchEndpoint }: OpenAiEmbeddingsOptions): Vectoriser {
  return {
    embed: async (texts) => {
      const response = await fetchWithRetries({
        fetchEndpoint,
        name,
        url: `${baseUrl.replace(/(?<!\/)\/+$/, '')}/embeddings`,
        headers: { 'content-type': 'application/json', ...(apiKey ? { authorization: `Bearer ${apiKey}` } : {}) },
        // An empty text is refused by most servers; a space has no meaning either.
        body: () => JSON.stringify({ model, input: texts.map((text) => text || ' ') }),
        attempts: 3,
        timeoutMs: 8_000,
      });
      const answer = answerSchema.safeParse(await response.json().catch(() => undefined));
      const rows = answer.success ? [...answer.data.data].sort((x, y) => x.index - y.index) : [];
      const vectors = rows.map((row) => normalised(row.embedding));
      const dim = vectors[0]?.length ?? 0;
      if (vectors.length !== texts.length || vectors.some((vector) => vector.length !== dim)) {
        throw engineUnreachable(name, { detail: 'the answer does not hold one vector per text' });
      }
      return { model: `openai:${model}`, dim, vectors };
    },
  };
}

function normalised(values: readonly number[]): Float32Array {
  const norm = Math.hypot(...values) || 1;
  return Float32Array.from(values, (x) => x / norm);
}
