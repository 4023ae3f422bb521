const headEnd = Buffer.from('\r\n\r\n');
/** "Service restart" (RFC 6455, 7.4.1, as IANA has registered it): the client comes back. */
export const restartFrame = Buffer.from([0x88, 0x02, 1012 >> 8, 1012 & 0xff]);

/**
 * Follows what a server sends on a WebSocket, handshake first, without keeping any of it: a word of ours may only be put
 * in where one of its frames has ended (RFC 6455, 5.2; a server does not mask).
 */
export function createFrameEnds() {
  let inHandshake = true;
  let matched = 0;
  let head: number[] = [];
  let bodyLeft = 0;

  const handshake = (chunk: Buffer): number => {
    for (let at = 0; at < chunk.length; at += 1) {
      matched = chunk[at] === headEnd[matched] ? matched + 1 : chunk[at] === headEnd[0] ? 1 : 0;
      if (matched < headEnd.length) continue;
      inHandshake = false;
      return at + 1;
    }
    return chunk.length;
  };

  return {
    push: (chunk: Buffer): void => {
      let at = inHandshake ? handshake(chunk) : 0;
      while (at < chunk.length) {
        const taken = Math.min(bodyLeft, chunk.length - at);
        bodyLeft -= taken;
        at += taken;
        if (at === chunk.length) return;
        head.push(chunk[at] as number);
        at += 1;
        if (head.length < 2 || head.length < headSize(head)) continue;
        bodyLeft = bodySize(head);
        head = [];
      }
    },
    /** Whether the next byte would begin a frame. */
    between: (): boolean => !inHandshake && head.length === 0 && bodyLeft === 0,
  };
}

/** Bytes of a frame's head, from as many of them as are known. */
function headSize(head: readonly number[]): number {
  const length = (head[1] ?? 0) & 0x7f;
  return 2 + (length === 126 ? 2 : length === 127 ? 8 : 0);
}

function bodySize(head: readonly number[]): number {
  return head.length === 2 ? (head[1] ?? 0) & 0x7f : head.slice(2).reduce((size, byte) => size * 256 + byte, 0);
}
