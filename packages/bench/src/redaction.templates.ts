import type { RedactionKind } from '@overtone/contracts';
import {
  cardNumber,
  domains,
  firstNames,
  iban,
  lastNames,
  monthNames,
  ordinal,
  sayDigits,
  sayYear,
  ssn,
  ukMobile,
  usPhone,
  type Random,
} from './redaction.values.ts';

export type Form = 'written' | 'spoken';
/** A value to be found: `<>` in a frame stands for it. */
type Maker = (random: Random) => string;
type Group = { kind: RedactionKind; form: Form; make: readonly Maker[]; frames: readonly string[] };

function grouped(digits: string): string {
  return digits.match(/\d{1,4}/g)?.join(' ') ?? digits;
}

function us(digits: string, pattern: string): string {
  return Array.from(digits).reduce((text, digit) => text.replace('#', digit), pattern);
}

function word(random: Random): string {
  return random.pick(['orange', 'falcon', 'winter', 'copper', 'velvet', 'thunder']);
}

function localPart(random: Random): string {
  const [first, last] = [random.pick(firstNames), random.pick(lastNames)].map((name) =>
    name
      .normalize('NFKD')
      .replaceAll(/\P{ASCII}|\s/gu, '')
      .toLowerCase(),
  ) as [string, string];
  return random.pick([`${first}.${last}`, `${first}_${last}`, `${first}${random.digits(2)}`, first.slice(0, 1) + last]);
}

function sayEmail(random: Random): string {
  const said = localPart(random)
    .replaceAll('.', ' dot ')
    .replaceAll('_', ' underscore ')
    .replaceAll(/\d+/g, (digits) => ` ${sayDigits(digits, random)} `);
  return `${said} at ${random.pick(domains).replaceAll('.', ' dot ')}`.replaceAll(/\s+/g, ' ');
}

const streets = ['Baker', 'Elm', 'Maple', 'Kingsley', 'Harbour', 'Old Mill', 'Sunset', 'Washington'];
const endings = ['Street', 'Avenue', 'Road', 'Lane', 'Drive', 'Boulevard'];

