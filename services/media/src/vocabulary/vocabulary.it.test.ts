import { describe, expect, it } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import {
  maxVocabularyTerms,
  vocabularyRpc,
  type AnswerOf,
  type FileDetail,
  type mediaRoutes,
} from '@overtone/contracts';
import { transcribed, type Run } from '../../test/runs.ts';
import { newUser, startMedia, type TestUser } from '../../test/start-media.ts';

type Routes = typeof mediaRoutes;
const media = await startMedia();
const worker = await media.connectAs('transcription-worker');

function add(person: TestUser, term: string) {
  return media.json<AnswerOf<Routes['addVocabulary']> & { code?: string }>(person, 'POST', '/api/vocabulary', { term });
}

async function termsOf(person: TestUser): Promise<string[]> {
  const { body } = await media.json<AnswerOf<Routes['listVocabulary']>>(person, 'GET', '/api/vocabulary');
  return body.items.map(({ term }) => term);
}

async function suggestedTo(person: TestUser, run: Run): Promise<string[]> {
  const path = `/api/files/${run.fileId}/vocabulary-suggestions`;
  return (await media.json<AnswerOf<Routes['suggestVocabulary']>>(person, 'GET', path)).body.terms;
}

/** Changes the texts of the first passages. */
async function correct(run: Run, ...texts: string[]): Promise<void> {
  const { body } = await media.json<FileDetail>(run.owner, 'GET', `/api/files/${run.fileId}`);
  for (const [i, text] of texts.entries()) {
    const path = `/api/files/${run.fileId}/transcript/segments/${body.transcript_segments[i]?.uuid}`;
    expect((await media.json(run.owner, 'PUT', path, { text })).status).toBe(200);
  }
}

describe('the vocabulary of a person', () => {
  it('has each term once, in its last spelling, the newest first; a worker reads it', async () => {
    const [ada, grace] = [newUser(), newUser()];
    for (const term of ['kubernetes', 'Ada Lovelace', 'Kubernetes']) await add(ada, term);
    expect(await termsOf(ada)).toEqual(['Kubernetes', 'Ada Lovelace']);
    expect(await termsOf(grace)).toEqual([]);
    expect(await worker.request(vocabularyRpc.readVocabulary, { userId: ada.userId })).toEqual({
      terms: ['Kubernetes', 'Ada Lovelace'],
    });
  });

  it('loses what its person removes, and nothing to others', async () => {
    const [ada, grace] = [newUser(), newUser()];
    const { body } = await add(ada, 'Kubernetes');
    expect((await media.json(grace, 'DELETE', `/api/vocabulary/${body.uuid}`)).status).toBe(404);
    expect((await media.json(ada, 'DELETE', `/api/vocabulary/${body.uuid}`)).status).toBe(200);
    expect(await termsOf(ada)).toEqual([]);
  });

  it('refuses long terms, empty ones, and more than its limit, also at once', async () => {
    const ada = newUser();
    expect((await add(ada, 'x'.repeat(81))).status).toBe(422);
    expect((await add(ada, ' \n ')).status).toBe(422);
    await media.query(
      `insert into vocabulary_term (user_id, term, term_key) select $1, 't' || n, 't' || n from generate_series(2, $2::int) n`,
      ada.userId,
      maxVocabularyTerms,
    );
    const answers = await Promise.all(['One', 'Two', 'Three'].map((term) => add(ada, term)));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(answers.filter(({ body }) => body.code === 'vocabulary_full')).toHaveLength(2);
    expect((await add(ada, 'T7')).status).toBe(200);
  });
});

describe('suggestions for the vocabulary', () => {
  it('are what the person has corrected at least twice in the file, until it is kept', async () => {
    const run = await transcribed(media);
    await correct(run, 'good Kubernetes everybody', 'hello and welcome');
    expect(await suggestedTo(run.owner, run)).toEqual([]);
    // Each step of the typing is saved.
    await correct(run, 'good Kubernetes everybody', 'hello and Kuber');
    await correct(run, 'good Kubernetes everybody', 'hello and Kubernetes');
    expect(await suggestedTo(run.owner, run)).toEqual(['Kubernetes']);
    await add(run.owner, 'kubernetes');
    expect(await suggestedTo(run.owner, run)).toEqual([]);
  });

  it('are not made of what was undone, nor of the corrections of others', async () => {
    const run = await transcribed(media);
    const editor = newUser();
    await media.json(run.owner, 'PUT', `/api/files/${run.fileId}/shares`, {
      user_uuid: editor.userId,
      permission: 'editor',
    });
    await correct(run, 'good Kubernetes everybody', 'hello and Kubernetes');
    expect(await suggestedTo(editor, run)).toEqual([]);
    expect(await suggestedTo(run.owner, run)).toEqual(['Kubernetes']);
    await media.json(run.owner, 'POST', `/api/files/${run.fileId}/transcript/undo`, { uuid: randomUUID() });
    expect(await suggestedTo(run.owner, run)).toEqual([]);
  });

  it('are not made for readers from whom parts are masked, nor for those who see no other part of the file', async () => {
    const run = await transcribed(media);
    await correct(run, 'good Kubernetes everybody', 'hello and Kubernetes');
    const path = `/api/files/${run.fileId}/vocabulary-suggestions`;
    expect((await media.json(newUser(), 'GET', path)).status).toBe(404);
    await media.json(run.owner, 'PUT', `/api/files/${run.fileId}/redaction`, { masked_kinds: ['name'] });
    expect(await suggestedTo(run.owner, run)).toEqual([]);
  });
});
