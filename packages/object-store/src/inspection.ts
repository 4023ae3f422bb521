import { createHash } from 'node:crypto';
import { invalid, tooLarge, type AppError } from '@overtone/service-kit/errors';

/** Why data is not accepted as a recording. */
export const recordingErrors = {
  tooLarge: (maxBytes: number): AppError =>
    tooLarge('upload_too_large', `A recording may have up to ${maxBytes} bytes.`, { extra: { max_bytes: maxBytes } }),
  empty: (): AppError => invalid('upload_empty', 'The file is empty.'),
  notMedia: (): AppError => invalid('upload_not_media', 'This is neither an audio nor a video file.'),
};

export type Inspection = { bytes: number; sha256: string; contentType: string };

/**
 * Determines size, SHA-256 and media type of a recording while it is written to the store; buffers only its first bytes.
 * Throws as soon as the data is not a recording or is too large.
 */
export function createInspection({ declared = '', maxBytes }: { declared?: string; maxBytes: number }) {
  const hash = createHash('sha256');
  let head: Uint8Array[] = [];
  let bytes = 0;
  let contentType: string | undefined;

  const detectType = (): string => {
    contentType ??= sniff(Buffer.concat(head), declared);
    if (contentType === undefined) throw recordingErrors.notMedia();
    head = [];
    return contentType;
  };

  return {
    see: (chunk: Uint8Array): void => {
      bytes += chunk.length;
      if (bytes > maxBytes) throw recordingErrors.tooLarge(maxBytes);
      hash.update(chunk);
      if (contentType !== undefined) return;
      head.push(chunk);
      if (bytes >= sniffLength) detectType();
    },
    /** To be called after the last chunk. */
    result: (): Inspection => {
      if (bytes === 0) throw recordingErrors.empty();
      return { bytes, sha256: hash.digest('hex'), contentType: detectType() };
    },
  };
}

/** Number of bytes that determine the media type. */
const sniffLength = 4100;

const mp3Bitrates = [0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320];
const mp3LowBitrates = [0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160];
const mp3Rates = [44_100, 48_000, 32_000];

const isoBrands: Record<string, string> = {
  M4A: 'audio/mp4',
  M4B: 'audio/mp4',
  F4A: 'audio/mp4',
  qt: 'video/quicktime',
};

type Rule = [matches: (head: Buffer) => boolean, type: string | ((head: Buffer) => string | undefined)];
const rules: Rule[] = [
  [(head) => ascii(head, 0, 'RIFF') || ascii(head, 0, 'RF64') || ascii(head, 0, 'RIFX'), riff],
  [(head) => ascii(head, 0, 'fLaC'), 'audio/flac'],
  [(head) => ascii(head, 0, 'OggS'), ogg],
  [(head) => bytes(head, 0, 0x1a, 0x45, 0xdf, 0xa3), matroska],
  [(head) => ascii(head, 0, 'FORM') && (ascii(head, 8, 'AIFF') || ascii(head, 8, 'AIFC')), 'audio/aiff'],
  [(head) => ascii(head, 0, '#!AMR'), 'audio/amr'],
  [(head) => ascii(head, 0, 'caff'), 'audio/x-caf'],
  [(head) => ascii(head, 0, '.snd'), 'audio/basic'],
  [(head) => ascii(head, 0, 'wvpk'), 'audio/wavpack'],
  [(head) => ascii(head, 0, 'MAC '), 'audio/x-ape'],
  [(head) => ascii(head, 0, 'FLV\x01'), 'video/x-flv'],
  [(head) => bytes(head, 0, 0x30, 0x26, 0xb2, 0x75, 0x8e, 0x66, 0xcf, 0x11), 'video/x-ms-asf'],
  [(head) => bytes(head, 0, 0, 0, 1, 0xba) || bytes(head, 0, 0, 0, 1, 0xb3), 'video/mpeg'],
  [isTransportStream, 'video/mp2t'],
  [(head) => bytes(head, 0, 0x06, 0x0e, 0x2b, 0x34, 0x02, 0x05, 0x01, 0x01, 0x0d, 0x01, 0x02), 'video/mxf'],
  [(head) => ascii(head, 0, 'riff\x2e\x91\xcf\x11'), 'audio/x-w64'],
  [(head) => ascii(head, 0, '.RMF') || ascii(head, 0, '.ra\xfd'), 'video/vnd.rn-realvideo'],
  [(head) => ascii(head, 0, 'Creative Voice File\x1a'), 'audio/x-voc'],
  [(head) => ascii(head, 0, 'NIST_1A\n'), 'audio/x-nist'],
  [(head) => bytes(head, 0, 0x64, 0xa3) || bytes(head, 2, 0xa3, 0x64), 'audio/x-ircam'],
  [(head) => bytes(head, 0, 0x0b, 0x77), 'audio/ac3'],
  [isMp3, 'audio/mpeg'],
  [isAac, 'audio/aac'],
];

