import { describe, expect, it } from '@jest/globals';
import { createHash } from 'node:crypto';
import { createInspection, maybeMedia, sniff } from './inspection.ts';

const wav = Buffer.concat([Buffer.from('RIFF\0\0\0\0WAVEfmt ', 'latin1'), Buffer.alloc(20_000, 3)]);

function inspected(bytes: Buffer, { size, maxBytes = 1e9 }: { size: number; maxBytes?: number }) {
  const { see, result } = createInspection({ maxBytes });
  for (let at = 0; at < bytes.length; at += size) see(bytes.subarray(at, at + size));
  return result();
}

describe('the inspection of a recording', () => {
  it.each([1, 7, 4099, 4100, 4101, 65_536])('returns size, hash and type for chunks of %d bytes', (size) => {
    expect(inspected(wav, { size })).toEqual({
      bytes: wav.length,
      sha256: createHash('sha256').update(wav).digest('hex'),
      contentType: 'audio/wav',
    });
  });

  it('rejects other data after the first bytes', () => {
    const { see } = createInspection({ maxBytes: 1e9 });
    for (let passed = 0; passed < 4; passed += 1) see(Buffer.alloc(1000, 'x'));
    expect(() => see(Buffer.alloc(1000, 'x'))).toThrow(expect.objectContaining({ code: 'upload_not_media' }));
  });

  it('rejects short other data at its end', () => {
    expect(() => inspected(Buffer.from('x'), { size: 1 })).toThrow(
      expect.objectContaining({ code: 'upload_not_media' }),
    );
  });

  it('rejects the first byte above the limit, and an empty file', () => {
    const refused = (code: string) => expect.objectContaining({ code });
    const size = 100;
    expect(() => inspected(wav, { size, maxBytes: wav.length - 1 })).toThrow(refused('upload_too_large'));
    expect(inspected(wav, { size, maxBytes: wav.length })).toMatchObject({ bytes: wav.length });
    expect(() => inspected(Buffer.alloc(0), { size })).toThrow(refused('upload_empty'));
  });
});

function head(start: string | number[], size = 4100): Buffer {
  const bytes = Buffer.alloc(size);
  Buffer.from(start as string, 'latin1').copy(bytes);
  return bytes;
}

function mp3(): Buffer {
  // Two frames of MPEG 1 layer III, 128 kbit/s, 44.1 kHz: 417 bytes each.
  const bytes = head([0xff, 0xfb, 0x90, 0x00]);
  bytes.set([0xff, 0xfb, 0x90, 0x00], 417);
  return bytes;
}

