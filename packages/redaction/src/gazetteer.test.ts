import { describe, expect, it } from '@jest/globals';
import { gazetteer } from './gazetteer.generator.ts';
import { familyNames, givenNames } from './gazetteer.ts';

describe('the list of names', () => {
  it('is that of the package it is made from', () => {
    expect({ given: [...givenNames], family: [...familyNames] }).toEqual(gazetteer());
  });
});
