import { describe, expect, it } from '@jest/globals';
import { bodyOf, listOf, moved, newProvider } from './providers.ts';

describe('the list of providers', () => {
  it('gives each new provider a name of its own', () => {
    const first = newProvider('pocketsphinx', []);
    expect([first.name, newProvider('pocketsphinx', [first]).name]).toEqual(['PocketSphinx', 'PocketSphinx 2']);
  });
  it('sends a key only when it was entered or is to be deleted', () => {
    const provider = newProvider('openai-compatible', []);
    expect(bodyOf(provider, {})).not.toHaveProperty('api_key');
    expect(bodyOf(provider, { [provider.id]: null })).toMatchObject({ api_key: null });
  });
  it('moves a provider up and down, and not beyond the ends', () => {
    expect(moved(['a', 'b', 'c'], 2, -1)).toEqual(['a', 'c', 'b']);
    expect(moved(['a', 'b', 'c'], 0, -1)).toEqual(['a', 'b', 'c']);
    expect(moved(['a', 'b', 'c'], 2, 1)).toEqual(['a', 'b', 'c']);
  });
  it('reads lists separated by commas or lines, each word once', () => {
    expect(listOf('de, fr\nde,,')).toEqual(['de', 'fr']);
  });
});
