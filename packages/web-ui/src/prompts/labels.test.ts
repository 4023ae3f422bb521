import { describe, expect, it } from '@jest/globals';
import { promptContentTypes } from '@overtone/contracts';
import { contentTypeLabels, titleOf } from './labels.ts';

describe('the name of a prompt', () => {
  it.each(promptContentTypes)('is translated for the built-in prompt of %s', (content_type) => {
    const { name, description } = titleOf({ name: 'x', description: 'y', is_system: true, content_type });
    expect(name).toBe(contentTypeLabels[content_type]);
    expect(description).not.toBe('y');
  });

  it('is what the person wrote for all others', () => {
    const prompt = { name: 'Weekly', description: 'd', is_system: false, content_type: 'meeting' as const };
    expect(titleOf(prompt)).toMatchObject({ name: 'Weekly', description: 'd' });
  });
});
