import { EventEmitter } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { describe, expect, it } from '@jest/globals';
import type { AppError } from '@overtone/service-kit';
import { bodyStream } from './request-body.ts';

const limits = { maxBytes: 1_000_000, minBytes: 1, windowMs: 60_000 };
/** More than is handed on before the service takes some of it. */
const much = Buffer.alloc(200_000);

function coming(complete: boolean) {
  return Object.assign(new Readable({ read: () => {} }), { complete }) as unknown as IncomingMessage;
}

function answer() {
  return new EventEmitter() as unknown as ServerResponse;
}

function closed(stream: Readable): Promise<unknown> {
  return new Promise((resolve) => stream.once('close', resolve));
}

describe('the body of a request', () => {
  it.each([true, false])(
    'is given up when the request goes before it was taken (all of it had come: %s)',
    async (all) => {
      const req = coming(all);
      const body = bodyStream(req, answer(), limits, () => {});
      const errors: unknown[] = [];
      body.on('error', (error) => errors.push(error));
      const over = closed(body);
      for (const piece of [much, much, null]) req.push(piece);
      await new Promise((resolve) => req.once('pause', resolve));
      req.destroy();
      await over;
      // A service that responded early misses nothing; one that waits for the rest must learn it.
      expect(errors).toHaveLength(all ? 0 : 1);
    },
  );

  it('is given up when the answer is out before it was taken', async () => {
    const req = coming(true);
    const res = answer();
    const body = bodyStream(req, res, limits, () => {});
    for (const piece of [much, much, null]) req.push(piece);
    await new Promise((resolve) => req.once('pause', resolve));
    const over = closed(body);
    res.emit('close');
    await over;
  });

  it.each([true, false])(
    'is destroyed without an unhandled error when the client left before it was opened (whole body arrived: %s)',
    async (complete) => {
      const req = coming(complete);
      req.destroy();
      await closed(req);
      const refused: AppError[] = [];
      // No reader, and no listener for errors: no service has taken the request yet.
      await closed(bodyStream(req, answer(), limits, (refusal) => void refused.push(refusal)));
      expect(refused.map((refusal) => refusal.code)).toEqual(complete ? [] : ['request_aborted']);
    },
  );

  it('is read to its end when the request ends and it was not forwarded yet', async () => {
    const req = coming(true);
    const body = bodyStream(req, answer(), limits, () => {});
    req.push('all of it');
    req.push(null);
    await closed(req);
    let came = '';
    for await (const chunk of body) came += String(chunk);
    expect(came).toBe('all of it');
  });
});
