import { describe, expect, it } from '@jest/globals';
import { isAppError } from '../errors.ts';
import { checkHeaderSizes, maxHeaderBytes } from './header-limits.ts';

function codeOf(raw: string[]): string | undefined {
  try {
    checkHeaderSizes(raw);
    return undefined;
  } catch (error) {
    return isAppError(error) ? error.code : String(error);
  }
}
const long = 'x'.repeat(maxHeaderBytes + 1);

describe('header fields', () => {
  it.each(['Range', 'If-None-Match', 'Accept', 'Content-Type', 'X-Request-Id', 'X-Other', 'User-Agent', 'Origin'])(
    'named %s have at most 1 KiB',
    (name) => {
      expect(codeOf(['Host', 'a', name, long])).toBe('header_too_large');
      expect(codeOf([name, 'x'.repeat(maxHeaderBytes - name.length)])).toBeUndefined();
    },
  );

  it.each(['Cookie', 'Authorization', 'Referer', 'Upload-Metadata', 'X-Client-Cert-Chain', 'X-Forwarded-Groups'])(
    'named %s may be longer',
    (name) => {
      expect(codeOf([name, long])).toBeUndefined();
    },
  );

  it('count together with those of the same name', () => {
    const lines = Array.from({ length: 3 }, () => ['Range', 'x'.repeat(400)]).flat();
    expect(codeOf(lines)).toBe('header_too_large');
  });

  it('count with their names', () => {
    expect(codeOf([long, ''])).toBe('header_too_large');
  });
});
