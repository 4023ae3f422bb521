/** What the database itself says of its schema. */
export type Schema = {
  /** The newest migration that was applied; 0: none. */
  version: number;
  /** The oldest version whose code works on it. */
  readableFrom: number;
};

type Queryable = { query: <Row>(text: string) => Promise<{ rows: Row[] }> };

/** A database that this code cannot migrate or use; nothing was changed. */
export class SchemaError extends Error {
  readonly code: 'schema_too_new' | 'schema_untracked' | 'schema_locked' | 'schema_contract';

  constructor(code: SchemaError['code'], message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
    // Readiness checks show the name.
    this.name = code;
  }
}

/** PostgreSQL's SQLSTATE `undefined_table`. */
const undefinedTableCode = '42P01';

/**
 * Reads the schema of a database, also of one that no migration has been applied to. A version that declares nothing
 * (written by v0.5.0 or older) is readable by its own code only. The row as JSON, because older tables lack the column.
 */
export async function schemaOf(client: Queryable): Promise<Schema> {
  try {
    const { rows } = await client.query<Schema>(
      `select coalesce(max(version), 0) as version,
         coalesce(max(coalesce((to_jsonb(applied) ->> 'readable_from')::integer, version)), 0) as "readableFrom"
       from schema_version applied`,
    );
    return rows[0]!;
  } catch (error) {
    if ((error as { code?: string }).code === undefinedTableCode) return { version: 0, readableFrom: 0 };
    throw error;
  }
}

/** Whether code whose newest migration is `codeHead` works on a schema that has been migrated at least as far. */
export function canRead(codeHead: number, schema: Schema): boolean {
  return codeHead >= schema.readableFrom;
}

/** @throws SchemaError schema_too_new */
export function assertReadable(codeHead: number, schema: Schema): void {
  if (canRead(codeHead, schema)) return;
  throw new SchemaError(
    'schema_too_new',
    `the database is at v${schema.version}, newer than this program (v${codeHead}), and readable from v${schema.readableFrom} on; ` +
      'update the program, or restore the backup from before the update',
  );
}
