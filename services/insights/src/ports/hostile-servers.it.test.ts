import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from '@jest/globals';
import { createOutboundGuard, parseRanges } from '@overtone/service-kit/outbound';
import { waitFor } from '@overtone/testkit';
import { cleanUpAfterFile, stopAfterFile } from '@overtone/testkit/cleanup';
import type { ModelServer } from './model-client.ts';
import { createModelClient } from './model-client.adapter.ts';

type Reaction = (response: ServerResponse, request: IncomingMessage) => void | Promise<void>;

/** A server without any protocol: every request gets the same reaction. */
async function startRawServer(host = '127.0.0.1') {
  const state: { react: Reaction; headers: IncomingMessage['headers'][]; open: number } = {
    react: (response) => void response.end(),
    headers: [],
    open: 0,
  };
  const server = createServer((request, response) => {
    state.headers.push(request.headers);
    state.open += 1;
    response.once('close', () => (state.open -= 1));
    request.resume();
    void state.react(response, request);
  });
  await once(server.listen(0, host), 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    state,
    url: `http://${host}:${port}`,
    stop: async (): Promise<void> => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

const server = await stopAfterFile(startRawServer());
const allowed = await stopAfterFile(startRawServer());
const refused = await stopAfterFile(startRawServer('127.0.0.2'));
const client = createModelClient(createOutboundGuard({ allowedRanges: parseRanges('127.0.0.1/32') }));
cleanUpAfterFile(client.close);

const kinds = ['openai', 'openai-compatible', 'ollama', 'anthropic'] as const;
const megabyte = 1_048_576;
// Once, because the limits of the requests go on while this thread compresses.
const compressed = gzipSync(Buffer.alloc(40 * megabyte, 'x'));
const { signal } = new AbortController();

function serverOf(kind: ModelServer['kind']): ModelServer {
  const base = { name: 'Test server', model: 'm', apiKey: 'secret-key', contextTokens: 8_192, timeoutSeconds: 3_600 };
  return { ...base, kind, baseUrl: server.url };
}

function requestsOf(kind: ModelServer['kind']) {
  const message = { system: 'S', prompt: 'P', schema: null, maxOutputTokens: 64, signal };
  return {
    'an answer': () => client.send(serverOf(kind), message),
    'the list of models': () => client.listModels(serverOf(kind), signal),
    'the context window': () => client.readContextTokens(serverOf(kind), signal),
  };
}

/** Writes until the reader leaves, or all is written. @returns the bytes that were accepted. */
async function writeMuch(response: ServerResponse, part: Buffer, times: number): Promise<number> {
  let written = 0;
  for (let i = 0; i < times && !response.destroyed; i += 1) {
    written += part.length;
    if (!response.write(part)) await Promise.race([once(response, 'drain'), once(response, 'close')]);
  }
  response.end();
  return written;
}

const cases = kinds.flatMap((kind) =>
  (['an answer', 'the list of models', 'the context window'] as const).map((what) => [kind, what] as const),
);

describe.each(cases)('a server of the kind %s that is asked for %s', (kind, what) => {
  const request = requestsOf(kind)[what];

  it.each([301, 302, 303, 307, 308])(
    'and redirects with %i is not followed: no key reaches another server',
    async (status) => {
      for (const target of [allowed, refused]) {
        server.state.react = (response) => void response.writeHead(status, { location: `${target.url}/v1` }).end();
        await expect(request()).rejects.toMatchObject({ code: expect.stringMatching(/^provider_/) });
        expect(target.state.headers).toEqual([]);
      }
    },
  );

  it.each([
    ['without a line break', 200, {}],
    ['as the message of a failure', 400, {}],
    ['as the message of a failure of its own', 500, {}],
    ['that is compressed', 200, { 'content-encoding': 'gzip' }],
  ])('and sends forty megabytes %s is left before', async (_, status, more) => {
    const isCompressed = 'content-encoding' in more;
    const part = Buffer.alloc(megabyte, 'x');
    let written = 0;
    server.state.react = async (response) => {
      response.writeHead(status, { 'content-type': 'text/event-stream', ...more });
      if (isCompressed) response.end(compressed);
      else written = await writeMuch(response, part, 40);
    };
    // Listings have a time limit of their own, which a slow machine reaches first; either way the rest is not read.
    const codes = what === 'an answer' ? /^provider_answer_invalid$/ : /^provider_(answer_invalid|timeout)$/;
    await expect(request()).rejects.toMatchObject({ code: expect.stringMatching(codes) });
    await waitFor(() => server.state.open === 0 || undefined);
    expect(written).toBeLessThan(36 * megabyte);
  });
});

it.each(kinds)(
  'what a server of the kind %s sends instead of its list of models is named, not quoted',
  async (kind) => {
    server.state.react = (response) =>
      void response.setHeader('content-type', 'text/html').end('<html>Secret of the router</html>');
    await expect(requestsOf(kind)['the list of models']()).rejects.toMatchObject({
      code: 'provider_answer_invalid',
      detail: 'text/html, 33 characters, instead of a list of models.',
    });
  },
);

describe('a server that sends parts without text', () => {
  it.each(['{"content":""}', '{"reasoning_content":""}', '{"role":"assistant"}'])(
    'is as silent as one that sends nothing: %s',
    async (delta) => {
      server.state.react = async (response) => {
        response.writeHead(200, { 'content-type': 'text/event-stream' });
        while (!response.destroyed) {
          response.write(
            `data: {"id":"1","object":"chat.completion.chunk","choices":[{"index":0,"delta":${delta}}]}\n\n`,
          );
          await sleep(50);
        }
      };
      const slow = { ...serverOf('openai-compatible'), timeoutSeconds: 0.5 };
      const message = {
        system: 'S',
        prompt: 'P',
        schema: null,
        maxOutputTokens: 64,
        signal: AbortSignal.timeout(60_000),
      };
      await expect(client.send(slow, message)).rejects.toMatchObject({ code: 'provider_timeout' });
    },
  );

  it('that thinks without an end is left', async () => {
    server.state.react = async (response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      const delta = JSON.stringify({ choices: [{ index: 0, delta: { reasoning_content: 'hm '.repeat(1_000) } }] });
      await writeMuch(response, Buffer.from(`data: ${delta}\n\n`), 3_000);
    };
    const message = { system: 'S', prompt: 'P', schema: null, maxOutputTokens: 64, signal };
    await expect(client.send(serverOf('openai-compatible'), message)).rejects.toMatchObject({
      code: 'provider_answer_invalid',
      detail: 'the answer is too long',
    });
    await waitFor(() => server.state.open === 0 || undefined);
  });
});
