import { describe, expect, it } from '@jest/globals';
import { commandOf } from './keyboard.ts';

const key = (name: string, more: object = {}) => ({
  key: name,
  ctrlKey: false,
  metaKey: false,
  altKey: false,
  ...more,
});
const nowhere = { typing: false, onControl: false };

describe('commandOf', () => {
  it.each([
    [' ', { name: 'toggle' }],
    ['K', { name: 'toggle' }],
    ['j', { name: 'skip', seconds: -10 }],
    ['ArrowRight', { name: 'skip', seconds: 5 }],
    ['ArrowUp', { name: 'step', by: -1 }],
    ['?', { name: 'help' }],
  ])('of %p is %j', (name, command) => expect(commandOf(key(name), nowhere)).toEqual(command));
  it('leaves typing alone', () => expect(commandOf(key('k'), { typing: true, onControl: false })).toBeNull());
  it.each([
    ['F7', {}, { name: 'skip', seconds: -5 }],
    ['F8', {}, { name: 'toggle' }],
    ['F9', {}, { name: 'skip', seconds: 5 }],
    [' ', { ctrlKey: true }, { name: 'toggle' }],
  ])('of %p with %j while typing is %j', (name, more, command) =>
    expect(commandOf(key(name, more), { typing: true, onControl: false })).toEqual(command),
  );
  it('leaves F8 with Alt alone', () => expect(commandOf(key('F8', { altKey: true }), nowhere)).toBeNull());
  it('leaves the keys of the browser alone', () => expect(commandOf(key('l', { ctrlKey: true }), nowhere)).toBeNull());
  it('leaves space and arrows to the control in focus', () => {
    const control = { typing: false, onControl: true };
    expect([commandOf(key(' '), control), commandOf(key('ArrowLeft'), control)]).toEqual([null, null]);
    expect(commandOf(key('j'), control)).toEqual({ name: 'skip', seconds: -10 });
  });
  it('does nothing for other keys', () => expect(commandOf(key('Escape'), nowhere)).toBeNull());
});
