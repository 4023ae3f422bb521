import type { CorrectionResult, FileDetail, SegmentObject, TranscriptOperation } from '@overtone/contracts';
import { example, exampleItem, uuid } from '../ring/example.ts';
import type { ScriptedApi } from '../ring/scripted-api.ts';

const speakers = ['Ada', 'Grace'].map((display_name, i) =>
  exampleItem('GET /api/files/{uuid}', 'speakers', {
    uuid: uuid(70 + i),
    name: `SPEAKER_0${i + 1}`,
    display_name,
  }),
);
const fileId = uuid(60);
export const transcriptPath = `/files/${fileId}`;

/** A transcript that keeps corrections as the service does: a repeated request is applied once, each step can be undone. */
export type StoredTranscript = {
  readonly texts: () => string[];
  readonly speakers: () => (string | undefined)[];
  readonly passages: () => readonly SegmentObject[];
  /** Another person replaces the text of a passage. */
  readonly editElsewhere: (index: number, text: string) => void;
  readonly serve: (api: ScriptedApi) => void;
};

type Options = {
  /** The index of a passage whose second word is masked. */
  readonly masked?: number;
  readonly withheld?: number;
  readonly permission?: 'owner' | 'viewer';
  readonly confidence?: (word: string) => number | null;
  readonly sound?: FileDetail['sound_level'];
  /** Other fields of the file. */
  readonly file?: Partial<FileDetail>;
};

export function storeTranscript(
  texts: readonly string[],
  { masked, withheld, confidence, sound = null, permission = 'owner', file: fields = {} }: Options = {},
): StoredTranscript {
  let passages = texts.map((text, i) => passageOf(text, i, confidence));
  passages = passages.map((one, i) => (i === masked ? withMask(one) : i === withheld ? withoutText(one) : one));
  let version = 1;
  const undo: SegmentObject[][] = [];
  const redo: SegmentObject[][] = [];
  const results = new Map<string, CorrectionResult>();

  const resultSince = (before: readonly SegmentObject[]): CorrectionResult => {
    version += 1;
    const previousIds = new Map(passages.map((one, i) => [one.uuid, passages[i - 1]?.uuid ?? null]));
    return {
      revision: version,
      transcript_version: version,
      segments: passages
        .filter((one) => !before.includes(one))
        .map((one) => ({ ...one, previous_uuid: previousIds.get(one.uuid) ?? null })),
      removed: before.filter((one) => !previousIds.has(one.uuid)).map((one) => one.uuid),
      can_undo: undo.length > 0,
      can_redo: redo.length > 0,
    };
  };
  const apply = (operations: readonly TranscriptOperation[]): CorrectionResult => {
    const before = passages;
    undo.push(before);
    redo.length = 0;
    for (const operation of operations) passages = replace(passages, operation);
    return resultSince(before);
  };
  const revert = (from: SegmentObject[][], to: SegmentObject[][]): CorrectionResult => {
    const before = passages;
    to.push(before);
    // A version is never used twice.
    passages = (from.pop() ?? before).map((one) =>
      before.includes(one) ? one : { ...one, version: one.version + 100 },
    );
    return resultSince(before);
  };
  const file = () =>
    example('GET /api/files/{uuid}', {
      uuid: fileId,
      title: 'Minutes',
      status: 'completed',
      my_permission: permission,
      speakers,
      total_segments: passages.length,
      transcript_version: version,
      sound_level: sound,
      ...fields,
    });
  return {
    texts: () => passages.map(({ text }) => text),
    speakers: () => passages.map(({ speaker }) => speaker?.display_name ?? undefined),
    passages: () => passages,
    editElsewhere: (index, text) => {
      version += 1;
      passages = passages.map((one, i) => (i === index ? { ...one, text, words: [], version: one.version + 1 } : one));
    },
    serve: (api) => {
      api.respond('GET /api/files/{uuid}', file);
      api.respond('GET /api/files/{uuid}/segments', ({ query }) => {
        const [from, limit] = [Number(query.get('segment_offset') ?? 0), Number(query.get('segment_limit') ?? 100)];
        return {
          ...example('GET /api/files/{uuid}/segments'),
          transcript_segments: passages.slice(from, from + limit),
          total_segments: passages.length,
          transcript_version: version,
        };
      });
      api.respond('POST /api/files/{uuid}/transcript/operations', ({ body }) => {
        const result = results.get(body.uuid) ?? apply(body.operations);
        results.set(body.uuid, result);
        return result;
      });
      api.respond('POST /api/files/{uuid}/transcript/undo', () => revert(undo, redo));
      api.respond('POST /api/files/{uuid}/transcript/redo', () => revert(redo, undo));
    },
  };
}

