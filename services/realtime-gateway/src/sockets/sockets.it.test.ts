import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { identityEvents, mediaEvents, searchEvents, transcriptionLive } from '@overtone/contracts';
import { waitFor } from '@overtone/testkit';
import { cleanUpAfterTest } from '@overtone/testkit/cleanup';
import { callerOf, createWorld, plainClient, pollingClient, socketIoClient, startGateway } from '../../test/harness.ts';

let gateway: Awaited<ReturnType<typeof startGateway>>;

const world = await createWorld();
beforeEach(async () => {
  gateway = await startGateway(world);
});
afterEach(async () => {
  await gateway.stop();
});

function plain(...args: Parameters<typeof plainClient> extends [number, ...infer R] ? R : never) {
  const client = plainClient(gateway.apiPort, ...args);
  cleanUpAfterTest(() => client.close());
  return client;
}

function socketIo(options: Parameters<typeof socketIoClient>[1]) {
  const client = socketIoClient(gateway.apiPort, options);
  cleanUpAfterTest(() => client.socket.disconnect());
  return client;
}

function user() {
  return randomUUID() as string;
}

function updated(ownerId: string, fileId = user()) {
  return world.emit(mediaEvents.updated, { fileId, ownerId, status: 'processing' });
}

function tokenFor(userId: string, sessionId = user()) {
  const token = user();
  world.sessions.set(token, { userId, sessionId, role: 'user', refusal: null, expiresAt: Date.now() + 600_000 });
  return token;
}

describe('plain WebSocket', () => {
  it('receives only events of own files when it has a cookie', async () => {
    const [me, other] = [user(), user()];
    const socket = plain(callerOf(me));
    await socket.established();
    await updated(other);
    const seq = await updated(me);
    expect(await socket.first('file_updated')).toMatchObject({ seq, data: { status: 'processing' } });
    expect(socket.received).toHaveLength(2);
  });

  it('receives every type of event', async () => {
    const me = user();
    const file = { fileId: user(), ownerId: me };
    const socket = plain(callerOf(me));
    await socket.established();
    const options = { language: null, minSpeakers: null, maxSpeakers: null, diarize: true };
    await world.emit(mediaEvents.uploaded, {
      ...file,
      objectKey: 'k',
      contentType: 'audio/mpeg',
      bytes: 1,
      source: 'upload',
      options,
    });
    await world.emit(mediaEvents.transcriptStored, { ...file, runId: user(), transcriptVersion: 1, provisional: true });
    await world.emit(mediaEvents.transcriptEdited, { ...file, transcriptVersion: 2 });
    await world.emit(searchEvents.fileIndexed, { ...file, transcriptVersion: 2, chunks: 1, semantic: true });
    await world.emit(mediaEvents.deleted, file);
    await socket.first('file_deleted');
    expect(socket.types().slice(1)).toEqual([
      'file_created',
      'transcript_updated',
      'transcript_updated',
      'search_indexing_complete',
      'file_deleted',
    ]);
  });

  it('is authenticated by its first frame when it has no cookie', async () => {
    const me = user();
    const socket = plain(null);
    await socket.opened;
    socket.send({ type: 'authenticate', token: tokenFor(me) });
    await socket.established();
    await updated(me);
    await socket.first('file_updated');
  });

  it('is closed with 4003 for a bad token and 4002 for a bad frame', async () => {
    const [one, two] = [plain(null), plain(null)];
    await Promise.all([one.opened, two.opened]);
    one.send({ type: 'authenticate', token: 'forged' });
    two.ws.send('this is not JSON');
    expect(await Promise.all([one.closed, two.closed])).toEqual([4003, 4002]);
  });

  it('is refused from another origin', async () => {
    expect(await plain(callerOf(user()), { origin: 'http://evil.example' }).refused).toBe(403);
  });

  it('is accepted from its own origin', async () => {
    await plain(callerOf(user()), { origin: `http://127.0.0.1:${gateway.apiPort}` }).established();
  });

  it('is closed within a second when its session is revoked, while other sessions stay open', async () => {
    const me = user();
    const [one, two] = [callerOf(me), callerOf(me)];
    const [lost, kept] = [plain(one), plain(two)];
    await Promise.all([lost.established(), kept.established()]);
    await world.emit(identityEvents.sessionRevoked, { userId: me, sessionId: one.sessionId, reason: 'signed out' });
    expect(await lost.closed).toBe(4004);
    kept.send({ type: 'ping' });
    await kept.first('pong');
  });

  it('is closed when its access token expires, unless it sends a new one', async () => {
    const me = user();
    const soon = { tokenExpiresAt: Date.now() + 10_000 };
    const [ends, stays] = [plain(callerOf(me, soon)), plain(callerOf(me, soon))];
    await Promise.all([ends.established(), stays.established()]);
    stays.send({ type: 'authenticate', token: tokenFor(me) });
    expect(await ends.closed).toBe(4001);
    stays.send({ type: 'ping' });
    await stays.first('pong');
  });

  it('is refused above the limit of sockets per user', async () => {
    const me = user();
    for (let i = 0; i < 5; i += 1) await plain(callerOf(me)).established();
    expect(await plain(callerOf(me)).closed).toBe(1013);
  });
});

