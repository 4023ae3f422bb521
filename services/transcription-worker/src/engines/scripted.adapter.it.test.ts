import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { engineContract } from '../../test/engine-contract.ts';
import { createScripted, inventedWords } from './scripted.adapter.ts';
import type { SpeechEngine } from './engines.ts';
import { checkEngines, noteOf } from './selection.ts';

engineContract('scripted', () => Promise.resolve({ engine: createScripted('1') }));

describe('a scripted engine', () => {
  it('returns its words for any recording', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'script-'));
    const words = [{ word: 'hello', start: 0, end: 1, confidence: 0.5 }];
    await writeFile(join(folder, 's.json'), JSON.stringify({ language: 'de', words }));
    const result = await createScripted(join(folder, 's.json')).transcribe({
      wavPath: '/nowhere.wav',
      seconds: 5,
      language: null,
    });
    expect(result).toMatchObject({ language: 'de', words, engine: { provider: 'scripted' } });
    await rm(folder, { recursive: true });
  });

  it('generates the same words for the same length', () => {
    expect(inventedWords(60)).toEqual(inventedWords(60));
    expect(inventedWords(60).length).toBeGreaterThan(100);
  });
});

describe('choosing an engine', () => {
  const broken = {
    ...createScripted('1'),
    id: 'broken',
    check: () => Promise.resolve({ ready: false as const, why: 'it is broken' }),
  };

  const candidatesOf = (...engines: SpeechEngine[]) => engines.map((engine) => ({ engine, provider: null }));

  it('selects the first ready engine', async () => {
    const checked = await checkEngines(candidatesOf(broken, createScripted('1')), undefined);
    expect(checked.find(({ state }) => state.ready)?.engine.id).toBe('scripted');
    expect(noteOf(checked, undefined)).toBeNull();
  });

  it('selects only the requested engine, with the reason when it is missing', async () => {
    const only = await checkEngines(candidatesOf(broken, createScripted('1')), 'broken');
    expect(only.map(({ state }) => state.ready)).toEqual([false]);
    expect(noteOf(only, 'broken')).toBe('it is broken');
    expect(noteOf(await checkEngines(candidatesOf(broken), 'magic'), 'magic')).toContain('magic');
  });
});
