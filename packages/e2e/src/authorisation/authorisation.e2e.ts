import assert from 'node:assert/strict';
import type { Context } from '../context.ts';
import type { Suite } from '../suite.ts';
import { createMatrix } from './matrix.ts';

/** Sends a request to every documented route with every role, for the caller's own resources and those of others. */
export function authorisation({ instance }: Context): Suite {
  const matrix = createMatrix(instance);
  const check = async (target: 'gateway' | 'service', log: (figure: string) => void): Promise<void> => {
    const { requestCount, wrong } = await matrix.run(target);
    assert.deepEqual(wrong, []);
    assert.ok(requestCount > 500, `only ${requestCount} cases`);
    log(`${requestCount} cases`);
  };
  return {
    name: 'Authorisation',
    checks: [
      {
        rule: 'every route responds to every role as the table defines, for own and other resources',
        limitMs: 300_000,
        run: (log) => check('gateway', log),
      },
      {
        rule: 'every service makes the same decision without the gateway',
        limitMs: 300_000,
        run: (log) => check('service', log),
      },
    ],
    close: () => matrix.close(),
  };
}
