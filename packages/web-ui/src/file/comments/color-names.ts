import { msg } from '@lingui/core/macro';
import { translateOnRead } from '../../lib/language.ts';
import type { HighlightColor } from './comment-queries.ts';

export const colorNames: Readonly<Record<HighlightColor, string>> = translateOnRead({
  yellow: msg`Yellow`,
  green: msg`Green`,
  blue: msg`Blue`,
  pink: msg`Pink`,
});
