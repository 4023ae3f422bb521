import type { MessageDescriptor } from '@lingui/core';
import { msg } from '@lingui/core/macro';
import type { WordPlaceholder } from '@overtone/contracts';
import { translateOnRead } from '../../lib/language.ts';

export const placeholderLabels = translateOnRead<Record<WordPlaceholder, MessageDescriptor>>({
  transcript: msg`the transcript, in place of this paragraph`,
  title: msg`title of the recording`,
  date: msg`day of the recording`,
  duration: msg`length of the recording`,
  participants: msg`names of the speakers`,
  language: msg`language code of the recording`,
  filename: msg`name of the recorded file`,
});

export const knownPlaceholders: ReadonlySet<string> = new Set(Object.keys(placeholderLabels));
