import { describe, expect, it } from '@jest/globals';
import {
  directorySyncRoutes,
  explanationRoutes,
  dispatcherRoutes,
  gpuRoutes,
  identityRoutes,
  mediaRoutes,
  searchRoutes,
  systemRoutes,
  approvalRoutes,
  auditRoutes,
  authConfigRoutes,
  groupRoutes,
  mappingRoutes,
  userRoutes,
  type RouteDef,
} from '@overtone/contracts';
import { identityLines } from './identity.ts';
import { operationsLines } from './operations.ts';
import { directorySyncLines } from './directory-sync.ts';
import { routes, urlOf } from './routes.ts';

describe('routes', () => {
  const contracts: Record<string, RouteDef> = {
    ...identityRoutes,
    ...mediaRoutes,
    ...searchRoutes,
    ...dispatcherRoutes,
    ...gpuRoutes,
    ...systemRoutes,
    ...userRoutes,
    ...approvalRoutes,
    ...auditRoutes,
    ...groupRoutes,
    ...mappingRoutes,
    ...authConfigRoutes,
    ...directorySyncRoutes,
    ...explanationRoutes,
  };
  it.each(Object.entries({ ...routes, ...identityLines, ...operationsLines, ...directorySyncLines }))(
    'has the method and path of the contracts for %s',
    (name, [method, path]) => {
      expect([contracts[name]?.method, contracts[name]?.path]).toEqual([method, path]);
    },
  );
});

describe('urlOf', () => {
  it('escapes the parameters of a path', () =>
    expect(urlOf('/api/tags/files/{uuid}/tags/{tag_name}', { uuid: 'u', tag_name: 'a/b c' })).toBe(
      '/api/tags/files/u/tags/a%2Fb%20c',
    ));
  it('repeats the name for each item of a list and omits empty values', () =>
    expect(urlOf('/api/files', {}, { tag: ['a', 'b'], search: '', page: 2, type: undefined })).toBe(
      '/api/files?tag=a&tag=b&page=2',
    ));
});
