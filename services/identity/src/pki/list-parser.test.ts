import { randomBytes } from 'node:crypto';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { createAuthority, type Authority } from '@overtone/testkit/certificates';
import { createListParser, parseLists } from './list-parser.ts';
import { hasSerial } from './serial-set.ts';

/** `CRL_ENTRIES=1000000` tests a list of the supported size. */
const entries = Number(process.env['CRL_ENTRIES'] ?? 100_000);

function tlv(tag: number, ...parts: Buffer[]): Buffer {
  const content = Buffer.concat(parts);
  const length = content.length < 128 ? Buffer.from([content.length]) : Buffer.alloc(5, 0x84);
  if (content.length >= 128) length.writeUInt32BE(content.length, 1);
  return Buffer.concat([Buffer.from([tag]), length, content]);
}

function hex(text: string): Buffer {
  return Buffer.from(text, 'hex');
}

const utc = tlv(0x17, Buffer.from('260101000000Z'));
const reasonCode = tlv(0x30, tlv(0x30, tlv(6, hex('551d15')), tlv(4, tlv(10, hex('01')))));
const algorithm = tlv(0x30, tlv(6, hex('2a8648ce3d040302')));

function listOf(revoked: readonly Buffer[], more: Buffer[] = []): Buffer {
  const entry = (serial: Buffer) => tlv(0x30, tlv(2, serial), utc, reasonCode);
  const head = [tlv(2, hex('01')), algorithm, tlv(0x30), utc, tlv(0x17, Buffer.from('270101000000Z'))];
  const tbs = tlv(0x30, ...head, tlv(0x30, Buffer.concat(revoked.map(entry))), ...more);
  return tlv(0x30, tbs, algorithm, tlv(3, hex('000102')));
}

function serialOf(): Buffer {
  return Buffer.concat([hex('01'), randomBytes(15)]);
}

function read(der: Buffer, chunk: number) {
  const parser = createListParser();
  for (let at = 0; at < der.length; at += chunk) parser.push(der.subarray(at, at + chunk));
  return parser.end();
}

describe('a revocation list', () => {
  it(`of ${entries} entries with reason codes is read in parts`, () => {
    const serials = Array.from({ length: entries }, serialOf);
    const [list] = read(listOf(serials), 65_536);
    expect(list?.serials.count).toBe(entries);
    const found = (serial: Buffer) => list !== undefined && hasSerial(list.serials, serial);
    expect(serials.every(found)).toBe(true);
    expect(Array.from({ length: 1_000 }, serialOf).some(found)).toBe(false);
  });

  it.each([1, 2, 3, 7, 64, 100_000])('is parsed equally in parts of %d bytes', (size) => {
    const serials = [
      hex('01'),
      hex('00ff'),
      hex('7f'),
      hex('00c0ffee00'),
      hex('fe'),
      ...Array.from({ length: 40 }, serialOf),
    ];
    const [list] = read(listOf(serials), size);
    expect(list).toMatchObject({ scope: 'full', thisUpdate: Date.UTC(2026, 0), nextUpdate: Date.UTC(2027, 0) });
    const isListed = (serial: string) => list !== undefined && hasSerial(list.serials, hex(serial));
    for (const serial of ['01', '0001', '00ff', '7f', '00c0ffee00', 'fe', 'fffe']) expect(isListed(serial)).toBe(true);
    // 254 is not -2, and 255 is not -1.
    for (const serial of ['00fe', 'ff', 'c0ffee00', '02']) expect(isListed(serial)).toBe(false);
  });

  it.each<[string, Buffer[], string]>([
    ['an unknown critical extension', [hex('a00f300d300b06032b06010101ff0401 00'.replace(' ', ''))], 'partial'],
    ['a delta indicator', [hex('a00f300d300b0603551d1b0101ff0401 00'.replace(' ', ''))], 'partial'],
    ['a number', [hex('a00c300a30080603551d14040100')], 'full'],
  ])('with %s is read', (_name, extensions, scope) => {
    expect(parseLists(listOf([], extensions))[0]?.scope).toBe(scope);
  });

  const whole = listOf([serialOf(), serialOf()]);
  it.each<[string, Buffer]>([
    ['nothing', Buffer.alloc(0)],
    ['half a list', whole.subarray(0, whole.length / 2)],
    ['a list with bytes after it', Buffer.concat([whole, hex('00')])],
    ['another structure', tlv(0x30, tlv(0x30, tlv(2, hex('01'))))],
    ['an indefinite length', hex('3080000000000000')],
    ['a length of gigabytes', hex('3084ffffffff3000')],
    ['a serial number of 100 bytes', listOf([Buffer.alloc(100, 1)])],
    ['PEM without an end', Buffer.from(`-----BEGIN X509 CRL-----\n${whole.toString('base64')}\n`)],
    ['PEM of no base64', Buffer.from('-----BEGIN X509 CRL-----\n!!!!\n-----END X509 CRL-----')],
  ])('that is %s cannot be read', (_name, bytes) => {
    expect(() => parseLists(bytes)).toThrow();
    expect(() => read(bytes, 1)).toThrow();
  });

  describe('in PEM', () => {
    let authority: Authority;
    let pem: string;
    beforeAll(async () => {
      authority = await createAuthority({ subject: { CN: 'Root' } });
      pem = (await authority.revoke([authority])) + (await authority.revoke([]));
    });
    it.each([1, 5, 1_000_000])('is read in parts of %d bytes, each block a list', (size) => {
      const counts = (text: string) => read(Buffer.from(text), size).map(({ serials }) => serials.count);
      expect(counts(pem)).toEqual([1, 0]);
      expect(counts(`some words\n${pem.replaceAll('\n', '\r\n')}\n`)).toEqual([1, 0]);
      expect(counts(pem.replaceAll('\n', ' '))).toEqual([1, 0]);
    });
  });
});
