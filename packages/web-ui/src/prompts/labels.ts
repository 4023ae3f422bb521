import { msg } from '@lingui/core/macro';
import type { PromptContentType } from '@overtone/contracts';
import { translateOnRead } from '../lib/language.ts';

export const contentTypeLabels: Readonly<Record<PromptContentType, string>> = translateOnRead({
  general: msg`Any recording`,
  meeting: msg`Meeting`,
  interview: msg`Interview`,
  podcast: msg`Podcast`,
  documentary: msg`Documentary or lecture`,
  speaker_identification: msg`Speaker names`,
});
export const contentTypes = Object.keys(contentTypeLabels) as PromptContentType[];

export const sourceLabels = translateOnRead({
  system: msg`Built-in`,
  own: msg`My prompts`,
  shared: msg`Shared by others`,
});

const builtInNames: Readonly<Record<PromptContentType, { name: string; description: string }>> = {
  general: translateOnRead({ name: msg`Any recording`, description: msg`For recordings without a kind of their own.` }),
  meeting: translateOnRead({
    name: msg`Meeting`,
    description: msg`Decisions, tasks with owner and due date, and what stayed open.`,
  }),
  interview: translateOnRead({
    name: msg`Interview`,
    description: msg`What the interviewed person said, by question.`,
  }),
  podcast: translateOnRead({
    name: msg`Podcast`,
    description: msg`Subjects, arguments and recommendations of an episode.`,
  }),
  documentary: translateOnRead({
    name: msg`Documentary or lecture`,
    description: msg`The line of argument, its evidence and its sources.`,
  }),
  speaker_identification: translateOnRead({
    name: msg`Speaker names`,
    description: msg`How the names of speakers are found.`,
  }),
};

type Named = { name: string; description: string; is_system: boolean; content_type: PromptContentType };

/** The name and description of a prompt; built-in ones have translated ones. */
export function titleOf(prompt: Named): { name: string; description: string } {
  return prompt.is_system ? builtInNames[prompt.content_type] : prompt;
}
