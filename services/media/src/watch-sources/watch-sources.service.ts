import { randomUUID } from 'node:crypto';
import {
  watchKeySettings,
  type AnswerOf,
  type BodyOf,
  type mediaRoutes,
  type WatchSourceInput,
  type WatchSourceSettings,
} from '@overtone/contracts';
import type { Outbox, SettingsStore } from '@overtone/database';
import { conflict, invalid, isAppError, notFound } from '@overtone/service-kit';
import { markFolder } from '@overtone/service-kit/folder-marker';
import type { OutboundGuard } from '@overtone/service-kit/outbound';
import { recordOperation, type Actor } from '../audit/audit.ts';
import type { Db, Tx } from '../database.ts';
import type { Prisma, WatchSource } from '../generated/client.ts';
import type { People } from '../ports/people.adapter.ts';
import { checkFolder } from './folder-place.adapter.ts';
import { SourceUnavailable, systemCode, type Place } from './place.ts';
import { createFilter } from './watch-sources.ts';
import { toAnswer, type SourceAnswer } from './watch-sources.read-model.ts';
import { readKey } from './watch-sources.store.ts';

type Routes = typeof mediaRoutes;
type TestAnswer = AnswerOf<Routes['testWatchSource']>;
export type OpenPlace = (settings: WatchSourceSettings, secretKey: string | null, onChange: () => void) => Place;
type Deps = {
  db: Db;
  outbox: Outbox;
  keys: SettingsStore;
  people: Pick<People, 'find'>;
  guard: OutboundGuard;
  roots: readonly string[];
  openPlace: OpenPlace;
};

/** The metric of each source is a series of its own. */
const maxSources = 50;
const testWithinMs = 20_000;

/** Creates, changes, removes and tests watch sources. */
export function createWatchSources({ db, outbox, keys, people, guard, roots, openPlace }: Deps) {
  const save = async (
    tx: Tx,
    actor: Actor,
    { id, input, ownerId }: { id: string; input: WatchSourceInput; ownerId: string | null },
  ): Promise<SourceAnswer> => {
    const { settings, secretKey } = splitKey(input);
    const fields = {
      name: settings.name,
      enabled: settings.enabled,
      config: settings as Prisma.InputJsonObject,
      ownerId,
    };
    const fresh = {
      status: 'checking',
      statusSince: new Date(),
      errorCode: null,
      errorMessage: null,
      rootIdentity: null,
    };
    const row = await tx.watchSource.upsert({
      where: { id },
      create: { id, ...fields },
      update: { ...fields, ...fresh, version: { increment: 1 }, updatedAt: new Date() },
    });
    const key = settings.kind === 'folder' ? null : secretKey;
    if (key !== undefined) await storeKey(tx, keys, { id, key, by: actor.userId });
    return toAnswer(tx, row, (await readKey(tx, keys, id)) !== null);
  };
  /** @returns the owner of the files, when it is fixed. @throws AppError for settings that cannot work. */
  const check = async (input: WatchSourceInput, stored: WatchSource | null): Promise<string | null> => {
    const { settings, secretKey } = splitKey(input);
    requireComplete(settings);
    if (settings.kind === 's3') requireKeyOfServer(settings, secretKey, stored);
    // A source can be switched off while its folder, server or owner is missing; it is checked again when it is switched on.
    if (settings.enabled) await requirePlace(settings, { guard, roots });
    if (settings.owner_rule !== 'fixed') return null;
    const ownerId = (await people.find([settings.owner])).get(settings.owner);
    if (ownerId !== undefined) return ownerId;
    if (settings.enabled) throw ownerUnknown(settings.owner);
    return null;
  };

  return {
    create: async (actor: Actor, input: WatchSourceInput): Promise<SourceAnswer> => {
      const ownerId = await check(input, null);
      await markMoveTarget(input);
      return await db.$transaction(async (tx) => {
        await lockSources(tx);
        if ((await tx.watchSource.count()) >= maxSources)
          throw conflict('too_many_watch_sources', `There are ${maxSources} watch sources already.`);
        const id = randomUUID();
        await recordOperation(tx, outbox, actor, 'watch_source_created', detailsOf(id, input));
        return await save(tx, actor, { id, input, ownerId });
      });
    },

    update: async (actor: Actor, id: string, input: WatchSourceInput): Promise<SourceAnswer> => {
      const stored = await findSource(db, id);
      const ownerId = await check(input, stored);
      // A folder that was chosen before may be missing now: what stands in its place must not be marked.
      const { after, move_to: moveTo } = stored.config as WatchSourceSettings;
      const isChosen = stored.enabled && after === 'move' && moveTo === input.move_to;
      if (!isChosen) await markMoveTarget(input);
      return await db.$transaction(async (tx) => {
        await lockSources(tx);
        await findSource(tx, id);
        await recordOperation(tx, outbox, actor, 'watch_source_changed', detailsOf(id, input));
        return await save(tx, actor, { id, input, ownerId });
      });
    },

    remove: (actor: Actor, id: string): Promise<undefined> =>
      db.$transaction(async (tx) => {
        await lockSources(tx);
        const { name } = await findSource(tx, id);
        await storeKey(tx, keys, { id, key: null, by: actor.userId });
        await tx.watchSource.delete({ where: { id } });
        await recordOperation(tx, outbox, actor, 'watch_source_deleted', { source: id, name });
        return undefined;
      }),

    requestScan: async (id: string): Promise<SourceAnswer> => {
      await findSource(db, id);
      const row = await db.watchSource.update({ where: { id }, data: { scanRequestedAt: new Date() } });
      return toAnswer(db, row, (await readKey(db, keys, id)) !== null);
    },

    test: async ({ uuid, source: input }: BodyOf<Routes['testWatchSource']>): Promise<TestAnswer> => {
      const stored = uuid === undefined ? null : await findSource(db, uuid);
      const { settings, secretKey: given } = splitKey(input);
      try {
        await check({ ...input, enabled: true }, stored);
        const kept = given === undefined && uuid !== undefined ? await readKey(db, keys, uuid) : null;
        const place = openPlace({ ...settings, polling_only: true }, given ?? kept, () => undefined);
        try {
          return await listed(place, settings);
        } finally {
          place.close();
        }
      } catch (error) {
        const { code, message } = failureOf(error);
        return { ok: false, error_code: code, error: message, files: 0, matching: 0, examples: [] };
      }
    },
  };
}

