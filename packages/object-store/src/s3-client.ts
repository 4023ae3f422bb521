import { createHash } from 'node:crypto';
import type { LookupFunction } from 'node:net';
import { S3Client } from '@aws-sdk/client-s3';
import { withoutSilence } from './silence.ts';

/**
 * How to reach a bucket. `maxAttempts` counts the first attempt and applies to immediate failures. A server that sends
 * nothing for `answerWithinMs` has failed permanently: between the bytes of a request, and until the first byte of its
 * response.
 */
export type S3Options = {
  endpoint: string;
  bucket: string;
  region: string;
  accessKeyId: string;
  secretAccessKey: string;
  maxAttempts?: number;
  answerWithinMs?: number;
  /** Resolves host names; the system's resolver otherwise. */
  lookup?: LookupFunction;
};

/** Limits no request that makes progress; an upper bound for all other cases. */
const longestMs = 3_600_000;

/** Creates an SDK client with the settings that every S3 server supports. */
export function createClient(options: S3Options & { answerWithinMs: number }): S3Client {
  const agent = { maxSockets: Infinity, ...(options.lookup ? { lookup: options.lookup } : {}) };
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
      // Without it the SDK only prints a warning, and waits forever.
      throwOnRequestTimeout: true,
      // A new request does not queue behind requests that wait for an unresponsive server.
      httpAgent: agent,
      httpsAgent: agent,
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
}
