import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { identityEvents, mediaEvents, searchEvents, transcriptionLive } from '@overtone/contracts';
import { waitFor } from '@overtone/testkit';
import { callerOf, createWorld, plainClient, socketIoClient, startGateway, type World } from '../../test/harness.ts';

let w: World;
let gateway: Awaited<ReturnType<typeof startGateway>>;
const open: { close: () => void }[] = [];

beforeAll(async () => {
  w = await createWorld();
});
afterAll(() => w.stop());
beforeEach(async () => {
  gateway = await startGateway(w);
});
afterEach(async () => {
  for (const c of open.splice(0)) c.close();
  await gateway.stop();
});
const plain = (...args: Parameters<typeof plainClient> extends [number, ...infer R] ? R : never) => {
  const client = plainClient(gateway.apiPort, ...args);
  open.push(client);
  return client;
};
const socketIo = (o: Parameters<typeof socketIoClient>[1]) => {
  const client = socketIoClient(gateway.apiPort, o);
  open.push({ close: () => client.socket.disconnect() });
  return client;
};
const user = () => randomUUID() as string;
const updated = (ownerId: string, fileId = user()) =>
  w.emit(mediaEvents.updated, { fileId, ownerId, status: 'processing' });
const tokenFor = (userId: string, sessionId = user()) => {
  const token = user();
  w.sessions.set(token, { userId, sessionId, role: 'user', refusal: null, expiresAt: Date.now() + 600_000 });
  return token;
};

describe('a plain WebSocket', () => {
  test('with a cookie hears of own files, and of nobody else’s', async () => {
    const [me, other] = [user(), user()];
    const socket = plain(callerOf(me));
    await socket.greeted();
    await updated(other);
    const seq = await updated(me);
    expect(await socket.first('file_updated')).toMatchObject({ seq, data: { status: 'processing' } });
    expect(socket.told).toHaveLength(2);
  });

  test('hears every kind of fact', async () => {
    const me = user();
    const file = { fileId: user(), ownerId: me };
    const socket = plain(callerOf(me));
    await socket.greeted();
    const options = { language: null, minSpeakers: null, maxSpeakers: null, diarize: true };
    await w.emit(mediaEvents.uploaded, {
      ...file,
      objectKey: 'k',
      contentType: 'audio/mpeg',
      bytes: 1,
      source: 'upload',
      options,
    });
    await w.emit(mediaEvents.transcriptStored, { ...file, runId: user(), transcriptVersion: 1, provisional: true });
    await w.emit(mediaEvents.transcriptEdited, { ...file, transcriptVersion: 2 });
    await w.emit(searchEvents.fileIndexed, { ...file, transcriptVersion: 2, chunks: 1, semantic: true });
    await w.emit(mediaEvents.deleted, file);
    await socket.first('file_deleted');
    expect(socket.types().slice(1)).toEqual([
      'file_created',
      'transcript_updated',
      'transcript_updated',
      'search_indexing_complete',
      'file_deleted',
    ]);
  });

  test('without a cookie is let in by its first frame', async () => {
    const me = user();
    const socket = plain(null);
    await socket.opened;
    socket.send({ type: 'authenticate', token: tokenFor(me) });
    await socket.greeted();
    await updated(me);
    await socket.first('file_updated');
  });

  test('is closed with 4003 for a bad token and 4002 for a bad frame', async () => {
    const [one, two] = [plain(null), plain(null)];
    await Promise.all([one.opened, two.opened]);
    one.send({ type: 'authenticate', token: 'forged' });
    two.ws.send('this is not JSON');
    expect(await Promise.all([one.closed, two.closed])).toEqual([4003, 4002]);
  });

  test('of another origin is refused', async () => {
    expect(await plain(callerOf(user()), { origin: 'http://evil.example' }).refused).toBe(403);
  });

  test('of its own origin is let in', async () => {
    await plain(callerOf(user()), { origin: `http://127.0.0.1:${gateway.apiPort}` }).greeted();
  });

  test('of a revoked session is closed within a second, others stay', async () => {
    const me = user();
    const [one, two] = [callerOf(me), callerOf(me)];
    const [lost, kept] = [plain(one), plain(two)];
    await Promise.all([lost.greeted(), kept.greeted()]);
    await w.emit(identityEvents.sessionRevoked, { userId: me, sessionId: one.sessionId, reason: 'signed out' });
    expect(await lost.closed).toBe(4004);
    kept.send({ type: 'ping' });
    await kept.first('pong');
  });

  test('ends with its access token, unless it brings a new one', async () => {
    const me = user();
    const soon = { tokenExpiresAt: Date.now() + 1_000 };
    const [ends, stays] = [plain(callerOf(me, soon)), plain(callerOf(me, soon))];
    await Promise.all([ends.greeted(), stays.greeted()]);
    stays.send({ type: 'authenticate', token: tokenFor(me) });
    expect(await ends.closed).toBe(4001);
    stays.send({ type: 'ping' });
    await stays.first('pong');
  });

  test('is one of at most so many of a user', async () => {
    const me = user();
    for (let i = 0; i < 5; i += 1) await plain(callerOf(me)).greeted();
    expect(await plain(callerOf(me)).closed).toBe(1013);
  });
});

