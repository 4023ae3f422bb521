import { describe, expect, it } from '@jest/globals';
import type { ReplyOf, RequestOf, workerRpc } from '@overtone/contracts';
import { unavailable, type Bus } from '@overtone/service-kit';
import { createWorkerVectoriser } from './worker-vectoriser.adapter.ts';

function encode(...values: number[]) {
  return Buffer.from(new Float32Array(values).buffer).toString('base64');
}

/** A fake worker whose vector of a text is the text's length; an empty text has no vector. */
function play() {
  const state = { model: 'a', away: false, asked: [] as string[][], wanted: [] as unknown[], now: 0 };
  const answer = ({ texts }: RequestOf<typeof workerRpc.embed>): ReplyOf<typeof workerRpc.embed> => ({
    model: state.model,
    dim: 2,
    vectors: texts.map((text) => (text === 'unknown' ? encode(0, 0) : encode(text.length, 1))),
  });
  const bus = {
    request: async (_def: unknown, request: RequestOf<typeof workerRpc.embed>) => {
      state.asked.push(request.texts);
      state.wanted.push(request.model);
      if (state.away) throw unavailable('service_unavailable', 'away');
      return answer(request);
    },
  } as unknown as Pick<Bus, 'request'>;
  return { state, vectoriser: createWorkerVectoriser({ bus, now: () => state.now }) };
}

const { signal } = new AbortController();

describe('vectors from the workers', () => {
  it('caches the vectors of queries', async () => {
    const { state, vectoriser } = play();
    const first = await vectoriser.query('hello', 'a');
    expect(first).toEqual({ model: { name: 'a', dim: 2 }, vector: new Float32Array([5, 1]) });
    expect(await vectoriser.query('hello', 'a')).toEqual(first);
    expect(state.asked).toHaveLength(1);
  });

  it('asks for the model of the index, and never answers with the cached vector of another one', async () => {
    const { state, vectoriser } = play();
    await vectoriser.query('hello', 'a');
    state.model = 'b';
    expect((await vectoriser.query('hello', 'b')).model.name).toBe('b');
    expect((await vectoriser.query('hello', 'a')).model.name).toBe('a');
    expect(state.wanted).toEqual(['a', 'b']);
  });

  it("never caches the model's name", async () => {
    const { state, vectoriser } = play();
    expect(await vectoriser.model()).toBe('a');
    state.model = 'b';
    expect(await vectoriser.model()).toBe('b');
  });

  it('returns no vector for a text without known words', async () => {
    const { vectoriser } = play();
    expect((await vectoriser.query('unknown', null)).vector).toBeNull();
  });

  it('pauses requests after a timeout instead of making every search wait', async () => {
    const { state, vectoriser } = play();
    state.away = true;
    await expect(vectoriser.query('one', null)).rejects.toMatchObject({ kind: 'unavailable' });
    await expect(vectoriser.query('two', null)).rejects.toMatchObject({ kind: 'unavailable' });
    expect(state.asked).toHaveLength(1);
    state.away = false;
    state.now = 6_000;
    expect((await vectoriser.query('two', null)).vector).not.toBeNull();
  });

  it('requests the vectors of documents in batches and keeps their order', async () => {
    const { state, vectoriser } = play();
    const texts = Array.from({ length: 150 }, (_, i) => 'x'.repeat(i + 1));
    const shares: number[] = [];
    const { vectors } = await vectoriser.documents(texts, signal, (share) => shares.push(share));
    expect(state.asked.map((batch) => batch.length)).toEqual([32, 32, 32, 32, 22]);
    expect(vectors.map((vector) => vector?.[0])).toEqual(texts.map((text) => text.length));
    expect(shares.at(-1)).toBe(1);
  });

  it('rejects two models in one document', async () => {
    const { state, vectoriser } = play();
    const texts = Array.from({ length: 100 }, () => 'x');
    const swap = () => (state.model = 'b');
    await expect(vectoriser.documents(texts, signal, swap)).rejects.toMatchObject({ kind: 'unavailable' });
  });
});
