import { errors, type Client } from '@elastic/elasticsearch';
import { unavailable } from '@overtone/service-kit';
import { z } from 'zod';
import { indexSettings, mappingsOf, vectorMapping } from './elasticsearch-queries.ts';
import { newBuildId, type Builds, type SearchIndex, type VectorModel } from './search-index.ts';

const metaSchema = z.object({ model: z.object({ name: z.string(), dim: z.int() }).nullable() });
/** The builds are cached for this long, because another replica may swap them. */
const cacheMs = 1_000;

export type ElasticBuilds = ReturnType<typeof createElasticBuilds>;

/** One index per build; two aliases name the current build and the one in progress. */
export function createElasticBuilds({ client, prefix }: { client: Client; prefix: string }) {
  const aliases = { current: `${prefix}-current`, building: `${prefix}-building` };
  const indexOf = (build: string): string => `${prefix}-${build}`;
  let cached: { at: number; builds: Builds } | undefined;

  const readNow = async (): Promise<Builds> => {
    const [current, building] = await Promise.all([
      readAlias(client, aliases.current, prefix),
      readAlias(client, aliases.building, prefix),
    ]);
    const builds = {
      current: current?.build ?? null,
      building: building?.build ?? null,
      completedAt: current?.created ?? null,
    };
    cached = { at: Date.now(), builds };
    return builds;
  };
  const beginBuild: SearchIndex['beginBuild'] = async (model, asCurrent) => {
    const role = asCurrent ? 'current' : 'building';
    const existing = (await readNow())[role];
    if (existing) return existing;
    const build = { id: newBuildId(), model };
    await client.indices.create({
      index: indexOf(build.id),
      aliases: { [aliases[role]]: {} },
      settings: indexSettings,
      mappings: mappingsOf(model),
    });
    cached = undefined;
    return build;
  };

  return {
    indexOf,
    readNow,
    read: async (): Promise<Builds> => (cached && Date.now() - cached.at < cacheMs ? cached.builds : readNow()),
    begin: beginBuild,
    promote: async (): Promise<void> => {
      const { current, building } = await readNow();
      if (!building) return;
      const index = indexOf(building.id);
      await client.indices.updateAliases({
        actions: [
          { remove: { index, alias: aliases.building } },
          { add: { index, alias: aliases.current } },
          ...(current ? [{ remove_index: { index: indexOf(current.id) } }] : []),
        ],
      });
      cached = undefined;
    },
    /** Adds a vector column for this model to a build that has none. */
    setModel: async (build: string, model: VectorModel): Promise<void> => {
      const properties = { vector: vectorMapping(model) };
      await client.indices.putMapping({ index: indexOf(build), _meta: { model }, properties });
      cached = undefined;
    },
  };
}

async function readAlias(client: Client, alias: string, prefix: string) {
  const found = await client.indices.get({ index: alias }).catch((err: unknown) => {
    if (err instanceof errors.ResponseError && err.statusCode === 404) return {};
    throw unavailable('search_unavailable', 'The search server does not respond', { cause: err });
  });
  const [entry] = Object.entries(found);
  if (!entry) return null;
  const [index, { mappings, settings }] = entry;
  const { model } = metaSchema.parse(mappings?._meta ?? { model: null });
  const created = new Date(Number(settings?.index?.creation_date ?? 0)).toISOString();
  return { build: { id: index.slice(prefix.length + 1), model }, created };
}
