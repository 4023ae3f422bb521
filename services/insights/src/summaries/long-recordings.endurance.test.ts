import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from '@jest/globals';
import { freePort, waitFor } from '@overtone/testkit';
import { stopAfterFile } from '@overtone/testkit/cleanup';
import { startLanguageModelServer } from '@overtone/testkit/language-model';
import { speech } from '../../test/recordings.ts';
import { answerShortly, createSummaryClient, linesOf, numbersIn, sections, speechOf } from '../../test/summaries.ts';
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

it('a recording of ten hours reaches the model completely, every passage once, never more tokens than the window', async () => {
  const hours = 10;
  await useModel(server);
  const recording = recordings.add(speechOf(hours));
  await order(recording);
  await until(recording, (current) => current.status === 'completed');
  expect(numbersIn(server.calls)).toEqual([...recording.segments.keys()]);
  expect(Math.max(...server.calls.map((call) => call.tokens + (call.maxOutputTokens ?? 0)))).toBeLessThanOrEqual(
    window,
  );
  expect(server.highestConcurrency()).toBeLessThanOrEqual(6);
  const summary = await read(recording);
  expect(summary.coverage).toEqual({ segments: hours * 720, covered_segments: hours * 720, gaps: [] });
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
