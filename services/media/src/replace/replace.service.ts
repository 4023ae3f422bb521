import {
  maxReplacePlaces,
  type AnswerOf,
  type BodyOf,
  type mediaRoutes,
  type SegmentObject,
} from '@overtone/contracts';
import { conflict, invalid, type Caller } from '@overtone/service-kit';
import { usableFile } from '../access/access.store.ts';
import { problemOf } from '../bulk/bulk.ts';
import type { Db } from '../database.ts';
import { maskFor } from '../redaction/redaction.store.ts';
import type { TextChange } from '../transcripts/transcripts.ts';
import { isCorrected, readSegments, readSegmentsById } from '../transcripts/transcripts.store.ts';
import type { FindTexts, TextFinder } from './find.adapter.ts';
import { excerptOf, replacePlaces, type SearchedText } from './replace.ts';

type Routes = typeof mediaRoutes;
type Search = BodyOf<Routes['findText']>;
type FoundFile = AnswerOf<Routes['findText']>['files'][number];
type Replacement = BodyOf<Routes['replaceText']>;
type Chosen = Replacement['files'][number];
type Corrections = {
  replaceTexts: (caller: Caller, fileId: string, change: { uuid: string; changes: TextChange[] }) => Promise<unknown>;
  undoCorrection: (caller: Caller, fileId: string, uuid: string) => Promise<void>;
};

const pageSize = 2_000;

/** Finds text in transcripts as the caller sees them, and replaces it: one correction of each transcript. */
export function createReplacing({ db, corrections, finder }: { db: Db; corrections: Corrections; finder: TextFinder }) {
  return {
    find: (caller: Caller, search: Search, signal: AbortSignal): Promise<AnswerOf<Routes['findText']>> =>
      finder.withFinder(search, { userId: caller.userId, signal }, async (findTexts) => {
        const files: FoundFile[] = [];
        let left = maxReplacePlaces;
        let complete = true;
        for (const fileId of new Set(search.file_uuids)) {
          const result = await findIn(db, caller, fileId, { search, findTexts, limit: left });
          left -= result.file.places.length;
          complete &&= result.complete;
          files.push(result.file);
          if (!complete) break;
        }
        return { files, complete };
      }),

    replace: (caller: Caller, body: Replacement, signal: AbortSignal): Promise<AnswerOf<Routes['replaceText']>> =>
      finder.withFinder(body, { userId: caller.userId, signal }, async (findTexts) => {
        const results = [];
        for (const chosen of mergedChoices(body.files)) {
          const changes = await changesOf(db, caller, { ...chosen, correction: body.uuid }, findTexts)
            .then(async (list) => {
              await corrections.replaceTexts(caller, chosen.file_uuid, { uuid: body.uuid, changes: list });
              return { replaced: chosen.segments.reduce((sum, { starts }) => sum + starts.length, 0), error: null };
            })
            .catch((error: unknown) => ({ replaced: 0, error: problemOf(error) }));
          results.push({ file_uuid: chosen.file_uuid, ...changes });
        }
        return { results };
      }),

    undo: async (caller: Caller, uuid: string, fileIds: readonly string[]) => {
      const results = [];
      for (const fileId of new Set(fileIds)) {
        const error = await corrections.undoCorrection(caller, fileId, uuid).then(() => null, problemOf);
        results.push({ file_uuid: fileId, error });
      }
      return { results };
    },
  };
}

type Finding = { search: Search; findTexts: FindTexts; limit: number };

