import assert from 'node:assert/strict';

/** What somebody asks for while something hangs, and how they are told. */
export type Wish = {
  what: string;
  ask: () => Promise<{ status: number; body: unknown }>;
  status: number;
  /** Of a refusal. */
  code?: string;
};

/** What the edge says itself, after three seconds, when it has forgotten who is asking and cannot find out. */
const forgotten = 'Sessions cannot be checked at the moment';

/**
 * Asks for all of it at once. An answer in the words of a service proves that it did not wait for ever: the edge gives
 * up after two minutes, in words of its own.
 */
export const assertTold = async (wishes: readonly Wish[], say: (line: string) => void): Promise<void> => {
  const told = wishes.map(async ({ what, ask, status, code }) => {
    const from = performance.now();
    const { status: said, body } = await ask();
    const problem = said < 400 ? undefined : (body as { code?: string; detail?: string } | undefined);
    const refusal = problem?.code;
    if (code !== 'database_unavailable' || problem?.detail !== forgotten)
      assert.deepEqual([said, refusal], [status, code], what);
    return `${what}: ${[status, refusal].filter(Boolean).join(' ')} after ${((performance.now() - from) / 1000).toFixed(1)} s`;
  });
  for (const line of await Promise.all(told)) say(line);
};
