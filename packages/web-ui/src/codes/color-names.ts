import { msg } from '@lingui/core/macro';
import { translateOnRead } from '../lib/language.ts';
import type { CodeColor } from './code-queries.ts';

export const codeColorNames: Readonly<Record<CodeColor, string>> = translateOnRead({
  red: msg`Red`,
  orange: msg`Orange`,
  yellow: msg`Yellow`,
  green: msg`Green`,
  teal: msg`Teal`,
  blue: msg`Blue`,
  violet: msg`Violet`,
  pink: msg`Pink`,
  gray: msg`Grey`,
});
