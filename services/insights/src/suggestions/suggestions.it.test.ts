import { randomUUID } from 'node:crypto';
import { afterEach, describe, expect, it } from '@jest/globals';
import { mediaEvents, userErasureOrdered, type FileSuggestions } from '@overtone/contracts';
import { unavailable } from '@overtone/service-kit';
import { waitFor } from '@overtone/testkit';
import { stopAfterFile } from '@overtone/testkit/cleanup';
import { startLanguageModelServer, type AnswerCall } from '@overtone/testkit/language-model';
import { createFakeMedia, type FakeFile } from '../../test/fake-media.ts';
import { newUser, startWorld, type TestUser as Person } from '../../test/world.ts';
import { replacePending } from './suggestions.store.ts';

const server = await stopAfterFile(startLanguageModelServer({ contextTokens: 4_096 }));
const world = await startWorld();
const media = createFakeMedia(world.nats);
await world.nats.flush();
const admin = newUser('super_admin');

type Body = Record<string, unknown>;

function ask(person: Person, method: string, path: string, body?: unknown) {
  return world.call(person, method, `/api${path}`, body);
}

/** The subjects of a recording, often enough to be its keyphrases. */
const solar: FakeFile['spoken'] = [
  [1, 'Good morning, my name is Anna Schmidt and I lead the project about solar panels.'],
  [2, 'Thank you, Anna. The solar panels on the school roof need a new inverter this year.'],
  [1, 'The inverter was tested last week and the solar panels deliver more than we planned.'],
  [2, 'Then the school roof is finished, and the inverter can be paid from the budget.'],
  [1, 'We should show the parents how the solar panels work and what the inverter does.'],
  [2, 'I agree, the school roof is a good place to show the solar panels to them.'],
];

afterEach(async () => {
  server.reset();
  await world.sql('delete from llm_provider');
  await world.sql('delete from insights_settings');
  await world.sql('delete from auto_label_preference');
  await world.sql('delete from library_file');
  await world.sql('delete from library_term');
});

async function useModel(answer: AnswerCall): Promise<void> {
  server.answer(answer);
  const provider = {
    name: 'Model',
    kind: 'openai-compatible',
    base_url: server.urls.openai,
    model: 'scripted-model',
    context_tokens: 4_096,
    max_parallel: 4,
    timeout_seconds: 30,
    api_key: null,
  };
  const { status, body } = await ask(admin, 'POST', '/admin/llm-settings', provider);
  if (status !== 201) throw new Error(JSON.stringify(body));
}

function fileOf(person: Person, more: Partial<FakeFile> = {}): FakeFile {
  return media.add(person.userId, { spoken: solar, ...more });
}

async function read(person: Person, { fileId }: FakeFile): Promise<FileSuggestions> {
  return (await ask(person, 'GET', `/files/${fileId}/suggestions`)).body as unknown as FileSuggestions;
}

function ended(person: Person, file: FakeFile): Promise<FileSuggestions> {
  return waitFor(async () => {
    const found = await read(person, file);
    const isOpen = [found.labels, found.speakers].some(({ state }) => ['waiting', 'processing'].includes(state));
    return isOpen || found.labels.state === 'none' ? undefined : found;
  });
}

async function transcribed(person: Person, file: FakeFile): Promise<FileSuggestions> {
  const { fileId, ownerId } = file;
  await world.emit(mediaEvents.transcriptionEnded, { fileId, ownerId, outcome: 'completed', noSpeech: false });
  return ended(person, file);
}

async function extract(person: Person, file: FakeFile): Promise<FileSuggestions> {
  await ask(person, 'POST', `/topics/${file.fileId}/extract`, { force_regenerate: true });
  return ended(person, file);
}

function named(found: FileSuggestions, name: string) {
  const all = [...found.suggested_tags, ...found.suggested_collections, ...found.suggested_speakers];
  const item = all.find((entry) => entry.name === name);
  if (!item) throw new Error(`not suggested: ${name} in ${JSON.stringify(all.map((entry) => entry.name))}`);
  return item;
}

async function decide(person: Person, { fileId }: FakeFile, decision: string, uuids: string[]) {
  const { status, body } = await ask(person, 'POST', `/files/${fileId}/suggestions/${decision}`, {
    suggestion_uuids: uuids,
  });
  return {
    status,
    code: body['code'],
    changed: body['changed'] as string[],
    suggestions: body['suggestions'] as FileSuggestions,
  };
}

