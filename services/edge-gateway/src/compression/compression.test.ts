import { describe, expect, it } from '@jest/globals';
import { negotiate } from './compression.ts';

describe('negotiate', () => {
  it.each([
    [undefined, undefined],
    ['', undefined],
    ['identity', undefined],
    ['deflate, compress', undefined],
    ['gzip', 'gzip'],
    ['x-gzip', 'gzip'],
    ['GZIP', 'gzip'],
    ['gzip, deflate, br, zstd', 'zstd'],
    ['gzip, deflate, br', 'br'],
    ['zstd;q=0.1, br;q=0.5, gzip;q=0.9', 'gzip'],
    ['br;q=1.0, gzip;q=0.8, *;q=0.1', 'br'],
    ['br;q=0, gzip', 'gzip'],
    ['zstd;q=0.000, *', 'br'],
    ['*', 'zstd'],
    ['*;q=0', undefined],
    ['identity, gzip;q=0.5', undefined],
    ['identity;q=0.5, gzip;q=0.5', 'gzip'],
    ['identity;q=0, gzip', 'gzip'],
    ['gzip;q=2', undefined],
    ['gzip;q=', undefined],
    ['br ; q=0.5 , gzip ; q=1', 'gzip'],
  ])('answers Accept-Encoding %j with %s', (accept, encoding) => {
    expect(negotiate(accept)).toBe(encoding);
  });
});
