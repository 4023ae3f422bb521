import { buffer } from 'node:stream/consumers';
import { PutObjectCommand } from '@aws-sdk/client-s3';
import { describe, expect, it } from '@jest/globals';
import { cleanUpAfterFile, stopAfterFile } from '@overtone/testkit/cleanup';
import { startS3 } from '@overtone/testkit/s3';
import { createClient } from './s3-client.ts';
import { createWatchedBucket, type WatchedObject } from './watched-bucket.ts';

const server = await stopAfterFile(startS3());
const options = {
  endpoint: server.url,
  bucket: server.bucket,
  region: 'us-east-1',
  accessKeyId: server.accessKeyId,
  secretAccessKey: server.secretAccessKey,
};
const client = createClient({ ...options, answerWithinMs: 10_000 });
const bucket = createWatchedBucket(options);
cleanUpAfterFile(async () => {
  bucket.close();
  client.destroy();
});
const signal = new AbortController().signal;

function put(key: string, body: string) {
  return client.send(new PutObjectCommand({ Bucket: server.bucket, Key: key, Body: body }));
}

async function list(prefix: string): Promise<WatchedObject[]> {
  const found: WatchedObject[] = [];
  for await (const object of bucket.list(prefix, signal)) found.push(object);
  return found;
}

describe('a bucket that others fill', () => {
  it.each(['plain.wav', 'Größe & Straße (2).wav', 'a b/c+d=e%20f.wav', '会议.wav'])(
    'lists, reads and removes an object with the key %j',
    async (name) => {
      await put(`in/${name}`, `content of ${name}`);
      const object = (await list('in/')).find(({ key }) => key === `in/${name}`);
      expect(object).toMatchObject({ bytes: Buffer.byteLength(`content of ${name}`) });
      const opened = await bucket.open(`in/${name}`, signal);
      expect((await buffer(opened.stream)).toString()).toBe(`content of ${name}`);
      expect(opened.etag).toBe(object?.etag);
      expect(await bucket.etagOf(`in/${name}`)).toBe(object?.etag);
      await bucket.remove(`in/${name}`);
      expect(await bucket.etagOf(`in/${name}`)).toBeUndefined();
      expect((await list('in/')).map(({ key }) => key)).toEqual([]);
    },
  );

  // The test server does not decode `&` and `+` in the header of a copy.
  it.each(['plain.wav', 'Größe (2).wav', '会议.wav'])('copies an object with the key %j', async (name) => {
    await put(`from/${name}`, `content of ${name}`);
    await bucket.copy(`from/${name}`, `to/${name}`);
    const copied = await bucket.open(`to/${name}`, signal);
    expect((await buffer(copied.stream)).toString()).toBe(`content of ${name}`);
  });

  it('passes the error of the server on for a bucket that is missing', async () => {
    const missing = createWatchedBucket({ ...options, bucket: 'no-such-bucket' });
    const listed = missing.list('', signal)[Symbol.asyncIterator]().next();
    await expect(listed).rejects.toMatchObject({ name: 'NoSuchBucket' });
    missing.close();
  });

  it('resolves host names with the given function only', async () => {
    const endpoint = server.url.replace('127.0.0.1', 'bucket.invalid');
    const asked: string[] = [];
    const named = createWatchedBucket({
      ...options,
      endpoint,
      lookup: (hostname, { all }, callback) => {
        asked.push(hostname);
        if (all) callback(null, [{ address: '127.0.0.1', family: 4 }]);
        else callback(null, '127.0.0.1', 4);
      },
    });
    // The test server takes the host name for a bucket.
    expect(await named.etagOf('named/a.wav')).toBeUndefined();
    expect(new Set(asked)).toEqual(new Set(['bucket.invalid']));
    named.close();
  });
});
