import { describe, expect, it } from '@jest/globals';
import { scanWindows } from './redaction.store.ts';

type Rows = Parameters<typeof scanWindows>[1];

function rowsOf(texts: readonly string[]): Rows {
  return texts.map((text, i) => ({ id: String(i), text, redactions: [], redactionKey: null }));
}

async function scan(rows: Rows) {
  const scans: (readonly string[])[] = [];
  const find = async (texts: readonly string[]) => {
    scans.push(texts);
    return texts.map(() => []);
  };
  const scanned: string[] = [];
  for await (const window of scanWindows({ find, version: '1' }, rows, { language: 'en', knownNames: [] }))
    scanned.push(...window.rows.map(({ id }) => id));
  return { scans, scanned };
}

describe('the windows of a scan', () => {
  it.each([
    ['short passages', 2_000, 10],
    ['long passages', 20, 19_990],
    ['passages of one letter', 1_000, 1],
    ['no passages', 0, 0],
  ])(
    'with %s contain each passage once and few letters, so that other requests are not delayed',
    async (_, passages, length) => {
      const rows = rowsOf(Array.from({ length: passages }, () => 'x'.repeat(length)));
      const { scans, scanned } = await scan(rows);
      expect(scanned).toEqual(rows.map(({ id }) => id));
      expect(Math.max(0, ...scans.map((texts) => texts.join('').length))).toBeLessThan(20_000 + 2 * 2_000 + 3 * length);
    },
  );

  it('overlap, so that a span which continues in the next window is found', async () => {
    const texts = Array.from({ length: 700 }, (_, i) => `passage ${i}`);
    const { scans } = await scan(rowsOf(texts));
    const together = scans.map((scanned) => `|${scanned.join('|')}|`);
    for (let i = 1; i < texts.length; i++)
      expect(together.some((joined) => joined.includes(`|${texts[i - 1]}|${texts[i]}|`))).toBe(true);
  });
});