/** What the model answers: labels for topics, names for speakers. */
function answering(labels: object, names: object[] = []): AnswerCall {
  return ({ prompt }) => JSON.stringify(isAboutSpeakers(prompt) ? { names } : { tags: [], collections: [], ...labels });
}

/** The summary of a file asks the same server. */
function topicCalls() {
  return server.calls.filter(({ system }) => system.startsWith('You file recordings'));
}

function speakerCalls() {
  return server.calls.filter(({ system }) => system.startsWith('You find out who speaks'));
}

function isAboutSpeakers(prompt: string): boolean {
  return /\] S\d+:/.test(prompt);
}

describe('suggestions without a language model', () => {
  it('are keyphrases and names from introductions, with the sentence that shows them, and say so', async () => {
    const ada = newUser();
    const file = fileOf(ada);
    const found = await transcribed(ada, file);
    expect(found.labels).toMatchObject({ state: 'completed', made_without_model: true, model: null });
    const tag = named(found, 'solar panels');
    expect(tag.rationale).toContain('solar panels');
    expect(tag.segment_uuid).toMatch(file.fileId.slice(0, 24));
    expect(found.suggested_speakers).toMatchObject([
      { name: 'Anna Schmidt', speaker_uuid: file.speakers[0]?.uuid, start: 0, status: 'pending' },
    ]);
    expect(file.speakers[0]?.name).toBeNull();
  });

  it('prefer the name of a known person', async () => {
    const ada = newUser();
    const spoken: FakeFile['spoken'] = [
      [1, 'Hello, my name is Grace.'],
      [2, 'Welcome, let us begin with the report.'],
    ];
    const found = await transcribed(ada, fileOf(ada, { spoken, knownNames: ['Grace Hopper', 'Alan Turing'] }));
    expect(found.suggested_speakers.map(({ name }) => name)).toEqual(['Grace Hopper']);
  });

  it('name no speaker while names are masked', async () => {
    const ada = newUser();
    const found = await transcribed(ada, fileOf(ada, { masksNames: true }));
    expect(found.suggested_speakers).toEqual([]);
    expect(found.speakers.state).toBe('completed');
  });

  it('are not made while the transcript is withheld', async () => {
    const ada = newUser();
    const found = await transcribed(ada, fileOf(ada, { withheld: true }));
    expect(found.labels.state).toBe('withheld');
    expect(found.suggested_tags).toEqual([]);
  });

  it('suggest a collection that is named like a keyphrase', async () => {
    const ada = newUser();
    const collections = [
      { name: 'Solar panels', contains: false, isShared: false },
      { name: 'Wind', contains: false, isShared: false },
    ];
    const found = await transcribed(ada, fileOf(ada, { collections }));
    expect(found.suggested_collections.map(({ name }) => name)).toEqual(['Solar panels']);
  });
});

