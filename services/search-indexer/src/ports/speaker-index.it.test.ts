import { afterAll, beforeAll, describe } from '@jest/globals';
import { createFolder } from '@overtone/testkit/cleanup';
import { startSearchServer } from '@overtone/testkit/elasticsearch';
import { speakerContract } from '../../test/speaker-contract.ts';
import { createElasticSpeakers } from './elasticsearch-speakers.adapter.ts';
import { createLanceSpeakers } from './lancedb-speakers.adapter.ts';
import type { SpeakerIndex } from './speaker-index.ts';

const backends: Record<string, () => Promise<SpeakerIndex & { end?: () => Promise<void> }>> = {
  LanceDB: async () => createLanceSpeakers({ directory: await createFolder() }),
  'a search server': async () => {
    const server = await startSearchServer();
    const options = { url: server.url, prefix: 'test', shards: 1, replicas: 0 };
    return { ...createElasticSpeakers(options), end: server.stop };
  },
};

describe.each(Object.keys(backends))('the speaker index in %s', (name) => {
  let index: Awaited<ReturnType<NonNullable<(typeof backends)[string]>>>;
  beforeAll(async () => {
    index = await backends[name]!();
  });
  afterAll(async () => {
    await index.close();
    await index.end?.();
  });

  speakerContract(() => index);
});
