import { describe, expect, it } from '@jest/globals';
import { idValue, immutableIdOf } from './immutable-id.ts';

function idOf(attributes: Record<string, string | Buffer>): string | null {
  return immutableIdOf({
    dn: 'cn=x',
    attributes: new Map(
      Object.entries(attributes).map(([name, value]) => [name.toLowerCase(), [Buffer.from(value as string)]]),
    ),
  });
}

const guid = Buffer.from('00112233445566778899aabbccddeeff', 'hex');

describe('immutable id', () => {
  it.each([
    [{ objectGUID: guid }, 'objectGUID:33221100-5544-7766-8899-aabbccddeeff'],
    [{ entryUUID: '0E60DE8A-79f9-1041-9fc7-a5f43a6f8b1c' }, 'entryUUID:0e60de8a-79f9-1041-9fc7-a5f43a6f8b1c'],
    [{ nsUniqueId: '66446001-1DD211B2-66225011-2EE211DB' }, 'nsUniqueId:66446001-1dd211b2-66225011-2ee211db'],
    [{ ipaUniqueID: 'd3d8-aa' }, 'ipaUniqueID:d3d8-aa'],
    [{ GUID: guid }, 'GUID:00112233445566778899aabbccddeeff'],
    // Binary ids that are valid text, or begin with a byte order mark, are bytes.
    [{ objectGUID: Buffer.from('abcdefghijklmnop') }, 'objectGUID:64636261-6665-6867-696a-6b6c6d6e6f70'],
    [
      { objectGUID: Buffer.from('efbbbf30313233343536373839414243', 'hex') },
      'objectGUID:30bfbbef-3231-3433-3536-373839414243',
    ],
    // An attribute that a directory adds later does not change existing ids.
    [{ nsUniqueId: 'a-b', entryUUID: 'c-d' }, 'nsUniqueId:a-b'],
    [{ ipaUniqueID: 'e-f', nsUniqueId: 'a-b', entryUUID: 'c-d' }, 'ipaUniqueID:e-f'],
    [{ objectGUID: guid, entryUUID: 'c-d' }, 'objectGUID:33221100-5544-7766-8899-aabbccddeeff'],
    [{ cn: 'x' }, null],
  ])('%j: %s', (attributes, expected) => {
    expect(idOf(attributes)).toBe(expected);
  });

  it('is no GUID unless it has sixteen bytes', () => {
    expect(() => idOf({ objectGUID: guid.subarray(1) })).toThrow('16 bytes');
  });

  it('can be used as a binary search value', () => {
    expect(idValue('objectGUID:33221100-5544-7766-8899-aabbccddeeff')).toEqual({
      attribute: 'objectGUID',
      value: guid,
    });
    expect(idValue('GUID:00112233445566778899aabbccddeeff')).toEqual({ attribute: 'GUID', value: guid });
    expect(idValue('entryUUID:a:b')).toEqual({ attribute: 'entryUUID', value: 'a:b' });
    expect(() => idValue('uid:x')).toThrow();
  });
});