describe('suggestions of a language model', () => {
  it('reach it with every passage exactly once, within its window, and name the model', async () => {
    const ada = newUser();
    const spoken = Array.from({ length: 900 }, (_, i): FakeFile['spoken'][number] => [
      (i % 2) + 1,
      `Passage number ${i} is about the harbour and ${'many other things '.repeat(i % 7)}.`,
    ]);
    await useModel(answering({ tags: [{ name: 'harbour', confidence: 0.9, line: 1 }] }));
    const found = await transcribed(ada, fileOf(ada, { spoken }));
    expect(found.labels).toMatchObject({
      error_code: null,
      state: 'completed',
      made_without_model: false,
      model: 'scripted-model',
    });
    const calls = topicCalls();
    const numbers = calls.flatMap(({ prompt }) =>
      [...prompt.matchAll(/Passage number (\d+) /g)].map(([, i]) => Number(i)),
    );
    expect(calls.length).toBeGreaterThan(5);
    expect(numbers.toSorted((x, y) => x - y)).toEqual(spoken.map((_, i) => i));
    for (const { tokens, maxOutputTokens } of calls) expect(tokens + (maxOutputTokens ?? 0)).toBeLessThanOrEqual(4_096);
    // Four sections of the summary, topics and names.
    expect(server.highestConcurrency()).toBeLessThanOrEqual(6);
    expect(named(found, 'harbour').rationale).toContain('harbour');
  });

  it('are not applied without a line that shows them', async () => {
    const ada = newUser();
    const file = fileOf(ada);
    await useModel(answering({ tags: [{ name: 'Invented', confidence: 1, line: 99 }] }));
    const found = await transcribed(ada, file);
    expect(named(found, 'Invented')).toMatchObject({ status: 'pending', confidence: 0.6, rationale: '', start: null });
    expect(file.tags).toEqual([]);
  });

  it('contain only collections that the owner has', async () => {
    const ada = newUser();
    const collections = [{ name: 'School', contains: false, isShared: false }];
    await useModel(
      answering({
        collections: [
          { name: 'School', confidence: 0.7, line: 2 },
          { name: 'Secret of Eve', confidence: 0.99, line: 2 },
        ],
      }),
    );
    const found = await transcribed(ada, fileOf(ada, { collections }));
    expect(found.suggested_collections.map(({ name }) => name)).toEqual(['School']);
  });

  it('drop a name that no line contains, and speakers that were not sent', async () => {
    const ada = newUser();
    await useModel(
      answering({}, [
        { speaker: 'S1', name: 'Anna Schmidt', confidence: 0.9, line: 1 },
        { speaker: 'S2', name: 'Mallory', confidence: 1, line: 2 },
        { speaker: 'S9', name: 'Anna', confidence: 1, line: 2 },
      ]),
    );
    const found = await transcribed(ada, fileOf(ada));
    expect(found.suggested_speakers.map(({ name }) => name)).toEqual(['Anna Schmidt']);
  });

  it('send no name of a known person to the provider', async () => {
    const ada = newUser();
    await useModel(answering({}, [{ speaker: 'S1', name: 'Anna', confidence: 0.9, line: 1 }]));
    const found = await transcribed(ada, fileOf(ada, { knownNames: ['Anna Unmentioned'], ownerTags: ['Private tag'] }));
    expect(found.suggested_speakers.map(({ name }) => name)).toEqual(['Anna Unmentioned']);
    expect(JSON.stringify(server.calls)).not.toMatch(/Unmentioned|Private tag/);
  });

  it.each([
    ['HTML', '<img src=x onerror=alert(1)>'],
    ['a script', '<script>alert(1)</script>'],
    ['control characters', 'a\u0000b\u001b[31m\u202e'],
    ['a very long name', 'x'.repeat(5_000)],
    ['only punctuation', '!!! ???'],
    ['another language', '日本語のタグ'],
  ])('show hostile names as text or refuse them: %s', async (_, name) => {
    const ada = newUser();
    const file = fileOf(ada);
    await useModel(
      answering({ tags: [{ name, confidence: 0.9, line: 1 }] }, [{ speaker: 'S1', name, confidence: 0.9, line: 1 }]),
    );
    const found = await transcribed(ada, file);
    const refused = { state: 'failed', error_code: 'provider_answer_invalid' };
    expect(found.labels).toMatchObject(name.length > 300 ? refused : { state: 'completed', error_code: null });
    for (const tag of found.suggested_tags) {
      expect(tag.name.length).toBeLessThanOrEqual(50);
      expect(tag.name).not.toMatch(/\p{Cc}|\u202e/u);
    }
    expect(found.suggested_speakers).toEqual([]);
  });

  it('are requested once more after an answer that does not fit, and then fail with the reason', async () => {
    const ada = newUser();
    const file = fileOf(ada);
    await useModel(() => '{"tags": "no list"');
    const found = await transcribed(ada, file);
    expect(found.labels).toMatchObject({ state: 'failed', error_code: 'provider_answer_invalid' });
    server.answer(answering({ tags: [{ name: 'school', confidence: 0.8, line: 2 }] }));
    expect((await extract(ada, file)).labels.state).toBe('completed');
  });

  it('follow the prompt for speaker names that the owner uses, and what was written about the organisation', async () => {
    const ada = newUser();
    const prompt = { name: 'Mine', description: '', tags: [], content_type: 'speaker_identification' };
    const created = await ask(ada, 'POST', '/prompts', { ...prompt, text: 'Prefer the names of sailors.' });
    await ask(ada, 'POST', '/prompts/active/set', { prompt_uuid: created.body['uuid'] });
    await ask(admin, 'PUT', '/admin/organisation-context', { organisation_context: 'Acme makes anvils.' });
    await useModel(answering({}));
    await transcribed(ada, fileOf(ada));
    const [labels = '', speakers = ''] = [topicCalls(), speakerCalls()].map((calls) => calls[0]?.system ?? '');
    expect(labels).toContain('Acme makes anvils.');
    expect(labels).not.toContain('sailors');
    expect(speakers).toContain('Acme makes anvils.');
    expect(speakers).toContain('Prefer the names of sailors.');
    // What a prompt says comes before the rules that it must not change.
    expect(speakers.indexOf('sailors')).toBeLessThan(speakers.indexOf('It is data'));
    const bea = newUser();
    await transcribed(bea, fileOf(bea));
    expect(speakerCalls().at(-1)?.system).toContain('is introduced by another');
  });

  it('say so when the instructions leave no room for the transcript', async () => {
    const ada = newUser();
    await ask(admin, 'PUT', '/admin/organisation-context', { organisation_context: 'A fact. '.repeat(1_200) });
    await useModel(answering({}));
    const found = await transcribed(ada, fileOf(ada));
    const failed = { state: 'failed', error_code: 'provider_context_exceeded' };
    expect(found).toMatchObject({ labels: failed, speakers: failed });
    expect([...topicCalls(), ...speakerCalls()]).toEqual([]);
  });

  it('do not ask about finished sections again after an interruption', async () => {
    const ada = newUser();
    const spoken = Array.from({ length: 900 }, (_, i): FakeFile['spoken'][number] => [
      1,
      `Passage ${i} of the harbour plan.`,
    ]);
    const file = fileOf(ada, { spoken, speakers: [] });
    let answers = 0;
    const answer = answering({ tags: [] });
    await useModel((call) => {
      if (!call.system.startsWith('You file recordings')) return answer(call);
      answers += 1;
      // As often as the connection repeats it: the attempt fails.
      return answers >= 3 && answers < 6 ? { reaction: 'refuse', status: 503 } : answer(call);
    });
    const found = await transcribed(ada, file);
    expect(found.labels).toMatchObject({ error_code: null, state: 'completed' });
    const seen = topicCalls().map(({ prompt }) => /Passage \d+/.exec(prompt)?.[0]);
    expect(new Set(seen).size).toBeGreaterThan(3);
    // Only the failed request itself is repeated.
    expect(seen).toHaveLength(new Set(seen).size + 3);
    expect(await world.sql('select 1 from suggestion_section where media_file_id = $1', [file.fileId])).toEqual([]);
  });
});

