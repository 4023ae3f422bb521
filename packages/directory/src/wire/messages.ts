import { Malformed, Reader, tags } from './ber.ts';
import { receive, type Entry } from './entry.ts';

/** The supported operations. */
export const operations = {
  bindRequest: 0x60,
  bindResponse: 0x61,
  unbindRequest: 0x42,
  searchRequest: 0x63,
  searchEntry: 0x64,
  searchDone: 0x65,
  searchReference: 0x73,
  extendedRequest: 0x77,
  extendedResponse: 0x78,
} as const;

/** The result of an operation. */
export type Result = {
  readonly code: number;
  /** The server's diagnostic message, for an administrator. */
  readonly diagnostic: string;
  readonly controls: ReadonlyMap<string, Buffer>;
};

/** One message: its id, its operation and a reader of its content. */
export type Message = {
  readonly id: number;
  readonly operation: number;
  readonly body: Reader;
  readonly rest: Reader;
};

/** @throws Malformed */
export function readMessage(bytes: Buffer): Message {
  const message = new Reader(bytes).inside(tags.sequence);
  const id = message.integer();
  if (id < 0) throw new Malformed('A negative message number.');
  const operation = message.next();
  return { id, operation: operation.tag, body: new Reader(bytes, operation), rest: message };
}

/** @throws Malformed */
export function readResult({ body, rest }: Message): Result {
  const code = body.integer(tags.enumerated);
  body.octets(); // the matched DN
  const diagnostic = body.text();
  return { code, diagnostic: printable(diagnostic), controls: readControls(rest) };
}

/** @throws Malformed */
export function readEntry({ body }: Message): Entry {
  return receive(body.octets(), body.octets(tags.sequence));
}

function readControls(rest: Reader): Map<string, Buffer> {
  const controls = new Map<string, Buffer>();
  if (rest.peek() !== 0xa0) return controls;
  for (const list = rest.inside(0xa0); !list.done;) {
    const control = list.inside(tags.sequence);
    const oid = control.text();
    if (control.peek() === tags.boolean) control.next();
    controls.set(oid, control.done ? Buffer.alloc(0) : control.octets());
  }
  return controls;
}

/** Sanitizes external text for logs and pages: one line, no control characters, limited length. */
export function printable(text: string): string {
  return text
    .replace(/[\p{C}\p{Zl}\p{Zp}]+/gu, ' ')
    .trim()
    .slice(0, 300);
}
