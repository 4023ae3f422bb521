import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { waitFor } from '@overtone/testkit';
import { cleanUpAfterTest } from '@overtone/testkit/cleanup';
import { childEnvironment } from '../env.ts';
import { ChildCrash } from './protocol.ts';
import { createTaskChildren, type LiveChildOptions, type TaskChildOptions } from './task-child.ts';

type Answer = { pid: number; loads: number; hoarded: number };

function childrenOf(more: Partial<TaskChildOptions>, live?: () => LiveChildOptions) {
  const script = new URL('../../test/counting.child.ts', import.meta.url);
  const common = { script, env: childEnvironment(), heapMb: 64, idleMs: 60_000, recycleAfter: 1_000 };
  const children = createTaskChildren({ ...common, ...more }, live);
  cleanUpAfterTest(() => children.close());
  const run = (input: object, signal?: AbortSignal) =>
    children.run({ input, timeoutMs: 120_000, signal }) as Promise<Answer>;
  return { run, runFor: (input: object, timeoutMs: number) => children.run({ input, timeoutMs }) };
}
function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

function gone(pid: number): Promise<unknown> {
  return waitFor(() => !isAlive(pid));
}

describe('a child after its number of tasks', () => {
  it('is replaced, and its memory is released', async () => {
    const { run } = childrenOf({ recycleAfter: 3 });
    const answers: Answer[] = [];
    for (let i = 0; i < 7; i++) answers.push(await run({ hoardMb: 8 }));
    const pids = answers.map((answer) => answer.pid);
    expect(new Set(pids.slice(0, 3)).size).toBe(1);
    expect(new Set(pids.slice(3, 6)).size).toBe(1);
    expect(new Set(pids).size).toBe(3);
    const eight = 8 << 20;
    expect(answers.map((answer) => answer.hoarded / eight)).toEqual([1, 2, 3, 1, 2, 3, 1]);
    await gone(pids[0] as number);
    await gone(pids[3] as number);
    expect(isAlive(pids[6] as number)).toBe(true);
  });

  it('finishes its running tasks while its successor takes new ones', async () => {
    const { run } = childrenOf({ recycleAfter: 2, tasksAtOnce: 2 });
    const folder = await mkdtemp(join(tmpdir(), 'children-'));
    const gate = join(folder, 'open');
    const held = [run({ until: gate }), run({ until: gate })];
    const next = await run({});
    await writeFile(gate, '');
    const answers = await Promise.all(held);
    const [first] = answers.map((answer) => answer.pid);
    expect(answers.map((answer) => answer.pid)).toEqual([first, first]);
    expect(next.pid).not.toBe(first);
    await gone(first as number);
    expect(isAlive(next.pid)).toBe(true);
    await rm(folder, { recursive: true });
  });

  it('is replaced after a failed task, too', async () => {
    const { run } = childrenOf({ recycleAfter: 2 });
    const { pid } = await run({});
    await expect(run({ refuse: true })).rejects.toThrow('refused');
    expect((await run({})).pid).not.toBe(pid);
  });
});

describe('options that change while a child runs', () => {
  it('apply to the next task: another number of tasks, and another environment in a new child', async () => {
    let live: LiveChildOptions = {};
    const { run } = childrenOf({}, () => live);
    const { pid } = await run({});
    expect((await run({})).pid).toBe(pid);
    live = { recycleAfter: 2 };
    const second = await run({});
    expect(second.pid).not.toBe(pid);
    live = { env: { ...childEnvironment(), UV_THREADPOOL_SIZE: '9' } };
    expect((await run({})).pid).not.toBe(second.pid);
  });
});

describe('prefork', () => {
  it('runs concurrent tasks in separate processes, each with its own model', async () => {
    const { run } = childrenOf({ tasksAtOnce: 1 });
    const answers = await Promise.all([run({ load: 'model' }), run({ load: 'model' }), run({ load: 'model' })]);
    expect(new Set(answers.map((answer) => answer.pid)).size).toBe(3);
    expect(answers.map((answer) => answer.loads)).toEqual([1, 1, 1]);
  });

  it('runs the next task in a process with a loaded model', async () => {
    const { run } = childrenOf({});
    const first = await run({ load: 'model' });
    expect(await run({ load: 'model' })).toEqual(first);
  });
});

describe('threads', () => {
  it('runs concurrent tasks in one process with a shared model', async () => {
    const { run } = childrenOf({ tasksAtOnce: 3 });
    const answers = await Promise.all([run({ load: 'model' }), run({ load: 'model' }), run({ load: 'model' })]);
    expect(new Set(answers.map((answer) => answer.pid)).size).toBe(1);
    expect(answers.map((answer) => answer.loads)).toEqual([1, 1, 1]);
  });

  it('starts another process only when the first is full', async () => {
    const { run } = childrenOf({ tasksAtOnce: 2 });
    const answers = await Promise.all([run({}), run({}), run({})]);
    expect(answers[0]?.pid).toBe(answers[1]?.pid);
    expect(answers[2]?.pid).not.toBe(answers[0]?.pid);
  });

  it('cancels one task without affecting the others', async () => {
    const { run } = childrenOf({ tasksAtOnce: 2 });
    const stop = new AbortController();
    const unwanted = run({ until: 'cancelled' }, stop.signal);
    const other = await run({ load: 'model' });
    const third = run({ until: 'cancelled' });
    stop.abort(new Error('no longer wanted'));
    await expect(unwanted).rejects.toThrow('no longer wanted');
    // The child confirmed the cancellation: there is a free slot next to the third task.
    await waitFor(async () => (await run({})).pid === other.pid);
    third.catch(() => undefined);
  });

  it('fails all tasks of a crashed process, so that each is retried', async () => {
    const { run } = childrenOf({ tasksAtOnce: 2 });
    const other = run({ until: 'cancelled' }).catch((err: unknown) => err);
    const crashing = run({ crash: true }).catch((err: unknown) => err);
    for (const error of await Promise.all([other, crashing])) expect(error).toBeInstanceOf(ChildCrash);
    expect((await run({})).loads).toBe(0);
  });
});

describe('a task child', () => {
  it('is killed when its only task is cancelled', async () => {
    const { run } = childrenOf({});
    const { pid } = await run({});
    const stop = new AbortController();
    const unwanted = run({ until: 'cancelled' }, stop.signal);
    stop.abort(new Error('no longer wanted'));
    await expect(unwanted).rejects.toThrow('no longer wanted');
    await gone(pid);
  });

  it('is killed after its timeout, with a timeout error', async () => {
    const { runFor } = childrenOf({});
    const error: unknown = await runFor({ until: 'cancelled' }, 500).catch((err: unknown) => err);
    expect(error).toMatchObject({ timedOut: true, message: 'the child process ran out of time' });
  });

  it('ends after its idle time', async () => {
    const { run } = childrenOf({ idleMs: 50 });
    await gone((await run({})).pid);
  });
});
