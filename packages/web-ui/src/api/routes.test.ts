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
import { sweepLines } from './sweep.ts';
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
  it.each(Object.entries({ ...routes, ...identityLines, ...operationsLines, ...sweepLines }))(
    'calls %s as the contracts say',
    (name, [method, path]) => {
      expect([contracts[name]?.method, contracts[name]?.path]).toEqual([method, path]);
    },
  );
});

describe('urlOf', () => {
  it('escapes what stands in a path', () =>
    expect(urlOf('/api/tags/files/{uuid}/tags/{tag_name}', { uuid: 'u', tag_name: 'a/b c' })).toBe(
      '/api/tags/files/u/tags/a%2Fb%20c',
    ));
  it('repeats the name of a list and leaves out what is not set', () =>
    expect(urlOf('/api/files', {}, { tag: ['a', 'b'], search: '', page: 2, type: undefined })).toBe(
      '/api/files?tag=a&tag=b&page=2',
    ));
});
