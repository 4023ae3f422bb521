import { describe, expect, it } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import type { AnswerOf, CorrectionResult, FileDetail, mediaRoutes, TranscriptOperation } from '@overtone/contracts';
import { transcribed, twoVoices, type Run } from '../../test/runs.ts';
import { newUser, startMedia, waitFor, type TestUser } from '../../test/start-media.ts';

type Answer = CorrectionResult & { code: string; version?: number };
type History = AnswerOf<(typeof mediaRoutes)['listOperations']>;
const media = await startMedia();

async function detailOf(run: Run): Promise<FileDetail> {
  return (await media.json<FileDetail>(run.owner, 'GET', `/api/files/${run.fileId}?segment_limit=1000`)).body;
}

/** What an undo must restore: everything except versions and marks. */
async function shownOf(run: Run) {
  return (await detailOf(run)).transcript_segments.map(({ uuid, text, speaker, start_time, end_time, words }) => ({
    uuid,
    text,
    speaker: speaker?.uuid ?? null,
    times: [start_time, end_time],
    words,
  }));
}

function apply(run: Run, operations: TranscriptOperation[], { person = run.owner, uuid = randomUUID() } = {}) {
  return media.json<Answer>(person, 'POST', `/api/files/${run.fileId}/transcript/operations`, { uuid, operations });
}

function revert(run: Run, which: 'undo' | 'redo', person: TestUser = run.owner, uuid: string = randomUUID()) {
  return media.json<Answer>(person, 'POST', `/api/files/${run.fileId}/transcript/${which}`, { uuid });
}

async function historyOf(run: Run, query = ''): Promise<History> {
  return (await media.json<History>(run.owner, 'GET', `/api/files/${run.fileId}/transcript/operations${query}`)).body;
}

async function idsOf(run: Run): Promise<[string, string, string]> {
  return (await detailOf(run)).transcript_segments.map(({ uuid }) => uuid) as [string, string, string];
}

function missing(): never {
  throw new Error('no such segment');
}

/** One operation of each kind, for the first transcript of a run. */
const corrections: Record<string, (run: Run) => Promise<TranscriptOperation[]>> = {
  text: async (run) => {
    const [one] = await idsOf(run);
    return [{ segments: [{ uuid: one }], replacement: [{ uuid: one, text: 'good evening everybody' }] }];
  },
  speaker: async (run) => {
    const [one] = await idsOf(run);
    return [{ segments: [{ uuid: one }], replacement: [{ uuid: one, speaker_uuid: null }] }];
  },
  split: async (run) => {
    const [one] = await idsOf(run);
    const replacement = [
      { uuid: one, text: 'good morning' },
      { uuid: randomUUID() as string, text: 'everybody' },
    ];
    return [{ segments: [{ uuid: one }], replacement }];
  },
  merge: async (run) => {
    const [one, two] = await idsOf(run);
    const text = 'good morning everybody hello and welcome';
    return [{ segments: [{ uuid: one }, { uuid: two }], replacement: [{ uuid: one, text }] }];
  },
  retime: async (run) => {
    const [, two] = await idsOf(run);
    return [{ segments: [{ uuid: two }], replacement: [{ uuid: two, start_time: 2.5, end_time: 3.7 }] }];
  },
  accept: async (run) => {
    const [first] = (await detailOf(run)).transcript_segments;
    const { uuid = '', words = [] } = first ?? {};
    return [{ segments: [{ uuid }], replacement: [{ uuid, accepted_words: [words[1]?.start ?? 0] }] }];
  },
  insert: async (run) => {
    const [one] = await idsOf(run);
    return [{ segments: [], after_uuid: one, replacement: [{ uuid: randomUUID(), text: 'well well' }] }];
  },
  delete: async (run) => {
    const [, two] = await idsOf(run);
    return [{ segments: [{ uuid: two }], replacement: [] }];
  },
};

