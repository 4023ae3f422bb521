import type { PromptContentType } from '@overtone/contracts';

/** A prompt that is part of the program. Its id is stored where a person or a summary names it, and never changes. */
export type BuiltInPrompt = {
  id: string;
  contentType: PromptContentType;
  name: string;
  description: string;
  text: string;
};

/** One for each content type. The shape of the result and the citations are requested elsewhere, not here. */
export const builtInPrompts: Readonly<Record<PromptContentType, BuiltInPrompt>> = {
  general: {
    id: '2b18ac4c-738a-417c-bd5a-ce7f2f099646',
    contentType: 'general',
    name: 'Any recording',
    description: 'For recordings without a kind of their own.',
    text: `Summarise the recording for a person who was not there and has two minutes to read.
- Begin with the result: what a person must know after this recording. Do not describe that a recording was made.
- Then give the main subjects in the order of their importance, each with the facts that support it: names, numbers, dates, amounts.
- Name decisions, tasks and open questions only if they were spoken. A wish or an idea is not a decision.
- Say who said or promised something when it matters, with the name that the transcript gives.
- Use the words of the speakers for technical terms. Do not explain what they did not explain.
- When a statement is uncertain or was contradicted later, say so.`,
  },
  meeting: {
    id: '0e2ae1a8-a9d1-4660-b01a-1f245dc09d21',
    contentType: 'meeting',
    name: 'Meeting',
    description: 'Decisions, tasks with owner and due date, and what stayed open.',
    text: `Write the minutes of this meeting.
- Begin with its outcome in two or three sentences: what was decided and what happens next.
- Key decisions: what was decided, by whom, and the reason that was given. Leave out what was only discussed.
- Action items: the task as an instruction, the person who accepted it, and the due date exactly as it was spoken. When nobody accepted it or no date was named, leave the field empty; do not guess.
- Topics: for each one the positions that were taken, the numbers that were named and the result.
- Follow-ups: open questions, conflicts that were not settled, and subjects that were moved to another meeting.
- Leave out greetings, small talk and technical trouble.`,
  },
  interview: {
    id: '685c468d-04e7-4506-8f1e-6806d47f859c',
    contentType: 'interview',
    name: 'Interview',
    description: 'What the interviewed person said, by question.',
    text: `Summarise this interview.
- Begin with who is interviewed about what, and their most important statement.
- Follow the questions: for each subject give the question in short and the answer with its reasons and examples.
- Separate what the person knows from their own experience, what they think, and what they report from others.
- Keep remarkable phrases as short literal quotations.
- Name contradictions and questions that were not answered.
- Decisions and action items: only agreements between the speakers, such as a second talk or documents to be sent.`,
  },
  podcast: {
    id: '26adf852-97ae-44e0-a948-9fc0514b70a4',
    contentType: 'podcast',
    name: 'Podcast',
    description: 'Subjects, arguments and recommendations of an episode.',
    text: `Summarise this podcast episode for a person who decides whether to listen to it.
- Begin with the subject, the hosts and the guests, and the main idea of the episode.
- Topics: the arguments, stories and facts of each part, in the order of the episode.
- Name books, products, people and events that are recommended or criticised, with the reason.
- Mark differences of opinion between the speakers.
- Leave out advertising, the opening and closing formulas, and requests to subscribe.
- Decisions, action items and follow-ups are usually missing; leave them empty then.`,
  },
  documentary: {
    id: 'aecc04ab-4692-4de7-bc4a-1fd80f9e9e8b',
    contentType: 'documentary',
    name: 'Documentary or lecture',
    description: 'The line of argument, its evidence and its sources.',
    text: `Summarise this documentary or lecture.
- Begin with its question and its answer.
- Topics: the steps of the argument in order. For each step give the claim, the evidence and where it comes from: a witness, an expert, a study, a document.
- Keep places, dates, names and numbers exact.
- Separate what is shown to be true, what is assumed, and what is the opinion of the narrator or of a witness.
- Name objections that are mentioned, and what stays unknown.
- Decisions and action items are usually missing; leave them empty then.`,
  },
  speaker_identification: {
    id: 'cfa774a2-8894-488a-8877-657cad3fd066',
    contentType: 'speaker_identification',
    name: 'Speaker names',
    description: 'How the names of speakers are found.',
    text: `Find out which person speaks under each speaker label.
- Good evidence: a person introduces themself, is introduced by another, or is addressed by name and answers in the next turn.
- Weak evidence: a role, a subject or a way of speaking. Give such a name only with low confidence.
- A name that is only mentioned belongs to a person who is spoken about, not to the speaker.
- Two labels may be the same person. One label is never two persons: then give the one who speaks most.
- Prefer the spelling of a known person when the sound fits.
- Give no name without a sentence that proves it.`,
  },
};

const byId = new Map(Object.values(builtInPrompts).map((prompt) => [prompt.id, prompt]));

export function builtInOf(id: string): BuiltInPrompt | undefined {
  return byId.get(id);
}
