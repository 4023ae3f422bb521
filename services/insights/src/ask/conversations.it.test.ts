import { spawn, type ChildProcess } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from '@jest/globals';
import {
  askLimits,
  erasureEvents,
  identityEvents,
  mediaEvents,
  userErasureOrdered,
  type AskMessage,
} from '@overtone/contracts';
import { assertionHeader } from '@overtone/service-kit';
import { freePort, waitFor } from '@overtone/testkit';
import { cleanUpAfterFile } from '@overtone/testkit/cleanup';
import { answerFromExcerpts, startAskWorld, textOf, type LibraryFile } from '../../test/ask-world.ts';
import { newUser, type TestUser } from '../../test/world.ts';

const world = await startAskWorld();
const { library, model, groups, begin, ask, retry, read, call, sql } = world;
const question = 'Where does the office move to?';
const second = await startReplica();

beforeEach(async () => {
  library.files.clear();
  groups.clear();
  model.reset();
  model.answer(answerFromExcerpts);
  await sql('delete from conversation');
  await world.useModel(true);
});

/** Another process of the service. */
async function startReplica(): Promise<{ base: string; child: ChildProcess }> {
  const [api, internal] = [await freePort(), await freePort()];
  const child = spawn(process.execPath, [join(import.meta.dirname, '../main.ts')], {
    env: {
      ...process.env,
      NODE_OPTIONS: '',
      ...world.environment,
      API_PORT: String(api),
      INTERNAL_PORT: String(internal),
    },
    stdio: 'ignore',
  });
  cleanUpAfterFile(async () => void child.kill('SIGKILL'));
  await waitFor(async () => (await fetch(`http://127.0.0.1:${internal}/health/ready`).catch(() => null))?.ok);
  return { base: `http://127.0.0.1:${api}`, child };
}

/** A conversation with an answered question about a recording of the owner. */
async function answered(owner: TestUser): Promise<{ id: string; file: LibraryFile; message: AskMessage }> {
  const file = library.add(owner, 'Planning', 'Anna: Hello.', 'Ben: We move the office to Lisbon in October.');
  const { uuid } = await begin(owner);
  const { message } = await ask(owner, uuid, question);
  if (message?.status !== 'answered') throw new Error(JSON.stringify(message));
  return { id: uuid, file, message };
}

async function messagesOf(person: TestUser, id: string): Promise<AskMessage[]> {
  return (await read(person, id)).body.messages;
}

function share(person: TestUser, id: string, target: object) {
  return call<{ uuid: string; code: string }>(person, 'PUT', `/api/ask/conversations/${id}/shares`, target);
}

async function listed(person: TestUser, query = ''): Promise<string[]> {
  const { body } = await call<{ items: { uuid: string }[] }>(person, 'GET', `/api/ask/conversations${query}`);
  return body.items.map(({ uuid }) => uuid);
}

describe('a conversation', () => {
  it('is not found by others, also not by administrators', async () => {
    const ada = newUser();
    const { id, message } = await answered(ada);
    for (const other of [newUser(), newUser('admin'), newUser('super_admin')]) {
      expect((await read(other, id)).status).toBe(404);
      expect((await ask(other, id, question)).status).toBe(404);
      expect((await retry(other, id, message.uuid)).status).toBe(404);
      expect((await call(other, 'DELETE', `/api/ask/conversations/${id}`)).status).toBe(404);
      expect((await share(other, id, { user_uuid: other.userId })).status).toBe(404);
      expect((await call(other, 'GET', `/api/ask/conversations/${id}/export`)).status).toBe(404);
      expect(await listed(other)).toEqual([]);
    }
  });

  it('is listed by what it is about, renamed and deleted by its owner', async () => {
    const ada = newUser();
    const file = library.add(ada, 'Planning', 'Ben: The office moves.');
    const ofFile = await begin(ada, { scope: 'file', scope_uuid: file.fileId, title: 'About planning' });
    const all = await begin(ada);
    expect(await listed(ada)).toEqual([all.uuid, ofFile.uuid]);
    expect(await listed(ada, `?scope=file&scope_uuid=${file.fileId}`)).toEqual([ofFile.uuid]);
    const renamed = await call(ada, 'PUT', `/api/ask/conversations/${all.uuid}`, { title: 'Everything' });
    expect(renamed.body['title']).toBe('Everything');
    expect((await call(ada, 'DELETE', `/api/ask/conversations/${all.uuid}`)).status).toBe(204);
    expect((await read(ada, all.uuid)).status).toBe(404);
    expect((await call(ada, 'DELETE', '/api/ask/conversations')).body).toEqual({ deleted: 1 });
    expect(await listed(ada)).toEqual([]);
  });

  it('is exported as Markdown and JSON', async () => {
    const ada = newUser();
    const { id } = await answered(ada);
    const json = await call(ada, 'GET', `/api/ask/conversations/${id}/export?export_format=json`);
    expect(json.body).toEqual((await read(ada, id)).body);
    const caller = { ...ada, sessionId: randomUUID(), tokenExpiresAt: Date.now() + 60_000 };
    const response = await fetch(`${world.base}/api/ask/conversations/${id}/export`, {
      headers: { [assertionHeader]: world.sign('insights', caller) },
    });
    const text = await response.text();
    expect(response.headers.get('content-type')).toBe('text/markdown; charset=utf-8');
    expect(text).toContain('1. Planning, 00:00:10: Ben: “We move the office to Lisbon in October.”');
  });
});

