import { describe, expect, it } from '@jest/globals';
import { isRefusedAddress, parseRanges } from './address-ranges.ts';
import { createOutboundGuard } from './outbound.ts';

const guard = createOutboundGuard();

function codeOf(work: () => unknown): string | undefined {
  try {
    work();
    return undefined;
  } catch (error) {
    return (error as { code?: string }).code;
  }
}

/** Spellings of private addresses and of forms that parsers read differently. Each must be refused before a connection. */
const hostileUrls: readonly [url: string, code: 'url_refused' | 'url_invalid'][] = [
  [`https://${'a'.repeat(64)}.example`, 'url_invalid'],
  [`https://${'a.'.repeat(127)}example`, 'url_invalid'],
  ['https://a..example', 'url_invalid'],
  ['http://127.0.0.1/a.wav', 'url_refused'],
  ['http://127.1/a.wav', 'url_refused'],
  ['http://127.0.1/a.wav', 'url_refused'],
  ['http://2130706433/a.wav', 'url_refused'],
  ['http://017700000001/a.wav', 'url_refused'],
  ['http://0177.0.0.1/a.wav', 'url_refused'],
  ['http://0x7f.0.0.1/a.wav', 'url_refused'],
  ['http://0x7f000001/a.wav', 'url_refused'],
  ['http://0x7f.1/a.wav', 'url_refused'],
  ['http://127.0.0.1./a.wav', 'url_refused'],
  ['http://%31%32%37.0.0.1/a.wav', 'url_refused'],
  ['http://127。0。0。1/a.wav', 'url_refused'],
  ['http://127．0．0．1/a.wav', 'url_refused'],
  ['http://１２７.0.0.1/a.wav', 'url_refused'],
  ['http://①②⑦.0.0.1/a.wav', 'url_refused'],
  ['http://127.255.255.254/a.wav', 'url_refused'],
  ['http://0.0.0.0/a.wav', 'url_refused'],
  ['http://0/a.wav', 'url_refused'],
  ['http://0.1.2.3/a.wav', 'url_refused'],
  ['http://10.0.0.1/a.wav', 'url_refused'],
  ['http://10.1/a.wav', 'url_refused'],
  ['http://167772161/a.wav', 'url_refused'],
  ['http://172.16.0.1/a.wav', 'url_refused'],
  ['http://172.31.255.255/a.wav', 'url_refused'],
  ['http://192.168.1.1/a.wav', 'url_refused'],
  ['http://0xc0a80101/a.wav', 'url_refused'],
  ['http://0300.0250.01.01/a.wav', 'url_refused'],
  ['http://169.254.169.254/latest/meta-data/', 'url_refused'],
  ['http://2852039166/latest/meta-data/', 'url_refused'],
  ['http://168.63.129.16/', 'url_refused'],
  ['http://100.64.0.1/a.wav', 'url_refused'],
  ['http://100.100.100.200/a.wav', 'url_refused'],
  ['http://192.0.0.192/a.wav', 'url_refused'],
  ['http://192.0.2.1/a.wav', 'url_refused'],
  ['http://192.88.99.1/a.wav', 'url_refused'],
  ['http://198.18.0.1/a.wav', 'url_refused'],
  ['http://198.51.100.7/a.wav', 'url_refused'],
  ['http://203.0.113.7/a.wav', 'url_refused'],
  ['http://224.0.0.1/a.wav', 'url_refused'],
  ['http://239.255.255.250/a.wav', 'url_refused'],
  ['http://localhost/a.wav', 'url_refused'],
  ['http://localhost./a.wav', 'url_refused'],
  ['http://LOCALHOST:8080/a.wav', 'url_refused'],
  ['http://a.localhost/a.wav', 'url_refused'],
  ['http://a.b.localhost./a.wav', 'url_refused'],
  ['http://240.0.0.1/a.wav', 'url_refused'],
  ['http://255.255.255.255/a.wav', 'url_refused'],
  ['http://[::1]/a.wav', 'url_refused'],
  ['http://[0:0:0:0:0:0:0:1]/a.wav', 'url_refused'],
  ['http://[::]/a.wav', 'url_refused'],
  ['http://[::ffff:127.0.0.1]/a.wav', 'url_refused'],
  ['http://[::ffff:7f00:1]/a.wav', 'url_refused'],
  ['http://[0:0:0:0:0:ffff:10.0.0.1]/a.wav', 'url_refused'],
  ['http://[::127.0.0.1]/a.wav', 'url_refused'],
  ['http://[::ffff:0:10.0.0.1]/a.wav', 'url_refused'],
  ['http://[64:ff9b::7f00:1]/a.wav', 'url_refused'],
  ['http://[64:ff9b::169.254.169.254]/a.wav', 'url_refused'],
  ['http://[64:ff9b:1::10.0.0.1]/a.wav', 'url_refused'],
  ['http://[2002:7f00:1::]/a.wav', 'url_refused'],
  ['http://[2002:c0a8:101::1]/a.wav', 'url_refused'],
  ['http://[2001:0:4136:e378:8000:63bf:3fff:fdd2]/a.wav', 'url_refused'],
  ['http://[fe80::1]/a.wav', 'url_refused'],
  ['http://[fec0::1]/a.wav', 'url_refused'],
  ['http://[fc00::1]/a.wav', 'url_refused'],
  ['http://[fd00:ec2::254]/latest/meta-data/', 'url_refused'],
  ['http://[ff02::1]/a.wav', 'url_refused'],
  ['http://[2001:db8::1]/a.wav', 'url_refused'],
  ['http://[100::1]/a.wav', 'url_refused'],
  ['http://[5f00::1]/a.wav', 'url_refused'],
  ['http://[fe80::1%25eth0]/a.wav', 'url_invalid'],
  ['http://[::1%lo]/a.wav', 'url_invalid'],
  ['http://user:password@example.com/a.wav', 'url_refused'],
  ['http://user@example.com/a.wav', 'url_refused'],
  ['http://:@example.com/a.wav', 'url_refused'],
  ['http://@example.com/a.wav', 'url_refused'],
  ['http://example.com@127.0.0.1/a.wav', 'url_refused'],
  ['http://example.com\\@127.0.0.1/a.wav', 'url_invalid'],
  ['http://127.0.0.1\\.example.com/a.wav', 'url_invalid'],
  ['http://exam\nple.com/a.wav', 'url_invalid'],
  ['http://example.com /a.wav', 'url_invalid'],
  ['http:///etc/passwd', 'url_invalid'],
  ['http:127.0.0.1', 'url_invalid'],
  ['//127.0.0.1/a.wav', 'url_invalid'],
  ['example.com/a.wav', 'url_invalid'],
  ['file:///etc/passwd', 'url_refused'],
  ['FILE:///etc/passwd', 'url_refused'],
  ['gopher://127.0.0.1:6379/_INFO', 'url_refused'],
  ['ftp://example.com/a.wav', 'url_refused'],
  ['data:audio/wav;base64,UklGRg==', 'url_refused'],
  ['javascript:alert(1)', 'url_refused'],
  ['concat:/etc/passwd', 'url_refused'],
  ['blob:http://example.com/1', 'url_refused'],
  ['http://example.com:22/a.wav', 'url_refused'],
  ['http://example.com:25/a.wav', 'url_refused'],
  ['http://example.com:6379/a.wav', 'url_refused'],
  ['http://example.com:4222/a.wav', 'url_refused'],
  ['http://example.com:0/a.wav', 'url_refused'],
  ['http://example.com:99999/a.wav', 'url_invalid'],
  [`http://example.com/${'x'.repeat(2_100)}`, 'url_invalid'],
];

