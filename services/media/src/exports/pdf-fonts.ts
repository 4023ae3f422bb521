import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { decompress } from 'woff2-encoder';

/** A font file with the characters that it draws. `weak`: its strokes are thin and are drawn with an outline. */
export type Face = { name: string; path: string; boldPath: string | null; weak: boolean };
/** Ranges are sorted, and do not overlap. */
type Range = { from: number; to: number; face: Face };

const require = createRequire(import.meta.url);
/** In the order of preference. A package has one file for each part of Unicode. */
const staticFonts = {
  'noto-sans': require.resolve('@fontsource/noto-sans/unicode.json'),
  'ibm-plex-sans-arabic': require.resolve('@fontsource/ibm-plex-sans-arabic/unicode.json'),
  'noto-sans-hebrew': require.resolve('@fontsource/noto-sans-hebrew/unicode.json'),
  'noto-sans-thai': require.resolve('@fontsource/noto-sans-thai/unicode.json'),
};
/** The same character has another form in each of these languages. */
const variableFonts = {
  'noto-sans-sc': require.resolve('@fontsource-variable/noto-sans-sc/unicode.json'),
  'noto-sans-jp': require.resolve('@fontsource-variable/noto-sans-jp/unicode.json'),
  'noto-sans-kr': require.resolve('@fontsource-variable/noto-sans-kr/unicode.json'),
};
const firstOf: Readonly<Record<string, keyof typeof variableFonts>> = { ja: 'noto-sans-jp', ko: 'noto-sans-kr' };

/** Finds the face of a character; characters that no font has get the first face, which draws a box. */
export type FontCatalogue = { faceOf: (codePoint: number, preferred?: Face) => Face };

export async function readFonts(language: string | null): Promise<FontCatalogue> {
  const preferred = firstOf[language?.slice(0, 2) ?? ''];
  const variable = Object.entries(variableFonts).toSorted(
    ([left], [right]) => Number(right === preferred) - Number(left === preferred),
  );
  const parts = await Promise.all([
    ...Object.entries(staticFonts).map(([name, index]) => readParts(name, index, false)),
    ...variable.map(([name, index]) => readParts(name, index, true)),
  ]);
  const ranges = parts.flat();
  const known = new Map<number, Range[]>();
  const [fallback] = ranges.filter(({ from, to }) => from <= 0x20 && to >= 0x20);
  if (!fallback) throw new Error('no font has a space');
  const find = (codePoint: number): Range[] => {
    const found = known.get(codePoint) ?? ranges.filter(({ from, to }) => from <= codePoint && codePoint <= to);
    known.set(codePoint, found);
    return found;
  };
  return {
    faceOf: (codePoint, before) => {
      const found = find(codePoint);
      return (found.find(({ face }) => face === before) ?? found[0] ?? fallback).face;
    },
  };
}

async function readParts(name: string, index: string, weak: boolean): Promise<Range[]> {
  const parts = JSON.parse(await readFile(index, 'utf8')) as Record<string, string>;
  return Object.entries(parts).flatMap(([part, ranges]) => {
    const file = (weight: string, extension: string) =>
      join(dirname(index), 'files', `${name}-${part.replaceAll(/[[\]]/g, '')}-${weight}-normal.${extension}`);
    const face = weak
      ? { name: `${name} ${part}`, path: file('wght', 'woff2'), boldPath: null, weak }
      : { name: `${name} ${part}`, path: file('400', 'woff'), boldPath: file('700', 'woff'), weak };
    return ranges.split(',').map((range) => {
      const [from = '', to = from] = range.trim().slice(2).split('-');
      return { from: parseInt(from, 16), to: parseInt(to, 16), face };
    });
  });
}

/** The bytes of a font as the PDF library reads them. */
export async function readFont(path: string): Promise<Buffer> {
  const bytes = await readFile(path);
  return path.endsWith('.woff2') ? Buffer.from(await decompress(bytes)) : bytes;
}
