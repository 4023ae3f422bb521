import { createHash, randomUUID } from 'node:crypto';
import { setImmediate as yieldToOthers } from 'node:timers/promises';
import type { RedactionPolicy } from '@overtone/contracts';
import {
  detectIn,
  detectorVersion,
  introducedNames,
  mergeSpans,
  type DetectOptions,
  type Span,
} from '@overtone/redaction';
import type { Caller } from '@overtone/service-kit';
import type { Permission } from '../access/access.ts';
import type { Db, Tx } from '../database.ts';
import { Prisma, type MediaFile } from '../generated/client.ts';
import type { NamesModel } from '../ports/names-model.adapter.ts';
import {
  audienceOf,
  maskOf,
  namesChanged,
  parsePolicy,
  stayingSpans,
  toFileMasks,
  withStaying,
  type FoundSpan,
  type Mask,
} from './redaction.ts';

type MaskedFile = Pick<MediaFile, 'userId' | 'redactionKinds' | 'redactionError'>;
/** Finds personal data in consecutive texts. `version`: of its rules and its names model; spans of another one are found again. */
export type Detector = {
  version: string;
  find: (texts: readonly string[], options: DetectOptions) => Promise<Span[][]>;
};

const rules: Detector = { version: detectorVersion, find: async (texts, options) => detectIn(texts, options) };

function versionWith(namesModel: string | null): string {
  return namesModel === null ? detectorVersion : `${detectorVersion}+${namesModel}`;
}

export async function readDetectorVersion(db: Db | Tx): Promise<string> {
  return versionWith((await db.redactionNamesModel.findFirst())?.model ?? null);
}

/** The rules, and the names model if one is in use. When the model fails, all of it fails: names must not be shown. */
export async function readDetector(db: Db | Tx, names: Pick<NamesModel, 'find'>): Promise<Detector> {
  const model = (await db.redactionNamesModel.findFirst())?.model ?? null;
  if (model === null) return rules;
  return {
    version: versionWith(model),
    find: async (texts, options) => {
      const found = await names.find(model, texts);
      return detectIn(texts, options).map((spans, i) => {
        const others = (found[i] ?? []).map(([start, end]) => ({ kind: 'name' as const, start, end, byModel: true }));
        return mergeSpans<Span & { byModel?: boolean }>([...spans, ...others]);
      });
    },
  };
}

/** Stores which names model is in use. @returns whether it is another one than before. */
export async function saveNamesModel(db: Db, model: string | null): Promise<boolean> {
  const before = (await db.redactionNamesModel.findFirst())?.model ?? null;
  if (before === model) return false;
  await db.redactionNamesModel.upsert({ where: { id: true }, create: { model }, update: { model } });
  return true;
}

/** Not by `findUnique`: Prisma joins those of concurrent requests to one with `in`, which a Boolean key does not have. */
export async function readPolicy(db: Db | Tx): Promise<RedactionPolicy> {
  return parsePolicy((await db.redactionPolicy.findFirst())?.policy);
}

export async function readPreference(db: Db | Tx, userId: string): Promise<string[]> {
  return (await db.redactionPreference.findUnique({ where: { userId } }))?.kinds ?? [];
}

/** What the caller does not see in the file. @param policy when it was read already. */
export async function maskFor(
  db: Db | Tx,
  caller: Pick<Caller, 'userId' | 'role'>,
  file: MaskedFile & { permission: Permission },
  policy?: RedactionPolicy,
): Promise<Mask> {
  return readMask(db, file, audienceOf(caller, file), policy);
}

/** What the caller does not see in a file of their own that was not stored yet. */
export function maskForNewFile(db: Db | Tx, { userId }: Pick<Caller, 'userId'>): Promise<Mask> {
  return readMask(db, { userId, redactionKinds: [], redactionError: null }, 'owner');
}

/** What at least one reader does not see: the search index, which all readers share, does not contain it. */
export function maskForIndex(db: Db | Tx, file: MaskedFile): Promise<Mask> {
  return readMask(db, file, null);
}