describe('a shared conversation', () => {
  it('can be read but not continued, and shows only what its reader may read', async () => {
    const [ada, eve] = [newUser(), newUser()];
    const { id, file, message } = await answered(ada);
    const { body } = await share(ada, id, { user_uuid: eve.userId });
    expect(await listed(eve)).toEqual([id]);
    const [hidden] = await messagesOf(eve, id);
    expect(JSON.stringify(hidden)).not.toMatch(/Lisbon|Planning|Ben/);
    expect(hidden?.sentences[0]?.withheld).toBe(true);
    file.readers.add(eve.userId);
    expect(textOf((await messagesOf(eve, id))[0])).toMatch('Lisbon');
    expect((await ask(eve, id, question)).problem?.code).toBe('permission_required');
    expect((await retry(eve, id, message.uuid)).problem?.code).toBe('permission_required');
    expect((await share(eve, id, { user_uuid: newUser().userId })).status).toBe(403);
    expect((await call(eve, 'DELETE', `/api/ask/conversations/${id}`)).status).toBe(403);
    expect((await call(eve, 'GET', `/api/ask/conversations/${id}/shares`)).status).toBe(403);
    expect((await call(ada, 'DELETE', `/api/ask/conversations/${id}/shares/${body.uuid}`)).status).toBe(204);
    expect((await read(eve, id)).status).toBe(404);
  });

  it('hides the answer from its owner, too, when the owner may no longer read the recording', async () => {
    const [ada, eve] = [newUser(), newUser()];
    const file = library.add(eve, 'Hers', 'Eve: We move the office to Lisbon in October.');
    file.readers.add(ada.userId);
    const { uuid } = await begin(ada);
    await ask(ada, uuid, question);
    file.readers.clear();
    expect(JSON.stringify(await messagesOf(ada, uuid))).not.toMatch(/Lisbon|Hers/);
    file.readers.add(ada.userId);
    file.isBinned = true;
    expect(JSON.stringify(await messagesOf(ada, uuid))).not.toMatch(/Lisbon|Hers/);
  });

  it('goes to groups of the owner only, also for administrators', async () => {
    const [ada, admin, eve, group] = [newUser(), newUser('admin'), newUser(), randomUUID()];
    const { id } = await answered(ada);
    const adminsOwn = (await begin(admin)).uuid;
    expect((await share(ada, id, { group_uuid: group })).status).toBe(422);
    expect((await share(admin, adminsOwn, { group_uuid: group })).status).toBe(422);
    groups.set(ada.userId, [group]);
    groups.set(eve.userId, [group]);
    const first = await share(ada, id, { group_uuid: group });
    expect(first.status).toBe(200);
    expect((await share(ada, id, { group_uuid: group })).body.uuid).toBe(first.body.uuid);
    expect((await read(eve, id)).status).toBe(200);
    groups.set(eve.userId, []);
    expect((await read(eve, id)).status).toBe(404);
    groups.set(eve.userId, [group]);
    await world.emit(identityEvents.groupDeleted, { groupId: group });
    await waitFor(async () => (await read(eve, id)).status === 404);
  });

  it('is not shared with unknown people or with its owner, and can be left', async () => {
    const [ada, eve, unknown] = [newUser(), newUser(), newUser()];
    const { id } = await answered(ada);
    world.strangers.add(unknown.userId);
    expect((await share(ada, id, { user_uuid: unknown.userId })).status).toBe(422);
    expect((await share(ada, id, { user_uuid: ada.userId })).status).toBe(422);
    expect((await share(ada, id, {})).status).toBe(422);
    const { body } = await share(ada, id, { user_uuid: eve.userId });
    const other = await share(ada, id, { user_uuid: newUser().userId });
    const path = `/api/ask/conversations/${id}/shares`;
    expect((await call(eve, 'DELETE', `${path}/${other.body.uuid}`)).status).toBe(403);
    expect((await call(eve, 'DELETE', `${path}/${body.uuid}`)).status).toBe(204);
    expect((await read(eve, id)).status).toBe(404);
  });
});

