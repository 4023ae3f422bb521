import { existsSync } from 'node:fs';
import { rename } from 'node:fs/promises';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { describe, expect, it } from '@jest/globals';
import { createObjectStore } from '@overtone/object-store';
import { cleanUpAfterFile, stopAfterFile } from '@overtone/testkit/cleanup';
import { startS3 } from '@overtone/testkit/s3';
import { newUser, startMedia, waitFor, wav, type Media } from '../../test/start-media.ts';

async function storageIs(media: Media, state: string): Promise<void> {
  await waitFor(async () => {
    const response = await fetch(`${media.internal}/health/ready`);
    const { checks } = (await response.json()) as { checks: Record<string, string> };
    return checks['object_storage']?.includes(state);
  });
}

/** @param empty replaces the store by an empty one; returns what brings the first one back */
async function expectNoticed(media: Media, empty: () => Promise<() => Promise<void>>): Promise<void> {
  await storageIs(media, 'ok');
  const owner = newUser();
  const recording = await media.upload(owner, wav(1));
  expect(recording.status).toBe(201);
  await storageIs(media, 'ok');
  const bringBack = await empty();
  await storageIs(media, 'storage_unavailable');
  const refused = await media.upload(owner, wav(2));
  expect([refused.status, refused.body.code]).toEqual([503, 'storage_unavailable']);
  await bringBack();
  await storageIs(media, 'ok');
  expect((await media.upload(owner, wav(2))).status).toBe(201);
  const content = await media.call(owner, 'GET', `/api/files/${recording.body.uuid}/content`);
  expect(content.status).toBe(200);
  await content.arrayBuffer();
}

describe('an empty store in place of the recordings is reported, and not taken for an empty library', () => {
  it('as a folder', async () => {
    const media = await startMedia();
    await expectNoticed(media, async () => {
      await rename(join(media.folder, 'objects'), join(media.folder, 'elsewhere'));
      return async () => {
        expect(existsSync(join(media.folder, 'objects'))).toBe(false);
        await rename(join(media.folder, 'elsewhere'), join(media.folder, 'objects'));
      };
    });
  });

  it('as a bucket', async () => {
    const server = await stopAfterFile(startS3());
    const settings = {
      S3_ENDPOINT: server.url,
      S3_BUCKET: server.bucket,
      S3_ACCESS_KEY_ID: server.accessKeyId,
      S3_SECRET_ACCESS_KEY: server.secretAccessKey,
    };
    const media = await startMedia(settings);
    const bucket = createObjectStore({ ...settings, S3_REGION: 'us-east-1' });
    cleanUpAfterFile(() => bucket.close());
    await expectNoticed(media, async () => {
      const kept = new Map<string, { content: Buffer; contentType: string }>();
      for await (const { key } of bucket.list('files/')) {
        const { stream, contentType } = await bucket.get(key);
        kept.set(key, { content: await buffer(stream), contentType });
      }
      expect(kept.size).toBeGreaterThan(0);
      for (const key of kept.keys()) await bucket.delete(key);
      return async () => {
        for (const [key, { content, contentType }] of kept) await bucket.put(key, content, { contentType });
      };
    });
  });
});
