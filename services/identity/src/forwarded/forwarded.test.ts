import { describe, expect, it } from '@jest/globals';
import { readForwarded, malformedBlocks } from './forwarded.ts';

const wanted = [
  { name: 'X-Forwarded-User', maxBytes: 20 },
  { name: 'X-Forwarded-Groups', maxBytes: 40, commas: true },
];

function read(headers: string[], peer = '10.0.0.1', list = '10.0.0.0/8') {
  return readForwarded({ peer, headers }, list, wanted);
}

function faultOf(headers: string[], peer?: string, list?: string) {
  const judged = read(headers, peer, list);
  return judged.ok ? 'trusted' : judged.reason;
}

const user = ['X-Forwarded-User', 'una'];

describe('the peer that forwards', () => {
  it.each([
    ['10.0.0.1', '10.0.0.1', 'trusted'],
    ['10.0.0.1', '10.0.0.0/8', 'trusted'],
    ['::ffff:10.0.0.1', '10.0.0.0/8', 'trusted'],
    ['::FFFF:10.0.0.1', '10.0.0.1/32', 'trusted'],
    ['::ffff:a00:1', '10.0.0.1', 'trusted'],
    ['10.0.0.1', '::ffff:10.0.0.1', 'trusted'],
    ['10.0.0.1', '::ffff:10.0.0.0/104', 'trusted'],
    ['2001:db8::1', '2001:db8::/32', 'trusted'],
    ['2001:0db8:0:0::1', '2001:db8::1', 'trusted'],
    ['fe80::1%eth0', 'fe80::/10', 'trusted'],
    ['10.0.0.1', '192.0.2.1, 10.0.0.0/24\n2001:db8::/32', 'trusted'],
    ['11.0.0.1', '10.0.0.0/8', 'identity_header_from_untrusted_peer'],
    ['::ffff:11.0.0.1', '10.0.0.0/8', 'identity_header_from_untrusted_peer'],
    ['2001:db9::1', '2001:db8::/32', 'identity_header_from_untrusted_peer'],
    ['', '10.0.0.0/8', 'identity_header_from_untrusted_peer'],
    ['10.0.0.1 ', '10.0.0.1', 'identity_header_from_untrusted_peer'],
    ['10.0.0.1', '', 'no_trusted_proxies'],
    ['10.0.0.1', ' , ', 'no_trusted_proxies'],
    ['10.0.0.1', '10.0.0.0/33', 'malformed_trusted_proxies'],
    ['10.0.0.1', '10.0.0.1, proxy.example.org', 'malformed_trusted_proxies'],
    ['10.0.0.1', '10.0.0.0/8/8', 'malformed_trusted_proxies'],
    ['10.0.0.1', '10.0.0.0/', 'malformed_trusted_proxies'],
    ['10.0.0.1', '010.0.0.1', 'malformed_trusted_proxies'],
    ['10.0.0.1', '*', 'malformed_trusted_proxies'],
  ])('%j against the list %j is %s', (peer, list, expected) => {
    expect(faultOf(user, peer, list)).toBe(expected);
  });

  it('is reported as untrusted only, without identity headers', () => {
    expect(faultOf(['Accept', '*/*'], '11.0.0.1')).toBe('untrusted_peer');
  });

  it('is the peer of the socket; X-Forwarded-For is ignored', () => {
    expect(faultOf([...user, 'X-Forwarded-For', '10.0.0.1', 'Forwarded', 'for=10.0.0.1'], '11.0.0.1')).toBe(
      'identity_header_from_untrusted_peer',
    );
  });

  it('is configured by a list whose entries are checked', () => {
    expect(malformedBlocks('10.0.0.1, ::1/128 nonsense;10.0.0.0/40')).toEqual(['nonsense', '10.0.0.0/40']);
  });
});

