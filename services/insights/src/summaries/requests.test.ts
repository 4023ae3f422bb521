import { describe, expect, it } from '@jest/globals';
import { countTokens } from '../ports/model-tokens.ts';
import { budgetOf, identityOf, toRequest } from './requests.ts';

const guidance = { text: 'Name every risk.', organisationContext: 'We build bridges.', language: 'pt-BR' };
const lines = [{ number: 0, text: '[0] Anna: hello' }];

describe('a request', () => {
  it('has instructions, context and language in one message, and the transcript in another', () => {
    const { system, prompt } = toRequest('whole', guidance, lines);
    for (const part of ['Name every risk.', 'We build bridges.', 'Brazilian Portuguese'])
      expect(system).toContain(part);
    expect(system).not.toContain('hello');
    expect(prompt).toMatch(/^DATA-[0-9a-f]{24}\n\[0\] Anna: hello\nEND-DATA-[0-9a-f]{24}$/);
  });

  it('is written in the language of the recording unless another one is chosen', () => {
    expect(toRequest('whole', { ...guidance, language: null }, lines).system).toContain('language of the recording');
  });

  it('has an identity that is the same for the same content, and another for other instructions', () => {
    const identity = identityOf('section', guidance, lines);
    expect(identityOf('section', { ...guidance }, [...lines])).toBe(identity);
    expect(identityOf('combine', guidance, lines)).not.toBe(identity);
    expect(identityOf('section', { ...guidance, language: 'de' }, lines)).not.toBe(identity);
  });
});

describe('the use of a window', () => {
  it.each([4_096, 8_192, 32_768, 128_000])('of %d tokens leaves room for instructions, schema and answer', (tokens) => {
    const { room, maxOutputTokens } = budgetOf(tokens, guidance, countTokens);
    const { system, prompt } = toRequest('combine', guidance, []);
    expect(room).toBeGreaterThan(256);
    expect(countTokens(system) + countTokens(prompt) + (room ?? 0) + maxOutputTokens).toBeLessThan(tokens);
  });

  it('is impossible with instructions that fill it', () => {
    const text = 'Name every risk. '.repeat(800);
    expect(budgetOf(4_096, { ...guidance, text }, countTokens).room).toBeNull();
  });
});