describe.each(Object.entries(corrections))('the correction %s', (kind, make) => {
  it('is stored with its author, undone and redone completely', async () => {
    const run = await transcribed(media);
    const before = await shownOf(run);
    const done = await apply(run, await make(run));
    expect(done).toMatchObject({ status: 200, body: { revision: 1, can_undo: true, can_redo: false } });
    const after = await shownOf(run);
    expect(after).not.toEqual(before);
    const undone = await revert(run, 'undo');
    expect(undone).toMatchObject({ status: 200, body: { revision: 2, can_undo: false, can_redo: true } });
    expect(await shownOf(run)).toEqual(before);
    const redone = await revert(run, 'redo');
    expect(redone).toMatchObject({ status: 200, body: { revision: 3, can_undo: true, can_redo: false } });
    expect(await shownOf(run)).toEqual(after);
    const { items } = await historyOf(run);
    expect(items.map(({ kinds, reverts, user_id }) => [kinds, reverts, user_id])).toEqual(
      [1, 1, null].map((reverts) => [[kind], reverts, run.owner.userId]),
    );
  });
});

it.each(['text', 'speaker', 'split', 'merge', 'retime'])(
  'the undo and the redo of a correction (%s) keep a word that another person has accepted since',
  async (kind) => {
    const run = await transcribed(media);
    const editor = newUser();
    const share = { user_uuid: editor.userId, permission: 'editor' };
    await media.json(run.owner, 'PUT', `/api/files/${run.fileId}/shares`, share);
    const spoken = kind === 'retime' ? 'hello' : 'good';
    const find = async () =>
      (await detailOf(run)).transcript_segments.flatMap(({ uuid, words }) =>
        words.filter(({ word }) => word === spoken).map((word) => ({ ...word, uuid })),
      )[0];
    const automatic = await shownOf(run);
    expect((await apply(run, (await corrections[kind]?.(run)) ?? [])).status).toBe(200);
    const { uuid = '', start = -1, confidence } = (await find()) ?? {};
    expect(confidence).not.toBeNull();
    const accepted = [{ segments: [{ uuid }], replacement: [{ uuid, accepted_words: [start] }] }];
    expect((await apply(run, accepted, { person: editor })).status).toBe(200);
    const corrected = await shownOf(run);

    expect((await revert(run, 'undo')).status).toBe(200);
    expect((await find())?.confidence).toBeNull();
    expect((await revert(run, 'redo')).status).toBe(200);
    expect(await shownOf(run)).toEqual(corrected);
    expect((await revert(run, 'undo')).status).toBe(200);
    expect((await revert(run, 'undo', editor)).status).toBe(200);
    expect(await shownOf(run)).toEqual(automatic);
  },
);

it.each([
  ['deleted', 'good morning'],
  ['split off', 'good morning\neverybody'],
])('the undo and the redo of accepted words reach a word that another person has %s since', async (_, text) => {
  const run = await transcribed(media);
  const editor = newUser();
  const share = { user_uuid: editor.userId, permission: 'editor' };
  await media.json(run.owner, 'PUT', `/api/files/${run.fileId}/shares`, share);
  const automatic = await shownOf(run);
  const { uuid = '', words = [] } = automatic[0] ?? {};
  const last = words.at(-1) ?? missing();
  expect(last).toMatchObject({ word: 'everybody', confidence: expect.any(Number) });
  const confidences = async () =>
    (await shownOf(run)).flatMap((one) =>
      one.words.flatMap(({ word, confidence }) => (word === last.word ? confidence : [])),
    );
  const accepted = [{ segments: [{ uuid }], replacement: [{ uuid, accepted_words: words.map(({ start }) => start) }] }];
  const parts = text.split('\n').map((part, i) => ({ uuid: i === 0 ? uuid : randomUUID(), text: part }));
  const isDeleted = parts.length === 1;
  expect((await apply(run, accepted)).status).toBe(200);
  expect((await apply(run, [{ segments: [{ uuid }], replacement: parts }], { person: editor })).status).toBe(200);

  expect((await revert(run, 'undo')).status).toBe(200);
  expect(await confidences()).toEqual(isDeleted ? [] : [last.confidence]);
  expect((await revert(run, 'redo')).status).toBe(200);
  expect(await confidences()).toEqual(isDeleted ? [] : [null]);
  expect((await revert(run, 'undo')).status).toBe(200);
  expect((await revert(run, 'undo', editor)).status).toBe(200);
  expect(await shownOf(run)).toEqual(automatic);
  expect((await revert(run, 'redo', editor)).status).toBe(200);
  expect((await revert(run, 'redo')).status).toBe(200);
  expect((await revert(run, 'undo', editor)).status).toBe(200);
  expect(await confidences()).toEqual([null]);
});

