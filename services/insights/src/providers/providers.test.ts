import { describe, expect, it } from '@jest/globals';
import type { ModelProviderKind } from '@overtone/contracts';
import { z } from 'zod';
import { hostOf, windowOf } from './providers.ts';
import { parseAnswer, toAnswerSchema } from './structured.ts';

describe('windowOf', () => {
  it.each<[ModelProviderKind, number | null, number | null, number, string]>([
    ['ollama', null, null, 4_096, 'usual'],
    ['ollama', null, 131_072, 16_384, 'server'],
    ['ollama', 65_536, 131_072, 65_536, 'entered'],
    ['openai-compatible', null, 32_768, 32_768, 'server'],
    ['openai-compatible', 4_096, 32_768, 4_096, 'entered'],
    ['openai', null, null, 128_000, 'usual'],
    ['anthropic', null, null, 200_000, 'usual'],
  ])('of %s, entered %p, reported %p: %i tokens (%s)', (kind, contextTokens, askedTokens, tokens, source) => {
    expect(windowOf({ kind, contextTokens, askedTokens })).toEqual({ tokens, source });
  });
});

describe('hostOf', () => {
  it('names the server, also the public one of a kind without an address', () => {
    expect(hostOf({ kind: 'anthropic', baseUrl: '' })).toBe('api.anthropic.com');
    expect(hostOf({ kind: 'ollama', baseUrl: 'http://10.0.0.1:11434/api' })).toBe('10.0.0.1:11434');
  });
});

describe('a structured answer', () => {
  const schema = z.object({ title: z.string().max(20), due: z.string().nullable() });

  it('is described to the model as a JSON schema without its own address', () => {
    expect(toAnswerSchema(schema)).toMatchObject({ type: 'object', required: ['title', 'due'] });
    expect(toAnswerSchema(schema)).not.toHaveProperty('$schema');
  });

  it.each([
    ['{"title": "a", "due": null}', true],
    ['```json\n{"title": "a", "due": null}\n```', true],
    ['{"title": "a"}', false],
    ['{"title": "a much too long title", "due": null}', false],
    ['Here it is: {"title": "a", "due": null}', false],
    ['{"title": "a', false],
    ['', false],
  ])('%j fits its schema: %p', (text, fits) => {
    expect(parseAnswer(schema, text) !== undefined).toBe(fits);
  });
});
