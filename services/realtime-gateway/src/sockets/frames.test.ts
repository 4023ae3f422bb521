import { expect, it } from '@jest/globals';
import { outgoing, textFrame } from './frames.ts';

it('encodes the length of a frame in bytes, in the shortest form (RFC 6455, 5.2)', () => {
  expect([...textFrame('hé')]).toEqual([0x81, 3, 0x68, 0xc3, 0xa9]);
  expect([...textFrame('x'.repeat(125)).subarray(0, 2)]).toEqual([0x81, 125]);
  expect([...textFrame('x'.repeat(126)).subarray(0, 4)]).toEqual([0x81, 126, 0, 126]);
  expect([...textFrame('x'.repeat(65_536)).subarray(0, 10)]).toEqual([0x81, 127, 0, 0, 0, 0, 0, 1, 0, 0]);
});

it('encodes a message once per protocol', () => {
  const out = outgoing({ type: 'pong', data: {} });
  expect(out.frame()).toBe(out.frame());
  expect(out.packet()).toBe(out.packet());
  expect(out.packet().text).toBe('2["pong",{"type":"pong","data":{}}]');
});
