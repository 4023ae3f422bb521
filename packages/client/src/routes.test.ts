import { describe, expect, it } from '@jest/globals';
import { urlOf } from './routes.ts';

describe('urlOf', () => {
  it('escapes the parameters of a path', () =>
    expect(urlOf('DELETE /api/tags/files/{uuid}/tags/{tag_name}', { params: { uuid: 'u', tag_name: 'a/b c' } })).toBe(
      '/api/tags/files/u/tags/a%2Fb%20c',
    ));
  it('repeats the name for each item of a list and omits empty values', () =>
    expect(urlOf('GET /api/files', { query: { tag: ['a', 'b'], search: '', page: 2, file_type: undefined } })).toBe(
      '/api/files?tag=a&tag=b&page=2',
    ));
});
