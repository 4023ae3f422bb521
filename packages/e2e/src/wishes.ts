import assert from 'node:assert/strict';

/** What somebody asks for while something hangs, and how they are told. */
export type Wish = {
  what: string;
  ask: () => Promise<{ status: number; body: unknown }>;
  status: number;
  /** Of a refusal; any of them. */
  code?: string | readonly string[];
};

/**
 * Asks for all of it at once. An answer in the words of a service proves that it did not wait for ever: the edge gives
 * up after two minutes, in words of its own.
 */
export const assertTold = async (wishes: readonly Wish[], say: (line: string) => void): Promise<void> => {
  const told = wishes.map(async ({ what, ask, status, code }) => {
    const from = performance.now();
    const { status: said, body } = await ask();
    const refusal = said < 400 ? undefined : (body as { code?: string } | undefined)?.code;
    const codes: readonly unknown[] = [code].flat();
    assert.deepEqual([said, codes.includes(refusal) ? code : refusal], [status, code], what);
    return `${what}: ${[status, refusal].filter(Boolean).join(' ')} after ${((performance.now() - from) / 1000).toFixed(1)} s`;
  });
  for (const line of await Promise.all(told)) say(line);
};