/** Frames alternate between the half that the rules were developed with and the half that was held out. */
export const groups: readonly Group[] = [
  {
    kind: 'card',
    form: 'written',
    make: [
      (random) => grouped(cardNumber(random)),
      (random) => cardNumber(random),
      (random) => grouped(cardNumber(random)).replaceAll(' ', '-'),
    ],
    frames: [
      'My card number is <>.',
      'Sure, you can charge <>, that is the Visa.',
      'Please take the payment from <> today.',
      'It says <> on the front.',
      'The credit card is <> and it expires in May.',
      'Okay so the number reads <>.',
      'Put it on <> please.',
      'We have <> on file for you, is that still right?',
    ],
  },
  {
    kind: 'card',
    form: 'spoken',
    make: [(random) => sayDigits(cardNumber(random), random)],
    frames: [
      'my card number is <>',
      'yes it is a visa and the number is <>',
      'okay ready it is <>',
      'the mastercard ends so it is <> and that is all',
      'please charge <> for the room',
      'so the long number across the front is <>',
      "it's <> thank you",
      'you want the number on the card right <>',
    ],
  },
  {
    kind: 'phone',
    form: 'written',
    make: [
      (random) => us(usPhone(random), '(###) ###-####'),
      (random) => us(usPhone(random), '###-###-####'),
      (random) => `+1 ${us(usPhone(random), '### ### ####')}`,
      (random) => us(usPhone(random), '### ### ####'),
      (random) => ukMobile(random).replace(/^(\d{5})/, '$1 '),
    ],
    frames: [
      'You can call me on <> after five.',
      'My number is <>.',
      'Reach the office at <> or by mail.',
      'It is <>, ask for the manager.',
      'Text <> when you arrive.',
      'If there is a problem, <> is the best way.',
      'Write this down: <>.',
      'Her mobile is <> I think.',
    ],
  },
  {
    kind: 'phone',
    form: 'spoken',
    make: [(random) => sayDigits(usPhone(random), random), (random) => sayDigits(ukMobile(random), random)],
    frames: [
      'you can call me on <> after five',
      'my number is <>',
      'the best number to reach me is <> any time',
      'that would be <>',
      'okay the mobile is <> and the office is closed',
      'give us a ring on <> tomorrow',
      'so I am at <> all day',
      "it's <> did you get that",
    ],
  },
  {
    kind: 'email',
    form: 'written',
    make: [(random) => `${localPart(random)}@${random.pick(domains)}`],
    frames: [
      'Send it to <> please.',
      'My email is <>.',
      'The login was <>, all lower case.',
      'Write to <> or call.',
      'I used <> for the account.',
      '<> is what I have here.',
    ],
  },
  {
    kind: 'email',
    form: 'spoken',
    make: [sayEmail],
    frames: [
      'send it to <> please',
      'my email is <>',
      'you can write to <> and we will answer',
      'the address is <> all one word',
      'we sent the invoice to <> yesterday',
      'could you try <> instead',
    ],
  },
  {
    kind: 'id_number',
    form: 'written',
    make: [(random) => us(ssn(random), '###-##-####')],
    frames: [
      'My social is <>.',
      'The SSN on the form is <>.',
      'She read out <> to the clerk.',
      'Social security number <>, correct?',
    ],
  },
  {
    kind: 'id_number',
    form: 'spoken',
    make: [(random) => sayDigits(ssn(random), random)],
    frames: [
      'my social security number is <>',
      'the social is <>',
      'for the passport number I have <>',
      'my ssn is <> do you need anything else',
    ],
  },
  {
    kind: 'account',
    form: 'written',
    make: [
      (random) => iban(random),
      (random) =>
        iban(random)
          .match(/.{1,4}/g)
          ?.join(' ') ?? '',
    ],
    frames: ['The IBAN is <>.', 'Transfer it to <> today.', 'Our details are <>, same name.', 'Use <> for the refund.'],
  },
  {
    kind: 'account',
    form: 'spoken',
    make: [
      (random) => sayDigits(random.digits(8), random),
      (random) =>
        Array.from(iban(random))
          .map((sign) => (/\d/.test(sign) ? sayDigits(sign, random) : sign.toLowerCase()))
          .join(' '),
    ],
    frames: [
      'the account number is <>',
      'my bank account is <>',
      'transfer it to account <> please',
      'the iban for the account is <>',
    ],
  },
  {
    kind: 'birth_date',
    form: 'written',
    make: [
      (random) => `${random.pick(monthNames)} ${1 + random.below(28)}, ${1940 + random.below(65)}`,
      (random) =>
        `${String(1 + random.below(12)).padStart(2, '0')}/${String(1 + random.below(28)).padStart(2, '0')}/${1940 + random.below(65)}`,
    ],
    frames: ['I was born on <>.', 'Date of birth is <>.', 'His birthday is <> by the way.', 'DOB <>, female.'],
  },
  {
    kind: 'birth_date',
    form: 'spoken',
    make: [
      (random) =>
        `${ordinal(1 + random.below(28))} of ${random.pick(monthNames).toLowerCase()} ${sayYear(1940 + random.below(65))}`,
      (random) =>
        `${random.pick(monthNames).toLowerCase()} ${ordinal(1 + random.below(28))} ${sayYear(1940 + random.below(65))}`,
    ],
    frames: [
      'i was born on <>',
      'my date of birth is <>',
      'she was born in the city on <> i believe',
      'the birthday we have is <>',
    ],
  },
  {
    kind: 'address',
    form: 'written',
    make: [(random) => `${1 + random.below(900)} ${random.pick(streets)} ${random.pick(endings)}`],
    frames: [
      'I live at <>.',
      'Deliver it to <>, second door.',
      'The house is <> near the park.',
      'Pick me up at <> at nine.',
    ],
  },
  {
    kind: 'address',
    form: 'spoken',
    make: [
      (random) =>
        `${sayDigits(String(10 + random.below(89)), random)} ${random.pick(streets).toLowerCase()} ${random.pick(endings).toLowerCase()}`,
    ],
    frames: [
      'i live at <>',
      'please deliver it to <> before noon',
      'we moved to <> last year',
      'the office is on <> you know',
    ],
  },
  {
    kind: 'secret',
    form: 'written',
    make: [
      (random) => `sk-${word(random)}${random.digits(10)}abcdEF${random.digits(6)}`,
      (random) => `ghp_${word(random)}${random.digits(12)}abcdefgh`,
    ],
    frames: ['The key is <>.', 'I pasted <> in the chat.', 'Use <> for the test.', 'Set the token to <> first.'],
  },
  {
    kind: 'secret',
    form: 'spoken',
    make: [(random) => `${word(random)} ${sayDigits(random.digits(2), random)} ${word(random)}`],
    frames: [
      'the password is <>',
      'the wifi password is <>',
      'my password was <> okay',
      'so the new password is <> and that works',
    ],
  },
  {
    kind: 'name',
    form: 'written',
    make: [(random) => `${random.pick(firstNames)} ${random.pick(lastNames)}`],
    frames: [
      'My name is <>.',
      'This is <> from the support team.',
      'I spoke with Mr. <> yesterday.',
      'Then <> joined the call and left again.',
      "I'm <>, nice to meet you.",
      'Please ask <> about the report.',
      'Thank you, <>, that helps.',
      'The minutes were written by <> last week.',
    ],
  },
  {
    kind: 'name',
    form: 'spoken',
    make: [(random) => `${random.pick(firstNames)} ${random.pick(lastNames)}`.toLowerCase()],
    frames: [
      'my name is <>',
      'this is <> speaking',
      'i talked to doctor <> about it',
      'then <> joined the call and left again',
      'his name is <> he works in sales',
      'please ask <> about the report',
      'thank you <> that helps',
      'the minutes were written by <> last week',
    ],
  },
];