/** The same for several files, by id, as lists. */
export async function fileMasksOf(
  db: Db,
  files: readonly (MaskedFile & Pick<MediaFile, 'id'>)[],
): Promise<(fileId: string) => string[]> {
  const policy = await readPolicy(db);
  const preferences = await db.redactionPreference.findMany({
    where: { userId: { in: [...new Set(files.map(({ userId }) => userId))] } },
  });
  const accountKinds = new Map(preferences.map(({ userId, kinds }) => [userId, kinds]));
  const masks = files.map(({ id, userId, redactionKinds: fileKinds, redactionError }): [string, string[]] => {
    const choices = { policy, accountKinds: accountKinds.get(userId) ?? [], fileKinds };
    return [id, toFileMasks(maskOf(choices, null, redactionError !== null))];
  });
  const byFile = new Map(masks);
  return (fileId) => byFile.get(fileId) ?? [];
}

async function readMask(
  db: Db | Tx,
  file: MaskedFile,
  audience: Parameters<typeof maskOf>[1],
  knownPolicy?: RedactionPolicy,
): Promise<Mask> {
  const policy = knownPolicy ?? (await readPolicy(db));
  const accountKinds = await readPreference(db, file.userId);
  return maskOf({ policy, accountKinds, fileKinds: file.redactionKinds }, audience, file.redactionError !== null);
}

/** The version of the masks that readers and search are about to receive with a new transcript. */
export async function readMaskVersion(db: Db | Tx): Promise<number> {
  return (await db.redactionPolicy.findFirst())?.version ?? 0;
}

/** Whether the text of a passage was scanned by the current rules and names model. */
export const isScanned = Prisma.sql`coalesce(t.redaction_key = (
  select ${detectorVersion}::text || coalesce(max('+' || model), '') from redaction_names_model) || ':' || md5(t.text), false)`;

/** Whether a passage is hidden from readers with this mask until it was scanned. */
export async function isWithheld(db: Db | Tx, fileId: string, { withholdsUnscanned }: Mask): Promise<boolean> {
  if (!withholdsUnscanned) return false;
  const rows = await db.$queryRaw<unknown[]>`
    select 1 from transcript_segment t
    where t.media_file_id = ${fileId}::uuid and t.text <> '' and not ${isScanned} limit 1`;
  return rows.length > 0;
}

/** The value of `redaction_key` of a passage whose text was scanned by this version of the detector. */
export function keyOf(text: string, version: string): string {
  return `${version}:${hashOf(text)}`;
}

function hashOf(text: string): string {
  return createHash('md5').update(text).digest('hex');
}

/** The names that are masked in every place: those of the speakers, and those that rules have found so far. */
export async function knownNames(db: Db | Tx, fileId: string): Promise<string[]> {
  const rows = await db.$queryRaw<{ name: string }[]>`
    select display_name as name from speaker where media_file_id = ${fileId}::uuid and display_name is not null
    union
    select substr(t.text, r.start + 1, r."end" - r.start) as name
    from transcript_segment t, jsonb_to_recordset(t.redactions) as r(kind text, start int, "end" int, "byModel" boolean)
    where t.media_file_id = ${fileId}::uuid and r.kind = 'name' and r."byModel" is not true and t.redaction_key like '%:' || md5(t.text)`;
  return rows.map(({ name }) => name);
}

/** The names of speakers have changed: the text is scanned again. */
export function markNamesChanged(tx: Tx, fileId: string) {
  return tx.$executeRaw`
    update transcript_segment set redaction_key = ${namesChanged} || ':' || md5(text)
    where media_file_id = ${fileId}::uuid and redaction_key like '%:' || md5(text)`;
}

export type ScannedText = {
  id: string;
  text: string;
  redactions: unknown;
  redactionKey: string | null;
};

type Scan = {
  find: Detector['find'];
  /** Spans that this version found in the same text stay. */
  version: string;
  options: DetectOptions;
  /** The masked parts that an edit left in a passage. */
  kept?: ReadonlyMap<string, FoundSpan[]>;
};

