import { unavailable } from '@overtone/service-kit';
import type { BuildsFile } from './lancedb-builds.ts';
import { literal } from './lancedb-filter.ts';
import type { Maintenance } from './lancedb-maintenance.ts';
import { emptyVector, toArrow } from './lancedb-rows.ts';
import type { LanceTables, OpenTable } from './lancedb-tables.ts';
import {
  checkedId,
  newBuildId,
  type Build,
  type BuildRole,
  type Builds,
  type IndexRow,
  type SearchIndex,
  type VectorModel,
} from './search-index.ts';

type Writes = Pick<SearchIndex, 'beginBuild' | 'promote' | 'discardBuild' | 'replaceFile' | 'removeFile'>;
type Parts = { file: BuildsFile; tables: LanceTables; maintenance: Maintenance };

/** The writes of the embedded index; the caller serializes them. */
export function createLanceWrites({ file, tables, maintenance }: Parts): Writes {
  return {
    beginBuild: async (role, model) => {
      const builds = await file.read();
      const existing = builds[role];
      if (existing) return existing;
      const build = { id: newBuildId(), model };
      await tables.create(build);
      await file.write({ ...builds, [role]: build });
      return build;
    },
    promote: async () => {
      const { current: old, building } = await file.read();
      if (!building) return;
      await maintenance.run(await tables.open(building.id), { force: true });
      await file.write({ current: building, building: null, completedAt: new Date().toISOString() });
      if (old) await tables.drop(old.id);
    },
    discardBuild: async () => {
      const builds = await file.read();
      if (!builds.building) return;
      await file.write({ ...builds, building: null });
      await tables.drop(builds.building.id);
    },
    replaceFile: async (buildId, fileId, rows, model) => {
      // Opening the table of a discarded build would be an error of the engine.
      findBuild(await file.read(), buildId);
      const opened = await tables.open(buildId);
      const own = await adoptModel(file, opened, buildId, model);
      await replaceRows(opened, ofFile(fileId), rows, own?.dim ?? null);
      maintenance.noteWrite();
    },
    removeFile: async (fileId) => {
      const { current, building } = await file.read();
      for (const build of [current, building])
        if (build) await (await tables.open(build.id)).table.delete(ofFile(fileId));
      maintenance.noteWrite();
    },
  };
}

/** A build without a model takes the given one and gets a vector column. @returns the model of the build. */
async function adoptModel(file: BuildsFile, { table }: OpenTable, buildId: string, model: VectorModel | null) {
  const builds: Builds = await file.read();
  const { role, build } = findBuild(builds, buildId);
  if (build.model || !model) return build.model;
  await table.addColumns([{ name: 'vector', valueSql: emptyVector(model.dim) }]);
  await file.write({ ...builds, [role]: { id: buildId, model } });
  return model;
}

/** @throws AppError unavailable for a build that was replaced or discarded. */
function findBuild(builds: Builds, id: string): { role: BuildRole; build: Build } {
  for (const role of ['current', 'building'] as const) {
    const build = builds[role];
    if (build?.id === id) return { role, build };
  }
  throw unavailable('search_unavailable', 'This build of the index no longer exists');
}

async function replaceRows({ lance, table }: OpenTable, where: string, rows: readonly IndexRow[], dim: number | null) {
  if (rows.length === 0) return table.delete(where);
  return table
    .mergeInsert('id')
    .whenMatchedUpdateAll()
    .whenNotMatchedInsertAll()
    .whenNotMatchedBySourceDelete({ where })
    .execute(toArrow(lance, rows, dim));
}

function ofFile(fileId: string): string {
  return `file_id = ${literal(checkedId(fileId))}`;
}