describe('a gateway with little patience', () => {
  beforeEach(async () => {
    await gateway.stop();
    gateway = await startGateway(w, {
      WS_HEARTBEAT_MS: 200,
      WS_AUTHENTICATE_WITHIN_MS: 300,
      WS_MAX_UNAUTHENTICATED: 1,
    });
  });

  test('closes a socket that does not say who it is', async () => {
    expect(await plain(null).closed).toBe(4001);
  });
  test('lets only so many say nothing at once', async () => {
    const first = plain(null);
    await first.opened;
    expect(await plain(null).closed).toBe(1013);
  });
  test('gives up a socket that shows no sign of life, and keeps one that does', async () => {
    const [dead, alive] = [plain(callerOf(user()), { autoPong: false }), plain(callerOf(user()))];
    await Promise.all([dead.greeted(), alive.greeted()]);
    expect(await dead.closed).toBe(1006);
    expect(alive.ws.readyState).toBe(alive.ws.OPEN);
  });
});

describe('who comes back', () => {
  test('is told what was missed, also by a gateway that was restarted meanwhile', async () => {
    const me = user();
    const first = plain(callerOf(me));
    await first.greeted();
    const seen = await updated(me);
    await first.first('file_updated');
    await gateway.stop();
    expect(await first.closed).toBe(1012);
    const missed = [await updated(me), await updated(me)];
    gateway = await startGateway(w);
    const again = plain(callerOf(me), { query: `?since=${seen}` });
    expect(await again.greeted()).toMatchObject({ data: { resumed: true } });
    await waitFor(() => again.told.length === 3);
    expect(again.told.slice(1).map((m) => ('seq' in m ? m.seq : 0))).toEqual(missed);
  });

  test('is told by the frame `resume` as well, and nothing twice', async () => {
    const me = user();
    const seen = await updated(me);
    const missed = await updated(me);
    const socket = plain(callerOf(me));
    await socket.greeted();
    socket.send({ type: 'resume', since: seen });
    expect(await socket.first('file_updated')).toMatchObject({ seq: missed });
    expect(socket.told).toHaveLength(2);
  });

  test('fetches everything anew when the number is not of this stream', async () => {
    const socket = plain(callerOf(user()), { query: '?since=999999999' });
    await socket.first('resync');
  });
});