/** The spans of each passage, in one scan of all of them. */
async function scanTexts(rows: readonly ScannedText[], { find, version, options, kept }: Scan): Promise<FoundSpan[][]> {
  const texts = rows.map(({ text }) => text);
  const found = await find(texts, options);
  return rows.map((row, i) => {
    const staying = kept?.get(row.id) ?? stayingSpans(row, hashOf(row.text), version);
    return withStaying(found[i] ?? [], staying, randomUUID);
  });
}

type Limits = { rows: number; letters: number };
/** What is scanned without a pause for other requests. */
const windowLimits: Limits = { rows: 300, letters: 20_000 };
/** What of the adjacent passages is scanned with it: a span can continue there. */
const overlapLimits: Limits = { rows: 6, letters: 2_000 };

type ScannedWindow = { rows: readonly ScannedText[]; spans: FoundSpan[][] };

/** Scans all passages of a transcript, some at a time. */
export async function* scanWindows(
  detector: Detector,
  rows: readonly ScannedText[],
  { language, knownNames }: DetectOptions,
): AsyncGenerator<ScannedWindow> {
  const known = new Set(knownNames);
  for (const { from, to } of windowsOf(rows)) {
    for (const name of introducedNames(rows.slice(from, to).map(({ text }) => text))) known.add(name);
    await yieldToOthers();
  }
  const options = { language, knownNames: [...known] };
  for (const { from, to } of windowsOf(rows)) {
    const start = reachFrom(rows, from - 1, { step: -1, ...overlapLimits }) + 1;
    const end = reachFrom(rows, to, { step: 1, ...overlapLimits });
    const spans = await scanTexts(rows.slice(start, end), { ...detector, options });
    yield { rows: rows.slice(from, to), spans: spans.slice(from - start, to - start) };
    await yieldToOthers();
  }
}

function* windowsOf(rows: readonly ScannedText[]): Generator<{ from: number; to: number }> {
  for (let from = 0; from < rows.length;) {
    const to = reachFrom(rows, from, { step: 1, ...windowLimits });
    yield { from, to };
    from = to;
  }
}

/** @returns the first index beyond the limits; the row that exceeds `letters` is still within. */
function reachFrom(rows: readonly ScannedText[], from: number, { step, ...limits }: Limits & { step: 1 | -1 }): number {
  let at = from;
  let letters = 0;
  while (rows[at] && Math.abs(at - from) < limits.rows && letters < limits.letters) {
    letters += rows[at]?.text.length ?? 0;
    at += step;
  }
  return at;
}

export function readScannedTexts(db: Db | Tx, fileId: string): Promise<ScannedText[]> {
  return db.segment.findMany({
    where: { fileId },
    orderBy: { position: 'asc' },
    select: { id: true, text: true, redactions: true, redactionKey: true },
  });
}

/**
 * Scans a transcript in the transaction that stores it, so that no reader receives it without its masks. After a failed
 * scan it is withheld until a later one. A names model would hold the transaction up: with one, text that it has not
 * scanned is withheld until the next scan, a second later.
 * @returns the changed columns of the file.
 */
export async function scanStored(
  tx: Tx,
  { id, language, transcriptVersion }: Pick<MediaFile, 'id' | 'language' | 'transcriptVersion'>,
) {
  const rows = await readScannedTexts(tx, id);
  const [redactionMaskVersion, version] = [await readMaskVersion(tx), await readDetectorVersion(tx)];
  if (rows.some(({ text, redactionKey }) => redactionKey !== keyOf(text, version))) {
    if (version !== rules.version) return { redactionVersion: null, redactionCoverage: 0, redactionMaskVersion };
    const options = { language, knownNames: await knownNames(tx, id) };
    const windows = await collect(scanWindows(rules, rows, options)).catch(() => undefined);
    if (!windows) return { redactionError: 'scan_failed', redactionMaskVersion };
    for (const window of windows) await storeSpans(tx, window.rows, window.spans, () => version);
  }
  return {
    redactionVersion: transcriptVersion,
    redactionDetector: version,
    redactionCoverage: 1,
    redactionError: null,
    redactionScannedAt: new Date(),
    redactionMaskVersion,
  };
}

