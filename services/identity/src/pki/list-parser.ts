import { headerBytes, readElement, tags } from './der.ts';
import { readRevocationList, type RevocationList } from './revocation-list.ts';

export type ListLimits = { bytes: number; lists: number };
/** A million entries with reason codes take some 50 MB. */
export const listLimits: ListLimits = { bytes: 128 * 1024 * 1024, lists: 16 };

type Decoder = { push: (bytes: Buffer) => void; end: () => void };
/** The lists of a text or file, one after the other. */
type Output = { begin: () => void; push: (der: Buffer) => void; end: () => void };

/** Parses all lists of a PEM text, or one list in DER, in parts of any size. */
export function createListParser(limits: ListLimits = listLimits) {
  const lists: RevocationList[] = [];
  let buffer: ReturnType<typeof createListBuffer> | undefined;
  let decoder: Decoder | undefined;
  const output: Output = {
    begin: () => {
      if (lists.length >= limits.lists) throw new Error(`there are more than ${limits.lists} lists`);
      buffer = createListBuffer(limits.bytes);
    },
    push: (der) => buffer?.push(der),
    end: () => {
      if (buffer) lists.push(readRevocationList(buffer.end()));
    },
  };
  return {
    /** @throws Error: the bytes are not a revocation list. */
    push: (chunk: Uint8Array): void => {
      if (chunk.length === 0) return;
      const bytes = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.length);
      decoder ??= bytes[0] === tags.sequence ? createDerDecoder(output) : createPemDecoder(output);
      decoder.push(bytes);
    },
    /** @throws Error: the bytes are not a revocation list. */
    end: (): RevocationList[] => {
      decoder?.end();
      if (lists.length === 0) throw new Error('there is no revocation list');
      return lists;
    },
  };
}

/** Parses complete lists. @throws Error */
export function parseLists(bytes: Uint8Array): RevocationList[] {
  const parser = createListParser();
  parser.push(bytes);
  return parser.end();
}

/** Collects one list in DER: its header states its length. */
function createListBuffer(maxBytes: number) {
  let head = Buffer.alloc(0);
  let list: Buffer<ArrayBuffer> | undefined;
  let filled = 0;
  return {
    push: (chunk: Buffer): void => {
      if (!list) {
        head = Buffer.concat([head, chunk]);
        if (head.length < headerBytes) return;
        const { end } = readElement(head, 0, Infinity);
        if (end > maxBytes) throw new Error(`the list is longer than ${maxBytes} bytes`);
        list = Buffer.from(new ArrayBuffer(end));
      }
      const rest = filled === 0 ? head : chunk;
      if (filled + rest.length > list.length) throw new Error('bytes follow the list');
      filled += rest.copy(list, filled);
    },
    end: (): Buffer<ArrayBuffer> => {
      if (!list || filled < list.length) throw new Error('the list ends too early');
      return list;
    },
  };
}

function createDerDecoder({ begin, push, end }: Output): Decoder {
  begin();
  return { push, end };
}

const pemBegin = '-----BEGIN X509 CRL-----';
const pemEnd = '-----END X509 CRL-----';

function createPemDecoder({ begin, push, end }: Output): Decoder {
  let text = '';
  let isInBlock = false;

  const findBlock = (): boolean => {
    const at = text.indexOf(pemBegin);
    isInBlock = at >= 0;
    text = isInBlock ? text.slice(at + pemBegin.length) : text.slice(-pemBegin.length);
    if (isInBlock) begin();
    return isInBlock;
  };
  /** Decodes the text that has arrived. @returns whether it contains the end of the block. */
  const decodeBlock = (): boolean => {
    const dash = text.indexOf('-');
    const base64 = (dash < 0 ? text : text.slice(0, dash)).replaceAll(/\s+/g, '');
    const usable = dash < 0 ? base64.length - (base64.length % 4) : base64.length;
    push(decodeBase64(base64.slice(0, usable)));
    text = base64.slice(usable) + (dash < 0 ? '' : text.slice(dash));
    if (dash < 0 || text.length < pemEnd.length) return false;
    if (!text.startsWith(pemEnd)) throw new Error('the PEM text does not end');
    text = text.slice(pemEnd.length);
    isInBlock = false;
    end();
    return true;
  };

  return {
    push: (bytes) => {
      text += bytes.toString('latin1');
      while (isInBlock ? decodeBlock() : findBlock());
    },
    end: () => {
      if (isInBlock) throw new Error('the PEM text does not end');
    },
  };
}

function decodeBase64(text: string): Buffer {
  if (!/^[A-Za-z0-9+/]*={0,2}$/.test(text)) throw new Error('the PEM text is no base64');
  return Buffer.from(text, 'base64');
}
