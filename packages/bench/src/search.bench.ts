import type { Bench } from './bench.ts';

/** Measured inside the service; loaded on demand, because it imports the search engine. */
export const searchBench: Bench = {
  name: 'search',
  about: 'hybrid search over 100,000 passages inside the service, compared with LanceDB alone',
  run: async function* ({ size, folder }) {
    // A search by the bare engine makes it write several warnings.
    process.env['LANCEDB_LOG'] ??= 'error';
    const bench = await import('@overtone/search-indexer/bench');
    yield* bench.measureSearch({ size, folder });
  },
};