async function findIn(
  db: Db,
  caller: Caller,
  fileId: string,
  finding: Finding,
): Promise<{ file: FoundFile; complete: boolean }> {
  const file = await usableFile(db, caller, fileId, 'read').catch((error: unknown) => problemOf(error));
  if (!('permission' in file))
    return {
      file: { file_uuid: fileId, title: null, my_permission: null, places: [], error: file },
      complete: true,
    };
  const mask = await maskFor(db, caller, file);
  const places: FoundFile['places'] = [];
  let complete = true;
  for (let [offset, total] = [0, 1]; offset < total && complete;) {
    const page = await readSegments(db, fileId, { limit: pageSize, offset, words: false, mask });
    const segments = page.segments.filter((segment) => isSearched(segment, finding.search.speaker));
    const found = await finding.findTexts(segments.map(searchedText));
    for (const [i, segment] of segments.entries()) {
      const own = (found[i] ?? []).slice(0, finding.limit - places.length);
      places.push(...own.map((place) => toPlace(segment, place)));
      complete &&= own.length === found[i]?.length;
    }
    if (page.segments.length === 0) break;
    [offset, total] = [offset + page.segments.length, page.total];
  }
  const { title, permission } = file;
  return { file: { file_uuid: fileId, title, my_permission: permission, places, error: null }, complete };
}

function isSearched({ withheld, speaker }: SegmentObject, wanted: string | null): boolean {
  if (withheld) return false;
  return wanted === null || nameOf(speaker)?.toLowerCase() === wanted.toLowerCase();
}

function nameOf(speaker: SegmentObject['speaker']): string | null {
  return speaker && (speaker.display_name ?? speaker.name);
}

function searchedText({ text, redactions }: SegmentObject): SearchedText {
  return { text, masked: redactions.map(({ start, end }) => ({ start, end })) };
}

function toPlace(segment: SegmentObject, place: { start: number; end: number; replacement: string }) {
  const { uuid, version, start_time, speaker, text } = segment;
  const { start, replacement } = place;
  return {
    segment_uuid: uuid,
    version,
    start_time,
    speaker: nameOf(speaker),
    start,
    replacement,
    ...excerptOf(text, place),
  };
}

/** Each recording and each version of a passage once, however often the request names it. */
function mergedChoices(files: readonly Chosen[]): Chosen[] {
  return [...Map.groupBy(files, ({ file_uuid }) => file_uuid)].map(([file_uuid, choices]) => {
    const segments = choices.flatMap((choice) => choice.segments);
    const versions = [...Map.groupBy(segments, ({ uuid, version }) => `${uuid} ${version}`).values()];
    const merged = versions.flatMap((same) => {
      const starts = [...new Set(same.flatMap((segment) => segment.starts))];
      return same.slice(0, 1).map((segment) => ({ ...segment, starts }));
    });
    return { file_uuid, segments: merged };
  });
}

/** The new texts of the chosen passages. A passage that has changed since the search is refused. */
async function changesOf(
  db: Db,
  caller: Caller,
  chosen: Chosen & { correction: string },
  findTexts: FindTexts,
): Promise<TextChange[]> {
  const file = await usableFile(db, caller, chosen.file_uuid, 'edit');
  if (await isCorrected(db, file.id, chosen.correction)) return [];
  const wanted = new Map(chosen.segments.map((segment) => [segment.uuid, segment]));
  const segments = await readSegmentsById(db, file.id, [...wanted.keys()], await maskFor(db, caller, file));
  const found = await findTexts(segments.map(searchedText));
  // Of two versions of a passage one is old.
  if (segments.length !== chosen.segments.length) throw changedSince();
  return segments.map((segment, i) => {
    const { uuid, version, text: shown, withheld } = segment;
    const chosenHere = wanted.get(uuid);
    const starts = new Set(chosenHere?.starts);
    const places = (found[i] ?? []).filter(({ start }) => starts.has(start));
    if (chosenHere?.version !== version || places.length !== starts.size || withheld) throw changedSince();
    const text = replacePlaces(shown, places);
    if (text === undefined) throw invalid('invalid_body', 'A passage would get too long.');
    return { uuid, version, shown, text };
  });
}

function changedSince() {
  return conflict('stale_version', 'The transcript was changed in the meantime. Search again.');
}
