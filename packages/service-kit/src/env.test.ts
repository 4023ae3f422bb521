import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { z } from 'zod';
import { readEnv, serviceEnv } from './env.ts';

const shape = { NAME: z.string(), LIMIT: z.coerce.number().int().default(3) };

describe('environment', () => {
  it('fills defaults and freezes the result', () => {
    const env = readEnv(shape, { NAME: 'a' });
    expect(env).toEqual({ NAME: 'a', LIMIT: 3 });
    expect(Object.isFrozen(env)).toBe(true);
  });

  it('reads a value from the file that NAME_FILE names', () => {
    const file = join(mkdtempSync(join(tmpdir(), 'ot-env-')), 'secret');
    writeFileSync(file, 'from-file\n');
    expect(readEnv(shape, { NAME_FILE: file }).NAME).toBe('from-file');
  });

  it('names every faulty variable at once', () => {
    expect(() => readEnv(shape, { LIMIT: 'many' })).toThrow(/NAME.*LIMIT/);
  });

  it('takes an empty value as not given', () => {
    expect(readEnv(shape, { NAME: 'a', LIMIT: '' }).LIMIT).toBe(3);
  });

  it('accepts log levels in any case', () => {
    const ports = { API_PORT: '0', INTERNAL_PORT: '0' };
    expect(readEnv(serviceEnv, { ...ports, LOG_LEVEL: 'WARN' }).LOG_LEVEL).toBe('warn');
  });
});
