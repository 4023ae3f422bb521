import type { Bench } from './bench.ts';

/** Measured inside the service, where its parts are; loaded only when it is asked for, because it brings the engine along. */
export const searchBench: Bench = {
  name: 'search',
  about: 'hybrid search over 100,000 passages inside the service, beside LanceDB alone',
  run: async function* ({ size, folder }) {
    const bench = await import('@overtone/search-indexer/bench');
    yield* await bench.measureSearch({ size, folder });
  },
};
