import { createHash } from 'node:crypto';
import { S3Client } from '@aws-sdk/client-s3';
import { withoutSilence } from './silence.ts';

/**
 * How to reach a bucket. `maxAttempts` counts the first try at what failed at once. A server that is silent for
 * `answerWithinMs` has failed for good: between the bytes of a request, and until the first of its answer.
 */
export type S3Options = {
  endpoint: string;
  bucket: string;
  region: string;
  accessKeyId: string;
  secretAccessKey: string;
  maxAttempts?: number;
  answerWithinMs?: number;
};

/** No request that goes on is cut off by this; a bound of some kind is kept for one that nobody thought of. */
const longestMs = 3_600_000;

/** The SDK's client, as every S3 server understands it. */
export const createClient = (options: S3Options & { answerWithinMs: number }): S3Client => {
  const client = new S3Client({
    endpoint: options.endpoint,
    region: options.region,
    credentials: { accessKeyId: options.accessKeyId, secretAccessKey: options.secretAccessKey },
    forcePathStyle: true,
    maxAttempts: options.maxAttempts ?? 3,
    // Several servers store the SDK's default trailing checksum as part of the object, or refuse it.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    requestHandler: {
      connectionTimeout: 2_000,
      requestTimeout: longestMs,
      // Without it the SDK only prints a warning, and waits for ever.
      throwOnRequestTimeout: true,
      // Nobody stands in line behind those who wait for a server that hangs.
      httpAgent: { maxSockets: Infinity },
      httpsAgent: { maxSockets: Infinity },
    },
  });
  const { requestHandler } = client.config;
  requestHandler.handle = withoutSilence(requestHandler.handle.bind(requestHandler), options.answerWithinMs);
  // DeleteObjects needs an integrity header; Content-MD5 is the one that every server knows.
  client.middlewareStack.add(
    (next, context) => (args) => {
      const request = args.request as { headers: Record<string, string>; body?: string };
      if (context.commandName === 'DeleteObjectsCommand') {
        for (const name of Object.keys(request.headers)) {
          if (/^x-amz-(checksum-|sdk-checksum)/i.test(name)) delete request.headers[name];
        }
        request.headers['content-md5'] = createHash('md5')
          .update(request.body ?? '')
          .digest('base64');
      }
      return next(args);
    },
    { step: 'build', priority: 'low', name: 'deleteObjectsContentMd5' },
  );
  return client;
};
