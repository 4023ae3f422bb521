import { mkdir, open, readFile, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import type { Builds } from './search-index.ts';

const build = z.object({
  id: z.string().regex(/^\w+$/),
  model: z.object({ name: z.string(), dim: z.int() }).nullable(),
});
const schema = z.object({
  current: build.nullable(),
  building: build.nullable(),
  completedAt: z.string().nullable(),
});

/** Which build is searched and which is being made: a small file beside the tables, replaced in one step. */
export const createBuildsFile = (directory: string) => {
  const path = join(directory, 'builds.json');
  let known: Builds | undefined;
  return {
    read: async (): Promise<Builds> => {
      known ??= await readFile(path, 'utf8').then(
        (text) => schema.parse(JSON.parse(text)),
        (e: NodeJS.ErrnoException) => {
          if (e.code === 'ENOENT') return { current: null, building: null, completedAt: null };
          throw e;
        },
      );
      return known;
    },
    write: async (builds: Builds): Promise<void> => {
      await mkdir(directory, { recursive: true });
      const file = await open(`${path}.new`, 'w', 0o600);
      try {
        await file.writeFile(JSON.stringify(builds));
        await file.sync();
      } finally {
        await file.close();
      }
      await rename(`${path}.new`, path);
      known = builds;
    },
  };
};
