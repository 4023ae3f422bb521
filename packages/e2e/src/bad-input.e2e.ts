import assert from 'node:assert/strict';
import { badInput } from './bad-input.ts';
import { signIn } from './client.ts';
import type { Context } from './context.ts';
import { admin } from './instance.ts';
import { signInAsOther } from './people.ts';
import type { Suite } from './runner.ts';

export const badInputs = ({ instance }: Context): Suite => ({
  name: 'Bad input to every route of the API',
  checks: [
    {
      rule: 'nothing of it is accepted, nothing ends in a 5xx, every refusal is a problem with a code',
      limitMs: 180_000,
      run: async () => {
        const caller = await signIn(instance.baseUrl, admin.email, admin.password);
        const other = await signInAsOther(instance, 'nobody-special@example.org');
        const { sent, routes, faults } = await badInput({
          baseUrl: instance.baseUrl,
          tokens: { user: other.token, admin: caller.token },
        });
        assert.ok(routes > 40 && sent > routes * 5, `only ${sent} requests to ${routes} routes`);
        assert.deepEqual(faults, []);
      },
    },
  ],
});
