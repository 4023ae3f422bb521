import { queryPrepared } from '@overtone/database';
import type { Pool } from '../database.ts';
import type { RevocationList } from './revocation-list.ts';

/** A revocation list whose signature was verified. */
export type AuthenticList = {
  /** Address that the list was fetched from. */
  url: string;
  /** See `issuerIdOf`. */
  issuerId: string;
  list: RevocationList;
};

type Row = {
  id: string;
  url: string;
  issuer_id: string;
  issuer_name: string;
  signature: Buffer;
  scope: RevocationList['scope'];
  this_update: Date;
  next_update: Date | null;
  serial_words: number;
  serial_bytes: number;
};

/** More than any installation has; lists of former authorities are deleted above it. */
const maxStoredLists = 64;
/** Bounds the text form of one query result: a list of two million entries has 40 MB. */
const bytesPerRead = 4 * 1024 * 1024;

export const revocationListsStore = {
  /**
   * Stores the new lists of one download and deletes older lists of the same issuer.
   * @param current all lists of the download: none of them replaces another (a complete list and its delta).
   */
  save: async (pool: Pool, added: readonly AuthenticList[], current: readonly AuthenticList[]): Promise<void> => {
    const signatures = current.map(({ list }) => Buffer.from(list.signature));
    for (const { url, issuerId, list } of added) {
      const { issuer, signature, scope, thisUpdate, nextUpdate, serials } = list;
      const { buffer, byteOffset, byteLength } = serials.words;
      await queryPrepared(pool, {
        name: 'revocation list: save',
        text: `
          with superseded as (
            delete from revocation_list
            where issuer_id = $2 and this_update <= $6 and not signature = any($10::bytea[]))
          insert into revocation_list
            (url, issuer_id, issuer_name, signature, scope, this_update, next_update, serial_words, serials)
          values ($1, $2, $3, $4, $5, $6, $7, $8, $9)
          on conflict (issuer_id, signature) do update set url = excluded.url`,
        values: [
          url,
          issuerId,
          issuer,
          Buffer.from(signature),
          scope,
          new Date(thisUpdate),
          nextUpdate === undefined ? null : new Date(nextUpdate),
          serials.width,
          Buffer.from(buffer, byteOffset, byteLength),
          signatures,
        ],
      });
    }
    await queryPrepared(pool, {
      name: 'revocation list: delete oldest',
      text: `
        delete from revocation_list
        where id in (select id from revocation_list order by stored_at desc offset $1)`,
      values: [maxStoredLists],
    });
  },

  load: async (pool: Pool): Promise<AuthenticList[]> => {
    const rows = await queryPrepared<Row>(pool, {
      name: 'revocation list: load',
      text: `
        select id, url, issuer_id, issuer_name, signature, scope, this_update, next_update, serial_words,
               length(serials) as serial_bytes
        from revocation_list order by stored_at desc limit $1`,
      values: [maxStoredLists],
    });
    const loaded: AuthenticList[] = [];
    for (const row of rows) {
      const words = await readSerials(pool, row);
      if (words) loaded.push({ url: row.url, issuerId: row.issuer_id, list: toList(row, words) });
    }
    return loaded;
  },
};

/** @returns undefined when another replica has replaced the list since the rows were read. */
async function readSerials(pool: Pool, { id, serial_bytes }: Row): Promise<Uint32Array<ArrayBuffer> | undefined> {
  const bytes = new Uint8Array(serial_bytes);
  for (let offset = 0; offset < serial_bytes; offset += bytesPerRead) {
    const [row] = await queryPrepared<{ part: Buffer }>(pool, {
      name: 'revocation list: read serials',
      text: 'select substring(serials from $2::integer for $3::integer) as part from revocation_list where id = $1',
      values: [id, offset + 1, bytesPerRead],
    });
    if (!row) return undefined;
    bytes.set(row.part, offset);
  }
  return new Uint32Array(bytes.buffer);
}

function toList(row: Row, words: Uint32Array<ArrayBuffer>): RevocationList {
  return {
    issuer: row.issuer_name,
    thisUpdate: row.this_update.getTime(),
    nextUpdate: row.next_update?.getTime(),
    serials: { count: words.length / row.serial_words, width: row.serial_words, words },
    scope: row.scope,
    // Needed only to verify the signature, which happened before the list was stored.
    algorithm: new Uint8Array(),
    signed: new Uint8Array(),
    signature: Uint8Array.from(row.signature),
  };
}
