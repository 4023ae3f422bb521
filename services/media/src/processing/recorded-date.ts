/** Before the first digital recorders, and clocks that were never set. */
const earliest = Date.UTC(1990, 0, 2);
const dayMs = 24 * 3_600_000;

type Parts = {
  year: number;
  month: number;
  day: number;
  hour?: number;
  minute?: number;
  second?: number;
  isUtc?: boolean;
};

/**
 * When a recording was made, by its name: phones and recorders write date and time, such as `2026-11-24 10.03.12`,
 * `REC_20261124_100312` or `WhatsApp Audio 2026-11-24 at 10.03.12`. Times without a zone are those of the server.
 */
export function recordedDateOfName(filename: string, now = new Date()): Date | null {
  for (const pattern of namePatterns) {
    const groups = pattern.exec(filename)?.groups;
    const date = groups ? toDate(partsOf(groups), now) : null;
    if (date) return date;
  }
  return null;
}

const date = String.raw`(?<![\d])(?<year>(?:19|20)\d\d)(?<sign>[-._]?)(?<month>\d\d)\k<sign>(?<day>\d\d)`;
const time = String.raw`(?<hour>\d\d)(?<colon>[-.:_h]?)(?<minute>\d\d)(?:\k<colon>(?<second>\d\d))?`;
const namePatterns = [
  // Zoom names the start in UTC.
  new RegExp(
    String.raw`(?<utc>GMT)(?<year>20\d\d)(?<month>\d\d)(?<day>\d\d)-(?<hour>\d\d)(?<minute>\d\d)(?<second>\d\d)`,
  ),
  new RegExp(String.raw`${date}(?:[-_ T]| at |, | um )${time}(?!\d)`),
  new RegExp(String.raw`${date}(?!\d)`),
  new RegExp(String.raw`(?<![\d])(?<day>\d\d)\.(?<month>\d\d)\.(?<year>20\d\d)(?:[-_ ,]+${time})?(?!\d)`),
  // Samsung: year of two digits.
  new RegExp(
    String.raw`(?<![\d])(?<year>\d\d)(?<month>\d\d)(?<day>\d\d)_(?<hour>\d\d)(?<minute>\d\d)(?<second>\d\d)(?!\d)`,
  ),
];

/** When a recording was made, by the tags of its file; null without a plausible complete date. */
export function recordedDateOfTags(tags: Readonly<Record<string, string>>, now = new Date()): Date | null {
  const ofDay = tags['date'] ?? '';
  const created = tags['com.apple.quicktime.creationdate'] ?? tags['creation_time'] ?? '';
  // Broadcast WAV has the time of day in a field of its own.
  const candidates = /^\d\d:\d\d:\d\d$/.test(created) ? [`${ofDay} ${created}`, ofDay] : [created, ofDay];
  return candidates.map((text) => fromTag(text, now)).find((found) => found !== null) ?? null;
}

const tagPattern =
  /^(?<year>\d{4})[-:./]?(?<month>\d\d)[-:./]?(?<day>\d\d)(?:[ T](?<hour>\d\d):?(?<minute>\d\d):?(?<second>\d\d)?(?:\.\d{1,9})?(?<zone>Z|[+-]\d\d:?\d\d)?)?$/;

function fromTag(text: string, now: Date): Date | null {
  const groups = tagPattern.exec(text.trim())?.groups;
  if (!groups) return null;
  const { zone } = groups;
  const local = toDate({ ...partsOf(groups), isUtc: zone !== undefined }, now);
  if (!local || zone === undefined || zone === 'Z') return local;
  const [, sign, hours = '0', minutes = '0'] = /^([+-])(\d\d):?(\d\d)$/.exec(zone) ?? [];
  const offset = (Number(hours) * 60 + Number(minutes)) * 60_000 * (sign === '-' ? -1 : 1);
  return new Date(local.getTime() - offset);
}

function partsOf(groups: Readonly<Record<string, string | undefined>>): Parts {
  const { year = '', month, day, hour, minute, second, utc } = groups;
  return {
    year: year.length === 2 ? 2000 + Number(year) : Number(year),
    month: Number(month),
    day: Number(day),
    hour: Number(hour ?? 0),
    minute: Number(minute ?? 0),
    second: Number(second ?? 0),
    isUtc: utc !== undefined,
  };
}

/** @returns null for a day or time that does not exist, and for implausible years. */
function toDate({ year, month, day, hour = 0, minute = 0, second = 0, isUtc = false }: Parts, now: Date): Date | null {
  if (month < 1 || month > 12 || day < 1 || hour > 23 || minute > 59 || second > 59) return null;
  if (day > new Date(Date.UTC(year, month, 0)).getUTCDate()) return null;
  const made = isUtc
    ? new Date(Date.UTC(year, month - 1, day, hour, minute, second))
    : new Date(year, month - 1, day, hour, minute, second);
  return made.getTime() < earliest || made.getTime() > now.getTime() + dayMs ? null : made;
}
