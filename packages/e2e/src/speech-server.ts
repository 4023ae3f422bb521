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

/** A server with the OpenAI transcription API that recognises the same words in every recording. */
export type SpeechServer = Awaited<ReturnType<typeof startSpeechServer>>;

export async function startSpeechServer() {
  const received: FormData[] = [];
  const respond = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(part as Buffer);
    if (request.method === 'GET') return void response.writeHead(200).end('{}');
    const headers = { 'content-type': request.headers['content-type'] ?? '' };
    received.push(await new Response(Buffer.concat(parts), { headers }).formData());
    response.writeHead(200, { 'content-type': 'application/json' }).end(answer);
  };
  const server = createServer((request, response) => void respond(request, response));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    /** The forms of the transcriptions. */
    received,
    close: (): void => {
      server.closeAllConnections();
      server.close();
    },
  };
}
