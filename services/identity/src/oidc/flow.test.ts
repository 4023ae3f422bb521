import { describe, expect, it } from '@jest/globals';
import { effective } from '../settings/settings.ts';
import { createFlowCookies, flowCookiesOf, flowSeconds, newFlow, type Flow } from './flow.ts';

const flows = createFlowCookies('a secret of this test that is long enough');

const settings = effective(new Map(), {}).values;

function flow(change: Partial<Flow> = {}): Flow {
  return { ...newFlow(settings), ...change };
}

function jarOf(...cookies: string[]) {
  return flowCookiesOf(cookies.map((cookie) => cookie.split(';')[0]).join('; '));
}

function read(jar: Map<string, string>, state: string, secure = true, now = Date.now()) {
  return flows.read(jar, state, secure, now);
}

describe('the cookie of a pending sign-in', () => {
  it('returns the flow to the browser that started it, and is encrypted', () => {
    const mine = flow();
    const cookie = flows.seal(mine, true);
    expect(read(jarOf(cookie), mine.state)).toEqual({ ok: true, flow: mine });
    for (const hidden of [mine.state, mine.nonce, mine.verifier]) {
      expect(cookie).not.toContain(hidden);
      expect(Buffer.from(cookie.split(/[=;]/)[1] ?? '', 'base64url').includes(hidden)).toBe(false);
    }
  });

  it('is bound to the host over HTTPS, HttpOnly, and SameSite=Lax', () => {
    expect(flows.seal(flow(), true)).toMatch(
      /^__Host-oidc_flow_[\w-]{16}=[\w-]+; Path=\/; Max-Age=600; HttpOnly; SameSite=Lax; Secure$/,
    );
    expect(flows.seal(flow(), false)).toMatch(
      /^oidc_flow_[\w-]{16}=[\w-]+; Path=\/; Max-Age=600; HttpOnly; SameSite=Lax$/,
    );
  });

  it('has 256 random bits in each of its three secrets', () => {
    const secrets = Array.from({ length: 400 }, () => flow()).flatMap(({ state, nonce, verifier }) => [
      state,
      nonce,
      verifier,
    ]);
    expect(new Set(secrets).size).toBe(1_200);
    expect(Buffer.from(secrets[0] as string, 'base64url')).toHaveLength(32);
  });

  it('is separate for every tab', () => {
    const [one, two] = [flow(), flow()];
    const jar = jarOf(flows.seal(one, true), flows.seal(two, true));
    expect(read(jar, one.state)).toEqual({ ok: true, flow: one });
    expect(read(jar, two.state)).toEqual({ ok: true, flow: two });
  });

  it.each([
    ['not there', () => new Map<string, string>(), 'not_this_browser'],
    ['of another state', (_c: string) => jarOf(flows.seal(flow(), true)), 'not_this_browser'],
    [
      'made with another key',
      (_c: string, flow: Flow) => jarOf(createFlowCookies('x'.repeat(40)).seal(flow, true)),
      'forged',
    ],
    [
      'changed in one bit',
      (text: string) =>
        jarOf(
          text.replace(
            /=(.{20})./,
            (_m, group: string) => `=${group}${text[text.indexOf('=') + 21] === 'A' ? 'B' : 'A'}`,
          ),
        ),
      'forged',
    ],
    ['empty', (text: string) => jarOf(`${text.split('=')[0]}=`), 'forged'],
    ['cut short', (text: string) => jarOf(text.split(';')[0]?.slice(0, -30) ?? ''), 'forged'],
    [
      'moved to the name of another',
      (text: string) => {
        const other = flow();
        return new Map([
          [flows.seal(other, true).split('=')[0] as string, text.split(/[=;]/)[1] as string],
          ['state', other.state],
        ]);
      },
      'forged',
    ],
  ])('is refused when it is %s', (_name, jarFor, reason) => {
    const mine = flow();
    const jar = jarFor(flows.seal(mine, true), mine);
    expect(read(jar, jar.get('state') ?? mine.state)).toEqual({ ok: false, reason });
  });

  it('expires after ten minutes', () => {
    const mine = flow();
    const jar = jarOf(flows.seal(mine, true));
    expect(read(jar, mine.state, true, mine.startedAt + flowSeconds * 1000).ok).toBe(true);
    expect(read(jar, mine.state, true, mine.startedAt + flowSeconds * 1000 + 1)).toEqual({
      ok: false,
      reason: 'expired',
    });
  });

  it('of plain HTTP is rejected over HTTPS', () => {
    const mine = flow();
    expect(read(jarOf(flows.seal(mine, false)), mine.state, true)).toEqual({ ok: false, reason: 'not_this_browser' });
  });

  it('is removed when there are too many, the oldest first', () => {
    const names = Array.from({ length: 7 }, () => flows.seal(flow(), true).split('=')[0] as string);
    const cleared = flows.clearOld(new Map(names.map((name) => [name, 'v'])), true);
    expect(cleared.map((claims) => claims.split('=')[0])).toEqual(names.slice(0, 3));
    expect(cleared.every((claims) => claims.includes('Max-Age=0'))).toBe(true);
  });
});