describe('a share of a conversation', () => {
  it('is not ended through another conversation', async () => {
    const [ada, eve, bob] = [newUser(), newUser(), newUser()];
    const { id } = await answered(ada);
    const { body } = await share(ada, id, { user_uuid: bob.userId });
    const { uuid: own } = await begin(eve);
    expect((await call(eve, 'DELETE', `/api/ask/conversations/${own}/shares/${body.uuid}`)).status).toBe(404);
    expect(await listed(bob)).toEqual([id]);
  });
});

describe('an answer is removed', () => {
  it.each([
    [
      'its recording is deleted',
      (file: LibraryFile) => world.emit(mediaEvents.deleted, { fileId: file.fileId, ownerId: file.ownerId }),
    ],
    [
      'more of its recording is masked',
      (file: LibraryFile) => world.emit(mediaEvents.masksTightened, { fileId: file.fileId, ownerId: null }),
    ],
    [
      'more is masked for its owner',
      (file: LibraryFile) => world.emit(mediaEvents.masksTightened, { fileId: null, ownerId: file.ownerId }),
    ],
    ['more is masked everywhere', () => world.emit(mediaEvents.masksTightened, { fileId: null, ownerId: null })],
  ])('when %s, and can be made again', async (_when, happen) => {
    const ada = newUser();
    const { id, file, message } = await answered(ada);
    await happen(file);
    await waitFor(async () => (await messagesOf(ada, id))[0]?.status === 'removed');
    const rows = await sql('select * from conversation_message');
    expect(JSON.stringify(rows)).not.toMatch(/Lisbon|Ben/);
    expect((await retry(ada, id, message.uuid)).message?.status).toBe('answered');
  });

  it('and hidden as soon as more of its recording is masked, before the event arrives', async () => {
    const ada = newUser();
    const { id, file } = await answered(ada);
    file.masks = ['name'];
    const [message] = await messagesOf(ada, id);
    expect(message).toMatchObject({ status: 'answered', citations: [{ withheld: true, quote: null }] });
    expect(JSON.stringify(message)).not.toMatch(/Lisbon|Ben/);
  });

  it('while it is being written', async () => {
    const ada = newUser();
    const file = library.add(ada, 'Planning', 'Ben: We move the office to Lisbon in October.');
    const { uuid } = await begin(ada);
    model.answer(async (request) => {
      await world.emit(mediaEvents.masksTightened, { fileId: file.fileId, ownerId: null });
      await waitFor(async () => (await sql("select 1 from conversation_message where status = 'removed'"))[0]);
      return answerFromExcerpts(request);
    });
    const { message } = await ask(ada, uuid, question);
    expect(message?.status).toBe('removed');
    expect(JSON.stringify(await sql('select * from conversation_message'))).not.toMatch('Lisbon in October');
  });

  it('not when another recording is deleted', async () => {
    const ada = newUser();
    const { id } = await answered(ada);
    const gone = newUser();
    const { id: other, file } = await answered(gone);
    await world.emit(mediaEvents.deleted, { fileId: file.fileId, ownerId: gone.userId });
    await waitFor(async () => (await messagesOf(gone, other))[0]?.status === 'removed');
    expect((await messagesOf(ada, id))[0]?.status).toBe('answered');
  });
});

describe('an erased person', () => {
  it('leaves no conversation, no share and no answer that rests on their recordings', async () => {
    const [ada, eve] = [newUser(), newUser()];
    const { id } = await answered(eve);
    await share(eve, id, { user_uuid: ada.userId });
    const { id: adas, file } = await answered(ada);
    await share(ada, adas, { user_uuid: eve.userId });
    file.readers.add(eve.userId);
    const { uuid: about } = await begin(eve, { scope: 'file', scope_uuid: file.fileId });
    await ask(eve, about, question);
    const order = { erasureId: randomUUID(), round: 1, userId: ada.userId };
    await world.emit(userErasureOrdered, order);
    const report = await waitFor(() => world.eventsOf(erasureEvents.insights.subject)[0]);
    expect(report).toMatchObject({ erasureId: order.erasureId, complete: true });
    expect(report['counts']).toMatchObject({ conversations: 1, conversation_shares: 1, answers: 2 });
    expect(await sql('select 1 from conversation where user_id = $1', [ada.userId])).toEqual([]);
    expect(await sql('select 1 from conversation_share where user_id = $1', [ada.userId])).toEqual([]);
    expect((await messagesOf(eve, about))[0]?.status).toBe('removed');
    expect((await messagesOf(eve, id))[0]?.status).toBe('answered');
  });

  it('is like a deleted account: its conversations end', async () => {
    const [ada, eve] = [newUser(), newUser()];
    const { id } = await answered(ada);
    await share(ada, id, { user_uuid: eve.userId });
    await world.emit(identityEvents.userDeleted, { userId: ada.userId });
    await waitFor(async () => (await read(eve, id)).status === 404);
  });
});

