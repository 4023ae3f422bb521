import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { isReachable } from './load-ahead.ts';

const sourceFolder = join(import.meta.dirname, '..');
const sources = readdirSync(sourceFolder, { recursive: true, encoding: 'utf8' }).filter(
  (path) => /\.tsx?$/.test(path) && !path.includes('.test.'),
);
const importsOf = (path: string): string[] =>
  [...readFileSync(join(sourceFolder, path), 'utf8').matchAll(/\bimport\('([^']+)'\)/g)].map((match) =>
    basename(match[1] ?? ''),
  );

describe('code that is loaded ahead', () => {
  const ahead = new Set([...importsOf('app/load-ahead.ts'), ...importsOf('app/router.tsx')]);
  it('is all code that is loaded on demand', () =>
    expect(sources.flatMap(importsOf).filter((name) => !ahead.has(name))).toEqual([]));
  it.each([
    ['/admin/users', 'user', false],
    ['/admin/users', 'admin', true],
    ['/files/$uuid', 'user', true],
  ] as const)('of %s for the role %s: %p', (path, role, reachable) => expect(isReachable(path, role)).toBe(reachable));
});
