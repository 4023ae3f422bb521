import { describe, expect, it } from '@jest/globals';
import { AppError, type ErrorCode } from '@overtone/service-kit';
import { createUploads, type UploadsDeps } from './uploads.service.ts';

/** What is deleted when a store refuses a recording so. */
const deletedAfter = async (code: ErrorCode): Promise<string[]> => {
  const deleted: string[] = [];
  const d = {
    db: { mediaFile: { findUnique: async () => null, findFirst: async () => null } },
    objects: {
      put: async () => {
        throw new AppError('unavailable', code, 'not now');
      },
      delete: async (key: string) => void deleted.push(key),
    },
    log: { warn: () => {} },
    maxBytes: 1_000,
  } as unknown as UploadsDeps;
  const recording = {
    id: 'one',
    userId: 'ada',
    filename: 'a.wav',
    declaredType: 'audio/wav',
    body: (async function* () {})(),
  };
  await expect(createUploads(d).receive({ ...recording, options: async () => ({}) })).rejects.toMatchObject({ code });
  return deleted;
};

describe('a recording that cannot be stored', () => {
  it('is removed', async () => {
    expect(await deletedAfter('storage_full')).toEqual(['files/one/original']);
  });

  it('is left to the orphans by a store that does not answer: it may hear late, when the same was stored again', async () => {
    expect(await deletedAfter('storage_unavailable')).toEqual([]);
  });
});
