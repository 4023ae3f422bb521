import assert from 'node:assert/strict';
import type { Context } from '../context.ts';
import type { Suite } from '../runner.ts';
import { createMatrix } from './matrix.ts';
import { table } from './table.ts';

/** Every route of the running system's own description, asked by every role about one's own things and others'. */
export const authorisation = ({ instance }: Context): Suite => {
  const matrix = createMatrix(instance);
  const check = async (
    way: 'through the gateway' | 'past the gateway',
    say: (figure: string) => void,
  ): Promise<void> => {
    const { asked, wrong } = await matrix.run(way);
    assert.deepEqual(wrong, []);
    assert.ok(asked > 500, `only ${asked} cases`);
    say(`${asked} cases`);
  };
  return {
    name: 'Who may do what',
    checks: [
      {
        rule: 'every route of the API says in the table who may use it, and the table has no other routes',
        run: async () => {
          const routes = await matrix.routes();
          assert.deepEqual(
            routes.filter((r) => !(r in table)),
            [],
            'routes without an entry',
          );
          assert.deepEqual(
            Object.keys(table).filter((r) => !routes.includes(r)),
            [],
            'entries without a route',
          );
        },
      },
      {
        rule: 'every route answers every role about things of one’s own and of others as the table says',
        limitMs: 300_000,
        run: (say) => check('through the gateway', say),
      },
      {
        rule: 'a service behind the gateway decides the same by itself',
        limitMs: 300_000,
        run: (say) => check('past the gateway', say),
      },
    ],
    close: () => matrix.close(),
  };
};
