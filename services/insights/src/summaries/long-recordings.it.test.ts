import { afterEach, describe, expect, it } from '@jest/globals';
import { waitFor } from '@overtone/testkit';
import { stopAfterFile } from '@overtone/testkit/cleanup';
import { startLanguageModelServer, type ModelCall } from '@overtone/testkit/language-model';
import { speech } from '../../test/recordings.ts';
import { answerShortly, createSummaryClient, numbersIn, speechOf } from '../../test/summaries.ts';
import { startWorld } from '../../test/world.ts';

const window = 4_096;
const server = await stopAfterFile(startLanguageModelServer({ contextTokens: window, answer: answerShortly }));
const world = await startWorld();
const { recordings, order, read, until, useModel } = createSummaryClient(world);

afterEach(async () => {
  server.reset();
  server.answer(answerShortly);
  await world.sql('delete from insight_summary');
  await world.sql('delete from llm_provider');
});

describe('a long recording with a window of 4,096 tokens', () => {
  // Ten hours: long-recordings.endurance.test.ts.
  const hours = 1;

  it.each(['openai-compatible', 'ollama', 'anthropic'] as const)(
    'reaches %s completely, every passage once, at most six requests at a time, never more tokens than the window',
    async (kind) => {
      server.answer(async (call) => {
        await waitFor(() => server.highestConcurrency() > 1);
        return answerShortly(call);
      });
      const base = {
        'openai-compatible': server.urls.openai,
        ollama: server.urls.ollama,
        anthropic: server.urls.anthropic,
      };
      await useModel(server, { kind, base_url: base[kind], api_key: kind === 'anthropic' ? 'key' : null });
      const recording = recordings.add(speechOf(hours));
      await order(recording);
      await until(recording, (current) => current.status === 'completed');
      expect(numbersIn(server.calls)).toEqual([...recording.segments.keys()]);
      expect(server.calls.every(({ seen, prompt }) => seen === prompt)).toBe(true);
      expect(Math.max(...server.calls.map((call) => call.tokens + (call.maxOutputTokens ?? 0)))).toBeLessThanOrEqual(
        window,
      );
      expect(server.highestConcurrency()).toBeLessThanOrEqual(6);
      expect(server.highestConcurrency()).toBeGreaterThan(1);
      const summary = await read(recording);
      expect(summary.coverage).toEqual({ segments: hours * 720, covered_segments: hours * 720, gaps: [] });
      expect(summary.summary.topics.length).toBeGreaterThan(0);
      if (kind === 'ollama') expect(server.calls.every(({ contextTokens }) => contextTokens === window)).toBe(true);
    },
  );

  it('is not repeated after a 429, and nothing is sent before Retry-After', async () => {
    await useModel(server);
    // Of so many sections most are still to be sent when one is refused.
    const recording = recordings.add(speech(2_400));
    const storedPause = async () =>
      (await world.sql(`select 1 from llm_provider where pause_code = 'provider_rate_limited'`))[0];
    let refusal: { call: ModelCall; stored: Promise<unknown> } | undefined;
    server.answer(async (call) => {
      // Until the refusal is stored no place becomes free, so that only the requests sent already arrive after it.
      if (refusal) await refusal.stored;
      if (refusal || numbersIn(server.calls).length < 100) return answerShortly(call);
      refusal = { call, stored: waitFor(storedPause) };
      return { reaction: 'refuse', status: 429, retryAfterSeconds: 4 };
    });
    await order(recording);
    await until(recording, (current) => current.status === 'completed');
    const refused = refusal!.call;
    const after = server.calls.slice(server.calls.indexOf(refused) + 1);
    // The other five of the six requests that a file may have at once.
    expect(after.filter(({ at }) => at - refused.at < 3_900).length).toBeLessThanOrEqual(5);
    const again = after.filter(({ prompt }) => prompt === refused.prompt);
    expect(again).toHaveLength(1);
    expect(again[0]!.at - refused.at).toBeGreaterThanOrEqual(3_900);
    expect(new Set(numbersIn(server.calls)).size).toBe(2_400);
    expect((await read(recording)).coverage.gaps).toEqual([]);
  });
});
