import { readFile } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { setImmediate as yieldToOthers } from 'node:timers/promises';
import { Tokenizer } from '@huggingface/tokenizers';
import { InferenceSession, Tensor } from 'onnxruntime-node';
import { z } from 'zod';
import type { ModelFiles } from './protocol.ts';

/** One output of the model for a batch of token sequences: `dims` is [batch, tokens, width] or [batch, width]. */
export type Output = { data: Float32Array; dims: readonly number[] };

/** A loaded model with its tokenizer and the contents of its JSON files by role. */
export type Encoder = {
  id: string;
  tokenizer: Tokenizer;
  /** Most tokens of a sequence, with those at its ends. */
  maxTokens: number;
  json: Readonly<Record<string, unknown>>;
  /** Runs the model on sequences of token ids, padded to the longest. `outputs`: the first one that exists is returned. */
  run: (sequences: readonly (readonly number[])[], outputs: readonly string[]) => Promise<Output>;
};

const limits = z.looseObject({ max_seq_length: z.number().optional() });
const modelConfig = z.looseObject({
  max_position_embeddings: z.number().optional(),
  pad_token_id: z.number().nullish(),
});
const longest = 512;

export async function loadEncoder({ id, folder, files }: ModelFiles): Promise<Encoder> {
  const { model, ...others } = files;
  if (!model) throw new TypeError(`the model ${id} has no ONNX file`);
  const json: Record<string, unknown> = {};
  for (const [role, { path }] of Object.entries(others))
    json[role] = JSON.parse(await readFile(join(folder, path), 'utf8')) as unknown;
  const tokenizer = new Tokenizer(json['tokenizer'] ?? {}, json['tokenizer_config'] ?? {});
  const session = await InferenceSession.create(join(folder, model.path), {
    executionProviders: ['cpu'],
    // Half of the cores, because recordings are transcribed at the same time.
    intraOpNumThreads: Math.max(1, Math.floor(availableParallelism() / 2)),
    interOpNumThreads: 1,
    // The arena keeps the memory of the largest batch.
    enableCpuMemArena: false,
    logSeverityLevel: 3,
  });
  const config = modelConfig.parse(json['config'] ?? {});
  const maxTokens = Math.min(
    longest,
    limits.parse(json['length'] ?? {}).max_seq_length ?? longest,
    config.max_position_embeddings ?? longest,
  );
  return {
    id,
    tokenizer,
    maxTokens,
    json,
    run: async (sequences, outputs) => {
      // The library computes on this thread: other tasks get their turn between two batches.
      await yieldToOthers();
      const results = await session.run(tensorsOf(sequences, session.inputNames, config.pad_token_id ?? 0));
      const name = outputs.find((candidate) => results[candidate]) ?? session.outputNames[0] ?? '';
      const { data, dims } = results[name] as Tensor;
      if (!(data instanceof Float32Array)) throw new TypeError(`the output ${name} of the model ${id} is not float32`);
      return { data, dims };
    },
  };
}

function tensorsOf(
  sequences: readonly (readonly number[])[],
  inputs: readonly string[],
  padId: number,
): Record<string, Tensor> {
  const width = Math.max(...sequences.map((ids) => ids.length));
  const tensorOf = (value: (ids: readonly number[], at: number) => number): Tensor => {
    const data = new BigInt64Array(sequences.length * width);
    for (const [row, ids] of sequences.entries())
      for (let at = 0; at < width; at += 1) data[row * width + at] = BigInt(value(ids, at));
    return new Tensor('int64', data, [sequences.length, width]);
  };
  const makers: Record<string, () => Tensor> = {
    input_ids: () => tensorOf((ids, at) => ids[at] ?? padId),
    attention_mask: () => tensorOf((ids, at) => (at < ids.length ? 1 : 0)),
    token_type_ids: () => tensorOf(() => 0),
  };
  return Object.fromEntries(
    inputs.map((name) => {
      const make = makers[name];
      if (!make) throw new TypeError(`the model needs the input ${name}, which is not known`);
      return [name, make()];
    }),
  );
}
