import { describe, expect, it } from '@jest/globals';
import { authCategories, authSettings } from '@overtone/contracts';
import { categoryOrder, choiceLabels, layouts } from './layout.ts';

describe('the layout of the settings', () => {
  it('has a tab for every category', () => expect([...categoryOrder].sort()).toEqual([...authCategories].sort()));
  it.each(authCategories)('shows every setting of %s exactly once', (category) => {
    const placed = layouts[category].groups.flatMap((group) => group.fields.map((field) => field.key));
    const known = Object.entries(authSettings).flatMap(([key, def]) => (def.category === category ? [key] : []));
    expect(placed.sort()).toEqual(known.sort());
  });
  it('has a label for every choice', () => {
    const choices = Object.values(authSettings).flatMap((def) => ('choices' in def ? (def.choices ?? []) : []));
    expect(choices.filter((choice) => !(choice in choiceLabels))).toEqual([]);
  });
});
