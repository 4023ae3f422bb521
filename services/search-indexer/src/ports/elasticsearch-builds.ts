import type { Client } from '@elastic/elasticsearch';
import { cachedFor } from '@overtone/service-kit';
import { z } from 'zod';
import { interactiveRequestOptions, type ElasticOptions } from './elasticsearch-client.ts';
import { indexSettingsOf, indexVersion, mappingsOf, vectorMapping } from './elasticsearch-queries.ts';
import { newBuildId, type Build, type Builds, type SearchIndex, type VectorModel } from './search-index.ts';

const metaSchema = z.object({
  model: z.object({ name: z.string(), dim: z.int() }).nullable(),
  version: z.literal(indexVersion),
  completedAt: z.string().nullish(),
});
type Limits = Partial<typeof interactiveRequestOptions>;
/** The builds are cached for this long, because another replica may swap them. */
const cacheMs = 1_000;

export type ElasticBuilds = ReturnType<typeof createElasticBuilds>;

/** One index per build; two aliases name the current build and the one in progress. */
export function createElasticBuilds({ client, options }: { client: Client; options: ElasticOptions }) {
  const { prefix } = options;
  const aliases = { current: `${prefix}-current`, building: `${prefix}-building` };
  const indexOf = (build: string): string => `${prefix}-${build}`;

  /**
   * Two replicas may begin a build at the same time, so that an alias may name several indices for a moment: the oldest counts.
   * @returns all indices of an alias; without a build when the oldest was written by another version.
   */
  const readAlias = async (alias: string, request: Limits) => {
    const { body, statusCode } = await client.indices.get({ index: alias }, { ...request, ignore: [404], meta: true });
    if (statusCode === 404) return null;
    const createdAt = (name: string): number => Number(body[name]?.settings?.index?.creation_date ?? 0);
    const indices = Object.keys(body).sort((x, y) => createdAt(x) - createdAt(y) || (x < y ? -1 : 1));
    const [oldest = ''] = indices;
    const meta = metaSchema.safeParse(body[oldest]?.mappings?._meta);
    if (!meta.success) return { indices, build: null, completedAt: null };
    const { model, completedAt = null } = meta.data;
    return { indices, build: { id: oldest.slice(prefix.length + 1), model }, completedAt };
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
      completedAt: current?.completedAt ?? null,
    };
    return { builds, indices: { current: current?.indices ?? [], building: building?.indices ?? [] } };
  };
  const readNow = async (request?: Limits): Promise<Builds> => (await readAliases(request)).builds;
  const cached = cachedFor(cacheMs, () => readNow(interactiveRequestOptions));
  const remove = async (indices: string[]): Promise<void> => {
    if (indices.length > 0) await client.indices.delete({ index: indices }, { ignore: [404] });
  };
  const setMeta = ({ id, model }: Build, completedAt: string | null, properties = {}) =>
    client.indices.putMapping({
      index: indexOf(id),
      _meta: { model, version: indexVersion, completedAt },
      properties,
    });
  const beginBuild: SearchIndex['beginBuild'] = async (role, model) => {
    const { builds, indices } = await readAliases();
    const existing = builds[role];
    if (existing) return existing;
    // Indices of another version.
    await remove(indices[role]);
    const build = { id: newBuildId(), model };
    await client.indices.create({
      index: indexOf(build.id),
      aliases: { [aliases[role]]: {} },
      settings: indexSettingsOf(options),
      mappings: mappingsOf(model),
    });
    const { builds: created } = await readAliases();
    cached.clear();
    const oldest = created[role] ?? build;
    if (oldest.id !== build.id) await remove([indexOf(build.id)]);
    return oldest;
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
      await setMeta(builds.building, new Date().toISOString());
      const replaced = [...indices.current, ...indices.building.filter((other) => other !== index)];
      await client.indices.updateAliases({
        actions: [
          { remove: { index, alias: aliases.building } },
          { add: { index, alias: aliases.current } },
          ...replaced.map((old) => ({ remove_index: { index: old } })),
        ],
      });
      cached.clear();
    },
    discard: async (): Promise<void> => {
      const { indices } = await readAliases();
      await remove(indices.building);
      cached.clear();
    },
    /** Adds a vector column for this model to a build that has none. */
    setModel: async (build: string, model: VectorModel): Promise<void> => {
      const { builds } = await readAliases();
      const completedAt = builds.current?.id === build ? builds.completedAt : null;
      await setMeta({ id: build, model }, completedAt, { vector: vectorMapping(model) });
      cached.clear();
    },
  };
}
