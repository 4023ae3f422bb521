import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { countScriptedTokens, type ModelAnswer, type ModelCall, type Reaction } from './language-model-calls.ts';
import type { Generation, ProtocolCodec } from './language-model-protocols.ts';

const pieceLength = 24;

export function toReaction(answer: ModelAnswer): Reaction {
  if (typeof answer === 'string') return { reaction: 'answer', text: answer };
  if ('reaction' in answer) return answer;
  return { reaction: 'answer', text: JSON.stringify(answer) };
}

type Exchange = { response: ServerResponse; codec: ProtocolCodec; call: ModelCall };

/** Answers a request as scripted. */
export async function react({ response, codec, call, reaction }: Exchange & { reaction: Reaction }): Promise<void> {
  switch (reaction.reaction) {
    case 'refuse': {
      const { status, message = `scripted ${status}`, retryAfterSeconds } = reaction;
      return sendError(response, codec, { status, message, retryAfterSeconds });
    }
    case 'disconnect':
      return void response.destroy();
    case 'truncate':
      return await send(
        { response, codec, call },
        { text: reaction.text.slice(0, reaction.characters), finish: 'length' },
      );
    case 'stall':
      return await send(
        { response, codec, call },
        { text: reaction.text.slice(0, reaction.characters), isStalled: true },
      );
    case 'broken-json':
      return await send({ response, codec, call }, { text: '{"brief": "an answer that en' });
    case 'huge':
      return await send(
        { response, codec, call },
        { text: 'huge '.repeat(Math.ceil(reaction.bytes / 5)), pieceLength: 65_536 },
      );
    case 'answer': {
      if (reaction.delayMs !== undefined) await sleep(reaction.delayMs);
      return await send({ response, codec, call }, { text: reaction.text, pieceMs: reaction.pieceMs });
    }
  }
}

type Sent = {
  text: string;
  finish?: Generation['finish'];
  isStalled?: boolean;
  pieceMs?: number | undefined;
  pieceLength?: number;
};

async function send({ response, codec, call }: Exchange, sent: Sent): Promise<void> {
  const { text, finish = 'stop', isStalled = false, pieceMs = 0, pieceLength: length = pieceLength } = sent;
  const generation: Generation = {
    model: call.model,
    text,
    finish,
    inputTokens: countScriptedTokens(call.system) + countScriptedTokens(call.seen),
    outputTokens: countScriptedTokens(text),
  };
  if (!call.stream) {
    if (isStalled) return void response.writeHead(200, { 'content-type': 'application/json' }).write('{');
    return sendJson(response, 200, codec.whole(generation));
  }
  const { begin, piece, end } = codec.streamed(generation);
  response.writeHead(200, { 'content-type': codec.contentType });
  response.write(begin);
  for (let offset = 0; offset < text.length && !response.destroyed; offset += length) {
    if (!response.write(piece(text.slice(offset, offset + length))))
      await Promise.race([once(response, 'drain'), once(response, 'close')]);
    if (pieceMs > 0) await sleep(pieceMs);
  }
  if (!isStalled) response.end(end);
}

export function sendJson(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}

type Refusal = { status: number; message: string; retryAfterSeconds?: number | undefined };

/** An error as the protocol writes it. */
export function sendError(
  response: ServerResponse,
  codec: ProtocolCodec,
  { status, message, retryAfterSeconds }: Refusal,
): void {
  if (retryAfterSeconds !== undefined) response.setHeader('retry-after', String(retryAfterSeconds));
  sendJson(response, status, codec.error(status, message));
}