describe('gateway with other limits', () => {
  const restartWith = async (limits: Parameters<typeof startGateway>[1]): Promise<void> => {
    await gateway.stop();
    gateway = await startGateway(world, limits);
  };

  it('closes a socket that does not authenticate', async () => {
    await restartWith({ WS_AUTHENTICATE_WITHIN_MS: 1_000 });
    expect(await plain(null).closed).toBe(4001);
  });

  it('limits the number of unauthenticated sockets', async () => {
    await restartWith({ WS_AUTHENTICATE_WITHIN_MS: 600_000, WS_MAX_UNAUTHENTICATED: 1 });
    const first = plain(null);
    await first.opened;
    expect(await plain(null).closed).toBe(1013);
  });

  it('closes a socket that does not answer pings, and keeps one that does', async () => {
    await restartWith({ WS_HEARTBEAT_MS: 5_000 });
    const [dead, alive] = [plain(callerOf(user()), { autoPong: false }), plain(callerOf(user()))];
    await Promise.all([dead.established(), alive.established()]);
    expect(await dead.closed).toBe(1006);
    expect(alive.ws.readyState).toBe(alive.ws.OPEN);
  });
});

describe('client that reconnects', () => {
  it('receives missed events, even after a restart of the gateway', async () => {
    const me = user();
    const first = plain(callerOf(me));
    await first.established();
    const seen = await updated(me);
    await first.first('file_updated');
    await gateway.stop();
    expect(await first.closed).toBe(1012);
    const missed = [await updated(me), await updated(me)];
    gateway = await startGateway(world);
    const again = plain(callerOf(me), { query: `?since=${seen}` });
    expect(await again.established()).toMatchObject({ data: { resumed: true } });
    await waitFor(() => again.received.length === 3);
    expect(again.received.slice(1).map((message) => ('seq' in message ? message.seq : 0))).toEqual(missed);
  });

  it('receives missed events after the frame `resume`, each once', async () => {
    const me = user();
    const seen = await updated(me);
    const missed = await updated(me);
    const socket = plain(callerOf(me));
    await socket.established();
    socket.send({ type: 'resume', since: seen });
    expect(await socket.first('file_updated')).toMatchObject({ seq: missed });
    expect(socket.received).toHaveLength(2);
  });

  it('receives resync when its sequence is not of this stream', async () => {
    const socket = plain(callerOf(user()), { query: '?since=999999999' });
    await socket.first('resync');
  });
});

