import { describe, expect, it } from '@jest/globals';
import { hostOf } from './labels.ts';

describe('hostOf', () => {
  it('names the server that receives passages, also the public one of a kind without an address', () => {
    expect(hostOf({ kind: 'ollama', base_url: 'http://ollama.example.org:11434' })).toBe('ollama.example.org:11434');
    expect(hostOf({ kind: 'openai', base_url: '' })).toBe('api.openai.com');
    expect(hostOf({ kind: 'anthropic', base_url: 'https://proxy.example.org/v1' })).toBe('proxy.example.org');
  });
});