describe('an identity header', () => {
  it('is read by its case-insensitive name, as UTF-8', () => {
    const judged = read(['x-forwarded-user', Buffer.from('Ünal').toString('latin1'), 'X-FORWARDED-GROUPS', 'a, b']);
    expect(judged.ok && [...judged.values]).toEqual([
      ['X-Forwarded-User', 'Ünal'],
      ['X-Forwarded-Groups', 'a, b'],
    ]);
  });

  it.each([
    ['duplicate', [...user, ...user]],
    ['duplicate', [...user, 'x-forwarded-user', 'root']],
    ['duplicate', ['X-Forwarded-Groups', 'a', 'X-Forwarded-Groups', 'b']],
    ['joined', ['X-Forwarded-User', 'una, root']],
    ['joined', ['X-Forwarded-User', 'una,']],
    ['variant', ['X_Forwarded_User', 'root']],
    ['variant', [...user, 'X-Forwarded_User', 'root']],
    ['variant', ['X_FORWARDED_USER', 'root', ...user]],
    ['variant', ['XForwardedUser', 'root']],
    ['variant', ['X%2DForwarded%2DUser', 'root']],
    ['variant', ['X-Forwarded-%55ser', 'root']],
    ['variant', ['X.Forwarded.User', 'root']],
    ['variant', ['X-Forwarded-User-', 'root']],
    ['variant', ['X_Forwarded_Groups', 'admins']],
    ['hop_by_hop', [...user, 'Connection', 'close, X-Forwarded-User']],
    ['hop_by_hop', ['Connection', 'x_forwarded_user', ...user]],
    ['hop_by_hop', [...user, 'Proxy-Connection', 'X-Forwarded-User']],
    ['control', ['X-Forwarded-User', 'una\troot']],
    ['control', ['X-Forwarded-User', 'una\u007f']],
    ['control', ['X-Forwarded-User', Buffer.from('una\u202e').toString('latin1')]],
    ['control', ['X-Forwarded-User', Buffer.from('una\u200b').toString('latin1')]],
    ['encoding', ['X-Forwarded-User', Buffer.from('una\u00a0').toString('latin1')]],
    ['encoding', ['X-Forwarded-User', 'una\u00ff']],
    ['encoding', ['X-Forwarded-User', '=?UTF-8?B?dW5h?=']],
    ['too_long', ['X-Forwarded-User', 'u'.repeat(21)]],
    ['too_long', ['X-Forwarded-Groups', 'g,'.repeat(21)]],
    ['cross_site', [...user, 'Sec-Fetch-Site', 'cross-site']],
  ])('is refused as %s: %j', (fault, headers) => {
    expect(faultOf(headers)).toBe(fault);
  });

  it('is not confused with one of another name', () => {
    expect(faultOf([...user, 'X-Forwarded-For', 'root', 'X-Remote-User', 'root', 'Connection', 'close'])).toBe(
      'trusted',
    );
  });
});

describe('fifty thousand manipulated request heads', () => {
  // A fixed seed: every run generates the same heads.
  let seed = 20_261_121;
  const random = (below: number): number => {
    seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) >>> 0;
    return seed % below;
  };
  const pick = <T>(list: readonly T[]): T => list[random(list.length)] as T;
  const respell = (name: string): string =>
    name
      .split('')
      .map((part) => (part === '-' ? pick(['-', '_', '.', '', '--', '%2D', '%5f', '~', '+']) : part))
      .map((config) => (random(2) ? config.toUpperCase() : config.toLowerCase()))
      .join('')
      .replace(/(?<=s)e/i, (match) => pick([match, '%65', '%45']));
  const noise = ['Accept', 'X-Forwarded-For', 'X-Real-User', 'Forwarded', 'X-User', 'Via', 'X-Forwarded-Host'];

  it('assert only the identity of the one header in its own spelling', () => {
    for (let i = 0; i < 50_000; i++) {
      const heads = Array.from({ length: 1 + random(4) }, (): [string, string] => [
        random(3) ? respell('X-Forwarded-User') : pick(noise),
        pick(['una', 'root', 'una, root', 'ro\u00adot', 'root\u0000', ' root', '', '=?x?q?root?=']),
      ]);
      const judged = read(heads.flat());
      const own = heads.filter(([name]) => name.toLowerCase() === 'x-forwarded-user');
      const named = judged.ok ? judged.values.get('X-Forwarded-User') : undefined;
      if (named === undefined) continue;
      expect([own.length, named]).toEqual([1, own[0]?.[1]]);
      expect(['una', 'root', '']).toContain(named);
      expect(heads.filter(([name]) => /user$/i.test(name) && !noise.includes(name))).toHaveLength(1);
    }
  });
});