/** Ordinary sentences, written and spoken: `<>` stands for a word that is also a name. */
export const ordinaryFrames: readonly string[] = [
  'we need a <> ticket',
  'it was <> for the project',
  'there are two <> questions left',
  '<> and nothing else',
  'the plan is <>',
  'We looked at the <> again.',
  'He said it is <>, and we agreed.',
  'Is this <> enough?',
  'That is <>.',
  'The <> was late, so we left.',
  'so the <> part is done and we move on',
  'Two or three <> ones are enough for this week.',
];

/** Sentences with numbers and words that look like personal data and are none. */
export const hardNegatives: readonly string[] = [
  'Will you mark the page in May or in April?',
  'the grace period ends and then we will bill the client',
  'We drove from Austin through Georgia to Virginia.',
  'a rose by any other name is still a flower',
  'Hope is all we have, and faith will follow.',
  'the art of the deal is to be frank and to chase every chance',
  'Grant the request and drop the mark by one point.',
  'my summer in paris was better than the one in sydney',
  'The Green Party and the Red Cross met in Geneva on Monday.',
  'i may walk to the park and drop by the bakery in june',
  'Our Sales Team and the Product Board discussed the Annual Report.',
  'jack up the price and pat yourself on the back',
  'the olive oil and the basil and the ginger are in the kitchen',
  'Kubernetes and Postgres run on the Linux server.',
  'dawn came and the sky was clear over the dale',
  'Your order number is 4155552671.',
  'The order number is four one five five five five two six seven one.',
  'Invoice 4111111111111112 was paid.',
  'The tracking number is 9400 1000 0000 0000 0000 00.',
  'ticket number two one two three four five six seven eight nine',
  'Reference 2125551234, please keep it.',
  'The population was 3281956 in 2019.',
  'In 1984 and 1999 it rained a lot.',
  'It happened in nineteen eighty four.',
  'from nineteen eighty four to two thousand nineteen',
  'The score was six four, six three, seven five.',
  'they won six four three six seven five',
  'The meeting is at 10:30 and ends at 11:45.',
  'the train leaves at ten forty five and arrives at twelve fifteen',
  'two times two is four and two times three is six',
  'one two three four five six seven eight nine ten',
  'ten twenty thirty forty fifty sixty seventy',
  'we sold 1,250,000 units for $3,400,000',
  'that is 3.14159 or about three point one four',
  'version 10.15.7 of the system, build 19123456',
  'call it version two point five',
  'flight number two three four five to Boston',
  'page two hundred and twelve, line fifteen',
  'The ISBN is 9780306406157.',
  'we measured 415 555 and 2671 microseconds',
  'the file has 2147483648 bytes',
  'the serial number is one two one two five five five three four three four',
  'part number 617-555-0199-B is out of stock',
  'He is at home. Dot com companies failed in 2001.',
  'look at the dot com boom',
  'we met at a point where nothing worked',
  'the password is too short',
  'the password is wrong again',
  'your password is required and case sensitive',
  'the password is stored hashed',
  'a pin is not needed',
  'the baby was born in a hurry',
  'he was born to run',
  'born in two minutes flat',
  'a long way to go and three more to come',
  'the first street on the left',
  'two roads lead there and one way out',
  'this is important and this is new',
  "i'm going home and i am very tired",
  'this is the point',
  'I am sure this works.',
  'the account is closed since twenty twelve',
  'the card was declined twice',
  'social media has four billion users',
  'insurance costs nine hundred a year',
  'in 2010-2015 we grew by 12 percent',
  'room 4155, floor 26, building 71',
  'the case number is 305 555 0147',
  'a batch of 6011000990139424 items',
  'the model number is 37 0000 1111 2222 3',
  'my score is 4 out of 5 and hers is 3',
  'seven eight nine and then we go again seven eight nine',
  'temperatures of minus five to plus twenty',
  'about one hundred fifty people came',
  'the lap took 1 minute 23 seconds 456',
];