describe('the media type of a file', () => {
  it.each([
    ['RIFF\0\0\0\0WAVEfmt ', 'audio/wav'],
    ['RF64\xff\xff\xff\xffWAVEds64', 'audio/wav'],
    ['RIFF\0\0\0\0AVI LIST', 'video/x-msvideo'],
    ['fLaC', 'audio/flac'],
    ['OggS\0\x02\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0OpusHead', 'audio/ogg'],
    ['OggS\0\x02\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\x80theora', 'video/ogg'],
    ['\x1a\x45\xdf\xa3\x01\0\0\0\0\0\0\x1fB\x86\x81\x01B\x82\x84webm', 'video/webm'],
    ['\x1a\x45\xdf\xa3\x01\0\0\0\0\0\0\x1fB\x82\x88matroska', 'video/x-matroska'],
    ['\0\0\0\x20ftypisom', 'video/mp4'],
    ['\0\0\0\x20ftypM4A ', 'audio/mp4'],
    ['\0\0\0\x14ftypqt  ', 'video/quicktime'],
    ['\0\0\0\x14ftyp3gp4', 'video/3gpp'],
    ['\0\0\0\x08wide\0\0', 'video/quicktime'],
    ['FORM\0\0\0\0AIFF', 'audio/aiff'],
    ['#!AMR\n', 'audio/amr'],
    ['ID3\x03\0\0\0\0\0\x0a', 'audio/mpeg'],
    ['\x30\x26\xb2\x75\x8e\x66\xcf\x11', 'video/x-ms-asf'],
    ['\0\0\x01\xba', 'video/mpeg'],
    ['\x06\x0e\x2b\x34\x02\x05\x01\x01\x0d\x01\x02\x01', 'video/mxf'],
    ['riff\x2e\x91\xcf\x11\xa5\xd6', 'audio/x-w64'],
    ['.RMF\0\0\0\x12', 'video/vnd.rn-realvideo'],
    ['Creative Voice File\x1a', 'audio/x-voc'],
    ['NIST_1A\n   1024\n', 'audio/x-nist'],
    ['\x64\xa3\x01\0', 'audio/x-ircam'],
    ['\0\x02\xa3\x64', 'audio/x-ircam'],
  ])('follows from its first bytes: %j is %s', (start, type) => {
    expect(sniff(head(start))).toBe(type);
  });

  it('is an MP3 when a second frame follows the first', () => {
    expect(sniff(mp3())).toBe('audio/mpeg');
    expect(sniff(head([0xff, 0xfb, 0x90, 0x00]))).toBeUndefined();
  });

  it('is a transport stream when its packets follow each other', () => {
    const packets = head('');
    for (const at of [0, 188, 376]) packets[at] = 0x47;
    expect(sniff(packets)).toBe('video/mp2t');
    expect(sniff(head('Good morning'))).toBeUndefined();
  });

  it('is a transport stream when a time stands before each packet', () => {
    const packets = head('');
    for (const at of [4, 196, 388]) packets[at] = 0x47;
    expect(sniff(packets)).toBe('video/mp2t');
  });

  it('is decided later for other binary data', () => {
    // The same bytes on every run, with as many of each value as compressed sound has.
    const noise = Buffer.from(Array.from({ length: 4100 }, (_, i) => (Math.imul(i + 7, 2_654_435_761) >>> 13) & 255));
    expect(sniff(noise)).toBe('audio/x-unknown');
    expect(sniff(noise, 'video/x-odd')).toBe('video/x-unknown');
    for (const start of [
      'PK\x03\x04',
      '\x89PNG',
      '\xff\xd8\xff\xe0',
      '%PDF-1.7',
      'MZ',
      '\x1f\x8b',
      'SQLite format 3',
      '\xff\xfe',
    ]) {
      noise.write(start, 'latin1');
      expect([start, sniff(noise)]).toEqual([start, undefined]);
    }
  });

  it.each([
    'Grüße aus Köln, größer und öfter. ',
    'Привет, как дела? ',
    '会议记录与预算',
    'שלום לכולם ',
    'plain text\n',
  ])('is undefined for text: %s', (line) => {
    for (const bytes of [Buffer.from(line.repeat(400)), Buffer.from(line.repeat(400)).subarray(0, 4100)])
      expect(sniff(bytes.subarray(0, 4100))).toBeUndefined();
  });

  it('is FLAC after an ID3 tag', () => {
    const tagged = head('ID3\x04\0\0\0\0\0\x10');
    tagged.write('fLaC', 26);
    expect(sniff(tagged)).toBe('audio/flac');
  });

  it.each([
    'hello world',
    '<!doctype html><script>',
    '%PDF-1.7',
    'PK\x03\x04',
    '\x89PNG\r\n\x1a\n',
    '\xff\xd8\xff\xe0',
    'GIF89a',
    '\x7fELF',
    '#!/bin/sh\n',
    '\xff\xfeh\0i\0',
    '\0\0\0\x1cftypavif',
    '\0\0\0\x18ftypheic',
    'RIFF\0\0\0\0WEBPVP8 ',
    '',
  ])('is undefined for other data: %j', (start) => {
    expect(sniff(head(start))).toBeUndefined();
    expect(sniff(Buffer.from(start, 'latin1'))).toBeUndefined();
  });

  it('is audio by declaration only for containers that allow both', () => {
    expect(sniff(head('\x1a\x45\xdf\xa3 webm'), 'audio/webm')).toBe('audio/webm');
    expect(sniff(head('\0\0\0\x20ftypisom'), 'audio/mp4')).toBe('audio/mp4');
    expect(sniff(head('RIFF\0\0\0\0AVI '), 'audio/wav')).toBe('video/x-msvideo');
    expect(sniff(head('hello'), 'audio/wav')).toBeUndefined();
  });
});

describe('the declared type of a file', () => {
  it('may be any media type or empty', () => {
    expect(['audio/x-wav', 'video/mp4', 'application/ogg', 'application/octet-stream', ''].every(maybeMedia)).toBe(
      true,
    );
    expect(['text/plain', 'image/png', 'application/json', 'audio'].some(maybeMedia)).toBe(false);
  });
});
