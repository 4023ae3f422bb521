import type { Random } from './random.ts';

/** The words of one set of conversations: the development set and the held-out set have no sentence in common. */
export type Phrases = { subjects: string[]; verbs: string[]; objects: string[]; ends: string[]; answers: string[] };

export const developmentPhrases: Phrases = {
  subjects: [
    'The new manager',
    'My brother',
    'Our office in the city',
    'The people from the factory',
    'Every child in the school',
    'The old woman',
    'A friend of mine',
    'The committee',
    'The baker in the village',
    'The captain of the ship',
  ],
  verbs: [
    'wants to change',
    'has never seen',
    'will probably sell',
    'is looking for',
    'could not understand',
    'has finally finished',
    'should ask about',
    'was very proud of',
    'tried to save',
    'does not like',
  ],
  objects: [
    'the plan for the bridge',
    'a small house near the river',
    'the price of coffee and sugar',
    'the letters from the lawyer',
    'the big machine in the hall',
    'the second part of the story',
    'the music at the party',
    'their garden and the fruit trees',
    'the report about the water',
    'a cheap ticket to the north',
  ],
  ends: [
    'before the end of the year.',
    'because the weather was bad.',
    'when the train arrived.',
    'and we talked about it for hours.',
    'without any help from us.',
    'on Thursday morning.',
    'as far as I know.',
    'which was a surprise to me.',
    'after the long winter.',
    'if there is enough money.',
  ],
  answers: [
    'That is right.',
    'I do not think so.',
    'Could you say that again?',
    'Yes, of course.',
    'Well, let us see.',
    'That sounds good to me.',
  ],
};

export const heldOutPhrases: Phrases = {
  subjects: [
    'The doctor',
    'Your sister and her husband',
    'The team in the north',
    'A young engineer',
    'The owner of the shop',
    'Most of the students',
    'The minister',
    'This company',
    'The driver of the bus',
    'A pilot at the airport',
  ],
  verbs: [
    'has to explain',
    'would rather keep',
    'was waiting for',
    'often complains about',
    'is going to publish',
    'had already paid for',
    'cannot remember',
    'sent me a picture of',
    'must improve',
    'forgot to mention',
  ],
  objects: [
    'the results of the last election',
    'a heavy box full of books',
    'the colour of the kitchen walls',
    'the road between the mountains',
    'their first year in business',
    'the answer to your question',
    'a dinner with fish and potatoes',
    'the noise from the street below',
    'the contract with the bank',
    'a long walk along the beach',
  ],
  ends: [
    'during the summer holidays.',
    'since the meeting in April.',
    'although it was late at night.',
    'and all of us were happy.',
    'just like the year before.',
    'in front of the whole class.',
    'for the third time this month.',
    'until the rain stopped.',
    'so we had to wait outside.',
    'to make things easier.',
  ],
  answers: [
    'Exactly.',
    'What do you mean by that?',
    'I am not sure about it.',
    'No, not at all.',
    'Thank you very much.',
    'Maybe you are right.',
  ],
};

/** One utterance: mostly a sentence, sometimes two, sometimes a short answer. */
export function utteranceOf(phrases: Phrases, random: Random): string {
  const chance = random.below(10);
  if (chance === 0) return random.pick(phrases.answers);
  const sentence = (): string =>
    [phrases.subjects, phrases.verbs, phrases.objects, phrases.ends].map((words) => random.pick(words)).join(' ');
  return chance < 3 ? `${sentence()} ${sentence()}` : sentence();
}