describe('corrections', () => {
  it('answer with the changed and removed segments, in the place where they are now', async () => {
    const run = await transcribed(media);
    const [one, two, three] = await idsOf(run);
    const fresh = randomUUID();
    const { body } = await apply(run, [
      {
        segments: [{ uuid: one, version: 1 }],
        replacement: [
          { uuid: one, text: 'good morning' },
          { uuid: fresh, text: 'everybody' },
        ],
      },
      { segments: [{ uuid: three, version: 1 }], replacement: [] },
    ]);
    expect(body.segments.map(({ uuid, previous_uuid, version }) => [uuid, previous_uuid, version])).toEqual([
      [one, null, 2],
      [fresh, one, 1],
    ]);
    expect(body.removed).toEqual([three]);
    expect((await idsOf(run)) as string[]).toEqual([one, fresh, two]);
    const event = await waitFor(() => media.eventsOf('evt.media.transcript.edited.v1', run.fileId)[0]);
    expect(event.data).toMatchObject({ transcriptVersion: body.transcript_version });
  });

  it('keep the times of unedited words to the millisecond through splits, merges and speaker changes', async () => {
    const run = await transcribed(media);
    const before = (await shownOf(run)).flatMap(({ words }) => words);
    const [one, two] = await idsOf(run);
    const fresh = randomUUID();
    const speaker = (await detailOf(run)).speakers[1]?.uuid ?? null;
    const text = 'everybody hello and welcome';
    await apply(run, [
      {
        segments: [{ uuid: one }],
        replacement: [
          { uuid: one, text: 'good morning' },
          { uuid: fresh, text: 'everybody', speaker_uuid: speaker },
        ],
      },
      { segments: [{ uuid: fresh }, { uuid: two }], replacement: [{ uuid: fresh, text }] },
    ]);
    expect((await shownOf(run)).flatMap(({ words }) => words)).toEqual(before);
  });

  it('are applied once, also when the request is repeated after others', async () => {
    const run = await transcribed(media);
    const uuid = randomUUID();
    const [one, two] = await idsOf(run);
    const first: TranscriptOperation[] = [
      { segments: [{ uuid: one, version: 1 }], replacement: [{ uuid: one, text: 'one' }] },
    ];
    await apply(run, first, { uuid });
    await apply(run, [{ segments: [{ uuid: two }], replacement: [{ uuid: two, text: 'two' }] }]);
    const again = await apply(run, first, { uuid });
    expect(again).toMatchObject({
      status: 200,
      body: { revision: 2, segments: [{ uuid: one, text: 'one', version: 2 }] },
    });
    const undo = randomUUID();
    await revert(run, 'undo', run.owner, undo);
    await revert(run, 'undo', run.owner, undo);
    expect((await shownOf(run)).map(({ text }) => text)).toEqual(['one', 'hello and welcome', 'let us begin']);
  });

  it('are all rejected when one of them is outdated, and report its version', async () => {
    const run = await transcribed(media);
    const before = await shownOf(run);
    const [one, two] = await idsOf(run);
    await apply(run, [{ segments: [{ uuid: two }], replacement: [{ uuid: two, text: 'two' }] }]);
    const late = await apply(run, [
      { segments: [{ uuid: one, version: 1 }], replacement: [] },
      { segments: [{ uuid: two, version: 1 }], replacement: [{ uuid: two, text: 'mine' }] },
    ]);
    expect(late).toMatchObject({ status: 409, body: { code: 'stale_version', version: 2 } });
    expect((await shownOf(run)).map(({ text }) => text)).toEqual([before[0]?.text, 'two', before[2]?.text]);
  });

  it.each<[string, number, (ids: [string, string, string]) => TranscriptOperation]>([
    [
      'segments_not_adjacent',
      409,
      ([one, , three]) => ({
        segments: [{ uuid: one }, { uuid: three }],
        replacement: [{ uuid: one, text: 'x' }],
      }),
    ],
    [
      'segment_times_invalid',
      400,
      ([, two]) => ({
        segments: [{ uuid: two }],
        replacement: [{ uuid: two, start_time: 9, end_time: 9.5 }],
      }),
    ],
    [
      'speaker_mismatch',
      400,
      ([one]) => ({
        segments: [{ uuid: one }],
        replacement: [{ uuid: one, speaker_uuid: randomUUID() }],
      }),
    ],
    ['not_found', 404, () => ({ segments: [{ uuid: randomUUID() }], replacement: [] })],
    ['stale_version', 409, ([one, two]) => ({ segments: [{ uuid: one }], replacement: [{ uuid: two, text: 'x' }] })],
  ])('are rejected as %s', async (code, status, operationOf) => {
    const run = await transcribed(media);
    const before = await shownOf(run);
    expect(await apply(run, [operationOf(await idsOf(run))])).toMatchObject({ status, body: { code } });
    expect(await shownOf(run)).toEqual(before);
  });

  it('are made only by those who may edit, and undone only by those who made them', async () => {
    const run = await transcribed(media);
    const [reader, editor] = [newUser(), newUser()];
    for (const [person, permission] of [
      [reader, 'viewer'],
      [editor, 'editor'],
    ] as const)
      await media.json(run.owner, 'PUT', `/api/files/${run.fileId}/shares`, { user_uuid: person.userId, permission });
    const [one] = await idsOf(run);
    const operations = [{ segments: [{ uuid: one }], replacement: [{ uuid: one, text: 'x' }] }];
    expect((await apply(run, operations, { person: reader })).status).toBe(403);
    expect((await apply(run, operations, { person: newUser() })).status).toBe(404);
    expect((await apply(run, operations, { person: editor })).status).toBe(200);
    expect(await revert(run, 'undo')).toMatchObject({ status: 409, body: { code: 'nothing_to_undo' } });
    expect((await revert(run, 'undo', editor)).status).toBe(200);
  });

  it('are undone back to the automatic transcript after many random ones', async () => {
    const words = Array.from({ length: 30 }, (_, i) => `word${i}`).join(' ');
    const transcript = twoVoices();
    transcript.segments[0] = { ...transcript.segments[0]!, text: words, words: [], start: 0, end: 1.2 };
    const run = await transcribed(media, undefined, transcript);
    const states = [await shownOf(run)];
    // A fixed sequence of pseudo-random numbers.
    let seed = 7;
    const random = (below: number): number => (seed = (seed * 16_807) % 2_147_483_647) % below;
    for (let i = 0; i < 40; i += 1) {
      const now = states.at(-1) ?? [];
      const at = random(now.length);
      const [here, next] = [now[at]!, now[at + 1]];
      const tokens = here.text.split(' ');
      const cut = random(tokens.length);
      const operation: TranscriptOperation =
        next && random(3) === 0
          ? { segments: [here, next], replacement: [{ uuid: here.uuid, text: `${here.text} ${next.text}` }] }
          : random(2) === 0
            ? { segments: [here], replacement: [{ uuid: here.uuid, text: tokens.with(cut, `edit${i}`).join(' ') }] }
            : {
                segments: [here],
                replacement: [
                  { uuid: here.uuid, text: tokens.slice(0, cut).join(' ') },
                  { uuid: randomUUID(), text: tokens.slice(cut).join(' ') },
                ],
              };
      const segments = operation.segments.map(({ uuid }) => ({ uuid }));
      expect((await apply(run, [{ ...operation, segments }])).status).toBe(200);
      states.push(await shownOf(run));
    }
    for (const state of states.toReversed().slice(1)) {
      expect((await revert(run, 'undo')).status).toBe(200);
      expect(await shownOf(run)).toEqual(state);
    }
    expect((await revert(run, 'undo')).status).toBe(409);
    for (const state of states.slice(1)) {
      expect((await revert(run, 'redo')).status).toBe(200);
      expect(await shownOf(run)).toEqual(state);
    }
  });

  it('that another one is undone across keep the passages in the order of time', async () => {
    const run = await transcribed(media);
    const editor = newUser();
    const share = { user_uuid: editor.userId, permission: 'editor' };
    await media.json(run.owner, 'PUT', `/api/files/${run.fileId}/shares`, share);
    const [one, two, three] = await idsOf(run);
    const part = randomUUID();
    const remove = (uuid: string) => apply(run, [{ segments: [{ uuid }], replacement: [] }], { person: editor });

    // The one before the deleted passage is split, and then removed itself.
    expect((await remove(two)).status).toBe(200);
    const split = [
      { uuid: one, text: 'good morning' },
      { uuid: part, text: 'everybody' },
    ];
    expect((await apply(run, [{ segments: [{ uuid: one }], replacement: split }])).status).toBe(200);
    expect((await revert(run, 'undo', editor)).status).toBe(200);
    expect((await idsOf(run)) as string[]).toEqual([one, part, two, three]);

    const fresh = randomUUID();
    const insert = { segments: [], after_uuid: part, replacement: [{ uuid: fresh, text: '' }] };
    expect((await apply(run, [insert], { person: editor })).status).toBe(200);
    expect((await revert(run, 'undo', editor)).status).toBe(200);
    expect((await revert(run, 'undo')).status).toBe(200);
    expect((await revert(run, 'redo', editor)).status).toBe(200);
    expect((await idsOf(run)) as string[]).toEqual([one, fresh, two, three]);
  });

  it('that an earlier one was undone under are not in the way of those before them', async () => {
    const run = await transcribed(media);
    const editor = newUser();
    const share = { user_uuid: editor.userId, permission: 'editor' };
    await media.json(run.owner, 'PUT', `/api/files/${run.fileId}/shares`, share);
    const automatic = await shownOf(run);
    const [one, two] = await idsOf(run);
    const write = async (uuid: string, text: string, person: TestUser) =>
      expect((await apply(run, [{ segments: [{ uuid }], replacement: [{ uuid, text }] }], { person })).status).toBe(
        200,
      );
    await write(two, 'hello', editor);
    await write(one, 'good morning all', run.owner);
    await write(one, 'a good morning all', editor);
    // What the editor has done is the later change.
    expect(await revert(run, 'undo')).toMatchObject({ status: 409, body: { code: 'stale_version' } });
    await write(one, 'good morning all', editor);
    expect((await revert(run, 'undo')).status).toBe(200);
    const undone = await revert(run, 'undo', editor);
    expect(undone).toMatchObject({ status: 200, body: { segments: [{ uuid: two }] } });
    expect(await shownOf(run)).toEqual(automatic);
    expect(await revert(run, 'undo', editor)).toMatchObject({ status: 409, body: { code: 'stale_version' } });
    expect((await revert(run, 'redo', editor)).status).toBe(200);
    expect((await revert(run, 'redo')).status).toBe(200);
    expect((await revert(run, 'undo', editor)).body.segments).toMatchObject([
      { uuid: one, text: 'a good morning all' },
    ]);
  });

  it('that are redone restore a passage where it was when it was undone', async () => {
    const run = await transcribed(media);
    const editor = newUser();
    const share = { user_uuid: editor.userId, permission: 'editor' };
    await media.json(run.owner, 'PUT', `/api/files/${run.fileId}/shares`, share);
    const [one, two, three] = await idsOf(run);
    const [first, second] = [randomUUID(), randomUUID()];
    const time = (await detailOf(run)).transcript_segments[0]?.end_time ?? 0;
    const insert = (uuid: string, after: string) => ({
      segments: [],
      after_uuid: after,
      replacement: [{ uuid, text: '', start_time: time, end_time: time }],
    });
    expect((await apply(run, [insert(first, one)])).status).toBe(200);
    // What stood after it was removed, and another one of the same time follows.
    const replaced = [{ segments: [{ uuid: two }], replacement: [] }, insert(second, first)];
    expect((await apply(run, replaced, { person: editor })).status).toBe(200);
    const before = await shownOf(run);
    expect(before.map(({ uuid }) => uuid)).toEqual([one, first, second, three]);
    expect((await revert(run, 'undo')).status).toBe(200);
    expect((await revert(run, 'redo')).status).toBe(200);
    expect(await shownOf(run)).toEqual(before);
  });

  it('of a page that knows a passage from before it was deleted and inserted again do not overwrite it', async () => {
    const run = await transcribed(media);
    const [one, two] = await idsOf(run);
    const { version, start_time, end_time } = (await detailOf(run)).transcript_segments[1] ?? missing();
    expect((await apply(run, [{ segments: [{ uuid: two }], replacement: [] }])).status).toBe(200);
    const again = [{ uuid: two, text: 'typed since', start_time, end_time }];
    expect((await apply(run, [{ segments: [], after_uuid: one, replacement: again }])).status).toBe(200);
    const late = [{ segments: [{ uuid: two, version }], replacement: [{ uuid: two, text: 'typed before' }] }];
    expect(await apply(run, late)).toMatchObject({ status: 409, body: { code: 'stale_version' } });
    expect((await shownOf(run))[1]?.text).toBe('typed since');
  });

  it('of a page that knows a passage from before it was deleted and restored do not overwrite it', async () => {
    const run = await transcribed(media);
    const [one, two] = await idsOf(run);
    const known = (await detailOf(run)).transcript_segments[1]?.version ?? 0;
    expect((await apply(run, [{ segments: [{ uuid: two }], replacement: [] }])).status).toBe(200);
    const restored = await revert(run, 'undo');
    const { version = 0 } = restored.body.segments[0] ?? {};
    expect(version).toBeGreaterThan(known);
    const late = [{ segments: [{ uuid: two, version: known }], replacement: [{ uuid: two, text: 'late' }] }];
    expect(await apply(run, late)).toMatchObject({ status: 409 });
    const current = [{ segments: [{ uuid: two, version }], replacement: [{ uuid: two, text: 'current' }] }];
    expect((await apply(run, current)).status).toBe(200);
    expect((await idsOf(run)).slice(0, 2)).toEqual([one, two]);
  });

  it('are inserted between passages that overlap, at the start of the second one', async () => {
    const run = await transcribed(media);
    const [one, two] = await idsOf(run);
    const later = { segments: [{ uuid: one }], replacement: [{ uuid: one, start_time: 0, end_time: 2.6 }] };
    expect((await apply(run, [later])).status).toBe(200);
    const uuid = randomUUID();
    const inserted = await apply(run, [{ segments: [], after_uuid: one, replacement: [{ uuid, text: '' }] }]);
    expect(inserted).toMatchObject({ status: 200, body: { segments: [{ uuid, start_time: 2, end_time: 2 }] } });
    expect((await idsOf(run)).slice(0, 3)).toEqual([one, uuid, two]);
  });

  it('are split again and again at the same place', async () => {
    const run = await transcribed(media);
    const [one, two, three] = await idsOf(run);
    const inserted: string[] = [];
    for (let i = 0; i < 15; i += 1) {
      const uuid = randomUUID();
      const answer = await apply(run, [{ segments: [], after_uuid: one, replacement: [{ uuid, text: `${i}` }] }]);
      expect(answer.status).toBe(200);
      inserted.unshift(uuid);
    }
    expect((await idsOf(run)) as string[]).toEqual([one, ...inserted, two, three]);
  });

  it('of hundreds of passages keep their order, and are undone at once', async () => {
    const run = await transcribed(media);
    const [one, two, three] = await idsOf(run);
    const added = Array.from({ length: 600 }, (): string => randomUUID());
    const groups = [added.slice(0, 300), added.slice(300)];
    const inserted = await apply(
      run,
      groups.map((group, i) => ({
        segments: [],
        after_uuid: i === 0 ? one : (groups[0]?.at(-1) ?? null),
        replacement: group.map((uuid) => ({ uuid, text: 'yes' })),
      })),
    );
    expect(inserted.status).toBe(200);
    const all: string[] = [one, ...added, two, three];
    expect((await idsOf(run)) as string[]).toEqual(all);
    const removed = [all.slice(0, 500), all.slice(500)];
    await apply(
      run,
      removed.map((ids) => ({ segments: ids.map((uuid) => ({ uuid })), replacement: [] })),
    );
    expect(await idsOf(run)).toEqual([]);
    expect((await revert(run, 'undo')).status).toBe(200);
    expect((await idsOf(run)) as string[]).toEqual(all);
  });

  it('stay in the history and can no longer be undone when a run replaces the transcript', async () => {
    const run = await transcribed(media);
    const [one] = await idsOf(run);
    await apply(run, [{ segments: [{ uuid: one }], replacement: [{ uuid: one, text: 'x' }] }]);
    await run.assemble(undefined, undefined, 9);
    await run.until((file) => (file['transcript_version'] as number) > 2);
    expect((await revert(run, 'undo')).status).toBe(409);
    expect(await historyOf(run)).toMatchObject({ revision: 1, can_undo: false, items: [{ revision: 1 }] });
  });

  it('are listed in pages, the last one first', async () => {
    const run = await transcribed(media);
    const [one] = await idsOf(run);
    for (const text of ['a', 'b', 'c'])
      await apply(run, [{ segments: [{ uuid: one }], replacement: [{ uuid: one, text }] }]);
    const revisions = async (query: string) => (await historyOf(run, query)).items.map(({ revision }) => revision);
    expect(await revisions('?limit=2')).toEqual([3, 2]);
    expect(await revisions('?limit=2&before=2')).toEqual([1]);
  });
});
