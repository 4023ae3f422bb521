import { describe, expect, it } from '@jest/globals';
import { labelled, ordinary } from '../test/labelled.ts';
import { excessOf, shownOf } from '../test/marked.ts';
import { detect } from './detect.ts';

describe.each(labelled)('$kind in $language, $form', ({ language, texts }) => {
  it.each(texts)('is masked, and nothing else, in %j', (marked) => {
    const options = { language, knownNames: [] };
    expect({ shown: shownOf(marked, options), excess: excessOf(marked, options) }).toEqual({ shown: [], excess: [] });
  });
});

describe.each(Object.entries(ordinary))('an ordinary sentence of %s', (language, texts) => {
  it.each(texts)('is not changed: %j', (text) => {
    expect(detect(text, { language, knownNames: [] })).toEqual([]);
  });
});
