import { describe, expect, it } from '@jest/globals';
import { canRead, headSchema, readMigrations } from './index.ts';
import { parseMigration, schemaAfter } from './migrations.ts';

describe('the header of a migration', () => {
  const sql =
    '-- readable-by: v412 (a reason)\n-- proof: a_table, user.a_column, task.b_column collate und-x-icu\nselect 1;\n';

  it('declares which code can read the result, and what identifies a database that has it', () => {
    expect(parseMigration('v414_next.sql', sql)).toMatchObject({
      version: 414,
      name: 'next',
      readableBy: 412,
      proofs: [
        { relation: 'a_table' },
        { relation: 'user', column: 'a_column' },
        { relation: 'task', column: 'b_column', collation: 'und-x-icu' },
      ],
    });
  });

  it('is not covered by the checksum', () => {
    const corrected = sql.replace('v412 (a reason)', 'v414').replace('a_table, ', '');
    const checksum = (text: string) => parseMigration('v414_next.sql', text).checksum;
    expect(checksum(corrected)).toBe(checksum(sql));
    expect(checksum(sql.replace('select 1', 'select 2'))).not.toBe(checksum(sql));
  });

  it.each([
    ['is missing', 'select 1;\n'],
    ['names no version', '-- readable-by: now\n-- proof: a_table\nselect 1;\n'],
    ['names no proof', '-- readable-by: v412\nselect 1;\n'],
    ['names a version after the migration', '-- readable-by: v415\n-- proof: a_table\nselect 1;\n'],
    ['names a proof that is neither table nor column', '-- readable-by: v412\n-- proof: a table\nselect 1;\n'],
  ])('is refused when it %s', (_, text) => {
    expect(() => parseMigration('v414_next.sql', text)).toThrow('v414_next.sql');
  });
});

describe('the chain of migrations', () => {
  it('never becomes readable by older code again', () => {
    const declared = readMigrations().map(({ readableBy }) => readableBy);
    expect(declared).toEqual(declared.toSorted((x, y) => x - y));
  });

  it('is readable by the code of each version from the last contract step on', () => {
    const migrations = readMigrations();
    for (const [i, { version }] of migrations.entries()) {
      const schema = schemaAfter(migrations.slice(0, i + 1));
      expect(schema.version).toBe(version);
      const readers = migrations.filter((older) => canRead(older.version, schema)).map((older) => older.version);
      expect(readers[0]).toBe(schema.readableFrom);
      expect(readers).toContain(version);
    }
    expect(headSchema()).toEqual(schemaAfter(migrations));
  });
});
