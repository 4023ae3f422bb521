import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from '@jest/globals';
import { freePort, waitFor } from '@overtone/testkit';
import { stopAfterFile } from '@overtone/testkit/cleanup';
import { startLanguageModelServer, type ModelCall } from '@overtone/testkit/language-model';
import { speech } from '../../test/recordings.ts';
import { answerShortly, createSummaryClient, isCombining, linesOf } from '../../test/summaries.ts';
import { startWorld } from '../../test/world.ts';

const window = 4_096;
const server = await stopAfterFile(startLanguageModelServer({ contextTokens: window, answer: answerShortly }));
const world = await startWorld();
const { recordings, order, read, until, useModel } = createSummaryClient(world);

/** A passage of about thirteen words every five seconds. */
function speechOf(hours: number) {
  return speech(
    hours * 720,
    (i) => `we agreed that item ${i} of the plan is moved to the next quarter, Anna will report`,
  );
}

function sections(calls: readonly ModelCall[]): ModelCall[] {
  return calls.filter((call) => !isCombining(call));
}

function numbersIn(calls: readonly ModelCall[]): number[] {
  return sections(calls)
    .flatMap((call) => linesOf(call).map(({ number }) => number))
    .toSorted((left, right) => left - right);
}

afterEach(async () => {
  server.reset();
  server.answer(answerShortly);
  await world.sql('delete from insight_summary');
  await world.sql('delete from llm_provider');
});

describe('a long recording with a window of 4,096 tokens', () => {
  it.each([
    ['openai-compatible', 10],
    ['ollama', 2],
    ['anthropic', 2],
  ] as const)(
    'reaches %s completely (%i hours), every passage once, at most six requests at a time, never more tokens than the window',
    async (kind, hours) => {
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

describe('a process that is killed', () => {
  it('leaves its summaries to another one, which repeats no finished section', async () => {
    const [api, internal] = [await freePort(), await freePort()];
    const child = spawn(process.execPath, ['--no-warnings', join(import.meta.dirname, '../main.ts')], {
      env: { ...world.environment, API_PORT: String(api), INTERNAL_PORT: String(internal) },
      stdio: ['ignore', 'ignore', 'inherit'],
    });
    await waitFor(async () => (await fetch(`http://127.0.0.1:${internal}/health/ready`)).ok);
    await useModel(server, { max_parallel: 64 });
    // Later answers are held until the kill, so that it interrupts requests of both processes.
    let release = (): void => {};
    const killed = new Promise<void>((resolve) => (release = resolve));
    let heldCount = 0;
    server.answer(async (call) => {
      if (server.calls.length > 20) {
        heldCount += 1;
        await killed;
      }
      return answerShortly(call);
    });
    // More than one process works on at a time.
    const all = Array.from({ length: 7 }, (_, at) =>
      recordings.add(speech(900, (i) => `recording ${at} has passage ${i} about the plan of the next quarter`)),
    );
    await Promise.all(all.map((recording) => order(recording)));
    // One process has at most four recordings with four sections each in progress.
    await waitFor(() => heldCount > 16);
    child.kill('SIGKILL');
    await once(child, 'exit');
    const killedAt = Date.now();
    release();
    // A scripted section cites its first passage.
    const finished = await world.sql<{ uuid: string }>(
      `select result #>> '{brief,0,segments,0,uuid}' as uuid from insight_section`,
    );
    const finishedFirsts = new Set(finished.map(({ uuid }) => uuid));
    await Promise.all(all.map((recording) => until(recording, (current) => current.status === 'completed')));
    expect(finishedFirsts.size).toBeGreaterThan(7);
    expect(server.calls.some(({ aborted, at }) => aborted && at <= killedAt)).toBe(true);
    for (const [at, recording] of all.entries()) {
      const own = sections(server.calls).filter(({ prompt }) => prompt.includes(`recording ${at} has`));
      const firsts = own.map((call) => ({ at: call.at, uuid: recording.segments[linesOf(call)[0]!.number]!.uuid }));
      expect(firsts.filter((first) => first.at > killedAt && finishedFirsts.has(first.uuid))).toEqual([]);
      // What was in progress is sent again, at most four sections of a recording.
      expect(own.length - new Set(firsts.map(({ uuid }) => uuid)).size).toBeLessThanOrEqual(4);
      expect(new Set(numbersIn(own))).toEqual(new Set(recording.segments.keys()));
      expect((await read(recording)).coverage).toMatchObject({ covered_segments: 900, gaps: [] });
    }
  });
});
