import assert from 'node:assert/strict';
import type { FileDetail } from '@overtone/contracts';
import type { Client } from './client.ts';
import type { Recording } from '@overtone/testkit/recordings';

/** Asserts that the words are in order and within the recording. */
export function assertWords(file: FileDetail): void {
  let last = 0;
  let count = 0;
  for (const segment of file.transcript_segments) {
    for (const word of segment.words) {
      assert.ok(word.start >= last - 0.001, `${word.word} begins at ${word.start}, before ${last}`);
      assert.ok(word.end >= word.start, `${word.word} ends before it begins`);
      assert.ok(word.end <= (file.duration ?? 0) + 0.05, `${word.word} ends after the recording`);
      last = word.start;
      count++;
    }
  }
  assert.ok(count > 20, `only ${count} words`);
}

/** The voice that speaks most words of this speaker. */
export function assertSpeakersAreVoices(file: FileDetail, recording: Recording): void {
  const overlap = new Map<string, Map<string, number>>();
  for (const segment of file.transcript_segments) {
    const by = overlap.get(segment.speaker?.uuid ?? '') ?? new Map<string, number>();
    for (const turn of recording.turns) {
      const shared = Math.max(0, Math.min(segment.end_time, turn.end) - Math.max(segment.start_time, turn.start));
      by.set(turn.voice, (by.get(turn.voice) ?? 0) + shared);
    }
    overlap.set(segment.speaker?.uuid ?? '', by);
  }
  let right = 0;
  let all = 0;
  for (const by of overlap.values()) {
    right += Math.max(...by.values());
    for (const value of by.values()) all += value;
  }
  assert.ok(right / all > 0.9, `only ${Math.round((100 * right) / all)} % of the speech is given to the right speaker`);
}

/** Asserts all export formats of the meeting's transcript. */
export async function assertSubtitles(api: Client, uuid: string): Promise<void> {
  const exportAs = async (format: string) => {
    const answer = await api.call('GET', `/api/files/${uuid}/subtitles?subtitle_format=${format}`);
    assert.equal(answer.status, 200, `${format}: ${answer.text.slice(0, 200)}`);
    return answer;
  };
  const clock = String.raw`\d\d:\d\d:\d\d`;
  const srt = (await exportAs('srt')).text;
  assert.match(srt, new RegExp(String.raw`^1\r?\n${clock},\d{3} --> ${clock},\d{3}\r?\n.+good morning`, 'i'));
  const vtt = (await exportAs('webvtt')).text;
  assert.match(vtt, new RegExp(String.raw`^WEBVTT\r?\n[\s\S]*${clock}\.\d{3} --> ${clock}\.\d{3}`));
  assert.match((await exportAs('txt')).text, /windows/i);
  const json = JSON.parse((await exportAs('json')).text) as unknown;
  assert.match(JSON.stringify(json), /windows/i);
}