describe('automatic labels', () => {
  const tags = [
    { name: 'School roof', confidence: 0.9, line: 2 },
    { name: 'inverter', confidence: 0.74, line: 3 },
  ];

  it('are applied from the threshold on, with the spelling that the owner uses', async () => {
    const ada = newUser();
    const file = fileOf(ada, { ownerTags: ['school-roof'] });
    await useModel(answering({ tags }));
    const found = await transcribed(ada, file);
    expect(file.tags).toEqual(['school-roof']);
    expect(found.auto_applied_tags).toEqual(['school-roof']);
    expect(found.auto_apply_completed_at).not.toBeNull();
    expect(named(found, 'inverter').status).toBe('pending');
    expect(media.applied.at(-1)?.actor).toBeNull();
  });

  it('are not attached again when a person removed them', async () => {
    const ada = newUser();
    const file = fileOf(ada, { removed: ['School roof'] });
    await useModel(answering({ tags }));
    const found = await transcribed(ada, file);
    expect(file.tags).toEqual([]);
    expect(named(found, 'School roof').status).toBe('rejected');
  });

  it('leave shared collections to a person', async () => {
    const ada = newUser();
    const collections = [
      { name: 'Open', contains: false, isShared: true },
      { name: 'Own', contains: false, isShared: false },
    ];
    const file = fileOf(ada, { collections });
    const suggested = collections.map(({ name }) => ({ name, confidence: 0.95, line: 2 }));
    await useModel(answering({ collections: suggested }));
    const found = await transcribed(ada, file);
    expect(found.auto_applied_collections).toEqual(['Own']);
    expect(named(found, 'Open').status).toBe('pending');
    expect(file.collections).toMatchObject([{ contains: false }, { contains: true }]);
  });

  it('are undone by a person, once, and not applied again by a later extraction', async () => {
    const ada = newUser();
    const file = fileOf(ada);
    await useModel(answering({ tags }));
    const { uuid } = named(await transcribed(ada, file), 'School roof');
    expect((await decide(ada, file, 'undo', [uuid])).changed).toEqual([uuid]);
    expect((await decide(ada, file, 'undo', [uuid])).changed).toEqual([]);
    expect(file.tags).toEqual([]);
    await ask(ada, 'POST', `/topics/${file.fileId}/auto-label`);
    expect(named(await ended(ada, file), 'School roof').status).toBe('undone');
    expect(file.tags).toEqual([]);
  });

  it('continue after an interruption between storing and applying', async () => {
    const ada = newUser();
    const file = fileOf(ada);
    await useModel(answering({ tags }));
    media.failNextApply(unavailable('service_unavailable', 'media is away'));
    const found = await transcribed(ada, file);
    expect(file.tags).toEqual(['School roof']);
    expect(found.auto_applied_tags).toEqual(['School roof']);
    expect(topicCalls()).toHaveLength(1);
  });

  it.each([
    ['the person has switched them off', { enabled: false }, []],
    ['the person does not want tags', { tags_enabled: false }, []],
    ['the person wants more confidence', { confidence_threshold: 0.95 }, []],
    ['the person wants less confidence', { confidence_threshold: 0.7 }, ['inverter', 'School roof']],
  ] as const)('follow the choice of the owner: %s', async (_, preference, expected) => {
    const ada = newUser();
    const file = fileOf(ada);
    await useModel(answering({ tags }));
    await ask(ada, 'PUT', '/user-settings/auto-label', preference);
    await transcribed(ada, file);
    expect(file.tags.toSorted()).toEqual([...expected].toSorted());
  });

  it('are off for everybody when a super_admin switched them off', async () => {
    const ada = newUser();
    const file = fileOf(ada);
    await useModel(answering({ tags }));
    expect((await ask(admin, 'PUT', '/admin/label-settings', { apply_automatically: false })).status).toBe(200);
    expect((await ask(ada, 'GET', '/user-settings/auto-label')).body).toMatchObject({ allowed: false, is_set: false });
    await transcribed(ada, file);
    expect(file.tags).toEqual([]);
  });

  it('are not made for a transcription that failed or has no speech', async () => {
    const ada = newUser();
    const file = fileOf(ada);
    const { fileId, ownerId } = file;
    await world.emit(mediaEvents.transcriptionEnded, { fileId, ownerId, outcome: 'failed', noSpeech: false });
    await world.emit(mediaEvents.transcriptionEnded, { fileId, ownerId, outcome: 'completed', noSpeech: true });
    await transcribed(ada, fileOf(ada));
    expect((await read(ada, file)).labels.state).toBe('none');
  });
});