describe('the check of a URL', () => {
  it('knows at least 60 hostile addresses', () => expect(new Set(hostileUrls).size).toBeGreaterThanOrEqual(60));

  it.each(hostileUrls)('refuses %j with %s', (url, code) => expect(codeOf(() => guard.checkUrl(url))).toBe(code));

  it.each([
    ['https://example.com/talk.mp3', 'https://example.com/talk.mp3'],
    ['HTTP://EXAMPLE.com:80/a b'.replace(' ', '%20'), 'http://example.com/a%20b'],
    ['https://example.com:8443/a?b=c#d', 'https://example.com:8443/a?b=c'],
    ['https://bücher.example/a.mp3', 'https://xn--bcher-kva.example/a.mp3'],
    ['http://93.184.215.14/a.mp3', 'http://93.184.215.14/a.mp3'],
    ['http://[2606:4700::1111]/a.mp3', 'http://[2606:4700::1111]/a.mp3'],
    [' https://example.com/a@b ', 'https://example.com/a@b'],
  ])('accepts %j', (given, href) => expect(guard.checkUrl(given).href).toBe(href));
});

describe('a checked address', () => {
  const resolving = (...addresses: string[]) =>
    createOutboundGuard({
      allowedRanges: parseRanges('10.20.0.0/16'),
      resolve: async () => addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 })),
    });

  it.each([
    ['a private one', ['192.168.0.7']],
    ['a public and a private one', ['93.184.215.14', '127.0.0.1']],
    ['a mapped private one', ['::ffff:192.168.0.7']],
    ['a public one behind NAT64', ['64:ff9b::5db8:d70e']],
    ['no address', []],
  ])('is refused when the name resolves to %s', async (_, addresses) => {
    const code = addresses.length === 0 ? 'host_unreachable' : 'url_refused';
    await expect(resolving(...addresses).checkedAddress('media.example')).rejects.toMatchObject({ code });
  });

  it('is the resolved one, IPv4 first', async () => {
    await expect(resolving('2606:4700::1111', '93.184.215.14').checkedAddress('media.example')).resolves.toEqual({
      address: '93.184.215.14',
      family: 4,
    });
  });

  it('may be private inside an allowed range, also in its mapped form', async () => {
    const allowing = resolving('10.20.3.4');
    await expect(allowing.checkedAddress('media.example')).resolves.toEqual({ address: '10.20.3.4', family: 4 });
    await expect(allowing.checkedAddress('[::ffff:10.20.3.4]')).resolves.toMatchObject({ family: 6 });
    await expect(allowing.checkedAddress('10.21.3.4')).rejects.toMatchObject({ code: 'url_refused' });
  });
});

describe('allowed ranges', () => {
  it('are addresses or networks', () => {
    const ranges = parseRanges(' 10.0.0.0/8, 127.0.0.1,fd00::/8 ');
    expect(['10.9.9.9', '127.0.0.1', 'fd12::1'].map((address) => isRefusedAddress(address, ranges))).toEqual([
      false,
      false,
      false,
    ]);
    expect(isRefusedAddress('127.0.0.2', ranges)).toBe(true);
  });

  it.each(['10.0.0.0/33', 'example.com', '10.0.0.0-10.0.0.9'])('%s is reported', (text) =>
    expect(() => parseRanges(text)).toThrow(text),
  );
});
