import { describe, expect, it } from '@jest/globals';
import { authCategories, authSettings } from '@overtone/contracts';
import { categoryOrder, choiceLabels, helpOf, layouts } from './layout.ts';

describe('the layout of the settings', () => {
  it('has a tab for every category', () => expect([...categoryOrder].sort()).toEqual([...authCategories].sort()));
  it.each(authCategories)('shows every setting of %s exactly once', (category) => {
    const placed = layouts[category].groups.flatMap((group) => group.fields.map((field) => field.key));
    const known = Object.entries(authSettings).flatMap(([key, def]) => (def.category === category ? [key] : []));
    expect(placed.sort()).toEqual(known.sort());
  });
  it.each([
    ['Minimum length', 'Minimum length'],
    ['Timeout in seconds', 'Timeout of the directory in seconds'],
    ['Digit', 'Require a digit'],
    ['First lock, in minutes', 'Minutes of the first lock'],
    ['Client ID', 'Client id at the provider'],
    ['Nested groups', 'Include nested groups'],
  ])('has no help below “%s” that only repeats it: %s', (label, description) =>
    expect(helpOf(label, description)).toBeUndefined(),
  );
  it.each([
    ['Server', 'host, ldap://host or ldaps://host:port; separate several with spaces, they are tried in order'],
    ['Allowed groups', 'Only members of these groups may sign in; empty allows everyone'],
    ['Lock accounts', 'Lock an account after failed sign-ins'],
    ['Bind DN', 'Distinguished name of the service account'],
  ])('has the help below “%s” that explains it: %s', (label, description) =>
    expect(helpOf(label, description)).toBe(description),
  );
  it('has a label for every choice', () => {
    const choices = Object.values(authSettings).flatMap((def) => ('choices' in def ? (def.choices ?? []) : []));
    expect(choices.filter((choice) => !(choice in choiceLabels))).toEqual([]);
  });
});
