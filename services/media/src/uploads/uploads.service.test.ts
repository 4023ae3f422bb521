import { describe, expect, it } from '@jest/globals';
import { AppError, type ErrorCode } from '@overtone/service-kit';
import { createUploads, type UploadsDeps } from './uploads.service.ts';

/** The keys deleted after the store rejects a recording with this error. */
async function deletedAfter(code: ErrorCode): Promise<string[]> {
  const deleted: string[] = [];
  const dependencies = {
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
  await expect(createUploads(dependencies).receive({ ...recording, options: async () => ({}) })).rejects.toMatchObject({
    code,
  });
  return deleted;
}

describe('a recording that cannot be stored', () => {
  it('is removed', async () => {
    expect(await deletedAfter('storage_full')).toEqual(['files/one/original']);
  });

  it('is left to the orphan removal by an unresponsive store, which could delete it after a new upload', async () => {
    expect(await deletedAfter('storage_unavailable')).toEqual([]);
  });
});
