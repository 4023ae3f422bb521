import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { describe, expect, it } from '@jest/globals';
import type { Dispatcher } from 'undici';
import { createForward } from './forward.ts';

type Try = (handler: Required<Dispatcher.DispatchHandler>) => void;
const controller = { abort: () => {} } as unknown as Dispatcher.DispatchController;
const broken = new Error('the connection is lost');
const answers: Try = (handler) => {
  handler.onRequestStart(controller, undefined);
  handler.onResponseStart(controller, 200, {}, 'OK');
  handler.onResponseEnd(controller, {});
};
const takesNone: Try = (handler) => handler.onResponseError(controller, broken);
const breaks: Try = (handler) => {
  handler.onRequestStart(controller, undefined);
  handler.onResponseError(controller, broken);
};

/** Hands a request on to a service that behaves so, try after try. @returns the headers of every try. */
async function handOn(tries: Try[]): Promise<unknown[]> {
  const seen: unknown[] = [];
  const dispatch = ({ headers }: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler): boolean => {
    seen.push(headers);
    tries[seen.length - 1]?.(handler as Required<Dispatcher.DispatchHandler>);
    return true;
  };
  let made = 0;
  await createForward({ seen: () => {}, pause: async () => true })({
    pool: { dispatch } as Dispatcher,
    healthProbe: { track: () => () => true },
    service: 'media',
    method: 'GET',
    target: '/api/files',
    headers: () => ['x-try', String((made += 1))],
    body: null,
    res: new ServerResponse(new IncomingMessage(new Socket())),
    always: [],
    cookies: false,
  });
  return seen;
}

describe('a request that is handed on', () => {
  it.each<[string, Try[]]>([
    ['had to wait for its service', [takesNone, takesNone, answers]],
    ['lost its connection', [breaks, breaks, answers]],
  ])('signs a new assertion of the caller when it %s', async (_what, tries) => {
    expect(await handOn(tries)).toEqual([
      ['x-try', '1'],
      ['x-try', '2'],
      ['x-try', '3'],
    ]);
  });
});
