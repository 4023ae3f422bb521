import { randomUUID } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import {
  mediaEvents,
  mediaVoiceEvents,
  mediaVoiceRpc,
  voiceRpc,
  type SpeakerIndexAnswer,
  type VoiceVersion,
} from '@overtone/contracts';
import { waitFor } from '@overtone/testkit';
import { stopAfterFile } from '@overtone/testkit/cleanup';
import { startWorld } from '../../test/world.ts';

const all: VoiceVersion[] = ['v3', 'v4', 'v5'];
const withoutModel: VoiceVersion[] = ['v3', 'v4'];

/** A new installation with voices switched on and some recordings; the test is the worker. */
async function startNew(recordings: number) {
  const world = await stopAfterFile(startWorld());
  const files = Array.from({ length: recordings }, () => ({ fileId: randomUUID(), ownerId: randomUUID() }));
  const speakerId = randomUUID();
  const media = await world.connectAs('media');
  media.serve(mediaVoiceRpc.voiceSource, async ({ fileId }) => ({
    file: {
      source: `files/${fileId}`,
      fingerprint: fileId,
      speakers: [{ speakerId, spans: [[0, 10] as [number, number]] }],
    },
  }));
  media.serve(mediaVoiceRpc.listVoiceFiles, async ({ after }) => ({
    enabled: true,
    files: after === null ? files : [],
  }));
  await media.nc().flush();
  const worker = await world.connectAs('transcription-worker');
  const status = async () =>
    (await world.call('/api/search/speaker-index', { role: 'admin' })).body as SpeakerIndexAnswer;
  await world.emit(mediaVoiceEvents.allowedChanged, { allowed: true });
  await waitFor(async () => (await status()).waiting_files === recordings || undefined);
  return {
    files,
    claim: (file: { fileId: string } | undefined, computable?: VoiceVersion[]) =>
      worker.request(voiceRpc.claimVoices, { fileId: file!.fileId, ...(computable ? { computable } : {}) }),
    complete: async (file: { fileId: string } | undefined, token: number, version: VoiceVersion, dimension: number) => {
      const vector = new Float32Array(dimension);
      vector[0] = 1;
      const vectors = { [version]: Buffer.from(vector.buffer).toString('base64') };
      const voices = [{ speakerId, seconds: 10, vectors }];
      return await worker.request(voiceRpc.completeVoices, {
        fileId: file!.fileId,
        token,
        voices,
        versions: [version],
      });
    },
    add: (fileId: string) =>
      world.emit(mediaEvents.transcriptStored, {
        fileId,
        ownerId: randomUUID(),
        runId: randomUUID(),
        transcriptVersion: 1,
        provisional: false,
      }),
    status,
    states: async () => Object.fromEntries((await status()).versions.map(({ name, state }) => [name, state])),
  };
}

describe('the speaker index of a new installation', () => {
  it('starts on the newest version whose model a worker has, without a migration', async () => {
    const index = await startNew(3);
    const [first, second, third] = index.files;
    const claimed = await index.claim(first, all);
    expect(claimed).toMatchObject({ outcome: 'claimed', versions: ['v5'] });
    expect(await index.states()).toEqual({ v3: 'absent', v4: 'absent', v5: 'current' });
    if (claimed.outcome === 'claimed')
      expect(await index.complete(first, claimed.token, 'v5', 192)).toEqual({ outcome: 'accepted' });
    // A worker without the model computes no older version instead.
    expect(await index.claim(second, withoutModel)).toMatchObject({ versions: ['v5'] });
    expect(await index.claim(third, all)).toMatchObject({ versions: ['v5'] });
    const added = randomUUID();
    await index.add(added);
    await waitFor(async () => (await index.status()).waiting_files === 3 || undefined);
    expect(await index.status()).toMatchObject({ migration: null });
    expect(await index.claim({ fileId: added }, all)).toMatchObject({ versions: ['v5'] });
  });

  it('starts on the newest version that needs no model where no worker has one', async () => {
    const index = await startNew(2);
    expect(await index.claim(index.files[0], withoutModel)).toMatchObject({ versions: ['v4'] });
    expect(await index.states()).toEqual({ v3: 'absent', v4: 'current', v5: 'absent' });
    // One voice is being computed: from now on only a migration changes the version.
    expect(await index.claim(index.files[1], all)).toMatchObject({ versions: ['v4'] });
  });

  it('stays on a version that has embeddings', async () => {
    const index = await startNew(2);
    const [first, second] = index.files;
    const claimed = await index.claim(first);
    expect(claimed).toMatchObject({ versions: ['v3'] });
    if (claimed.outcome === 'claimed') await index.complete(first, claimed.token, 'v3', 512);
    expect(await index.claim(second, all)).toMatchObject({ versions: ['v3'] });
    expect(await index.states()).toEqual({ v3: 'current', v4: 'absent', v5: 'absent' });
  });
});