async function listed(place: Place, settings: WatchSourceSettings): Promise<TestAnswer> {
  const { entries } = await place.list(AbortSignal.timeout(testWithinMs));
  const isIncluded = createFilter(settings);
  const matching = entries.filter(({ path, bytes, refusal, modifiedAt }) => {
    const ageDays = (Date.now() - modifiedAt.getTime()) / 86_400_000;
    const fits = bytes >= settings.min_bytes && bytes <= (settings.max_bytes ?? Infinity);
    return refusal === '' && fits && ageDays <= (settings.max_age_days ?? Infinity) && isIncluded(path);
  });
  const examples = matching.slice(0, 5).map(({ path }) => path);
  return { ok: true, error_code: null, error: null, files: entries.length, matching: matching.length, examples };
}

function failureOf(error: unknown): { code: string; message: string } {
  if (error instanceof SourceUnavailable || isAppError(error)) return { code: error.code, message: error.message };
  if (error instanceof Error && (error.name === 'AbortError' || error.name === 'TimeoutError'))
    return { code: 'no_response', message: 'The source does not respond.' };
  throw error;
}

function splitKey({ s3_secret_key: secretKey, ...settings }: WatchSourceInput) {
  return { settings, secretKey };
}

async function findSource(db: Db | Tx, id: string): Promise<WatchSource> {
  const row = await db.watchSource.findUnique({ where: { id } });
  if (!row) throw notFound('There is no such watch source.');
  return row;
}

/** Serializes changes of the list. */
function lockSources(tx: Tx) {
  return tx.$executeRaw`select pg_advisory_xact_lock(hashtextextended('watch_source', 0))`;
}

async function storeKey(
  tx: Tx,
  keys: SettingsStore,
  { id, key, by }: { id: string; key: string | null; by: string },
): Promise<void> {
  await keys.change(tx, watchKeySettings(id), { changes: { [`key-${id}`]: key }, by, validate: () => undefined });
}

function fieldError(path: string, message: string) {
  return invalid('watch_settings_invalid', message, { errors: [{ path, message }] });
}

