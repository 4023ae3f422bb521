import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { z } from 'zod';
import { faultsIn, readEnv, serviceEnv } from './env.ts';

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

  it.each([
    ['LOG_LEVEL', 'loud', 'LOG_LEVEL=loud is not valid: it must be one of trace, debug, info, warn, error, fatal'],
    ['API_PORT', '70000', 'API_PORT=70000 is not valid: it must be a whole number from 0 to 65535'],
    ['DRAIN_DELAY_MS', 'soon', 'DRAIN_DELAY_MS=soon is not valid: it must be a whole number of at least 0'],
    ['STANDBY', 'maybe', 'STANDBY=maybe is not valid: it must be true or false'],
    ['OTEL_EXPORTER_OTLP_ENDPOINT', 'there', 'OTEL_EXPORTER_OTLP_ENDPOINT=there is not valid: it must be an address'],
  ])('names %s, its value and what is allowed', (name, value, text) => {
    const ports = { API_PORT: '0', INTERNAL_PORT: '0' };
    expect(() => readEnv(serviceEnv, { ...ports, [name]: value })).toThrow(text);
    expect(faultsIn(serviceEnv, { [name]: value })).toEqual([{ name, fault: expect.stringContaining(text) }]);
  });

  it('never shows the value of a secret', () => {
    const read = () => readEnv({ JWT_SECRET_KEY: z.string().min(32) }, { JWT_SECRET_KEY: 'short-secret' });
    expect(read).toThrow('JWT_SECRET_KEY=(not shown) is not valid: it must be text of at least 32 characters');
  });

  it('names the variable of a file that cannot be read', () => {
    expect(() => readEnv(shape, { NAME_FILE: '/nowhere/secret' })).toThrow('NAME_FILE=/nowhere/secret');
    expect(faultsIn(shape, { NAME_FILE: '/nowhere/secret' })).toHaveLength(1);
  });

  it('finds no fault in variables that are not set', () => {
    expect(faultsIn(serviceEnv, {})).toEqual([]);
  });

  it('takes an empty value as not given', () => {
    expect(readEnv(shape, { NAME: 'a', LIMIT: '' }).LIMIT).toBe(3);
  });

  it('accepts log levels in any case', () => {
    const ports = { API_PORT: '0', INTERNAL_PORT: '0' };
    expect(readEnv(serviceEnv, { ...ports, LOG_LEVEL: 'WARN' }).LOG_LEVEL).toBe('warn');
  });
});
