import { access, mkdir, open, readdir, readFile, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { rowVersion, type Builds } from './search-index.ts';

const build = z.object({
  id: z.string().regex(/^\w+$/),
  model: z.object({ name: z.string(), dim: z.int() }).nullable(),
});
/** Version of the table columns. */
const columnsVersion = 1;
const version = rowVersion + columnsVersion;
const schema = z.object({
  version: z.literal(version),
  current: build.nullable(),
  building: build.nullable(),
  completedAt: z.string().nullable(),
});

const none: Builds = { current: null, building: null, completedAt: null };

/** The name of a build's table; LanceDB appends `.lance` to that of its folder. */
export function buildTable(build: string): string {
  return `passages_${build}`;
}

/** Drops builds whose table was removed. */
async function withTables(directory: string, builds: Builds): Promise<Builds> {
  const ifPresent = (build: Builds['current']): Promise<Builds['current']> =>
    build
      ? access(join(directory, `${buildTable(build.id)}.lance`)).then(
          () => build,
          () => null,
        )
      : Promise.resolve(null);
  return { ...builds, current: await ifPresent(builds.current), building: await ifPresent(builds.building) };
}

export type BuildsFile = ReturnType<typeof createBuildsFile>;

/** The current build and the one in progress, in a small file next to the tables that is replaced atomically. */
export function createBuildsFile(directory: string, requireFolder: () => Promise<void>) {
  const path = join(directory, 'builds.json');
  let cached: Builds | undefined;
  const read = async (): Promise<Builds> => {
    if (cached === undefined) await requireFolder();
    cached ??= await readFile(path, 'utf8').then(
      (text) => withTables(directory, parseBuilds(JSON.parse(text))),
      (err: NodeJS.ErrnoException) => {
        if (err.code === 'ENOENT') return none;
        throw err;
      },
    );
    return cached;
  };
  return {
    read,
    /** Checks that the current build exists; before the first write even the folder may be missing. */
    probe: async (): Promise<void> => {
      await requireFolder();
      const { current } = await read();
      const checked = current ? access(join(directory, `${buildTable(current.id)}.lance`)) : readdir(directory);
      await checked.catch((err: NodeJS.ErrnoException) => {
        if (current || err.code !== 'ENOENT') throw err;
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
      cached = builds;
    },
  };
}

function parseBuilds(content: unknown): Builds {
  const parsed = schema.safeParse(content);
  if (!parsed.success) return none;
  const { current, building, completedAt } = parsed.data;
  return { current, building, completedAt };
}
