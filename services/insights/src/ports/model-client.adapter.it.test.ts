import { afterEach, describe, expect, it } from '@jest/globals';
import { createOutboundGuard, parseRanges } from '@overtone/service-kit/outbound';
import { waitFor } from '@overtone/testkit';
import { cleanUpAfterFile, stopAfterFile } from '@overtone/testkit/cleanup';
import { startLanguageModelServer } from '@overtone/testkit/language-model';
import type { ModelMessage, ModelServer } from './model-client.ts';
import { createModelClient } from './model-client.adapter.ts';

const server = await stopAfterFile(startLanguageModelServer({ key: 'good-key', contextTokens: 8_192 }));
const guard = createOutboundGuard({ allowedRanges: parseRanges('127.0.0.1/32') });
const client = createModelClient(guard);
cleanUpAfterFile(client.close);
// An answer that was scripted for a request that never arrived would meet the next test.
afterEach(server.reset);

const kinds = [
  ['openai', 'openai'],
  ['openai-compatible', 'openai'],
  ['ollama', 'ollama'],
  ['anthropic', 'anthropic'],
] as const;
const schema = {
  type: 'object',
  properties: { title: { type: 'string' } },
  required: ['title'],
  additionalProperties: false,
};

function messageOf(more: Partial<ModelMessage> = {}): ModelMessage {
  return {
    system: 'Summarise.',
    prompt: 'We met on Monday.',
    schema: null,
    maxOutputTokens: 256,
    signal: new AbortController().signal,
    ...more,
  };
}

// The contract of the port, for every protocol.
describe.each(kinds)('a language model of the kind %s', (kind, protocol) => {
  const at = (more: Partial<ModelServer> = {}): ModelServer => ({
    name: 'Test server',
    kind,
    baseUrl: server.urls[protocol],
    model: 'scripted-model',
    apiKey: 'good-key',
    contextTokens: 8_192,
    // The tests of the limit have their own, shorter ones.
    timeoutSeconds: 60,
    ...more,
  });
  const last = () => server.calls.at(-1)!;

  it('receives instructions, prompt and limit separately, and returns text with used tokens', async () => {
    server.script('A meeting on Monday.');
    const reply = await client.send(at(), messageOf());
    expect(reply).toEqual({ text: 'A meeting on Monday.', inputTokens: last().tokens, outputTokens: 7 });
    expect(last()).toMatchObject({
      protocol,
      system: 'Summarise.',
      prompt: 'We met on Monday.',
      maxOutputTokens: 256,
      schema: null,
      key: 'good-key',
      contextTokens: kind === 'ollama' ? 8_192 : null,
    });
    expect(last().body['tools']).toBeUndefined();
  });

  it('reports the text while it is written', async () => {
    server.script({ reaction: 'answer', text: 'x'.repeat(100), pieceMs: 1 });
    const lengths: number[] = [];
    await client.send(at(), messageOf({ onText: (text) => void lengths.push(text.length) }));
    expect(lengths.length).toBeGreaterThan(2);
    expect(lengths.at(-1)).toBe(100);
  });

  it('receives the schema of a structured answer, and no tool', async () => {
    server.script({ title: 'Monday' });
    const reply = await client.send(at(), messageOf({ schema }));
    expect(JSON.parse(reply.text)).toEqual({ title: 'Monday' });
    expect(last().schema).toMatchObject({ properties: { title: { type: 'string' } } });
    expect(last().body['tools']).toBeUndefined();
  });

  it.each([
    [401, 'provider_refused_key'],
    [403, 'provider_refused_key'],
    [404, 'provider_model_unknown'],
    [400, 'provider_refused_request'],
    [500, 'provider_unreachable'],
    [529, 'provider_unreachable'],
  ])('fails with status %i as %s', async (status, code) => {
    server.script({ reaction: 'refuse', status });
    await expect(client.send(at(), messageOf())).rejects.toMatchObject({ code });
  });

  it('names a wrong key and a wrong model', async () => {
    await expect(client.send(at({ apiKey: 'wrong' }), messageOf())).rejects.toMatchObject({
      code: 'provider_refused_key',
    });
    await expect(client.send(at({ model: 'unknown' }), messageOf())).rejects.toMatchObject({
      code: 'provider_model_unknown',
    });
  });

  it('returns how long a rate limit lasts', async () => {
    server.script({ reaction: 'refuse', status: 429, retryAfterSeconds: 7 });
    await expect(client.send(at(), messageOf())).rejects.toMatchObject({
      code: 'provider_rate_limited',
      retryAfterSeconds: 7,
    });
  });

  it('ends a request of a server that stalls in the middle of its answer', async () => {
    server.script({ reaction: 'stall', text: 'never ends', characters: 5 });
    const before = server.calls.length;
    await expect(client.send(at({ timeoutSeconds: 0.3 }), messageOf())).rejects.toMatchObject({
      code: 'provider_timeout',
    });
    // None on a busy machine, where the limit passes before the request arrives.
    await waitFor(() => server.calls.slice(before).every(({ aborted }) => aborted));
  });

  it('does not end a request that is slow and keeps sending', async () => {
    // Longer in all than the limit, each pause far below it: this process may stall under load.
    server.script({ reaction: 'answer', text: 'y'.repeat(240), pieceMs: 500 });
    const reply = await client.send(at({ timeoutSeconds: 4 }), messageOf());
    expect(reply.text).toHaveLength(240);
  });

  it('ends the request when the caller aborts, with the reason of the caller', async () => {
    server.script({ reaction: 'stall', text: 'never ends', characters: 5 });
    const reason = new Error('the job was lost');
    const aborter = new AbortController();
    const sending = client.send(at(), messageOf({ signal: aborter.signal, onText: () => aborter.abort(reason) }));
    await expect(sending).rejects.toBe(reason);
    await waitFor(() => last().aborted || undefined);
  });

  it('reports a connection that breaks', async () => {
    server.script({ reaction: 'disconnect' });
    await expect(client.send(at(), messageOf())).rejects.toMatchObject({ code: 'provider_unreachable' });
  });

  it('stops reading an answer that is far longer than requested', async () => {
    server.script({ reaction: 'huge', bytes: 10_000_000 });
    await expect(client.send(at(), messageOf())).rejects.toMatchObject({ code: 'provider_answer_invalid' });
    await waitFor(() => last().aborted || undefined);
  });

  it('lists models and reads the context window', async () => {
    const signal = new AbortController().signal;
    const models = await client.listModels(at(), signal);
    expect(models.map(({ id }) => id)).toEqual(['scripted-model']);
    expect(await client.readContextTokens(at(), signal)).toBe(8_192);
    await expect(client.listModels(at({ apiKey: 'wrong' }), signal)).rejects.toMatchObject({
      code: 'provider_refused_key',
    });
  });

  it('contacts no private address that is not allowed', async () => {
    const trap = await startLanguageModelServer({ host: '127.0.0.2' });
    try {
      const trapped = at({ baseUrl: trap.urls[protocol] });
      await expect(client.send(trapped, messageOf())).rejects.toMatchObject({ code: 'provider_unreachable' });
      expect(trap.calls).toEqual([]);
    } finally {
      await trap.stop();
    }
  });
});
