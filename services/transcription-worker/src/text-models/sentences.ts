import { z } from 'zod';
import type { Encoder, Output } from './encoder.ts';

const pooling = z.looseObject({
  pooling_mode_cls_token: z.boolean().default(false),
  pooling_mode_mean_tokens: z.boolean().default(false),
  pooling_mode_max_tokens: z.boolean().default(false),
});
const prompts = z.looseObject({ prompts: z.record(z.string(), z.string()).default({}) });
const modules = z.array(z.looseObject({ type: z.string() }));
type Pooling = 'mean' | 'cls' | 'max';
type Kind = 'query' | 'document';

/** Limits of one run of the model: more tokens take longer than a query may wait. */
const batchTexts = 8;
const batchTokens = 1_024;

/** Normalised vectors of texts, with the pooling and the prefixes that the model's files name. */
export async function embedTexts(
  encoder: Encoder,
  { texts, kind, signal }: { texts: readonly string[]; kind: Kind; signal: AbortSignal },
): Promise<{ dim: number; vectors: Float32Array[] }> {
  const [mode, prefix] = [poolingOf(encoder), prefixOf(encoder, kind)];
  const sequences = texts.map((text) => truncate(encoder.tokenizer.encode(prefix + text).ids, encoder.maxTokens));
  const vectors: Float32Array[] = [];
  for (const batch of batchesOf(sequences)) {
    signal.throwIfAborted();
    const chosen = batch.map((at) => sequences[at] ?? []);
    const output = await encoder.run(chosen, ['sentence_embedding', 'last_hidden_state', 'token_embeddings']);
    for (const [row, at] of batch.entries())
      vectors[at] = normalise(pool(output, { row, tokens: chosen[row]?.length ?? 0, mode }));
  }
  return { dim: vectors[0]?.length ?? 0, vectors };
}

function poolingOf({ id, json }: Encoder): Pooling {
  const layers = modules.safeParse(json['modules']).data ?? [];
  const other = layers.find(({ type }) => !/\.(?:Transformer|Pooling|Normalize)$/.test(type));
  if (other) throw new TypeError(`the model ${id} has a layer that is not supported: ${other.type}`);
  if (json['pooling'] === undefined) return 'mean';
  const { pooling_mode_cls_token: cls, pooling_mode_max_tokens: max, ...rest } = pooling.parse(json['pooling']);
  if (rest.pooling_mode_mean_tokens && !cls && !max) return 'mean';
  if (cls && !max && !rest.pooling_mode_mean_tokens) return 'cls';
  if (max && !cls && !rest.pooling_mode_mean_tokens) return 'max';
  throw new TypeError(`the pooling of the model ${id} is not supported`);
}

/** The prefix of the model's prompts. Those of the E5 family are part of its training, and in no file. */
function prefixOf({ id, json }: Encoder, kind: Kind): string {
  const { prompts: given } = prompts.parse(json['prompts'] ?? {});
  const names = kind === 'query' ? ['query'] : ['passage', 'document'];
  const prefix = names.map((name) => given[name]).find((text) => text !== undefined);
  if (prefix !== undefined) return prefix;
  if (!/(?:^|[-_])e5(?:[-_]|$)/i.test(id)) return '';
  return kind === 'query' ? 'query: ' : 'passage: ';
}

/** Keeps the token at the end, which the model expects there. */
function truncate(ids: readonly number[], max: number): readonly number[] {
  return ids.length <= max ? ids : [...ids.slice(0, max - 1), ...ids.slice(-1)];
}

/** Indices of the sequences in batches of similar length, because shorter ones are padded to the longest. */
function batchesOf(sequences: readonly (readonly number[])[]): number[][] {
  const lengthOf = (at: number): number => sequences[at]?.length ?? 0;
  const batches: number[][] = [];
  let longest = 0;
  for (const at of [...sequences.keys()].sort((x, y) => lengthOf(y) - lengthOf(x))) {
    const batch = batches.at(-1);
    if (batch && batch.length < batchTexts && (batch.length + 1) * longest <= batchTokens) batch.push(at);
    else {
      batches.push([at]);
      longest = lengthOf(at);
    }
  }
  return batches;
}

function pool(
  { data, dims }: Output,
  { row, tokens, mode }: { row: number; tokens: number; mode: Pooling },
): Float32Array {
  const [, length = 0, last] = dims;
  // The model has pooled the tokens already.
  if (last === undefined) return data.slice(row * length, (row + 1) * length);
  const width = last;
  const used = mode === 'cls' ? 1 : tokens;
  const vector = new Float32Array(width).fill(mode === 'max' ? -Infinity : 0);
  for (let token = 0; token < used; token += 1) {
    const begin = (row * length + token) * width;
    for (let column = 0; column < width; column += 1) {
      const [value, before] = [data[begin + column] ?? 0, vector[column] ?? 0];
      vector[column] = mode === 'max' ? Math.max(before, value) : before + value / used;
    }
  }
  return vector;
}

function normalise(vector: Float32Array): Float32Array {
  const norm = Math.hypot(...vector);
  if (!Number.isFinite(norm) || norm === 0) throw new TypeError('the model returned no vector');
  return vector.map((x) => x / norm);
}