describe('decisions', () => {
  it('accept tags and names at once, and never replace a name that a person has given since', async () => {
    const ada = newUser();
    const file = fileOf(ada);
    const found = await transcribed(ada, file);
    const [speaker, tag] = [named(found, 'Anna Schmidt').uuid, named(found, 'solar panels').uuid];
    const [first] = file.speakers;
    if (first) first.name = 'Dr. Schmidt';
    const { changed } = await decide(ada, file, 'accept', [speaker, tag]);
    expect(changed).not.toContain(speaker);
    expect(file.speakers[0]?.name).toBe('Dr. Schmidt');
    if (first) first.name = null;
    expect((await decide(ada, file, 'accept', [speaker])).changed).toEqual([speaker]);
    expect(file.speakers[0]?.name).toBe('Anna Schmidt');
  });

  it('keep their ids when they are made again, for a person who is deciding', async () => {
    const ada = newUser();
    const file = fileOf(ada);
    const found = await transcribed(ada, file);
    const [speaker, tag] = [named(found, 'Anna Schmidt').uuid, named(found, 'solar panels').uuid];
    file.spoken = solar.map(([who, text]) => [who, text.replaceAll('inverter', 'battery')]);
    const again = await extract(ada, file);
    expect([named(again, 'Anna Schmidt').uuid, named(again, 'solar panels').uuid]).toEqual([speaker, tag]);
    expect(again.suggested_tags.map(({ name }) => name)).not.toContain('inverter');
    expect((await decide(ada, file, 'accept', [speaker, tag])).changed.toSorted()).toEqual([speaker, tag].toSorted());
  });

  it('that a person takes back while suggestions are made again stay', async () => {
    const ada = newUser();
    const file = fileOf(ada);
    const { uuid } = named(await transcribed(ada, file), 'solar panels');
    await decide(ada, file, 'reject', [uuid]);
    await decide(ada, file, 'undo', [uuid]);
    // The end of an extraction that has read the rejection before.
    await world.db.$transaction((tx) => replacePending(tx, { fileId: file.fileId, part: 'labels' }, [], []));
    expect((await read(ada, file)).suggested_tags.map(({ name, status }) => [name, status])).toEqual([
      ['solar panels', 'pending'],
    ]);
  });

  it('remember what was rejected, also when suggestions are made again', async () => {
    const ada = newUser();
    const file = fileOf(ada);
    const found = await transcribed(ada, file);
    const rejected = [
      named(found, 'Anna Schmidt'),
      ...found.suggested_tags.filter(({ status }) => status === 'pending'),
    ];
    await decide(
      ada,
      file,
      'reject',
      rejected.map(({ uuid }) => uuid),
    );
    await ask(ada, 'POST', `/files/${file.fileId}/identify-speakers`, { force_regenerate: true });
    const again = await extract(ada, file);
    expect(again.suggested_speakers.map(({ status }) => status)).toEqual(['rejected']);
    for (const { name } of rejected) expect(named(again, name).status).toBe('rejected');
  });

  it('take labels by name, and refuse one that was not suggested before anything is applied', async () => {
    const ada = newUser();
    await ask(ada, 'PUT', '/user-settings/auto-label', { enabled: false });
    const file = fileOf(ada);
    await transcribed(ada, file);
    const apply = (accepted_tags: string[]) => ask(ada, 'POST', `/topics/${file.fileId}/apply`, { accepted_tags });
    expect(await apply(['Solar-Panels', 'nuclear'])).toMatchObject({
      status: 400,
      body: { code: 'suggestion_unknown' },
    });
    expect(file.tags).toEqual([]);
    expect((await apply(['Solar-Panels'])).status).toBe(200);
    expect(file.tags).toEqual(['solar panels']);
  });

  it('are refused to readers, and unknown to strangers', async () => {
    const [ada, eve, bob] = [newUser(), newUser(), newUser()];
    const collections = [{ name: 'Solar panels', contains: false, isShared: false }];
    const file = fileOf(ada, { collections, readers: new Map([[bob.userId, 'viewer']]) });
    const found = await transcribed(ada, file);
    const uuid = found.suggested_tags[0]?.uuid ?? randomUUID();
    expect((await decide(eve, file, 'accept', [uuid])).status).toBe(404);
    expect(await decide(bob, file, 'accept', [uuid])).toMatchObject({ status: 403, code: 'permission_required' });
    expect((await ask(bob, 'POST', `/topics/${file.fileId}/extract`)).status).toBe(403);
    expect((await ask(bob, 'DELETE', `/files/${file.fileId}/suggestions`)).status).toBe(403);
    const seen = await read(bob, file);
    expect(seen.suggested_tags.length).toBeGreaterThan(0);
    // The collections of the owner are not known to others.
    expect(seen.suggested_collections).toEqual([]);
    file.readers.set(bob.userId, 'editor');
    const collection = named(found, 'Solar panels').uuid;
    expect((await decide(bob, file, 'accept', [collection])).status).toBe(404);
  });

  it('of another file are unknown', async () => {
    const ada = newUser();
    const [one, other] = [fileOf(ada), fileOf(ada)];
    const { suggested_tags: suggested } = await transcribed(ada, one);
    expect((await decide(ada, other, 'accept', [suggested[0]?.uuid ?? ''])).status).toBe(404);
  });
});

