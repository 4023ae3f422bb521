import { expect, it } from '@jest/globals';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const sources = join(import.meta.dirname, '..');

it('no style blurs what is behind an element: without a graphics processor each frame then draws the whole page again', () => {
  const files = globSync('**/*.{css,ts,tsx}', { cwd: sources }).filter((file) => !file.endsWith('.test.ts'));
  expect(files.length).toBeGreaterThan(300);
  const blurred = files.filter((file) =>
    /backdrop-filter|backdropFilter|\bblur: *\d|\bblur=\{/.test(readFileSync(join(sources, file), 'utf8')),
  );
  expect(blurred).toEqual([]);
});
