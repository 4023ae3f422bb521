import { access, mkdir, open, readdir, readFile, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import type { Builds } from './search-index.ts';

const build = z.object({
  id: z.string().regex(/^\w+$/),
  model: z.object({ name: z.string(), dim: z.int() }).nullable(),
});
/** Of the tables' columns. Tables of another version are of no use: the index counts as lost and is built anew. */
const version = 2;
const schema = z.object({
  version: z.literal(version),
  current: build.nullable(),
  building: build.nullable(),
  completedAt: z.string().nullable(),
});

const none: Builds = { current: null, building: null, completedAt: null };
const readable = (given: unknown): Builds => {
  const parsed = schema.safeParse(given);
  if (!parsed.success) return none;
  const { current, building, completedAt } = parsed.data;
  return { current, building, completedAt };
};

/** The folder of a build's table, as LanceDB names it. */
export const tableOf = (build: string): string => `passages_${build}`;

/** A build whose table somebody removed is no build. */
const withTables = async (directory: string, builds: Builds): Promise<Builds> => {
  const there = (build: Builds['current']): Promise<Builds['current']> =>
    build
      ? access(join(directory, `${tableOf(build.id)}.lance`)).then(
          () => build,
          () => null,
        )
      : Promise.resolve(null);
  return { ...builds, current: await there(builds.current), building: await there(builds.building) };
};

/** Which build is searched and which is being made: a small file beside the tables, replaced in one step. */
export const createBuildsFile = (directory: string) => {
  const path = join(directory, 'builds.json');
  let known: Builds | undefined;
  const read = async (): Promise<Builds> => {
    known ??= await readFile(path, 'utf8').then(
      (text) => withTables(directory, readable(JSON.parse(text))),
      (e: NodeJS.ErrnoException) => {
        if (e.code === 'ENOENT') return none;
        throw e;
      },
    );
    return known;
  };
  return {
    read,
    /** Looks whether what is searched is still there; before anything was indexed not even the folder has to be. */
    probe: async (): Promise<void> => {
      const { current } = await read();
      const looked = current ? access(join(directory, `${tableOf(current.id)}.lance`)) : readdir(directory);
      await looked.catch((e: NodeJS.ErrnoException) => {
        if (current || e.code !== 'ENOENT') throw e;
      });
    },
    write: async (builds: Builds): Promise<void> => {
      await mkdir(directory, { recursive: true });
      const file = await open(`${path}.new`, 'w', 0o600);
      try {
        await file.writeFile(JSON.stringify({ version, ...builds }));
        await file.sync();
      } finally {
        await file.close();
      }
      await rename(`${path}.new`, path);
      known = builds;
    },
  };
};
