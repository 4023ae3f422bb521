import { randomUUID } from 'node:crypto';
import { unavailable } from '@overtone/service-kit';
import type { SpokenSegment } from '../src/chunking/chunking.ts';
import type { IndexableFile, Transcripts } from '../src/ports/transcripts.ts';
import type { Vectoriser } from '../src/ports/vectoriser.ts';
import { splitWords, stemOf } from '../src/tokenize/tokenize.ts';

export type Recording = { file: IndexableFile; segments: SpokenSegment[] };

/** A recording of speaker turns with one word per second. */
export function record(given: Partial<IndexableFile> & { turns: [speaker: string | null, text: string][] }): Recording {
  let at = 0;
  const segments = given.turns.map(([speaker, text]) => {
    const start = at;
    const words = text.split(' ').map((word, i) => ({ word, start: start + i, end: start + i + 0.9 }));
    at += words.length;
    return { start, end: at, text, speaker, words };
  });
  const { turns: _, ...facts } = given;
  const file = {
    fileId: randomUUID(),
    ownerId: randomUUID(),
    title: 'A recording',
    filename: 'recording.wav',
    contentType: 'audio/wav',
    duration: at,
    language: 'en',
    uploadTime: '2026-01-01T00:00:00.000Z',
    transcriptVersion: 1,
    tags: [],
    ...facts,
  };
  return { file, segments };
}

/** A fake of media. */
export function createLibrary() {
  const files = new Map<string, Recording>();
  const put = (recording: Recording): Recording => {
    files.set(recording.file.fileId, recording);
    return recording;
  };
  const transcripts: Transcripts = {
    read: async (fileId) => files.get(fileId) ?? null,
    file: async (fileId) => files.get(fileId)?.file ?? null,
    list: async (after, limit) =>
      [...files.values()]
        .map(({ file }) => ({
          fileId: file.fileId,
          ownerId: file.ownerId,
          transcriptVersion: file.transcriptVersion,
        }))
        .sort((x, y) => (x.fileId < y.fileId ? -1 : 1))
        .filter((file) => after === null || file.fileId > after)
        .slice(0, limit),
  };
  return { files, put, transcripts };
}

/** Vectors: synonyms share a direction, all other words have unrelated ones. */
const meanings = [
  ['deadline', 'due', 'date', 'finished', 'spring', 'march'],
  ['money', 'budget', 'cost', 'price'],
  ['dog', 'cat', 'animal'],
].map((words) => new Set(words.map((word) => stemOf(word, 'en'))));
export const dim = meanings.length;

export function meaningOf(text: string): Float32Array | null {
  const vector = new Float32Array(dim);
  for (const { text: word } of splitWords(text))
    for (const [i, meaning] of meanings.entries())
      if (meaning.has(stemOf(word, 'en'))) vector[i] = (vector[i] ?? 0) + 1;
  const length = Math.hypot(...vector);
  return length === 0 ? null : vector.map((x) => x / length);
}

/** A fake vectoriser that can be switched off and switched to another model. `keepsOld`: it also has the former one. */
export function createMeanings() {
  const state = { available: true, model: 'meanings-1', keepsOld: true, asked: 0 };
  const check = () => {
    state.asked += 1;
    if (!state.available) throw unavailable('service_unavailable', 'No worker');
    return { name: state.model, dim };
  };
  const vectoriser: Vectoriser = {
    documents: async (texts) => ({ model: check(), vectors: texts.map(meaningOf) }),
    model: async () => check().name,
    query: async (text, wanted) => {
      const model = check();
      if (wanted !== null && wanted !== model.name && !state.keepsOld)
        throw unavailable('service_unavailable', 'removed');
      return { model: { ...model, name: wanted ?? model.name }, vector: meaningOf(text) };
    },
  };
  return { state, vectoriser };
}