describe('progress', () => {
  const publishProgress = (ownerId: string, fileId: string, progress: number) =>
    world.publishLive(transcriptionLive.fileProgress, {
      runId: user(),
      fileId,
      ownerId,
      stage: 'transcribe',
      stageFraction: 0.1,
      progress,
      message: 'Transcribing',
      etaSeconds: 3,
    });

  it('is sent at most four times a second, always including the last value, and immediately to new connections', async () => {
    const [me, fileId] = [user(), user()];
    const socket = plain(callerOf(me));
    await socket.established();
    const started = performance.now();
    for (let i = 1; i <= 100; i += 1) {
      publishProgress(me, fileId, i / 2);
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
    const values = () =>
      socket.received.flatMap((message) => (message.type === 'transcription_status' ? [message.data.progress] : []));
    await waitFor(() => values().at(-1) === 50);
    const seconds = (performance.now() - started) / 1_000;
    expect(values().length).toBeLessThanOrEqual(4 * seconds + 2);
    const late = plain(callerOf(me));
    expect(await late.first('transcription_status')).toMatchObject({
      data: { file_id: fileId, progress: 50, eta_seconds: 3 },
    });
  });

  it('is not sent to new connections for a finished file', async () => {
    const [me, fileId] = [user(), user()];
    const socket = plain(callerOf(me));
    await socket.established();
    publishProgress(me, fileId, 99);
    await socket.first('transcription_status');
    await world.emit(mediaEvents.updated, { fileId, ownerId: me, status: 'completed' });
    await socket.first('file_updated');
    const late = plain(callerOf(me));
    await late.established();
    late.send({ type: 'ping' });
    await late.first('pong');
    expect(late.types()).toEqual(['connection_established', 'pong']);
  });
});

describe('socket.io on the same path', () => {
  it('receives the same envelopes with a cookie', async () => {
    const me = user();
    const client = socketIo({ caller: callerOf(me) });
    await client.first('connection_established');
    const seq = await updated(me);
    expect((await client.first('file_updated')).argument).toMatchObject({ type: 'file_updated', seq });
  });

  it('is authenticated by its token, with WebSocket only and with polling first', async () => {
    const me = user();
    for (const transports of [['websocket'], ['polling', 'websocket']]) {
      const client = socketIo({ auth: { token: tokenFor(me) }, transports });
      await client.first('connection_established');
    }
  });

  it('receives the reason before it is disconnected', async () => {
    const client = socketIo({ auth: { token: 'forged' } });
    expect((await client.first('closing')).argument).toMatchObject({ code: 4003 });
    await client.disconnected;
  });

  it('is disconnected when its session is revoked', async () => {
    const me = user();
    const caller = callerOf(me);
    const client = socketIo({ caller });
    await client.first('connection_established');
    await world.emit(identityEvents.sessionRevoked, { userId: me, sessionId: null, reason: 'role changed' });
    expect((await client.first('closing')).argument).toMatchObject({ code: 4004 });
    await client.disconnected;
  });
});

describe('event feed', () => {
  it('continues after a crash of the broker without missing events', async () => {
    const me = user();
    const socket = plain(callerOf(me));
    await socket.established();
    await updated(me);
    await socket.first('file_updated');
    await world.nats.kill9();
    await world.nats.restart();
    const seqs = [await updated(me), await updated(me)];
    await waitFor(() => socket.received.length === 4);
    expect(socket.received.slice(2).map((message) => ('seq' in message ? message.seq : 0))).toEqual(seqs);
  });
});

it('answers any other path with 404', async () => {
  const answer = await fetch(`http://127.0.0.1:${gateway.apiPort}/api/other`);
  expect(answer.status).toBe(404);
  expect(answer.headers.get('content-type')).toBe('application/problem+json');
});

describe('gateway shutdown', () => {
  it('closes plain sockets with 1012, including unauthenticated ones', async () => {
    const [member, stranger] = [plain(callerOf(user())), plain(null)];
    await member.established();
    await stranger.opened;
    await gateway.stop();
    expect(await Promise.all([member.closed, stranger.closed])).toEqual([1012, 1012]);
  });

  it.each([[['websocket']], [['polling']]])('sends code 1012 to a socket.io client over %s', async (transports) => {
    const client = socketIo({ caller: callerOf(user()), transports });
    await client.first('connection_established');
    await gateway.stop();
    expect((await client.first('closing')).argument).toMatchObject({ code: 1012 });
    await client.disconnected;
  });

  it('sends code 1012 with the next poll to a client that does not poll while the server closes', async () => {
    const [watcher, caller] = [plain(callerOf(user())), callerOf(user())];
    await watcher.established();
    const client = await pollingClient(gateway.apiPort, caller);
    await client.until('connection_established');
    const stopped = gateway.stop();
    expect(await watcher.closed).toBe(1012);
    expect(await client.until('closing')).toContain('"code":1012');
    await stopped;
  });
});
