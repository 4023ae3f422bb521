import { allElements, type XmlElement } from './xml.ts';

const ttml = 'http://www.w3.org/ns/ttml';
const profile = 'http://www.w3.org/ns/ttml/profile/imsc1.1/text';
/** Content elements of the text profile, and where they may stand. */
const parents: Readonly<Record<string, readonly string[]>> = {
  head: ['tt'],
  body: ['tt'],
  metadata: ['head'],
  styling: ['head'],
  layout: ['head'],
  style: ['styling'],
  region: ['layout'],
  div: ['body', 'div'],
  p: ['div'],
  span: ['p', 'span'],
  br: ['p', 'span'],
};

/** The broken rules of IMSC 1.1, text profile (https://www.w3.org/TR/ttml-imsc1.1/), in words. */
export function imscErrors(root: XmlElement): string[] {
  const errors: string[] = [];
  const elements = allElements(root);
  const ids = elements.flatMap(({ attributes }) => attributes['xml:id'] ?? []);
  if (root.name !== 'tt' || root.uri !== ttml) errors.push('the root is no tt');
  if (root.attributes['xml:lang'] === undefined) errors.push('xml:lang is missing');
  if (root.attributes['ttp:contentProfiles'] !== profile) errors.push('the profile is not named');
  if (root.attributes['ttp:timeBase'] !== 'media') errors.push('the time base is not media');
  if (new Set(ids).size < ids.length) errors.push('an xml:id occurs twice');
  const visit = (parent: string, { name, uri, attributes, children }: XmlElement): void => {
    if (uri === ttml && name !== 'tt' && !(parents[name] ?? []).includes(parent)) errors.push(`${name} in ${parent}`);
    for (const key of ['begin', 'end']) {
      const value = attributes[key];
      if (value !== undefined && !/^\d{2,}:[0-5]\d:[0-5]\d(\.\d+)?$/.test(value)) errors.push(`${key}="${value}"`);
    }
    for (const key of ['region', 'style', 'ttm:agent'])
      for (const id of attributes[key]?.split(' ') ?? [])
        if (!ids.includes(id)) errors.push(`${key} "${id}" does not exist`);
    if (name === 'p' && (attributes['begin'] ?? '') >= (attributes['end'] ?? '')) errors.push('p without a duration');
    if (name === 'p' && attributes['region'] === undefined) errors.push('p without a region');
    // Lengths of regions are percentages; pixels would need the extent of the root.
    for (const key of ['tts:origin', 'tts:extent'])
      if (name === 'region' && !/^\d+(\.\d+)?% \d+(\.\d+)?%$/.test(attributes[key] ?? ''))
        errors.push(`region: ${key}`);
    for (const child of children) if (typeof child !== 'string') visit(name, child);
  };
  visit('', root);
  return errors;
}