async function collect<T>(source: AsyncIterable<T>): Promise<T[]> {
  const items: T[] = [];
  for await (const item of source) items.push(item);
  return items;
}

/** Stores the spans of passages whose text is still the scanned one, with the version of the detector that found them. */
export async function storeSpans(
  db: Db | Tx,
  rows: readonly ScannedText[],
  spans: readonly FoundSpan[][],
  versionOf: (row: ScannedText) => string,
): Promise<void> {
  await db.$executeRaw`
    update transcript_segment t set redactions = r.spans::jsonb, redaction_key = r.key
    from unnest(
      ${rows.map(({ id }) => id)}::uuid[],
      ${rows.map(({ text }) => hashOf(text))}::text[],
      ${rows.map((row) => keyOf(row.text, versionOf(row)))}::text[],
      ${spans.map((list) => JSON.stringify(list))}::text[]
    ) as r(uuid, hash, key, spans)
    where t.uuid = r.uuid and md5(t.text) = r.hash
      and (t.redaction_key is distinct from r.key or t.redactions <> r.spans::jsonb)`;
}

/** Passages on each side of an edited one that are scanned with it: a number may continue in the next passage. */
const reach = 6;

/**
 * Scans edited passages and those around them, in the transaction of the edit, so that they are not withheld until the next
 * scan. When the detector fails they count as not scanned. With a names model edited passages count as scanned by the rules
 * only, and are withheld until the next scan; those around them keep what the model found in them.
 */
export async function scanAround(
  tx: Tx,
  file: Pick<MediaFile, 'id' | 'language'>,
  { ids, kept }: { ids: readonly string[]; kept: ReadonlyMap<string, FoundSpan[]> },
): Promise<void> {
  const rows = await readAround(tx, file.id, ids);
  const options = { language: file.language, knownNames: await knownNames(tx, file.id) };
  const version = await readDetectorVersion(tx);
  const spans = await scanTexts(rows, { find: rules.find, version, options, kept }).catch(() => undefined);
  const versionOf = ({ text, redactionKey }: ScannedText): string =>
    redactionKey === keyOf(text, version) ? version : rules.version;
  if (spans) await storeSpans(tx, rows, spans, versionOf);
}

/** Adjacent passages with those around them. */
async function readAround(tx: Tx, fileId: string, ids: readonly string[]): Promise<ScannedText[]> {
  const { _min: first, _max: last } = await tx.segment.aggregate({
    where: { fileId, id: { in: [...ids] } },
    _min: { position: true },
    _max: { position: true },
  });
  if (first.position === null || last.position === null) return [];
  const select = { id: true, text: true, redactions: true, redactionKey: true } as const;
  const [from, to] = [first.position, last.position];
  const before = await tx.segment.findMany({
    where: { fileId, position: { lt: from } },
    orderBy: { position: 'desc' },
    take: reach,
    select,
  });
  const after = await tx.segment.findMany({
    where: { fileId, position: { gt: to } },
    orderBy: { position: 'asc' },
    take: reach,
    select,
  });
  const between = await tx.segment.findMany({
    where: { fileId, position: { gte: from, lte: to } },
    orderBy: { position: 'asc' },
    select,
  });
  return [...before.toReversed(), ...between, ...after];
}

export type PlaybackCopy = {
  variant: string;
  status: 'queued' | 'ready' | 'failed';
  objectKey: string | null;
  contentType: string | null;
  bytes: number | null;
};

/** The copy for players; undefined: the recording itself is played. */
export async function readPlaybackCopy(db: Db | Tx, fileId: string): Promise<PlaybackCopy | undefined> {
  const [row] = await db.$queryRaw<PlaybackCopy[]>`
    select variant, status, object_key as "objectKey", content_type as "contentType", bytes::float8 as bytes
    from masked_audio where media_file_id = ${fileId}::uuid and mode = 'playback'
    order by requested_at desc limit 1`;
  return row;
}
