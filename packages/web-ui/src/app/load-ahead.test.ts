import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { isReachable } from './load-ahead.ts';

const sourceFolder = join(import.meta.dirname, '..');
const sources = readdirSync(sourceFolder, { recursive: true, encoding: 'utf8' }).filter(
  (path) => /\.tsx?$/.test(path) && !path.includes('.test.'),
);

function importsOf(path: string): string[] {
  return [...readFileSync(join(sourceFolder, path), 'utf8').matchAll(/\bimport\('([^']+)'\)/g)].map((match) =>
    basename(match[1] ?? ''),
  );
}

describe('loadAhead', () => {
  const loaded = new Set([...importsOf('app/load-ahead.ts'), ...importsOf('app/router.tsx')]);
  it('loads all code that is otherwise loaded on demand', () =>
    expect(sources.flatMap(importsOf).filter((name) => !loaded.has(name))).toEqual([]));
  it.each([
    ['/admin/users', 'user', false],
    ['/admin/users', 'admin', true],
    ['/files/$uuid', 'user', true],
  ] as const)('can reach %s with the role %s: %p', (path, role, reachable) =>
    expect(isReachable(path, role)).toBe(reachable),
  );
});
