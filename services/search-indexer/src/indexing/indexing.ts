import { createHash } from 'node:crypto';
import { speakerLabelPattern } from '@overtone/contracts/speakers';
import type { Passage, Window } from '../chunking/chunking.ts';
import { fileRowIdOf, filterKey, rowIdOf, sectionIdOf, type IndexRow } from '../ports/search-index.ts';
import type { IndexableFile } from '../ports/transcripts.ts';
import { termsOf } from '../tokenize/tokenize.ts';
import { vocabularyOf } from '../vocabulary/vocabulary.ts';

export function mediaKind(contentType: string): 'audio' | 'video' {
  return contentType.startsWith('video/') ? 'video' : 'audio';
}

/** A file's rows: its card (title, file name, tags, speakers), its passages, and the windows that have vectors. */
export function rowsOf(
  file: IndexableFile,
  passages: readonly Passage[],
  vectors: readonly (Float32Array | null)[],
): IndexRow[] {
  const common = {
    fileId: file.fileId,
    ownerId: file.ownerId,
    tags: file.tags.map(filterKey),
    uploaded: Date.parse(file.uploadTime),
    duration: file.duration,
    media: mediaKind(file.contentType),
    sectionTerms: null,
    fileTerms: null,
  };
  const names = speakersOf(passages).filter((name) => !speakerLabelPattern.test(name));
  const card: IndexRow = {
    ...common,
    id: rowIdOf(file.fileId, 'card'),
    kind: 'card',
    terms: termsOf([file.title, file.filename, ...file.tags, ...names].join(' '), file.language),
    // A filter by speaker must not match the card.
    speakers: [],
    shown: { id: rowIdOf(file.fileId, 'card'), text: file.title, end: 0, layout: null },
    vector: null,
  };
  const vectorOf = new Map(
    passages.flatMap((passage) => passage.windows).map((window, i) => [window, vectors[i] ?? null]),
  );
  const ofPassage = (passage: Passage, index: number): IndexRow => ({
    ...common,
    id: rowIdOf(file.fileId, index),
    kind: 'passage',
    terms: termsOf(passage.text, file.language),
    speakers: passage.speakers.map(filterKey),
    shown: { id: rowIdOf(file.fileId, index), text: passage.text, end: passage.end, layout: passage.layout },
    // A passage of one window holds the window's vector itself.
    vector: passage.windows.length === 1 && passage.windows[0] ? (vectorOf.get(passage.windows[0]) ?? null) : null,
  });
  const ofWindow = (window: Window, index: number): IndexRow => ({
    ...common,
    id: rowIdOf(file.fileId, index, window.token),
    kind: 'window',
    terms: '',
    speakers: window.speakers.map(filterKey),
    shown: null,
    vector: vectorOf.get(window) ?? null,
  });
  const windows = passages.flatMap((passage, index) =>
    passage.windows.length > 1 ? passage.windows.map((window) => ofWindow(window, index)) : [],
  );
  return [
    card,
    ...passages.map(ofPassage),
    ...windows.filter((window) => window.vector !== null),
    ...rankingRows(common, card.terms, stemsOf(passages, file.language)),
  ];
}

/** In words. Measured: sections that overlap by half double the rows and rank no better. */
const sectionSize = 400;

/** The rows by which files are ranked: sections of the transcript, and a digest of the whole file with its card. */
function rankingRows(
  common: Omit<IndexRow, 'id' | 'kind' | 'terms' | 'speakers' | 'shown' | 'vector'>,
  cardTerms: string,
  stems: readonly string[],
): IndexRow[] {
  // A filter by speaker does not match them: files are then ranked by what these speakers say.
  const empty = { ...common, terms: '', speakers: [], shown: null, vector: null };
  const sections = Array.from({ length: Math.max(1, Math.ceil(stems.length / sectionSize)) }, (_, i): IndexRow => ({
    ...empty,
    id: sectionIdOf(common.fileId, i),
    kind: 'section',
    sectionTerms: stems.slice(i * sectionSize, (i + 1) * sectionSize).join(' '),
  }));
  return [
    ...sections,
    {
      ...empty,
      id: fileRowIdOf(common.fileId),
      kind: 'file',
      fileTerms: digestOf([...cardTerms.split(' '), ...stems]),
    },
  ];
}

/** How often a stem is repeated in a digest at most. */
const maxRepeats = 4;

/**
 * Each stem of a file, repeated by the logarithm of its number. Measured: it ranks as well as the whole text, of which it
 * is a quarter, and the embedded engine takes 100 ms per search for each whole text that is not in its index yet.
 */
export function digestOf(stems: readonly string[]): string {
  const counts = new Map<string, number>();
  for (const stem of stems) counts.set(stem, (counts.get(stem) ?? 0) + 1);
  return [...counts]
    .flatMap(([stem, count]) =>
      Array.from({ length: Math.min(maxRepeats, 1 + Math.floor(Math.log2(count))) }, () => stem),
    )
    .join(' ');
}

/** The stems of a whole transcript in order; windows do not overlap. */
function stemsOf(passages: readonly Passage[], language: string | null): string[] {
  return termsOf(windowTextsOf(passages).join('\n'), language).split(' ');
}

/** The window texts in the order in which `rowsOf` expects their vectors. */
export function windowTextsOf(passages: readonly Passage[]): string[] {
  return passages.flatMap((passage) => passage.windows.map((window) => window.text));
}

/** All speakers in order of appearance. */
export function speakersOf(passages: readonly Passage[]): string[] {
  return [...new Set(passages.flatMap((passage) => passage.speakers))];
}

/** The words offered as suggestions and corrections. */
export function wordsOf({ title, tags }: IndexableFile, passages: readonly Passage[]): string[] {
  return vocabularyOf([...windowTextsOf(passages), title, ...tags]);
}

/** A hash of the file metadata that search shows or filters by. */
export function fingerprintOf(file: IndexableFile): string {
  const { title, filename, contentType, duration, language, uploadTime, ownerId, tags, transcriptVersion } = file;
  const facts = [
    title,
    filename,
    contentType,
    duration,
    language,
    uploadTime,
    ownerId,
    [...tags].sort(),
    transcriptVersion,
  ];
  return createHash('sha256').update(JSON.stringify(facts)).digest('base64url').slice(0, 22);
}

/** Backoff before the n-th retry. */
export function retryPauseMs(attempts: number): number {
  return Math.min(15 * 60_000, 2_000 * 2 ** Math.min(10, attempts));
}
