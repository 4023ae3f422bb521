import { describe, expect, it } from '@jest/globals';
import { createTerminal } from './terminal.ts';

function written(isTTY: boolean, noColor?: string) {
  const parts: string[] = [];
  return { parts, terminal: createTerminal({ isTTY, write: (text: string) => parts.push(text) }, noColor) };
}

describe('terminal', () => {
  it('writes plain lines into a file', () => {
    const { parts, terminal } = written(false);
    terminal.busy('starting');
    terminal.done('ready');
    expect(parts).toEqual(['✓ ready\n']);
  });

  it('writes plain lines when colours are disabled', () => {
    const { parts, terminal } = written(true, '1');
    terminal.busy('starting');
    terminal.fail('no');
    expect(parts).toEqual(['✗ no\n']);
  });

  it('clears the progress before the next line', () => {
    const { parts, terminal } = written(true);
    terminal.busy('starting');
    terminal.done('ready');
    expect(parts.join('')).toContain('starting\r\u001B[K');
    expect(parts.at(-1)).toMatch(/✓.* ready\n$/);
  });
});
