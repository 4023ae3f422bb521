import { routesOf } from '@overtone/contracts';
import { EventEmitter } from 'node:events';
import { connect } from 'node:net';
import { z } from 'zod';
import { busEnv, createService, createServiceBase, handle, readEnv, runService, serviceEnv } from '../src/index.ts';

// A service with one route, as a process of its own: for what only the end of a process shows.
const env = readEnv({ ...serviceEnv, ...busEnv });
const route = routesOf('media')('GET', '/api/there', 'public', {
  summary: 'Whether it is there',
  answer: z.object({ there: z.boolean() }),
});
/** Faults that no code handles, as a client of the process can cause them. */
const faults: Record<string, () => unknown> = {
  exception: () => setImmediate(() => new EventEmitter().emit('error', new TypeError('a fault of ours'))),
  rejection: () => void Promise.reject(new Error('a fault of ours')),
  socket: () => connect({ port: 1, host: '127.0.0.1' }),
};
await runService(
  createService({
    ...createServiceBase('media', env),
    slices: [
      {
        routes: [
          handle(route, async ({ req }) => {
            const { fault } = req.query;
            if (typeof fault === 'string') faults[fault]?.();
            return { there: true };
          }),
        ],
      },
    ],
  }),
);
