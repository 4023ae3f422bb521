import { describe, expect, it } from '@jest/globals';
import { findSameTag, tagSimilarity } from './fuzzy.ts';

describe('findSameTag', () => {
  it.each([
    ['Machine Learning', 'machine learning', 'en'],
    ['Café', 'cafe', 'en'],
    ['solar panels', 'Solar panel', 'en'],
    ['e-mail', 'E mail', 'en'],
    ['Kuberntes', 'Kubernetes', 'en'],
    ['Wärmepumpen', 'wärmepumpe', 'de'],
    ['Straße', 'Strasse', 'de'],
    ['customer onboarding', 'customer-onboarding', 'en'],
  ])('finds "%s" in "%s"', (name, existing, language) => {
    expect(findSameTag(name, ['something else', existing], language)).toBe(existing);
  });

  it.each([
    ['Q1 2024', 'Q2 2024'],
    ['cat', 'car'],
    ['sales team east', 'sales team west'],
    ['internal audit', 'external audit'],
    ['Austria', 'Australia'],
    ['', 'budget'],
  ])('keeps "%s" apart from "%s"', (name, existing) => {
    expect(findSameTag(name, [existing], 'en')).toBeNull();
  });

  it('returns the most similar of several names', () => {
    expect(findSameTag('databases', ['Databas', 'Database'], 'en')).toBe('Database');
  });

  it('has the same similarity in both directions', () => {
    expect(tagSimilarity('Kuberntes', 'Kubernetes', 'en')).toBe(tagSimilarity('Kubernetes', 'Kuberntes', 'en'));
  });
});
