import type { PushMessage } from '@overtone/contracts';

/**
 * A text frame from server to client (RFC 6455, 5.2): final, unmasked, not compressed. It is encoded once and written
 * to every socket; encoding it per socket would dominate the cost of a broadcast.
 */
export function textFrame(text: string): Buffer {
  const length = Buffer.byteLength(text);
  const head = length < 126 ? 2 : length < 65_536 ? 4 : 10;
  const frame = Buffer.allocUnsafe(head + length);
  frame[0] = 0x81;
  if (head === 2) frame[1] = length;
  else if (head === 4) {
    frame[1] = 126;
    frame.writeUInt16BE(length, 2);
  } else {
    frame[1] = 127;
    frame.writeBigUInt64BE(BigInt(length), 2);
  }
  frame.write(text, head);
  return frame;
}

/** A message with its encoding for each protocol, each encoded at most once. */
export type Outgoing = {
  readonly message: PushMessage;
  readonly text: string;
  /** For plain WebSockets. */
  readonly frame: () => Buffer;
  /** For socket.io: an EVENT packet of its protocol (version 5), and the frame that carries it over a WebSocket. */
  readonly packet: () => { text: string; frame: Buffer };
};

function once<T>(make: () => T): () => T {
  let made: T | undefined;
  return () => (made ??= make());
}

export function outgoing(message: PushMessage): Outgoing {
  const text = JSON.stringify(message);
  return {
    message,
    text,
    frame: once(() => textFrame(text)),
    packet: once(() => {
      const packet = `2["${message.type}",${text}]`;
      return { text: packet, frame: textFrame(`4${packet}`) };
    }),
  };
}
