import { describe, expect, it } from '@jest/globals';
import { routes } from '@overtone/contracts';
import { createRouter, pathOf } from './routing.ts';

const router = createRouter(routes);
const id = '0d7c34a1-9a51-4a3c-93a5-6f5b6f0f1b5c';

function templateOf(method: string, path: string) {
  const match = router(method, path);
  return match.kind === 'route' ? match.def.path : match.kind;
}

describe('the router', () => {
  it('finds every route of the catalogue by its own template', () => {
    for (const def of routes) {
      const path = def.path.replaceAll(/\{\w+\}/g, id);
      const found = router(def.method, path);
      expect(found).toEqual({ kind: 'route', def });
    }
  });

  it.each([
    ['GET', '/api/files/upload-limits', '/api/files/upload-limits'],
    ['GET', `/api/files/${id}`, '/api/files/{uuid}'],
    ['HEAD', `/api/files/${id}`, '/api/files/{uuid}'],
    ['DELETE', `/api/tags/files/${id}/tags/a%2Fb`, '/api/tags/files/{uuid}/tags/{tag_name}'],
    ['GET', '/api/files/', 'unknown'],
    ['GET', '/api/files//content', 'unknown'],
    ['GET', '/api', 'unknown'],
    ['GET', '/api/internal/sessions/resolve', 'unknown'],
    ['POST', '/internal/sessions/resolve', 'unknown'],
    ['GET', '/API/files', 'unknown'],
    ['GET', '/api/files/__proto__/constructor', 'unknown'],
  ])('%s %s is %s', (method, path, template) => {
    expect(templateOf(method, path)).toBe(template);
  });

  it('names the methods of a path that knows others', () => {
    expect(router('PATCH', '/api/version')).toEqual({ kind: 'wrong_method', allow: ['GET', 'HEAD'] });
    expect(router('DELETE', '/api/files')).toEqual({ kind: 'wrong_method', allow: ['POST', 'GET', 'HEAD'] });
  });
});

describe('a request target', () => {
  it.each(['/', '/api/files?x=../..', '/assets/app.js', '/a.b/c', '/%41', '/tags/%2e%2e%2fx'])('%s is a path', (path) =>
    expect(pathOf(path)).toBe(path.split('?')[0]),
  );
  it.each([
    '',
    '*',
    'http://elsewhere/api',
    '/a/../b',
    '/a/./b',
    '/..',
    '/a/%2e%2E/b',
    '/a/.%2e/b',
    '/a\\b',
    '/%',
    '/%zz',
    '/%c0%af',
  ])('%j is none', (target) => {
    expect(pathOf(target)).toBeNull();
  });
});
