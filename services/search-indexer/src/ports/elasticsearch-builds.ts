import type { Client } from '@elastic/elasticsearch';
import { cachedFor } from '@overtone/service-kit';
import { z } from 'zod';
import { searchRequest, type ElasticOptions } from './elasticsearch-client.ts';
import { indexSettingsOf, indexVersion, mappingsOf, vectorMapping } from './elasticsearch-queries.ts';
import { newBuildId, type Builds, type SearchIndex, type VectorModel } from './search-index.ts';

const metaSchema = z.object({
  model: z.object({ name: z.string(), dim: z.int() }).nullable(),
  version: z.literal(indexVersion),
});
type Limits = Partial<typeof searchRequest>;
/** The builds are cached for this long, because another replica may swap them. */
const cacheMs = 1_000;

export type ElasticBuilds = ReturnType<typeof createElasticBuilds>;

/** One index per build; two aliases name the current build and the one in progress. */
export function createElasticBuilds({ client, options }: { client: Client; options: ElasticOptions }) {
  const { prefix } = options;
  const aliases = { current: `${prefix}-current`, building: `${prefix}-building` };
  const indexOf = (build: string): string => `${prefix}-${build}`;

  /** @returns the index of an alias; without a build when it was written by another version. */
  const readAlias = async (alias: string, request: Limits) => {
    const { body, statusCode } = await client.indices.get({ index: alias }, { ...request, ignore: [404], meta: true });
    if (statusCode === 404) return null;
    const [entry] = Object.entries(body);
    if (!entry) return null;
    const [index, { mappings, settings }] = entry;
    const meta = metaSchema.safeParse(mappings?._meta);
    const created = new Date(Number(settings?.index?.creation_date ?? 0)).toISOString();
    if (!meta.success) return { index, build: null, created: null };
    return { index, build: { id: index.slice(prefix.length + 1), model: meta.data.model }, created };
  };
  /** Writes wait for the server longer than searches do. */
  const readAliases = async (request: Limits = {}) => {
    const [current, building] = await Promise.all([
      readAlias(aliases.current, request),
      readAlias(aliases.building, request),
    ]);
    const builds = {
      current: current?.build ?? null,
      building: building?.build ?? null,
      completedAt: current?.created ?? null,
    };
    return { builds, indices: { current: current?.index ?? null, building: building?.index ?? null } };
  };
  const readNow = async (request?: Limits): Promise<Builds> => (await readAliases(request)).builds;
  const cached = cachedFor(cacheMs, () => readNow(searchRequest));
  const beginBuild: SearchIndex['beginBuild'] = async (role, model) => {
    const { builds, indices } = await readAliases();
    const existing = builds[role];
    if (existing) return existing;
    // An index of another version.
    if (indices[role]) await client.indices.delete({ index: indices[role] });
    const build = { id: newBuildId(), model };
    await client.indices.create({
      index: indexOf(build.id),
      aliases: { [aliases[role]]: {} },
      settings: indexSettingsOf(options),
      mappings: mappingsOf(model),
    });
    cached.clear();
    return build;
  };

  return {
    indexOf,
    readNow: () => readNow(),
    /** Concurrent searches share one request, also when the server does not respond. */
    read: cached.get,
    begin: beginBuild,
    promote: async (): Promise<void> => {
      const { builds, indices } = await readAliases();
      if (!builds.building) return;
      const index = indexOf(builds.building.id);
      await client.indices.updateAliases({
        actions: [
          { remove: { index, alias: aliases.building } },
          { add: { index, alias: aliases.current } },
          ...(indices.current ? [{ remove_index: { index: indices.current } }] : []),
        ],
      });
      cached.clear();
    },
    discard: async (): Promise<void> => {
      const { indices } = await readAliases();
      if (indices.building) await client.indices.delete({ index: indices.building });
      cached.clear();
    },
    /** Adds a vector column for this model to a build that has none. */
    setModel: async (build: string, model: VectorModel): Promise<void> => {
      const properties = { vector: vectorMapping(model) };
      await client.indices.putMapping({ index: indexOf(build), _meta: { model, version: indexVersion }, properties });
      cached.clear();
    },
  };
}