describe('progress', () => {
  const say = (ownerId: string, fileId: string, progress: number) =>
    w.say(transcriptionLive.fileProgress, {
      runId: user(),
      fileId,
      ownerId,
      stage: 'transcribe',
      stageFraction: 0.1,
      progress,
      message: 'Transcribing',
      etaSeconds: 3,
    });

  test('comes at most four times a second, the last value always, and to newcomers at once', async () => {
    const [me, fileId] = [user(), user()];
    const socket = plain(callerOf(me));
    await socket.greeted();
    for (let i = 1; i <= 100; i += 1) {
      say(me, fileId, i / 2);
      await new Promise((r) => setTimeout(r, 10));
    }
    const values = () => socket.told.flatMap((m) => (m.type === 'transcription_status' ? [m.data.progress] : []));
    await waitFor(() => values().at(-1) === 50);
    expect(values().length).toBeLessThanOrEqual(8);
    const late = plain(callerOf(me));
    expect(await late.first('transcription_status')).toMatchObject({
      data: { file_id: fileId, progress: 50, eta_seconds: 3 },
    });
  });

  test('of a finished file is not told to newcomers', async () => {
    const [me, fileId] = [user(), user()];
    const socket = plain(callerOf(me));
    await socket.greeted();
    say(me, fileId, 99);
    await socket.first('transcription_status');
    await w.emit(mediaEvents.updated, { fileId, ownerId: me, status: 'completed' });
    await socket.first('file_updated');
    const late = plain(callerOf(me));
    await late.greeted();
    late.send({ type: 'ping' });
    await late.first('pong');
    expect(late.types()).toEqual(['connection_established', 'pong']);
  });
});

describe('socket.io on the same path', () => {
  test('hears the same envelopes, by a cookie', async () => {
    const me = user();
    const client = socketIo({ caller: callerOf(me) });
    await client.first('connection_established');
    const seq = await updated(me);
    expect((await client.first('file_updated')).argument).toMatchObject({ type: 'file_updated', seq });
  });

  test('is let in by its token, over WebSocket alone and with polling first', async () => {
    const me = user();
    for (const transports of [['websocket'], ['polling', 'websocket']]) {
      const client = socketIo({ auth: { token: tokenFor(me) }, transports });
      await client.first('connection_established');
    }
  });

  test('is told why before it is cut off', async () => {
    const client = socketIo({ auth: { token: 'forged' } });
    expect((await client.first('closing')).argument).toMatchObject({ code: 4003 });
    await client.disconnected;
  });

  test('of a revoked session is disconnected', async () => {
    const me = user();
    const caller = callerOf(me);
    const client = socketIo({ caller });
    await client.first('connection_established');
    await w.emit(identityEvents.sessionRevoked, { userId: me, sessionId: null, reason: 'role changed' });
    expect((await client.first('closing')).argument).toMatchObject({ code: 4004 });
    await client.disconnected;
  });
});

describe('the feed', () => {
  test('goes on after the broker was killed, and misses nothing', async () => {
    const me = user();
    const socket = plain(callerOf(me));
    await socket.greeted();
    await updated(me);
    await socket.first('file_updated');
    await w.nats.kill9();
    await w.nats.restart();
    const seqs = [await updated(me), await updated(me)];
    await waitFor(() => socket.told.length === 4);
    expect(socket.told.slice(2).map((m) => ('seq' in m ? m.seq : 0))).toEqual(seqs);
  });
});

test('any other path is not there', async () => {
  const answer = await fetch(`http://127.0.0.1:${gateway.apiPort}/api/other`);
  expect(answer.status).toBe(404);
  expect(answer.headers.get('content-type')).toBe('application/problem+json');
});

describe('a gateway that stops tells', () => {
  test('a plain socket to come back, also one that has not said yet who it is', async () => {
    const [member, stranger] = [plain(callerOf(user())), plain(null)];
    await member.greeted();
    await stranger.opened;
    await gateway.stop();
    expect(await Promise.all([member.closed, stranger.closed])).toEqual([1012, 1012]);
  });

  test.each([[['websocket']], [['polling']]])('a socket.io client to come back, over %s', async (transports) => {
    const client = socketIo({ caller: callerOf(user()), transports });
    await client.first('connection_established');
    await gateway.stop();
    expect((await client.first('closing')).argument).toMatchObject({ code: 1012 });
    await client.disconnected;
  });
});