/** Data of other kinds that is refused before it is stored. What is neither listed nor text is decided by ffprobe. */
const otherKinds = [
  'PK\x03\x04',
  'PK\x05\x06',
  'Rar!',
  '7z\xbc\xaf',
  '\x1f\x8b',
  'BZh',
  '\xfd7zXZ',
  '\x28\xb5\x2f\xfd',
  '\x04\x22\x4d\x18',
  '%PDF',
  '%!PS',
  '\xd0\xcf\x11\xe0',
  '{\\rtf',
  'SQLite format 3',
  'AT&TFORM',
  'PAR1',
  'Obj\x01',
  '\x89HDF',
  '\x89PNG',
  '\xff\xd8\xff',
  'GIF8',
  'BM',
  'II*\0',
  'MM\0*',
  '\0\0\x01\0',
  '8BPS',
  'qoif',
  'RIFF',
  'FORM',
  '\x7fELF',
  'MZ',
  '\xca\xfe\xba\xbe',
  '\xcf\xfa\xed\xfe',
  '\xce\xfa\xed\xfe',
  '\0asm',
  'dex\n',
  '!<arch>',
  '#!',
  'wOFF',
  'wOF2',
  'OTTO',
  '\0\x01\0\0\0',
  'ttcf',
  '\xff\xfe',
  '\xfe\xff',
  '\xef\xbb\xbf',
  'PACK',
  '\xd4\xc3\xb2\xa1',
  '\x0a\x0d\x0d\x0a',
];

/** A recording whose type only ffprobe can tell, such as MP3 from the middle of a frame and GSM. */
const unknownType = { audio: 'audio/x-unknown', video: 'video/x-unknown' };
const minBinaryShare = 0.2;

function isUnknownBinary(head: Buffer): boolean {
  if (head.length < 64 || ascii(head, 257, 'ustar') || ascii(head, 4, 'ftyp')) return false;
  if (otherKinds.some((start) => ascii(head, 0, start))) return false;
  const binary = head.reduce((count, byte) => count + Number((byte > 0 && byte < 9) || (byte > 13 && byte < 32)), 0);
  const high = head.reduce((count, byte) => count + Number(byte > 127), 0);
  // Text in UTF-8 has many high bytes and no control characters.
  const isUtf8 = high > 0 && binary === 0 && isWellFormedUtf8(head);
  return !isUtf8 && binary + high >= head.length * minBinaryShare;
}

function isWellFormedUtf8(head: Buffer): boolean {
  // The last character may be cut.
  return !new TextDecoder().decode(head.subarray(0, -4)).slice(0, -1).includes('\uFFFD');
}

/** Containers with or without video; before they are parsed, only the declared type distinguishes them. */
const audioOrVideo = new Set([
  'video/mp4',
  'video/webm',
  'video/x-matroska',
  'video/quicktime',
  'video/3gpp',
  'video/x-ms-asf',
]);

/**
 * The media type of a recording by its first bytes; undefined for other data. The declared type only decides between audio
 * and video where the container allows both.
 */
export function sniff(head: Buffer, declared = ''): string | undefined {
  if (ascii(head, 0, 'ID3') && head.length >= 10) {
    const body = startOfId3Body(head);
    const inner = body + 16 < head.length ? sniff(head.subarray(body)) : undefined;
    return inner ?? 'audio/mpeg';
  }
  const rule = rules.find(([matches]) => matches(head));
  const type = rule ? (typeof rule[1] === 'string' ? rule[1] : rule[1](head)) : (iso(head) ?? unknown(head, declared));
  return type && audioOrVideo.has(type) && declared.startsWith('audio/') ? type.replace('video/', 'audio/') : type;
}