describe('stored suggestions', () => {
  it('lose their quotes when more is masked, and are made again only on request', async () => {
    const ada = newUser();
    const file = fileOf(ada);
    const before = await transcribed(ada, file);
    await decide(ada, file, 'accept', [named(before, 'Anna Schmidt').uuid]);
    await world.emit(mediaEvents.masksTightened, { ownerId: null, fileId: file.fileId });
    const after = await waitFor(async () => {
      const found = await read(ada, file);
      return found.labels.state === 'none' ? found : undefined;
    });
    expect(JSON.stringify(after)).not.toContain('my name is');
    expect(after.suggested_tags.filter(({ status }) => status === 'pending')).toEqual([]);
  });

  it('are hidden as soon as more is masked, before the event arrives', async () => {
    const ada = newUser();
    const file = fileOf(ada, { masks: ['phone'] });
    const before = await transcribed(ada, file);
    const pending = before.suggested_tags.find(({ status }) => status === 'pending');
    await decide(ada, file, 'accept', [named(before, 'Anna Schmidt').uuid]);
    file.masks = ['name', 'phone'];
    const after = await read(ada, file);
    expect(JSON.stringify(after)).not.toContain('my name is');
    expect(after.suggested_speakers).toMatchObject([{ status: 'accepted', rationale: '' }]);
    expect(after.suggested_tags.filter(({ status }) => status === 'pending')).toEqual([]);
    expect((await decide(ada, file, 'accept', [String(pending?.uuid)])).status).toBe(404);
    file.masks = [];
    expect((await read(ada, file)).suggested_tags.map(({ name }) => name)).toContain(pending?.name);
  });

  it('are deleted with their file and with their owner', async () => {
    const ada = newUser();
    const [one, other] = [fileOf(ada), fileOf(ada)];
    await transcribed(ada, one);
    await transcribed(ada, other);
    media.files.delete(one.fileId);
    await world.emit(mediaEvents.deleted, { fileId: one.fileId, ownerId: ada.userId });
    await world.emit(userErasureOrdered, { erasureId: randomUUID(), round: 1, userId: ada.userId });
    await waitFor(async () => {
      const rows = await world.sql('select 1 from suggestion_extraction where owner_id = $1', [ada.userId]);
      const words = await world.sql('select 1 from library_file where media_file_id = any($1)', [
        [one.fileId, other.fileId],
      ]);
      return rows.length === 0 && words.length === 0;
    });
    expect(
      await world.sql('select 1 from suggestion where media_file_id = any($1)', [[one.fileId, other.fileId]]),
    ).toEqual([]);
  });

  it('are out of date after an edit of the transcript', async () => {
    const ada = newUser();
    const file = fileOf(ada);
    expect((await transcribed(ada, file)).labels.out_of_date).toBe(false);
    file.version += 1;
    expect((await read(ada, file)).labels.out_of_date).toBe(true);
  });
});

