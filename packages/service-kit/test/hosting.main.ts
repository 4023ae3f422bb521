import { EventEmitter } from 'node:events';
import { routesOf } from '@overtone/contracts';
import { z } from 'zod';
import { busEnv, createService, createServiceBase, handle, readEnv, runServices, serviceEnv } from '../src/index.ts';

// A process of two services, for what only the end of a process shows. TROUBLE: one that cannot be created.
const names = ['media', 'identity'] as const;
const environments = readEnv({ MEDIA: z.string(), IDENTITY: z.string() });
const ofMedia = JSON.parse(environments.MEDIA) as Record<string, string>;
const ofIdentity = JSON.parse(environments.IDENTITY) as Record<string, string>;
const faults: Record<string, () => unknown> = {
  exception: () => setTimeout(() => new EventEmitter().emit('error', new TypeError('a fault of ours')), 1),
  rejection: () => void Promise.reject(new Error('a fault of ours')),
};

await runServices(
  names.map((name) => ({
    name,
    create: () => {
      const own = name === 'media' ? ofMedia : ofIdentity;
      if (own['TROUBLE'] === 'create') throw new Error('no such variable');
      const route = routesOf(name)('GET', '/api/there', 'public', {
        summary: 'Whether it is there',
        answer: z.object({ there: z.boolean() }),
      });
      const answer = handle(route, async ({ req }) => {
        const { fault } = req.query;
        if (typeof fault === 'string') faults[fault]?.();
        return { there: true };
      });
      return createService({
        ...createServiceBase(name, readEnv({ ...serviceEnv, ...busEnv }, own)),
        slices: [{ routes: [answer] }],
      });
    },
  })),
);
