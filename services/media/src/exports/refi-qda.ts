import { randomUUID } from 'node:crypto';
import { strToU8, zipSync } from 'fflate';
import { paragraphsOf } from './document.ts';
import { collapseWhitespace } from './spoken.ts';
import type { About, Writer } from './transcript.ts';
import { escapeXml } from './xml.ts';

/** `position`: a character of the text; `ms`: a time of the recording. */
type SyncPoint = { position: number; ms: number };

/**
 * A REFI-QDA project (QDA-XML 1.0, https://www.qdasoftware.org) with the transcript of one recording, tied to its
 * sound at the beginning of each paragraph. The recording itself is not in it; the program asks for its place.
 */
export const writeQdpx: Writer = async function* (transcript) {
  const points: SyncPoint[] = [];
  const paragraphs: string[] = [];
  let position = 0;
  let until = 0;
  for await (const { speaker, time, runs } of paragraphsOf(transcript)) {
    const text = runs.map((run) => run.text).join('');
    const paragraph = `${speaker === null ? text : `${speaker}: ${text}`}\n`;
    points.push({ position, ms: Math.round(time.from * 1000) });
    paragraphs.push(paragraph);
    position += codePointsOf(paragraph);
    until = Math.max(until, time.until);
  }
  points.push({ position, ms: Math.round(until * 1000) });
  const textId = randomUUID();
  yield zipSync({
    'project.qde': strToU8(project(transcript.about, textId, points)),
    [`sources/${textId}.txt`]: strToU8(paragraphs.join('')),
  });
};

/** Positions are counted in characters of Unicode, not in units of UTF-16. */
export function codePointsOf(text: string): number {
  let count = 0;
  for (const _ of text) count += 1;
  return count;
}

function project({ title, filename, content_type: type, upload_time }: About, textId: string, points: SyncPoint[]) {
  const name = attribute(title);
  const element = type.startsWith('video/') ? 'VideoSource' : 'AudioSource';
  const user = randomUUID();
  const made = `creatingUser="${user}" creationDateTime="${escapeXml(upload_time)}"`;
  const syncPoints = points.map(
    ({ position, ms }) => `        <SyncPoint guid="${randomUUID()}" timeStamp="${ms}" position="${position}"/>\n`,
  );
  return `${openProject({ name: title, made: { by: user, at: upload_time }, users: [{ id: user, name: 'Overtone' }] })}  <Sources>
    <${element} guid="${randomUUID()}" name="${name}" path="relative:///${escapeXml(encodeURIComponent(filename))}" ${made}>
      <Transcript guid="${randomUUID()}" name="${name}" plainTextPath="internal://${textId}.txt" ${made}>
${syncPoints.join('')}      </Transcript>
    </${element}>
  </Sources>
${closeProject}`;
}

type ProjectFacts = {
  name: string;
  made: { by: string; at: string };
  users: Iterable<{ id: string; name: string }>;
};

/** The beginning of a project, until its code book or sources. */
export function openProject({ name, made, users }: ProjectFacts): string {
  const lines = [...users].map((user) => `    <User guid="${user.id}" name="${attribute(user.name)}"/>\n`);
  return `<?xml version="1.0" encoding="utf-8"?>
<Project xmlns="urn:QDA-XML:project:1.0" name="${attribute(name)}" origin="Overtone" creatingUserGUID="${made.by}" creationDateTime="${escapeXml(made.at)}">
  <Users>
${lines.join('')}  </Users>
`;
}

export const closeProject = '</Project>\n';

/** Text of one line for an attribute. */
export function attribute(text: string): string {
  return escapeXml(collapseWhitespace(text));
}
