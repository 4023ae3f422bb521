import { randomUUID } from 'node:crypto';
import { expect, it } from '@jest/globals';
import { randomFrom, testSeed } from '@overtone/testkit/seed';
import { versionOf, type SpeakerIndex, type VoiceRow } from '../src/ports/speaker-index.ts';

/** The contract of every `SpeakerIndex` adapter; the index is empty at first. */
export function speakerContract(open: () => SpeakerIndex): void {
  it('has no rows before a version is written', async () => {
    const index = open();
    expect(await index.read('v4', [randomUUID()])).toEqual([]);
    expect([...(await index.countByFile('v4'))]).toEqual([]);
  });

  it('replaces the speakers of a file and keeps those of others', async () => {
    const index = open();
    const [fileId, other] = [randomUUID(), randomUUID()];
    const [first, second, third, kept] = [rowOf(fileId), rowOf(fileId), rowOf(fileId), rowOf(other)];
    await index.replaceFile('v3', fileId, [first, second]);
    await index.replaceFile('v3', other, [kept]);
    await index.replaceFile('v3', fileId, [second, third]);
    const found = await index.read(
      'v3',
      [first, second, third, kept].map(({ speakerId }) => speakerId),
    );
    expect(new Set(found.map(({ speakerId }) => speakerId))).toEqual(
      new Set([second, third, kept].map(({ speakerId }) => speakerId)),
    );
    expect(found.find(({ speakerId }) => speakerId === kept.speakerId)).toEqual(kept);
    const counts = await index.countByFile('v3');
    expect([counts.get(fileId), counts.get(other)]).toEqual([2, 1]);
    await index.replaceFile('v3', fileId, []);
    expect((await index.countByFile('v3')).has(fileId)).toBe(false);
  });

  it('keeps the versions apart, and refuses a vector of another dimension', async () => {
    const index = open();
    const fileId = randomUUID();
    const row = rowOf(fileId, 'v4');
    await index.replaceFile('v4', fileId, [row]);
    expect(await index.read('v3', [row.speakerId])).toEqual([]);
    await expect(index.replaceFile('v4', fileId, [rowOf(fileId, 'v4', 512)])).rejects.toThrow();
  });

  it('drops one version, and creates it again without rows', async () => {
    const index = open();
    const fileId = randomUUID();
    await index.replaceFile('v3', fileId, [rowOf(fileId)]);
    await index.replaceFile('v4', fileId, [rowOf(fileId, 'v4')]);
    await index.drop('v4');
    expect([...(await index.countByFile('v4'))]).toEqual([]);
    await index.replaceFile('v4', fileId, [rowOf(fileId, 'v4')]);
    await index.create('v4');
    expect([...(await index.countByFile('v4'))]).toEqual([]);
    expect((await index.countByFile('v3')).size).toBeGreaterThan(0);
  });
}

const random = randomFrom(testSeed);

function rowOf(fileId: string, version: 'v3' | 'v4' = 'v3', dimension = versionOf(version).dimension): VoiceRow {
  const vector = new Float32Array(dimension);
  vector[random(dimension)] = 1;
  return { speakerId: randomUUID(), fileId, seconds: 12, vector };
}