/** Asks at once: the model answers only when a question was refused, or when all of them have reached it. */
async function askAtOnce<T>(askers: readonly T[], send: (asker: T) => ReturnType<typeof ask>) {
  let isRefused = false;
  model.answer(async (request) => {
    await waitFor(() => isRefused || model.calls.length === askers.length);
    return answerFromExcerpts(request);
  });
  return await Promise.all(
    askers.map(async (asker) => {
      const answer = await send(asker);
      isRefused ||= answer.status !== 200;
      return answer;
    }),
  );
}

describe('questions', () => {
  it('are limited in number, length and at once', async () => {
    const ada = newUser();
    const { uuid } = await begin(ada);
    expect((await ask(ada, uuid, 'x'.repeat(askLimits.questionLength + 1))).problem?.code).toBe('invalid_body');
    expect((await ask(ada, uuid, '  ')).problem?.code).toBe('invalid_body');
    for (let i = 0; i < askLimits.perMinute; i += 1) expect((await ask(ada, uuid, question)).status).toBe(200);
    expect((await ask(ada, uuid, question)).problem?.code).toBe('rate_limited');
    await sql(
      `insert into conversation_message (conversation_id, position, asked_by, question, status, attempted_at)
       select $1, 1000 + i, $2, 'x', 'declined', now() - interval '1 hour' from generate_series(1, 200) i`,
      [uuid, ada.userId],
    );
    expect((await ask(ada, uuid, question)).problem?.code).toBe('conversation_full');
  });

  it('of one conversation are answered one after the other, in all replicas', async () => {
    const ada = newUser();
    library.add(ada, 'Planning', 'Ben: We move the office to Lisbon in October.');
    const { uuid } = await begin(ada);
    const answers = await askAtOnce([world.base, second.base], (base) => ask(ada, uuid, question, { base }));
    expect(answers.map(({ status }) => status).toSorted((x, y) => x - y)).toEqual([200, 409]);
    expect((await messagesOf(ada, uuid)).map(({ status }) => status)).toEqual(['answered']);
  });

  it('are answered at most two at once for one person', async () => {
    const ada = newUser();
    library.add(ada, 'Planning', 'Ben: We move the office to Lisbon in October.');
    const ids = await Promise.all([begin(ada), begin(ada), begin(ada)]);
    const answers = await askAtOnce(ids, ({ uuid }) => ask(ada, uuid, question));
    expect(answers.map(({ status }) => status).toSorted((x, y) => x - y)).toEqual([200, 200, 429]);
  });

  it('are answered also when the person leaves', async () => {
    const ada = newUser();
    library.add(ada, 'Planning', 'Ben: We move the office to Lisbon in October.');
    const { uuid } = await begin(ada);
    model.answer((request) => ({ reaction: 'answer', text: answerFromExcerpts(request), delayMs: 300 }));
    const caller = { ...ada, sessionId: randomUUID(), tokenExpiresAt: Date.now() + 60_000 };
    const leaving = new AbortController();
    const response = await fetch(`${world.base}/api/ask/conversations/${uuid}/messages`, {
      method: 'POST',
      headers: { [assertionHeader]: world.sign('insights', caller), 'content-type': 'application/json' },
      body: JSON.stringify({ question }),
      signal: leaving.signal,
    });
    expect(response.status).toBe(200);
    leaving.abort();
    await waitFor(async () => (await messagesOf(ada, uuid))[0]?.status === 'answered');
  });

  it('of a replica that is killed fail, and another replica answers them', async () => {
    const ada = newUser();
    library.add(ada, 'Planning', 'Ben: We move the office to Lisbon in October.');
    const { uuid } = await begin(ada);
    model.script({ reaction: 'stall', text: 'We move the office to Lisbon in October.', characters: 20 });
    const broken = ask(ada, uuid, question, { base: second.base }).catch(() => null);
    await waitFor(() => model.calls.length === 1);
    second.child.kill('SIGKILL');
    await broken;
    const [open] = await messagesOf(ada, uuid);
    expect(open?.status).toBe('answering');
    expect((await ask(ada, uuid, question)).problem?.code).toBe('answer_in_progress');
    // The lease of 20 s ends.
    await sql("update conversation_message set lease_until = now() - interval '1 second'");
    expect((await messagesOf(ada, uuid))[0]).toMatchObject({ status: 'failed', error_code: 'answer_interrupted' });
    const again = await retry(ada, uuid, open?.uuid ?? '');
    expect(again.message).toMatchObject({ uuid: open?.uuid, status: 'answered' });
  });
});
