import assert from 'node:assert/strict';
import type { UpdatedContext } from './context.ts';
import type { Suite } from './suite.ts';
import { createUpdates, type Updates } from './updates.ts';

/** Every way in which an update ends, under the load of the specification: `./overtone test update`. */
export function updating(context: UpdatedContext): Suite {
  const updates = createUpdates(context, { perSecond: 50, files: 3 });
  const { limitMs, run, underLoad, killedAt, version, instance, releases } = updates;
  return {
    name: 'Update',
    checks: [
      firstRelease(updates),
      {
        rule: 'a killed update and its repetition lose no request and no job',
        limitMs,
        run: async (log) =>
          await underLoad(log, async () => {
            const args = ['update', '--version', `v${releases().next}`];
            await killedAt('the supervisor is replaced', args);
            const { code, output } = await run(args);
            assert.equal(code, 0, output);
            assert.equal(await version(), releases().next);
          }),
      },
      {
        rule: 'an update whose service is never ready replaces nothing',
        limitMs,
        run: async (log) =>
          await underLoad(log, async () => {
            const before = (await instance().status()).services.map(({ pid }) => pid);
            const { code, output } = await run(['update', '--version', releases().failing]);
            assert.equal(code, 1, output);
            assert.match(output, /Nothing was replaced: search-indexer was not ready/);
            assert.deepEqual(
              (await instance().status()).services.map(({ pid }) => pid),
              before,
            );
          }),
      },
      {
        rule: 'an update that fails after it replaced services goes back automatically',
        limitMs,
        run: async (log) =>
          await underLoad(log, async () => {
            const { breaking, next } = releases();
            const { code, output } = await run(['update', '--version', breaking]);
            assert.equal(code, 1, output);
            assert.match(output, new RegExp(`${breaking} could not take over; ${next} runs again`));
            assert.equal(await version(), next);
          }),
      },
      rollback(updates),
      {
        rule: 'an update of a stopped instance is taken at its next start',
        limitMs,
        run: async () => {
          await instance().down();
          const { code, output } = await run(['update', '--version', releases().next]);
          assert.equal(code, 0, output);
          const started = await instance().up();
          assert.equal(started.code, 0, started.output);
          assert.equal(await version(), releases().next);
        },
      },
    ],
    close: updates.close,
  };
}

/** One update and its rollback with a few requests a second; part of the default run. */
export function updatingOnce(context: UpdatedContext): Suite {
  const updates = createUpdates(context, { perSecond: 5, files: 1 });
  const { limitMs, run, underLoad, version, pinned, releases } = updates;
  return {
    name: 'One update',
    checks: [
      firstRelease(updates),
      {
        rule: 'an update loses no request and no job',
        limitMs,
        run: async (log) =>
          await underLoad(log, async () => {
            const { code, output } = await run(['update', '--version', `v${releases().next}`]);
            assert.equal(code, 0, output);
            assert.deepEqual([await version(), await pinned()], [releases().next, releases().next]);
          }),
      },
      rollback(updates),
    ],
    close: updates.close,
  };
}

function firstRelease({ limitMs, start, pinned, releases }: Updates): Suite['checks'][number] {
  return {
    rule: 'a fresh installation of a release is pinned to it and finishes recordings',
    limitMs,
    run: async () => {
      await start();
      assert.equal(await pinned(), releases().first);
    },
  };
}

function rollback({ limitMs, run, underLoad, version, pinned, releases }: Updates): Suite['checks'][number] {
  return {
    rule: 'a rollback loses no request and no job',
    limitMs,
    run: async (log) =>
      await underLoad(log, async () => {
        const { code, output } = await run(['update', '--rollback']);
        assert.equal(code, 0, output);
        assert.deepEqual([await version(), await pinned()], [releases().first, releases().first]);
      }),
  };
}
