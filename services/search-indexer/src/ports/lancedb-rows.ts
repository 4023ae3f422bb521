import type * as lancedb from '@lancedb/lancedb';
import { Field, FixedSizeList, Float16, Float64, List, Schema, Utf8 } from 'apache-arrow';
import type { IndexRow } from './search-index.ts';

/** SQL of the initial value of a new vector column. */
export function emptyVector(dim: number): string {
  return `arrow_cast(null, 'FixedSizeList(${Math.trunc(dim)}, Float16)')`;
}

/** Columns of a build; without a model there is no vector column yet. */
export function schemaOf(dim: number | null): Schema {
  return new Schema([
    ...['id', 'file_id', 'owner_id', 'kind', 'terms'].map((name) => new Field(name, new Utf8(), false)),
    new Field('section_terms', new Utf8(), true),
    new Field('file_terms', new Utf8(), true),
    new Field('speakers', stringListType(), false),
    new Field('tags', stringListType(), false),
    new Field('uploaded', new Float64(), false),
    new Field('duration', new Float64(), true),
    new Field('media', new Utf8(), false),
    new Field('shown', new Utf8(), true),
    ...(dim === null ? [] : [vectorField(dim)]),
  ]);
}

/** Converts rows to an Arrow table of that schema. */
export function toArrow(lance: typeof lancedb, rows: readonly IndexRow[], dim: number | null) {
  return lance.makeArrowTable(
    rows.map(({ fileId, ownerId, sectionTerms, fileTerms, vector, shown, ...row }) => ({
      ...row,
      shown: shown && JSON.stringify(shown),
      file_id: fileId,
      owner_id: ownerId,
      section_terms: sectionTerms,
      file_terms: fileTerms,
      ...(dim === null ? {} : { vector: vector?.length === dim ? toHalf(vector) : null }),
    })),
    { schema: schemaOf(dim) },
  );
}

/** Rounded first, because Arrow's own conversion turns the smallest values into NaN. */
function toHalf(vector: Float32Array): number[] {
  return Array.from(vector, (value) => Math.f16round(value));
}

function stringListType() {
  return new List(new Field('item', new Utf8(), true));
}

/** Of half precision: half of the memory that a search scans, and cosines that differ in the fourth digit. */
function vectorField(dim: number): Field {
  return new Field('vector', new FixedSizeList(dim, new Field('item', new Float16(), true)), true);
}