function requireComplete(settings: WatchSourceSettings): void {
  const { kind, owner_rule: ownerRule, owner, after, move_to: moveTo, min_bytes: min, max_bytes: max } = settings;
  const needed: [boolean, string, string][] = [
    [kind === 'folder' && settings.path === '', 'path', 'Enter the folder.'],
    [kind === 's3' && settings.s3_endpoint_url === '', 's3_endpoint_url', 'Enter the address of the server.'],
    [kind === 's3' && settings.s3_bucket === '', 's3_bucket', 'Enter the bucket.'],
    [kind === 's3' && settings.s3_access_key_id === '', 's3_access_key_id', 'Enter the access key.'],
    [
      kind === 's3' && settings.s3_prefix !== '' && !settings.s3_prefix.endsWith('/'),
      's3_prefix',
      'The prefix must end in a slash.',
    ],
    [ownerRule === 'fixed' && owner === '', 'owner', 'Enter the owner of the files.'],
    [after === 'move' && moveTo === '', 'move_to', 'Enter where imported files are moved.'],
    [
      after === 'move' && kind === 's3' && !moveTo.endsWith('/'),
      'move_to',
      'The prefix for imported files must end in a slash.',
    ],
    [
      after === 'move' && kind === 's3' && settings.s3_prefix.startsWith(moveTo),
      'move_to',
      'The prefix for imported files must not contain the watched one.',
    ],
    [max !== null && max < min, 'max_bytes', 'The largest size must not be below the smallest.'],
  ];
  for (const [isWrong, path, message] of needed) if (isWrong) throw fieldError(path, message);
}

async function requirePlace(
  settings: WatchSourceSettings,
  { guard, roots }: { guard: OutboundGuard; roots: readonly string[] },
): Promise<void> {
  if (settings.kind === 'folder') return await requireFolders(settings, roots);
  await guard.checkedAddress(guard.checkUrl(settings.s3_endpoint_url).hostname);
}

async function requireFolders({ path, after, move_to: moveTo }: WatchSourceSettings, roots: readonly string[]) {
  const folders = after === 'move' ? { path, move_to: moveTo } : { path };
  const resolved: string[] = [];
  for (const [field, folder] of Object.entries(folders))
    try {
      resolved.push((await checkFolder(folder, roots)).resolved);
    } catch (error) {
      if (!(error instanceof SourceUnavailable)) throw error;
      const { message } = error;
      throw invalid('watch_folder_refused', message, { errors: [{ path: field, message }] });
    }
  const [watched, target] = resolved;
  if (target !== undefined && watched !== undefined && `${watched}/`.startsWith(`${target}/`))
    throw fieldError('move_to', 'The folder for imported files must not contain the watched one.');
}

/** Files are moved only to the folder that is there now, and not to the disk below when its disk is missing later. */
async function markMoveTarget({ kind, enabled, after, move_to: moveTo }: WatchSourceInput): Promise<void> {
  if (kind !== 'folder' || !enabled || after !== 'move') return;
  try {
    await markFolder(moveTo);
  } catch (error) {
    if (systemCode(error) === '') throw error;
    const message = `${moveTo} cannot be written: ${systemCode(error)}.`;
    throw invalid('watch_folder_refused', message, { errors: [{ path: 'move_to', message }] });
  }
}

/** A key is sent only to the server that it was entered for. */
function requireKeyOfServer(
  settings: WatchSourceSettings,
  secretKey: string | null | undefined,
  stored: WatchSource | null,
): void {
  const before = stored ? (stored.config as WatchSourceSettings).s3_endpoint_url : '';
  const isKept = secretKey === undefined && before === settings.s3_endpoint_url;
  if (isKept || typeof secretKey === 'string') return;
  const message = 'Enter the secret key of this server.';
  throw invalid('secret_required', message, { errors: [{ path: 's3_secret_key', message }] });
}

function ownerUnknown(owner: string) {
  const message = `There is no active account ${owner}.`;
  return invalid('watch_owner_unknown', message, { errors: [{ path: 'owner', message }] });
}

function detailsOf(
  id: string,
  { name, kind, path, s3_bucket: bucket, s3_prefix: prefix, after, owner }: WatchSourceInput,
) {
  return { source: id, name, place: kind === 'folder' ? path : `s3://${bucket}/${prefix}`, after, owner };
}
