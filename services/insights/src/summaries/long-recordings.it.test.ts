import { afterEach, describe, expect, it } from '@jest/globals';
import { waitFor } from '@overtone/testkit';
import { stopAfterFile } from '@overtone/testkit/cleanup';
import { startLanguageModelServer } from '@overtone/testkit/language-model';
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
    const recording = recordings.add(speech(600));
    let refusedAt = 0;
    server.answer((call) => {
      if (refusedAt > 0 || numbersIn(server.calls).length < 100) return answerShortly(call);
      refusedAt = Date.now();
      return { reaction: 'refuse', status: 429, retryAfterSeconds: 4 };
    });
    await order(recording);
    await until(recording, (current) => current.status === 'completed');
    const later = server.calls.filter(({ at }) => at > refusedAt + 300);
    expect(Math.min(...later.map(({ at }) => at)) - refusedAt).toBeGreaterThanOrEqual(3_900);
    const refused = server.calls.find(({ at }) => Math.abs(at - refusedAt) < 100);
    expect(refused).toBeDefined();
    expect(new Set(numbersIn(server.calls)).size).toBe(600);
    expect((await read(recording)).coverage.gaps).toEqual([]);
  });
});
