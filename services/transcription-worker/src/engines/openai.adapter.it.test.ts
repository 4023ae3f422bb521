import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { AddressInfo } from 'node:net';
import { afterAll, afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { waitFor } from '@overtone/testkit';
import { engineContract } from '../../test/engine-contract.ts';
import { bytesPerSecond, wavHeader } from '../audio/wav.ts';
import { createOpenAiVectoriser } from '../embeddings/openai.adapter.ts';
import { createEndpointFetch } from '../ports/endpoint-fetch.adapter.ts';
import { createOpenAiEngine } from './openai.adapter.ts';
import { inventedWords } from './scripted.adapter.ts';

const { fetchEndpoint, close } = createEndpointFetch();
afterAll(close);

type Handler = (request: IncomingMessage, form: FormData, response: ServerResponse) => void;

/** A server that speaks the API, with the multipart body really parsed. */
async function serve(handle: Handler): Promise<{ server: Server; baseUrl: string }> {
  const receive = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const parts: Buffer[] = [];
    try {
      for await (const part of request) parts.push(part as Buffer);
    } catch {
      return; // The engine has given up.
    }
    const headers = { 'content-type': request.headers['content-type'] ?? '' };
    const multipart = headers['content-type'].startsWith('multipart/');
    const body = Buffer.concat(parts);
    const form = multipart ? await new Response(body, { headers }).formData() : new FormData();
    if (!multipart) form.set('json', body.toString());
    handle(request, form, response);
  };
  const server = createServer((request, response) => void receive(request, response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { server, baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1` };
}

function json(response: ServerResponse, value: unknown, status = 200, headers: Record<string, string> = {}): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(value));
}

function stopOf(server: Server) {
  return async (): Promise<void> => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  };
}

function secondsOf(form: FormData): number {
  return ((form.get('file') as File).size - 44) / bytesPerSecond;
}

engineContract('openai-compatible', async () => {
  const { server, baseUrl } = await serve((_request, form, response) => {
    const words = inventedWords(form.has('file') ? secondsOf(form) : 0).map(({ word, start, end }) => ({
      word,
      start,
      end,
    }));
    json(response, { text: words.map((word) => word.word).join(' '), language: 'english', words, segments: [] });
  });
  return {
    engine: createOpenAiEngine({ baseUrl, apiKey: 'k', model: 'm', fetchEndpoint, parallel: () => 1 }),
    stop: stopOf(server),
  };
});

describe('an OpenAI-compatible service', () => {
  let folder = '';
  let stop: (() => Promise<void>) | undefined;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'openai-'));
  });
  afterEach(async () => {
    await stop?.();
    await rm(folder, { recursive: true, force: true });
  });
  const sound = async (seconds: number): Promise<{ wavPath: string; seconds: number; language: string | null }> => {
    const wavPath = join(folder, 'a.wav');
    await writeFile(
      wavPath,
      Buffer.concat([wavHeader(seconds * bytesPerSecond), Buffer.alloc(seconds * bytesPerSecond)]),
    );
    return { wavPath, seconds, language: 'de' };
  };
  const engineOn = async (handle: Handler, attempts = 3): Promise<ReturnType<typeof createOpenAiEngine>> => {
    const { server, baseUrl } = await serve(handle);
    stop = stopOf(server);
    return createOpenAiEngine({
      baseUrl: `${baseUrl}/`,
      apiKey: 'secret-key',
      model: 'whisper-large',
      fetchEndpoint,
      parallel: () => 2,
      attempts,
    });
  };

  it('receives a request for word and segment times with key, model and language', async () => {
    const seen: { path: string | undefined; key: string | undefined; form: FormData }[] = [];
    const engine = await engineOn((request, form, response) => {
      seen.push({ path: request.url, key: request.headers.authorization, form });
      json(response, {
        text: 'Guten Tag.',
        language: 'german',
        segments: [{ start: 0, end: 1, text: ' Guten Tag.', avg_logprob: -0.1 }],
        words: [
          { word: 'Guten', start: 0.1, end: 0.4 },
          { word: 'Tag', start: 0.5, end: 0.9 },
        ],
      });
    });
    const result = await engine.transcribe(await sound(2));
    expect(seen[0]).toMatchObject({ path: '/v1/audio/transcriptions', key: 'Bearer secret-key' });
    expect(
      Object.fromEntries(['model', 'language', 'response_format'].map((key) => [key, seen[0]?.form.get(key)])),
    ).toEqual({ model: 'whisper-large', language: 'de', response_format: 'verbose_json' });
    expect(seen[0]?.form.getAll('timestamp_granularities[]')).toEqual(['word', 'segment']);
    expect(result).toMatchObject({ language: 'de', engine: { model: 'whisper-large', timing: 'engine' } });
    expect(result.words.map((word) => word.word)).toEqual(['Guten', 'Tag.']);
    expect(result.words[0]?.confidence).toBeCloseTo(Math.exp(-0.1), 3);
  });

  it('receives a long recording in pieces under 24 MB, whose times are shifted to their offset', async () => {
    const sizes: number[] = [];
    const engine = await engineOn((_request, form, response) => {
      sizes.push((form.get('file') as File).size);
      json(response, { text: 'x', words: [{ word: 'piece', start: 1, end: 2 }] });
    });
    const { words } = await engine.transcribe(await sound(900));
    expect(sizes.length).toBeGreaterThan(1);
    expect(Math.max(...sizes)).toBeLessThan(24_000_000);
    expect(words.map((word) => word.start)).toEqual([1, expect.any(Number)]);
    expect(words[1]?.start).toBeGreaterThan(300);
  });

  it('reports progress within a piece, by the speed of the earlier ones', async () => {
    let requests = 0;
    const held: ServerResponse[] = [];
    const shares: number[] = [];
    const { server, baseUrl } = await serve((_request, _form, response) => {
      requests += 1;
      if (requests === 1) json(response, { text: 'first', words: [{ word: 'first', start: 0, end: 1 }] });
      else held.push(response);
    });
    stop = stopOf(server);
    const options = { baseUrl, apiKey: undefined, model: 'm', fetchEndpoint, parallel: () => 1 };
    const recording = await sound(900);
    const onProgress = (share: number): void => void shares.push(share);
    const result = createOpenAiEngine(options).transcribe({ ...recording, onProgress });
    // The second piece is not answered yet, and its progress is reported nevertheless.
    await waitFor(() => held.length === 1 && shares.some((share) => share > 0.9 && share < 1));
    const second = { text: 'second', words: [{ word: 'second', start: 0, end: 1 }] };
    for (const response of held) json(response, second);
    expect((await result).words.map(({ word }) => word)).toEqual(['first', 'second']);
    expect(shares.at(-1)).toBeCloseTo(1, 5);
    expect(shares).toEqual(shares.toSorted((x, y) => x - y));
  });

  /** Two bursts of tone in silence, each 2 s long. */
  const toneAt = async (starts: readonly number[], seconds: number): Promise<{ wavPath: string; seconds: number }> => {
    const samples = new Int16Array((seconds * bytesPerSecond) / 2);
    for (const start of starts)
      for (let i = 0; i < bytesPerSecond; i++)
        samples[(start * bytesPerSecond) / 2 + i] = 12_000 * Math.sin((i * 2 * Math.PI * 220) / 16_000);
    const wavPath = join(folder, 'tone.wav');
    await writeFile(wavPath, Buffer.concat([wavHeader(samples.byteLength), Buffer.from(samples.buffer)]));
    return { wavPath, seconds };
  };
  const formatOf = (form: FormData): string =>
    [form.get('response_format'), ...form.getAll('timestamp_granularities[]')].map(String).join(' ');

  it.each([
    ['times of words', 'verbose_json segment', { message: '`timestamp_granularities[]` not supported by this model' }],
    ['every time', 'json', { message: "response_format 'verbose_json' is not compatible with model 'm'. Use 'json'" }],
  ])('that refuses %s is asked for less, and from then on at once', async (_what, accepted, error) => {
    const formats: string[] = [];
    const engine = await engineOn((_request, form, response) => {
      formats.push(formatOf(form));
      if (formatOf(form) !== accepted) return json(response, { error }, 400);
      const segments = accepted === 'json' ? undefined : [{ start: 3, end: 5, text: 'so it is' }];
      json(response, { text: 'so it is', segments });
    });
    const recording = { ...(await toneAt([3], 8)), language: 'en' };
    const { words, engine: used } = await engine.transcribe(recording);
    expect(words.map(({ word }) => word)).toEqual(['so', 'it', 'is']);
    expect(words[0]?.start).toBeGreaterThan(2.5);
    expect(words[2]?.end).toBeLessThan(5.5);
    expect(used.timing).toBe('estimated');
    const asked = formats.length;
    await engine.transcribe(recording);
    expect(formats.slice(asked)).toEqual([accepted]);
  });

  it.each([
    ['refuses times', true],
    ['leaves them out', false],
  ])('that %s receives short pieces, so that each word is near its time', async (_what, refuses) => {
    const seconds: number[] = [];
    const engine = await engineOn((_request, form, response) => {
      if (formatOf(form) !== 'json' && refuses) return json(response, { error: 'no' }, 422);
      if (formatOf(form) === 'json') seconds.push(secondsOf(form));
      json(response, { text: 'spoken here' });
    });
    const { words } = await engine.transcribe({ ...(await toneAt([10, 50], 100)), language: 'en' });
    // A piece without speech is not sent.
    expect(seconds).toHaveLength(2);
    expect(Math.max(...seconds)).toBeLessThanOrEqual(30);
    expect(words.map(({ start }) => Math.round(start))).toEqual([10, 11, 50, 51]);
  });

  it('that refuses a later piece is not asked for all the others again', async () => {
    let requests = 0;
    const { server, baseUrl } = await serve((_request, _form, response) => {
      requests += 1;
      if (requests === 2) return json(response, { error: 'this sound is not welcome' }, 400);
      json(response, { text: 'x', words: [{ word: 'x', start: 1, end: 2 }] });
    });
    stop = stopOf(server);
    const engine = createOpenAiEngine({ baseUrl, apiKey: undefined, model: 'm', fetchEndpoint, parallel: () => 1 });
    await expect(engine.transcribe(await sound(1_500))).rejects.toMatchObject({ code: 'engine_refused' });
    expect(requests).toBe(2);
  });

  it('that never answers is asked twice, not as often as one that is busy', async () => {
    let requests = 0;
    const { server, baseUrl } = await serve(() => (requests += 1));
    stop = stopOf(server);
    const options = { baseUrl, apiKey: undefined, model: 'm', fetchEndpoint, parallel: () => 1 };
    const engine = createOpenAiEngine({ ...options, attempts: 6, timeoutMs: 500 });
    await expect(engine.transcribe(await sound(1))).rejects.toMatchObject({ code: 'service_unavailable' });
    expect(requests).toBeLessThanOrEqual(2);
  });

  it('is retried when it is busy, not before its Retry-After', async () => {
    const times: number[] = [];
    const engine = await engineOn((_request, _form, response) => {
      times.push(Date.now());
      if (times.length === 1) return json(response, {}, 429, { 'retry-after': '1' });
      if (times.length === 2) return json(response, {}, 503, { 'retry-after': '0' });
      json(response, { text: 'late but there' });
    });
    const result = await engine.transcribe(await sound(1));
    expect(result.words).toHaveLength(3);
    expect(result.engine.timing).toBe('estimated');
    expect((times[1] ?? 0) - (times[0] ?? 0)).toBeGreaterThan(950);
  });

  it.each([
    [400, 'engine_refused', true],
    [401, 'service_unavailable', false],
    [500, 'service_unavailable', false],
  ])('%i fails as %s, without the key in the error', async (status, code, permanent) => {
    const engine = await engineOn((_request, _form, response) =>
      json(response, { error: 'no' }, status, { 'retry-after': '0' }),
    );
    const error: unknown = await engine
      .transcribe({ ...(await toneAt([1], 4)), language: null })
      .catch((err: unknown) => err);
    expect(error).toMatchObject({ code, permanent });
    expect(JSON.stringify(error) + String((error as Error).stack)).not.toContain('secret-key');
  });

  it.each([{ nothing: true }, { text: 'x', words: [{ word: 'x', start: 'soon' }] }])(
    'an answer that is no transcription is refused: %j',
    async (answer) => {
      const engine = await engineOn((_request, _form, response) => json(response, answer));
      await expect(engine.transcribe(await sound(1))).rejects.toMatchObject({
        code: 'service_unavailable',
        permanent: false,
      });
    },
  );

  it('is not ready when it does not respond or rejects the key', async () => {
    const engine = await engineOn((_request, _form, response) => json(response, {}, 401));
    expect(await engine.check()).toMatchObject({ ready: false, why: expect.stringContaining('key') });
    const unreachable = createOpenAiEngine({
      baseUrl: 'http://127.0.0.1:1/v1',
      apiKey: undefined,
      model: 'm',
      fetchEndpoint,
      parallel: () => 1,
    });
    expect(await unreachable.check()).toMatchObject({ ready: false, why: expect.stringContaining('does not answer') });
  });

  it('returns one normalised vector per text, in order', async () => {
    const { server, baseUrl } = await serve((_request, form, response) => {
      const { input } = JSON.parse(form.get('json') as string) as { input: string[] };
      json(response, {
        data: input.map((_, index) => ({ index, embedding: [3 * (index + 1), 4 * (index + 1)] })).toReversed(),
      });
    });
    stop = stopOf(server);
    const { model, dim, vectors } = await createOpenAiVectoriser({
      baseUrl,
      apiKey: undefined,
      model: 'e',
      fetchEndpoint,
    }).embed(['a', ''], 'document');
    expect({ model, dim, count: vectors.length }).toEqual({ model: 'openai:e', dim: 2, count: 2 });
    expect(vectors[1]?.[0]).toBeCloseTo(0.6, 5);
  });

  it('rejects fewer vectors than texts', async () => {
    const { server, baseUrl } = await serve((_request, _form, response) =>
      json(response, { data: [{ index: 0, embedding: [1] }] }),
    );
    stop = stopOf(server);
    await expect(
      createOpenAiVectoriser({ baseUrl, apiKey: undefined, model: 'e', fetchEndpoint }).embed(['a', 'b'], 'document'),
    ).rejects.toMatchObject({ code: 'service_unavailable' });
  });
});