function unknown(head: Buffer, declared: string): string | undefined {
  if (!isUnknownBinary(head)) return undefined;
  return declared.startsWith('video/') ? unknownType.video : unknownType.audio;
}

/** Whether a declared type may be a recording; others are rejected before the upload. */
export function maybeMedia(declared: string): boolean {
  return (
    declared === '' ||
    /^(audio|video)\//.test(declared) ||
    ['application/octet-stream', 'application/ogg', 'application/mp4', 'application/x-matroska'].includes(declared)
  );
}

function bytes(head: Buffer, at: number, ...values: number[]): boolean {
  return values.every((value, i) => head[at + i] === value);
}

function ascii(head: Buffer, at: number, text: string): boolean {
  return head.subarray(at, at + text.length).toString('latin1') === text;
}

function riff(head: Buffer): string | undefined {
  if (ascii(head, 8, 'WAVE')) return 'audio/wav';
  return ascii(head, 8, 'AVI ') ? 'video/x-msvideo' : undefined;
}

function ogg(head: Buffer): string {
  const isVideo = head.subarray(0, 300).includes('theora', 0, 'latin1');
  return isVideo ? 'video/ogg' : 'audio/ogg';
}

function matroska(head: Buffer): string {
  return head.subarray(0, 64).includes('webm') ? 'video/webm' : 'video/x-matroska';
}

/** Packets of 188 bytes, with a time of four bytes before each on camcorders and discs. */
function isTransportStream(head: Buffer): boolean {
  const isSync = (at: number): boolean => head[at] === 0x47;
  return head.length > 388 && ([0, 188, 376].every(isSync) || [4, 196, 388].every(isSync));
}

function isMp3(head: Buffer): boolean {
  const length = mp3FrameLength(head, 0);
  return length > 0 && (length + 3 > head.length || mp3FrameLength(head, length) > 0);
}

// ADTS: twelve ones, layer 0, and a frame that ends where the next begins.
function isAac(head: Buffer): boolean {
  if (head[0] !== 0xff || ((head[1] ?? 0) & 0xf6) !== 0xf0) return false;
  const length = (((head[3] ?? 0) & 3) << 11) | ((head[4] ?? 0) << 3) | ((head[5] ?? 0) >> 5);
  return length >= 7 && (length + 1 >= head.length || head[length] === 0xff);
}

function startOfId3Body(head: Buffer): number {
  return 10 + ((head[6] ?? 0) << 21) + ((head[7] ?? 0) << 14) + ((head[8] ?? 0) << 7) + (head[9] ?? 0);
}

function iso(head: Buffer): string | undefined {
  if (ascii(head, 4, 'ftyp')) {
    const brand = head.subarray(8, 12).toString('latin1').trim();
    if (['avif', 'avis', 'heic', 'heix', 'mif1', 'msf1', 'crx'].includes(brand)) return undefined;
    return isoBrands[brand] ?? (brand.startsWith('3g') ? 'video/3gpp' : 'video/mp4');
  }
  return ['moov', 'mdat', 'wide', 'free'].some((box) => ascii(head, 4, box)) ? 'video/quicktime' : undefined;
}

/** Length of an MPEG layer III frame that begins at `at`, or 0. Text in UTF-16 begins like one, but has no length. */
function mp3FrameLength(head: Buffer, at: number): number {
  const [first = 0, second = 0, third = 0] = head.subarray(at, at + 3);
  const [version, layer] = [(second >> 3) & 3, (second >> 1) & 3];
  if (first !== 0xff || (second & 0xe0) !== 0xe0 || version === 1 || layer !== 1) return 0;
  const [index, rate] = [third >> 4, mp3Rates[(third >> 2) & 3]];
  const isVersion1 = version === 3;
  const bitrate = (isVersion1 ? mp3Bitrates : mp3LowBitrates)[index];
  if (!bitrate || !rate) return 0;
  const sampleRate = rate / (isVersion1 ? 1 : version === 2 ? 2 : 4);
  return Math.floor(((isVersion1 ? 144 : 72) * bitrate * 1000) / sampleRate) + ((third >> 1) & 1);
}