describe('runs over the library', () => {
  const status = async (person: Person): Promise<Body | null> =>
    (await ask(person, 'GET', '/topics/retroactive-auto-label/status')).body['run'] as Body | null;

  it('label all own files once, report the progress, and admit no second run at the same time', async () => {
    const [ada, eve] = [newUser(), newUser()];
    const files = Array.from({ length: 12 }, () => fileOf(ada));
    const foreign = fileOf(eve);
    await useModel(answering({ tags: [{ name: 'School roof', confidence: 0.9, line: 2 }] }));
    expect((await ask(ada, 'POST', '/topics/retroactive-auto-label', {})).status).toBe(202);
    expect(await ask(ada, 'POST', '/topics/retroactive-auto-label', {})).toMatchObject({
      status: 409,
      body: { code: 'label_run_active' },
    });
    const run = await waitFor(async () => {
      const current = await status(ada);
      return current?.['status'] === 'completed' ? current : undefined;
    });
    expect(run).toMatchObject({ total: 12, processed: 12, failed: 0, labels: 12 });
    expect(files.map(({ tags }) => tags)).toEqual(files.map(() => ['School roof']));
    expect(foreign.tags).toEqual([]);
    expect(await status(eve)).toBeNull();
  });

  it('skip named files of other people, and can be stopped', async () => {
    const [ada, eve] = [newUser(), newUser()];
    const foreign = fileOf(eve);
    const names = [foreign.fileId, randomUUID()];
    await ask(ada, 'POST', '/topics/retroactive-auto-label', { file_uuids: names });
    await waitFor(async () => (await status(ada))?.['status'] === 'completed');
    expect(await status(ada)).toMatchObject({ total: 2, processed: 2, labels: 0 });
    expect((await read(eve, foreign)).labels.state).toBe('none');
    fileOf(ada, { withheld: true });
    await ask(ada, 'POST', '/topics/retroactive-auto-label', {});
    const { body } = await ask(ada, 'DELETE', '/topics/retroactive-auto-label');
    expect(body).toMatchObject({ run: { status: 'stopped' } });
  });
});
