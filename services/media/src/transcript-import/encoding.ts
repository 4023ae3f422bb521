import { importEncodings, type ImportEncoding } from '@overtone/contracts';
import { importErrors } from './import-errors.ts';

export type DecodedText = { text: string; encoding: ImportEncoding };

const byteOrderMarks: [ImportEncoding, number[]][] = [
  ['utf-8', [0xef, 0xbb, 0xbf]],
  ['utf-16le', [0xff, 0xfe]],
  ['utf-16be', [0xfe, 0xff]],
];
const sampleBytes = 8192;
/** All but tab, line ends, vertical tab and form feed. */
const controlCharacters = /[^\P{Cc}\t\n\v\f\r\x7f-\x9f]/u;

/** Decodes a text file. Without a chosen encoding it is detected. @throws AppError when it is not text in a known encoding. */
export function decodeText(bytes: Uint8Array, chosen?: ImportEncoding): DecodedText {
  const encoding = chosen ?? declaredEncoding(bytes) ?? detectEncoding(bytes);
  const text = decode(bytes, encoding);
  if (text === null) throw importErrors.encodingUnknown(`It is not ${encodingNames[encoding]}.`);
  const control = text.search(controlCharacters);
  if (control >= 0) throw importErrors.encodingUnknown('It contains control characters.', lineAt(text, control));
  return { text, encoding };
}

function decode(bytes: Uint8Array, encoding: ImportEncoding): string | null {
  try {
    return new TextDecoder(encoding, { fatal: true }).decode(bytes);
  } catch {
    return null;
  }
}

/** The encoding that an XML declaration names (XML 1.0, 4.3.3). */
function declaredEncoding(bytes: Uint8Array): ImportEncoding | undefined {
  const begin = Buffer.from(bytes.subarray(0, 200)).toString('latin1');
  const name = /^<\?xml[^>]{0,100}\sencoding\s{0,9}=\s{0,9}["']([A-Za-z0-9._-]{1,40})["']/.exec(begin)?.[1];
  if (name === undefined) return undefined;
  try {
    const { encoding } = new TextDecoder(name);
    // The declaration was read as bytes, so the text is not UTF-16.
    return importEncodings.find((known) => known === encoding && !known.startsWith('utf-16'));
  } catch {
    return undefined;
  }
}

function detectEncoding(bytes: Uint8Array): ImportEncoding {
  const marked = byteOrderMarks.find(([, mark]) => mark.every((byte, i) => bytes[i] === byte));
  if (marked) return marked[0];
  const wide = detectUtf16(bytes.subarray(0, sampleBytes));
  if (wide) return wide;
  if (decode(bytes, 'utf-8') !== null) return 'utf-8';
  const damaged = findDamage(bytes);
  if (damaged !== null) throw importErrors.encodingUnknown('It is damaged UTF-8.', damaged);
  return 'windows-1252';
}

/** UTF-16 without a mark: in most languages the digits, spaces and line ends give many zeros on one side. */
function detectUtf16(sample: Uint8Array): ImportEncoding | null {
  let [even, odd] = [0, 0];
  sample.forEach((byte, i) => {
    if (byte === 0 && i % 2 === 0) even += 1;
    else if (byte === 0) odd += 1;
  });
  const enough = sample.length / 20;
  if (odd > enough && even < odd / 8) return 'utf-16le';
  return even > enough && odd < even / 8 ? 'utf-16be' : null;
}

/** The first damaged line of a text that is mostly UTF-8; null for other encodings, which hardly ever look like UTF-8. */
function findDamage(bytes: Uint8Array): number | null {
  const text = new TextDecoder('utf-8').decode(bytes);
  const damaged = text.split('\uFFFD').length - 1;
  const valid = (text.match(/[^\0-\x7f\uFFFD]/gu) ?? []).length;
  return valid > damaged * 2 ? lineAt(text, text.indexOf('\uFFFD')) : null;
}

function lineAt(text: string, index: number): number {
  return (text.slice(0, index).match(/\r\n|\n|\r/g)?.length ?? 0) + 1;
}

const encodingNames: Record<ImportEncoding, string> = {
  'utf-8': 'UTF-8',
  'utf-16le': 'UTF-16 (little endian)',
  'utf-16be': 'UTF-16 (big endian)',
  'windows-1252': 'Windows-1252',
  'windows-1250': 'Windows-1250',
  'windows-1251': 'Windows-1251',
  'iso-8859-15': 'ISO 8859-15',
  shift_jis: 'Shift JIS',
  gb18030: 'GB 18030',
  big5: 'Big5',
  'euc-kr': 'EUC-KR',
};
