import { expect, it } from '@jest/globals';
import { isValidElement } from 'react';
import { lazyPage, retryFailedPages } from './lazy-page.tsx';

function Page() {
  return null;
}

it('renders a page after its code was loaded', async () => {
  const Lazy = lazyPage(() => Promise.resolve(Page));
  await Lazy.preload();
  expect(isValidElement(Lazy({}))).toBe(true);
});
it('throws an outage error when the code of a page cannot be fetched', async () => {
  const Lazy = lazyPage(() => Promise.reject(new TypeError('Failed to fetch dynamically imported module: /a.js')));
  await Lazy.preload();
  expect(() => Lazy({})).toThrow(expect.objectContaining({ status: 0, code: 'unreachable' }));
});
it('renders a page after a successful retry', async () => {
  let online = false;
  const Lazy = lazyPage(() => (online ? Promise.resolve(Page) : Promise.reject(new TypeError('offline'))));
  await Lazy.preload();
  online = true;
  await retryFailedPages();
  expect(isValidElement(Lazy({}))).toBe(true);
});
it('fetches the code once for concurrent callers', async () => {
  let fetches = 0;
  const Lazy = lazyPage(() => Promise.resolve(Page).finally(() => (fetches += 1)));
  await Promise.all([Lazy.preload(), Lazy.preload()]);
  await Lazy.preload();
  expect(fetches).toBe(1);
});
