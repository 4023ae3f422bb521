import { encodeFilter, type Filter } from '../filter/filter.ts';
import { element, integer, tags, truth } from './ber.ts';
import { operations } from './messages.ts';

/** A search request. */
export type SearchRequest = {
  readonly base: string;
  readonly scope: 'base' | 'one' | 'sub';
  readonly filter: Filter;
  readonly attributes: readonly string[];
  /** Size limit sent to the server; the connection is closed when the server sends far more entries. */
  readonly maxEntries: number;
  readonly page?: { readonly size: number; readonly cookie: Buffer };
};

export const controlTypes = {
  paging: '1.2.840.113556.1.4.319',
  passwordPolicy: '1.3.6.1.4.1.42.2.27.8.5.1',
} as const;

const startTls = '1.3.6.1.4.1.1466.20037';
const scopes = { base: 0, one: 1, sub: 2 } as const;
const neverDereferenceAliases = 0;

/** The message of a request (RFC 4511, 4.1.1). */
export function encodeMessage(id: number, operation: Buffer, controls: readonly Buffer[] = []): Buffer {
  return element(tags.sequence, integer(id), operation, ...(controls.length === 0 ? [] : [element(0xa0, ...controls)]));
}

/** A simple bind with the request for the password policy response. */
export function encodeBind(id: number, dn: string, password: string): Buffer {
  const bind = element(operations.bindRequest, integer(3), octets(dn), element(0x80, Buffer.from(password)));
  return encodeMessage(id, bind, [element(tags.sequence, octets(controlTypes.passwordPolicy))]);
}

export function encodeSearch(id: number, request: SearchRequest, timeLimitSeconds: number): Buffer {
  const { base, scope, filter, attributes, maxEntries, page } = request;
  const search = element(
    operations.searchRequest,
    octets(base),
    integer(scopes[scope], tags.enumerated),
    integer(neverDereferenceAliases, tags.enumerated),
    integer(page === undefined ? maxEntries : 0),
    integer(timeLimitSeconds),
    truth(false),
    encodeFilter(filter),
    element(tags.sequence, ...attributes.map(octets)),
  );
  return encodeMessage(id, search, page === undefined ? [] : [encodePage(page)]);
}

export function encodeStartTls(id: number): Buffer {
  return encodeMessage(id, element(operations.extendedRequest, element(0x80, Buffer.from(startTls))));
}

export function encodeUnbind(id: number): Buffer {
  return encodeMessage(id, element(operations.unbindRequest));
}

// Critical: a server that does not support paging must refuse the search instead of truncating its result.
function encodePage({ size, cookie }: { size: number; cookie: Buffer }): Buffer {
  const value = element(tags.sequence, integer(size), element(tags.octets, cookie));
  return element(tags.sequence, octets(controlTypes.paging), truth(true), element(tags.octets, value));
}

function octets(text: string): Buffer {
  return element(tags.octets, Buffer.from(text));
}
