import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

const answer = JSON.stringify({
  text: 'good morning',
  language: 'english',
  words: [
    { word: 'good', start: 0.1, end: 0.4 },
    { word: 'morning', start: 0.4, end: 0.9 },
  ],
});

type Received = { path: string | undefined; key: string | undefined; form: FormData };
export type SpeechServer = Awaited<ReturnType<typeof startSpeechServer>>;

/**
 * A server with the OpenAI transcription API: it lists its models, and recognises the same words in every recording.
 * @param status of the answers to transcriptions
 */
export async function startSpeechServer(status = 200) {
  const received: Received[] = [];
  let held: Promise<void> | undefined;
  const respond = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(part as Buffer);
    if (request.method === 'GET') return void response.writeHead(200).end('{}');
    const headers = { 'content-type': request.headers['content-type'] ?? '' };
    const form = await new Response(Buffer.concat(parts), { headers }).formData();
    received.push({ path: request.url, key: request.headers.authorization, form });
    await held;
    response.writeHead(status, { 'content-type': 'application/json' }).end(answer);
  };
  const server = createServer((request, response) => void respond(request, response));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    server,
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    received,
    /** Answers no transcription. @returns what answers them. */
    hold: (): (() => void) => {
      const { promise, resolve } = Promise.withResolvers<void>();
      held = promise;
      return resolve;
    },
    close: (): void => {
      server.closeAllConnections();
      server.close();
    },
  };
}
