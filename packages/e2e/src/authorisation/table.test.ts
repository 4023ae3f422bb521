import { expect, it } from '@jest/globals';
import { routes } from '@overtone/contracts';
import { table } from './table.ts';

it('the table has an entry for every route of the contracts, and no other entries', () => {
  const ofContracts = routes.map(({ method, path }) => `${method} ${path}`);
  expect(Object.keys(table).toSorted()).toEqual([...new Set(ofContracts)].toSorted());
});