function passageOf(text: string, index: number, confidence: Options['confidence']): SegmentObject {
  return {
    ...exampleItem('GET /api/files/{uuid}/segments', 'transcript_segments'),
    uuid: uuid(1000 + index),
    text,
    start_time: index * 4,
    end_time: index * 4 + 4,
    speaker: speakerOf(speakers[Math.floor(index / 3) % 2]?.uuid ?? null),
    version: 1,
    words: wordsOf(text, index * 4, confidence),
  };
}

function withMask(passage: SegmentObject): SegmentObject {
  const [first = '', second = '', ...rest] = passage.text.split(' ');
  const start = first.length + 1;
  return {
    ...passage,
    text: [first, '[phone]', ...rest].join(' '),
    words: passage.words.map((one) => (one.word === second ? { ...one, word: '' } : one)),
    redactions: [{ uuid: uuid(80), kind: 'phone', start, end: start + '[phone]'.length }],
  };
}

function withoutText(passage: SegmentObject): SegmentObject {
  return { ...passage, text: '[withheld]', words: [], withheld: true };
}

/** Words that stay keep their confidence. */
function typedOver({ words, start_time: start }: SegmentObject, text: string): SegmentObject['words'] {
  const known = new Map(words.map(({ word, confidence }) => [word, confidence]));
  return wordsOf(text, start, (word) => known.get(word) ?? null);
}

function wordsOf(
  text: string,
  start: number,
  confidenceOf: (word: string) => number | null = () => 0.9,
): SegmentObject['words'] {
  const words = text.split(' ');
  const length = 4 / words.length;
  return words.map((word, i) => ({
    word,
    start: start + i * length,
    end: start + (i + 1) * length,
    confidence: confidenceOf(word),
  }));
}

function speakerOf(id: string | null): SegmentObject['speaker'] {
  const found = speakers.find((speaker) => speaker.uuid === id);
  return found ? { uuid: found.uuid, name: found.name, display_name: found.display_name } : null;
}

function replace(
  passages: readonly SegmentObject[],
  { segments, after_uuid: after = null, replacement }: TranscriptOperation,
): SegmentObject[] {
  const ids = segments.map((one) => one.uuid);
  const first = passages.findIndex(({ uuid: id }) => id === (ids[0] ?? after));
  const from = ids.length === 0 ? first + 1 : first;
  const run = passages.slice(from, from + ids.length);
  const pieces = replacement.map((piece): SegmentObject => {
    const old = run.find(({ uuid: id }) => id === piece.uuid) ?? {
      ...(run[0] ?? passages[0] ?? passageOf('', 0, undefined)),
      version: 0,
      text: '',
    };
    const text = piece.text ?? old.text;
    return {
      ...old,
      uuid: piece.uuid,
      text,
      words: (text === old.text ? old.words : typedOver(old, text)).map((word) =>
        piece.accepted_words?.includes(word.start) ? { ...word, confidence: null } : word,
      ),
      speaker: piece.speaker_uuid === undefined ? old.speaker : speakerOf(piece.speaker_uuid),
      start_time: piece.start_time ?? old.start_time,
      end_time: piece.end_time ?? old.end_time,
      edited: true,
      version: old.version + 1,
    };
  });
  return [...passages.slice(0, from), ...pieces, ...passages.slice(from + ids.length)];
}
