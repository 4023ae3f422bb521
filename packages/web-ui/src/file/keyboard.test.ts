import { describe, expect, it } from '@jest/globals';
import { commandOf } from './keyboard.ts';

function key(name: string, more: object = {}) {
  return {
    key: name,
    ctrlKey: false,
    metaKey: false,
    altKey: false,
    shiftKey: false,
    ...more,
  };
}

const nowhere = { typing: false, onControl: false };

describe('commandOf', () => {
  it.each([
    [' ', { name: 'toggle' }],
    ['K', { name: 'toggle' }],
    ['j', { name: 'skip', seconds: -10 }],
    ['ArrowRight', { name: 'skip', seconds: 5 }],
    ['ArrowUp', { name: 'step', by: -1 }],
    ['u', { name: 'uncertain', by: 1 }],
    ['?', { name: 'help' }],
  ])('maps %p to %j', (name, command) => expect(commandOf(key(name), nowhere)).toEqual(command));
  it('goes back to the previous uncertain word with Shift', () =>
    expect(commandOf(key('U', { shiftKey: true }), nowhere)).toEqual({ name: 'uncertain', by: -1 }));
  it('ignores letters while typing', () => expect(commandOf(key('k'), { typing: true, onControl: false })).toBeNull());
  it.each([
    ['F7', {}, { name: 'skip', seconds: -5 }],
    ['F8', {}, { name: 'toggle' }],
    ['F9', {}, { name: 'skip', seconds: 5 }],
    [' ', { ctrlKey: true }, { name: 'toggle' }],
    ['f', { ctrlKey: true }, { name: 'find' }],
  ])('maps %p with %j to %j while typing', (name, more, command) =>
    expect(commandOf(key(name, more), { typing: true, onControl: false })).toEqual(command),
  );
  it.each([
    ['F7', 'slower'],
    ['F8', 'loop'],
    ['F9', 'faster'],
  ])('maps Shift and %p to %s, also in a field', (name, command) => {
    const pressed = key(name, { shiftKey: true });
    expect(commandOf(pressed, { typing: true, onControl: false })).toEqual({ name: command });
  });
  it.each([
    ['c', 'comment'],
    ['h', 'highlight'],
    ['g', 'code'],
  ])('maps Alt and %p to %s as the text does, and leaves it to a field', (name, command) => {
    const pressed = key(name, { altKey: true });
    expect(commandOf(pressed, nowhere)).toEqual({ name: command });
    expect(commandOf(pressed, { typing: true, onControl: false })).toBeNull();
  });
  it('ignores F8 with Alt', () => expect(commandOf(key('F8', { altKey: true }), nowhere)).toBeNull());
  it('ignores shortcuts of the browser', () => expect(commandOf(key('l', { ctrlKey: true }), nowhere)).toBeNull());
  it.each([
    ['z', false, 'undo'],
    ['Z', true, 'redo'],
    ['y', false, 'redo'],
  ])('maps Ctrl and %p (Shift: %p) to %s, but not in a field, where the browser uses it', (name, shiftKey, command) => {
    const pressed = key(name, { ctrlKey: true, shiftKey });
    expect(commandOf(pressed, nowhere)).toEqual({ name: command });
    expect(commandOf(pressed, { typing: true, onControl: false })).toBeNull();
  });
  it('leaves Space and the arrow keys to the focused control', () => {
    const control = { typing: false, onControl: true };
    expect([commandOf(key(' '), control), commandOf(key('ArrowLeft'), control)]).toEqual([null, null]);
    expect(commandOf(key('j'), control)).toEqual({ name: 'skip', seconds: -10 });
  });
  it('ignores other keys', () => expect(commandOf(key('Escape'), nowhere)).toBeNull());
});
